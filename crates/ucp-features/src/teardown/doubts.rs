//! Deletions that may not happen: what would be deleted after them is unknown, too.

use std::collections::BTreeMap;

use super::admission::DeletionReview;
use super::deletion_item::{DeletionItem, DeletionOutcome};
use super::look::DeletionContext;
use super::path::DeletionPath;
use super::{cluster_objects, finalizers, holds, inventory, staying, usages};
use ucp_core::graph::NodeId;
use ucp_core::graph::link::Relation;
use ucp_core::model::resource::Resource;

/// What is unknown about the deletion of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeletionDoubt {
    /// Whether it is deleted at all.
    Request,
    /// When a finalizer releases it: its controller works, and the garbage collector waits.
    End,
}

/// Returns the reason why it is unknown whether an object is deleted at all.
pub(super) fn request_doubt(look: &DeletionContext<'_, '_>, node: NodeId, way: &DeletionPath) -> Option<String> {
    let resource = &look.state.resources[node];
    refusal_doubt(look, node)
        .or_else(|| usages::unread_usage(look, resource))
        .or_else(|| inventory::unknown_pruning(look, node, way))
}

/// Returns the reason why it is unknown whether a deletion is refused.
pub(super) fn refusal_doubt(look: &DeletionContext<'_, '_>, node: NodeId) -> Option<String> {
    match look.review(node)? {
        DeletionReview::Refused(_) => None,
        DeletionReview::Unknown(why) => Some(why),
    }
}

/// Returns the reason why it is unknown whether the controller that releases the finalizers of an object runs.
pub(super) fn end_doubt(look: &DeletionContext<'_, '_>, resource: &Resource) -> Option<String> {
    let waits = !resource.metadata.finalizers.is_empty();
    waits.then(|| look.assessment.controllers.deletion_doubt(resource)).flatten()
}

/// Marks the objects as unknown that are deleted after an object whose deletion may not happen.
pub(super) fn spread_doubts(look: &DeletionContext<'_, '_>, items: &mut [DeletionItem]) {
    let places: BTreeMap<NodeId, usize> = items.iter().enumerate().map(|(place, item)| (item.node, place)).collect();
    let mut open: Vec<(NodeId, DeletionDoubt)> = items.iter().filter_map(|item| doubt_of(look, item)).collect();
    while let Some((node, doubt)) = open.pop() {
        for place in deleted_after(look, node, doubt).into_iter().filter_map(|child| places.get(&child)) {
            let item = &mut items[*place];
            if matches!(item.fate, DeletionOutcome::Stuck | DeletionOutcome::Unknown | DeletionOutcome::Kept) {
                continue;
            }
            let above = look.state.resources[node].name();
            item.fate = DeletionOutcome::Unknown;
            item.reason = Some(match doubt {
                DeletionDoubt::Request => format!("{above} may remain, and then nothing deletes it"),
                DeletionDoubt::End => format!("it is only deleted after {above}, whose finalizer may never be removed"),
            });
            open.push((item.node, DeletionDoubt::Request));
        }
    }
}

fn doubt_of(look: &DeletionContext<'_, '_>, item: &DeletionItem) -> Option<(NodeId, DeletionDoubt)> {
    if item.fate != DeletionOutcome::Unknown {
        return None;
    }
    let way = look.cascade.going.get(&item.node)?;
    if request_doubt(look, item.node, way).is_some() {
        return Some((item.node, DeletionDoubt::Request));
    }
    let resource = &look.state.resources[item.node];
    if cluster_objects::is_object(&resource.kind) {
        return Some((item.node, DeletionDoubt::Request));
    }
    let is_open = finalizers::unknown_finalizer(resource).is_some() || end_doubt(look, resource).is_some();
    is_open.then_some((item.node, DeletionDoubt::End))
}

/// Returns the objects that are deleted because of the deletion of another one, or, if only its end is unknown, after it.
fn deleted_after(look: &DeletionContext<'_, '_>, node: NodeId, doubt: DeletionDoubt) -> Vec<NodeId> {
    let (state, graph, going) = (look.state, &look.assessment.graph, &look.cascade.going);
    let (resource, roots) = (&state.resources[node], look.target.roots().unwrap_or_default());
    let is_first = going.get(&node).is_some_and(|way| !holds::is_deleted_in_foreground(state, graph, node, way));
    let is_collected =
        |relation: Relation| staying::is_collected(resource, relation) || relation == Relation::Generates;
    let parts = graph.down(node).iter().filter(|edge| is_first && is_collected(edge.relation)).map(|edge| edge.node);
    let is_below = |way: &DeletionPath| doubt == DeletionDoubt::Request && way.parent == Some(node);
    let below = going.iter().filter(|(_, way)| is_below(way)).map(|(child, _)| *child);
    parts.chain(below).filter(|child| going.contains_key(child) && !roots.contains(child)).collect()
}
