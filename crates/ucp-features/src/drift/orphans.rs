//! The orphan layer: objects of the core cluster that nothing accounts for, and that would be missing if the cluster
//! were rebuilt from Git.
//!
//! An object is accounted for if an Application (tracking ID or `status.resources`), a Kustomization or HelmRelease
//! (labels and inventory) that exists applied it, if an ownerReference names its owner, if a composite or claim refers
//! to it, if it is a registration by `adopt-cluster`, or if it is one of those that Kubernetes and the engines create
//! themselves (`system.rs` has these rules).

use std::collections::HashSet;

use crate::adopt::record::AdoptionRecord;
use crate::drift::system;
use crate::drift::{DriftChoice, DriftLayer, LayerFindings, ObjectDrift};
use ucp_core::engine::argocd::GROUP as ARGO_GROUP;
use ucp_core::engine::code::Code;
use ucp_core::engine::{self, OwnershipKind};
use ucp_core::graph::link::Relation;
use ucp_core::graph::{Edge, EvidenceSource, Graph, NodeId, NodePresence};
use ucp_core::model::body::argocd::AppProject;
use ucp_core::model::body::{Body, BodyShape, KindRequest};
use ucp_core::model::comparison::Certainty;
use ucp_core::model::glob;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::pattern::ObjectPattern;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, KindIndex, Unreadable};

/// Returns the data to read of a kind that no other layer reads.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    if kind.group == ARGO_GROUP && kind.kind == "AppProject" {
        return Some(KindRequest::all(BodyShape::Project));
    }
    (!system::is_runtime_kind(kind)).then_some(KindRequest::all(BodyShape::Metadata))
}

/// Finds orphans among the chosen objects, except ignored ones.
pub fn orphan_findings(state: &ClusterState, ignored: &[ObjectPattern], is_chosen: &DriftChoice<'_>) -> LayerFindings {
    let mut findings = LayerFindings::default();
    let applies = |resource: &Resource| engine::ownership(&resource.kind) == Some(OwnershipKind::Applies);
    if !state.resources.iter().any(applies) {
        findings.unchecked.push(Unreadable {
            what: "orphans".to_owned(),
            reason: "no Application, Kustomization or HelmRelease was found, so nothing is declared".to_owned(),
        });
        return findings;
    }
    let is_complete = has_read_owners(state);
    let graph = Graph::from_objects_only(state, engine::links);
    let projects = projects(state);
    let mut seen = HashSet::new();
    for (node, resource) in state.resources.iter().enumerate() {
        // Some kinds are served by two groups.
        let uid = &resource.metadata.uid;
        let is_known = !uid.is_empty() && !seen.insert(uid);
        if matches!(resource.body, Body::Event(_)) || is_known || !is_chosen(&resource.name(), None) {
            continue;
        }
        findings.checked += 1;
        if resource.metadata.deletion_timestamp.is_some()
            || system::is_system_object(resource)
            || is_registration(resource)
            || ignored.iter().any(|pattern| ignores(pattern, resource))
            || projects.iter().any(|project| is_ignored_by_project(project, resource))
        {
            continue;
        }
        if let Some((reason, certainty)) = orphan_reason(&graph, node) {
            let mut drift = ObjectDrift::of_object(resource.name(), DriftLayer::Orphan, Code::Orphan, reason);
            drift.since = resource.metadata.creation_timestamp;
            drift.will_be_corrected = Some(false);
            drift.certainty = certainty;
            if !is_complete {
                drift.certainty = Certainty::Unknown;
                drift.message.push_str("; not everything that could declare it was read");
            }
            findings.drifts.push(drift);
        }
    }
    findings
}

/// Returns true if every object that may declare or own others was read. A gap may hide one, unless it is in the list of a
/// kind that owns nothing: a kind that the server does not list may be that of a deployer.
fn has_read_owners(state: &ClusterState) -> bool {
    let owns_nothing = |gap: &Unreadable| state.kinds.iter().any(|kind| gap.is_of(kind) && !engine::may_own(kind));
    state.kind_index == KindIndex::Complete
        && state.kinds.iter().filter(|kind| engine::may_own(kind)).all(|kind| state.was_read(kind))
        && state.unreadable.iter().all(owns_nothing)
}

