//! Servers as they are after their start, whatever tests have written to them.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use kube::Client;
use kube::discovery::Discovery;

use super::store::{Entries, Store};

/// How long the API server may take to notice that its objects are gone.
const PATIENCE: Duration = Duration::from_secs(5);
/// The last object that the API server writes at its start.
const LAST: [&str; 2] = [
    "/registry/services/specs/default/kubernetes",
    "/registry/configmaps/kube-system/kube-apiserver-legacy-service-account-token-tracking",
];
const DEFINITIONS: &str = "/registry/apiextensions.k8s.io/customresourcedefinitions/";
/// Objects that the API server enforces for a second or more after they are gone.
const LINGERING: [&str; 4] = [
    "/registry/validatingadmissionpolic",
    "/registry/mutatingadmissionpolic",
    "/registry/validatingwebhookconfigurations/",
    "/registry/mutatingwebhookconfigurations/",
];

/// Everything that the API server itself has stored.
#[derive(Debug)]
pub struct InitialState(Entries);

impl InitialState {
    /// Reads it, once the API server has written everything. `None` if that takes too long.
    pub async fn read(store: &Store) -> Result<Option<Self>> {
        let deadline = Instant::now() + PATIENCE;
        let mut before = Entries::new();
        while Instant::now() < deadline {
            let entries = store.values().await?;
            if LAST.iter().all(|key| entries.contains_key(*key)) && entries.keys().eq(before.keys()) {
                return Ok(Some(Self(entries)));
            }
            before = entries;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(None)
    }

    /// Restores it, and waits until the API server serves no kind that was defined since.
    pub async fn restore(&mut self, store: &Store, client: &Client) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        let mut defined = BTreeSet::new();
        loop {
            let now = store.revisions().await?;
            let foreign: Vec<&String> =
                now.keys().filter(|key| !self.0.contains_key(*key) && !changes_by_itself(key)).collect();
            let lingers = foreign.iter().find(|key| LINGERING.iter().any(|start| key.starts_with(start)));
            ensure!(lingers.is_none(), "{lingers:?} may still be enforced");
            defined.extend(foreign.iter().filter_map(|key| Some(key.strip_prefix(DEFINITIONS)?.to_owned())));
            store.delete(&foreign).await?;
            let mut is_restored = foreign.is_empty();
            for (key, entry) in &mut self.0 {
                let is_same = now.get(key).is_some_and(|now| now.revision == entry.revision);
                if !is_same && !changes_by_itself(key) {
                    entry.revision = store.put(key, &entry.value).await?;
                    is_restored = false;
                }
            }
            if is_restored && served(client).await?.is_disjoint(&defined) {
                return Ok(());
            }
            if Instant::now() > deadline {
                bail!("the API server does not forget {defined:?}");
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }
}

/// Leases are renewed all the time, and other keys belong to no object.
fn changes_by_itself(key: &str) -> bool {
    let is_of_server =
        ["/registry/leases/kube-system/apiserver-", "/registry/peerserverleases/", "/registry/masterleases/"];
    !key.starts_with("/registry/") || is_of_server.iter().any(|start| key.starts_with(start))
}

/// The names of the definitions of all kinds that the API server serves.
async fn served(client: &Client) -> Result<BTreeSet<String>> {
    let discovery = Discovery::new(client.clone()).run_aggregated().await?;
    let kinds = discovery.groups().flat_map(|group| group.recommended_resources());
    Ok(kinds.map(|(resource, _)| format!("{}.{}", resource.plural, resource.group)).collect())
}
