//! Combines the occurrences of several snapshots of one cluster with the differences between them.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{ChangeSort, Occurrence, OccurrenceCertainty};
use ucp_core::model::object::ObjectKey;

/// Removes occurrences that several snapshots have. The last one counts: it has the most repetitions.
pub fn without_duplicates(occurrences: Vec<Occurrence>) -> Vec<Occurrence> {
    let mut kept: BTreeMap<(Timestamp, ObjectKey, String, ChangeSort), Occurrence> = BTreeMap::new();
    for occurrence in occurrences {
        let key = (occurrence.time, ObjectKey::from(&occurrence.object), occurrence.what.clone(), occurrence.change);
        kept.insert(key, occurrence);
    }
    kept.into_values().collect()
}

/// Adds differences between snapshots. A difference that an occurrence with an exact time explains gives that one its
/// values, and is not added.
pub fn add_differences(occurrences: &mut Vec<Occurrence>, differences: Vec<Occurrence>) {
    if differences.is_empty() {
        return;
    }
    let mut left = Vec::new();
    for difference in differences {
        let exact = occurrences.iter_mut().find(|occurrence| explains(occurrence, &difference));
        match (exact, difference.change) {
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
    use super::*;
    use ucp_core::model::object::ObjectName;

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
