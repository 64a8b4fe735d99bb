//! Finds the newest time in objects.

use jiff::Timestamp;
use serde_json::Value;

/// Fields with times of past events. Certificates and schedules have future times in other fields.
const MOMENTS: [&str; 9] = [
    "creationTimestamp",
    "deletionTimestamp",
    "deployedAt",
    "finishedAt",
    "lastHandledReconcileAt",
    "lastTransitionTime",
    "lastUpdateTime",
    "reconciledAt",
    "startedAt",
];

/// Updates `newest` with the times in an object.
pub(super) fn update_newest(object: &Value, newest: &mut Option<Timestamp>) {
    for part in ["metadata", "status"] {
        if let Some(value) = object.get(part) {
            visit_value(value, newest);
        }
    }
}

fn visit_value(value: &Value, newest: &mut Option<Timestamp>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| match value {
            Value::String(text) if MOMENTS.contains(&key.as_str()) => *newest = (*newest).max(text.parse().ok()),
            value => visit_value(value, newest),
        }),
        Value::Array(items) => items.iter().for_each(|item| visit_value(item, newest)),
        _ => {}
    }
}
