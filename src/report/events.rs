//! Events about one object, newest first.

use jiff::Timestamp;
use serde_json::Value;

use ucp_core::model::secrecy::scrub;
use ucp_core::model::text::one_line;

/// Events about one object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectEvents {
    /// The time that ages refer to.
    pub moment: Timestamp,
    /// The events, newest first.
    pub items: Vec<ObjectEvent>,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectEvent {
    /// The time of the last occurrence.
    pub last: Option<Timestamp>,
    /// `Normal` or `Warning`.
    pub kind: String,
    /// The reason in one word.
    pub reason: String,
    /// The number of occurrences.
    pub count: u64,
    /// The controller that reported it.
    pub from: String,
    /// The message, without secrets.
    pub message: String,
}

impl ObjectEvents {
    /// Reads Events of the core group, as a server or a snapshot has them.
    pub fn from_objects<'a>(objects: impl IntoIterator<Item = &'a Value>, moment: Timestamp) -> Self {
        let mut items: Vec<ObjectEvent> = objects.into_iter().map(ObjectEvent::from_object).collect();
        items.sort_by(|left, right| right.last.cmp(&left.last).then_with(|| left.reason.cmp(&right.reason)));
        Self { moment, items }
    }
}

impl ObjectEvent {
    fn from_object(event: &Value) -> Self {
        let text = |path: &str| event.pointer(path).and_then(Value::as_str).filter(|text| !text.is_empty());
        let safe = |path: &str| text(path).map(|text| one_line(&scrub(text))).unwrap_or_default();
        let times = ["/series/lastObservedTime", "/lastTimestamp", "/eventTime", "/firstTimestamp"];
        let count = event.pointer("/series/count").or_else(|| event.pointer("/count")).and_then(Value::as_u64);
        let from = match safe("/source/component") {
            component if component.is_empty() => safe("/reportingComponent"),
            component => component,
        };
        Self {
            last: times.iter().find_map(|path| text(path)?.parse().ok()),
            kind: safe("/type"),
            reason: safe("/reason"),
            count: count.unwrap_or(1),
            from,
            message: safe("/message"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_are_newest_first_and_of_both_apis() {
        let moment: Timestamp = "2026-11-25T10:00:00Z".parse().unwrap();
        let events = [
            json!({"lastTimestamp": "2026-11-25T09:00:00Z", "type": "Normal", "reason": "Old", "count": 3,
                   "source": {"component": "kubelet"}, "message": "a\n\u{1b}[31mb"}),
            json!({"eventTime": "2026-11-25T08:00:00.000000Z", "reason": "New", "type": "Warning",
                   "series": {"count": 7, "lastObservedTime": "2026-11-25T09:59:00.000000Z"},
                   "reportingComponent": "provider", "message": "cannot log in: password=hunter2hunter2"}),
            json!({}),
        ];
        let read = ObjectEvents::from_objects(&events, moment);
        let reasons: Vec<_> = read.items.iter().map(|event| (event.reason.as_str(), event.count)).collect();
        assert_eq!(reasons, [("New", 7), ("Old", 3), ("", 1)]);
        assert_eq!(read.items[0].from, "provider");
        assert!(!read.items[0].message.contains("hunter2"), "{}", read.items[0].message);
        assert_eq!(read.items[1].message, "a \\u{1b}[31mb");
    }
}
