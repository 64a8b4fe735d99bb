//! Evidence for and against a change as the cause of a failure. The points are documented in `docs/history.md`.

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Serialize;

use super::actor::ActorKind;
use super::commits::identity_of;
use super::effect_kind::TOLERANCE;
use super::effects::DependencyPath;
use super::failure_facts::FailureFacts;
use super::mentions::{
    CONCERNS, MENTIONED, MENTIONS, SettingBlindness, blindness, may_refer, mentioned, relevant_commits,
};
use super::missing::{CREATED_LATER, is_missing};
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty};
use super::outages::UNRECONCILED;
use super::words::has_word;
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
/// Returns a change as a candidate with its evidence, unless it was too early or came later than the failure.
pub(super) fn candidate(
    (id, change): (usize, &Occurrence),
    known: FailureFacts<'_>,
    path: &DependencyPath,
    commits: &[&Occurrence],
) -> Option<CandidateCause> {
    let commit = commits.last().copied();
    let lead = known.lead(change, commit);
    if lead > LONG_BEFORE || lead < -TOLERANCE {
        return None;
    }
    let (mut points, mut evidence_for, mut evidence_against) = (0, Vec::new(), Vec::new());
    let mut add = |value: i32, text: String| {
        points += value;
        if value >= 0 { evidence_for.push(text) } else { evidence_against.push(text) }
    };
    let ago = human_duration(lead.as_secs().max(0));
    let moment = match known.failure.change {
        ChangeSort::TurnedGood => "before it healed",
        _ => "before the first failure",
    };
    match lead {
        _ if std::ptr::eq(change, known.failure) && change.change == ChangeSort::DeletionRequested => {
            add(30, "the object waits for this deletion".to_owned());
        }
        // Only the failure shows that it was gone.
        _ if is_missing(change) => add(30, "it was gone by the time of the failure".to_owned()),
        _ if known.is_within(change) => add(10, "it happened in the period in which the failure began".to_owned()),
        lead if lead <= SignedDuration::from_mins(1) => add(30, format!("{ago} {moment}")),
        lead if lead <= SignedDuration::from_mins(5) => add(20, format!("{ago} {moment}")),
        lead if lead <= SignedDuration::from_mins(30) => add(10, format!("{ago} {moment}")),
        _ => add(-10, format!("{ago} {moment}, which is a long time")),
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
    let mention = mentioned(change, commits, known);
    let is_mentioned = is_obstacle || mention.is_some() || known.missing(change).is_some();
    if let Some(name) = known.missing(change) {
        add(MENTIONED, format!("{MENTIONS}{name}, which was not found"));
    } else if is_obstacle {
        // The failure may name it in another way, such as the kind of a definition.
        let name = &change.object.name;
        let is_named = has_word(known.messages, &name.to_ascii_lowercase());
        add(MENTIONED, format!("{}{name}", if is_named { MENTIONS } else { CONCERNS }));
    } else if let Some(word) = mention {
        add(MENTIONED, format!("{MENTIONS}{word}"));
    } else if let Some(name) = known.first_missing().filter(|_| !may_refer(change)) {
        add(-20, format!("the failure is about {name}, which was not found"));
    }
    if !known.is_within_reach(change) {
        add(-40, format!("it does not affect {}, which failed first", known.failure.object.kind_and_name()));
    }
    for (index, commit) in relevant_commits(commits, known).into_iter().enumerate() {
        let author = commit.by.as_ref().map(|by| format!(" by {}", by.name)).unwrap_or_default();
        add(if index == 0 { 5 } else { 0 }, format!("it deployed {}{author}", commit.what));
    }
    if change.what == CREATED_LATER {
        add(-20, "it was created later".to_owned());
    }
    match blindness(change) {
        Some(SettingBlindness::Metadata) if !is_mentioned => {
            add(-25, "labels and annotations only matter to what reads them".to_owned());
        }
        Some(SettingBlindness::Unknown) if !is_mentioned => {
            add(-5, "the data do not show what it changed".to_owned());
        }
        _ => {}
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

#[cfg(test)]
mod tests {
    use super::super::failure_facts::CauseFacts;
    use super::super::samples::{object, occurrence};
    use super::*;

    /// Returns the points of a change before the last occurrence, which is the failure.
    fn points(change: usize, occurrences: &[Occurrence], messages: &str) -> Option<i32> {
        let failure = occurrences.last().unwrap();
        let facts = CauseFacts::default();
        let start = failure.time;
        let latest = failure.latest();
        let object = &failure.object;
        let known = FailureFacts { object, failure, start, latest, messages, occurrences, reach: None, facts: &facts };
        let path = DependencyPath { steps: 0, objects: vec![failure.object.clone()], is_need: false };
        let commits: Vec<_> = occurrences.iter().filter(|one| one.change == ChangeSort::Committed).collect();
        candidate((change, &occurrences[change]), known, &path, &commits).map(|candidate| candidate.points)
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

    /// Returns the points of a write of a field before a failure that finds the Secret `key` missing.
    fn points_beside_a_missing_secret(field: &str, messages: &str) -> i32 {
        let web = object("Deployment", "web");
        let write = Occurrence {
            fields: vec![field.to_owned()],
            ..occurrence("03:09:50", &web, ChangeSort::Written, "was changed")
        };
        let failed = occurrence("03:10:00", &web, ChangeSort::TurnedBad, messages);
        let facts = CauseFacts { missing: [ObjectKey::from(&object("Secret", "key"))].into(), ..CauseFacts::default() };
        let all = [write, failed];
        let (start, failure) = (all[1].time, &all[1]);
        let known = FailureFacts {
            object: &web,
            failure,
            start,
            latest: start,
            messages,
            occurrences: &all,
            reach: None,
            facts: &facts,
        };
        let path = DependencyPath { steps: 0, objects: vec![web.clone()], is_need: false };
        candidate((0, &all[0]), known, &path, &[]).unwrap().points
    }

    #[test]
    fn a_change_that_has_nothing_to_do_with_a_missing_object_counts_less() {
        let with = |field: &str| {
            let missing = points_beside_a_missing_secret(field, "error: secret \"key\" not found");
            missing - points_beside_a_missing_secret(field, "error: something else")
        };
        assert_eq!(with("spec.replicas"), -20);
        assert_eq!(with("spec.template.spec.containers[0].envFrom"), 0, "it may have begun to refer to it");
    }

    #[test]
    fn labels_and_annotations_count_less_unless_the_failure_mentions_them() {
        let points = |field: &str| points_beside_a_missing_secret(field, "label team-name is not permitted");
        assert_eq!(points("metadata.labels.other") - points("spec.replicas"), -25);
        assert_eq!(points("metadata.labels.team-name") - points("spec.replicas"), 30);
    }

    #[test]
    fn a_change_of_a_workload_does_not_affect_a_node() {
        let (web, node) = (object("Deployment", "web"), object("Node", "n"));
        let write = occurrence("03:09:50", &web, ChangeSort::Written, "was changed");
        let all = [write, occurrence("03:10:00", &node, ChangeSort::TurnedBad, "turned Ready Unknown")];
        let path = DependencyPath { steps: 1, objects: vec![web.clone()], is_need: false };
        let facts = CauseFacts::default();
        let points = |reached: &Occurrence| {
            let reach = [(ObjectKey::from(&reached.object), path.clone())].into();
            let known = FailureFacts {
                object: &web,
                failure: &all[1],
                start: all[1].time,
                latest: all[1].time,
                messages: "",
                occurrences: &all,
                reach: Some(&reach),
                facts: &facts,
            };
            candidate((0, &all[0]), known, &path, &[]).unwrap().points
        };
        assert_eq!(points(&all[1]) - points(&all[0]), -40);
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
        let written = |clock: &str| Occurrence {
            fields: vec!["spec.a".to_owned()],
            ..occurrence(clock, &web, ChangeSort::Written, "was changed: spec.a")
        };
        let failed = Occurrence {
            until: Some("2026-11-20T04:00:00Z".parse().unwrap()),
            certainty: OccurrenceCertainty::Between,
            ..occurrence("03:00:00", &web, ChangeSort::TurnedBad, "turned Failed, was OK")
        };
        assert_eq!(points(0, &[written("03:30:00"), failed.clone()], ""), Some(35));
        assert_eq!(points(0, &[written("04:10:00"), failed], ""), None);
    }
}
