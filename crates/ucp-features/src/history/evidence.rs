//! Evidence for and against a change as the cause of a failure. The points are documented in `docs/history.md`.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::actor::ActorKind;
use super::commits::{DeploymentIdentity, identity_of};
use super::effect_kind::TOLERANCE;
use super::effects::DependencyPath;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty};
use super::outages::UNRECONCILED;
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

/// Changes longer before a failure are no candidates.
const LONG_BEFORE: SignedDuration = SignedDuration::from_hours(6);
/// A change with the latest time at which it happened may have happened this long before.
const LATE: SignedDuration = SignedDuration::from_mins(10);
/// An object that was healthy this long before a failure did not fail because of an earlier change.
const CALM: SignedDuration = SignedDuration::from_secs(30);
/// The first deployment of an object comes this soon after its creation.
const NEW: SignedDuration = SignedDuration::from_mins(2);
/// The beginning of the evidence that a failure mentions a change, and its points.
pub(super) const MENTIONS: &str = "the failure mentions ";
pub(super) const MENTIONED: i32 = 30;
const CONCERNS: &str = "the failure is about ";
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

/// What is known of the changes before a failure, besides the occurrences.
#[derive(Debug, Default)]
pub struct CauseFacts {
    /// The objects that failures mention.
    pub obstacles: BTreeSet<ObjectKey>,
    /// The deployments of which no commit changes the deployed path.
    pub unchanged: BTreeSet<DeploymentIdentity>,
}

/// What is known of a failure.
#[derive(Clone, Copy)]
pub(super) struct FailureFacts<'a> {
    /// The object whose failure is explained.
    pub(super) object: &'a ObjectName,
    pub(super) failure: &'a Occurrence,
    /// The beginning of the failure, which may be before its last report.
    pub(super) start: Timestamp,
    /// The latest time at which it may have begun.
    pub(super) latest: Timestamp,
    /// The messages of the failures in its episode.
    pub(super) messages: &'a str,
    /// All occurrences, sorted by time.
    pub(super) occurrences: &'a [Occurrence],
    pub(super) facts: &'a CauseFacts,
}

impl FailureFacts<'_> {
    /// Returns the time from a change to the failure. A change at the latest at a time is as old as its commit, if that is known.
    fn lead(&self, change: &Occurrence, commit: Option<&Occurrence>) -> SignedDuration {
        if self.is_within(change) {
            return SignedDuration::ZERO;
        }
        let lead = self.start.duration_since(change.time);
        let is_late = lead < SignedDuration::ZERO && change.certainty == OccurrenceCertainty::AtLatest && lead >= -LATE;
        match commit {
            _ if !is_late => lead,
            Some(commit) => self.start.duration_since(commit.time),
            None => SignedDuration::ZERO,
        }
    }

    /// Returns true if a change happened in the period in which the failure began: it may have come before it.
    fn is_within(&self, change: &Occurrence) -> bool {
        change.time > self.start && change.time <= self.latest
    }

    /// Returns the evidence against a change from what happened to its object later.
    fn later_evidence(&self, change: &Occurrence) -> Vec<(i32, &'static str)> {
        let later = self.occurrences.iter().filter(|one| {
            one.object == change.object && one.time > change.time && one.time < self.start && *one != change
        });
        let (mut evidence, later): (_, Vec<&Occurrence>) = (Vec::new(), later.collect());
        if change.change == ChangeSort::Deployed && later.iter().any(|one| one.change == ChangeSort::Deployed) {
            evidence.push((-10, "a later deployment replaced it"));
        }
        let is_calm = |one: &Occurrence| self.start.duration_since(one.time) >= CALM;
        if later.iter().any(|one| one.change == ChangeSort::TurnedGood && is_calm(one)) {
            evidence.push((-15, "its object was healthy after it"));
        }
        evidence
    }

    /// Returns true if a deployment without a known one before is not a new version of what was there: a chart is fetched again for
    /// each version, and only its last version is known.
    fn is_first_deployment(&self, change: &Occurrence) -> bool {
        let is_creation = |one: &&Occurrence| one.change == ChangeSort::Created && one.object == change.object;
        let created = self.occurrences.iter().find(is_creation).map(|one| one.time);
        let is_new = created.is_some_and(|created| change.time.duration_since(created) <= NEW);
        is_new || !change.what.starts_with("fetched")
    }

    /// Returns true if the messages of the failure are about credentials.
    fn is_about_credentials(&self) -> bool {
        CREDENTIALS.iter().any(|words| self.messages.contains(words))
    }
}

