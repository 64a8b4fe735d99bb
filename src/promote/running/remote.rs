//! App clusters that Flux deploys to from the core cluster. Their workloads are read with the credentials that Flux
//! uses.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::StreamExt as _;

use crate::promote::running::elsewhere::AppClusterWorkloads;
use crate::promote::running::flux;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_client::source::live::api::Api;
use ucp_client::source::live::freshness::Freshness;
use ucp_client::source::live::list::{ListScope, list};
use ucp_client::source::{ConnectionArgs, kubeconfig, live};
use ucp_core::engine::{self, ListedNames};
use ucp_core::error::Result;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Origin, Unreadable};
use ucp_features::adopt::homes::EngineNamespaces;
use ucp_features::plan::destinations::DestinationConnector;
use ucp_repo::manifests::deployment::DeploymentDestination;

/// The maximum number of clusters that are read concurrently.
const CONCURRENT: usize = 8;

/// Reads all app clusters that a Kustomization of the core cluster deploys to. Reads none for a snapshot.
///
/// # Errors
/// Fails when the credentials of the app clusters cannot be read from the core cluster.
pub fn read_app_clusters(flags: &ConnectionArgs, core: &ClusterState) -> Result<AppClusterWorkloads> {
    let all = core.resources.iter().filter_map(flux::destination).map(|(_, destination)| destination);
    let wanted: BTreeSet<DeploymentDestination> =
        all.filter(|destination| *destination != DeploymentDestination::Here).collect();
    if wanted.is_empty() || matches!(core.origin, Origin::Snapshot { .. }) {
        return Ok(AppClusterWorkloads::default());
    }
    let connection = kubeconfig::load(flags)?;
    live::runtime()?.block_on(async {
        let api = Api::connect(&connection, flags.request_timeout)?;
        let opened = ConnectedCluster::open(None, api).await?;
        let homes = EngineNamespaces::find(core, None, None);
        // Only Flux's destinations are read.
        let registry = homes.registry([]);
        let ways = DestinationConnector { core: Arc::new(opened), flags, own: &[], registry, homes };
        let asked = futures::stream::iter(ways.open_all(wanted).await.clusters)
            .map(|(destination, cluster)| async move {
                let workloads = match cluster {
                    Ok(cluster) => workloads(&cluster).await,
                    Err(reason) => Err(reason),
                };
                (destination, workloads)
            })
            .buffer_unordered(CONCURRENT);
        Ok(AppClusterWorkloads(asked.collect().await))
    })
}

/// Returns the workloads of a cluster that Flux may have applied.
async fn workloads(cluster: &ConnectedCluster) -> Result<Vec<Resource>, Failure> {
    let listed: ListedNames = cluster.kinds().map(AsRef::as_ref).collect();
    let hidden = engine::hidden_built_ins(&listed, |kind| flux::want_applied(kind).is_some());
    if let Some(Unreadable { what, reason }) = hidden.into_iter().next() {
        return fail!("{what} cannot be read there: {reason}");
    }
    let freshness = Freshness::newest();
    let mut all = Vec::new();
    for (kind, want) in cluster.kinds().filter_map(|kind| Some((kind, flux::want_applied(kind)?))) {
        let listed = list(&cluster.api, kind, want, ListScope::default(), &freshness).await;
        if let Some(error) = listed.error {
            return fail!("{} cannot be read there: {error}", kind.qualified_plural());
        }
        if let Some(broken) = listed.broken.into_iter().next() {
            return fail!("{} cannot be read there: {}", broken.what, broken.reason);
        }
        all.extend(listed.resources);
    }
    Ok(all)
}
