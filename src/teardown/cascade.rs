//! What goes with what.

use std::collections::{BTreeMap, BTreeSet};

use super::is_provider;
use crate::engine::crossplane::usage::is_usage;
use crate::engine::crossplane::{Role, role};
use crate::engine::{self, Assessment, Purpose, purpose};
use crate::graph::link::Relation;
use crate::graph::{Graph, NodeId};
use crate::model::body::Body;
use crate::model::body::argocd::has_sync_option;
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// How an object came to go.
#[derive(Debug, Clone, Default)]
pub(super) struct Way {
    /// What an Application or Kustomization applied on the way to it: the object with the sync wave.
    pub(super) applied: Option<NodeId>,
    /// Who applied that.
    pub(super) by: Option<NodeId>,
    /// A provider that goes before it, and leaves it behind.
    pub(super) deserted_by: Option<NodeId>,
}

/// What goes, and what stays though its owner goes.
#[derive(Debug, Default)]
pub(super) struct Cascade {
    pub(super) going: BTreeMap<NodeId, Way>,
    pub(super) kept: BTreeMap<NodeId, String>,
}

/// Everything that goes with some objects.
pub(super) fn of(state: &ClusterState, assessment: &Assessment<'_>, roots: &[NodeId]) -> Cascade {
    let graph: &Graph<'_> = &assessment.graph;
    let mut cascade = Cascade::default();
    let mut open: Vec<(NodeId, Way)> = roots.iter().map(|root| (*root, Way::default())).collect();
    // What a provider leaves behind may go in another way, and then it does not matter.
    let mut left_behind: Vec<(NodeId, Way)> = Vec::new();
    while let Some((node, way)) = open.pop().or_else(|| left_behind.pop()) {
        if node >= state.resources.len() || cascade.going.contains_key(&node) {
            continue;
        }
        let resource = &state.resources[node];
        cascade.kept.remove(&node);
        cascade.going.insert(node, way.clone());
        for edge in graph.down(node) {
            let Some(child) = graph.resource(edge.node).filter(|_| edge.node < state.resources.len()) else { continue };
            match edge.relation {
                Relation::Composes | Relation::Generates => open.push((edge.node, way.clone())),
                Relation::Owns if goes_with(child, resource) => open.push((edge.node, way.clone())),
                Relation::Applies => match stays(resource, child) {
                    None => open.push((edge.node, Way { applied: Some(edge.node), by: Some(node), deserted_by: None })),
                    Some(_) if cascade.going.contains_key(&edge.node) => {}
                    Some(why) => {
                        cascade.kept.insert(edge.node, why);
                    }
                },
                _ => {}
            }
        }
        if is_provider(resource) {
            let lost = graph.up(node).iter().filter(|edge| edge.relation == Relation::ReconciledBy);
            let way = || Way { deserted_by: Some(node), ..Way::default() };
            left_behind.extend(lost.map(|edge| (edge.node, way())));
        }
    }
    cascade.kept.retain(|node, _| !cascade.going.contains_key(node));
    cascade
}

/// The garbage collector deletes what has no owner left.
fn goes_with(child: &Resource, owner: &Resource) -> bool {
    let owners = &child.metadata.owner_references;
    owners.len() == 1 || owners.iter().any(|one| one.controller && one.uid == owner.metadata.uid)
}

/// Why an applied object stays when whoever applied it is deleted.
fn stays(by: &Resource, child: &Resource) -> Option<String> {
    if let Some(why) = engine::leaves_behind(by) {
        return Some(why);
    }
    match &by.body {
        Body::Application(_) if has_sync_option(&child.metadata, "Delete=false") => {
            Some("sync option Delete=false".to_owned())
        }
        Body::Flux(_) if child.metadata.annotation("kustomize.toolkit.fluxcd.io/prune") == Some("disabled") => {
            Some("annotation kustomize.toolkit.fluxcd.io/prune is disabled".to_owned())
        }
        _ => None,
    }
}

/// Everything that a core cluster makes, and what it makes it with.
pub(super) fn all(state: &ClusterState) -> Cascade {
    let is_part = |resource: &Resource| {
        purpose(&resource.kind).is_some()
            || matches!(role(&resource.kind), Some(Role::ProviderConfig | Role::Package))
            || is_usage(&resource.kind)
    };
    let going = state.resources.iter().enumerate().filter(|(_, resource)| is_part(resource));
    Cascade { going: going.map(|(node, _)| (node, Way::default())).collect(), kept: BTreeMap::new() }
}

/// What is deleted by hand: claims, composites that nobody claims, and managed resources that are no part of one.
pub(super) fn tops(state: &ClusterState) -> Vec<NodeId> {
    let is_top = |resource: &Resource| match purpose(&resource.kind) {
        Some(Purpose::Claim) => true,
        Some(Purpose::Composite) => {
            !matches!(&resource.body, Body::Crossplane(body) if body.claim.is_some())
                && resource.metadata.controller().is_none()
        }
        Some(Purpose::External) => resource.metadata.controller().is_none(),
        None => false,
    };
    state.resources.iter().enumerate().filter(|(_, resource)| is_top(resource)).map(|(node, _)| node).collect()
}

/// Whoever applies from Git by itself.
pub(super) fn appliers(state: &ClusterState) -> Vec<NodeId> {
    let all = state.resources.iter().enumerate();
    all.filter(|(_, resource)| engine::restores(resource)).map(|(node, _)| node).collect()
}

/// Who would make the roots again, and does not go itself.
pub(super) fn restoring(
    state: &ClusterState,
    assessment: &Assessment<'_>,
    roots: &[NodeId],
    going: &BTreeSet<NodeId>,
) -> Vec<NodeId> {
    let edges = roots.iter().flat_map(|root| assessment.graph.up(*root).iter().filter(|edge| edge.node != *root));
    let restores = edges.filter(|edge| match (edge.relation, state.resources.get(edge.node)) {
        (Relation::Applies, Some(above)) => engine::restores(above),
        // A composite makes its parts again, and a set its Applications.
        (Relation::Composes | Relation::Generates, Some(_)) => true,
        _ => false,
    });
    restores.map(|edge| edge.node).filter(|node| !going.contains(node)).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Those, and whoever would start one of them again, each behind who is above it. Applications that a set generates are left to
/// it: what is changed in them, it changes back.
pub(super) fn stopped_in_order(state: &ClusterState, assessment: &Assessment<'_>, restoring: &[NodeId]) -> Vec<NodeId> {
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
        // What suspends an object of Flux is in no manifest, so nobody takes it back; nor what pauses a composite.
        let ResourceKind { group, kind, .. } = &*state.resources[node].kind;
        let is_taken_back = group == "argoproj.io" && matches!(kind.as_str(), "Application" | "ApplicationSet");
        let above = graph.up(node).iter().filter(|edge| is_taken_back && edge.node < state.resources.len());
        let mut is_generated = false;
        for edge in above {
            let generates = edge.relation == Relation::Generates;
            if generates || edge.relation == Relation::Applies && engine::restores(&state.resources[edge.node]) {
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
