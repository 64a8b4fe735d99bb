//! External resources that are updated again and again although nobody changes what they should be: somebody undoes what
//! the provider does. A person who edits a resource six times makes six updates, which is no fight.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use crate::model::body::Body;
use crate::model::body::event::UPDATED_EXTERNAL_RESOURCE;
use crate::model::body::managed::Managed;
use crate::model::body::reference::ObjectReference;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// Updates within [`RECENT`] that are too many: providers look every minute to ten, and update only what differs.
const MANY_UPDATES: u64 = 5;
/// As long as an API server keeps events by default (`--event-ttl`).
const RECENT: SignedDuration = SignedDuration::from_hours(1);
/// A generation below this says nothing: late-initialisation and a few changes make it grow.
const MANY_GENERATIONS: i64 = 30;
/// Changes of a declaration, by hour of its life, that no person makes.
const MANY_AN_HOUR: i64 = 4;

/// Group, kind, namespace and name.
type Key<'state> = (&'state str, &'state str, Option<&'state str>, &'state str);

/// The updates of external resources that recent events report.
pub(crate) struct Updates<'state>(HashMap<Key<'state>, Series>);

/// How often something was updated, and since when.
#[derive(Debug, Clone, Copy, Default)]
struct Series {
    times: u64,
    first: Option<Timestamp>,
}

impl<'state> Updates<'state> {
    pub(crate) fn of(state: &'state ClusterState) -> Self {
        let mut updates: HashMap<_, Series> = HashMap::new();
        for resource in &state.resources {
            let Body::Event(event) = &resource.body else { continue };
            let is_recent = event.last_timestamp.is_some_and(|last| state.moment.duration_since(last) <= RECENT);
            if event.reason == UPDATED_EXTERNAL_RESOURCE && is_recent {
                let ObjectReference { api_version, kind, namespace, name } = &event.involved_object;
                let group = api_version.split_once('/').map_or("", |(group, _)| group);
                let namespace = namespace.as_deref().filter(|namespace| !namespace.is_empty());
                let known = updates.entry((group, kind.as_str(), namespace, name.as_str())).or_default();
                let first = event.first_timestamp.or(event.last_timestamp);
                *known = Series {
                    times: known.times + event.times(),
                    first: [known.first, first].into_iter().flatten().min(),
                };
            }
        }
        Self(updates)
    }

    /// Why a resource looks fought over, in words.
    pub(crate) fn fight(&self, resource: &Resource, managed: &Managed, now: Timestamp) -> Option<String> {
        let metadata = &resource.metadata;
        let key = (
            resource.kind.group.as_str(),
            resource.kind.kind.as_str(),
            metadata.namespace.as_deref(),
            metadata.name.as_str(),
        );
        if let Some(Series { times, first }) = self.0.get(&key)
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
        // Both write the same declaration: what one fills in, the other takes away.
        let both_write = is_recent(managed.written.by_others) && is_recent(managed.written.by_provider);
        (both_write && generation >= MANY_GENERATIONS && generation / hours >= MANY_AN_HOUR).then(|| {
            format!(
                "its declaration changed {generation} times in {hours}h: something reverts what its provider fills in"
            )
        })
    }
}

/// Whether there were more updates than changes of the declaration could have made: more than its generation has grown
/// in all its life, or some after the last change.
fn exceeds_own_changes(times: u64, first: Option<Timestamp>, resource: &Resource, managed: &Managed) -> bool {
    let changes = resource.metadata.generation.and_then(|generation| u64::try_from(generation - 1).ok());
    let is_more = changes.is_some_and(|changes| times > changes);
    let is_older = matches!((managed.written.by_others, first), (Some(written), Some(first)) if written < first);
    is_more || is_older
}
