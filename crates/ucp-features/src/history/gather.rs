//! Gathers the occurrences of a cluster state.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use super::{Actor, Occurrence, conditions, events, lifecycle, records, revisions, writes};
use ucp_core::engine;
use ucp_core::model::body::{Body, BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::state::ClusterState;
use ucp_core::model::trace::TraceRequest;

/// Clocks of servers differ; later times are invalid.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(5);

/// Returns the read request for a kind: everything that `status` reads, and Events.
pub fn want(kind: &ResourceKind, traces: TraceRequest) -> Option<KindRequest> {
    if kind.group.is_empty() && kind.kind == "Event" {
        return Some(KindRequest::all(BodyShape::AnyEvent));
    }
    engine::want(kind).map(|want| want.with_traces(traces))
}

/// Returns the occurrences of a period, the oldest first.
pub fn gather(state: &ClusterState, since: Timestamp) -> Vec<Occurrence> {
    let end = state.moment.saturating_add(CLOCK_SKEW).unwrap_or(state.moment);
    let is_within = |occurrence: &Occurrence| occurrence.end() >= since && occurrence.time <= end;
    let mut found = revisions::occurrences(state);
    found.retain(is_within);
    let mut engines: HashMap<&ResourceKind, Option<Actor>> = HashMap::new();
    for resource in &state.resources {
        if let Body::Event(event) = &resource.body {
            found.extend(events::occurrence(event).filter(is_within));
            continue;
        }
        let find = || engine::engine_of(&resource.kind).map(|engine| Actor::engine(engine.name()));
        let engine = engines.entry(&resource.kind).or_insert_with(find);
        found.extend(lifecycle::occurrences(resource).into_iter().filter(is_within));
        found.extend(conditions::occurrences(resource, since, engine.as_ref()).into_iter().filter(is_within));
        found.extend(writes::occurrences(resource).into_iter().filter(is_within));
        found.extend(records::occurrences(resource).into_iter().filter(is_within));
    }
    // A stable sort copies half of them.
    found.sort_unstable_by(|left, right| {
        (left.time, &left.object, &left.what).cmp(&(right.time, &right.object, &right.what))
    });
    found
}
