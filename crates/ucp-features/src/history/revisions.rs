//! Revisions: objects that are created for each version of another one, such as ReplicaSets, ControllerRevisions,
//! CompositionRevisions, and revisions of packages.

use std::collections::BTreeMap;

use serde_json::Value;

use super::compare::declared_changes;
use super::occurrence::{ChangeSort, Occurrence};
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;
use ucp_core::model::trace;

/// The number of changed fields that are listed by name.
const LISTED: usize = 3;

/// Returns true if an object is the revision of another one.
pub(super) fn is_revision(resource: &Resource) -> bool {
    trace::is_revision(&resource.kind.kind) && owner(resource).is_some()
}

fn owner(resource: &Resource) -> Option<ObjectName> {
    let owners = &resource.metadata.owner_references;
    let owner = resource.metadata.controller().or_else(|| owners.first())?;
    // A cluster-scoped revision has a cluster-scoped owner.
    Some(owner.object(resource.metadata.namespace.as_deref()))
}

/// Returns one occurrence for each revision, about its owner, with what it changed.
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
                let (changes, (old, new)) = changes(before, revision);
                let what = format!("got revision {}{changes}", name(revision));
                found.push(Occurrence::at(time, owner.clone(), ChangeSort::Deployed, what).with_values(old, new));
            }
            before = Some(revision);
        }
    }
    found
}

/// Returns the fields that a revision changed, as words, and the value of the most important one before and after: the images, or
/// the only field.
fn changes(before: Option<&Resource>, revision: &Resource) -> (String, (Option<String>, Option<String>)) {
    let images = (before.and_then(images), images(revision));
    let traces = before.and_then(|before| Some((before.trace.as_ref()?, revision.trace.as_ref()?)));
    let changed = traces.map(|(before, after)| declared_changes(before, after, strip)).unwrap_or_default();
    let paths: Vec<String> = changed.iter().take(LISTED).map(|(path, ..)| path.to_string()).collect();
    let words = match changed.len() {
        0 => String::new(),
        number if number > LISTED => format!(": {} and {} more fields", paths.join(", "), number - LISTED),
        _ => format!(": {}", paths.join(", ")),
    };
    match changed.as_slice() {
        [(_, old, new)] if images.0 == images.1 => (words, (old.clone(), new.clone())),
        [] | [_] => (words, images),
        // The images are not the values of the fields that are listed.
        _ if images.0 == images.1 => (words, (None, None)),
        _ => (words, images),
    }
}

/// Removes the fields of a revision that differ in each one, whatever changed.
fn strip(declared: &mut Value) {
    let kind = declared.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut remove = |parent: &str, field: &str| {
        if let Some(fields) = declared.pointer_mut(parent).and_then(Value::as_object_mut) {
            fields.remove(field);
        }
    };
    remove("", "revision");
    remove("/spec", "revision");
    if kind == "ReplicaSet" {
        // The number of replicas changes while the revision is rolled out.
        remove("/spec", "replicas");
        remove("/spec", "selector");
        remove("/spec/template/metadata/labels", "pod-template-hash");
        remove("/spec/template/metadata/labels", "rollouts-pod-template-hash");
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;
    use ucp_client::source::snapshot::resources_from_objects;
    use ucp_core::model::body::{BodyShape, KindRequest};
    use ucp_core::model::state::Origin;
    use ucp_core::model::trace::{DeclarationKeeping, TraceRequest};

    use super::*;

    /// Returns the occurrences of two revisions with these specs, with the values before and after.
    fn got(kind: &str, specs: [Value; 2]) -> Vec<String> {
        let mut number = 0;
        let objects = specs.map(|spec| {
            number += 1;
            json!({"apiVersion": "example.org/v1", "kind": kind, "spec": spec, "metadata": {
                "name": format!("a-{number}"), "namespace": "x", "creationTimestamp": format!("2026-11-20T03:0{number}:00Z"),
                "annotations": {"deployment.kubernetes.io/revision": number.to_string()},
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "a", "uid": "1", "controller": true}],
            }})
        });
        let traces = TraceRequest { since: jiff::Timestamp::MIN, declaration: DeclarationKeeping::Dropped };
        let want = KindRequest::all(BodyShape::Conditions).with_traces(traces);
        let resources = resources_from_objects(&objects.each_ref(), &|_| Some(want));
        let empty = ClusterState::empty(Origin::Snapshot { path: String::new() }, jiff::Timestamp::UNIX_EPOCH);
        let line = |one: Occurrence| format!("{} [{:?} {:?}]", one.what, one.before, one.after).replace("Some", "");
        occurrences(&ClusterState { resources, ..empty }).into_iter().map(line).collect()
    }

    #[test]
    fn a_revision_shows_the_fields_that_it_changed() {
        let template = |hash: &str, image: &str, level: &str| {
            json!({"replicas": hash.len(), "selector": {"matchLabels": {"pod-template-hash": hash}}, "template": {
                "metadata": {"labels": {"app": "a", "pod-template-hash": hash}},
                "spec": {"containers": [{"name": "a", "image": image, "env": [
                    {"name": "LEVEL", "value": level}, {"name": "PASSWORD", "value": level}]}]}}})
        };
        let level = got("ReplicaSet", [template("1", "a:1", "low"), template("22", "a:1", "high")]);
        let fields = "spec.template.spec.containers[0].env[0].value, spec.template.spec.containers[0].env[1].value";
        assert_eq!(level[1], format!("got revision 2: {fields} [None None]"));
        let image = got("ReplicaSet", [template("1", "a:1", "low"), template("22", "a:2", "low")]);
        assert_eq!(image[0], "got revision 1 [None (\"a:1\")]");
        assert_eq!(image[1], "got revision 2: spec.template.spec.containers[0].image [(\"a:1\") (\"a:2\")]");
        let composition = |revision: usize, step: &str| json!({"revision": revision, "pipeline": [{"step": step}]});
        let steps = got("CompositionRevision", [composition(1, "one"), composition(2, "two")]);
        assert_eq!(steps[1], "got revision 2: spec.pipeline[0].step [(\"one\") (\"two\")]");
    }
}
