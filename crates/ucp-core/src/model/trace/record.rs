//! The part of an object in which its controller records the past: revisions, operations, restarts.

use serde_json::{Map, Value};

use super::references;

/// Paths of records. The first word is the top-level field.
const RECORDS: &[&[&str]] = &[
    &["spec", "revision"],
    &["spec", "stage"],
    &["spec", "freight"],
    &["spec", "nodeName"],
    &["spec", "holderIdentity"],
    &["spec", "acquireTime"],
    &["spec", "leaseTransitions"],
    &["spec", "compositionRef"],
    &["revision"],
    &["roleRef"],
    &["subjects"],
    &["status", "history"],
    &["status", "artifact"],
    &["status", "operationState"],
    &["status", "applicationStatus"],
    &["status", "lastHandledReconcileAt"],
    &["status", "lastAttemptedRevision"],
    &["status", "lastScheduleTime"],
    &["status", "startTime"],
    &["status", "completionTime"],
    &["status", "containerStatuses"],
    &["status", "initContainerStatuses"],
    &["status", "phase"],
    &["status", "message"],
    &["status", "startedAt"],
    &["status", "finishedAt"],
    &["status", "abortedAt"],
    &["status", "health"],
    &["status", "sync"],
    &["status", "appliedResourceRefs"],
    &["status", "lastPromotion"],
    &["status", "freightHistory"],
];

/// Fields of records that take much memory and say nothing about time.
const BULKY: [&str; 10] = [
    "source",
    "sources",
    "comparedTo",
    "syncOptions",
    "imageID",
    "volumeMounts",
    "resources",
    "healthChecks",
    "stepExecutionMetadata",
    "verificationHistory",
];

/// The highest number of entries of a list in a record.
const MOST_ENTRIES: usize = 50;

/// Returns the recorded part of an object, in the structure of the object; null if there is none.
pub(super) fn recorded_part(object: &Value) -> Value {
    let mut kept = Map::new();
    for path in RECORDS {
        let Some(value) = path.iter().try_fold(object, |value, field| value.get(field)) else { continue };
        let value = shortened(value);
        match path {
            [top] => {
                kept.insert((*top).to_owned(), value);
            }
            [top, field, ..] => {
                let below = kept.entry(*top).or_insert_with(|| Value::Object(Map::new()));
                if let Some(below) = below.as_object_mut() {
                    below.insert((*field).to_owned(), value);
                }
            }
            [] => {}
        }
    }
    let images = images(object);
    if !images.is_empty() {
        kept.insert("images".to_owned(), images.into());
    }
    let failed = failed_results(object);
    if !failed.is_empty() {
        kept.insert("failedResults".to_owned(), failed.into());
    }
    if let Some((field, labels)) = selected_labels(object) {
        kept.insert(field.to_owned(), labels.clone());
    }
    let webhooks = object.get("webhooks").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let names: Vec<Value> = webhooks.iter().filter_map(|webhook| webhook.get("name").cloned()).collect();
    if !names.is_empty() {
        kept.insert("webhooks".to_owned(), names.into());
    }
    let references = object.get("spec").map(references::references).unwrap_or_default();
    if !references.is_empty() {
        kept.insert("references".to_owned(), references.into());
    }
    if kept.is_empty() { Value::Null } else { Value::Object(kept) }
}

/// Returns the labels by which a Service selects Pods, or those of the Pods of a workload.
fn selected_labels(object: &Value) -> Option<(&'static str, &Value)> {
    let (field, path) = match object.get("kind")?.as_str()? {
        "Service" => ("selector", "/spec/selector"),
        "Deployment" | "StatefulSet" | "DaemonSet" => ("podLabels", "/spec/template/metadata/labels"),
        _ => return None,
    };
    Some((field, object.pointer(path)?))
}

fn shortened(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(key, _)| !BULKY.contains(&key.as_str()));
            Value::Object(kept.map(|(key, value)| (key.clone(), shortened(value))).collect())
        }
        Value::Array(items) => {
            // Argo CD appends, so that the last entries are the newest; Flux prepends and keeps at most five.
            items.iter().skip(items.len().saturating_sub(MOST_ENTRIES)).map(shortened).collect()
        }
        value => value.clone(),
    }
}

/// Returns the results of the objects that the last sync of an Application could not apply, or whose hooks failed.
fn failed_results(object: &Value) -> Vec<Value> {
    let results = object.pointer("/status/operationState/syncResult/resources").and_then(Value::as_array);
    let has_failed = |result: &&Value| {
        let text = |field: &str| result.get(field).and_then(Value::as_str).unwrap_or_default();
        text("status") == "SyncFailed" || matches!(text("hookPhase"), "Failed" | "Error")
    };
    results.into_iter().flatten().filter(has_failed).take(MOST_ENTRIES).map(shortened).collect()
}

/// Returns the images of a pod template, or of a package.
fn images(object: &Value) -> Vec<Value> {
    let template = object.pointer("/spec/template/spec/containers").and_then(Value::as_array);
    let of_containers = template.into_iter().flatten().filter_map(|container| container.get("image"));
    let of_package = ["/spec/image", "/spec/package"].into_iter().filter_map(|path| object.pointer(path));
    of_containers.chain(of_package).filter(|image| image.is_string()).cloned().collect()
}
