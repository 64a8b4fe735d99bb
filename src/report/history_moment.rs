//! `at` of a `History`: the problems at one time in the past, as far as they can be known.

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::findings;
use ucp_core::engine::Assessment;
use ucp_core::engine::any::{ConditionOutlook, condition_outlook, is_without_good_state};
use ucp_core::model::condition::{Condition, ConditionStatus};
use ucp_core::model::finding::Finding;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_core::model::verdict::Verdict;
use ucp_features::history::{ChangeSort, Occurrence, OccurrenceCertainty};

/// The problems at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HistoryMoment {
    /// The time.
    pub time: Timestamp,
    /// The time of the last snapshot before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Timestamp>,
    /// The objects that had a problem then, or may have had one.
    pub wrong: Vec<PastProblem>,
    /// The limits of this knowledge, as sentences.
    #[schemars(with = "Vec<String>")]
    pub limits: Vec<PastLimit>,
}

/// A limit of the knowledge about one time. A document has it as a sentence, with the time in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub enum PastLimit {
    /// The last snapshot before that time is this old.
    Snapshot(Timestamp),
    /// No snapshot shows the time before it.
    NoSnapshot,
    /// A kind or an object could not be read, and a number of others.
    Unread(String, usize),
}

impl PastLimit {
    /// Returns the limit as a sentence, with its time as a function formats it.
    pub fn to_words(&self, format: impl Fn(Timestamp) -> String) -> String {
        match self {
            Self::Snapshot(time) => format!("a snapshot shows {}, before that time", format(*time)),
            Self::NoSnapshot => {
                "no snapshot shows the time before it: problems that were resolved before, and objects \
                                 that were deleted, are not known"
                    .to_owned()
            }
            Self::Unread(what, 0) => format!("{what} could not be read: its problems are not known"),
            Self::Unread(what, more) => {
                format!("{what} and {more} more could not be read: their problems are not known")
            }
        }
    }
}

impl From<PastLimit> for String {
    fn from(limit: PastLimit) -> Self {
        limit.to_words(|time| time.to_string())
    }
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
    /// The objects that are known to have no problem.
    good: HashSet<ObjectKey>,
}

impl FindingsAt {
    /// Returns the findings of an assessment.
    pub fn from_assessment(state: &ClusterState, assessment: &Assessment<'_>) -> Self {
        let judged = assessment.judged.iter().map(|entry| (entry.resource.key(), entry.judgement.verdict));
        let judged: HashMap<ObjectKey, Verdict> = judged.collect();
        let is_good = |resource: &&Resource| match judged.get(&resource.key()) {
            Some(verdict) => *verdict == Verdict::Ok,
            None => !resource.conditions.is_empty() && resource.conditions.iter().all(|one| !is_doubtful(one)),
        };
        let good = state.resources.iter().filter(is_good).map(Resource::key).collect();
        Self { moment: state.moment, findings: findings::gather(assessment), good }
    }

    /// Returns the findings that concern some objects.
    pub fn within(self, objects: &BTreeSet<ObjectKey>) -> Self {
        let is_within = |finding: &Finding| {
            let mut all = finding.also.iter().chain(&finding.holds_up).chain([&finding.object]);
            all.any(|object| objects.contains(&ObjectKey::from(object)))
        };
        Self { findings: self.findings.into_iter().filter(is_within).collect(), ..self }
    }
}

