//! `kubectl ucp plan`

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;

use crate::cli::Context;
use crate::engine::argocd::GROUP as ARGO_GROUP;
use crate::error::{Error, Outcome, Result};
use crate::manifests::checkout::{Checkout, Tree};
use crate::manifests::renderer::Renderer;
use crate::manifests::selection::{Apps, Selection, SelectionOptions, repository_paths};
use crate::manifests::side::{self, Side};
use crate::model::body::{Shape, Want};
use crate::model::kind::ResourceKind;
use crate::model::state::{ClusterState, Unreadable};
use crate::model::time::parse_duration;
use crate::plan::destinations::{OwnWay, Ways};
use crate::plan::run::{Findings, argo_namespaces, run as compute};
use crate::prediction::cluster::Cluster;
use crate::render::Format;
use crate::report::plan::Plan;
use crate::source::kubeconfig;
use crate::source::live::{self, api::Api};

/// Show what merging a checkout would change, in the clusters and outside of them
///
/// Renders every Application and Kustomization whose source is under PATH, sends each object through a server-side dry
/// run on the cluster that it goes to, and shows the difference with what is there. Of managed resources it says what
/// would happen outside: what is changed, what looks immutable, and what a removal deletes. Nothing is ever written.
///
/// Sources are matched with the checkout by the URLs of its remotes; where none of them is known, by the directories
/// that exist. Clusters are reached as Argo CD and Flux reach them, or by --destination.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp plan .
  kubectl ucp plan --base main --head feature overlays/prod
  kubectl ucp plan --base origin/main . -o markdown > comment.md
  kubectl ucp plan . --destination gcp-k8s-prod=my-context-of-prod")]
pub(super) struct Args {
    /// Directories of one checkout; the current one by default
    #[arg(value_name = "PATH", default_value = ".", hide_default_value = true)]
    paths: Vec<PathBuf>,
    /// The revision that would be merged into; without it, the comparison is with what the clusters hold
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// The revision that would be merged; the working tree by default
    #[arg(long, value_name = "REV")]
    head: Option<String>,
    /// Only what follows this branch or tag, or no particular one
    #[arg(long, value_name = "NAME")]
    target_revision: Option<String>,
    /// The URL by which Applications know the repository, where no remote has it
    #[arg(long, value_name = "URL")]
    repo_url: Option<String>,
    /// Reach an app cluster through a context of your own kubeconfig; may be repeated
    #[arg(long, value_name = "CLUSTER=CONTEXT")]
    destination: Vec<OwnWay>,
    /// How long one renderer may run
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "2m")]
    render_timeout: Duration,
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    if context.globals.connection.from.is_some() {
        return Err(Error::usage("a plan asks the clusters themselves, so it cannot be made --from a snapshot"));
    }
    let first = args.paths.first().ok_or_else(|| Error::usage("plan needs a PATH"))?;
    let checkout = Checkout::containing(first)?;
    let options = SelectionOptions {
        paths: repository_paths(&checkout, &args.paths)?,
        url: args.repo_url.clone(),
        revision: args.target_revision.clone(),
    };
    let base = args.base.as_deref().map(|revision| checkout.revision(revision)).transpose()?;
    let head = match &args.head {
        Some(revision) => checkout.revision(revision)?,
        None => checkout.working_tree(),
    };
    let state = context.read(&wanted)?;
    let trees: Vec<&Tree> = base.iter().chain([&head]).collect();
    let selection = Selection::new(&checkout, &trees, &Apps::of(&state), options);
    let findings = live::runtime()?.block_on(findings(context, args, &state, &selection, base.as_ref(), &head))?;
    finish(context, args, state, findings)
}

/// Only what deploys is read, and where it deploys from.
fn wanted(kind: &ResourceKind) -> Option<Want> {
    match (kind.group.as_str(), kind.kind.as_str()) {
        (ARGO_GROUP, "Application") => Some(Want::all(Shape::Application)),
        ("kustomize.toolkit.fluxcd.io", "Kustomization") | ("source.toolkit.fluxcd.io", "GitRepository") => {
            Some(Want::all(Shape::Flux))
        }
        _ => None,
    }
}

async fn findings(
    context: &Context,
    args: &Args,
    state: &ClusterState,
    selection: &Selection,
    base: Option<&Tree>,
    head: &Tree,
) -> Result<Findings> {
    let flags = &context.globals.connection;
    let connection = kubeconfig::load(flags)?;
    let api = Api::connect(&connection, flags.request_timeout)?;
    let core = Cluster::open(None, api).await.map_err(|reason| Error::failed(anyhow!(reason)))?;
    let renderer = Renderer { timeout: args.render_timeout };
    let rendered = |tree, title: &'static str| async move {
        let bar = context.steps(title);
        let side =
            side::render(tree, Apps::of(state), selection, renderer, &|_| false, &|done, all| bar.show(done, all))
                .await;
        bar.finish();
        side
    };
    let head = rendered(head, "rendering").await;
    let base = match base {
        Some(base) => Some(rendered(base, "rendering the base").await),
        None => None,
    };
    let sides: Vec<&Side> = base.iter().chain([&head]).collect();
    if sides.iter().all(|side| side.rendered.is_empty()) {
        return Err(Error::failed(anyhow!("no Application or Kustomization deploys from there"))
            .hint("see their sources with 'kubectl get applications,kustomizations -A', or name the repository with --repo-url"));
    }
    let ways = Ways { core: Arc::new(core), flags, own: &args.destination, argo_namespaces: argo_namespaces(&sides) };
    let bar = context.steps("asking the servers");
    let findings = compute(&ways, base.as_ref(), &head, &|done, all| bar.show(done, all)).await;
    bar.finish();
    findings.map_err(|reason| Error::failed(anyhow!(reason)))
}

fn finish(context: &Context, args: &Args, state: ClusterState, findings: Findings) -> Result<Outcome> {
    let Findings { deployments, items, unchanged, mut unreadable, checked } = findings;
    unreadable.extend(state.unreadable);
    if checked == 0 {
        return Err(nothing_checked(&unreadable));
    }
    let revisions = (args.base.clone(), args.head.clone());
    let plan = Plan::of(state.origin, revisions, deployments, items, unchanged, unreadable);
    context.print(&plan)?;
    let format = &context.globals.output.output;
    if !matches!(format, Format::Table | Format::Wide | Format::Json | Format::Yaml | Format::Markdown) {
        context.warn_of_unreadable(&plan.unreadable);
    }
    Ok(match (plan.items.is_empty(), plan.unreadable.is_empty()) {
        (false, _) => Outcome::Findings,
        (true, false) => Outcome::Incomplete,
        (true, true) => Outcome::Clean,
    })
}

/// Every reason, whole: a renderer's words name the file.
fn nothing_checked(unreadable: &[Unreadable]) -> Error {
    let reasons: Vec<_> = unreadable.iter().map(|entry| format!("{}: {}", entry.what, entry.reason)).collect();
    Error::failed(anyhow!("nothing could be checked\n{}", reasons.join("\n")))
}
