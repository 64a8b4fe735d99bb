//! Other clusters that Argo CD deploys to. While Argo CD cannot reach one, its Applications remain healthy for minutes,
//! and the connection state of a cluster is not in the Kubernetes API: output that reports them healthy must say so.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use ucp_core::engine::Assessment;
use ucp_core::model::body::Body;
use ucp_core::model::body::argocd::ApplicationStatus;
use ucp_core::model::verdict::Verdict;

/// One cluster, other than the core cluster, that Argo CD deploys to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastSeen {
    /// The cluster's name in the Applications, or the URL of its API server.
    pub cluster: String,
    /// The number of Applications that were OK when Argo CD last saw them.
    pub applications: usize,
    /// The time of the last change of one of them, which is also the last time known that Argo CD reached the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<Timestamp>,
}

/// Returns all clusters with Applications that are OK, by name.
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

/// Returns the time when the health changed, or when a sync succeeded.
fn changed(status: &ApplicationStatus) -> Option<Timestamp> {
    let synced = status.operation_state.as_ref().filter(|operation| operation.phase == "Succeeded");
    status.health.last_transition_time.max(synced.and_then(|operation| operation.finished_at))
}
