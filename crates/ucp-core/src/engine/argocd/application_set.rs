//! Judges ApplicationSets. Good is a closed set of conditions; everything else is ranked and named.

use std::collections::BTreeMap;

use super::findings::Findings;
use super::patience;
use crate::engine::any;
use crate::engine::code::Code;
use crate::engine::course::outdated_generation;
use crate::engine::judgement::{AssessmentClock, JudgedObject, Judgement, Problem};
use crate::model::body::Body;
use crate::model::body::argocd::ApplicationSet;
use crate::model::condition::{Condition, ConditionStatus, FindCondition as _};
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

const UP_TO_DATE: &str = "ResourcesUpToDate";
const ROLLOUT: &str = "RolloutProgressing";

/// All conditions of an ApplicationSet with the status that is good. Of several errors, the first one is reported.
const GOOD: [(&str, ConditionStatus); 4] = [
    ("ErrorOccurred", ConditionStatus::False),
    (UP_TO_DATE, ConditionStatus::True),
    ("ParametersGenerated", ConditionStatus::True),
    (ROLLOUT, ConditionStatus::False),
];

/// The sync status and health of Applications that were read, by namespace and name.
type CurrentStates<'state> = BTreeMap<(Option<&'state str>, &'state str), (&'state str, &'state str)>;

/// Judges an ApplicationSet by its own status.
pub(super) fn judge(resource: &Resource, set: &ApplicationSet, clock: &AssessmentClock) -> Judgement {
    judge_with(resource, set, &CurrentStates::new(), clock)
}

/// Judges ApplicationSets again that list Applications. Their lists date from their own last reconciliation, which a
/// change of health does not start; what the Applications report now has precedence.
pub(super) fn reconsider<'state>(judged: &mut [JudgedObject<'state>], clock: &AssessmentClock) {
    let has_list = |body: &Body| matches!(body, Body::ApplicationSet(set) if !set.applications.is_empty());
    if !judged.iter().any(|entry| has_list(&entry.resource.body)) {
        return;
    }
    let states = judged.iter().filter_map(|entry| {
        let resource: &'state Resource = entry.resource;
        let Body::Application(application) = &resource.body else { return None };
        let (metadata, status) = (&resource.metadata, &application.status);
        let state = (status.sync.status.as_str(), status.health.status.as_str());
        Some(((metadata.namespace.as_deref(), metadata.name.as_str()), state))
    });
    let current: CurrentStates<'state> = states.collect();
    for entry in judged.iter_mut() {
        let resource: &'state Resource = entry.resource;
        if let Body::ApplicationSet(set) = &resource.body
            && !set.applications.is_empty()
        {
            entry.judgement = judge_with(resource, set, &current, clock);
        }
    }
}

fn judge_with(
    resource: &Resource,
    set: &ApplicationSet,
    current: &CurrentStates<'_>,
    clock: &AssessmentClock,
) -> Judgement {
    let conditions = resource.conditions.as_slice();
    let mut found = Findings::default();
    match error(conditions) {
        Some(error) => check_error(error, clock, &mut found),
        None => {
            check_completion(resource, clock, &mut found);
            check_summary(set, &mut found);
        }
    }
    for condition in conditions {
        check_condition(condition, clock, &mut found);
    }
    check_steps(set, conditions, clock, &mut found);
    check_applications(resource, set, current, &mut found);
    let seen = conditions.iter().map(|condition| condition.observed_generation).chain([resource.observed_generation]);
    let since = conditions.of_type(UP_TO_DATE).and_then(|condition| condition.last_transition_time);
    let mut seen = seen.map(|seen| seen.filter(|seen| *seen > 0));
    if let Some(message) = seen.find_map(|seen| outdated_generation(resource, seen)) {
        found.doubt(Verdict::Progressing, since, message);
    }
    found.into_judgement(Judgement::ok(since))
}

/// Returns the condition that reports an error, if any.
fn error(conditions: &[Condition]) -> Option<&Condition> {
    GOOD.iter().filter(|(kind, _)| *kind != ROLLOUT).find_map(|(kind, good)| {
        let condition = conditions.of_type(kind)?;
        (condition.status != *good && condition.status != ConditionStatus::Unknown).then_some(condition)
    })
}

fn check_error(error: &Condition, clock: &AssessmentClock, found: &mut Findings) {
    let (since, patience) = (error.last_transition_time, patience::with_sets());
    let words = format!("{}: {}", error.reason, error.message);
    let message = if error.message.trim().is_empty() { describe(error) } else { error.message.clone() };
    // Nothing has failed: the Applications are being created.
    let is_under_way =
        error.kind == UP_TO_DATE && !any::is_bad_word(&error.reason) && clock.may_recover(&words, since, patience);
    match is_under_way || patience::may_pass(&words, since, patience, clock) {
        true => found.doubt(Verdict::Progressing, since, message),
        false => found.problems.push(Problem::new(Code::ApplicationSetError, since, message)),
    }
}

