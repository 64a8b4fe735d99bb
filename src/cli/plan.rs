//! `kubectl ucp plan`

use std::path::PathBuf;

use crate::cli::Context;
use crate::cli::app_clusters::EngineNamespaceArgs;
use crate::cli::comparison::{ComparedCheckout, ComparisonArgs, nothing_checked};
use crate::cli::planned_packages::{PackageSource, add_package_effects};
use crate::cli::previewing::FunctionArgs;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights};
use crate::cli::spec::{CommandSpec, PLAN_ROLES, always, with_flag};
use crate::render::OutputFormat;
use crate::report::plan::MergePlan;
use ucp_core::engine::argocd::GROUP as ARGO_GROUP;
use ucp_core::error::{Outcome, Result};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::path::FieldPattern;
use ucp_core::model::state::ClusterState;
use ucp_core::model::text::one_line;
use ucp_features::plan::compositions::CompositionPreview;
use ucp_features::plan::examine::ComparisonPurpose;
use ucp_features::plan::outcome::{PlanConsequence, PlanOutcome};

/// Show what a merge would change, in the clusters and outside
///
/// Renders every Application, ApplicationSet, Kustomization and HelmRelease whose source is under PATH, sends each object through a server-side dry
/// run on its target cluster, and shows the differences. For managed resources, it also shows the effect on the
/// external resource: whether it would be changed or deleted, and which fields look immutable. It never writes anything.
///
/// With --functions or --function, every composite that the change reaches is run through the pipeline of its Composition,
/// and its composed resources are shown like all other objects. A preview with functions runs the code of the pull request in the
/// cluster: the input of a step is executed by the function's pod.
///
/// Sources are matched to the checkout by the URLs of its remotes, or by --repo-url. App clusters are reached with the
/// credentials that Argo CD and Flux use, or through --destination.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp plan .
  kubectl ucp plan --base main --head feature overlays/prod
  kubectl ucp plan --base origin/main . -o markdown > comment.md
  kubectl ucp plan --base origin/main . --functions cluster
  kubectl ucp plan . --function function-python=grpc://localhost:9443
  kubectl ucp plan --base origin/main . --only destruction,refusal
  kubectl ucp plan . --charts ~/charts
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
    /// Only changes that destroy external resources, change any external resource, or would be rejected; what is not known
    /// is listed, too, and ends with exit code 4
    #[arg(
        long,
        value_enum,
        hide_possible_values = true,
        value_delimiter = ',',
        value_name = "destruction|external|refusal"
    )]
    only: Vec<PlanConsequence>,
    /// Ignore changes of these fields and everything below them, such as metadata.labels or spec.rules[*].id; deletions,
    /// refusals, and replacements are always shown
    #[arg(long, value_name = "PATH")]
    ignore_path: Vec<FieldPattern>,
    /// Evaluate changed packages as 'doctor --package' does: read from their registries, with your logins, or from a
    /// directory with files NAME-VERSION.xpkg
    ///
    /// The author of a change chooses the registry: only for a checkout that you trust.
    #[arg(long, value_name = "registry|DIR", value_hint = clap::ValueHint::DirPath)]
    packages: Option<PackageSource>,
    #[command(flatten)]
    functions: FunctionArgs,
    #[command(flatten)]
    comparison: ComparisonArgs,
    #[command(flatten)]
    namespaces: EngineNamespaceArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    roles: &[
        always(PLAN_ROLES),
        with_flag("functions", &["kubectl-ucp-plan-functions"]),
        with_flag("packages", &["kubectl-ucp-status", "kubectl-ucp-doctor"]),
    ],
    ..CommandSpec::new("plan", &[Cluster, Namespace, Output, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let opened = ComparedCheckout::open(context, &args.comparison, args.namespaces.clone(), &args.paths)?;
    let base = args.base.as_deref().map(|revision| opened.checkout.revision(revision)).transpose()?;
    let head = match &args.head {
        Some(revision) => opened.checkout.revision(revision)?,
        None => opened.checkout.working_tree(),
    };
    let permission = args.functions.permission(base.as_ref())?;
    let state = context.read(&wanted)?;
    let progress = context.ui.progress("running compositions");
    let (announce, show) =
        (|number: &str| context.ui.message(&one_line(number)), |done: usize, all: usize| progress.show(done, all));
    let preview = permission.map(|permission| CompositionPreview {
        permission,
        confidence: args.functions.confidence(),
        depth: args.functions.depth(),
        announce: &announce,
        progress: &show,
    });
    let mut outcome = opened.compare(&state, base.as_ref(), &head, (ComparisonPurpose::Merge, preview.as_ref()))?;
    drop(progress);
    add_package_effects(context, args.packages.as_ref(), &head.top, &mut outcome);
    finish(context, args, state, outcome)
}

/// Returns the read request for a kind: only deployers and their sources are read.
pub(super) fn wanted(kind: &ResourceKind) -> Option<KindRequest> {
    match (kind.group.as_str(), kind.kind.as_str()) {
        (ARGO_GROUP, "Application") => Some(KindRequest::all(BodyShape::Application)),
        // They show the namespace of Argo CD.
        (ARGO_GROUP, "AppProject") => Some(KindRequest::all(BodyShape::Metadata)),
        ("kustomize.toolkit.fluxcd.io", "Kustomization")
        | ("source.toolkit.fluxcd.io", "GitRepository" | "HelmRepository" | "OCIRepository") => {
            Some(KindRequest::all(BodyShape::Flux))
        }
        _ => None,
    }
}

fn finish(context: &Context, args: &Args, state: ClusterState, outcome: PlanOutcome) -> Result<Outcome> {
    let mut outcome = outcome;
    outcome.unreadable.extend(state.unreadable);
    if outcome.checked == 0 {
        return Err(nothing_checked(context, &outcome.unreadable));
    }
    let revisions = (args.base.clone(), args.head.clone());
    outcome.ignore_paths(&args.ignore_path);
    let mut plan = MergePlan::from_outcome(state.origin, revisions, outcome);
    plan.show_only(&args.only);
    context.print(&plan)?;
    let format = &context.globals.output.output;
    if !matches!(
        format,
        OutputFormat::Table | OutputFormat::Wide | OutputFormat::Json | OutputFormat::Yaml | OutputFormat::Markdown
    ) {
        context.warn_of_unreadable(&plan.unreadable);
    }
    context.hint_at_rights(&plan.unreadable);
    Ok(plan.outcome())
}
