//! Live reads of all app clusters, concurrently: a cluster that does not respond affects only its own rows.

pub mod changes;
mod custom;
pub mod hidden;
mod identity;
pub mod named;
mod query;
mod read;
pub mod way;

pub(super) use query::MANY;
pub use query::{AppClusterQuery, ReadScope};
pub(in crate::distribution) use read::resource_kind;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::StreamExt as _;

use super::app::{AppClusterReading, SurveyedCluster};
use super::core_secrets::CoreSecrets;
use super::intent::ClusterReference;
use crate::adopt::cluster::AppCluster;
use ucp_client::source::live::MOST_CLUSTERS;
use ucp_client::source::live::api::Api;
use ucp_core::failure::{Failure, fail};

use way::AccessSelector;

/// Timeout of the first response of one cluster.
const PATIENCE: Duration = Duration::from_secs(10);

/// Returns true if an engine deploys to the cluster, or a copy is declared for it.
pub fn is_of_interest(core: &CoreSecrets, position: usize, cluster: &AppCluster) -> bool {
    cluster.all_registrations().next().is_some()
        || core.intents.iter().any(|intent| intent.cluster == ClusterReference::Known(position))
}

/// Reads all app clusters. `progress` receives the number of clusters done and in total.
pub async fn read_all(
    question: &AppClusterQuery<'_>,
    ways: &AccessSelector<'_>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Vec<SurveyedCluster> {
    let inventory = question.inventory;
    let (done, total) = (AtomicUsize::new(0), inventory.clusters.len());
    progress(0, total);
    let done = &done;
    futures::stream::iter(inventory.clusters.iter().enumerate())
        .map(|(position, cluster)| async move {
            let reading = match question.is_asked[position] {
                true => read_one(question, position, cluster, ways).await,
                false => Ok(AppClusterReading::default()),
            };
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
            SurveyedCluster { name: cluster.name.clone(), reading }
        })
        .buffered(MOST_CLUSTERS)
        .collect()
        .await
}

async fn read_one(
    question: &AppClusterQuery<'_>,
    position: usize,
    cluster: &AppCluster,
    ways: &AccessSelector<'_>,
) -> Result<AppClusterReading, Failure> {
    if let Some(reason) = ways.objection(cluster, &question.inventory.clusters) {
        return Err(reason.into());
    }
    let (api, identity, reach) = ways.connect(cluster)?;
    check_responds(&api).await?;
    let mut reading = read::read(&api, question, &question.targets(position), &reach, position).await;
    identity::check(question, cluster, &reading)?;
    reading.access = Some(format!("{identity}{}", reach.scope_suffix()));
    reading.server = ways.access(cluster).ok().map(|way| way.connection.server);
    for entry in &mut reading.unreadable {
        entry.what = format!("{} of cluster {}", entry.what, cluster.name);
    }
    Ok(reading)
}

/// Checks that the server responds, before sending slower requests.
async fn check_responds(api: &Api) -> Result<(), Failure> {
    match tokio::time::timeout(PATIENCE, api.version()).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error.to_string().into()),
        Err(_) => fail!("no answer within {}s", PATIENCE.as_secs()),
    }
}
