//! Grounds of plan lines: the lists of the core cluster that contain declarations, and the lists of an app cluster that
//! contain uses of Secrets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::app::{AppClusterReading, ListCoverage};
use super::intent::{CopyIntent, DECLARING};
use crate::adopt::names::NamespacedName;
use crate::adopt::secrets::{CONSUMERS, MAKERS};
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::model::grounds::{GroundsEvidence, ListReading};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::{ClusterState, Unreadable};

/// Group and kind of CustomResourceDefinitions.
pub const DEFINITIONS: (&str, &str) = ("apiextensions.k8s.io", "CustomResourceDefinition");

/// Coverage of the declarations in the core cluster.
#[derive(Debug, Default)]
pub struct DeclarationsRead {
    /// Evidence that all served kinds that declare copies and all provider configs were read. Required for writes.
    pub read: GroundsEvidence,
    /// Evidence that no other declarations exist: no such kind is defined without being served. Required for deletions.
    pub absent: GroundsEvidence,
    /// Served kinds that declare copies.
    pub kinds: Vec<Arc<ResourceKind>>,
    /// Names of all objects read of these kinds, as formatted by [`ObjectName`].
    pub objects: BTreeSet<String>,
    uids: BTreeMap<ObjectName, String>,
}

impl DeclarationsRead {
    /// Collects the coverage of a cluster state with the given declarations.
    pub fn new(state: &ClusterState, intents: &[CopyIntent]) -> Self {
        let mut read = GroundsEvidence::new();
        for (group, kind, _) in DECLARING {
            read.require_list(state, None, group, kind);
        }
        let configs = state.kinds.iter().filter(|kind| role(kind) == Some(CrossplaneRole::ProviderConfig));
        read.require_kinds(state, configs.map(AsRef::as_ref));
        // A provider's group that could not be discovered may contain the provider config that uses a Secret as its
        // credentials. Kubernetes' own aggregated groups contain none.
        let hidden = state.unreadable.iter().filter(|entry| {
            let group = entry.what.split_once('/').map(|(group, _)| group);
            !entry.what.contains(' ') && group.is_some_and(|group| group.contains('.') && !group.ends_with(".k8s.io"))
        });
        for entry in hidden {
            read.add_gap(entry.clone());
        }
        let mut absent = read.clone();
        for (group, kind, plural) in DECLARING {
            if let Some(gap) = undefined(state, group, kind, plural) {
                absent.add_gap(gap);
            }
        }
        let is_declaring =
            |kind: &ResourceKind| DECLARING.iter().any(|(group, name, _)| *group == kind.group && *name == kind.kind);
        let names = |resource: &ucp_core::model::resource::Resource| resource.name();
        let declared: BTreeSet<&ObjectName> = intents.iter().map(|intent| &intent.declarer.object).collect();
        let objects = state.resources.iter().filter(|resource| is_declaring(&resource.kind));
        let uids = objects.clone().map(|one| (one.name(), one.metadata.uid.to_string()));
        Self {
            read,
            absent,
            kinds: state.kinds.iter().filter(|kind| is_declaring(kind)).cloned().collect(),
            objects: objects.map(|one| names(one).to_string()).collect(),
            uids: uids.filter(|(name, _)| declared.contains(name)).collect(),
        }
    }

    /// Adds the objects that declare the given copies as evidence.
    pub fn add_declarers(&self, evidence: &mut GroundsEvidence, intents: &[CopyIntent]) {
        for intent in intents.iter().filter(|intent| !intent.declarer.by.is_elsewhere()) {
            let object = &intent.declarer.object;
            evidence.add_object(object, self.uids.get(object).map(String::as_str).unwrap_or_default());
        }
    }
}

/// Returns the reason why a kind that is not served may still have objects: it is defined, or its definition was not
/// queried. Discovery omits a group for a moment while its definition changes or its server restarts.
fn undefined(state: &ClusterState, group: &str, kind: &str, plural: &str) -> Option<Unreadable> {
    if state.list_reading(group, kind) != ListReading::NotServed {
        return None;
    }
    let what = format!("{plural}.{group}");
    let reason = match state.list_reading(DEFINITIONS.0, DEFINITIONS.1) {
        ListReading::Complete => {
            let is_defined = state.resources.iter().any(|resource| {
                resource.kind.group == DEFINITIONS.0
                    && resource.kind.kind == DEFINITIONS.1
                    && resource.metadata.name == what
            });
            if !is_defined {
                return None;
            }
            "it is defined, but missing from discovery".to_owned()
        }
        ListReading::NotServed => "it is missing from discovery, and its definition was not read".to_owned(),
        ListReading::Incomplete(entry) => {
            format!("it is missing from discovery, and {} could not be read: {}", entry.what, entry.reason)
        }
    };
    Some(Unreadable { what, reason })
}

/// Returns evidence that all uses of Secrets in a namespace of an app cluster were read.
pub fn demand_evidence(cluster: &str, reading: &AppClusterReading, namespace: &str) -> GroundsEvidence {
    let kinds = CONSUMERS.into_iter().chain(MAKERS);
    let mut evidence = coverage_evidence(cluster, reading, namespace, kinds);
    for gap in &reading.unread_customs {
        evidence.add_gap(gap.clone());
    }
    evidence
}

/// Returns evidence that nothing else in a namespace of an app cluster creates a Secret.
pub fn maker_evidence(cluster: &str, reading: &AppClusterReading, namespace: &str) -> GroundsEvidence {
    coverage_evidence(cluster, reading, namespace, MAKERS)
}

fn coverage_evidence(
    cluster: &str,
    reading: &AppClusterReading,
    namespace: &str,
    kinds: impl IntoIterator<Item = (&'static str, &'static str, &'static str, &'static str)>,
) -> GroundsEvidence {
    let mut evidence = GroundsEvidence::new();
    for (group, _, plural, _) in kinds {
        let name = if group.is_empty() { plural.to_owned() } else { format!("{plural}.{group}") };
        match reading.coverage.get(&name) {
            Some(ListCoverage::Everywhere | ListCoverage::NotServed) => {
                evidence.add_list(format!("{name} in {cluster}"))
            }
            Some(ListCoverage::In(namespaces)) if namespaces.contains(namespace) => {
                evidence.add_list(format!("{name} -n {namespace} in {cluster}"))
            }
            Some(ListCoverage::Missing(reason)) => {
                evidence.add_gap(Unreadable { what: format!("{name} of cluster {cluster}"), reason: reason.clone() })
            }
            Some(ListCoverage::In(_)) | None => evidence.add_gap(Unreadable {
                what: format!("{name} -n {namespace} of cluster {cluster}"),
                reason: "that namespace was not read".to_owned(),
            }),
        };
    }
    evidence
}

/// Adds evidence that a Secret in an app cluster was looked up, with its UID if it exists.
pub fn add_place(evidence: &mut GroundsEvidence, cluster: &str, reading: &AppClusterReading, target: &NamespacedName) {
    match reading.secrets.get(target) {
        Some(copy) => {
            evidence.add_object(&target.secret(), &copy.metadata.uid.to_string());
        }
        None => match reading.denied.get(target).or(reading.gap.as_ref()) {
            Some(reason) => {
                let what = format!("{} of cluster {cluster}", target.secret());
                evidence.add_gap(Unreadable { what, reason: reason.clone() });
            }
            None => {
                evidence.add_list(format!("{} in {cluster}", target.secret()));
            }
        },
    }
}
