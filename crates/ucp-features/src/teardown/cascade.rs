//! The objects that are deleted along with others.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use super::contents::{contents_of, installed_objects, is_deleted_with_package};
use super::holds::{self, Hold, Holds};
use super::nature::{DeletionNature, is_definition, nature_of};
use super::path::{DeletionCascade, DeletionPath};
use super::provider::is_provider;
use super::{cluster_objects, statefulsets, staying};
use serde_json::Value;
use ucp_core::engine::crossplane::usage::{DELETION_ATTEMPT, is_usage, selects};
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::engine::{self, Assessment, ExternalRole, purpose};
use ucp_core::graph::link::Relation;
use ucp_core::graph::{Edge, Graph, NodeId, NodeIdentity};
use ucp_core::model::body::Body;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// Returns all objects that are deleted along with the roots, while some objects hold what is below them.
pub(super) fn cascade_from(
    state: &ClusterState,
    assessment: &Assessment<'_>,
    roots: &[NodeId],
    holds: &Holds,
) -> DeletionCascade {
    let graph: &Graph<'_> = &assessment.graph;
    let mut cascade = DeletionCascade::default();
    let mut open: Vec<(NodeId, DeletionPath)> = roots.iter().map(|root| (*root, DeletionPath::default())).collect();
    // An object that a provider leaves behind may also be deleted by another path, which takes precedence.
    let mut left_behind: Vec<(NodeId, DeletionPath)> = Vec::new();
    while let Some((node, way)) = open.pop().or_else(|| left_behind.pop()) {
        if node >= state.resources.len() || cascade.going.contains_key(&node) || cascade.refused.contains_key(&node) {
            continue;
        }
        let resource = &state.resources[node];
        cascade.kept.remove(&node);
        if holds.get(&node) == Some(&Hold::Refused) {
            cascade.refused.insert(node, way);
            continue;
        }
        cascade.going.insert(node, way.clone());
        if nature_of(&resource.kind) == DeletionNature::Definition {
            cascade.definitions.insert(resource.metadata.name.clone());
        }
        let waits = holds.contains_key(&node);
        let way = DeletionPath { parent: Some(node), ..way };
        if !waits || holds::is_emptied_by_kubernetes(resource) {
            open.extend(contents_of(state, resource).into_iter().map(|child| (child, way.clone())));
        }
        if !waits {
            let managed = cluster_objects::core_contents(state, graph, node);
            open.extend(managed.found.into_iter().map(|child| (child, way.clone())));
            cascade.unread.extend(managed.unread);
        }
        if is_provider(resource) {
            let lost = graph.up(node).iter().filter(|edge| edge.relation == Relation::ReconciledBy);
            let way = || DeletionPath { deserted_by: Some(node), parent: Some(node), ..DeletionPath::default() };
            left_behind.extend(lost.map(|edge| (edge.node, way())));
        }
        if waits && !holds::is_deleted_in_foreground(state, graph, node, &way) {
            continue;
        }
        // A deployer may have applied thousands of objects.
        let unpruned = LazyCell::new(|| staying::unpruned_by(state, resource));
        for edge in graph.down(node) {
            let Some(child) = graph.resource(edge.node).filter(|_| edge.node < state.resources.len()) else {
                cascade.unread.extend(unread_object(graph, resource, edge, &unpruned));
                continue;
            };
            let (why, way) = match edge.relation {
                Relation::Composes | Relation::Generates | Relation::Owns => {
                    let owner = || remaining_owner(state, graph, edge.node, child, &cascade.going);
                    let by_owner = || owner().map(|owner| format!("{owner} owns it, too"));
                    let why = staying::unmade_reason(resource, edge.relation, child)
                        .or_else(|| staying::is_collected(resource, edge.relation).then(by_owner).flatten());
                    (why, way.clone())
                }
                Relation::Applies => (
                    unpruned.clone().or_else(|| staying::unpruned_reason(state, resource, edge, child)),
                    DeletionPath { applied: Some(edge.node), by: Some(node), deserted_by: None, parent: Some(node) },
                ),
                _ => continue,
            };
            match why {
                None => open.push((edge.node, way)),
                Some(_) if cascade.going.contains_key(&edge.node) => {}
                Some(why) => {
                    cascade.kept.insert(edge.node, why);
                }
            }
        }
        if is_deleted_with_package(state, resource, cascade.going.keys().copied()) {
            for key in installed_objects(resource) {
                match graph.find(&key).filter(|node| *node < state.resources.len()) {
                    Some(found) => open.push((found, way.clone())),
                    None => {
                        cascade.unread.insert(key);
                    }
                }
            }
        }
        for claim in statefulsets::claims_of(state, resource) {
            match statefulsets::retention_reason(resource) {
                None => open.push((claim, way.clone())),
                Some(why) => {
                    cascade.kept.insert(claim, why);
                }
            }
        }
        if is_usage(&resource.kind) {
            open.extend(replayed_deletions(state, resource).into_iter().map(|used| (used, way.clone())));
        }
    }
    cascade.kept.retain(|node, _| !cascade.going.contains_key(node));
    cascade
}