/// Requires the condition that a complete reconciliation writes.
fn check_completion(resource: &Resource, clock: &AssessmentClock, found: &mut Findings) {
    let conditions = resource.conditions.as_slice();
    let created = resource.metadata.creation_timestamp;
    let (early, late) = match conditions {
        [] => (
            "no controller has reconciled it yet",
            "it has no conditions: no ApplicationSet controller has reconciled it; a controller in another namespace \
             needs --applicationset-namespaces",
        ),
        _ if conditions.of_type(UP_TO_DATE).is_none() => {
            let message = "condition ResourcesUpToDate is absent: its controller has not finished a reconciliation";
            (message, message)
        }
        _ => return,
    };
    match clock.is_overdue(created) {
        true => found.problems.push(Problem::new(Code::ApplicationStale, created, late)),
        false => found.doubt(Verdict::Progressing, created, early),
    }
}

/// Compares the summary of the conditions, which newer versions write.
fn check_summary(set: &ApplicationSet, found: &mut Findings) {
    let since = set.health.last_transition_time;
    let message = match set.health.message.as_deref().map(str::trim) {
        None | Some("") => format!("health is {}", set.health.status),
        Some(message) => format!("health is {}: {message}", set.health.status),
    };
    match set.health.status.as_str() {
        "" | "Healthy" => {}
        "Progressing" => found.doubt(Verdict::Progressing, since, message),
        "Degraded" => found.problems.push(Problem::new(Code::ApplicationSetError, since, message)),
        _ => found.doubt(Verdict::Unknown, since, message),
    }
}

fn check_condition(condition: &Condition, clock: &AssessmentClock, found: &mut Findings) {
    let (kind, status, since) = (condition.kind.as_str(), condition.status, condition.last_transition_time);
    match GOOD.iter().find(|(known, _)| *known == kind) {
        Some((_, good)) if status == *good && !any::is_bad_word(&condition.reason) => {}
        Some((_, good)) if status == *good || status == ConditionStatus::Unknown => {
            found.doubt(Verdict::Unknown, since, describe(condition));
        }
        Some(_) if kind == ROLLOUT => match clock.is_overdue(since) {
            true => {
                let problem = Problem::new(Code::ApplicationSetRollout, since, condition.message.clone());
                found.problems.push(problem);
            }
            false => found.doubt(Verdict::Progressing, since, condition.message.clone()),
        },
        // An error, which is reported once.
        Some(_) => {}
        None if any::is_known_good(condition) => {}
        None if status == ConditionStatus::True && any::is_bad_word(kind) => {
            found.problems.push(Problem::new(Code::ApplicationSetError, since, describe(condition)));
        }
        None => found.doubt(Verdict::Unknown, since, describe(condition)),
    }
}

/// Checks the steps of a progressive sync. While a rollout is in progress, its own condition says for how long.
fn check_steps(set: &ApplicationSet, conditions: &[Condition], clock: &AssessmentClock, found: &mut Findings) {
    let is_rolling_out = conditions.with_status(ROLLOUT, ConditionStatus::True).is_some();
    for step in &set.steps {
        let since = step.last_transition_time;
        let said = step.message.trim();
        let end = if said.is_empty() { String::new() } else { format!(": {said}") };
        let message = format!("its Application {} is {}{end}", step.application, step.status);
        match step.status.as_str() {
            "Healthy" => {}
            "Waiting" | "Pending" | "Progressing" if is_rolling_out || !clock.is_overdue(since) => {
                found.doubt(Verdict::Progressing, since, message);
            }
            "Waiting" | "Pending" | "Progressing" => {
                found.problems.push(Problem::new(Code::ApplicationSetRollout, since, message));
            }
            _ => found.doubt(Verdict::Unknown, since, message),
        }
    }
}

/// Checks the listed Applications. Each reports its own problems, and the list may be old, so none is repeated here.
fn check_applications(resource: &Resource, set: &ApplicationSet, current: &CurrentStates<'_>, found: &mut Findings) {
    let own = resource.metadata.namespace.as_deref();
    for listed in &set.applications {
        let namespace = listed.namespace.as_deref().filter(|namespace| !namespace.is_empty()).or(own);
        let old = (listed.status.as_str(), listed.health.status.as_str());
        let (sync, health) = current.get(&(namespace, listed.name.as_str())).copied().unwrap_or(old);
        let verdict = match (sync, health) {
            ("" | "Synced" | "OutOfSync", "" | "Healthy" | "Suspended") => continue,
            (_, "Progressing") => Verdict::Progressing,
            _ => Verdict::Unknown,
        };
        let message = match health {
            "" | "Healthy" | "Suspended" => format!("its Application {} has sync status {sync}", listed.name),
            health => format!("its Application {} has health {health}", listed.name),
        };
        found.doubt(verdict, None, message);
    }
}

/// Returns the type and the status of a condition with its words.
fn describe(condition: &Condition) -> String {
    let mut text = format!("{} is {}", condition.kind, condition.status.as_str());
    for words in [condition.reason.as_str(), condition.message.trim()] {
        if !words.is_empty() {
            text.push_str(": ");
            text.push_str(words);
        }
    }
    text
}

#[cfg(test)]
mod tests;
