//! `at` of a `History`: the problems at one time in the past, as far as they can be known.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::findings;
use ucp_core::engine::Assessment;
use ucp_core::model::finding::Finding;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::state::Unreadable;
use ucp_core::model::verdict::Verdict;
use ucp_features::history::{ChangeSort, Occurrence, OccurrenceCertainty};

/// The problems at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HistoryMoment {
    /// The time.
    pub time: Timestamp,
    /// The objects that had a problem then, or may have had one.
    pub wrong: Vec<PastProblem>,
    /// The limits of this knowledge.
    pub limits: Vec<String>,
}

/// A problem at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PastProblem {
    /// The object.
    pub object: ObjectName,
    /// The problem.
    pub what: String,
    /// The beginning, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The end, if it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// `exact` if it had the problem at that time; otherwise it may have had it.
    pub certainty: OccurrenceCertainty,
}

/// The findings of one state.
#[derive(Debug, Clone)]
pub struct FindingsAt {
    /// The time of the state.
    pub moment: Timestamp,
    findings: Vec<Finding>,
}

impl FindingsAt {
    /// Returns the findings of an assessment.
    pub fn from_assessment(moment: Timestamp, assessment: &Assessment<'_>) -> Self {
        Self { moment, findings: findings::gather(assessment) }
    }
}

impl HistoryMoment {
    /// Returns the problems at a time, from the findings of states in the order of their time, and from occurrences.
    pub fn at(time: Timestamp, states: &[FindingsAt], occurrences: &[Occurrence], unreadable: &[Unreadable]) -> Self {
        let (mut wrong, mut known): (Vec<PastProblem>, HashSet<ObjectKey>) = (Vec::new(), HashSet::new());
        let mut add = |problem: PastProblem| {
            if known.insert(ObjectKey::from(&problem.object)) {
                wrong.push(problem);
            }
        };
        // A hub has tens of thousands of occurrences.
        let mut by_object: HashMap<&ObjectName, Vec<&Occurrence>> = HashMap::new();
        for occurrence in occurrences {
            by_object.entry(&occurrence.object).or_default().push(occurrence);
        }
        let past = PastStates::new(time, states.iter().rev().find(|state| state.moment < time), &by_object);
        for state in states.iter().filter(|state| state.moment >= time) {
            // What is unknown now was not a problem then.
            for finding in state.findings.iter().filter(|finding| finding.verdict < Verdict::Unknown) {
                let certainty = match finding.since {
                    Some(since) if since <= time => OccurrenceCertainty::Exact,
                    Some(_) => continue,
                    None if past.began_later(&finding.object) => continue,
                    None => OccurrenceCertainty::AtLatest,
                };
                add(problem(finding, certainty));
            }
        }
        for failed in occurrences.iter().filter(|one| one.change == ChangeSort::TurnedBad && one.time <= time) {
            let is_healed = |one: &Occurrence| one.change == ChangeSort::TurnedGood && one.time > failed.time;
            let healed = past.occurrences_of(&failed.object).find(|one| is_healed(one)).map(|one| one.time);
            let certainty = match past.deletion_after(failed) {
                Some(deleted) if deleted.end() <= time => continue,
                Some(deleted) if deleted.time <= time => OccurrenceCertainty::AtLatest,
                _ => OccurrenceCertainty::Exact,
            };
            if failed.certainty == OccurrenceCertainty::Exact && healed.is_none_or(|healed| healed > time) {
                add(PastProblem {
                    object: failed.object.clone(),
                    what: failed.what.clone(),
                    since: Some(failed.time),
                    until: healed,
                    certainty,
                });
            }
        }
        let before = past.before;
        for finding in before.into_iter().flat_map(|state| &state.findings) {
            if finding.verdict < Verdict::Unknown && !past.ended_before(&finding.object) {
                add(problem(finding, OccurrenceCertainty::Between));
            }
        }
        // A transition after this time shows that the object had another state right before it.
        for healed in occurrences.iter().filter(|one| one.change == ChangeSort::TurnedGood && one.time > time) {
            let created = past.occurrences_of(&healed.object).find(|one| one.change == ChangeSort::Created);
            if created.is_some_and(|created| created.time > time) {
                continue;
            }
            let failed = past.occurrences_of(&healed.object).rfind(|one| one.change.is_bad() && one.time <= time);
            let what = match failed {
                Some(failed) => failed.what.clone(),
                None => format!("had another state before it {}", healed.what),
            };
            add(PastProblem {
                object: healed.object.clone(),
                what,
                since: failed.map(|failed| failed.time),
                until: Some(healed.time),
                certainty: if failed.is_some() { OccurrenceCertainty::Exact } else { OccurrenceCertainty::AtLatest },
            });
        }
        wrong.sort_by(|left, right| {
            (left.certainty, left.since, &left.object).cmp(&(right.certainty, right.since, &right.object))
        });
        let mut limits = match before {
            Some(state) => vec![format!("a snapshot shows {}, before that time", state.moment)],
            None => vec![
                "no snapshot shows the time before it: problems that were resolved before, and objects that were \
                 deleted, are not known"
                    .to_owned(),
            ],
        };
        match unreadable {
            [] => {}
            [one] => limits.push(format!("{} could not be read: its problems are not known", one.what)),
            [one, more @ ..] => {
                let number = more.len();
                limits.push(format!("{} and {number} more could not be read: their problems are not known", one.what));
            }
        }
        Self { time, wrong, limits }
    }
}