/// Returns the objects whose deletion a Usage refused and repeats when it is deleted itself.
fn replayed_deletions(state: &ClusterState, usage: &Resource) -> Vec<NodeId> {
    let spec = usage.whole.as_deref().and_then(|whole| whole.get("spec"));
    let repeats = spec.and_then(|spec| spec.get("replayDeletion")).and_then(Value::as_bool) == Some(true);
    let Some(of) = spec.and_then(|spec| spec.get("of")).filter(|_| repeats) else { return Vec::new() };
    let was_refused =
        |used: &Resource| used.metadata.annotation(DELETION_ATTEMPT).is_some() && selects(of, used, usage);
    (0..state.resources.len()).filter(|node| was_refused(&state.resources[*node])).collect()
}

/// Returns an owner that was read and remains: the garbage collector only deletes objects without remaining owners.
fn remaining_owner(
    state: &ClusterState,
    graph: &Graph<'_>,
    child: NodeId,
    resource: &Resource,
    going: &BTreeMap<NodeId, DeletionPath>,
) -> Option<ObjectName> {
    let owners = graph.up(child).iter().filter(|edge| edge.relation == Relation::Owns);
    let mut staying = owners.filter(|edge| edge.node < state.resources.len() && !going.contains_key(&edge.node));
    let is_owner = |owner: &Resource| {
        let mut references = resource.metadata.owner_references.iter();
        references.any(|reference| reference.uid == owner.metadata.uid)
    };
    staying.find(|edge| is_owner(&state.resources[edge.node])).map(|edge| state.resources[edge.node].name())
}

/// Returns the key of an object that is deleted with another one and was not read. `unpruned` is the reason why a deployer deletes
/// nothing of what it applied.
fn unread_object(
    graph: &Graph<'_>,
    by: &Resource,
    edge: &Edge,
    unpruned: &LazyCell<Option<String>, impl FnOnce() -> Option<String>>,
) -> Option<ObjectKey> {
    let NodeIdentity::Object(key) = graph.node(edge.node).thing else { return None };
    match edge.relation {
        Relation::Composes | Relation::Generates => Some(key),
        Relation::Applies if unpruned.is_some() => None,
        Relation::Applies if matches!(by.body, Body::Application(_)) && is_definition(&key.group, &key.kind) => None,
        Relation::Applies => Some(key),
        _ => None,
    }
}

/// Returns all objects that a core cluster creates, and those that it needs to create them, without the parts of those that
/// hold them.
pub(super) fn whole_cluster(state: &ClusterState, graph: &Graph<'_>, holds: &Holds) -> DeletionCascade {
    let is_part = |resource: &Resource| {
        purpose(&resource.kind).is_some()
            || matches!(role(&resource.kind), Some(CrossplaneRole::ProviderConfig | CrossplaneRole::Package))
            || is_usage(&resource.kind)
    };
    let going = state.resources.iter().enumerate().filter(|(_, resource)| is_part(resource));
    let going = going.map(|(node, _)| (node, DeletionPath::default())).collect();
    let mut cascade = DeletionCascade { going, ..DeletionCascade::default() };
    let mut open: Vec<NodeId> = holds.keys().copied().collect();
    while let Some(node) = open.pop() {
        let parts = graph.down(node).iter().filter(|edge| matches!(edge.relation, Relation::Composes | Relation::Owns));
        for part in parts.map(|edge| edge.node).filter(|part| !holds.contains_key(part)) {
            if cascade.going.remove(&part).is_some() {
                cascade.kept.insert(part, holds::held_reason(state, holds, node));
                open.push(part);
            }
        }
    }
    cascade
}

