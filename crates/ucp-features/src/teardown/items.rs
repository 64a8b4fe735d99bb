//! The consequence for each object of a cascade.

use std::collections::BTreeSet;

use super::deletion_item::{DeletionBlock, DeletionItem, DeletionOutcome};
use super::look::DeletionContext;
use super::{argocd, blocks, cluster_objects, contents, doubts, finalizers, nature, needs, partial, removal, storage};
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::engine::{ExternalRole, purpose};
use ucp_core::graph::link::Relation;
use ucp_core::graph::{Graph, NodeId};
use ucp_core::model::state::{ClusterState, Origin};

/// Returns the consequence for each object of a cascade.
pub(super) fn items_of(look: &DeletionContext<'_, '_>) -> Vec<DeletionItem> {
    let nodes = look.cascade.going.iter().chain(&look.cascade.refused);
    let items = nodes.map(|(node, way)| {
        let item = item(look.state, &look.assessment.graph, *node, blocks::blocks_of(look, *node, way));
        let doubt = match item.fate {
            DeletionOutcome::Deleted => argocd::doubt(look, *node, way)
                .or_else(|| needs::unread_dependency(look, *node, way))
                .or_else(|| partial::unseen_provider(look, *node))
                .or_else(|| blocks::safeguard_doubt(&look.state.resources[*node]))
                .or_else(|| cluster_objects::doubt(look, *node)),
            DeletionOutcome::Removed => {
                let resource = &look.state.resources[*node];
                argocd::end_doubt(look, resource).or_else(|| doubts::end_doubt(look, resource))
            }
            _ => None,
        };
        let refusal = || {
            // A resource that would be orphaned is the worse news.
            let is_certain =
                matches!(item.fate, DeletionOutcome::Stuck | DeletionOutcome::Orphaned | DeletionOutcome::Unknown);
            doubts::request_doubt(look, *node, way).filter(|_| !is_certain)
        };
        match doubt.or_else(refusal) {
            Some(reason) => DeletionItem { fate: DeletionOutcome::Unknown, reason: Some(reason), ..item },
            None => DeletionItem { reason: item.reason.or_else(|| blocks::unenforced_usage(look, *node)), ..item },
        }
    });
    let mut items: Vec<DeletionItem> = items.collect();
    doubts::spread_doubts(look, &mut items);
    items
}

fn item(state: &ClusterState, graph: &Graph<'_>, node: NodeId, mut blocks: Vec<DeletionBlock>) -> DeletionItem {
    let resource = &state.resources[node];
    let object = resource.name();
    let (mut fate, mut external, mut reason) = (DeletionOutcome::Removed, None, None);
    let is_released = role(&resource.kind) == Some(CrossplaneRole::Managed) && resource.metadata.finalizers.is_empty();
    if purpose(&resource.kind) == Some(ExternalRole::External) {
        // Without its fields, its policies are unknown.
        let removal = resource.whole.as_deref().map(|whole| removal::external_removal(&resource.kind, whole));
        external = removal.as_ref().and_then(|removal| removal.name.clone());
        reason = removal.as_ref().and_then(|removal| removal.reason_kept().map(str::to_owned));
        fate = match removal.map(|removal| removal.end) {
            Some(removal::RemovalEffect::Deleted) => DeletionOutcome::Deleted,
            Some(removal::RemovalEffect::Orphaned(_)) => DeletionOutcome::Orphaned,
            Some(removal::RemovalEffect::Left(_)) => DeletionOutcome::Left,
            // Without a finalizer, the object does not wait for its provider.
            Some(removal::RemovalEffect::Held(_) | removal::RemovalEffect::Refused(_)) if is_released => {
                DeletionOutcome::Orphaned
            }
            Some(removal::RemovalEffect::Held(why)) => {
                blocks.push(blocks::paused_block(&object, why));
                DeletionOutcome::Stuck
            }
            Some(removal::RemovalEffect::Refused(reason)) => {
                let command = format!("kubectl edit {object} # spec.managementPolicies");
                blocks.push(DeletionBlock { code: Code::FinalizerUnserved, reason, command });
                DeletionOutcome::Stuck
            }
            None => DeletionOutcome::Unknown,
        };
        if fate == DeletionOutcome::Deleted
            && role(&resource.kind) == Some(CrossplaneRole::Managed)
            && let Some(name) = nature::foreign_finalizer(&resource.metadata.finalizers)
        {
            let why = format!("finalizer {name} is not its provider's, so it is unknown what releases it");
            (fate, reason) = (DeletionOutcome::Unknown, Some(why));
        }
        if fate == DeletionOutcome::Deleted && !may_have_provider(state, graph, node) {
            let (without, effect) = match resource.metadata.finalizers.is_empty() {
                true => {
                    (DeletionOutcome::Orphaned, "and it has no finalizer, so nothing deletes its external resource")
                }
                false => (DeletionOutcome::Unknown, "so it is unknown whether a provider deletes it"),
            };
            (fate, reason) = (without, Some(format!("no installed package has its kind, {effect}")));
        }
    } else if let Some(known) = storage::storage_consequence(state, resource) {
        storage::StorageConsequence { fate, external, reason } = known;
    }
    if !matches!(fate, DeletionOutcome::Stuck | DeletionOutcome::Unknown | DeletionOutcome::Orphaned)
        && let Some(name) = finalizers::unknown_finalizer(resource)
    {
        let why = format!("no rule defines when the controller of its finalizer {name} releases it");
        (fate, reason) = (DeletionOutcome::Unknown, Some(why));
    }
    // Without a finalizer, the deletion does not wait for the controller: the object is deleted, and the external
    // resource remains.
    if resource.metadata.finalizers.is_empty()
        && !nature::removes_contents(resource)
        && let Some(position) = blocks.iter().position(|block| needs_controller(block.code))
    {
        let block = blocks.remove(position);
        if fate == DeletionOutcome::Deleted {
            (fate, reason) = (DeletionOutcome::Orphaned, Some(block.reason));
        }
    }
    if fate == DeletionOutcome::Deleted && is_released {
        let why = "it has no finalizer: it is gone before its provider deletes anything";
        (fate, reason) = (DeletionOutcome::Orphaned, Some(why.to_owned()));
    }
    if let Some(block) = blocks.first() {
        (fate, reason) = (DeletionOutcome::Stuck, Some(block.reason.clone()));
    }
    DeletionItem { node, object, fate, external, reason, blocks }
}

