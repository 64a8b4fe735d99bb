//! Events: Kubernetes keeps each for an hour after its last repetition, unless the API server is configured otherwise.

use super::actor::Actor;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceWeight};
use super::records::short;
use ucp_core::model::body::event::EventBody;
use ucp_core::model::metadata::Metadata;
use ucp_core::model::object::ObjectName;

/// Reasons of normal Events about a change outside of the cluster, or of the number of replicas.
const NOTABLE: [&str; 5] = [
    "CreatedExternalResource",
    "UpdatedExternalResource",
    "DeletedExternalResource",
    "ScalingReplicaSet",
    "NodeNotReady",
];

/// Ends of the annotation in which Flux names the revision that an Event is about, such as
/// `kustomize.toolkit.fluxcd.io/revision`.
const REVISION: &str = ".toolkit.fluxcd.io/revision";

/// Returns the occurrence that an Event reports.
pub(super) fn occurrence(event: &EventBody, metadata: &Metadata) -> Option<Occurrence> {
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
    let mut what = match event.message.trim() {
        "" => event.reason.clone(),
        message => format!("{}: {message}", event.reason),
    };
    let annotated = metadata.annotations.iter().find(|(key, _)| key.ends_with(REVISION));
    if let Some(revision) = annotated.map(|(_, revision)| short(revision)).filter(|revision| !what.contains(revision)) {
        what = format!("{what} (revision {revision})");
    }
    let change = if is_warning { ChangeSort::Warned } else { ChangeSort::Noted };
    Some(Occurrence {
        until: (last > first).then_some(last),
        count: event.occurrences().max(1),
        weight: if is_notable { OccurrenceWeight::Notable } else { OccurrenceWeight::Routine },
        by: Actor::from_manager(event.controller()),
        ..Occurrence::at(first, object, change, what)
    })
}
