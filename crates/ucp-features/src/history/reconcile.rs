//! Combines the occurrences of several snapshots of one cluster with the differences between them.

use std::collections::HashMap;

use super::field_part::is_part;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty, OccurrenceWeight};
use super::releases;
use ucp_core::model::object::ObjectKey;

/// Removes occurrences that several snapshots have, and sorts the others. The last one counts: it has the most repetitions.
pub fn without_duplicates(mut occurrences: Vec<Occurrence>) -> Vec<Occurrence> {
    fn identity(one: &Occurrence) -> impl Ord + '_ {
        (one.time, one.object.key_ref(), one.what.as_str(), one.change, one.author())
    }
    releases::one_per_revision(&mut occurrences);
    // Fourteen nights have hundreds of thousands: none is copied.
    occurrences.sort_by(|left, right| identity(left).cmp(&identity(right)));
    occurrences.dedup_by(|later, kept| {
        let is_same = identity(later) == identity(kept);
        if is_same {
            // The status of a later snapshot may begin later.
            later.before = later.before.take().or(kept.before.take());
            std::mem::swap(later, kept);
        }
        is_same
    });
    occurrences
}

/// Adds differences between snapshots. A difference that an occurrence with an exact time explains gives that one its
/// values, and is not added.
pub fn add_differences(occurrences: &mut Vec<Occurrence>, differences: Vec<Occurrence>) {
    if differences.is_empty() {
        return;
    }
    let mut by_object: HashMap<ObjectKey, Vec<usize>> =
        differences.iter().map(|difference| (ObjectKey::from(&difference.object), Vec::new())).collect();
    for (index, occurrence) in occurrences.iter().enumerate() {
        if let Some(own) = by_object.get_mut(&ObjectKey::from(&occurrence.object)) {
            own.push(index);
        }
    }
    let mut left = Vec::new();
    for difference in differences {
        let own = by_object.get(&ObjectKey::from(&difference.object)).map(Vec::as_slice).unwrap_or_default();
        let exact = explanation(own, occurrences, &difference);
        match (exact.map(|index| &mut occurrences[index]), difference.change) {
            (Some(exact), ChangeSort::Written) => {
                exact.what.clone_from(&difference.what);
                exact.fields.clone_from(&difference.fields);
                exact.before = difference.before;
                exact.after = difference.after;
            }
            // A condition such as `Waiting` is no problem by itself.
            (Some(exact), ChangeSort::TurnedBad) => {
                exact.change = ChangeSort::TurnedBad;
                exact.weight = OccurrenceWeight::Notable;
            }
            (Some(_), _) => {}
            (None, _) => left.push(difference),
        }
    }
    occurrences.extend(left);
    occurrences.sort_by(|left, right| (left.time, &left.object).cmp(&(right.time, &right.object)));
}

/// Returns the last occurrence of an object that a difference is a less exact view of. `own` are the occurrences of the object,
/// sorted by time.
fn explanation(own: &[usize], occurrences: &[Occurrence], difference: &Occurrence) -> Option<usize> {
    let is_later = |one: &Occurrence| one.time > difference.time && one.time <= difference.end();
    // Times have no fractions: what happened in the second of the older snapshot may be in it, or come after it.
    let is_same_second = |one: &Occurrence| one.time.as_second() == difference.time.as_second();
    let last = |is_explanation: &dyn Fn(&Occurrence) -> bool| {
        let find = |is_in: &dyn Fn(&Occurrence) -> bool| {
            let is_chosen = |index: &usize| {
                let one = &occurrences[*index];
                one.certainty != OccurrenceCertainty::Between && is_in(one) && is_explanation(one)
            };
            own.iter().rev().copied().find(is_chosen)
        };
        find(&is_later).or_else(|| find(&is_same_second))
    };
    let is_same = |one: &Occurrence| one.change == difference.change;
    match difference.change {
        ChangeSort::Written => last(&|one| is_same(one) && is_written(one, difference)),
        ChangeSort::TurnedBad => last(&is_same)
            .or_else(|| last(&|one| is_transition(one) && one.what.starts_with("turned not ")))
            .or_else(|| last(&is_transition)),
        _ => last(&is_same),
    }
}

/// Returns true for a transition of a condition that is neither good nor bad by itself.
fn is_transition(one: &Occurrence) -> bool {
    one.change == ChangeSort::Noted && one.what.starts_with("turned ")
}

