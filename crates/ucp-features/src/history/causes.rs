//! Candidates for the cause of a failure: the changes right before it on the path of its dependencies. The rules are
//! documented in `docs/history.md`; none of them makes a candidate certain.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::consequences::absorb_effects;
use super::effect_kind::{TOLERANCE, is_revision};
use super::effects::{Dependencies, DependencyPath, deployed_commits};
use super::evidence::{CandidateCause, Confidence, candidate};
use super::failure_facts::{CauseFacts, FailureFacts};
use super::first_failure::{EPISODE, FailureEvidence, first_failure};
use super::mentions::{MENTIONS, blindness, is_mention, may_refer};
use super::missing::is_missing;
use super::needs::failing_since;
use super::occurrence::{ChangeSort, Occurrence};
use ucp_core::model::object::{ObjectKey, ObjectName};

/// The result of the search for a cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CauseSearch {
    /// The object whose failure is explained.
    pub object: ObjectName,
    /// The `id` of the first report of the failure, if it is in the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_failure: Option<usize>,
    /// The conclusion in one sentence.
    pub conclusion: String,
    /// Candidates, the best first.
    pub candidates: Vec<CandidateCause>,
}

/// The points at which a candidate may be likely, and its distance to the next one.
const LIKELY: i32 = 50;
const CLEARLY: i32 = 10;
/// The points against the last deployment before an object healed.
const CURE: i32 = 40;
/// The points against the absence of an object to which a change began to refer, or may have, if it has enough points itself.
const REFERRED: i32 = 30;
const MAY_REFER: i32 = 20;
const STRONG: i32 = 45;
/// The number of candidates that are returned.
const MOST: usize = 5;

/// Searches the cause of an object's last failure among occurrences that are sorted by time.
pub fn find_causes(
    object: &ObjectName,
    occurrences: &[Occurrence],
    dependencies: &Dependencies<'_, '_>,
    facts: &CauseFacts,
) -> CauseSearch {
    let paths = dependencies.paths(object);
    let path_of = |occurrence: &Occurrence| {
        let objects = std::iter::once(&occurrence.object).chain(&occurrence.also);
        objects.filter_map(|object| paths.get(&ObjectKey::from(object))).min_by_key(|path| path.steps)
    };
    let Some((failure, evidence)) = first_failure(object, occurrences, &path_of) else {
        let conclusion = "no failure of it or of its dependencies is in the data that can be read".to_owned();
        return CauseSearch { object: object.clone(), first_failure: None, conclusion, candidates: Vec::new() };
    };
    if evidence == FailureEvidence::Present {
        let conclusion = "the data do not show since when it has this problem, nor its cause".to_owned();
        return CauseSearch {
            object: object.clone(),
            first_failure: Some(failure),
            conclusion,
            candidates: Vec::new(),
        };
    }
    let reported = &occurrences[failure];
    // Each attempt renews the condition of a failure.
    let start = failing_since(&reported.object, reported.time, occurrences);
    let latest = if start == reported.time { reported.latest() } else { start };
    let messages = episode_messages(occurrences, (start, latest), &path_of);
    let is_candidate = |index: usize, change: &Occurrence| {
        let is_own_report = index == failure && evidence != FailureEvidence::Deletion;
        change.change.may_cause() && !is_own_report && !is_repeated(index, occurrences)
    };
    let is_of_need = path_of(reported).is_some_and(|path| path.is_need);
    let reach = is_of_need.then(|| dependencies.paths(&reported.object));
    let failure_facts = FailureFacts {
        object,
        failure: reported,
        start,
        latest,
        messages: &messages,
        occurrences,
        reach: reach.as_ref(),
        facts,
    };
    let weigh = |index: usize, change: &Occurrence| {
        let commits = match change.change {
            ChangeSort::Deployed => deployed_commits(occurrences, index),
            _ => Vec::new(),
        };
        let commits: Vec<&Occurrence> = commits.into_iter().map(|commit| &occurrences[commit]).collect();
        candidate((index, change), failure_facts, path_of(change)?, &commits)
    };
    let all = || occurrences.iter().enumerate();
    let changes = all().filter(|(index, change)| is_candidate(*index, change));
    let mut candidates: Vec<CandidateCause> = changes.filter_map(|(index, change)| weigh(index, change)).collect();
    absorb_effects(&mut candidates, occurrences, dependencies, facts);
    weigh_missing(&mut candidates, occurrences);
    match evidence {
        FailureEvidence::Healed => weigh_cure(&mut candidates, occurrences),
        _ => weigh_alone(&mut candidates, occurrences),
    }
    if candidates.iter().all(|candidate| candidate.points < LIKELY) {
        // Nothing was changed: a node or a provider that failed by itself is as far as the data lead.
        let is_origin = |one: &Occurrence| {
            one.change == ChangeSort::TurnedBad && path_of(one).is_some_and(|path| path.is_need) && one.time <= latest
        };
        candidates.extend(all().filter(|(_, one)| is_origin(one)).filter_map(|(index, one)| weigh(index, one)));
    }
    candidates.sort_by_key(|candidate| (-candidate.points, std::cmp::Reverse(occurrences[candidate.id].time)));
    candidates.truncate(MOST);
    settle_confidence(&mut candidates, evidence, occurrences);
    let origin =
        candidates.first().map(|first| &occurrences[first.id]).filter(|one| one.change == ChangeSort::TurnedBad);
    let conclusion = match candidates.first().map(|first| first.confidence) {
        _ if evidence == FailureEvidence::Healed => {
            "it healed, and the data do not show when it had failed: changes right before it healed may be the cure"
                .to_owned()
        }
        Some(Confidence::Likely | Confidence::Possible) if origin.is_some() => {
            "it began with the failure of the first candidate, whose cause is not in the data that can be read"
                .to_owned()
        }
        Some(Confidence::Likely) => "likely, not certain: the first candidate".to_owned(),
        Some(Confidence::Possible) => "possible causes, none of them clearly the best".to_owned(),
        _ => "the cause is not in the data that can be read".to_owned(),
    };
    CauseSearch { object: object.clone(), first_failure: Some(failure), conclusion, candidates }
}

