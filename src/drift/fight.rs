//! External resources that are updated again and again: somebody undoes what the provider does.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use crate::model::body::Body;
use crate::model::body::event::{Involved, UPDATED_EXTERNAL_RESOURCE};
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

/// The updates of external resources that events tell of.
pub(crate) struct Updates<'state>(HashMap<(&'state str, &'state str, &'state str), (u64, Option<Timestamp>)>);

impl<'state> Updates<'state> {
    pub(crate) fn of(state: &'state ClusterState) -> Self {
        let mut updates: HashMap<_, (u64, Option<Timestamp>)> = HashMap::new();
        for resource in &state.resources {
            let Body::Event(event) = &resource.body else { continue };
            if event.reason == UPDATED_EXTERNAL_RESOURCE {
                let Involved { api_version, kind, name, .. } = &event.involved_object;
                let group = api_version.split_once('/').map_or("", |(group, _)| group);
                let known = updates.entry((group, kind.as_str(), name.as_str())).or_default();
                *known = (known.0 + event.times(), known.1.max(event.last_timestamp));
            }
        }
        Self(updates)
    }

    /// Why a resource looks fought over, in words.
    pub(crate) fn fight(&self, resource: &Resource, now: Timestamp) -> Option<String> {
        let key = (resource.kind.group.as_str(), resource.kind.kind.as_str(), resource.metadata.name.as_str());
        if let Some((times, Some(last))) = self.0.get(&key)
            && *times >= MANY_UPDATES
            && now.duration_since(*last) <= RECENT
        {
            return Some(format!("its provider updated it {times} times of late: something undoes what it does"));
        }
        let (generation, created) = (resource.metadata.generation?, resource.metadata.creation_timestamp?);
        let hours = now.duration_since(created).as_hours().max(1);
        (generation >= MANY_GENERATIONS && generation / hours >= MANY_AN_HOUR).then(|| {
            format!(
                "its declaration changed {generation} times in {hours}h: something undoes what its provider fills in"
            )
        })
    }
}
