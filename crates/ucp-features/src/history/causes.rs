//! Candidates for the cause of a failure: the changes right before it on the path of its dependencies. The rules are
//! documented in `docs/history.md`; none of them makes a candidate certain.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::commits::{DeploymentIdentity, identity_of};
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
/// A change with the latest time at which it happened may have happened this long before.
const LATE: SignedDuration = SignedDuration::from_mins(10);
/// An object that was healthy this long before a failure did not fail because of an earlier change.
const CALM: SignedDuration = SignedDuration::from_secs(30);
/// Words of failures about credentials, in lower case.
const CREDENTIALS: [&str; 9] = [
    "authentication",
    "authorization failed",
    "unauthorized",
    "invalid credentials",
    "access denied",
    "accessdenied",
    "bad credentials",
    "password",
    "invalid token",
];
/// Clocks differ, and controllers report failures late.
const TOLERANCE: SignedDuration = SignedDuration::from_secs(5);
/// Failures that are closer than this belong together.
const EPISODE: SignedDuration = SignedDuration::from_mins(30);
/// The points at which a candidate may be likely, and its distance to the next one.
const LIKELY: i32 = 50;
const CLEARLY: i32 = 10;
/// The number of candidates that are returned.
const MOST: usize = 5;

/// How the beginning of a failure is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailureEvidence {
    /// It was reported.
    Reported,
    /// The object waits for its deletion.
    Deletion,
    /// Only its end is known: the object reports no problem since then.
    Healed,
}

