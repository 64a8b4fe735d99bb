//! Gaps: periods of which something cannot be known. They are never shown as quiet.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use ucp_core::model::body::Body;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Unreadable};

/// A period of which something cannot be known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct HistoryGap {
    /// The beginning.
    pub from: Timestamp,
    /// The end.
    pub to: Timestamp,
    /// The data that are missing, and the reason.
    pub reason: String,
}

/// Clocks of servers differ; later times are invalid.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(5);

/// The consequence of missing Events.
const UNKNOWN: &str = "warnings, restarts, resolved failures and deleted objects are not known";

/// Why times are not shown.
const DROPPED: &str = "times that are later than the data, or that cannot be read: what happened then is not shown";

/// Returns the gaps of a state in a period that begins with `since` and ends with the state.
pub fn gaps(state: &ClusterState, since: Timestamp) -> Vec<HistoryGap> {
    let gap = |to: Timestamp, reason: String| (to > since).then_some(HistoryGap { from: since, to, reason });
    let kind = state.kinds.iter().find(|kind| kind.is_event());
    let failure = kind.and_then(|kind| unread_reason(kind, state));
    let oldest = oldest_event(state);
    let events = match (kind, failure, oldest) {
        (None, ..) => gap(state.moment, format!("no Events in the data: {UNKNOWN}")),
        (Some(_), Some(reason), _) => gap(state.moment, format!("Events could not be read ({reason}): {UNKNOWN}")),
        (Some(_), None, Some(oldest)) => {
            gap(oldest.min(state.moment), format!("Events from this time may have expired: {UNKNOWN}"))
        }
        (Some(_), None, None) => gap(state.moment, format!("no Event is left: {UNKNOWN}")),
    };
    let others = state.unreadable.iter().filter(|entry| kind.is_none_or(|kind| !entry.is_of(kind)));
    let unread = match others.collect::<Vec<_>>().as_slice() {
        [] => None,
        [one] => gap(state.moment, format!("{} could not be read: its changes are not known", one.what)),
        [one, more @ ..] => {
            let reason = format!("{} and {} more could not be read: their changes are not known", one.what, more.len());
            gap(state.moment, reason)
        }
    };
    let dropped = match dropped(state) {
        0 => None,
        1 => gap(state.moment, format!("1 object has {DROPPED}")),
        number => gap(state.moment, format!("{number} objects have {DROPPED}")),
    };
    events.into_iter().chain(unread).chain(dropped).collect()
}

/// Returns the latest time that an object of a state may have.
pub(super) fn end_of(state: &ClusterState) -> Timestamp {
    state.moment.saturating_add(CLOCK_SKEW).unwrap_or(state.moment)
}

/// Returns the number of objects with times that are not shown: later than the state, or Events without one that can be read.
fn dropped(state: &ClusterState) -> usize {
    let end = end_of(state);
    let is_dropped = |resource: &&Resource| match &resource.body {
        Body::Event(event) => event.period().is_none_or(|(first, _)| first > end),
        _ => {
            let transitions = resource.conditions.iter().filter_map(|condition| condition.last_transition_time);
            let writes = resource.trace.iter().flat_map(|trace| &trace.writes).map(|write| write.time);
            transitions.chain(writes).chain(resource.metadata.creation_timestamp).any(|time| time > end)
        }
    };
    state.resources.iter().filter(is_dropped).count()
}

fn unread_reason<'a>(kind: &ucp_core::model::kind::ResourceKind, state: &'a ClusterState) -> Option<&'a str> {
    let Unreadable { reason, .. } = state.unreadable.iter().find(|entry| entry.is_of(kind))?;
    Some(reason)
}

/// Returns the time since which Events are known: the oldest time of a last occurrence, as one that was last repeated before it may
/// have expired.
fn oldest_event(state: &ClusterState) -> Option<Timestamp> {
    let events = state.resources.iter().filter_map(|resource| match &resource.body {
        Body::Event(event) => event.period(),
        _ => None,
    });
    events.map(|(_, last)| last).min()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use ucp_client::source::snapshot::resources_from_objects;
    use ucp_core::model::body::{BodyShape, KindRequest};
    use ucp_core::model::state::Origin;

    use super::*;

    #[test]
    fn times_after_the_end_of_the_data_are_a_gap() {
        let number = |first: &str, written: &str| {
            let event = json!({
                "apiVersion": "v1", "kind": "Event", "metadata": {"name": "a", "namespace": "x"}, "type": "Warning",
                "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": "x", "name": "a"}, "firstTimestamp": first,
            });
            let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "status": {"conditions": [
                {"type": "Ready", "status": "True", "lastTransitionTime": written}]}});
            let want = |kind: &ucp_core::model::kind::ResourceKind| {
                Some(KindRequest::all(if kind.is_event() { BodyShape::AnyEvent } else { BodyShape::Conditions }))
            };
            let resources = resources_from_objects(&[&event, &node], &want);
            let moment = "2026-11-20T10:00:00Z".parse().unwrap();
            let empty = ClusterState::empty(Origin::Snapshot { path: String::new() }, moment);
            dropped(&ClusterState { resources, ..empty })
        };
        assert_eq!(number("2026-11-20T09:00:00Z", "2026-11-20T10:03:00Z"), 0, "clocks differ");
        assert_eq!(number("2026-11-20T11:00:00Z", "2026-11-20T11:00:00Z"), 2);
        assert_eq!(number("yesterday", "2026-11-20T09:00:00Z"), 1);
    }

    #[test]
    fn a_gap_ends_with_the_oldest_last_occurrence() {
        let oldest = |first: &str| {
            let event = json!({
                "apiVersion": "v1", "kind": "Event", "metadata": {"name": "a", "namespace": "x"}, "type": "Warning",
                "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": "x", "name": "a"}, "reason": "BackOff",
                "count": 9, "firstTimestamp": first, "lastTimestamp": "2026-11-20T09:59:00Z",
            });
            let resources = resources_from_objects(&[&event], &|_| Some(KindRequest::all(BodyShape::AnyEvent)));
            let empty = ClusterState::empty(Origin::Snapshot { path: String::new() }, Timestamp::UNIX_EPOCH);
            oldest_event(&ClusterState { resources, ..empty }).unwrap().to_string()
        };
        // Another one that began at the same time, and was last repeated before 09:59, may have expired.
        assert_eq!(oldest("2026-11-20T09:31:00Z"), "2026-11-20T09:59:00Z");
        assert_eq!(oldest("2026-11-17T09:31:00Z"), "2026-11-20T09:59:00Z");
    }
}
