//! The first report of the last failure of an object: of the object itself, or of something that it depends on right before.

use std::cmp::Reverse;

use jiff::{SignedDuration, Timestamp};

use super::conditions::is_of_whole;
use super::effects::DependencyPath;
use super::occurrence::{ChangeSort, Occurrence};
use super::present::is_present;
use ucp_core::model::object::{ObjectKey, ObjectName};

/// Failures that are closer than this belong together.
pub(super) const EPISODE: SignedDuration = SignedDuration::from_mins(30);
/// How the beginning of a failure is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureEvidence {
    /// It was reported.
    Reported,
    /// The object waits for its deletion.
    Deletion,
    /// It exists, and nothing shows since when.
    Present,
    /// Only its end is known: the object reports no problem since then.
    Healed,
}

/// Returns the first report of the last failure. `occurrences` are sorted by time.
pub(super) fn first_failure<'a>(
    object: &ObjectName,
    occurrences: &[Occurrence],
    path_of: &impl Fn(&Occurrence) -> Option<&'a DependencyPath>,
) -> Option<(usize, FailureEvidence)> {
    let key = ObjectKey::from(object);
    let is_own = |occurrence: &Occurrence| {
        ObjectKey::from(&occurrence.object) == key || occurrence.also.iter().any(|other| ObjectKey::from(other) == key)
    };
    let last = |is_chosen: &dyn Fn(&Occurrence) -> bool| {
        let chosen = occurrences.iter().enumerate().filter(|(_, one)| is_chosen(one));
        chosen.max_by_key(|(_, one)| one.latest()).map(|(index, _)| index)
    };
    let own = |change: ChangeSort| last(&|one| one.change == change && is_own(one) && !is_present(one));
    let reported = own(ChangeSort::TurnedBad).map(|index| (index, FailureEvidence::Reported));
    let deletion = || own(ChangeSort::DeletionRequested).map(|index| (index, FailureEvidence::Deletion));
    let related = || {
        let index = last(&|other| other.change.is_bad() && path_of(other).is_some() && !is_present(other))?;
        Some((index, FailureEvidence::Reported))
    };
    let present = || Some((last(&|one| is_present(one) && is_own(one))?, FailureEvidence::Present));
    // A transition back shows that there was a failure before.
    let healed = || own(ChangeSort::TurnedGood).map(|index| (index, FailureEvidence::Healed));
    let (mut first, evidence) = reported.or_else(deletion).or_else(related).or_else(present).or_else(healed)?;
    if matches!(evidence, FailureEvidence::Deletion | FailureEvidence::Present) {
        return Some((first, evidence));
    }
    // What the object recovered from is another failure.
    let reported = &occurrences[first];
    let was_good = |one: &&Occurrence| {
        one.change == ChangeSort::TurnedGood && is_own(one) && is_of_whole(one) && one.time < reported.time
    };
    let good_until = occurrences.iter().filter(was_good).map(|one| one.time).max().unwrap_or(Timestamp::MIN);
    let is_related =
        |(_, one): &(usize, &Occurrence)| one.change.is_bad() && one.latest() > good_until && path_of(one).is_some();
    let mut related: Vec<(usize, &Occurrence)> = occurrences.iter().enumerate().filter(is_related).collect();
    related.sort_by_key(|(index, one)| Reverse((one.latest(), *index)));
    for (index, earlier) in related {
        let known = &occurrences[first];
        let is_before = (earlier.latest(), index) < (known.latest(), first);
        // A warning that is repeated for a long time is another problem.
        let is_near = known.time.duration_since(earlier.latest()) <= EPISODE;
        if is_before && is_near && !was_healed(earlier, known, occurrences) {
            first = index;
        }
    }
    Some((first, evidence))
}

/// Returns true if the object of a failure was good again before a later failure.
fn was_healed(failure: &Occurrence, later: &Occurrence, occurrences: &[Occurrence]) -> bool {
    failure.object != later.object
        && occurrences.iter().any(|one| {
            one.change == ChangeSort::TurnedGood
                && one.object == failure.object
                && one.time > failure.time
                && one.time < later.time
                && is_of_whole(one)
        })
}

#[cfg(test)]
mod tests {
    use super::super::occurrence::OccurrenceCertainty;
    use super::super::samples::{object, occurrence};
    use super::*;

    fn first(occurrences: &[Occurrence]) -> Option<usize> {
        let path = DependencyPath { steps: 1, objects: Vec::new(), is_need: false };
        first_failure(&object("Deployment", "web"), occurrences, &|_| Some(&path)).map(|(index, _)| index)
    }

    #[test]
    fn a_failure_of_an_owner_that_healed_before_is_not_the_beginning() {
        let (owner, web) = (object("Kustomization", "apps"), object("Deployment", "web"));
        let bad = occurrence("09:16:00", &owner, ChangeSort::TurnedBad, "turned not Ready");
        let good = occurrence("09:26:00", &owner, ChangeSort::TurnedGood, "turned Ready");
        let failed = occurrence("09:29:00", &web, ChangeSort::TurnedBad, "turned ReplicaFailure");
        assert_eq!(first(&[bad.clone(), good, failed.clone()]), Some(2));
        assert_eq!(first(&[bad, failed]), Some(0));
    }

    #[test]
    fn the_first_failure_is_the_earliest_since_the_object_was_good() {
        let (owner, web) = (object("Kustomization", "apps"), object("Deployment", "web"));
        let warned = occurrence("09:10:00", &owner, ChangeSort::Warned, "x");
        let bad = |clock: &str| occurrence(clock, &web, ChangeSort::TurnedBad, "turned not Available");
        let good = |what: &str| occurrence("09:20:00", &web, ChangeSort::TurnedGood, what);
        assert_eq!(first(&[warned.clone(), bad("09:11:00"), good("turned Available"), bad("09:30:00")]), Some(3));
        assert_eq!(first(&[warned, bad("09:11:00"), good("turned Synced"), bad("09:30:00")]), Some(0));
    }

    #[test]
    fn an_exact_report_is_before_a_period_in_which_it_is() {
        let (part, web) = (object("ReplicaSet", "web-1"), object("Deployment", "web"));
        let failed = Occurrence {
            until: Some("2026-11-20T10:00:00Z".parse().unwrap()),
            certainty: OccurrenceCertainty::Between,
            ..occurrence("09:00:00", &web, ChangeSort::TurnedBad, "turned Failed, was OK")
        };
        let warned = occurrence("09:05:00", &part, ChangeSort::Warned, "FailedCreate");
        assert_eq!(first(&[failed, warned]), Some(1));
    }
}
