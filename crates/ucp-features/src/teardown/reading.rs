//! The reads that are required before the consequences of a deletion are known.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::admission::DeletionReviewers;
use super::contents::{defined_by, is_revision_alone};
use super::nature::{
    DeletionNature, foreign_finalizer, has_contents, has_effect_of_its_own, is_immortal, is_secret, is_workload,
    nature_of, removes_contents,
};
use super::path::DeletionCascade;
use super::settings::SettingKind;
use super::{accounts, admission, discovery, staying};
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::engine::purpose;
use ucp_core::graph::NodeId;
use ucp_core::model::body::{Body, BodyShape, KindRequest};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::object::ObjectKey;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, KindIndex, Origin, PARTIAL, Unreadable};
use ucp_core::model::webhook::ENDPOINTS;

/// What the garbage collector deletes with a workload and may have something outside, and the objects between the two.
const OWNED_BY_WORKLOADS: [(&str, &str); 6] = [
    ("", "PersistentVolumeClaim"),
    ("", "Service"),
    ("", "Pod"),
    ("apps", "ReplicaSet"),
    ("batch", "Job"),
    ("networking.k8s.io", "Ingress"),
];

/// The definition that a ManagedResourceDefinition owns.
const DEFINITION: (&str, &str) = ("apiextensions.k8s.io", "CustomResourceDefinition");

/// Reads that are required in addition to those of every teardown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequiredReads {
    /// Namespaces whose contents are deleted.
    pub namespaces: BTreeSet<String>,
    /// Kinds by `plural.group`, from definitions that are deleted.
    plurals: BTreeSet<String>,
    /// Kinds by group and name.
    kinds: BTreeSet<(String, String)>,
    /// True if a deleted object may own objects of any kind.
    has_dependents: bool,
}

impl RequiredReads {
    /// Returns the reads for the cascade from these objects, or for the whole core cluster.
    pub(super) fn from_cascade(state: &ClusterState, cascade: &DeletionCascade, roots: Option<&[NodeId]>) -> Self {
        let mut needs = Self::default();
        let mut needed = BTreeSet::new();
        let mut add = |kind: (&str, &str)| {
            if !matches!(state.origin, Origin::Snapshot { .. }) && !state.has_read(kind.0, kind.1) {
                needed.insert((kind.0.to_owned(), kind.1.to_owned()));
            }
        };
        let nodes = cascade.going.keys().chain(cascade.refused.keys()).map(|node| &state.resources[*node]);
        admission::required_kinds(state, nodes.clone()).into_iter().for_each(&mut add);
        if nodes.clone().any(|one| accounts::account_of(state, one).is_some()) {
            add(("", "ServiceAccount"));
        }
        let going = || cascade.going.keys().map(|node| &state.resources[*node]);
        // The garbage collector deletes their dependents, of any kind.
        needs.has_dependents = roots.is_some()
            && !matches!(state.origin, Origin::Snapshot { .. })
            && going().any(|one| purpose(&one.kind).is_some());
        let is_namespace = |one: &&Resource| removes_contents(one);
        needs.kinds.extend(needed);
        let namespaces: BTreeSet<&String> = going().filter(is_namespace).map(|one| &one.metadata.name).collect();
        for node in cascade.going.keys() {
            let resource = &state.resources[*node];
            // The kinds that only the revision owns are deleted with it.
            if is_revision_alone(state, *node, &cascade.going) {
                needs.kinds.insert((DEFINITION.0.to_owned(), DEFINITION.1.to_owned()));
            }
            match nature_of(&resource.kind) {
                // Nothing in it is deleted.
                DeletionNature::Namespace if is_immortal(resource) => {}
                DeletionNature::Namespace => {
                    needs.namespaces.insert(resource.metadata.name.clone());
                }
                DeletionNature::Definition => {
                    needs.plurals.insert(resource.metadata.name.clone());
                }
                DeletionNature::CompositeDefinition => needs.plurals.extend(defined_by(resource)),
                DeletionNature::ManagedDefinition => {
                    let (group, kind) = DEFINITION;
                    needs.kinds.insert((group.to_owned(), kind.to_owned()));
                }
                DeletionNature::Setting(SettingKind::Runtime) => {
                    needs.kinds.insert(("pkg.crossplane.io".to_owned(), "ImageConfig".to_owned()));
                }
                DeletionNature::VolumeClaim => {
                    needs.kinds.insert((String::new(), "PersistentVolume".to_owned()));
                    // The Pods of a namespace are deleted with it.
                    if resource.metadata.namespace.as_ref().is_none_or(|name| !namespaces.contains(name)) {
                        needs.kinds.insert((String::new(), "Pod".to_owned()));
                    }
                }
                DeletionNature::Inert if is_workload(&resource.kind) => {
                    needs.kinds.extend(OWNED_BY_WORKLOADS.map(|(group, kind)| (group.to_owned(), kind.to_owned())));
                }
                _ => {}
            }
        }
        let unread = cascade.unread.iter();
        // Workloads delete what they own, and the Pods that use a claim.
        let telling = unread.filter(|key| {
            let kind = ResourceKind::guess(&key.group, &key.kind);
            nature_of(&kind) != DeletionNature::Inert || is_workload(&kind)
        });
        needs.kinds.extend(telling.map(|key| (key.group.clone(), key.kind.clone())));
        needs
    }

