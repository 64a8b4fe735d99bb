//! App clusters from snapshots: inside of the snapshot of the core cluster, or in their own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::app::{self, AppClusterReading, ListCoverage, SurveyedCluster};
use super::fingerprint::Fingerprinter;
use super::intent;
use super::secret::SecretFacts;
use crate::adopt::inventory::AppClusterInventory;
use crate::adopt::secrets::{CONSUMERS, MAKERS};
use ucp_client::source::Query;
use ucp_client::source::snapshot as files;
use ucp_core::error::Result;
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::shell::quote_word;
use ucp_core::model::state::{ClusterState, Unreadable};

/// Reads app clusters from snapshots: those in `own` from their paths, the others from inside of the core cluster's.
///
/// # Errors
/// Fails when a snapshot given by path cannot be read.
pub fn read(
    core: &Path,
    own: &BTreeMap<&str, PathBuf>,
    inventory: &AppClusterInventory,
    comparer: &Fingerprinter,
) -> Result<Vec<SurveyedCluster>> {
    let query = Query::all(&want);
    // Standard input can be read only once.
    let within = match core == Path::new("-") {
        true => files::SnapshotAppClusters::default(),
        false => files::read_app_clusters(core, &query)?,
    };
    let mut apps = Vec::new();
    for (position, cluster) in inventory.clusters.iter().enumerate() {
        // All values in one snapshot were hidden with the same key.
        let reading = match own.get(cluster.name.as_str()) {
            Some(path) => Ok(reading(&files::read(path, &query)?, comparer, position + 1, position)),
            None => {
                let missing = || {
                    format!(
                        "it has no snapshot: pass --app-from {}=PATH, or take one with 'kubectl ucp snapshot --app-clusters'",
                        quote_word(&cluster.name)
                    )
                };
                let server = cluster.server().unwrap_or_default();
                within.get(&cluster.name, &server, missing).map(|state| reading(&state, comparer, 0, position))
            }
        };
        apps.push(SurveyedCluster { name: cluster.name.clone(), reading });
    }
    Ok(apps)
}

fn want(kind: &ResourceKind) -> Option<KindRequest> {
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Secret") => Some(KindRequest::whole(BodyShape::Secret)),
        ("", "Namespace") => Some(KindRequest::all(BodyShape::Metadata)),
        _ => app::want(kind).or_else(|| intent::want_elsewhere(kind)),
    }
}

fn reading(state: &ClusterState, comparer: &Fingerprinter, snapshot: usize, position: usize) -> AppClusterReading {
    let has = |name: &str| state.kinds.iter().any(|kind| kind.group.is_empty() && kind.kind == name);
    let facts = state.resources.iter().filter(|one| one.kind.group.is_empty() && one.kind.kind == "Secret");
    let facts = facts.filter_map(|resource| SecretFacts::from_resource(resource, comparer, snapshot));
    let namespaces: BTreeSet<String> =
        state.resources.iter().filter(|one| one.kind.is_namespace()).map(|one| one.metadata.name.clone()).collect();
    let mut unreadable = state.unreadable.clone();
    let is_denied = unreadable.iter().any(|entry| entry.what == "secrets");
    if !has("Secret") && !is_denied {
        unreadable.push(Unreadable { what: "secrets".to_owned(), reason: "the snapshot has no Secrets".to_owned() });
    }
    let coverage = CONSUMERS.into_iter().chain(MAKERS).map(|(group, _, plural, _)| {
        let name = if group.is_empty() { plural.to_owned() } else { format!("{plural}.{group}") };
        let lost = unreadable.iter().find(|entry| entry.what == name).map(|entry| entry.reason.clone());
        (name, lost.map_or(ListCoverage::Everywhere, ListCoverage::Missing))
    });
    let coverage = coverage.collect();
    let gap = unreadable.iter().find(|entry| entry.what == "secrets").map(|entry| entry.reason.clone());
    AppClusterReading {
        secrets: facts.map(|facts| (facts.key.clone(), facts)).collect(),
        namespaces: has("Namespace").then_some(namespaces),
        demands: app::demands(&state.resources),
        intents: intent::declared(&state.resources, position),
        unreadable,
        gap,
        coverage,
        ..AppClusterReading::default()
    }
}
