//! Events: Kubernetes keeps each for an hour after its last repetition, unless the API server is configured otherwise.

use super::actor::Actor;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceWeight};
use ucp_core::model::body::event::EventBody;
use ucp_core::model::object::ObjectName;

/// Reasons of normal Events about a change outside of the cluster, or of the number of replicas.
const NOTABLE: [&str; 5] = [
    "CreatedExternalResource",
    "UpdatedExternalResource",
    "DeletedExternalResource",
    "ScalingReplicaSet",
    "NodeNotReady",
];

/// Returns the occurrence that an Event reports.
pub(super) fn occurrence(event: &EventBody) -> Option<Occurrence> {
    let (first, last) = event.period()?;
    let involved = &event.involved_object;
    let object = ObjectName {
        api_version: involved.api_version.clone(),
        kind: involved.kind.clone(),
        namespace: involved.namespace.clone().filter(|namespace| !namespace.is_empty()),
        name: involved.name.clone(),
    };
    let is_warning = event.severity == "Warning";
    let is_notable = is_warning || NOTABLE.contains(&event.reason.as_str());
    let what = match event.message.trim() {
        "" => event.reason.clone(),
        message => format!("{}: {message}", event.reason),
    };
    let change = if is_warning { ChangeSort::Warned } else { ChangeSort::Noted };
    Some(Occurrence {
        until: (last > first).then_some(last),
        count: event.occurrences().max(1),
        weight: if is_notable { OccurrenceWeight::Notable } else { OccurrenceWeight::Routine },
        by: Actor::from_manager(event.controller()),
        ..Occurrence::at(first, object, change, what)
    })
}
