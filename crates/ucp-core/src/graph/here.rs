//! Index of the objects of a state by name. Only the objects hold the names: for fifty thousand objects, a map with
//! names as keys takes five megabytes.

use std::hash::{BuildHasher as _, RandomState};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::node::NodeId;
use crate::model::object::ObjectKeyRef;
use crate::model::resource::Resource;

/// Positions of the objects in a state.
pub(super) struct ObjectIndex<'state> {
    objects: &'state [Resource],
    places: HashTable<NodeId>,
    hasher: RandomState,
}

impl<'state> ObjectIndex<'state> {
    /// Creates the index. If two objects have the same name, the last one wins.
    pub(super) fn from_objects(objects: &'state [Resource]) -> Self {
        let (mut places, hasher) = (HashTable::with_capacity(objects.len()), RandomState::new());
        let hash = |place: &NodeId| hasher.hash_one(objects[*place].key_ref());
        for (place, object) in objects.iter().enumerate() {
            let key = object.key_ref();
            match places.entry(hash(&place), |other: &NodeId| objects[*other].key_ref() == key, hash) {
                Entry::Occupied(mut known) => *known.get_mut() = place,
                Entry::Vacant(new) => {
                    new.insert(place);
                }
            }
        }
        Self { objects, places, hasher }
    }

    /// Returns the node of an object that was read.
    pub(super) fn get(&self, key: &ObjectKeyRef<'_>) -> Option<NodeId> {
        let is_it = |place: &NodeId| self.objects[*place].key_ref() == *key;
        self.places.find(self.hasher.hash_one(key), is_it).copied()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::body::Body;
    use crate::model::kind::ResourceKind;
    use crate::model::metadata::Metadata;
    use crate::model::resource::ResourceParts;

    #[test]
    fn objects_are_found_by_their_whole_name_and_the_last_duplicate_is_used() {
        let names = [("a", None), ("a", Some("x")), ("a", Some("y")), ("b", None), ("a", Some("x"))];
        let object = |(name, namespace): (&str, Option<&str>)| -> Resource {
            let parts = ResourceParts {
                kind: Arc::new(ResourceKind::guess("example.org", "Thing")),
                metadata: Metadata {
                    name: name.to_owned(),
                    namespace: namespace.map(str::to_owned),
                    ..Metadata::default()
                },
                conditions: Vec::new(),
                observed_generation: None,
                body: Body::Conditions,
                whole: None,
                trace: None,
                weight: Default::default(),
            };
            parts.into()
        };
        let objects = names.map(object);
        let here = ObjectIndex::from_objects(&objects);
        let found = |group, name, namespace| here.get(&ObjectKeyRef { group, kind: "Thing", namespace, name });
        let places = names.map(|(name, namespace)| found("example.org", name, namespace));
        assert_eq!(places, [Some(0), Some(4), Some(2), Some(3), Some(4)]);
        assert_eq!([found("example.org", "c", None), found("other.org", "a", None)], [None, None]);
    }
}
