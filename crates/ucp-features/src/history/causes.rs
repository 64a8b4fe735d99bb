//! Candidates for the cause of a failure: the changes right before it on the path of its dependencies. The rules are
//! documented in `docs/history.md`; none of them makes a candidate certain.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::effects::{DependencyPath, deployed_commit};
use super::{ActorKind, ChangeSort, Dependencies, Occurrence, OccurrenceCertainty};
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::time::human_duration;

/// A change that may have caused a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CandidateCause {
    /// The `id` of the occurrence.
    pub id: usize,
    /// How well the evidence supports it.
    pub confidence: Confidence,
    /// Evidence for it.
    pub evidence_for: Vec<String>,
    /// Evidence against it.
    pub evidence_against: Vec<String>,
    /// The sum of the points of its evidence.
    pub points: i32,
}

/// How well the evidence supports a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Confidence {
    /// More than one kind of evidence, and clearly more than for any other candidate.
    Likely,
    /// It fits.
    Possible,
    /// It fits badly.
    Unlikely,
}

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

/// Changes longer before a failure are no candidates.
const LONG_BEFORE: SignedDuration = SignedDuration::from_hours(6);
/// Clocks differ, and controllers report failures late.
const TOLERANCE: SignedDuration = SignedDuration::from_secs(5);
/// Failures that are closer than this belong together.
const EPISODE: SignedDuration = SignedDuration::from_mins(30);
/// The points at which a candidate may be likely, and its distance to the next one.
const LIKELY: i32 = 50;
const CLEARLY: i32 = 10;
/// The number of candidates that are returned.
const MOST: usize = 5;

/// Searches the cause of an object's last failure among occurrences that are sorted by time.
pub fn find_causes(
    object: &ObjectName,
    occurrences: &[Occurrence],
    dependencies: &mut Dependencies<'_, '_>,
) -> CauseSearch {
    let paths = dependencies.find(object).clone();
    let path_of = |occurrence: &Occurrence| {
        let objects = std::iter::once(&occurrence.object).chain(&occurrence.also);
        objects.filter_map(|object| paths.get(&ObjectKey::from(object))).min_by_key(|path| path.steps)
    };
    let Some(failure) = first_failure(object, occurrences, &path_of) else {
        let conclusion = "no failure of it or of its dependencies is in the data that can be read".to_owned();
        return CauseSearch { object: object.clone(), first_failure: None, conclusion, candidates: Vec::new() };
    };
    let reported = &occurrences[failure];
    let messages = episode_messages(occurrences, reported.time, &path_of);
    let mut candidates: Vec<CandidateCause> = occurrences
        .iter()
        .enumerate()
        .filter(|(index, change)| *index != failure && change.change.may_cause())
        .filter_map(|(index, change)| {
            let commit = deployed_commit(occurrences, index).filter(|_| change.change == ChangeSort::Deployed);
            candidate((index, change), reported, path_of(change)?, &messages, commit.map(|commit| &occurrences[commit]))
        })
        .collect();
    weigh_alone(&mut candidates, occurrences);
    candidates.sort_by_key(|candidate| (-candidate.points, std::cmp::Reverse(occurrences[candidate.id].time)));
    candidates.truncate(MOST);
    settle_confidence(&mut candidates);
    let conclusion = match candidates.first().map(|first| first.confidence) {
        Some(Confidence::Likely) => "likely, not certain: the first candidate".to_owned(),
        Some(Confidence::Possible) => "possible causes, none of them clearly the best".to_owned(),
        _ => "the cause is not in the data that can be read".to_owned(),
    };
    CauseSearch { object: object.clone(), first_failure: Some(failure), conclusion, candidates }
}

/// Returns the first report of the last failure: of the object, or of something that it depends on right before.
fn first_failure<'a>(
    object: &ObjectName,
    occurrences: &[Occurrence],
    path_of: &impl Fn(&Occurrence) -> Option<&'a DependencyPath>,
) -> Option<usize> {
    let key = ObjectKey::from(object);
    let is_own = |occurrence: &Occurrence| {
        ObjectKey::from(&occurrence.object) == key || occurrence.also.iter().any(|other| ObjectKey::from(other) == key)
    };
    let all = || occurrences.iter().enumerate().rev();
    let own = all().find(|(_, occurrence)| occurrence.change == ChangeSort::TurnedBad && is_own(occurrence));
    let related = || all().find(|(_, other)| other.change.is_bad() && path_of(other).is_some());
    // A transition back shows that there was a failure before.
    let healed = || {
        let is_late = |occurrence: &Occurrence| occurrence.change == ChangeSort::TurnedGood && is_own(occurrence);
        all().find(|(_, occurrence)| is_late(occurrence))
    };
    let (mut first, occurrence) = own.or_else(related).or_else(healed)?;
    let mut start = occurrence.time;
    for (index, earlier) in occurrences[..first].iter().enumerate().rev() {
        if start.duration_since(earlier.end()) > EPISODE {
            break;
        }
        if earlier.change.is_bad() && path_of(earlier).is_some() {
            (first, start) = (index, earlier.time);
        }
    }
    Some(first)
}

