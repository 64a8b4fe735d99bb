//! Other clusters that Argo CD deploys to. While it does not reach one, its Applications stay healthy for minutes, and the
//! connection state of a cluster is not in the Kubernetes API: a page that calls them healthy has to say so.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use crate::engine::Assessment;
use crate::model::body::Body;
use crate::model::body::argocd::Status;
use crate::model::verdict::Verdict;

/// One such cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastSeen {
    /// What the Applications call it: its name, or the URL of its API server.
    pub cluster: String,
    /// How many Applications are well, as Argo CD last saw them.
    pub applications: usize,
    /// When one of them last changed there: Argo CD has seen the cluster since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<Timestamp>,
}

/// Every cluster with Applications that are well, by name.
pub(super) fn gather(assessment: &Assessment<'_>) -> Vec<LastSeen> {
    let mut clusters: BTreeMap<&str, (usize, Option<Timestamp>)> = BTreeMap::new();
    for entry in assessment.judged.iter().filter(|entry| entry.judgement.verdict == Verdict::Ok) {
        let Body::Application(application) = &entry.resource.body else { continue };
        let destination = &application.spec.destination;
        if let Some(cluster) = destination.cluster().filter(|_| !destination.is_this_cluster()) {
            let known = clusters.entry(cluster).or_default();
            *known = (known.0 + 1, known.1.max(changed(&application.status)));
        }
    }
    clusters
        .into_iter()
        .map(|(cluster, (applications, changed))| LastSeen { cluster: cluster.to_owned(), applications, changed })
        .collect()
}

/// When its health changed, or a sync of it succeeded.
fn changed(status: &Status) -> Option<Timestamp> {
    let synced = status.operation_state.as_ref().filter(|operation| operation.phase == "Succeeded");
    status.health.last_transition_time.max(synced.and_then(|operation| operation.finished_at))
}
