//! `kubectl ucp clusters`

use std::time::Duration;

use futures::StreamExt as _;

use crate::adopt::access::{Access, Allowed};
use crate::adopt::inventory::{self, AppCluster, Inventory};
use crate::adopt::live::remote;
use crate::adopt::state::{Answer, State};
use crate::cli::Context;
use crate::cli::app_clusters::AppClusterArgs;
use crate::cli::reading::outcome;
use crate::error::{Outcome, Result};
use crate::render::Format;
use crate::report::clusters::ClusterList;
use crate::source::live;
use crate::ui::progress::Progress;

/// List app clusters, their credentials and registrations
///
/// One row for each cluster that the core cluster knows of: from managed resources and their connection Secrets, Cluster
/// API and vcluster, and from the registrations of Argo CD and Flux.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp clusters
  kubectl ucp clusters --probe -o wide
  kubectl ucp clusters --exit-code --from snapshot.yaml")]
pub(super) struct Args {
    /// Send a request to each cluster, and show its version and how long it took
    #[arg(long, conflicts_with = "from")]
    probe: bool,
    /// Exit with 1 where a cluster is stale, unusable, unreachable or duplicated
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    app_clusters: AppClusterArgs,
}

/// Requests to clusters at the same time. They wait for others, not for this machine.
const CONCURRENT_PROBES: usize = 128;
/// The longest that one cluster is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let gathered = context.gather_clusters(&args.app_clusters)?;
    let mut inventory = inventory::take(&gathered.state, &gathered.kinds, &args.app_clusters.view(context));
    let selector = context.selector()?;
    inventory.clusters.retain(|cluster| cluster.has_labels(&selector));
    let mut list = ClusterList::of(&gathered.state, &inventory);
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
            if let Some(Err(reason)) = &answer
                && item.state > State::Unreachable
            {
                item.state = State::Unreachable;
                item.reason = Some(reason.clone());
            }
            item.probe = answer.map(Into::into);
        }
    }
    list.sort();
    context.print(&list)?;
    if list.items.is_empty() && matches!(context.globals.output.output, Format::Table | Format::Wide) {
        context.ui.message("No app clusters found.");
    }
    if !matches!(context.globals.output.output, Format::Json | Format::Yaml | Format::Markdown) {
        context.warn_of_unreadable(&list.unreadable);
    }
    context.hint_at_rights(&list.unreadable);
    let is_trouble = list.items.iter().any(|item| !matches!(item.state, State::Adopted | State::Adoptable));
    if args.exit_code && is_trouble { Ok(Outcome::Findings) } else { Ok(outcome(&list.unreadable)) }
}

/// Asks every cluster that there is a way into; `None` where there is none.
async fn probe_all(
    inventory: &Inventory,
    allowed: &Allowed,
    patience: Duration,
    progress: &Progress,
) -> Vec<Option<Result<Answer, String>>> {
    progress.begin(inventory.clusters.len());
    futures::stream::iter(&inventory.clusters)
        .map(|cluster| async move {
            let asked = match way_in(cluster, allowed, inventory.moment) {
                Some(access) => Some(tokio::time::timeout(patience, probe(access, patience)).await),
                None => None,
            };
            progress.step();
            asked.map(|asked| asked.unwrap_or_else(|_| Err(format!("no answer within {}s", patience.as_secs()))))
        })
        .buffered(CONCURRENT_PROBES)
        .collect()
        .await
}

/// As whoever the engine logs in, else with what the provisioner left.
fn way_in<'a>(cluster: &'a AppCluster, allowed: &Allowed, now: jiff::Timestamp) -> Option<&'a Access> {
    let registered = cluster.registrations.iter().filter_map(|registration| registration.access());
    registered.chain(cluster.access()).find(|access| access.obstacle(allowed, now).is_none())
}

async fn probe(access: &Access, patience: Duration) -> Result<Answer, String> {
    let api = remote::connect(access, patience).map_err(|error| error.message())?;
    remote::probe(&api).await.map_err(|error| error.to_string())
}
