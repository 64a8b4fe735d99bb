//! Groups repeated occurrences of one object, and the same occurrence of several objects of a kind.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash, RandomState};

use jiff::{SignedDuration, Timestamp};

use super::deletions::is_deletion;
use super::field_part::is_part;
use super::numbered::merge_numbered;
use super::occurrence::{ChangeSort, Occurrence};
use ucp_core::model::object::ObjectName;

/// Repetitions of one object with a longer pause are separate occurrences.
const PAUSE: SignedDuration = SignedDuration::from_mins(30);
/// The same occurrence of several objects is one if the pauses are shorter than this.
const TOGETHER: SignedDuration = SignedDuration::from_secs(90);

/// The objects whose occurrences are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupedObjects {
    /// One object: repetitions.
    One,
    /// Several of one kind.
    Several,
}

/// Groups occurrences that are sorted by time: repetitions, and if requested, the same occurrence of several objects.
pub fn group(occurrences: Vec<Occurrence>, objects: GroupedObjects) -> Vec<Occurrence> {
    let repeated = merge_numbered(merge(occurrences, PAUSE, GroupedObjects::One), PAUSE);
    match objects {
        GroupedObjects::One => repeated,
        GroupedObjects::Several => merge(repeated, TOGETHER, GroupedObjects::Several),
    }
}

/// Properties that grouped occurrences share, except for the object.
fn likeness(occurrence: &Occurrence) -> impl Hash + PartialEq + '_ {
    let Occurrence { object, change, what, certainty, before, after, by, .. } = occurrence;
    // The deletion of a namespace explains those of its own objects.
    let place = is_deletion(occurrence).then_some(&object.namespace);
    (object.group(), &object.kind, place, change, what, certainty, by.as_ref().map(|by| &by.name), before, after)
}

fn merge(occurrences: Vec<Occurrence>, pause: SignedDuration, objects: GroupedObjects) -> Vec<Occurrence> {
    let is_of_one = objects == GroupedObjects::One;
    let hasher = RandomState::new();
    let mut merged: Vec<Occurrence> = Vec::with_capacity(occurrences.len());
    // Hashes instead of copies: there may be tens of thousands.
    let mut last: HashMap<u64, (usize, Timestamp)> = HashMap::new();
    let mut writes = FieldWrites::default();
    for occurrence in occurrences {
        let hash = hasher.hash_one((likeness(&occurrence), is_of_one.then_some(&occurrence.object)));
        let end = occurrence.end();
        let is_alike = |known: &Occurrence| {
            likeness(known) == likeness(&occurrence) && (!is_of_one || known.object == occurrence.object)
        };
        match last.get_mut(&hash) {
            Some((index, until))
                if occurrence.time.duration_since(*until) <= pause
                    && is_alike(&merged[*index])
                    && !writes.has_other_since(*index, &occurrence, &merged) =>
            {
                let known = &mut merged[*index];
                *until = end.max(*until);
                if *until > known.time {
                    known.until = Some(*until);
                }
                match objects {
                    GroupedObjects::One => known.count += occurrence.count,
                    GroupedObjects::Several => {
                        known.count = known.count.max(occurrence.count);
                        known.also.push(occurrence.object);
                    }
                }
            }
            _ => {
                last.insert(hash, (merged.len(), end));
                writes.add(merged.len(), &occurrence);
                merged.push(occurrence);
            }
        }
    }
    merged
}

/// The indexes of the grouped writes of each object.
#[derive(Default)]
struct FieldWrites {
    by_object: HashMap<ObjectName, Vec<usize>>,
}

impl FieldWrites {
    fn add(&mut self, index: usize, occurrence: &Occurrence) {
        if occurrence.change == ChangeSort::Written {
            self.by_object.entry(occurrence.object.clone()).or_default().push(index);
        }
    }

    /// Returns true if another author wrote a field of a write after the group at an index.
    fn has_other_since(&self, group: usize, write: &Occurrence, merged: &[Occurrence]) -> bool {
        let own = self.by_object.get(&write.object).map(Vec::as_slice).unwrap_or_default();
        let later = own.iter().rev().take_while(|index| **index > group).map(|index| &merged[*index]);
        let is_other = |other: &Occurrence| {
            let shares = |field: &String| write.fields.iter().any(|own| is_part(own, field) || is_part(field, own));
            other.by != write.by && other.fields.iter().any(shares)
        };
        write.change == ChangeSort::Written && later.into_iter().any(is_other)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::actor::Actor;
    use super::*;

    fn group(occurrences: Vec<Occurrence>) -> Vec<Occurrence> {
        super::group(occurrences, GroupedObjects::Several)
    }

    fn occurrence(minute: i64, name: &str, what: &str) -> Occurrence {
        let object = ObjectName { api_version: "v1".into(), kind: "Thing".into(), namespace: None, name: name.into() };
        Occurrence::at(Timestamp::from_second(minute * 60).unwrap(), object, ChangeSort::Warned, what)
    }

    #[test]
    fn repetitions_are_counted_and_a_long_pause_separates_them() {
        let grouped = group((0..14).map(|number| occurrence(number * 3, "a", "x")).collect());
        assert_eq!((grouped.len(), grouped[0].count), (1, 14));
        assert_eq!(grouped[0].until.unwrap().as_second(), 39 * 60);
        assert_eq!(group(vec![occurrence(0, "a", "x"), occurrence(31, "a", "x")]).len(), 2);
    }

    #[test]
    fn equal_occurrences_of_several_objects_are_grouped() {
        let grouped = group(vec![occurrence(0, "a", "x"), occurrence(1, "b", "x"), occurrence(1, "c", "y")]);
        assert_eq!(grouped.len(), 2);
        assert_eq!(grouped[0].also.len(), 1);
    }

    #[test]
    fn writes_are_not_merged_over_another_write_of_the_same_field() {
        let write = |minute, manager: &str, field: &str| Occurrence {
            change: ChangeSort::Written,
            fields: vec![field.to_owned()],
            ..occurrence(minute, "a", "was changed").by(Actor::from_manager(manager))
        };
        let number = |manager: &str, field: &str| {
            let writes =
                [write(0, "kcm", "spec.replicas"), write(10, manager, field), write(20, "kcm", "spec.replicas")];
            group(writes.to_vec()).len()
        };
        assert_eq!(number("argocd", "spec.replicas"), 3);
        assert_eq!(number("argocd", "spec"), 3);
        assert_eq!(number("argocd", "spec.replicasOther"), 2);
        assert_eq!(number("kcm", "spec.replicas"), 1);
    }

    proptest! {
        #[test]
        fn grouping_loses_no_object(minutes in prop::collection::vec((0_i64..100, 0_u8..4, 0_u8..3), 0..40)) {
            let mut all: Vec<_> = minutes.iter().map(|(minute, name, what)| {
                occurrence(*minute, &name.to_string(), &format!("what-{what}"))
            }).collect();
            all.sort_by_key(|one| one.time);
            let names = |all: &[Occurrence]| -> std::collections::BTreeSet<(ObjectName, String)> {
                all.iter().flat_map(|one| {
                    one.also.iter().chain([&one.object]).map(|object| (object.clone(), one.what.clone())).collect::<Vec<_>>()
                }).collect()
            };
            let grouped = group(all.clone());
            prop_assert_eq!(names(&grouped), names(&all));
            prop_assert!(grouped.iter().all(|one| one.end() >= one.time));
        }
    }
}