/// Returns a change as a candidate with its evidence, unless it was too early or came later than the failure.
pub(super) fn candidate(
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
        _ if known.is_within(change) => add(10, "it happened in the period in which the failure began".to_owned()),
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
        // The failure may name it in another way, such as the kind of a definition.
        let name = &change.object.name;
        let is_named = has_word(known.messages, &name.to_ascii_lowercase());
        add(MENTIONED, format!("{}{name}", if is_named { MENTIONS } else { CONCERNS }));
    } else if let Some(word) = mentioned(change, commit, known) {
        add(MENTIONED, format!("{MENTIONS}{word}"));
    }
    if let Some(commit) = commit {
        let author = commit.by.as_ref().map(|by| format!(" by {}", by.name)).unwrap_or_default();
        add(5, format!("it deployed {}{author}", commit.what));
    }
    if change.object.kind == "Secret" && change.object.group().is_empty() && known.is_about_credentials() {
        add(20, "the failure is about credentials".to_owned());
    }
    if change.change == ChangeSort::Deployed && change.before.is_none() && known.is_first_deployment(change) {
        add(-15, "it is the first deployment that is known".to_owned());
    }
    if identity_of(change).is_some_and(|identity| known.facts.unchanged.contains(&identity)) {
        add(-40, "no commit since the deployment before changes its path".to_owned());
    }
    if known.failure.what.starts_with(UNRECONCILED) && change.object == known.failure.object {
        add(-40, "it is the change that was not reconciled".to_owned());
    }
    known.later_evidence(change).into_iter().for_each(|(points, text)| add(points, text.to_owned()));
    match change.change {
        ChangeSort::Written | ChangeSort::Deployed | ChangeSort::DeletionRequested | ChangeSort::Deleted => {}
        ChangeSort::Created if is_obstacle => {}
        ChangeSort::TurnedBad => add(-5, "it is a failure itself, and its cause is not known".to_owned()),
        ChangeSort::Created => add(-15, "a new object is rarely the cause of a failure of others".to_owned()),
        _ => add(-10, "a restart is more often an effect".to_owned()),
    }
    if change.change == ChangeSort::Created && !is_obstacle && lead > SignedDuration::from_mins(1) {
        add(-10, "it existed for a while before the failure".to_owned());
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

/// Returns a word of a change that the messages of the failure contain: a new value, also that of the deployed commit, an object, or a
/// field.
fn mentioned(change: &Occurrence, commit: Option<&Occurrence>, known: FailureFacts<'_>) -> Option<String> {
    let field = change.fields.iter().filter_map(|path| path.rsplit('.').next()).map(str::to_owned);
    // An object that fails mentions itself.
    let is_own = |name: &&String| **name != known.object.name && **name != known.failure.object.name;
    // A failure also mentions what was there all the time.
    let is_old = change.change == ChangeSort::Created && known.lead(change, commit) > SignedDuration::from_mins(1);
    let name = Some(&change.object.name).filter(is_own).filter(|_| !is_old).cloned();
    let values = change.after.iter().chain(commit.and_then(|commit| commit.after.as_ref()));
    let words = values.flat_map(|after| after.split(", ").map(str::to_owned)).chain(name).chain(field);
    let long_enough = words.filter(|word| word.len() >= 5);
    long_enough.into_iter().find(|word| has_word(known.messages, &word.to_ascii_lowercase()))
}

/// Returns true for the evidence that a failure mentions a change.
pub(super) fn is_mention(evidence: &str) -> bool {
    evidence.starts_with(MENTIONS) || evidence.starts_with(CONCERNS)
}

/// Returns true if a text has a word that is not a part of a longer one, such as the `replicas` of a reason.
fn has_word(text: &str, word: &str) -> bool {
    // The name of a Pod begins with that of its workload.
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_');
    let is_end = |character: Option<char>| !character.is_some_and(is_part);
    text.match_indices(word).any(|(start, _)| {
        is_end(text[..start].chars().next_back()) && is_end(text[start + word.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::super::samples::{object, occurrence};
    use super::*;

    /// Returns the points of a change before the last occurrence, which is the failure.
    fn points(change: usize, occurrences: &[Occurrence], messages: &str) -> Option<i32> {
        let failure = occurrences.last().unwrap();
        let facts = CauseFacts::default();
        let start = failure.time;
        let latest = failure.latest();
        let object = &failure.object;
        let known = FailureFacts { object, failure, start, latest, messages, occurrences, facts: &facts };
        let path = DependencyPath { steps: 0, objects: vec![failure.object.clone()], is_need: false };
        let commit = occurrences.iter().find(|one| one.change == ChangeSort::Committed);
        candidate((change, &occurrences[change]), known, &path, commit).map(|candidate| candidate.points)
    }

    #[test]
    fn a_change_counts_less_after_good_news_and_a_later_deployment() {
        let web = object("Deployment", "web");
        let failed = occurrence("03:10:00", &web, ChangeSort::TurnedBad, "turned not Available");
        let first = occurrence("03:05:00", &web, ChangeSort::Deployed, "synced b")
            .with_values(Some("a".into()), Some("b".into()));
        let alone = points(0, &[first.clone(), failed.clone()], "").unwrap();
        let healthy = occurrence("03:06:00", &web, ChangeSort::TurnedGood, "turned Healthy");
        assert_eq!(points(0, &[first.clone(), healthy, failed.clone()], ""), Some(alone - 15));
        let later = occurrence("03:09:50", &web, ChangeSort::Deployed, "synced c")
            .with_values(Some("b".into()), Some("c".into()));
        assert_eq!(points(0, &[first.clone(), later, failed.clone()], ""), Some(alone - 10));
        let initial = Occurrence { before: None, ..first };
        assert_eq!(points(0, &[initial, failed], ""), Some(alone - 15));
    }

    #[test]
    fn a_failed_attempt_began_with_its_commit() {
        let web = object("Deployment", "web");
        let commit = occurrence("03:09:00", &web, ChangeSort::Committed, "commit");
        let failed = occurrence("03:10:00", &web, ChangeSort::TurnedBad, "turned not Ready");
        let late =
            occurrence("03:12:00", &web, ChangeSort::Deployed, "reconciled b").with_values(Some("a".into()), None);
        let at_latest = Occurrence { certainty: OccurrenceCertainty::AtLatest, ..late.clone() };
        let with = |change: Occurrence| [commit.clone(), change, failed.clone()];
        assert_eq!(points(1, &with(late), ""), None, "it came after the failure");
        assert_eq!(points(1, &with(at_latest), ""), Some(60), "a minute before, the object itself, and its commit");
    }

    #[test]
    fn a_mention_does_not_raise_a_candidate_that_existed_before() {
        let failed = occurrence("03:10:00", &object("HelmRelease", "web"), ChangeSort::TurnedBad, "turned not Ready");
        let created =
            |clock: &str| occurrence(clock, &object("Deployment", "controller"), ChangeSort::Created, "was created");
        let with = |clock: &str, messages: &str| points(0, &[created(clock), failed.clone()], messages).unwrap();
        let message = "deployment.apps/controller is not running";
        assert_eq!(with("03:09:30", message) - with("03:09:30", ""), 30);
        assert_eq!(with("02:55:00", message), with("02:55:00", ""));
    }

    #[test]
    fn a_failure_about_credentials_points_to_a_secret() {
        let login = object("Secret", "login");
        let failed = occurrence("03:10:00", &object("Deployment", "web"), ChangeSort::TurnedBad, "turned not Ready");
        let written = occurrence("03:09:00", &login, ChangeSort::Written, "was changed: data.token");
        let with = |messages: &str| points(0, &[written.clone(), failed.clone()], messages).unwrap();
        assert_eq!(with("http status 401: unauthorized") - with("connection refused"), 20);
    }

    #[test]
    fn a_change_that_was_not_reconciled_is_not_its_cause() {
        let web = object("HelmRelease", "web");
        let written = occurrence("03:09:00", &web, ChangeSort::Written, "was changed: spec.values");
        let failed = |what: &str| occurrence("03:09:00", &web, ChangeSort::TurnedBad, what);
        let with = |what: &str| points(0, &[written.clone(), failed(what)], "").unwrap();
        assert_eq!(with("turned not Ready") - with("was not reconciled: its controller is not running"), 40);
    }

    #[test]
    fn a_change_in_the_period_of_a_first_failure_may_precede_it() {
        let web = object("Deployment", "web");
        let written = |clock: &str| occurrence(clock, &web, ChangeSort::Written, "was changed: spec.a");
        let failed = Occurrence {
            until: Some("2026-11-20T04:00:00Z".parse().unwrap()),
            certainty: OccurrenceCertainty::Between,
            ..occurrence("03:00:00", &web, ChangeSort::TurnedBad, "turned Failed, was OK")
        };
        assert_eq!(points(0, &[written("03:30:00"), failed.clone()], ""), Some(35));
        assert_eq!(points(0, &[written("04:10:00"), failed], ""), None);
    }

    #[test]
    fn a_part_of_a_word_is_not_mentioned() {
        assert!(has_word("cannot pull web:v2, image", "web:v2"));
        assert!(!has_word("minimumreplicasunavailable: no availability", "replicas"));
        assert!(!has_word("pods \"fight-aaa-x\" is forbidden", "fight"));
        assert!(has_word("größe replicas", "replicas") && !has_word("", "replicas"));
    }
}
