//! Objects that are gone since an earlier state of a followed cluster. Nothing else is left of them.

use std::collections::HashMap;

use super::compare::RESTLESS;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;
use ucp_core::model::uid::Uid;

/// The objects of a cluster that is followed.
#[derive(Debug, Default)]
pub struct FollowedObjects {
    known: HashMap<ObjectKey, (ObjectName, Uid)>,
    removed: Vec<Occurrence>,
}

impl FollowedObjects {
    /// Compares a state with the one before, and returns all removals since the first state. An object of a kind that was not read is
    /// not gone.
    pub fn observe(&mut self, state: &ClusterState) -> &[Occurrence] {
        let is_compared = |kind: &ResourceKind| !RESTLESS.contains(&kind.kind.as_str());
        let resources = state.resources.iter().filter(|resource| is_compared(&resource.kind));
        let name = |resource: &Resource| (resource.key(), (resource.name(), resource.metadata.uid.clone()));
        let present: HashMap<ObjectKey, (ObjectName, Uid)> = resources.map(name).collect();
        let was_read = |key: &ObjectKey| {
            let kind = state.kinds.iter().find(|kind| kind.group == key.group && kind.kind == key.kind);
            kind.is_some_and(|kind| state.was_read(kind))
        };
        let mut kept = HashMap::new();
        for (key, (name, uid)) in self.known.drain() {
            let what = match present.get(&key) {
                Some((_, new)) if *new == uid => continue,
                Some(_) => "was deleted and created again",
                None if was_read(&key) => "was deleted",
                None => {
                    kept.insert(key, (name, uid));
                    continue;
                }
            };
            let removed = Occurrence::at(state.moment, name, ChangeSort::Deleted, what);
            self.removed.push(Occurrence { certainty: OccurrenceCertainty::AtLatest, ..removed });
        }
        self.known = present;
        self.known.extend(kept);
        &self.removed
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use ucp_client::source::snapshot::resources_from_objects;
    use ucp_core::model::body::{BodyShape, KindRequest};
    use ucp_core::model::state::{Origin, Unreadable};

    use super::*;

    fn state(objects: &[(&str, &str)]) -> ClusterState {
        let object = |(name, uid): &(&str, &str)| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "x", "uid": uid}});
        let objects: Vec<Value> = objects.iter().map(object).collect();
        let objects: Vec<&Value> = objects.iter().collect();
        let resources = resources_from_objects(&objects, &|_| Some(KindRequest::all(BodyShape::Metadata)));
        let moment = "2026-11-20T04:00:00Z".parse().unwrap();
        let empty = ClusterState::empty(Origin::Snapshot { path: String::new() }, moment);
        let kinds = vec![std::sync::Arc::new(ResourceKind::guess("", "ConfigMap"))];
        ClusterState { resources, kinds, ..empty }
    }

    #[test]
    fn an_object_is_removed_once_its_kind_was_read_without_it() {
        let mut followed = FollowedObjects::default();
        let mut whats = |state: ClusterState| {
            let removed = followed.observe(&state).iter().map(|one| format!("{} {}", one.object.name, one.what));
            removed.collect::<Vec<_>>()
        };
        assert!(whats(state(&[("a", "1"), ("b", "2")])).is_empty());
        let what = ResourceKind::guess("", "ConfigMap").qualified_plural();
        let unread = Unreadable { what, reason: "forbidden".to_owned() };
        assert!(whats(ClusterState { unreadable: vec![unread], ..state(&[]) }).is_empty(), "it was not read");
        assert_eq!(whats(state(&[("a", "3")])).len(), 2);
        let mut last = whats(state(&[("a", "3")]));
        last.sort();
        assert_eq!(last, ["a was deleted and created again", "b was deleted"]);
    }
}
