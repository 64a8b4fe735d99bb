//! The objects that are deleted along with others.

use std::collections::{BTreeMap, BTreeSet};

use super::contents::{contents_of, installed_objects, is_deleted_with_package};
use super::is_provider;
use serde_json::Value;
use ucp_core::engine::crossplane::usage::{DELETION_ATTEMPT, is_usage, selects};
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::engine::{self, Assessment, ExternalRole, purpose};
use ucp_core::graph::link::Relation;
use ucp_core::graph::{Edge, Graph, NodeId, NodeIdentity};
use ucp_core::model::body::Body;
use ucp_core::model::body::argocd::has_sync_option;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// The path by which a deletion reaches an object.
#[derive(Debug, Clone, Default)]
pub(super) struct DeletionPath {
    /// The object on the path that an Application or Kustomization applied, which has the sync wave.
    pub(super) applied: Option<NodeId>,
    /// The deployer that applied it.
    pub(super) by: Option<NodeId>,
    /// The provider that is deleted first and leaves the object behind.
    pub(super) deserted_by: Option<NodeId>,
}

/// The objects that are deleted, and those that remain although their owner is deleted.
#[derive(Debug, Default)]
pub(super) struct DeletionCascade {
    pub(super) going: BTreeMap<NodeId, DeletionPath>,
    pub(super) kept: BTreeMap<NodeId, String>,
    /// Objects that are deleted and whose kinds were not read.
    pub(super) unread: BTreeSet<ObjectKey>,
}