/// Returns true for a change that is another view of a change that is known: a write of the declaration and the revision that a
/// controller created because of it. The write counts if it shows the field, otherwise the revision.
fn is_repeated(index: usize, occurrences: &[Occurrence]) -> bool {
    let one = &occurrences[index];
    let is_write = |one: &Occurrence| {
        one.change == ChangeSort::Written && one.fields.iter().any(|field| field.starts_with("spec"))
    };
    let is_pair = |other: &&Occurrence| {
        other.object == one.object && one.time.duration_since(other.time).abs() <= TOLERANCE && *other != one
    };
    let mut others = occurrences.iter().filter(is_pair);
    match (is_revision(one), is_write(one)) {
        (true, _) => others.any(|other| is_write(other) && (other.fields.len() == 1 || one.before.is_none())),
        (_, true) if one.fields.len() > 1 => others.any(|other| is_revision(other) && other.before.is_some()),
        _ => false,
    }
}

/// Returns the messages of the failures on the path within an episode.
fn episode_messages<'a>(
    occurrences: &[Occurrence],
    (start, latest): (Timestamp, Timestamp),
    path_of: &impl Fn(&Occurrence) -> Option<&'a DependencyPath>,
) -> String {
    let in_episode = occurrences.iter().filter(|occurrence| {
        occurrence.change.is_bad()
            && occurrence.time >= start
            && occurrence.time.duration_since(latest) <= EPISODE
            && path_of(occurrence).is_some()
    });
    in_episode.map(|occurrence| occurrence.what.to_ascii_lowercase()).collect::<Vec<_>>().join("\n")
}

/// Adds evidence from the other candidates.
fn weigh_alone(candidates: &mut [CandidateCause], occurrences: &[Occurrence]) {
    let times: BTreeMap<usize, Timestamp> =
        candidates.iter().map(|candidate| (candidate.id, occurrences[candidate.id].time)).collect();
    for candidate in candidates.iter_mut() {
        let time = times[&candidate.id];
        let later = times.iter().filter(|(id, other)| **id != candidate.id && **other > time).count();
        match (later, times.len()) {
            (_, 1) => {
                candidate.points += 10;
                candidate.evidence_for.push("it is the only change on the path in the hours before".to_owned());
            }
            (0, _) => {
                candidate.points += 5;
                candidate.evidence_for.push("it is the last change on the path before the failure".to_owned());
            }
            (later, _) => {
                let changes = if later == 1 { "change on the path is" } else { "changes on the path are" };
                candidate.evidence_against.push(format!("{later} {changes} closer to the failure"));
            }
        }
    }
}