/// Marks namespaces and definitions as stuck if one of their objects is, and as unknown if a finalizer that no rule covers holds
/// one, or its deletion may be refused.
pub(super) fn hold_containers(look: &DeletionContext<'_, '_>, items: &mut [DeletionItem]) {
    let state = look.state;
    let stuck: BTreeSet<NodeId> =
        items.iter().filter(|item| item.fate == DeletionOutcome::Stuck).map(|item| item.node).collect();
    let unknown = items.iter().filter(|item| item.fate == DeletionOutcome::Unknown).map(|item| item.node);
    let guarded: BTreeSet<NodeId> = unknown.filter(|node| may_remain(look, *node)).collect();
    if stuck.is_empty() && guarded.is_empty() {
        return;
    }
    let is_container = |item: &&mut DeletionItem| match item.fate {
        DeletionOutcome::Removed => true,
        DeletionOutcome::Deleted => cluster_objects::is_object(&state.resources[item.node].kind),
        _ => false,
    };
    for item in items.iter_mut().filter(is_container) {
        let mut contents = contents::contents_of(state, &state.resources[item.node]);
        contents.extend(cluster_objects::core_contents(state, &look.assessment.graph, item.node).found);
        let found = |held: &BTreeSet<NodeId>| {
            contents.iter().find(|node| held.contains(node)).map(|node| state.resources[*node].name())
        };
        if let Some(held) = found(&stuck) {
            (item.fate, item.reason) = (DeletionOutcome::Stuck, Some(format!("{held} is stuck in it")));
        } else if let Some(held) = found(&guarded) {
            (item.fate, item.reason) = (DeletionOutcome::Unknown, Some(format!("{held} may remain in it")));
        }
    }
}

fn may_remain(look: &DeletionContext<'_, '_>, node: NodeId) -> bool {
    finalizers::unknown_finalizer(&look.state.resources[node]).is_some() || doubts::refusal_doubt(look, node).is_some()
}

/// Returns true for a block because nothing releases a finalizer.
fn needs_controller(code: Code) -> bool {
    matches!(code, Code::FinalizerUnserved | Code::ProviderGoesFirst)
}

/// Returns false for a managed resource whose kind no installed package has. A snapshot may be of managed resources only.
fn may_have_provider(state: &ClusterState, graph: &Graph<'_>, node: NodeId) -> bool {
    let is_snapshot = matches!(state.origin, Origin::Snapshot { .. });
    role(&state.resources[node].kind) != Some(CrossplaneRole::Managed)
        || is_snapshot && !state.has_read("pkg.crossplane.io", "ProviderRevision")
        || graph.down(node).iter().any(|edge| edge.relation == Relation::ReconciledBy)
}