/// What is known about the time before a moment.
struct PastStates<'a> {
    time: Timestamp,
    /// The last state before it.
    before: Option<&'a FindingsAt>,
    /// The objects with a finding in it.
    wrong_before: HashSet<&'a ObjectName>,
    by_object: &'a HashMap<&'a ObjectName, Vec<&'a Occurrence>>,
}

impl<'a> PastStates<'a> {
    fn new(
        time: Timestamp,
        before: Option<&'a FindingsAt>,
        by_object: &'a HashMap<&'a ObjectName, Vec<&'a Occurrence>>,
    ) -> Self {
        let findings = before.into_iter().flat_map(|state| &state.findings);
        Self { time, before, wrong_before: findings.map(|finding| &finding.object).collect(), by_object }
    }

    /// Returns the occurrences of an object, the oldest first.
    fn occurrences_of(&self, object: &ObjectName) -> impl DoubleEndedIterator<Item = &'a Occurrence> + use<'a> {
        self.by_object.get(object).map(Vec::as_slice).unwrap_or_default().iter().copied()
    }

    /// Returns true if the object turned good, or was deleted, between the last state and the moment.
    fn ended_before(&self, object: &ObjectName) -> bool {
        let Some(before) = self.before else { return false };
        self.occurrences_of(object).any(|one| {
            matches!(one.change, ChangeSort::TurnedGood | ChangeSort::Deleted)
                && one.time > before.moment
                && one.end() <= self.time
        })
    }

    /// Returns true if the last state shows no problem of the object, and its first failure after that state is known to
    /// be later than the moment.
    fn began_later(&self, object: &ObjectName) -> bool {
        let Some(before) = self.before else { return false };
        let first = self.occurrences_of(object).find(|one| one.change.is_bad() && one.end() > before.moment);
        !self.wrong_before.contains(object)
            && first.is_some_and(|one| one.certainty == OccurrenceCertainty::Exact && one.time > self.time)
    }

    fn deletion_after(&self, failed: &Occurrence) -> Option<&'a Occurrence> {
        self.occurrences_of(&failed.object).find(|one| one.change == ChangeSort::Deleted && one.end() >= failed.time)
    }
}

fn problem(finding: &Finding, certainty: OccurrenceCertainty) -> PastProblem {
    PastProblem {
        object: finding.object.clone(),
        what: format!("{} {}: {}", finding.verdict, finding.code, finding.message),
        since: finding.since,
        until: None,
        certainty,
    }
}
