//! `kubectl ucp clusters`

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::StreamExt as _;

use crate::cli::Context;
use crate::cli::app_clusters::AppClusterArgs;
use crate::cli::reading::outcome;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Selector, Several, Snapshot};
use crate::cli::spec::{CLUSTER_ROLES, CommandSpec, ToolSpec, always};
use crate::render::OutputFormat;
use crate::report::clusters::ClusterList;
use crate::report::sources::{CombineSources as _, DocumentSources};
use crate::ui::progress::Progress;
use ucp_client::source::live;
use ucp_client::source::live::api::ReadError;
use ucp_core::error::{Outcome, Result};
use ucp_core::model::state::ClusterState;
use ucp_features::adopt::access::{AllowedHazards, AppClusterAccess};
use ucp_features::adopt::cluster::AppCluster;
use ucp_features::adopt::cluster::{State, VersionResponse};
use ucp_features::adopt::inventory::{self, AppClusterInventory};
use ucp_features::adopt::live::account::{self, Proof};
use ucp_features::adopt::live::remote;
use ucp_features::adopt::registration::Registration;

/// List app clusters, their credentials and registrations
///
/// One row for each cluster that is known from managed resources and their connection Secrets, Cluster API and
/// vcluster, and from the registrations of Argo CD and Flux.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp clusters
  kubectl ucp clusters --probe -o wide
  kubectl ucp clusters --all-contexts
  kubectl ucp clusters --exit-code --from snapshot.yaml")]
pub(super) struct Args {
    /// Send a request to each cluster, and show its version and how long it took
    #[arg(long, conflicts_with = "from")]
    probe: bool,
    /// Exit with 1 if a cluster is stale, unusable, unreachable or duplicated, or with 4 if there is none to check
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    app_clusters: AppClusterArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    roles: &[always(CLUSTER_ROLES)],
    tool: Some(ToolSpec::new::<ClusterList>(9, &["namespace", "selector"])),
    ..CommandSpec::new("clusters", &[Cluster, Snapshot, Several, Namespace, Selector, Output, Rights])
};

/// Number of concurrent requests to clusters. They wait for the network, not for this machine.
const CONCURRENT_PROBES: usize = 128;
/// Time limit for one cluster.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let has_nothing = AtomicBool::new(false);
    let list = context.combine_sources(|context| {
        let (list, state) = gather_with_state(context, args)?;
        let namespace = context.globals.scope.namespace.as_deref();
        let secrets = list.items.iter().filter_map(|item| item.secret.as_ref());
        if !secrets.into_iter().any(|secret| secret.namespace.as_deref() == namespace) {
            context.warn_of_unknown_namespace();
        }
        if args.exit_code
            && list.items.is_empty()
            && let DocumentSources::One(origin) = &list.header.source
        {
            has_nothing.store(true, Ordering::Relaxed);
            let question = context.core_cluster_question(origin);
            context.ui.message(&format!("hint: no app cluster was found, so there is nothing to check: {question}"));
        } else if list.items.is_empty() {
            context.hint_at_core_cluster(&state);
        }
        Ok(list)
    })?;
    context.print(&list)?;
    if list.items.is_empty() && matches!(context.globals.output.output, OutputFormat::Table | OutputFormat::Wide) {
        context.ui.message("No app clusters found.");
    }
    if !matches!(context.globals.output.output, OutputFormat::Json | OutputFormat::Yaml | OutputFormat::Markdown) {
        context.warn_of_unreadable(&list.unreadable);
    }
    context.hint_at_rights(&list.unreadable);
    let is_trouble = list.items.iter().any(|item| item.state < State::Unknown);
    let is_unknown = list.items.iter().any(|item| item.state == State::Unknown);
    Ok(match outcome(&list.unreadable) {
        _ if args.exit_code && is_trouble => Outcome::Findings,
        _ if is_unknown || has_nothing.load(Ordering::Relaxed) => Outcome::Incomplete,
        outcome => outcome,
    })
}

/// Returns the app clusters that one core cluster knows.
pub(super) fn gather(context: &Context, args: &Args) -> Result<ClusterList> {
    gather_with_state(context, args).map(|(list, _)| list)
}