/// Returns true if `adopt-cluster` created the object: it creates it again in a rebuilt cluster.
fn is_registration(resource: &Resource) -> bool {
    let is_kind = resource.kind.group.is_empty() && matches!(resource.kind.kind.as_str(), "Secret" | "ConfigMap");
    is_kind && AdoptionRecord::read(&resource.metadata).is_some()
}

/// Returns true if a pattern ignores an object. `namespace/NAME` ignores the namespace and its contents.
fn ignores(pattern: &ObjectPattern, resource: &Resource) -> bool {
    let is_namespace = ["namespace", "namespaces", "ns"].iter().any(|name| pattern.kind.eq_ignore_ascii_case(name));
    let in_it = |namespace: &String| pattern.name.as_ref().is_some_and(|name| glob::matches(name, namespace));
    pattern.matches(&resource.kind, &resource.metadata.name)
        || is_namespace && resource.metadata.namespace.as_ref().is_some_and(in_it)
}

/// Returns the reason why nothing accounts for an object, and its certainty; `None` if something does.
fn orphan_reason(graph: &Graph<'_>, node: NodeId) -> Option<(String, Certainty)> {
    let is_wanted = |edge: &Edge| {
        edge.evidence.has(EvidenceSource::OwnerReference)
            || edge.relation == Relation::Composes && edge.evidence.has(EvidenceSource::Upper)
    };
    if graph.up(node).iter().any(is_wanted) {
        return None;
    }
    let Some(applier) = graph.applied_by(node) else {
        return Some(("nothing declares or owns it".to_owned(), Certainty::Certain));
    };
    let name = graph.name(applier)?;
    let found = match graph.node(applier).presence {
        NodePresence::Here(found) => found,
        NodePresence::Missing => {
            let reason = format!("according to its labels, {name} applied it, but {name} does not exist");
            return Some((reason, Certainty::Certain));
        }
        NodePresence::Unread => {
            let reason = format!("according to its labels, {name} applied it, but {name} was not read");
            return Some((reason, Certainty::Unknown));
        }
    };
    // An object that was removed from Git while pruning was off keeps its label, but is not in the inventory.
    let is_listed = |edge: &Edge| edge.node == applier && edge.evidence.has(EvidenceSource::Upper);
    let has_left = engine::lists_all(found) && !graph.up(node).iter().any(is_listed);
    let reason = || format!("{} {} applied it before and no longer lists it", name.kind, name.name);
    has_left.then(|| (reason(), Certainty::Certain))
}

fn projects(state: &ClusterState) -> Vec<&AppProject> {
    let projects = state.resources.iter().filter_map(|resource| match &resource.body {
        Body::Project(project) => Some(project.as_ref()),
        _ => None,
    });
    projects.collect()
}

/// Returns true if an AppProject deploys to an object's namespace and ignores the object, by Argo CD's own rules: an
/// empty kind or name matches any, an empty group the core group.
fn is_ignored_by_project(project: &AppProject, resource: &Resource) -> bool {
    let Some(namespace) = resource.metadata.namespace.as_deref() else { return false };
    let deploys_there = project.destinations.iter().any(|destination| {
        let is_here = destination.is_this_cluster() || destination.server.as_deref() == Some("*");
        is_here && destination.namespace.as_deref().is_some_and(|pattern| glob::matches(pattern, namespace))
    });
    let any = |pattern: &str, text: &str| pattern.is_empty() || glob::matches(pattern, text);
    deploys_there
        && project.ignored_orphans.iter().any(|entry| {
            glob::matches(&entry.group, &resource.kind.group)
                && any(&entry.kind, &resource.kind.kind)
                && any(&entry.name, &resource.metadata.name)
        })
}