    /// Returns the data to read of this kind, if all of its objects are required.
    pub fn want(&self, kind: &ResourceKind) -> Option<KindRequest> {
        let is_needed = self.plurals.contains(&kind.qualified_plural())
            || self.kinds.iter().any(|(group, name)| kind.group == *group && kind.kind == *name)
            || self.has_dependents && has_effect_of_its_own(kind);
        is_needed.then(|| want_contents(kind))
    }

    /// Returns the data to read of this kind from deleted namespaces. An object of any kind may have a finalizer, except an
    /// Event.
    pub fn want_in_namespaces(&self, kind: &ResourceKind) -> Option<KindRequest> {
        (kind.scope == ResourceScope::Namespaced && kind.kind != "Event").then(|| want_contents(kind))
    }
}

/// Retains the contents of a namespace whose deletion may have a consequence besides that they are gone, or may be refused. One
/// object of each other kind shows that.
pub fn retain_consequential(state: &ClusterState, contents: &mut Vec<Resource>) {
    let reviewers = DeletionReviewers::from_state(state);
    let mut refused = BTreeSet::new();
    contents.retain(|one| {
        let may_be_refused = || reviewers.review(one).is_some();
        has_consequence(one)
            || !refused.contains(&one.kind) && may_be_refused() && refused.insert(Arc::clone(&one.kind))
    });
}

/// Returns true if the deletion of an object may have a consequence besides that it is gone: by its kind, or by a finalizer.
fn has_consequence(resource: &Resource) -> bool {
    nature_of(&resource.kind) != DeletionNature::Inert || foreign_finalizer(&resource.metadata.finalizers).is_some()
}

/// Returns the deleted objects that were not read, so that the effect is unknown: those of unread kinds, and those that a
/// snapshot does not have, which may have been taken of some objects only. A live list shows that they do not exist.
pub(super) fn unread_consequences(state: &ClusterState, cascade: &DeletionCascade) -> Vec<Unreadable> {
    let is_snapshot = matches!(state.origin, Origin::Snapshot { .. });
    let was_read = |key: &ObjectKey| state.kinds.iter().any(|kind| kind.group == key.group && kind.kind == key.kind);
    let is_of = |key: &ObjectKey, kind: &ResourceKind| kind.group == key.group && kind.kind == key.kind;
    // Crossplane makes it again, with all that it composes.
    let is_composite = |key: &ObjectKey| {
        state.kinds.iter().any(|kind| is_of(key, kind) && role(kind) == Some(CrossplaneRole::Composite))
    };
    let is_telling = |key: &&ObjectKey| {
        nature_of(&ResourceKind::guess(&key.group, &key.kind)) != DeletionNature::Inert
            && (is_snapshot || !was_read(key) || is_composite(key))
    };
    let entry = |key: &ObjectKey| {
        let missing = match (was_read(key), is_snapshot) {
            (true, true) => "it is not in the snapshot",
            (true, false) => "no list contains it",
            (false, _) => "its kind is not served or could not be read",
        };
        Unreadable { what: key.to_string(), reason: format!("it is also deleted, but {missing}") }
    };
    let going = || cascade.going.keys().map(|node| &state.resources[*node]);
    let elsewhere = going().filter_map(|one| unseen_contents(state, one));
    let defines = |one: &&Resource| nature_of(&one.kind) == DeletionNature::ManagedDefinition;
    let definitions = going().filter(defines).filter(|_| !state.has_read(DEFINITION.0, DEFINITION.1));
    let definitions = definitions.map(|one| Unreadable {
        what: format!("CustomResourceDefinition {}", one.metadata.name),
        reason: format!("{} owns it, and it could not be read", one.name()),
    });
    let contents = going().filter(|one| state.kind_index == KindIndex::Absent && is_deleted_with_contents(one));
    let contents =
        contents.map(|one| Unreadable { what: format!("the objects of {}", one.name()), reason: PARTIAL.to_owned() });
    let unread = cascade.unread.iter().filter(is_telling).map(entry);
    let accounts = going().filter_map(|one| accounts::unread_account(state, one));
    let unread = unread.chain(elsewhere).chain(definitions).chain(contents).chain(accounts);
    unread.chain(admission::unread_configurations(state)).collect()
}

