//! Loads a snapshot into a cluster, so that a test can read it live.

mod crds;
pub mod manifests;
mod owners;
mod times;
mod write;

use std::path::Path;

use anyhow::{Result, bail};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use kube::Client;
use serde_json::Value;

use super::Cluster;
use manifests::Identity;
use owners::Owners;
use write::Writer;

pub use manifests::read;
pub use times::move_to_now;

/// Requests under way at a time.
const PARALLEL: usize = 16;
/// The manager that the API server records for the snapshot's author.
const FIELD_MANAGER: &str = "kubectl-ucp-tests";

/// Loads every manifest below `directory`: the CRDs that it needs (its own, or
/// those of `tests/fixtures/crds`), namespaces, then objects with their status,
/// labels, annotations, finalizers and owners, whose uids become the live ones.
///
/// An object with a generation above 1 is written that often; one with a
/// deletion timestamp is deleted, but kept by its finalizers. Fields that the API
/// server sets itself can not be kept: uids, resource versions, the times of
/// creation and deletion.
pub fn load(cluster: &Cluster, directory: &Path) -> Result<()> {
    let objects = read(directory)?;
    super::run(async || load_objects(&cluster.client(), objects).await)
}

/// The same, as if the snapshot had been taken just now. Fields that the API server sets are that young, too: the times
/// of creation and deletion.
pub fn load_as_of_now(cluster: &Cluster, directory: &Path) -> Result<()> {
    let mut objects = read(directory)?;
    move_to_now(&mut objects);
    super::run(async || load_objects(&cluster.client(), objects).await)
}

/// Makes every CRD of `tests/fixtures/crds`.
pub fn install_all_crds(cluster: &Cluster) -> Result<()> {
    let crds = read(Path::new(crds::FIXTURES))?;
    super::run(async || crds::install(&cluster.client(), crds).await)
}

/// Loads objects that a test holds in hand; see [`load`].
pub async fn load_objects(client: &Client, objects: Vec<Value>) -> Result<()> {
    let is_crd = |object: &Value| object["kind"] == crds::KIND;
    let (own, mut waiting): (Vec<_>, Vec<_>) = objects.into_iter().partition(is_crd);
    crds::install(client, crds::needed(&waiting, own)?).await?;
    let writer = Writer::new(client, &waiting).await?;
    writer.create_namespaces(&waiting).await?;

    let mut owners = Owners::default();
    while !waiting.is_empty() {
        let (blocked, mut ready): (Vec<_>, Vec<_>) = {
            let identities: Vec<Identity> = waiting.iter().map(Identity::of).collect();
            waiting.into_iter().partition(|object| owners::waits(object, &identities))
        };
        if ready.is_empty() {
            bail!("{} is owned in a circle", Identity::of(&blocked[0]));
        }
        for object in &mut ready {
            owners.adopt(object);
        }
        let written: Vec<_> =
            stream::iter(ready).map(|object| writer.write(object)).buffer_unordered(PARALLEL).try_collect().await?;
        owners.extend(written);
        waiting = blocked;
    }
    Ok(())
}