/// What is known of the changes before a failure, besides the occurrences.
#[derive(Debug, Default)]
pub struct CauseFacts {
    /// The objects that failures mention.
    pub obstacles: BTreeSet<ObjectKey>,
    /// The deployments of which no commit changes the deployed path.
    pub unchanged: BTreeSet<DeploymentIdentity>,
}

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
    let reported = &occurrences[failure];
    let messages = episode_messages(occurrences, reported.time, &path_of);
    let is_candidate = |index: usize, change: &Occurrence| {
        let is_own_report = index == failure && evidence != FailureEvidence::Deletion;
        change.change.may_cause() && !is_own_report && !is_repeated(index, occurrences)
    };
    let weigh = |index: usize, change: &Occurrence| {
        let commit = deployed_commit(occurrences, index).filter(|_| change.change == ChangeSort::Deployed);
        let facts = FailureFacts { object, failure: reported, messages: &messages, occurrences, facts };
        candidate((index, change), facts, path_of(change)?, commit.map(|commit| &occurrences[commit]))
    };
    let all = || occurrences.iter().enumerate();
    let changes = all().filter(|(index, change)| is_candidate(*index, change));
    let mut candidates: Vec<CandidateCause> = changes.filter_map(|(index, change)| weigh(index, change)).collect();
    weigh_alone(&mut candidates, occurrences);
    if candidates.iter().all(|candidate| candidate.points < LIKELY) {
        // Nothing was changed: a node or a provider that failed by itself is as far as the data lead.
        let is_origin = |one: &Occurrence| {
            one.change == ChangeSort::TurnedBad
                && path_of(one).is_some_and(|path| path.is_need)
                && one.time <= reported.time
        };
        candidates.extend(all().filter(|(_, one)| is_origin(one)).filter_map(|(index, one)| weigh(index, one)));
    }
    candidates.sort_by_key(|candidate| (-candidate.points, std::cmp::Reverse(occurrences[candidate.id].time)));
    candidates.truncate(MOST);
    settle_confidence(&mut candidates, evidence);
    let conclusion = match candidates.first().map(|first| first.confidence) {
        _ if evidence == FailureEvidence::Healed => {
            "it healed, and the data do not show when it had failed: changes right before it healed may be the cure"
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
    let is_revision = |one: &Occurrence| one.what.starts_with("got revision");
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

/// Returns the first report of the last failure: of the object, or of something that it depends on right before.
fn first_failure<'a>(
    object: &ObjectName,
    occurrences: &[Occurrence],
    path_of: &impl Fn(&Occurrence) -> Option<&'a DependencyPath>,
) -> Option<(usize, FailureEvidence)> {
    let key = ObjectKey::from(object);
    let is_own = |occurrence: &Occurrence| {
        ObjectKey::from(&occurrence.object) == key || occurrence.also.iter().any(|other| ObjectKey::from(other) == key)
    };
    let all = || occurrences.iter().enumerate().rev();
    let own = |change: ChangeSort| {
        all().find(|(_, occurrence)| occurrence.change == change && is_own(occurrence)).map(|(index, _)| index)
    };
    let related = || {
        let is_related = |other: &Occurrence| other.change.is_bad() && path_of(other).is_some();
        all().find(|(_, other)| is_related(other)).map(|(index, _)| index)
    };
    let reported = own(ChangeSort::TurnedBad).map(|index| (index, FailureEvidence::Reported));
    let deletion = || own(ChangeSort::DeletionRequested).map(|index| (index, FailureEvidence::Deletion));
    let related = || related().map(|index| (index, FailureEvidence::Reported));
    // A transition back shows that there was a failure before.
    let healed = || own(ChangeSort::TurnedGood).map(|index| (index, FailureEvidence::Healed));
    let (mut first, evidence) = reported.or_else(deletion).or_else(related).or_else(healed)?;
    let mut start = occurrences[first].time;
    for (index, earlier) in occurrences[..first].iter().enumerate().rev() {
        if start.duration_since(earlier.end()) > EPISODE || evidence == FailureEvidence::Deletion {
            break;
        }
        if earlier.change.is_bad() && path_of(earlier).is_some() {
            (first, start) = (index, earlier.time);
        }
    }
    Some((first, evidence))
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

/// What is known of a failure.
#[derive(Clone, Copy)]
struct FailureFacts<'a> {
    /// The object whose failure is explained.
    object: &'a ObjectName,
    failure: &'a Occurrence,
    /// The messages of the failures in its episode.
    messages: &'a str,
    /// All occurrences, sorted by time.
    occurrences: &'a [Occurrence],
    facts: &'a CauseFacts,
}

impl FailureFacts<'_> {
    /// Returns the time from a change to the failure. A change at the latest at a time is as old as its commit, if that is known.
    fn lead(&self, change: &Occurrence, commit: Option<&Occurrence>) -> SignedDuration {
        let lead = self.failure.time.duration_since(change.time);
        let is_late = lead < SignedDuration::ZERO && change.certainty == OccurrenceCertainty::AtLatest && lead >= -LATE;
        match commit {
            _ if !is_late => lead,
            Some(commit) => self.failure.time.duration_since(commit.time),
            None => SignedDuration::ZERO,
        }
    }

    /// Returns the evidence against a change from what happened to its object later.
    fn later_evidence(&self, change: &Occurrence) -> Vec<(i32, &'static str)> {
        let later = self.occurrences.iter().filter(|one| {
            one.object == change.object && one.time > change.time && one.time < self.failure.time && *one != change
        });
        let (mut evidence, later): (_, Vec<&Occurrence>) = (Vec::new(), later.collect());
        if change.change == ChangeSort::Deployed && later.iter().any(|one| one.change == ChangeSort::Deployed) {
            evidence.push((-10, "a later deployment replaced it"));
        }
        let is_calm = |one: &Occurrence| self.failure.time.duration_since(one.time) >= CALM;
        if later.iter().any(|one| one.change == ChangeSort::TurnedGood && is_calm(one)) {
            evidence.push((-15, "its object was healthy after it"));
        }
        evidence
    }

    /// Returns true if the messages of the failure are about credentials.
    fn is_about_credentials(&self) -> bool {
        CREDENTIALS.iter().any(|words| self.messages.contains(words))
    }
}

