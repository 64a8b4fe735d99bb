//! Detection of declarations applied by several Applications: each sync overwrites the declaration of the other, which
//! is then silently no longer declared.

use std::collections::BTreeMap;

use super::applied::applied;
use super::intent::CopyIntent;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::state::ClusterState;

/// Maps declarers that several Applications apply to these Applications.
pub(super) fn shared_declarers(state: &ClusterState, intents: &[CopyIntent]) -> BTreeMap<ObjectName, Vec<ObjectName>> {
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
