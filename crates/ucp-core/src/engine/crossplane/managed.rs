//! Managed resources, composites, and claims: the conditions of crossplane-runtime (`apis/common/v1/condition.go`) and
//! of upjet. They are evaluated in the order in which they explain each other.

use jiff::{SignedDuration, Timestamp};

use super::course::crossplane_progress;
use super::patience::may_end;
use super::policies::{ManagementPolicies, PausedBy};
use super::second_opinion::second_opinion;
use crate::engine::any;
use crate::engine::code::Code;
use crate::engine::judgement::{AssessmentClock, Judgement, Problem};
use crate::model::body::crossplane::CrossplaneObject;
use crate::model::condition::{Condition, ConditionStatus, FindCondition as _};
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;
use crate::model::word::SharedText;

/// The codes for the problems of one kind of object.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConditionCodes {
    error: Code,
    not_ready: Code,
}

pub(super) const MANAGED: ConditionCodes = ConditionCodes { error: Code::ReconcileError, not_ready: Code::NotReady };
pub(super) const COMPOSED: ConditionCodes =
    ConditionCodes { error: Code::CompositeError, not_ready: Code::CompositeNotReady };

pub(super) fn judge(
    resource: &Resource,
    body: &CrossplaneObject,
    clock: &AssessmentClock,
    codes: ConditionCodes,
) -> Judgement {
    let conditions = resource.conditions.as_slice();
    let (synced, ready) = (conditions.of_type("Synced"), conditions.of_type("Ready"));
    let created = resource.metadata.creation_timestamp;
    let mut problems = Vec::new();

    if let Some(paused) = paused(resource, body.management_policies.as_deref()) {
        problems.push(Problem::new(Code::ManagedPaused, paused.since, paused.by.words()));
        return Judgement::worst(problems, Judgement::ok(None));
    }
    if let Some(started) = interrupted_creation(resource, synced, clock) {
        let message = "a creation was started and its result is unknown; Crossplane waits for a person";
        problems.push(Problem::new(Code::CreationInterrupted, Some(started), message));
    } else if let Some(judgement) = retried(resource, clock) {
        return judgement;
    } else if let Some(condition) = conditions.with_status("Synced", ConditionStatus::False) {
        let problem = Problem::new(codes.error, since(condition), message_or_reason(condition));
        let may_lack_rights = codes.error == Code::CompositeError && reports_missing_rights(&condition.message);
        problems.push(Problem { hint: may_lack_rights.then(|| CORE_RIGHTS.to_owned()), ..problem });
    }
    if let Some(condition) = conditions.with_status("LastAsyncOperation", ConditionStatus::False) {
        // If Synced failed as well, it repeats this message.
        if !problems.iter().any(|problem| problem.message.contains(condition.message.trim())) {
            problems.push(Problem::new(Code::AsyncOperationFailed, since(condition), message_or_reason(condition)));
        }
    }
    if let Some(condition) = conditions.with_status("Responsive", ConditionStatus::False) {
        problems.push(Problem::new(Code::WatchCircuitOpen, since(condition), message_or_reason(condition)));
    }
    if let Some(deleted) = resource.metadata.deletion_timestamp {
        let waits = deletion(resource, body);
        if clock.is_overdue(Some(deleted)) && problems.is_empty() {
            problems.push(Problem::new(Code::DeletionStuck, Some(deleted), waits.clone()));
        }
        return Judgement::worst(problems, Judgement::quiet(clock.under_way(Some(deleted)), Some(deleted), waits));
    }
    let otherwise = match (ready, synced) {
        (Some(ready), _) if ready.status == ConditionStatus::True => Judgement::ok(since(ready)),
        (None, None) if clock.is_overdue(created) => {
            problems.push(Problem::new(
                Code::NeverReconciled,
                created,
                "it has no conditions: no controller has reconciled it",
            ));
            Judgement::ok(None)
        }
        (None, None) => Judgement::quiet(Verdict::Progressing, created, "no controller has reconciled it yet"),
        // Without a Ready condition, only Synced is left.
        (None, Some(synced)) if synced.status == ConditionStatus::True => {
            under_way(since(synced), created, clock, "not ready yet")
        }
        (None, Some(_)) => Judgement::quiet(Verdict::Progressing, created, "not ready yet"),
        (Some(ready), _) => under_way(since(ready), created, clock, &message_or_reason(ready)),
    };
    if otherwise.verdict == Verdict::Stuck && problems.is_empty() {
        let message = otherwise.message.as_deref().unwrap_or_default();
        problems.push(Problem::new(codes.not_ready, otherwise.since, message));
    }
    let judgement = Judgement::worst(problems, otherwise);
    // Ready=True has no meaning until the newest spec was observed.
    if judgement.verdict != Verdict::Ok {
        return judgement;
    }
    let progress = crossplane_progress(resource);
    let message = match progress.outdated {
        _ if has_unobserved_generation(resource) => "the latest change has not been reconciled yet".to_owned(),
        Some(outdated) => outdated,
        None => {
            if let Some(message) = progress.under_way {
                return operation(resource, message, clock, codes);
            }
            let doubt = doubt(resource).or_else(|| second_opinion(resource, body, clock));
            return doubt.unwrap_or(judgement);
        }
    };
    let changed = resource.metadata.written.declaration;
    match clock.is_overdue(changed) {
        true => Judgement::worst(vec![Problem::new(codes.not_ready, changed, message)], Judgement::ok(None)),
        // Without managed fields, the start time is unknown.
        false => Judgement::quiet(Verdict::Progressing, changed.or(judgement.since), message),
    }
}