/// Returns true for objects with which all objects of a namespace or of a definition are deleted.
fn is_deleted_with_contents(resource: &Resource) -> bool {
    has_contents(&resource.kind) && !is_immortal(resource)
}

/// Returns the objects that a deployer deletes and that were not read: those of another cluster, and those of a Helm release
/// without an inventory.
fn unseen_contents(state: &ClusterState, deployer: &Resource) -> Option<Unreadable> {
    if staying::unpruned_by(state, deployer).is_some() {
        return None;
    }
    let (place, count) = match &deployer.body {
        Body::Application(body) if !body.spec.destination.is_this_cluster() => {
            let cluster = body.spec.destination.cluster().unwrap_or("another cluster");
            (format!("in cluster {cluster}"), Some(body.status.resources.len()))
        }
        Body::Flux(flux) => {
            let remote = flux.spec.kube_config.as_ref().map(|_| "in the cluster of its kubeconfig".to_owned());
            let count = flux.status.inventory.as_ref().map(|inventory| inventory.entries.len());
            let is_release = deployer.kind.kind == "HelmRelease" && count.is_none();
            (remote.or_else(|| is_release.then(|| "of its Helm release".to_owned()))?, count)
        }
        _ => return None,
    };
    if count == Some(0) {
        return None;
    }
    let count = count.map_or_else(|| "objects".to_owned(), |count| format!("{count} objects"));
    Some(Unreadable {
        what: format!("{count} {place}"),
        reason: format!("{} also deletes them, but they were not read", deployer.name()),
    })
}

/// Returns the data to read of a kind in a snapshot, of which a live cluster is requested for less: Secrets by name, what is
/// behind webhooks only if they are called, and what any object may own only if one is deleted that may.
pub fn want_in_snapshot(kind: &ResourceKind) -> Option<KindRequest> {
    match (kind.group.as_str(), kind.kind.as_str()) {
        _ if is_secret(kind) => Some(KindRequest::all(BodyShape::Secret)),
        _ if discovery::is_api_service(kind) => Some(KindRequest::all(BodyShape::Conditions)),
        ("", "Service" | "ServiceAccount") => Some(want_contents(kind)),
        of if of == ENDPOINTS => Some(want_contents(kind)),
        // Objects that are deleted may own them.
        _ => has_effect_of_its_own(kind).then(|| want_contents(kind)),
    }
}

/// Returns the data to read of a kind that no engine reads: whole objects if their fields matter, else only the
/// metadata.
pub fn want_contents(kind: &ResourceKind) -> KindRequest {
    match nature_of(kind) {
        DeletionNature::VolumeClaim
        | DeletionNature::Volume
        | DeletionNature::Service
        | DeletionNature::Ingress
        | DeletionNature::CompositeDefinition
        | DeletionNature::Setting(_) => KindRequest::whole(BodyShape::Conditions),
        _ if (kind.group.as_str(), kind.kind.as_str()) == ENDPOINTS => KindRequest::whole(BodyShape::Conditions),
        _ if kind.group.is_empty() && kind.kind == "Pod" => KindRequest::whole(BodyShape::Conditions),
        _ => KindRequest::all(BodyShape::Metadata),
    }
}