/// Returns all objects that are deleted along with the roots.
pub(super) fn cascade_from(state: &ClusterState, assessment: &Assessment<'_>, roots: &[NodeId]) -> DeletionCascade {
    let graph: &Graph<'_> = &assessment.graph;
    let mut cascade = DeletionCascade::default();
    let mut open: Vec<(NodeId, DeletionPath)> = roots.iter().map(|root| (*root, DeletionPath::default())).collect();
    // An object that a provider leaves behind may also be deleted by another path, which takes precedence.
    let mut left_behind: Vec<(NodeId, DeletionPath)> = Vec::new();
    while let Some((node, way)) = open.pop().or_else(|| left_behind.pop()) {
        if node >= state.resources.len() || cascade.going.contains_key(&node) {
            continue;
        }
        let resource = &state.resources[node];
        cascade.kept.remove(&node);
        cascade.going.insert(node, way.clone());
        open.extend(contents_of(state, resource).into_iter().map(|child| (child, way.clone())));
        for edge in graph.down(node) {
            let Some(child) = graph.resource(edge.node).filter(|_| edge.node < state.resources.len()) else {
                cascade.unread.extend(unread_object(graph, resource, edge));
                continue;
            };
            match edge.relation {
                Relation::Composes | Relation::Generates => open.push((edge.node, way.clone())),
                Relation::Owns => match remaining_owner(state, graph, edge.node, child, &cascade.going) {
                    None => open.push((edge.node, way.clone())),
                    Some(_) if cascade.going.contains_key(&edge.node) => {}
                    Some(owner) => {
                        cascade.kept.insert(edge.node, format!("{owner} owns it, too"));
                    }
                },
                Relation::Applies => match reason_to_remain(resource, child) {
                    None => open.push((
                        edge.node,
                        DeletionPath { applied: Some(edge.node), by: Some(node), deserted_by: None },
                    )),
                    Some(_) if cascade.going.contains_key(&edge.node) => {}
                    Some(why) => {
                        cascade.kept.insert(edge.node, why);
                    }
                },
                _ => {}
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
        if is_usage(&resource.kind) {
            open.extend(replayed_deletions(state, resource).into_iter().map(|used| (used, way.clone())));
        }
        if is_provider(resource) {
            let lost = graph.up(node).iter().filter(|edge| edge.relation == Relation::ReconciledBy);
            let way = || DeletionPath { deserted_by: Some(node), ..DeletionPath::default() };
            left_behind.extend(lost.map(|edge| (edge.node, way())));
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

/// Returns the key of an object that is deleted with another one and was not read.
fn unread_object(graph: &Graph<'_>, by: &Resource, edge: &Edge) -> Option<ObjectKey> {
    let NodeIdentity::Object(key) = graph.node(edge.node).thing else { return None };
    match edge.relation {
        Relation::Composes | Relation::Generates => Some(key),
        Relation::Applies if engine::orphaning_reason(by).is_some() => None,
        Relation::Applies if matches!(by.body, Body::Application(_)) && is_definition(&key.group, &key.kind) => None,
        Relation::Applies => Some(key),
        _ => None,
    }
}

fn is_definition(group: &str, kind: &str) -> bool {
    group == "apiextensions.k8s.io" && kind == "CustomResourceDefinition"
}

/// Returns the reason why an applied object remains when its deployer is deleted.
fn reason_to_remain(by: &Resource, child: &Resource) -> Option<String> {
    if let Some(why) = engine::orphaning_reason(by) {
        return Some(why);
    }
    let kept_by_helm = || {
        let is_kept = child.metadata.annotation(KEEP).is_some_and(|policy| policy.trim() == "keep");
        is_kept.then(|| format!("annotation {KEEP} is keep"))
    };
    match &by.body {
        Body::Application(_) if has_sync_option(&child.metadata, "Delete=false") => {
            Some("sync option Delete=false".to_owned())
        }
        // `shouldBeDeleted` of its controller.
        Body::Application(_) if is_definition(&child.kind.group, &child.kind.kind) => {
            Some("Argo CD does not delete CustomResourceDefinitions with their Application".to_owned())
        }
        Body::Application(_) => kept_by_helm().or_else(|| other_application(by, child)),
        Body::Flux(_) if by.kind.kind == "HelmRelease" => kept_by_helm(),
        Body::Flux(_) => {
            FLUX_KEEPS.iter().find_map(|key| disabled_mark(child, key)).or_else(|| other_kustomization(by, child))
        }
        _ => None,
    }
}

/// Returns the reason why an object of another Application remains: Argo CD deletes the objects that it tracks
/// (`docs/user-guide/resource_tracking.md`).
fn other_application(by: &Resource, child: &Resource) -> Option<String> {
    const TRACKING: &str = "argocd.argoproj.io/tracking-id";
    let tracked_by = child.metadata.annotation(TRACKING)?.split(':').next()?;
    // An Application outside of Argo CD's namespace has both names.
    let is_its = tracked_by == by.metadata.name || tracked_by.ends_with(&format!("_{}", by.metadata.name));
    (!is_its).then(|| format!("annotation {TRACKING} names Application {tracked_by}"))
}

/// Returns the reason why an object of another Kustomization remains: kustomize-controller deletes objects with its own
/// labels.
fn other_kustomization(by: &Resource, child: &Resource) -> Option<String> {
    let label = |name: &str| child.metadata.label(&format!("kustomize.toolkit.fluxcd.io/{name}"));
    let (name, namespace) = (label("name")?, label("namespace")?);
    let is_its = name == by.metadata.name && Some(namespace) == by.metadata.namespace.as_deref();
    (!is_its).then(|| format!("its labels name Kustomization {namespace}/{name}"))
}

/// Annotation of objects that Helm keeps in the cluster, and Argo CD too.
const KEEP: &str = "helm.sh/resource-policy";
/// Labels or annotations of objects that Flux's garbage collection skips.
const FLUX_KEEPS: [&str; 2] = ["kustomize.toolkit.fluxcd.io/prune", "kustomize.toolkit.fluxcd.io/reconcile"];

fn disabled_mark(resource: &Resource, key: &str) -> Option<String> {
    let is_disabled = |value: Option<&str>| value.is_some_and(|value| value.eq_ignore_ascii_case("disabled"));
    if is_disabled(resource.metadata.annotation(key)) {
        return Some(format!("annotation {key} is disabled"));
    }
    is_disabled(resource.metadata.label(key)).then(|| format!("label {key} is disabled"))
}

/// Returns all objects that a core cluster creates, and those that it needs to create them.
pub(super) fn whole_cluster(state: &ClusterState) -> DeletionCascade {
    let is_part = |resource: &Resource| {
        purpose(&resource.kind).is_some()
            || matches!(role(&resource.kind), Some(CrossplaneRole::ProviderConfig | CrossplaneRole::Package))
            || is_usage(&resource.kind)
    };
    let going = state.resources.iter().enumerate().filter(|(_, resource)| is_part(resource));
    DeletionCascade {
        going: going.map(|(node, _)| (node, DeletionPath::default())).collect(),
        ..DeletionCascade::default()
    }
}

/// Returns the objects that are deleted by hand: claims, composites without a claim, and managed resources that are not
/// part of a composite.
pub(super) fn top_level_objects(state: &ClusterState) -> Vec<NodeId> {
    let is_top = |resource: &Resource| match purpose(&resource.kind) {
        Some(ExternalRole::Claim) => true,
        Some(ExternalRole::Composite) => {
            !matches!(&resource.body, Body::Crossplane(body) if body.claim.is_some())
                && resource.metadata.controller().is_none()
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
    restores.map(|edge| edge.node).filter(|node| !going.contains(node)).collect::<BTreeSet<_>>().into_iter().collect()
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