/// The longest time that an operation of a provider may take. Upjet repeats the condition while the operation runs, and
/// the longest timeouts of Terraform's resources are a few hours.
const LONGEST_OPERATION: SignedDuration = SignedDuration::from_hours(6);

/// Returns the judgement of an object that is Ready, during an operation on its external resource.
fn operation(resource: &Resource, message: String, clock: &AssessmentClock, codes: ConditionCodes) -> Judgement {
    let since = resource.conditions.as_slice().of_type("AsyncOperation").and_then(since);
    let is_too_long = since.is_some_and(|since| clock.now.duration_since(since) > LONGEST_OPERATION);
    match is_too_long {
        true => Judgement::worst(vec![Problem::new(codes.not_ready, since, message)], Judgement::ok(None)),
        false => Judgement::quiet(Verdict::Progressing, since, message),
    }
}

/// The command that checks the rights of Crossplane's core.
pub const CORE_RIGHTS: &str = "kubectl ucp doctor --only core-rights";

/// Returns true if the message of a composite is one that core reports without rights to a composed kind: its cache waits
/// in vain for the first list (crossplane#6544, #7398), or the API server refuses the request.
fn reports_missing_rights(message: &str) -> bool {
    message.contains("Informer to sync") || message.contains("is forbidden: User")
}

/// Returns the judgement of an object whose failures may end with one of the next attempts.
fn retried(resource: &Resource, clock: &AssessmentClock) -> Option<Judgement> {
    let conditions = resource.conditions.as_slice();
    let failed = |kind: &str| conditions.with_status(kind, ConditionStatus::False);
    if resource.metadata.deletion_timestamp.is_some() || failed("Responsive").is_some() {
        return None;
    }
    let failures: Vec<&Condition> = ["Synced", "LastAsyncOperation"].into_iter().filter_map(failed).collect();
    let first = failures.first()?;
    // The time of a condition is that of its last message. An object that has not been ready for long has had its time.
    let unready = conditions.of_type("Ready").filter(|ready| ready.status != ConditionStatus::True);
    let began = attempts_began(resource);
    let may_recover = !clock.is_overdue(unready.and_then(since))
        && failures.iter().all(|failure| may_end(&message_or_reason(failure), began, since(failure), clock));
    may_recover.then(|| Judgement::quiet(Verdict::Progressing, since(first), message_or_reason(first)))
}

/// Returns the time since when a controller tries to reach the present declaration: that of the last change, unless the
/// controller itself records its attempts in annotations.
fn attempts_began(resource: &Resource) -> Option<Timestamp> {
    let changed = resource.metadata.written.declaration.filter(|_| matches!(creation(resource), Creation::Settled));
    changed.max(resource.metadata.creation_timestamp)
}

/// Conditions with their own rules, and the reasons that crossplane-runtime, upjet and core set on a healthy object.
const KNOWN_REASONS: [(&str, &[&str]); 5] = [
    ("Ready", &["", "Available"]),
    ("Synced", &["", "ReconcileSuccess"]),
    ("LastAsyncOperation", &["", "Success"]),
    ("AsyncOperation", &["", "Ongoing", "Finished"]),
    ("Responsive", &["", "WatchCircuitClosed"]),
];