fn gather_with_state(context: &Context, args: &Args) -> Result<(ClusterList, ClusterState)> {
    let gathered = context.gather_clusters(&args.app_clusters)?;
    let mut inventory = inventory::build_inventory(&gathered.state, &gathered.kinds, &args.app_clusters.view(context));
    let selector = context.selector()?;
    inventory.clusters.retain(|cluster| cluster.has_labels(&selector));
    let mut list = ClusterList::from_inventory(&gathered.state, &inventory);
    if args.probe {
        let allowed = args.app_clusters.allowed();
        let patience = match context.globals.connection.request_timeout {
            Duration::ZERO => PATIENCE,
            timeout => timeout.min(PATIENCE),
        };
        let progress = context.ui.progress("asking the clusters");
        let answers = live::runtime()?.block_on(probe_all(&inventory, &allowed, patience, &progress));
        drop(progress);
        for (item, answer) in list.items.iter_mut().zip(answers) {
            let Some(answer) = answer else { continue };
            if let Err(ProbeFailure { state, reason }) = &answer
                && item.state > *state
            {
                item.state = *state;
                item.reason = Some(reason.clone());
            }
            item.probe = Some(answer.map_err(|trouble| trouble.reason.into()).into());
        }
    }
    list.sort();
    Ok((list, gathered.state))
}

/// The state that a failed probe results in, and the reason.
struct ProbeFailure {
    state: State,
    reason: String,
}

impl ProbeFailure {
    fn unreachable(reason: impl Into<String>) -> Self {
        Self { state: State::Unreachable, reason: reason.into() }
    }
}

/// Connects to every cluster with usable credentials. Returns `None` for the others.
async fn probe_all(
    inventory: &AppClusterInventory,
    allowed: &AllowedHazards,
    patience: Duration,
    progress: &Progress,
) -> Vec<Option<Result<VersionResponse, ProbeFailure>>> {
    progress.set_total(inventory.clusters.len());
    futures::stream::iter(&inventory.clusters)
        .map(|cluster| async move {
            let asked = tokio::time::timeout(patience, probe(cluster, allowed, inventory.moment, patience)).await;
            progress.add_step();
            asked.unwrap_or_else(|_| {
                Some(Err(ProbeFailure::unreachable(format!("no answer within {}s", patience.as_secs()))))
            })
        })
        .buffered(CONCURRENT_PROBES)
        .collect()
        .await
}

/// Probes a cluster with the credential of each engine, since another credential proves nothing. If no engine has one,
/// or only as its own pods, uses the credential of the provisioner.
async fn probe(
    cluster: &AppCluster,
    allowed: &AllowedHazards,
    now: jiff::Timestamp,
    patience: Duration,
) -> Option<Result<VersionResponse, ProbeFailure>> {
    let mut answer = None;
    for registration in &cluster.registrations {
        let Some(access) = registration.access() else { continue };
        match probe_as(cluster, registration, access, (allowed, now), patience).await {
            Ok(one) => answer = answer.or(Some(one)),
            Err(trouble) => return Some(Err(trouble)),
        }
    }
    if answer.is_some() {
        return answer.map(Ok);
    }
    let access = cluster.check(cluster.access()?, allowed, now).ok()?;
    let asked = async {
        let api = remote::connect(&access, patience).map_err(|error| ProbeFailure::unreachable(error.message()))?;
        remote::probe(&api).await.map_err(|error| ProbeFailure::unreachable(error.to_string()))
    };
    Some(asked.await)
}

/// Probes a cluster with the credential of an engine, and checks the rights of its account.
async fn probe_as(
    cluster: &AppCluster,
    registration: &Registration,
    access: &AppClusterAccess,
    (allowed, now): (&AllowedHazards, jiff::Timestamp),
    patience: Duration,
) -> Result<VersionResponse, ProbeFailure> {
    let title = registration.holder.title();
    let stale = |reason: &dyn std::fmt::Display| ProbeFailure {
        state: State::Stale,
        reason: format!("the credential that {title} uses, in {}: {reason}", registration.object),
    };
    // The engine may accept a credential that is not followed here.
    let not_followed = |obstacle| ProbeFailure { state: State::Unknown, ..stale(&obstacle) };
    let access = cluster.check(access, allowed, now).map_err(not_followed)?;
    let api = remote::connect(&access, patience).map_err(|error| ProbeFailure::unreachable(error.message()))?;
    let failed = |error: ReadError| match error {
        ReadError::Denied { .. } => stale(&error),
        error => ProbeFailure::unreachable(error.to_string()),
    };
    let answer = remote::probe(&api).await.map_err(failed)?;
    let account = registration.record.as_ref().and_then(|record| record.account.as_ref());
    match account::test_credential(&access, account.map(|account| &account.grant), patience).await {
        Proof::Good => Ok(answer),
        Proof::Denied(error) => Err(stale(&error)),
        Proof::Unknown(reason) => Err(ProbeFailure::unreachable(reason)),
    }
}
