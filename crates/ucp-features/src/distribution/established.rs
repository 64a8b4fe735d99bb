//! Verification of app clusters. Anyone who can write a Secret can put a kubeconfig into it. A cluster receives Secrets
//! only if it is registered in an engine's own namespace, or if an object of a provisioner wrote its kubeconfig.

use super::source::written_by;
use crate::adopt::candidate::AccessCandidate;
use crate::adopt::cluster::AppCluster;
use crate::adopt::inventory::AppClusterInventory;
use crate::adopt::names::NamespacedName;
use ucp_core::model::body::Body;
use ucp_core::model::resource::Resource;
use ucp_core::model::shell::quote_word;
use ucp_core::model::state::ClusterState;

const CLUSTER_API: &str = "cluster.x-k8s.io";

/// Returns the reason why a cluster receives no Secrets, or `None` if it may receive them.
pub(super) fn objection(inventory: &AppClusterInventory, cluster: &AppCluster, state: &ClusterState) -> Option<String> {
    let is_registered = cluster.all_registrations().any(|registration| inventory.homes.keeps(registration));
    if is_registered || cluster.candidates.iter().any(|candidate| is_written(candidate, state)) {
        return None;
    }
    // The object of a provisioner without a Secret: no kubeconfig from another author gives access to it.
    if cluster.provisioner.is_some() && cluster.candidates.is_empty() {
        return None;
    }
    Some(match cluster.candidate() {
        Some(candidate) => format!(
            "no object of a provisioner wrote Secret {}/{}, which contains the server of cluster {}: register the \
             cluster with 'kubectl ucp adopt-cluster {}'",
            candidate.source.namespace,
            candidate.source.name,
            cluster.name,
            quote_word(&cluster.name)
        ),
        None => format!("cluster {} is not registered in the namespace of an engine", cluster.name),
    })
}

/// Returns true if an object declares that it writes the Secret. An owner reference proves nothing: the author of the
/// Secret can set it. Clusters of Cluster API name their Secret by convention, in their own namespace.
fn is_written(candidate: &AccessCandidate, state: &ClusterState) -> bool {
    let key = NamespacedName { namespace: candidate.source.namespace.clone(), name: candidate.source.name.clone() };
    let is_by_rule = |resource: &Resource| {
        resource.kind.group == CLUSTER_API
            && matches!(resource.body, Body::ProvisionedCluster(_))
            && resource.metadata.namespace.as_ref() == Some(&key.namespace)
            && key.name.strip_suffix("-kubeconfig") == Some(&resource.metadata.name)
    };
    let mut all = state.resources.iter();
    all.any(|resource| is_by_rule(resource) || written_by(resource).contains(&key))
}