/// Adds evidence against the absence of an object to which another change on the path began to refer, or may have.
fn weigh_missing(candidates: &mut [CandidateCause], occurrences: &[Occurrence]) {
    let is_report = |candidate: &CandidateCause| is_missing(&occurrences[candidate.id]);
    let others: Vec<CandidateCause> = candidates.iter().filter(|one| !is_report(one)).cloned().collect();
    let may_refer = |other: &CandidateCause| may_refer(&occurrences[other.id]) && other.points >= STRONG;
    for candidate in candidates.iter_mut().filter(|one| is_report(one)) {
        let object = &occurrences[candidate.id].object;
        let names = |evidence: &String| evidence.strip_prefix(MENTIONS) == Some(object.name.as_str());
        let refers = |other: &CandidateCause| {
            let change = &occurrences[other.id];
            let is_value = change.after.iter().flat_map(|after| after.split(", ")).any(|value| value == object.name);
            (is_value || change.change == ChangeSort::Deployed) && other.evidence_for.iter().any(names)
        };
        if others.iter().any(refers) {
            candidate.points -= REFERRED;
            candidate.evidence_against.push("a change on the path began to refer to it".to_owned());
        } else if others.iter().any(may_refer) {
            candidate.points -= MAY_REFER;
            candidate.evidence_against.push("a change on the path may have begun to refer to it".to_owned());
        }
    }
}

/// Adds evidence against the last deployment before an object healed, if there was one before it: it replaced what had failed.
fn weigh_cure(candidates: &mut [CandidateCause], occurrences: &[Occurrence]) {
    let deployments = || candidates.iter().filter(|candidate| occurrences[candidate.id].change == ChangeSort::Deployed);
    let Some(last) = deployments().map(|candidate| occurrences[candidate.id].time).max() else { return };
    if deployments().all(|candidate| occurrences[candidate.id].time == last) {
        return;
    }
    // What the deployment wrote is a part of it.
    let is_cure = |one: &Occurrence| one.time >= last.saturating_sub(TOLERANCE).unwrap_or(last);
    for candidate in candidates.iter_mut().filter(|candidate| is_cure(&occurrences[candidate.id])) {
        candidate.points -= CURE;
        candidate.evidence_against.push("it is the last change before it healed, and may be the cure".to_owned());
    }
}

fn settle_confidence(candidates: &mut [CandidateCause], evidence: FailureEvidence, occurrences: &[Occurrence]) {
    let points: Vec<i32> = candidates.iter().map(|candidate| candidate.points).collect();
    for (index, candidate) in candidates.iter_mut().enumerate() {
        let is_first = index == 0 && points.get(1).is_none_or(|next| points[0] - next >= CLEARLY);
        let is_blind = blindness(&occurrences[candidate.id]).is_some()
            && !candidate.evidence_for.iter().any(|evidence| is_mention(evidence));
        let may_be_likely = is_first && !is_blind && evidence != FailureEvidence::Healed;
        candidate.confidence = match candidate.points {
            points if points >= LIKELY && may_be_likely => Confidence::Likely,
            points if points >= 20 => Confidence::Possible,
            _ => Confidence::Unlikely,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{object, occurrence};
    use super::*;

    #[test]
    fn an_object_is_missing_because_of_the_change_that_refers_to_it() {
        let (web, key) = (object("Deployment", "web"), object("Secret", "key"));
        let edit = |field: &str| Occurrence {
            fields: vec![field.to_owned()],
            ..occurrence("03:09:00", &web, ChangeSort::Written, "was changed")
        };
        let missing = Occurrence {
            certainty: super::super::occurrence::OccurrenceCertainty::AtLatest,
            ..occurrence("03:10:00", &key, ChangeSort::Deleted, "was missing")
        };
        let points = |edit: Occurrence, evidence: &str| {
            let candidate = |id, points, evidence: &str| CandidateCause {
                id,
                confidence: Confidence::Possible,
                evidence_for: vec![evidence.to_owned()],
                evidence_against: Vec::new(),
                points,
            };
            let mut both = [candidate(0, 60, evidence), candidate(1, 80, "")];
            weigh_missing(&mut both, &[edit, missing.clone()]);
            both[1].points
        };
        assert_eq!(points(edit("spec.replicas"), ""), 80);
        assert_eq!(points(edit("spec.template.spec.containers[0].envFrom"), ""), 60);
        let refers = edit("spec.secretName").with_values(None, Some("key".into()));
        assert_eq!(points(refers, "the failure mentions key"), 50);
    }

    #[test]
    fn a_write_and_its_revision_are_a_single_change() {
        let web = object("Deployment", "web");
        let fields = |number: usize| (0..number).map(|index| format!("spec.field{index}")).collect::<Vec<_>>();
        let write = |number: usize| {
            let write = occurrence("03:09:00", &web, ChangeSort::Written, "was written");
            Occurrence { fields: fields(number), ..write }
        };
        let revision = occurrence("03:09:01", &web, ChangeSort::Deployed, "got revision 2")
            .with_values(Some("a".into()), Some("b".into()));
        let repeated = |all: [Occurrence; 2]| [is_repeated(0, &all), is_repeated(1, &all)];
        assert_eq!(repeated([write(1), revision.clone()]), [false, true], "the write shows the field");
        assert_eq!(repeated([write(8), revision]), [true, false], "the revision shows the change");
    }
}
