//! Finds the newest time in objects.

use jiff::{SignedDuration, Timestamp};
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

/// Clocks of servers differ; later times are invalid.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(5);

/// Updates `newest` with the times in an object that are not in the future.
pub(super) fn update_newest(object: &Value, newest: &mut Option<Timestamp>) {
    let now = Timestamp::now();
    let latest = now.saturating_add(CLOCK_SKEW).unwrap_or(now);
    for part in ["metadata", "status"] {
        if let Some(value) = object.get(part) {
            visit_value(value, latest, newest);
        }
    }
}

fn visit_value(value: &Value, latest: Timestamp, newest: &mut Option<Timestamp>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| match value {
            Value::String(text) if MOMENTS.contains(&key.as_str()) => {
                *newest = (*newest).max(text.parse().ok().filter(|time| *time <= latest));
            }
            value => visit_value(value, latest, newest),
        }),
        Value::Array(items) => items.iter().for_each(|item| visit_value(item, latest, newest)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_time_in_the_future_is_not_the_newest_one() {
        let object = json!({"metadata": {"creationTimestamp": "2020-01-01T00:00:00Z"},
            "status": {"conditions": [{"lastTransitionTime": "2999-01-01T00:00:00Z"}]}});
        let mut newest = None;
        update_newest(&object, &mut newest);
        assert_eq!(newest.unwrap().to_string(), "2020-01-01T00:00:00Z");
    }
}
