//! The extent of files: those without an index of the kinds that were read may have only a part of a cluster.

use super::look::DeletionContext;
use super::target::TeardownTarget;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::graph::NodeId;
use ucp_core::graph::link::Relation;
use ucp_core::model::state::{ClusterState, KindIndex, Origin, PARTIAL, Unreadable};

/// Returns the gap of a plan for a whole core cluster of which the files may have only a part.
pub(super) fn unseen_cluster(state: &ClusterState, target: &TeardownTarget) -> Option<Unreadable> {
    state.partial_entry().filter(|_| *target == TeardownTarget::All)
}

/// Returns the reason why it is unknown whether a provider deletes a managed resource: the files lack the provider or its
/// controller, and may lack them because they have only a part of the cluster.
pub(super) fn unseen_provider(look: &DeletionContext<'_, '_>, node: NodeId) -> Option<String> {
    let (state, assessment) = (look.state, look.assessment);
    let resource = &state.resources[node];
    if !matches!(state.origin, Origin::Snapshot { .. }) || role(&resource.kind) != Some(CrossplaneRole::Managed) {
        return None;
    }
    let is_indexed = state.kind_index == KindIndex::Complete;
    let mut providers = assessment.graph.down(node).iter().filter(|edge| edge.relation == Relation::ReconciledBy);
    let missing = if !providers.any(|edge| edge.node < state.resources.len()) {
        "package"
    } else if !is_indexed && assessment.controllers.last_workload_deleted(resource, &|_| true).is_none() {
        "controller"
    } else {
        return None;
    };
    let why = if is_indexed { "the kinds of packages are not in their index" } else { PARTIAL };
    Some(format!("the files have no {missing} of its provider, so it is unknown whether that deletes it: {why}"))
}

/// Returns true for a snapshot of all namespaces with an index of its kinds. A live cluster is not requested for everything.
pub(super) fn is_whole_snapshot(state: &ClusterState) -> bool {
    matches!(state.origin, Origin::Snapshot { .. })
        && state.kind_index == KindIndex::Complete
        && state.namespace.is_none()
}

/// Returns true if a Secret that is not in the state does not exist.
pub(super) fn has_all_secrets(state: &ClusterState) -> bool {
    is_whole_snapshot(state) && state.has_read("", "Secret")
}
