//! Revisions: objects that are created for each version of another one, such as ReplicaSets, ControllerRevisions,
//! CompositionRevisions, and revisions of packages.

use std::collections::BTreeMap;

use super::occurrence::{ChangeSort, Occurrence};
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// Returns true if an object is the revision of another one.
pub(super) fn is_revision(resource: &Resource) -> bool {
    let kind = resource.kind.kind.as_str();
    (kind == "ReplicaSet" || (kind.len() > "Revision".len() && kind.ends_with("Revision"))) && owner(resource).is_some()
}

fn owner(resource: &Resource) -> Option<ObjectName> {
    let owners = &resource.metadata.owner_references;
    let owner = resource.metadata.controller().or_else(|| owners.first())?;
    // A cluster-scoped revision has a cluster-scoped owner.
    Some(owner.object(resource.metadata.namespace.as_deref()))
}

/// Returns one occurrence for each revision, about its owner, with the images before and after.
pub(super) fn occurrences(state: &ClusterState) -> Vec<Occurrence> {
    let mut revisions: BTreeMap<ObjectName, Vec<&Resource>> = BTreeMap::new();
    for resource in state.resources.iter().filter(|resource| is_revision(resource)) {
        if let Some(owner) = owner(resource) {
            revisions.entry(owner).or_default().push(resource);
        }
    }
    let mut found = Vec::new();
    for (owner, mut own) in revisions {
        own.sort_by_key(|revision| revision.metadata.creation_timestamp);
        let mut before: Option<&Resource> = None;
        for revision in own {
            if let Some(time) = revision.metadata.creation_timestamp {
                let what = format!("got revision {}", name(revision));
                let deployed = Occurrence::at(time, owner.clone(), ChangeSort::Deployed, what);
                found.push(deployed.with_values(before.and_then(images), images(revision)));
            }
            before = Some(revision);
        }
    }
    found
}

/// Returns the number of a revision, or else its name.
fn name(revision: &Resource) -> String {
    let record = revision.trace.as_ref().map(|trace| &trace.record);
    let number = record.and_then(|record| record.pointer("/spec/revision").or_else(|| record.get("revision")));
    let annotation = revision.metadata.annotation("deployment.kubernetes.io/revision").map(str::to_owned);
    let number = number.filter(|number| number.is_number()).map(ToString::to_string);
    annotation.or(number).unwrap_or_else(|| revision.metadata.name.clone())
}

fn images(revision: &Resource) -> Option<String> {
    let images = revision.trace.as_ref()?.record.get("images")?.as_array()?;
    let images: Vec<&str> = images.iter().filter_map(serde_json::Value::as_str).collect();
    (!images.is_empty()).then(|| images.join(", "))
}
