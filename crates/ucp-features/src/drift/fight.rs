//! Detects external resources that are updated repeatedly although their declaration does not change: something reverts
//! the provider's updates. A user who edits a resource six times also causes six updates, but that is no fight.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use ucp_core::model::body::Body;
use ucp_core::model::body::event::UPDATED_EXTERNAL_RESOURCE;
use ucp_core::model::body::managed::ManagedResource;
use ucp_core::model::body::reference::ObjectReference;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// Number of updates within [`RECENT`] that is too high: providers compare every minute to ten, and update only if
/// there are differences.
const MANY_UPDATES: u64 = 5;
/// The default retention of events in an API server (`--event-ttl`).
const RECENT: SignedDuration = SignedDuration::from_hours(1);
/// A lower generation is not significant: late initialization and a few changes cause it.
const MANY_GENERATIONS: i64 = 30;
/// Number of changes of a declaration per hour of its existence that users do not make.
const MANY_AN_HOUR: i64 = 4;

/// Group, kind, namespace and name.
type ObjectKeyParts<'state> = (&'state str, &'state str, Option<&'state str>, &'state str);

/// The updates of external resources that recent events report.
pub(crate) struct ExternalUpdates<'state>(HashMap<ObjectKeyParts<'state>, UpdateSeries>);

/// The number of updates, and the time of the first.
#[derive(Debug, Clone, Copy, Default)]
struct UpdateSeries {
    times: u64,
    first: Option<Timestamp>,
}

impl<'state> ExternalUpdates<'state> {
    pub(crate) fn from_events(state: &'state ClusterState) -> Self {
        let mut updates: HashMap<_, UpdateSeries> = HashMap::new();
        for resource in &state.resources {
            let Body::Event(event) = &resource.body else { continue };
            let is_recent = event.last_timestamp.is_some_and(|last| state.moment.duration_since(last) <= RECENT);
            if event.reason == UPDATED_EXTERNAL_RESOURCE && is_recent {
                let ObjectReference { api_version, kind, namespace, name } = &event.involved_object;
                let group = api_version.split_once('/').map_or("", |(group, _)| group);
                let namespace = namespace.as_deref().filter(|namespace| !namespace.is_empty());
                let known = updates.entry((group, kind.as_str(), namespace, name.as_str())).or_default();
                let first = event.first_timestamp.or(event.last_timestamp);
                *known = UpdateSeries {
                    times: known.times + event.occurrences(),
                    first: [known.first, first].into_iter().flatten().min(),
                };
            }
        }
        Self(updates)
    }

    /// Returns the reason why a resource appears to be fought over.
    pub(crate) fn fight_reason(
        &self,
        resource: &Resource,
        managed: &ManagedResource,
        now: Timestamp,
    ) -> Option<String> {
        let metadata = &resource.metadata;
        let key = (
            resource.kind.group.as_str(),
            resource.kind.kind.as_str(),
            metadata.namespace.as_deref(),
            metadata.name.as_str(),
        );
        if let Some(UpdateSeries { times, first }) = self.0.get(&key)
            && *times >= MANY_UPDATES
            && exceeds_own_changes(*times, *first, resource, managed)
        {
            return Some(format!(
                "its provider updated it {times} times within an hour: something reverts the updates"
            ));
        }
        let (generation, created) = (metadata.generation?, metadata.creation_timestamp?);
        let hours = now.duration_since(created).as_hours().max(1);
        let is_recent = |written: Option<Timestamp>| written.is_some_and(|time| now.duration_since(time) <= RECENT);
        // Both write the same declaration: one reverts the changes of the other.
        let both_write = is_recent(managed.written.by_others) && is_recent(managed.written.by_provider);
        (both_write && generation >= MANY_GENERATIONS && generation / hours >= MANY_AN_HOUR).then(|| {
            format!(
                "its declaration changed {generation} times in {hours}h: something reverts the values that its provider fills in"
            )
        })
    }
}

/// Returns true if there were more updates than changes of the declaration can explain: more than its generation has
/// ever grown, or some after the last change.
fn exceeds_own_changes(times: u64, first: Option<Timestamp>, resource: &Resource, managed: &ManagedResource) -> bool {
    let changes = resource.metadata.generation.and_then(|generation| u64::try_from(generation - 1).ok());
    let is_more = changes.is_some_and(|changes| times > changes);
    let is_older = matches!((managed.written.by_others, first), (Some(written), Some(first)) if written < first);
    is_more || is_older
}
