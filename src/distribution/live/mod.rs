//! App clusters as they are now, all of them at once: one that does not answer costs its own rows.

pub mod changes;
mod custom;
mod identity;
pub mod named;
mod read;
pub mod way;

pub(in crate::distribution) use read::described;

use std::collections::BTreeSet;
use std::time::Duration;

use futures::StreamExt as _;

use super::Core;
use super::app::{App, Reading};
use super::fingerprint::Comparer;
use super::intent::Place;
use crate::adopt::cluster::AppCluster;
use crate::adopt::inventory::Inventory;
use crate::adopt::names::Namespaced;
use crate::adopt::secrets::{CONSUMERS, MAKERS};
use crate::source::live::MOST_CLUSTERS;
use crate::source::live::api::Api;
use crate::ui::progress::Progress;

use way::Ways;

/// The longest that one cluster is waited for until it says anything at all.
const PATIENCE: Duration = Duration::from_secs(10);

/// How much is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Breadth {
    /// Who asks for Secrets, what else makes them, and every copy.
    #[default]
    Everything,
    /// The same, and what else could need a copy that is to be deleted.
    Deletion,
    /// What the core cluster declares to be there, by name, and nothing else.
    Declared,
    /// Nothing: only the core cluster is looked at, for what it declares.
    Nothing,
}

/// So many Secrets of one namespace cost more one by one than the namespace does.
pub(super) const MANY: usize = 8;

/// What is asked of a cluster.
pub struct Question<'a> {
    /// The app clusters.
    pub inventory: &'a Inventory,
    /// The core cluster's side.
    pub core: &'a Core,
    /// What values are compared by.
    pub comparer: &'a Comparer,
    /// How much is asked.
    pub breadth: Breadth,
    /// Whether a cluster is asked at all, by its place in the inventory.
    pub is_asked: &'a [bool],
}

impl Question<'_> {
    /// Where copies are declared in a cluster.
    fn targets(&self, position: usize) -> BTreeSet<Namespaced> {
        let here = self.core.intents.iter().filter(|intent| intent.cluster == Place::Known(position));
        here.map(|intent| intent.target.clone()).collect()
    }
}

/// Whether a Secret could be wanted in a cluster: an engine deploys to it, or something declares a copy for it.
pub fn is_of_interest(core: &Core, position: usize, cluster: &AppCluster) -> bool {
    cluster.all_registrations().next().is_some()
        || core.intents.iter().any(|intent| intent.cluster == Place::Known(position))
}

/// Asks every app cluster.
pub async fn ask(question: &Question<'_>, ways: &Ways<'_>, progress: &Progress) -> Vec<App> {
    let inventory = question.inventory;
    progress.begin(inventory.clusters.len());
    futures::stream::iter(inventory.clusters.iter().enumerate())
        .map(|(position, cluster)| async move {
            let reading = match question.is_asked[position] {
                true => ask_one(question, position, cluster, ways).await,
                false => Ok(Reading::default()),
            };
            progress.step();
            App { name: cluster.name.clone(), reading }
        })
        .buffered(MOST_CLUSTERS)
        .collect()
        .await
}

async fn ask_one(
    question: &Question<'_>,
    position: usize,
    cluster: &AppCluster,
    ways: &Ways<'_>,
) -> Result<Reading, String> {
    if let Some(reason) = ways.objection(cluster, &question.inventory.clusters) {
        return Err(reason);
    }
    let (api, identity, reach) = ways.open(cluster)?;
    answers(&api).await?;
    let mut reading = read::read(&api, question, &question.targets(position), &reach, position).await;
    identity::check(question, cluster, &reading)?;
    reading.access = Some(format!("{identity}{}", reach.told()));
    reading.server = ways.way(cluster).ok().map(|way| way.connection.server);
    for entry in &mut reading.unreadable {
        entry.what = format!("{} of cluster {}", entry.what, cluster.name);
    }
    Ok(reading)
}

/// Whether anybody is there, before anything is waited for.
async fn answers(api: &Api) -> Result<(), String> {
    match tokio::time::timeout(PATIENCE, api.version()).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!("no answer within {}s", PATIENCE.as_secs())),
    }
}

/// The kinds that are read of an app cluster, without asking it which it has: one that it has not is empty.
fn kinds() -> impl Iterator<Item = (&'static str, &'static str, &'static str, &'static str)> {
    CONSUMERS.into_iter().chain(MAKERS)
}
