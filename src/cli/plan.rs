//! `kubectl ucp plan`

use std::path::PathBuf;

use crate::cli::Context;
use crate::cli::comparison::{ComparisonArgs, Opened, nothing_checked};
use crate::engine::argocd::GROUP as ARGO_GROUP;
use crate::error::{Outcome, Result};
use crate::model::body::{Shape, Want};
use crate::model::kind::ResourceKind;
use crate::model::state::ClusterState;
use crate::plan::outcome::PlanOutcome;
use crate::render::Format;
use crate::report::plan::Plan;

/// Show what a merge would change, in the clusters and outside
///
/// Renders every Application and Kustomization whose source is under PATH, sends each object through a server-side dry
/// run on its target cluster, and shows the differences. For managed resources it also shows what would happen to the
/// external resource: what would be changed or deleted, and which fields look immutable. It never writes anything.
///
/// Sources are matched to the checkout by the URLs of its remotes, or by --repo-url. App clusters are reached with the
/// credentials that Argo CD and Flux use, or through --destination.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp plan .
  kubectl ucp plan --base main --head feature overlays/prod
  kubectl ucp plan --base origin/main . -o markdown > comment.md
  kubectl ucp plan . --destination gcp-k8s-prod=my-context-of-prod")]
pub(super) struct Args {
    /// Directories of one checkout; the current directory by default
    #[arg(value_name = "PATH", default_value = ".", hide_default_value = true)]
    paths: Vec<PathBuf>,
    /// The revision to merge into; without it, the checkout is compared with the clusters
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// The revision to merge; the working tree by default
    #[arg(long, value_name = "REV")]
    head: Option<String>,
    #[command(flatten)]
    comparison: ComparisonArgs,
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let opened = Opened::open(context, &args.comparison, &args.paths)?;
    let base = args.base.as_deref().map(|revision| opened.checkout.revision(revision)).transpose()?;
    let head = match &args.head {
        Some(revision) => opened.checkout.revision(revision)?,
        None => opened.checkout.working_tree(),
    };
    let state = context.read(&wanted)?;
    let outcome = opened.compare(&state, base.as_ref(), &head)?;
    finish(context, args, state, outcome)
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

fn finish(context: &Context, args: &Args, state: ClusterState, outcome: PlanOutcome) -> Result<Outcome> {
    let PlanOutcome { deployments, items, unchanged, mut unreadable, checked } = outcome;
    unreadable.extend(state.unreadable);
    if checked == 0 {
        return Err(nothing_checked(context, &unreadable));
    }
    let revisions = (args.base.clone(), args.head.clone());
    let plan = Plan::of(state.origin, revisions, deployments, items, unchanged, unreadable);
    context.print(&plan)?;
    let format = &context.globals.output.output;
    if !matches!(format, Format::Table | Format::Wide | Format::Json | Format::Yaml | Format::Markdown) {
        context.warn_of_unreadable(&plan.unreadable);
    }
    context.hint_at_rights(&plan.unreadable);
    Ok(match (plan.items.is_empty(), plan.unreadable.is_empty()) {
        (false, _) => Outcome::Findings,
        (true, false) => Outcome::Incomplete,
        (true, true) => Outcome::Clean,
    })
}
