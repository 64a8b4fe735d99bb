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
/// Paths of other times of past events: of Events, and of Leases.
const OTHER_MOMENTS: [&str; 6] = [
    "/firstTimestamp",
    "/lastTimestamp",
    "/eventTime",
    "/series/lastObservedTime",
    "/spec/acquireTime",
    "/spec/renewTime",
];

/// Clocks of servers differ; later times are invalid.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(5);

/// The newest times in objects.
#[derive(Debug, Default)]
pub(super) struct NewestTimes {
    past: Option<Timestamp>,
    any: Option<Timestamp>,
}

impl NewestTimes {
    /// Adds the times in an object.
    pub(super) fn add(&mut self, object: &Value) {
        let now = Timestamp::now();
        let latest = now.saturating_add(CLOCK_SKEW).unwrap_or(now);
        for part in ["metadata", "status"] {
            if let Some(value) = object.get(part) {
                self.visit(value, latest);
            }
        }
        let writers = object.pointer("/metadata/managedFields").and_then(Value::as_array);
        let written = writers.into_iter().flatten().filter_map(|writer| writer.get("time"));
        let others = OTHER_MOMENTS.iter().filter_map(|path| object.pointer(path));
        others.chain(written).filter_map(Value::as_str).for_each(|text| self.see(text, latest));
    }

    fn see(&mut self, text: &str, latest: Timestamp) {
        let time = text.parse().ok();
        self.any = self.any.max(time);
        self.past = self.past.max(time.filter(|time| *time <= latest));
    }

    /// Returns the newest time that is not in the future, or of all if the clock of the cluster is ahead.
    pub(super) fn moment(&self) -> Option<Timestamp> {
        self.past.or(self.any)
    }

    fn visit(&mut self, value: &Value, latest: Timestamp) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(key, value)| match value {
                Value::String(text) if MOMENTS.contains(&key.as_str()) => self.see(text, latest),
                value => self.visit(value, latest),
            }),
            Value::Array(items) => items.iter().for_each(|item| self.visit(item, latest)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_time_in_the_future_is_not_the_newest_time() {
        let object = json!({"metadata": {"creationTimestamp": "2020-01-01T00:00:00Z"},
            "status": {"conditions": [{"lastTransitionTime": "2999-01-01T00:00:00Z"}]}});
        let mut newest = NewestTimes::default();
        newest.add(&object);
        assert_eq!(newest.moment().unwrap().to_string(), "2020-01-01T00:00:00Z");
        for later in [
            json!({"metadata": {"managedFields": [{"time": "2021-01-01T00:00:00Z", "manager": "kubectl"}]}}),
            json!({"kind": "Event", "lastTimestamp": "2021-01-02T00:00:00Z"}),
            json!({"kind": "Event", "series": {"lastObservedTime": "2021-01-03T00:00:00.000000Z"}}),
            json!({"kind": "Lease", "spec": {"renewTime": "2021-01-04T00:00:00.000000Z"}}),
        ] {
            let before = newest.moment();
            newest.add(&later);
            assert!(newest.moment() > before, "{later}");
        }
        newest.add(&json!({"spec": {"renewTime": "2999-01-01T00:00:00Z"}}));
        assert_eq!(newest.moment().unwrap().to_string(), "2021-01-04T00:00:00Z");
        let mut ahead = NewestTimes::default();
        ahead.add(&json!({"metadata": {"creationTimestamp": "2999-01-01T00:00:00Z"}}));
        assert_eq!(ahead.moment().unwrap().to_string(), "2999-01-01T00:00:00Z");
    }
}
