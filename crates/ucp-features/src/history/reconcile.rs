//! Combines the occurrences of several snapshots of one cluster with the differences between them.

use std::collections::HashMap;

use super::{ChangeSort, Occurrence, OccurrenceCertainty};
use ucp_core::model::object::ObjectKey;

/// Removes occurrences that several snapshots have, and sorts the others. The last one counts: it has the most repetitions.
pub fn without_duplicates(mut occurrences: Vec<Occurrence>) -> Vec<Occurrence> {
    fn identity(one: &Occurrence) -> impl Ord + '_ {
        (one.time, one.object.key_ref(), one.what.as_str(), one.change)
    }
    // Fourteen nights have hundreds of thousands: none is copied.
    occurrences.sort_by(|left, right| identity(left).cmp(&identity(right)));
    occurrences.dedup_by(|later, kept| {
        let is_same = identity(later) == identity(kept);
        if is_same {
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
        let own = by_object.get(&ObjectKey::from(&difference.object)).into_iter().flatten();
        let exact = own.copied().find(|index| explains(&occurrences[*index], &difference));
        match (exact.map(|index| &mut occurrences[index]), difference.change) {
            (Some(exact), ChangeSort::Written) => {
                exact.what.clone_from(&difference.what);
                exact.fields.clone_from(&difference.fields);
                exact.before = difference.before;
                exact.after = difference.after;
            }
            (Some(_), _) => {}
            (None, _) => left.push(difference),
        }
    }
    occurrences.extend(left);
    occurrences.sort_by(|left, right| (left.time, &left.object).cmp(&(right.time, &right.object)));
}

fn explains(occurrence: &Occurrence, difference: &Occurrence) -> bool {
    let is_same = occurrence.certainty != OccurrenceCertainty::Between
        && occurrence.change == difference.change
        && occurrence.object.key_ref() == difference.object.key_ref()
        && (difference.time..=difference.end()).contains(&occurrence.time);
    is_same && (difference.change != ChangeSort::Written || is_written(occurrence, difference))
}

/// Returns true if the write has the field, or the value of which it is a part.
fn is_written(occurrence: &Occurrence, difference: &Occurrence) -> bool {
    // One write changes several fields: only one difference can be shown with it.
    let Some(path) = difference.fields.first().filter(|_| occurrence.before.is_none()) else { return false };
    occurrence.fields.iter().any(|field| {
        path.strip_prefix(field.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

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