/// Returns the objects that are deleted by hand: claims, composites without a claim, and managed resources that are not
/// part of a composite.
pub(super) fn top_level_objects(state: &ClusterState) -> Vec<NodeId> {
    let claims: Vec<&Resource> =
        state.resources.iter().filter(|one| role(&one.kind) == Some(CrossplaneRole::Claim)).collect();
    let is_released = |composite: &Resource, name: &str| {
        let mut named = claims.iter().filter(|claim| claim.metadata.name == name);
        named.any(|claim| {
            staying::unbound_reason(claim, composite).is_none()
                && staying::released_by_claim(claim, composite).is_some()
        })
    };
    let is_top = |resource: &Resource| match purpose(&resource.kind) {
        Some(ExternalRole::Claim) => true,
        Some(ExternalRole::Composite) => {
            let claim = match &resource.body {
                Body::Crossplane(body) => body.claim.as_ref(),
                _ => None,
            };
            claim.is_none_or(|claim| is_released(resource, &claim.name)) && resource.metadata.controller().is_none()
        }
        Some(ExternalRole::External) => resource.metadata.controller().is_none(),
        None => false,
    };
    state.resources.iter().enumerate().filter(|(_, resource)| is_top(resource)).map(|(node, _)| node).collect()
}

/// Returns the deployers that apply from Git automatically.
pub(super) fn automatic_deployers(state: &ClusterState) -> Vec<NodeId> {
    let all = state.resources.iter().enumerate();
    all.filter(|(_, resource)| engine::reapplies_from_git(resource)).map(|(node, _)| node).collect()
}

/// Returns the objects that would create the roots again and are not deleted themselves.
pub(super) fn restoring_objects(
    state: &ClusterState,
    assessment: &Assessment<'_>,
    roots: &[NodeId],
    going: &BTreeSet<NodeId>,
) -> Vec<NodeId> {
    let edges = roots.iter().flat_map(|root| assessment.graph.up(*root).iter().filter(|edge| edge.node != *root));
    let restores = edges.filter(|edge| match (edge.relation, state.resources.get(edge.node)) {
        (Relation::Applies, Some(above)) => engine::reapplies_from_git(above),
        // A composite creates its parts again, and an ApplicationSet its Applications.
        (Relation::Composes | Relation::Generates, Some(_)) => true,
        _ => false,
    });
    let objects = cluster_objects::restoring(state, &assessment.graph, roots);
    let all = restores.map(|edge| edge.node).chain(objects).filter(|node| !going.contains(node));
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns the restoring objects and those that would start one of them again, each after the ones above it. Generated
/// Applications are left to their ApplicationSet, which reverts changes in them.
pub(super) fn stop_order(state: &ClusterState, assessment: &Assessment<'_>, restoring: &[NodeId]) -> Vec<NodeId> {
    fn visit(
        node: NodeId,
        state: &ClusterState,
        graph: &Graph<'_>,
        seen: &mut BTreeSet<NodeId>,
        order: &mut Vec<NodeId>,
    ) {
        if !seen.insert(node) {
            return;
        }
        // The fields that suspend an object of Flux or pause a composite are in no manifest, so they are not reverted.
        let ResourceKind { group, kind, .. } = &*state.resources[node].kind;
        let is_taken_back = group == "argoproj.io" && matches!(kind.as_str(), "Application" | "ApplicationSet");
        let above = graph.up(node).iter().filter(|edge| is_taken_back && edge.node < state.resources.len());
        let mut is_generated = false;
        for edge in above {
            let generates = edge.relation == Relation::Generates;
            if generates
                || edge.relation == Relation::Applies && engine::reapplies_from_git(&state.resources[edge.node])
            {
                is_generated |= generates;
                visit(edge.node, state, graph, seen, order);
            }
        }
        if !is_generated {
            order.push(node);
        }
    }
    let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
    restoring.iter().for_each(|node| visit(*node, state, &assessment.graph, &mut seen, &mut order));
    order
}
