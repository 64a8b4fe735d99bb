//! Revisions of Helm releases. Each snapshot has the status of its time: `deployed`, `failed`, `superseded`.

use std::collections::{BTreeSet, HashMap};

use super::occurrence::Occurrence;
use ucp_core::model::object::ObjectName;

/// The beginnings of sentences about a revision; its status is behind the last colon.
const BEGINNINGS: [&str; 2] = ["released ", "holds release "];

/// Keeps one occurrence for each revision of a release. The occurrences of older snapshots come first.
pub(super) fn one_per_revision(occurrences: &mut Vec<Occurrence>) {
    let mut known: HashMap<(ObjectName, String), usize> = HashMap::new();
    let mut repeated = BTreeSet::new();
    for index in 0..occurrences.len() {
        let Some((revision, status)) = revision(&occurrences[index]) else { continue };
        let is_failure = status == "failed";
        let key = (occurrences[index].object.clone(), revision.to_owned());
        let Some(first) = known.get(&key).copied() else {
            known.insert(key, index);
            continue;
        };
        repeated.insert(index);
        let later = occurrences[index].clone();
        let kept = &mut occurrences[first];
        // That it failed is worth more than that it was superseded.
        if !kept.what.ends_with(": failed") {
            kept.what = later.what;
            if is_failure {
                (kept.change, kept.time) = (later.change, later.time);
            }
        }
        // The release before it may be gone from a later snapshot.
        kept.before = kept.before.take().or(later.before);
    }
    let mut index = 0..;
    occurrences.retain(|_| index.next().is_none_or(|index| !repeated.contains(&index)));
}

/// Returns the revision and the status in a sentence.
fn revision(one: &Occurrence) -> Option<(&str, &str)> {
    let is_release = BEGINNINGS.iter().any(|beginning| one.what.starts_with(beginning));
    one.what.rsplit_once(": ").filter(|_| is_release)
}

#[cfg(test)]
mod tests {
    use super::super::occurrence::ChangeSort;
    use super::super::samples::{object, occurrence};
    use super::*;

    #[test]
    fn a_release_revision_in_several_snapshots_is_a_single_occurrence() {
        let release = object("HelmRelease", "redis");
        let one = |status: &str| {
            occurrence(
                "09:13:00",
                &release,
                ChangeSort::Deployed,
                &format!("released redis 2.0.0, revision 2: {status}"),
            )
        };
        let failed = one("failed").with_values(Some("redis 1.0.0".into()), Some("redis 2.0.0".into()));
        let other =
            occurrence("09:27:00", &release, ChangeSort::Deployed, "released redis 2.0.1, revision 3: deployed");
        let mut all = vec![failed.clone(), one("superseded"), other.clone()];
        one_per_revision(&mut all);
        assert_eq!(all, [failed, other]);
        let mut all = vec![one("pending-upgrade"), one("deployed"), one("superseded")];
        one_per_revision(&mut all);
        assert_eq!(all, [one("superseded")]);
    }
}
