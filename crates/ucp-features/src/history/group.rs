//! Groups repeated occurrences of one object, and the same occurrence of several objects of a kind.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{ChangeSort, Occurrence, OccurrenceCertainty};
use ucp_core::model::object::ObjectName;

/// Repetitions of one object with a longer pause are separate occurrences.
const PAUSE: SignedDuration = SignedDuration::from_mins(30);
/// The same occurrence of several objects is one if the pauses are shorter than this.
const TOGETHER: SignedDuration = SignedDuration::from_secs(90);

/// Groups occurrences that are sorted by time.
pub fn group(occurrences: Vec<Occurrence>) -> Vec<Occurrence> {
    let repeated = merge(
        occurrences,
        PAUSE,
        |occurrence| Some(occurrence.object.clone()),
        |known, other| {
            known.count += other.count;
        },
    );
    merge(
        repeated,
        TOGETHER,
        |_| None,
        |known, other| {
            known.count = known.count.max(other.count);
            known.also.push(other.object.clone());
        },
    )
}

/// Properties that grouped occurrences share.
type Likeness = (Option<ObjectName>, String, ChangeSort, String, OccurrenceCertainty, [Option<String>; 3]);

fn likeness(occurrence: &Occurrence, object: Option<ObjectName>) -> Likeness {
    let by = occurrence.by.as_ref().map(|by| by.name.clone());
    let kind = occurrence.object.full_kind();
    let values = [by, occurrence.before.clone(), occurrence.after.clone()];
    (object, kind, occurrence.change, occurrence.what.clone(), occurrence.certainty, values)
}

fn merge(
    occurrences: Vec<Occurrence>,
    pause: SignedDuration,
    object: impl Fn(&Occurrence) -> Option<ObjectName>,
    join: impl Fn(&mut Occurrence, &Occurrence),
) -> Vec<Occurrence> {
    let mut merged: Vec<Occurrence> = Vec::with_capacity(occurrences.len());
    let mut last: BTreeMap<Likeness, (usize, Timestamp)> = BTreeMap::new();
    for occurrence in occurrences {
        let key = likeness(&occurrence, object(&occurrence));
        let end = occurrence.end();
        match last.get_mut(&key) {
            Some((index, until)) if occurrence.time.duration_since(*until) <= pause => {
                let known = &mut merged[*index];
                join(known, &occurrence);
                *until = end.max(*until);
                if *until > known.time {
                    known.until = Some(*until);
                }
            }
            _ => {
                last.insert(key, (merged.len(), end));
                merged.push(occurrence);
            }
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
    fn the_same_of_several_objects_is_one() {
        let grouped = group(vec![occurrence(0, "a", "x"), occurrence(1, "b", "x"), occurrence(1, "c", "y")]);
        assert_eq!(grouped.len(), 2);
        assert_eq!(grouped[0].also.len(), 1);
    }

    proptest! {
        #[test]
        fn no_object_is_lost(minutes in prop::collection::vec((0_i64..100, 0_u8..4, 0_u8..3), 0..40)) {
            let mut all: Vec<_> = minutes.iter().map(|(minute, name, what)| {
                occurrence(*minute, &name.to_string(), &what.to_string())
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
