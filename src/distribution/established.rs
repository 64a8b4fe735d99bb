//! Whether an app cluster is one at all. Whoever may write a Secret can write a kubeconfig into it; a cluster that receives
//! Secrets is registered where an engine keeps its own, or an object of a provisioner wrote its kubeconfig.

use super::source::written_by;
use crate::adopt::candidate::Candidate;
use crate::adopt::cluster::AppCluster;
use crate::adopt::inventory::Inventory;
use crate::adopt::names::Namespaced;
use crate::model::body::Body;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

const CLUSTER_API: &str = "cluster.x-k8s.io";

/// Why a cluster receives no Secrets; `None` where it does.
pub(super) fn objection(inventory: &Inventory, cluster: &AppCluster, state: &ClusterState) -> Option<String> {
    let is_registered = cluster.all_registrations().any(|registration| inventory.homes.keeps(registration));
    if is_registered || cluster.candidates.iter().any(|candidate| is_written(candidate, state)) {
        return None;
    }
    // A provisioner's object without a Secret: no kubeconfig of another author leads there.
    if cluster.provisioner.is_some() && cluster.candidates.is_empty() {
        return None;
    }
    Some(match cluster.candidate() {
        Some(candidate) => format!(
            "no object of a provisioner wrote Secret {}/{}, which says where cluster {} is: register it with \
             'kubectl ucp adopt-cluster {}'",
            candidate.source.namespace, candidate.source.name, cluster.name, cluster.name
        ),
        None => format!("cluster {} is not registered in the namespace of an engine", cluster.name),
    })
}

/// Whether an object that was read says that it writes the Secret. An owner reference proves nothing: whoever writes the
/// Secret writes it too. Cluster API's Clusters name theirs by a rule, in their own namespace.
fn is_written(candidate: &Candidate, state: &ClusterState) -> bool {
    let key = Namespaced { namespace: candidate.source.namespace.clone(), name: candidate.source.name.clone() };
    let is_by_rule = |resource: &Resource| {
        resource.kind.group == CLUSTER_API
            && matches!(resource.body, Body::ProvisionedCluster(_))
            && resource.metadata.namespace.as_ref() == Some(&key.namespace)
            && key.name.strip_suffix("-kubeconfig") == Some(&resource.metadata.name)
    };
    let mut all = state.resources.iter();
    all.any(|resource| is_by_rule(resource) || written_by(resource).contains(&key))
}
