//! Usages: the objects that they protect, and refused deletions.

use serde_json::Value;

use crate::engine::code::Code;
use crate::engine::judgement::{JudgedObject, Judgement, Problem};
use crate::model::body::Body;
use crate::model::kind::ResourceKind;
use crate::model::object::group_of;
use crate::model::resource::Resource;

/// Annotation that the Usage webhook sets on a protected object when it refuses a deletion. It is never removed.
pub const DELETION_ATTEMPT: &str = "usage.crossplane.io/deletion-attempt-with-policy";

/// Returns true if objects of a kind are Usages. Crossplane 1 has them in another group.
pub fn is_usage(kind: &ResourceKind) -> bool {
    let groups = ["protection.crossplane.io", "apiextensions.crossplane.io"];
    groups.contains(&kind.group.as_str()) && matches!(kind.kind.as_str(), "Usage" | "ClusterUsage")
}

/// Returns the group and kind of one side of a Usage.
pub fn kind_of(end: &Value) -> (&str, &str) {
    let text = |field: &str| end.get(field).and_then(Value::as_str).unwrap_or_default();
    (group_of(text("apiVersion")), text("kind"))
}

/// Returns true if one side of a Usage selects an object, by name or by labels.
pub fn selects(end: &Value, resource: &Resource, usage: &Resource) -> bool {
    let text = |pointer: &str| end.pointer(pointer).and_then(Value::as_str);
    let is_kind = kind_of(end) == (&*resource.kind.group, &*resource.kind.kind);
    let namespace = text("/resourceRef/namespace").or(usage.metadata.namespace.as_deref());
    let is_there = resource.metadata.namespace.is_none()
        || namespace.is_none_or(|name| resource.metadata.namespace.as_deref() == Some(name));
    let is_named = text("/resourceRef/name") == Some(&resource.metadata.name);
    let labels = end.pointer("/resourceSelector/matchLabels").and_then(Value::as_object);
    let is_labelled = labels.is_some_and(|labels| {
        !labels.is_empty() && labels.iter().all(|(key, value)| resource.metadata.label(key) == value.as_str())
    });
    is_kind && is_there && (is_named || is_labelled)
}

/// Adds the refused deletions to the judgements of Usages.
pub(super) fn add_refused_deletions(judged: &mut [JudgedObject<'_>]) {
    let attempted = |entry: &&JudgedObject<'_>| entry.resource.metadata.annotation(DELETION_ATTEMPT).is_some();
    let wanted: Vec<&Resource> = judged.iter().filter(attempted).map(|entry| entry.resource).collect();
    if wanted.is_empty() {
        return;
    }
    for entry in judged.iter_mut().filter(|entry| is_usage(&entry.resource.kind)) {
        let Body::Any(any) = &entry.resource.body else { continue };
        let Some(of) = any.spec.get("of") else { continue };
        let refused = wanted.iter().filter(|object| selects(of, object, entry.resource));
        let problems: Vec<Problem> = refused
            .map(|object| {
                let message = format!("there was an attempt to delete {}, which it protects", object.name());
                Problem::new(Code::UsageBlocks, None, message)
            })
            .collect();
        if !problems.is_empty() && entry.resource.metadata.deletion_timestamp.is_none() {
            let judged = std::mem::replace(&mut entry.judgement, Judgement::ok(None));
            let all = judged.problems.iter().cloned().chain(problems).collect();
            entry.judgement = Judgement::worst(all, judged);
        }
    }
}