/// Returns the judgement of an object that is Ready, if something beside that condition is not known to be good.
fn doubt(resource: &Resource) -> Option<Judgement> {
    let conditions = resource.conditions.as_slice();
    let unknown = |since, message: String| Some(Judgement::quiet(Verdict::Unknown, since, message));
    if let Some(other) = condition_beside_ready(conditions) {
        let message = format!("{} is {}: {}", other.kind, other.status.as_str(), message_or_reason(other));
        return unknown(since(other), message);
    }
    if conditions.of_type("Synced").is_none() {
        return unknown(None, "condition Synced is absent: it is not known whether the spec was applied".to_owned());
    }
    match creation(resource) {
        // The object that could not be created exists after all, if it became Ready since then.
        Creation::Failed(time) if conditions.of_type("Ready").and_then(since) > Some(time) => None,
        Creation::Failed(time) => unknown(
            Some(time),
            "the last attempt to create the external resource failed, and none has succeeded since".to_owned(),
        ),
        Creation::Pending(time) => {
            Some(Judgement::quiet(Verdict::Progressing, Some(time), "the external resource is being created"))
        }
        Creation::Settled => None,
    }
}

/// Returns a condition next to Ready=True that is not known to be good, such as one written by a function of the
/// pipeline.
fn condition_beside_ready(conditions: &[Condition]) -> Option<&Condition> {
    conditions.iter().find(|condition| !has_known_reason(condition, &KNOWN_REASONS))
}

/// Returns true if a condition is known to be good: by the reasons that its type may have, or else by its words.
pub(super) fn has_known_reason(condition: &Condition, known: &[(&str, &[&str])]) -> bool {
    match known.iter().find(|(kind, _)| condition.kind == *kind) {
        Some((_, reasons)) => {
            let reason = condition.reason.as_str();
            condition.status != ConditionStatus::Unknown && (reasons.contains(&reason) || any::is_good_word(reason))
        }
        None => any::is_known_good(condition),
    }
}

/// Returns true if no controller has observed the newest spec. In Crossplane 2, each condition has its own observed
/// generation, and is only written when it changes, so that the newest one counts.
pub fn has_unobserved_generation(resource: &Resource) -> bool {
    let told = resource.conditions.iter().filter_map(|condition| condition.observed_generation);
    let seen = told.chain(resource.observed_generation).filter(|seen| *seen > 0).max();
    matches!((seen, resource.metadata.generation), (Some(seen), Some(generation)) if seen < generation)
}

/// The finalizers of crossplane-runtime's own reconcilers, and of the garbage collector.
const OWN_FINALIZERS: [&str; 5] = [
    "finalizer.managedresource.crossplane.io",
    "finalizer.apiextensions.crossplane.io",
    "composite.apiextensions.crossplane.io",
    FOREGROUND,
    "orphan",
];
/// The garbage collector waits for dependents.
const FOREGROUND: &str = "foregroundDeletion";
/// The maximum number of parts of a composite that are named.
const NAMED_PARTS: usize = 2;

/// Returns the reason why a deletion waits: a finalizer of the external object, a foreign finalizer of the object, its
/// parts, or its own controller.
fn deletion(resource: &Resource, body: &CrossplaneObject) -> String {
    let quoted = |names: Vec<&str>| names.join(", ");
    if let Some(external) = &body.external_deletion {
        let finalizers: Vec<&str> = external.finalizers.iter().map(String::as_str).collect();
        let told =
            if external.messages.is_empty() { String::new() } else { format!(": {}", external.messages.join("; ")) };
        if !finalizers.is_empty() {
            return format!("deleting; the external object is held by finalizer {}{told}", quoted(finalizers));
        }
    }
    let finalizers = resource.metadata.finalizers.iter().map(SharedText::as_str);
    let foreign: Vec<&str> = finalizers.clone().filter(|name| !OWN_FINALIZERS.contains(name)).collect();
    if !foreign.is_empty() {
        return format!("deleting; held by finalizer {}, which is not Crossplane's", quoted(foreign));
    }
    let parts: Vec<String> = body
        .composed
        .iter()
        .map(|part| format!("{}/{}", part.kind.as_deref().unwrap_or_default().to_ascii_lowercase(), part.name))
        .collect();
    match parts.split_at_checked(NAMED_PARTS) {
        Some((named, more)) if !more.is_empty() => {
            format!("deleting; waits for {} and {} more", named.join(", "), more.len())
        }
        _ if !parts.is_empty() => format!("deleting; waits for {}", parts.join(", ")),
        _ => format!("deleting; finalizers: {}", quoted(finalizers.collect())),
    }
}

