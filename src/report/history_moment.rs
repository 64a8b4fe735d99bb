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
                _ => past.certainty_of(failed),
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
mod tests {
    use super::*;

    fn time(clock: &str) -> Timestamp {
        format!("2026-11-28T{clock}:00Z").parse().unwrap()
    }

    fn object(kind: &str) -> ObjectName {
        ObjectName { api_version: "example.org/v1".into(), kind: kind.into(), namespace: None, name: "orders".into() }
    }

    fn occurrence(from: &str, until: Option<&str>, kind: &str, change: ChangeSort) -> Occurrence {
        Occurrence {
            until: until.map(time),
            certainty: until.map_or(OccurrenceCertainty::Exact, |_| OccurrenceCertainty::Between),
            ..Occurrence::at(time(from), object(kind), change, "turned")
        }
    }

    fn states(findings: Vec<Finding>) -> [FindingsAt; 3] {
        let state = |clock: &str, findings| FindingsAt { moment: time(clock), findings };
        [state("09:00", Vec::new()), state("10:00", findings), state("11:00", Vec::new())]
    }

    fn wrong(clock: &str, states: &[FindingsAt], occurrences: &[Occurrence]) -> Vec<(String, OccurrenceCertainty)> {
        let moment = HistoryMoment::at(time(clock), states, occurrences, &[]);
        moment.wrong.into_iter().map(|problem| (problem.object.kind, problem.certainty)).collect()
    }

    #[test]
    fn a_failure_between_two_snapshots_is_uncertain_in_that_period_and_certain_after_it() {
        let healed = occurrence("10:26", None, "Claim", ChangeSort::TurnedGood);
        let all = [occurrence("09:00", Some("10:00"), "Claim", ChangeSort::TurnedBad), healed.clone()];
        let at = |clock: &str| wrong(clock, &states(Vec::new()), &all);
        assert_eq!(at("09:15"), [("Claim".to_owned(), OccurrenceCertainty::AtLatest)]);
        assert_eq!(at("10:10"), [("Claim".to_owned(), OccurrenceCertainty::Exact)]);
        assert_eq!(at("10:50"), []);
        let exact = [occurrence("09:31", None, "Claim", ChangeSort::TurnedBad), healed];
        assert_eq!(wrong("09:15", &states(Vec::new()), &exact), [], "it was good at nine, and failed later");
    }

    #[test]
    fn a_finding_ends_when_all_objects_that_it_blocked_are_good() {
        let finding = Finding {
            code: "UCP105".to_owned(),
            verdict: Verdict::Failed,
            object: object("ProviderConfig"),
            since: Some(time("09:31")),
            after: None,
            message: "refused".to_owned(),
            hint: None,
            also: Vec::new(),
            holds_up: vec![object("Claim"), object("Instance")],
        };
        let states = states(vec![finding]);
        let good = |kind: &str| occurrence("10:26", None, kind, ChangeSort::TurnedGood);
        assert_eq!(wrong("10:50", &states, &[good("Claim"), good("Instance")]), []);
        let seen = ("ProviderConfig".to_owned(), OccurrenceCertainty::Between);
        assert_eq!(wrong("10:50", &states, &[good("Claim")]), [seen]);
    }
}