/// Returns true if the write has the field, or the value of which it is a part.
fn is_written(occurrence: &Occurrence, difference: &Occurrence) -> bool {
    // One write changes several fields: only one difference can be shown with it.
    let Some(path) = difference.fields.first().filter(|_| occurrence.before.is_none()) else { return false };
    occurrence.fields.iter().any(|field| is_part(path, field))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::samples::{object, occurrence};
    use super::*;
    use ucp_core::model::object::ObjectName;

    #[test]
    fn the_last_of_several_equal_occurrences_is_kept() {
        let object = ObjectName { api_version: "v1".into(), kind: "Thing".into(), namespace: None, name: "a".into() };
        let repeated = |second, count| Occurrence {
            count,
            ..Occurrence::at(Timestamp::from_second(second).unwrap(), object.clone(), ChangeSort::Warned, "x")
        };
        let kept = without_duplicates(vec![repeated(2, 1), repeated(1, 1), repeated(2, 5), repeated(2, 9)]);
        assert_eq!(kept.iter().map(|one| (one.time.as_second(), one.count)).collect::<Vec<_>>(), [(1, 1), (2, 9)]);
        let before = repeated(1, 1).with_values(Some("a".into()), Some("b".into()));
        let kept = without_duplicates(vec![before.clone(), Occurrence { before: None, ..before }]);
        assert_eq!(kept[0].before.as_deref(), Some("a"));
    }

    #[test]
    fn a_verdict_has_the_time_of_the_last_transition_to_it() {
        let claim = object("Claim", "orders");
        let noted = |clock: &str, what: &str| Occurrence {
            weight: OccurrenceWeight::Routine,
            ..occurrence(clock, &claim, ChangeSort::Noted, what)
        };
        let difference = Occurrence {
            until: Some("2026-11-20T10:00:00Z".parse().unwrap()),
            certainty: OccurrenceCertainty::Between,
            ..occurrence("09:00:00", &claim, ChangeSort::TurnedBad, "turned Stuck, was OK")
        };
        let mut all = vec![
            noted("09:00:00", "turned not Ready: Creating"),
            noted("09:31:12", "turned not Ready: Waiting"),
            noted("09:40:00", "turned Upgraded true"),
            noted("09:50:00", "SelectedComposition: done"),
        ];
        add_differences(&mut all, vec![difference.clone()]);
        let bad: Vec<_> = all.iter().filter(|one| one.change == ChangeSort::TurnedBad).collect();
        assert_eq!((all.len(), bad.len()), (4, 1), "{all:?}");
        assert_eq!((bad[0].what.as_str(), bad[0].weight), ("turned not Ready: Waiting", OccurrenceWeight::Notable));
        let mut other = vec![noted("09:50:00", "SelectedComposition: done")];
        add_differences(&mut other, vec![difference]);
        assert_eq!(other.len(), 2, "an Event is no transition");
    }

    #[test]
    fn a_difference_belongs_to_the_last_write_after_the_older_snapshot() {
        let config = object("ConfigMap", "env");
        let written = |clock: &str| Occurrence {
            fields: vec!["data.a".to_owned()],
            ..occurrence(clock, &config, ChangeSort::Written, "was changed: data.a")
        };
        let difference = Occurrence {
            until: Some("2026-11-20T10:00:00Z".parse().unwrap()),
            certainty: OccurrenceCertainty::Between,
            ..written("09:00:00").with_values(Some("1".into()), Some("2".into()))
        };
        let owner = |clocks: &[&str]| {
            let mut all: Vec<_> = clocks.iter().map(|clock| written(clock)).collect();
            add_differences(&mut all, vec![difference.clone()]);
            let own = all.iter().filter(|one| one.before.is_some()).map(|one| one.time.to_string());
            own.collect::<Vec<_>>()
        };
        assert_eq!(owner(&["09:00:00", "09:30:00", "09:40:00", "10:00:01"]), ["2026-11-20T09:40:00Z"]);
        assert_eq!(owner(&["09:00:00"]), ["2026-11-20T09:00:00Z"]);
        assert_eq!(owner(&["08:59:59", "10:00:00"]), ["2026-11-20T10:00:00Z"]);
    }

    #[test]
    fn a_difference_gives_its_values_to_the_write_that_made_it() {
        let time = |second| Timestamp::from_second(second).unwrap();
        let object = ObjectName { api_version: "v1".into(), kind: "Thing".into(), namespace: None, name: "a".into() };
        let written = |second, what: &str, field: &str| Occurrence {
            fields: vec![field.to_owned()],
            ..Occurrence::at(time(second), object.clone(), ChangeSort::Written, what)
        };
        let difference = |field: &str| Occurrence {
            until: Some(time(200)),
            certainty: OccurrenceCertainty::Between,
            ..written(100, &format!("was changed: {field}"), field).with_values(Some("1".into()), Some("2".into()))
        };
        let mut all = vec![written(150, "was written, one of 2 fields: spec.size, spec.b", "spec.size")];
        add_differences(&mut all, vec![difference("spec.size"), difference("spec.other")]);
        assert_eq!(all.len(), 2, "{all:?}");
        let exact = all.iter().find(|one| one.certainty == OccurrenceCertainty::Exact).unwrap();
        assert_eq!((exact.what.as_str(), exact.before.as_deref()), ("was changed: spec.size", Some("1")));
    }
}