fn under_way(
    since: Option<Timestamp>,
    created: Option<Timestamp>,
    clock: &AssessmentClock,
    message: &str,
) -> Judgement {
    let since = since.or(created);
    Judgement::quiet(clock.under_way(since), since, message)
}

/// A pause of reconciliation.
pub struct ReconciliationPause {
    /// The start of the pause, if the condition reports it.
    pub since: Option<Timestamp>,
    /// The cause of the pause.
    pub by: PausedBy,
}

/// Returns the pause of an object, if it is paused.
pub fn paused(resource: &Resource, policies: Option<&[String]>) -> Option<ReconciliationPause> {
    let condition =
        resource.conditions.as_slice().of_type("Synced").filter(|synced| synced.reason == "ReconcilePaused");
    let declared = PausedBy::pausing_object(&resource.metadata, ManagementPolicies::from_field(policies));
    let by = declared.or_else(|| condition.map(|_| PausedBy::Condition))?;
    Some(ReconciliationPause { since: condition.and_then(since), by })
}

/// Returns the start of a creation whose result was not recorded: `meta.ExternalCreateIncomplete` of
/// crossplane-runtime. A creation in progress looks the same until the provider restarts and its reconciler reports
/// `errCreateIncomplete`.
fn interrupted_creation(resource: &Resource, synced: Option<&Condition>, clock: &AssessmentClock) -> Option<Timestamp> {
    let Creation::Pending(pending) = creation(resource) else { return None };
    let is_given_up = synced.is_some_and(|condition| condition.message.contains("cannot determine creation result"));
    (is_given_up || clock.is_overdue(Some(pending))).then_some(pending)
}

/// The record of an interrupted creation, without which a provider does nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsettledCreation {
    /// The provider waits for a person.
    Interrupted,
    /// The creation may still be under way.
    UnderWay,
}

/// Returns the state of a creation whose result is not recorded; `None` if it is recorded, or if the provider proceeded
/// without it, as those with deterministic external names do.
pub fn unsettled_creation(resource: &Resource, clock: &AssessmentClock) -> Option<UnsettledCreation> {
    let Creation::Pending(pending) = creation(resource) else { return None };
    let synced = resource.conditions.as_slice().of_type("Synced");
    if synced.is_some_and(|one| one.status == ConditionStatus::True && one.last_transition_time > Some(pending)) {
        return None;
    }
    let is_interrupted = interrupted_creation(resource, synced, clock).is_some();
    Some(if is_interrupted { UnsettledCreation::Interrupted } else { UnsettledCreation::UnderWay })
}

/// The last attempt to create the external resource of an object, by the annotations of crossplane-runtime.
enum Creation {
    /// There was none, or it succeeded.
    Settled,
    /// Its result is not recorded.
    Pending(Timestamp),
    /// It failed.
    Failed(Timestamp),
}

fn creation(resource: &Resource) -> Creation {
    let time = |outcome: &str| -> Option<Timestamp> {
        resource.metadata.annotation(&format!("crossplane.io/external-create-{outcome}"))?.parse().ok()
    };
    let (pending, succeeded, failed) = (time("pending"), time("succeeded"), time("failed"));
    match (pending, failed) {
        (Some(pending), _) if Some(pending) > succeeded.max(failed) => Creation::Pending(pending),
        (_, Some(failed)) if Some(failed) > succeeded => Creation::Failed(failed),
        _ => Creation::Settled,
    }
}

/// Returns the message of a condition, or its reason if there is no message.
pub fn message_or_reason(condition: &Condition) -> String {
    if condition.message.trim().is_empty() { condition.reason.to_string() } else { condition.message.trim().to_owned() }
}

fn since(condition: &Condition) -> Option<Timestamp> {
    condition.last_transition_time
}
