//! Creation, and requests for deletion.

use jiff::{SignedDuration, Timestamp};

use super::actor::Actor;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty, OccurrenceWeight};
use super::revisions;
use ucp_core::model::resource::Resource;

/// The time within which a first write is a part of the creation.
const CREATION: SignedDuration = SignedDuration::from_secs(2);

/// Kinds whose objects come and go all the time.
const SHORT_LIVED: [&str; 4] = ["Pod", "Lease", "EndpointSlice", "PolicyReport"];

/// Returns true if a time is that of the creation.
pub(super) fn is_creation(resource: &Resource, time: Timestamp) -> bool {
    let created = resource.metadata.creation_timestamp;
    created.is_some_and(|created| time.duration_since(created).abs() <= CREATION)
}

/// Returns the creation of an object, and the request for its deletion.
pub(super) fn occurrences(resource: &Resource) -> Vec<Occurrence> {
    let metadata = &resource.metadata;
    let is_short_lived = SHORT_LIVED.contains(&resource.kind.kind.as_str());
    let weight = if is_short_lived { OccurrenceWeight::Routine } else { OccurrenceWeight::Notable };
    let created = metadata.creation_timestamp.filter(|_| !revisions::is_revision(resource)).map(|time| {
        let writes = resource.trace.iter().flat_map(|trace| &trace.writes);
        let creator = writes.filter(|write| is_creation(resource, write.time)).min_by_key(|write| write.time);
        let by = creator.and_then(|write| Actor::from_manager(&write.manager));
        Occurrence { weight, ..Occurrence::at(time, resource.name(), ChangeSort::Created, "was created").by(by) }
    });
    let deleted = metadata.deletion_timestamp.map(|time| {
        // What is in a namespace holds it, which is in its conditions.
        let what = match resource.kind.kind == "Namespace" && metadata.finalizers.is_empty() {
            true => "is being deleted".to_owned(),
            false => format!("is being deleted; {}", metadata.describe_finalizers()),
        };
        let requested = Occurrence::at(time, resource.name(), ChangeSort::DeletionRequested, what);
        // The timestamp of a Pod is the end of its grace period.
        let is_pod = resource.kind.group.is_empty() && resource.kind.kind == "Pod";
        let certainty = if is_pod { OccurrenceCertainty::AtLatest } else { OccurrenceCertainty::Exact };
        Occurrence { certainty, weight, ..requested }
    });
    created.into_iter().chain(deleted).collect()
}