/// Returns true for a condition that may report a problem.
fn is_doubtful(condition: &Condition) -> bool {
    condition_outlook(condition) == ConditionOutlook::Bad
        || is_without_good_state(condition)
        || condition.status == ConditionStatus::Unknown
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
                match finding.since {
                    Some(since) if since > time => {}
                    // It may be as old as its object, but the first report came later.
                    Some(_) if past.is_reported_later(&finding.object) => {
                        add(PastProblem { since: None, ..problem(finding, OccurrenceCertainty::AtLatest) });
                    }
                    Some(_) => add(problem(finding, OccurrenceCertainty::Exact)),
                    None if past.began_later(&finding.object) => {}
                    None => add(problem(finding, OccurrenceCertainty::AtLatest)),
                }
            }
        }
        for failed in occurrences.iter().filter(|one| one.change == ChangeSort::TurnedBad && one.time <= time) {
            let is_healed = |one: &Occurrence| one.change == ChangeSort::TurnedGood && one.time > failed.time;
            let healed = past.occurrences_of(&failed.object).find(|one| is_healed(one)).map(|one| one.time);
            let certainty = match past.deletion_after(failed) {
                Some(deleted) if deleted.end() <= time => continue,
                Some(deleted) if deleted.time <= time => OccurrenceCertainty::AtLatest,
                _ => past.certainty_of(failed),
            };
            // Nothing may show when it healed, only that it was good later.
            let key = ObjectKey::from(&failed.object);
            let was_good = states.iter().find(|state| state.moment > failed.latest() && state.good.contains(&key));
            let certainty = match was_good.map(|state| state.moment) {
                Some(good) if good <= time => continue,
                Some(_) if healed.is_none() => OccurrenceCertainty::AtLatest,
                _ => certainty,
            };
            if failed.certainty != OccurrenceCertainty::AtLatest && healed.is_none_or(|healed| healed > time) {
                let since = exact_time(failed);
                add(PastProblem {
                    object: failed.object.clone(),
                    what: failed.what.clone(),
                    since,
                    until: healed,
                    certainty,
                });
            }
        }
        let before = past.before;
        for finding in before.into_iter().flat_map(|state| &state.findings) {
            if finding.verdict < Verdict::Unknown && !past.has_ended(finding) {
                add(problem(finding, OccurrenceCertainty::Between));
            }
        }
        // A transition after this time shows that the object had another state right before it.
        for healed in occurrences.iter().filter(|one| one.change == ChangeSort::TurnedGood && one.time > time) {
            let created = past.occurrences_of(&healed.object).find(|one| one.change == ChangeSort::Created);
            if created.is_some_and(|created| created.time > time) || past.began_later(&healed.object) {
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
                since: failed.and_then(exact_time),
                until: Some(healed.time),
                certainty: failed.map_or(OccurrenceCertainty::AtLatest, |failed| past.certainty_of(failed)),
            });
        }
        wrong.sort_by(|left, right| {
            (left.certainty, left.since, &left.object).cmp(&(right.certainty, right.since, &right.object))
        });
        let mut limits = vec![before.map_or(PastLimit::NoSnapshot, |state| PastLimit::Snapshot(state.moment))];
        if let [first, more @ ..] = unreadable {
            limits.push(PastLimit::Unread(first.what.clone(), more.len()));
        }
        Self { time, snapshot: before.map(|state| state.moment), wrong, limits }
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

    /// Returns `Exact` if a failure had begun at the moment, and otherwise `AtLatest`.
    fn certainty_of(&self, failed: &Occurrence) -> OccurrenceCertainty {
        match failed.latest() <= self.time {
            true => OccurrenceCertainty::Exact,
            false => OccurrenceCertainty::AtLatest,
        }
    }

    /// Returns true if a finding of the last state had ended: its object turned good, or all objects that it held up.
    fn has_ended(&self, finding: &Finding) -> bool {
        let holds_up = &finding.holds_up;
        self.ended_before(&finding.object)
            || !holds_up.is_empty() && holds_up.iter().all(|object| self.ended_before(object))
    }

    /// Returns true if all reports about a problem of the object are later than the moment.
    fn is_reported_later(&self, object: &ObjectName) -> bool {
        let first = self.occurrences_of(object).find(|one| one.change == ChangeSort::TurnedBad);
        first.is_some_and(|one| one.certainty == OccurrenceCertainty::Exact && one.time > self.time)
    }

    /// Returns true if the object turned good, or was deleted, between the last state and the moment.
    fn ended_before(&self, object: &ObjectName) -> bool {
        let Some(before) = self.before else { return false };
        self.occurrences_of(object).any(|one| {
            matches!(one.change, ChangeSort::TurnedGood | ChangeSort::Deleted)
                && one.latest() > before.moment
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

/// Returns the time of an occurrence, if it is not only a period.
fn exact_time(one: &Occurrence) -> Option<Timestamp> {
    (one.certainty != OccurrenceCertainty::Between).then_some(one.time)
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

#[cfg(test)]
mod tests;