fn candidate(
    (id, change): (usize, &Occurrence),
    known: FailureFacts<'_>,
    path: &DependencyPath,
    commit: Option<&Occurrence>,
) -> Option<CandidateCause> {
    let lead = known.lead(change, commit);
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
        _ => add(-10, format!("{ago} before the first failure, which is a long time")),
    }
    let steps = i32::try_from(path.steps).unwrap_or(i32::MAX);
    match path.steps {
        0 => add(25, "it is a change of the object itself".to_owned()),
        _ => {
            let names: Vec<String> = path.objects.iter().map(ObjectName::kind_and_name).collect();
            add((24 - 3 * steps).max(3), format!("it is on the path: {}", names.join(" -> ")));
        }
    }
    let is_obstacle = known.facts.obstacles.contains(&ObjectKey::from(&change.object));
    if is_obstacle {
        add(30, format!("the failure mentions {}", change.object.name));
    } else if let Some(word) = mentioned(change, known) {
        add(30, format!("the failure mentions {word}"));
    }
    if let Some(commit) = commit {
        let author = commit.by.as_ref().map(|by| format!(" by {}", by.name)).unwrap_or_default();
        add(5, format!("it deployed {}{author}", commit.what));
    }
    if change.object.kind == "Secret" && change.object.group().is_empty() && known.is_about_credentials() {
        add(20, "the failure is about credentials".to_owned());
    }
    if change.change == ChangeSort::Deployed && change.before.is_none() && !change.what.starts_with("fetched") {
        add(-15, "it is the first deployment that is known".to_owned());
    }
    if identity_of(change).is_some_and(|identity| known.facts.unchanged.contains(&identity)) {
        add(-40, "no commit since the deployment before changes its path".to_owned());
    }
    known.later_evidence(change).into_iter().for_each(|(points, text)| add(points, text.to_owned()));
    match change.change {
        ChangeSort::Written | ChangeSort::Deployed | ChangeSort::DeletionRequested | ChangeSort::Deleted => {}
        ChangeSort::Created if is_obstacle => {}
        ChangeSort::TurnedBad => add(-5, "it is a failure itself, and its cause is not known".to_owned()),
        ChangeSort::Created => add(-15, "a new object is rarely the cause of a failure of others".to_owned()),
        _ => add(-10, "a restart is more often an effect".to_owned()),
    }
    match &change.by {
        Some(by) if by.kind == ActorKind::User => add(10, "it was made manually".to_owned()),
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
fn mentioned(change: &Occurrence, known: FailureFacts<'_>) -> Option<String> {
    let field = change.fields.iter().filter_map(|path| path.rsplit('.').next()).map(str::to_owned);
    // An object that fails mentions itself.
    let is_own = |name: &&String| **name != known.object.name && **name != known.failure.object.name;
    let name = Some(&change.object.name).filter(is_own).cloned();
    let words = change.after.iter().flat_map(|after| after.split(", ").map(str::to_owned)).chain(name).chain(field);
    let long_enough = words.filter(|word| word.len() >= 5);
    long_enough.into_iter().find(|word| has_word(known.messages, &word.to_ascii_lowercase()))
}

/// Returns true if a text has a word that is not a part of a longer one, such as the `replicas` of a reason.
fn has_word(text: &str, word: &str) -> bool {
    let is_end = |character: Option<char>| !character.is_some_and(char::is_alphanumeric);
    text.match_indices(word).any(|(start, _)| {
        is_end(text[..start].chars().next_back()) && is_end(text[start + word.len()..].chars().next())
    })
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

fn settle_confidence(candidates: &mut [CandidateCause], evidence: FailureEvidence) {
    let points: Vec<i32> = candidates.iter().map(|candidate| candidate.points).collect();
    for (index, candidate) in candidates.iter_mut().enumerate() {
        let is_first = index == 0 && points.get(1).is_none_or(|next| points[0] - next >= CLEARLY);
        candidate.confidence = match candidate.points {
            points if points >= LIKELY && is_first && evidence != FailureEvidence::Healed => Confidence::Likely,
            points if points >= 20 => Confidence::Possible,
            _ => Confidence::Unlikely,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_word_is_not_mentioned() {
        assert!(has_word("cannot pull web:v2, image", "web:v2"));
        assert!(!has_word("minimumreplicasunavailable: no availability", "replicas"));
        assert!(has_word("größe replicas", "replicas") && !has_word("", "replicas"));
    }
}
