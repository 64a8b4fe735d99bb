//! The present problem of an object whose failure is not in its past: its engine judges it by more than its conditions.

use super::conditions::is_of_whole;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty};
use ucp_core::engine::{self, AssessmentClock};
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::state::ClusterState;
use ucp_core::model::verdict::Verdict;

/// The beginning of the sentence about a problem whose beginning is not known.
const PRESENT: &str = "is now ";

/// Returns the present problem of an object, at its beginning, or at the latest at the time of the state.
pub fn present_problem(state: &ClusterState, root: &ObjectKey, clock: &AssessmentClock) -> Option<Occurrence> {
    let assessment = engine::assess(state, clock);
    let index = assessment.judged.iter().position(|entry| entry.resource.key() == *root)?;
    let entry = &assessment.judged[index];
    let own = entry.judgement.problems.iter().map(|problem| (problem, None));
    let holding = assessment.causes.iter().filter(|cause| cause.holds_up.contains(&index));
    let mut all = own.chain(holding.map(|cause| (&cause.problem, Some(&cause.object))));
    let is_bad = |verdict: Verdict| verdict <= Verdict::Stuck;
    let (problem, holder) = all.find(|(problem, _)| is_bad(problem.code.info().verdict))?;
    let info = problem.code.info();
    let holder = holder.map(|holder| format!(", because of {}", holder.kind_and_name())).unwrap_or_default();
    let what = format!("{} {}{holder}: {}", info.verdict, info.code, problem.message);
    let turned_bad = |time, what: String| Occurrence::at(time, entry.resource.name(), ChangeSort::TurnedBad, what);
    Some(match problem.since.filter(|since| *since <= state.moment) {
        Some(since) => turned_bad(since, format!("turned {what}")),
        None => Occurrence {
            certainty: OccurrenceCertainty::AtLatest,
            ..turned_bad(state.moment, format!("{PRESENT}{what}"))
        },
    })
}

/// Returns true for the problem of an object of which nothing shows when it began.
pub(super) fn is_present(one: &Occurrence) -> bool {
    one.change == ChangeSort::TurnedBad
        && one.certainty == OccurrenceCertainty::AtLatest
        && one.what.starts_with(PRESENT)
}

/// Adds the present problem of an object, unless its last failure is known. Occurrences are sorted by time.
pub fn add_problem(occurrences: &mut Vec<Occurrence>, problem: Option<Occurrence>) {
    let Some(problem) = problem else { return };
    let is_own = |object: &ObjectName| ObjectKey::from(object) == ObjectKey::from(&problem.object);
    let mut own = occurrences.iter().rev().filter(|one| one.objects().any(is_own));
    let last = own.find(|one| match one.change {
        ChangeSort::TurnedBad => true,
        ChangeSort::TurnedGood => is_of_whole(one),
        _ => false,
    });
    if last.is_none_or(|last| last.change != ChangeSort::TurnedBad) {
        let place = occurrences.partition_point(|one| one.time <= problem.time);
        occurrences.insert(place, problem);
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{object, occurrence};
    use super::*;

    #[test]
    fn a_present_problem_is_added_unless_its_failure_is_known() {
        let web = object("Deployment", "web");
        let problem = occurrence("03:12:00", &web, ChangeSort::TurnedBad, "is now Drifted UCP204: out of sync");
        let problem = Occurrence { certainty: OccurrenceCertainty::AtLatest, ..problem };
        assert!(is_present(&problem));
        let added = |change: ChangeSort, what: &str| {
            let mut all = vec![occurrence("02:00:00", &web, change, what)];
            add_problem(&mut all, Some(problem.clone()));
            all.len() == 2
        };
        assert!(added(ChangeSort::TurnedGood, "turned Healthy"));
        assert!(!added(ChangeSort::TurnedBad, "turned Degraded"));
        assert!(added(ChangeSort::Deployed, "synced a"));
    }
}
