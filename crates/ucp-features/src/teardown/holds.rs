//! Objects that hold what would be deleted after them: the API server refuses their deletion, or a finalizer delays it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::deletion_item::{DeletionItem, DeletionOutcome};
use super::nature::{DeletionNature, nature_of};
use super::path::{DeletionCascade, DeletionPath};
use ucp_core::engine::code::Code;
use ucp_core::engine::{ExternalRole, purpose};
use ucp_core::graph::link::Relation;
use ucp_core::graph::{Graph, NodeId};
use ucp_core::model::body::Body;
use ucp_core::model::body::argocd::CASCADE;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// How an object holds others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// Its deletion is pending: its controller deletes nothing, and the garbage collector waits until it is gone.
    Pending,
    /// Its deletion is refused, so that nothing happens.
    Refused,
}

/// The objects that hold others.
pub(super) type Holds = BTreeMap<NodeId, Hold>;

/// Returns the holds of items, by their blocks.
pub(super) fn holds_of(items: &[DeletionItem]) -> Holds {
    let held = items.iter().filter(|item| item.fate == DeletionOutcome::Stuck);
    let holds = held.filter_map(|item| {
        let is_refused = item.blocks.iter().any(|block| is_refusal(block.code));
        let hold = if is_refused { Hold::Refused } else { Hold::Pending };
        (!item.blocks.is_empty()).then_some((item.node, hold))
    });
    holds.collect()
}

/// Returns true for blocks because of which an object is not even marked as deleted.
fn is_refusal(code: Code) -> bool {
    matches!(
        code,
        Code::UsageProtects | Code::DeletionForbidden | Code::DeletionUnconfirmed | Code::DeletionWebhookDown
    )
}

/// Returns true if Kubernetes itself deletes the contents of an object while it is pending.
pub(super) fn is_emptied_by_kubernetes(resource: &Resource) -> bool {
    matches!(nature_of(&resource.kind), DeletionNature::Namespace | DeletionNature::Definition)
}

/// Returns true if the garbage collector deletes the parts of an object first: by the propagation policy of the claim or the
/// Application that deletes it.
pub(super) fn is_deleted_in_foreground(
    state: &ClusterState,
    graph: &Graph<'_>,
    node: NodeId,
    way: &DeletionPath,
) -> bool {
    let resource = &state.resources[node];
    if purpose(&resource.kind) != Some(ExternalRole::Composite) {
        return false;
    }
    let mut claims = graph.up(node).iter().filter(|edge| edge.relation == Relation::Composes);
    let claim = claims
        .find_map(|edge| state.resources.get(edge.node).filter(|one| purpose(&one.kind) == Some(ExternalRole::Claim)));
    if let Some(claim) = claim.and_then(|claim| claim.whole.as_deref()) {
        return claim.pointer("/spec/compositeDeletePolicy").and_then(Value::as_str) == Some("Foreground");
    }
    way.by.is_some_and(|by| {
        let by = &state.resources[by];
        let in_background = format!("{CASCADE}/background");
        matches!(by.body, Body::Application(_)) && !by.metadata.finalizers.iter().any(|name| *name == in_background)
    })
}

/// Returns the reason why nothing below an object is deleted.
pub(super) fn held_reason(state: &ClusterState, holds: &Holds, node: NodeId) -> String {
    let name = state.resources[node].name();
    match holds.get(&node) {
        Some(Hold::Refused) => format!("the deletion of {name} is refused, so nothing is deleted with it"),
        Some(Hold::Pending) => format!("{name} is stuck, and deletes nothing until it is released"),
        None => format!("{name} remains, too"),
    }
}

/// Adds the objects that the whole cascade contains and that remain because another object holds them.
pub(super) fn add_held_objects(
    state: &ClusterState,
    holds: &Holds,
    whole: &DeletionCascade,
    cascade: &mut DeletionCascade,
) {
    let known: BTreeSet<NodeId> =
        cascade.going.keys().chain(cascade.refused.keys()).chain(cascade.kept.keys()).copied().collect();
    let is_new = |node: &&NodeId| !known.contains(*node);
    let kept = whole.kept.iter().filter(|(node, _)| is_new(node));
    cascade.kept.extend(kept.map(|(node, why)| (*node, why.clone())));
    for node in whole.going.keys().filter(is_new) {
        let mut above = whole.going[node].parent;
        while let Some(one) = above.filter(|one| !holds.contains_key(one)) {
            above = whole.going.get(&one).and_then(|way| way.parent);
        }
        let reason = above.map_or_else(|| "nothing deletes it".to_owned(), |held| held_reason(state, holds, held));
        cascade.kept.insert(*node, reason);
    }
}
