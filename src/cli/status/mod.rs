//! `kubectl ucp status`

mod core_rights;
mod credentials;
mod endpoint;

use std::sync::atomic::{AtomicBool, Ordering};

use crate::cli::Context;
use crate::cli::reading::{PatienceArgs, outcome};
use crate::cli::secrets::look::{LookArgs, look_beside};
use crate::cli::secrets::reach::ReachArgs;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Selector, Several, Snapshot};
use crate::cli::spec::{
    CommandSpec, ENGINE_NAMESPACES, HAZARDS, SECRETS_ROLES, SNAPSHOTS_OF_APPS, ToolSpec, WAYS, always, only_with,
    only_without, with_flag,
};
use crate::render::OutputFormat;
use crate::report::status::{PageLength, StatusReport};
use credentials::{take_secret_names, unchecked_credentials, want_names};
use endpoint::MetricsEndpoint;
use ucp_client::source::live::definition::DeniedDefinition;
use ucp_core::engine::{self, OtherWorkloads};
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::body::{KeepAmount, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::state::ClusterState;
use ucp_core::model::verdict::Verdict;
use ucp_features::adopt::live::gather::PreviousRead;
use ucp_features::distribution;

/// Show whether the control plane is healthy, and why not
///
/// Prints one page: the engines with their versions and a count of their objects by verdict, then the problems, worst
/// first. Each problem has its age, the engine's own error message, and a command to run next. Objects that only wait
/// for another one are listed below that one.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp status
  kubectl ucp status --from tests/fixtures/quotes
  kubectl ucp status -l team=shop
  kubectl ucp status --any
  kubectl ucp status --app-clusters
  kubectl ucp status --contexts core-eu,core-us
  kubectl ucp status --exit-code -o json
  kubectl ucp status -o prometheus > /var/lib/node_exporter/ucp.prom
  kubectl ucp status -o prometheus --watch
  kubectl ucp status --watch")]
pub(super) struct Args {
    #[command(flatten)]
    patience: PatienceArgs,
    /// Exit with 1 for findings other than paused objects, or 4 for unknown objects or if there is nothing to check
    #[arg(long, conflicts_with = "watch")]
    exit_code: bool,
    /// Judge custom resources of every kind too, and workloads, Jobs, volumes and the like: one line per group
    ///
    /// The verdict of a kind that no engine knows follows what controllers commonly report, as in 'resources --any'.
    #[arg(long)]
    any: bool,
    /// Show every problem in full; by default, a terminal shows the worst ten in full and the others in one line each
    #[arg(long)]
    full: bool,
    /// Also read the app clusters: findings about Secrets that workloads there need, as in 'kubectl ucp secrets'
    #[arg(long, conflicts_with = "watch")]
    app_clusters: bool,
    /// Watch for changes and refresh the page; with -o prometheus, serve the metrics at http://127.0.0.1:PORT/metrics
    #[arg(short, long)]
    watch: bool,
    /// The port for --watch -o prometheus, 9855 by default; 0 selects a free port
    #[arg(long, value_name = "PORT", requires = "watch", hide_short_help = true)]
    port: Option<u16>,
    #[command(flatten)]
    reach: ReachArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    dependent: &[
        only_with(ENGINE_NAMESPACES, &["app_clusters"]),
        SNAPSHOTS_OF_APPS,
        only_with(WAYS, &["app_clusters"]),
        only_with(HAZARDS, &["app_clusters"]),
        only_without(&["app_clusters"], "selector"),
    ],
    roles: &[
        always(&["kubectl-ucp-status"]),
        with_flag("any", &["kubectl-ucp-any"]),
        with_flag("app_clusters", SECRETS_ROLES),
    ],
    followed: &["kubectl-ucp-status", "kubectl-ucp-any"],
    reads_crossplane: true,
    tool: Some(ToolSpec::new::<StatusReport>(1, &["any", "stuck_after", "namespace", "selector"])),
    ..CommandSpec::new("status", &[Cluster, Snapshot, Several, Namespace, Selector, Output, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let selector = context.selector()?;
    let want = |kind: &ResourceKind| {
        let want = if args.any { engine::want_any(kind) } else { engine::want(kind) }?;
        // Kinds that are needed as whole objects for Secrets are read once, in that form.
        let for_secrets = if args.app_clusters { distribution::want(kind) } else { None };
        let is_whole = for_secrets.is_some_and(|other| other.shape == want.shape && other.keep == KeepAmount::Whole);
        Some(if is_whole { KindRequest { keep: KeepAmount::Whole, ..want } } else { want })
    };
    let workloads = if args.any { OtherWorkloads::Judged } else { OtherWorkloads::Unjudged };
    let page = if args.full { PageLength::Full } else { PageLength::Short };
    let report_with = |state: &ClusterState, rights_of: Option<&Context>| {
        let clock = args.patience.clock(state);
        let mut assessment = engine::assess_with(state, &clock, workloads);
        if let Some(context) = rights_of {
            core_rights::establish(context, &mut assessment, &clock);
        }
        if selector.is_empty() {
            return StatusReport::from_assessment(state, &assessment).with_page(page);
        }
        assessment.select(|resource| selector.matches(&resource.metadata));
        StatusReport::from_assessment(state, &assessment)
            .with_page(page)
            .with_selector(context.globals.scope.selector.as_deref().unwrap_or_default())
    };
    let report = |state: &ClusterState| report_with(state, None);
    if args.watch {
        context.needs_one_source("--watch")?;
        if context.globals.output.output == OutputFormat::Prometheus {
            return serve(context, &want, report, args.port.unwrap_or(PORT));
        }
        if args.port.is_some() {
            return Err(Error::usage("--port is for --watch -o prometheus"));
        }
        context.watch(&want, report)?;
        return Ok(Outcome::Clean);
    }
    if args.app_clusters {
        context.needs_rereadable_source("--app-clusters")?;
    }
    let look_args = LookArgs::everything(context, &args.reach)?;
    let has_nothing = AtomicBool::new(false);
    let is_table = matches!(context.globals.output.output, OutputFormat::Table | OutputFormat::Wide);
    let status = context.combine_sources(|context| {
        let has_snapshot = is_table && context.globals.connection.from.is_some();
        let want_with_names = |kind: &ResourceKind| want(kind).or_else(|| want_names(kind).filter(|_| has_snapshot));
        let namespace = context.globals.scope.namespace.as_deref();
        let mut state = context.read_established(namespace, &want_with_names, DeniedDefinition::Absent)?;
        let names = take_secret_names(&mut state);
        let status = report_with(&state, Some(context));
        if let Some(nothing) = context.no_core_engine(&state) {
            has_nothing.store(true, Ordering::Relaxed);
            context.ui.message(&format!("hint: {}", nothing.reason));
        }
        if is_table && let Some(hint) = unchecked_credentials(&state, names.as_ref()) {
            context.ui.message(&format!("hint: {hint}"));
        }
        if !args.app_clusters {
            return Ok(status);
        }
        let seen = look_beside(context, &look_args, Some(PreviousRead { state, want: &want }))?;
        Ok(status.with_secrets(seen.report()))
    })?;
    context.print(&status)?;
    if context.globals.output.output == OutputFormat::Name {
        context.warn_of_unreadable(&status.unreadable);
    }
    context.hint_at_rights(&status.unreadable);
    if status.selects_nothing().is_some() {
        // Nothing was checked, which is not OK.
        return Ok(if args.exit_code { Outcome::Incomplete } else { Outcome::Clean });
    }
    let is_trouble = status.findings.iter().any(|finding| finding.verdict != Verdict::Paused);
    match args.exit_code {
        true if is_trouble => Ok(Outcome::Findings),
        true if has_nothing.load(Ordering::Relaxed) || status.has_unknown() => Ok(Outcome::Incomplete),
        _ => Ok(outcome(&status.unreadable)),
    }
}

/// The default port for metrics.
const PORT: u16 = 9855;

/// Serves the metrics until it is interrupted.
fn serve(
    context: &Context,
    want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
    report: impl Fn(&ClusterState) -> StatusReport,
    port: u16,
) -> Result<Outcome> {
    if context.globals.connection.from.is_some() {
        return Err(Error::usage("--watch needs a cluster: a snapshot does not change"));
    }
    let endpoint = MetricsEndpoint::open(port)?;
    context.ui.message(&format!("serving metrics at {}", endpoint.url()));
    context.follow(want, report, |_, status| {
        endpoint.update(context.render_report(status)?);
        Ok(())
    })?;
    Ok(Outcome::Clean)
}
