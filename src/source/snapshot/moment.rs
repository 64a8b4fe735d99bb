//! The times that objects speak of.

use jiff::Timestamp;
use serde_json::Value;

/// Fields that say when something happened. Certificates and schedules hold times of the future under other keys.
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

/// Looks for a newer time in an object.
pub(super) fn visit(object: &Value, newest: &mut Option<Timestamp>) {
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