/// Returns the messages of the failures on the path within an episode.
fn episode_messages<'a>(
    occurrences: &[Occurrence],
    start: Timestamp,
    path_of: &impl Fn(&Occurrence) -> Option<&'a DependencyPath>,
) -> String {
    let in_episode = occurrences.iter().filter(|occurrence| {
        occurrence.change.is_bad()
            && occurrence.time >= start
            && occurrence.time.duration_since(start) <= EPISODE
            && path_of(occurrence).is_some()
    });
    in_episode.map(|occurrence| occurrence.what.to_ascii_lowercase()).collect::<Vec<_>>().join("\n")
}

fn candidate(
    (id, change): (usize, &Occurrence),
    failure: &Occurrence,
    path: &DependencyPath,
    messages: &str,
    commit: Option<&Occurrence>,
) -> Option<CandidateCause> {
    let lead = failure.time.duration_since(change.time);
    if lead > LONG_BEFORE || lead < -TOLERANCE {
        return None;
    }
    let (mut points, mut evidence_for, mut evidence_against) = (0, Vec::new(), Vec::new());
    let mut add = |value: i32, text: String| {
        points += value;
        if value > 0 { evidence_for.push(text) } else { evidence_against.push(text) }
    };
    let ago = human_duration(lead.as_secs().max(0));
    match lead {
        lead if lead <= SignedDuration::from_mins(1) => add(30, format!("{ago} before the first failure")),
        lead if lead <= SignedDuration::from_mins(5) => add(20, format!("{ago} before the first failure")),
        lead if lead <= SignedDuration::from_mins(30) => add(10, format!("{ago} before the first failure")),
        _ => add(-10, format!("{ago} before the first failure, which is long")),
    }
    let steps = i32::try_from(path.steps).unwrap_or(i32::MAX);
    match path.steps {
        0 => add(25, "it is a change of the object itself".to_owned()),
        _ => {
            let names: Vec<String> = path.objects.iter().map(ObjectName::kind_and_name).collect();
            add((24 - 3 * steps).max(3), format!("it is on the path: {}", names.join(" -> ")));
        }
    }
    if let Some(word) = mentioned(change, messages) {
        add(30, format!("the failure mentions {word}"));
    }
    if let Some(commit) = commit {
        let author = commit.by.as_ref().map(|by| format!(" by {}", by.name)).unwrap_or_default();
        add(5, format!("it deployed {}{author}", commit.what));
    }
    match change.change {
        ChangeSort::Written | ChangeSort::Deployed | ChangeSort::DeletionRequested | ChangeSort::Deleted => {}
        ChangeSort::Created => add(-15, "a new object is rarely the cause of a failure of others".to_owned()),
        _ => add(-10, "a restart is more often an effect".to_owned()),
    }
    match &change.by {
        Some(by) if by.kind == ActorKind::User => add(10, "it was made by hand".to_owned()),
        Some(by) if change.change == ChangeSort::Written && !by.applies_from_git() => {
            add(-15, format!("{} writes fields while it works", by.name));
        }
        _ => {}
    }
    if change.what.contains("one of ") {
        add(-5, "the data do not show which of the fields changed then".to_owned());
    }
    if change.certainty == OccurrenceCertainty::Between {
        add(-5, "the time is only known as a period".to_owned());
    }
    Some(CandidateCause { id, confidence: Confidence::Possible, evidence_for, evidence_against, points })
}

/// Returns a word of a change that the messages of the failure contain: a new value, an object, or a field.
fn mentioned(change: &Occurrence, messages: &str) -> Option<String> {
    let field = change.fields.iter().filter_map(|path| path.rsplit('.').next()).map(str::to_owned);
    let name = Some(change.object.name.clone());
    let words = change.after.iter().flat_map(|after| after.split(", ").map(str::to_owned)).chain(name).chain(field);
    let long_enough = words.filter(|word| word.len() >= 5);
    long_enough.into_iter().find(|word| messages.contains(&word.to_ascii_lowercase()))
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

fn settle_confidence(candidates: &mut [CandidateCause]) {
    let points: Vec<i32> = candidates.iter().map(|candidate| candidate.points).collect();
    for (index, candidate) in candidates.iter_mut().enumerate() {
        let is_first = index == 0 && points.get(1).is_none_or(|next| points[0] - next >= CLEARLY);
        candidate.confidence = match candidate.points {
            points if points >= LIKELY && is_first => Confidence::Likely,
            points if points >= 20 => Confidence::Possible,
            _ => Confidence::Unlikely,
        };
    }
}
