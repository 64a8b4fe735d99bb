//! Gathers the occurrences of a cluster state.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::actor::Actor;
use super::failing::{failing_conditions, is_unreconciled};
use super::gaps::end_of;
use super::occurrence::Occurrence;
use super::{conditions, events, lifecycle, records, revisions, writes};
use ucp_core::engine;
use ucp_core::model::body::{Body, BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;
use ucp_core::model::trace::TraceRequest;

/// Returns the read request for a kind: everything that `status` reads, and Events.
pub fn want(kind: &ResourceKind, traces: TraceRequest) -> Option<KindRequest> {
    if kind.group.is_empty() && kind.kind == "Event" {
        return Some(KindRequest::all(BodyShape::AnyEvent));
    }
    engine::want(kind).map(|want| want.with_traces(traces))
}

/// Kinds whose past explains that of others, in the groups of Kubernetes and of engines.
const EXPLAINING: [(&str, &str); 4] =
    [("", "Node"), ("coordination.k8s.io", "Lease"), ("kargo.akuity.io", "Promotion"), ("kargo.akuity.io", "Freight")];

/// Returns true if the past of a kind explains that of others, in the groups of Kubernetes and of engines.
pub fn explains_others(kind: &ResourceKind) -> bool {
    EXPLAINING.contains(&(kind.group.as_str(), kind.kind.as_str()))
}

fn is_definition(kind: &ResourceKind) -> bool {
    kind.group == "apiextensions.k8s.io" && kind.kind == "CustomResourceDefinition"
}

/// Returns the read request for a kind of a snapshot, which costs no request: also the Events of the other group, namespaces and
/// definitions, whose deletion explains that of their objects, and the kinds whose past explains that of others.
pub fn want_of_snapshot(kind: &ResourceKind, traces: TraceRequest) -> Option<KindRequest> {
    want(kind, traces).or_else(|| match kind {
        kind if kind.is_event() => Some(KindRequest::all(BodyShape::AnyEvent)),
        kind if kind.is_namespace() || is_definition(kind) => Some(KindRequest::all(BodyShape::Metadata)),
        kind => explains_others(kind).then(|| KindRequest::all(BodyShape::Conditions).with_traces(traces)),
    })
}

/// Whether objects are included whose occurrences were gathered from another snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepeatedObjects {
    /// They are.
    Included,
    /// They are not, unless their failures need all of their occurrences.
    Skipped,
}

/// Returns the occurrences of a period, the oldest first.
pub fn gather(state: &ClusterState, since: Timestamp, repeated: RepeatedObjects) -> Vec<Occurrence> {
    let end = end_of(state);
    let is_within = |occurrence: &Occurrence| occurrence.end() >= since && occurrence.time <= end;
    let mut found = revisions::occurrences(state);
    found.retain(is_within);
    let created = creations(state);
    let repeated_events = events_of_both_groups(state);
    let mut engines: HashMap<&ResourceKind, Option<Actor>> = HashMap::new();
    for resource in &state.resources {
        if let Body::Event(event) = &resource.body {
            if !resource.kind.group.is_empty() && repeated_events.contains(&event_name(resource)) {
                continue;
            }
            let occurrence = events::occurrence(event, &resource.metadata).map(|one| since_creation(one, &created));
            found.extend(occurrence.filter(is_within));
            continue;
        }
        let is_repeated = || resource.trace.as_ref().is_some_and(|trace| !trace.is_first_use());
        if repeated == RepeatedObjects::Skipped && is_repeated() && !has_failure(resource) {
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
        (left.time, &left.object, &left.what, left.author()).cmp(&(
            right.time,
            &right.object,
            &right.what,
            right.author(),
        ))
    });
    found
}

/// Returns true if an object reports a failure, or its last change is not reconciled.
fn has_failure(resource: &Resource) -> bool {
    is_unreconciled(resource) || failing_conditions(resource).next().is_some()
}

/// Returns the names of Events that a snapshot has in both groups.
fn events_of_both_groups(state: &ClusterState) -> HashSet<(&str, &str)> {
    let events = || state.resources.iter().filter(|resource| matches!(resource.body, Body::Event(_)));
    if events().all(|event| event.kind.group.is_empty()) {
        return HashSet::new();
    }
    events().filter(|event| event.kind.group.is_empty()).map(event_name).collect()
}

fn event_name(event: &Resource) -> (&str, &str) {
    (event.metadata.namespace.as_deref().unwrap_or_default(), &event.metadata.name)
}

/// Returns the times at which the objects were created; none if there are no Events.
fn creations(state: &ClusterState) -> HashMap<ObjectKey, Timestamp> {
    let has_events = state.resources.iter().any(|resource| matches!(resource.body, Body::Event(_)));
    let others = state.resources.iter().filter(|resource| has_events && !matches!(resource.body, Body::Event(_)));
    others.filter_map(|resource| Some((resource.key(), resource.metadata.creation_timestamp?))).collect()
}

/// Returns an occurrence that does not begin before its object was created: reporters choose the times of Events.
fn since_creation(mut occurrence: Occurrence, created: &HashMap<ObjectKey, Timestamp>) -> Occurrence {
    if let Some(created) = created.get(&ObjectKey::from(&occurrence.object)) {
        occurrence.time = occurrence.time.max(*created);
    }
    occurrence
}
