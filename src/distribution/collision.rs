//! Two declarations of one name: each sync of one Application puts its own over the other's, and what the other declared is
//! declared no more, without a word from anybody.

use std::collections::BTreeMap;

use super::applied;
use super::intent::Intent;
use crate::model::object::{ObjectKey, ObjectName};
use crate::model::state::ClusterState;

/// Declarers that more than one Application applies.
pub(super) fn shared(state: &ClusterState, intents: &[Intent]) -> BTreeMap<ObjectName, Vec<ObjectName>> {
    let mut appliers: BTreeMap<ObjectKey, Vec<ObjectName>> = BTreeMap::new();
    for resource in &state.resources {
        for object in applied(resource) {
            appliers.entry(ObjectKey::from(&object)).or_default().push(resource.name());
        }
    }
    let declarers = intents.iter().map(|intent| &intent.declarer.object);
    let several = declarers.filter_map(|object| {
        let by = appliers.get(&ObjectKey::from(object)).filter(|by| by.len() > 1)?;
        Some((object.clone(), by.clone()))
    });
    several.collect()
}
