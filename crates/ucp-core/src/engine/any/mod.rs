//! Derives a verdict for an object of any kind from common controller conventions. The rules, in order:
//!
//! 1. A pending deletion is in progress; its finalizers are named.
//! 2. A pause field or annotation.
//! 3. An outdated observed generation.
//! 4. The states in `status`: conditions, words, flags, counts, and errors. The table of conventions has precedence for
//!    its kinds. The worst state decides; top-level states outweigh nested ones.
//! 5. Without any state: configuration is OK, everything else is unknown.
//!
//! An unknown word is never taken as OK.

mod addresses;
#[cfg(test)]
mod bad_news;
mod codes;
mod condition;
mod condition_types;
mod condition_verdicts;
mod conditions;
#[cfg(test)]
mod contradictions;
mod convention;
mod counters;
mod counts;
mod disagreement;
mod doubts;
mod error_fields;
#[cfg(test)]
mod examples;
mod expectations;
mod field_names;
mod fields;
mod generations;
mod health_checks;
mod hints;
#[cfg(test)]
pub(super) mod mutations;
mod obstacles;
mod outlook;
mod pauses;
mod progress_times;
mod quantities;
mod reasons;
mod rules;
mod runs;
mod sentences;
mod sign;
mod staleness;
#[cfg(test)]
mod stalls;
mod states;
#[cfg(test)]
mod steps;
#[cfg(test)]
mod tests;
mod vocabulary;
mod weighing;
mod words;
mod workload;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::engine::code::Code;
use crate::engine::judgement::{AssessmentClock, Judgement, Problem};
use crate::engine::recovery::ends_by_itself;
use crate::failure::Failure;
use crate::model::body::any::{GenericObject, whole_number};
use crate::model::body::workload::Workload;
use crate::model::body::{BodyShape, KindRequest};
use crate::model::comparison::is_empty;
use crate::model::convention::Convention;
use crate::model::health_check::CheckUse;
use crate::model::kind::{ResourceKind, StatusSubresource};
use crate::model::metadata::Metadata;
use crate::model::resource::Resource;
use crate::model::secrecy::scrub;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;

pub(super) use codes::ALL as CODES;
pub(super) use condition::is_good_word;
use conditions::{NOT_RECONCILED, StatusContext};
pub(super) use disagreement::compare_with_engines;
use obstacles::{check_lasting_progress, check_obstacles};
pub(super) use outlook::is_known_good;
pub use outlook::{ConditionOutlook, condition_outlook, is_bad_word, is_without_good_state, names_a_state};
pub(super) use pauses::find_pause_mark;
use progress_times::date_progress;
use sentences::announces_retry;
use sign::{SignWeight, StatusSign};
use states::StatusSearch;
use weighing::worst_sign;

/// The engine name of objects that belong to no engine.
pub const NAME: &str = "Other";

/// Kubernetes API groups that only contain configuration, or objects that nothing waits for.
const CONFIGURATION: [&str; 16] = [
    "rbac.authorization.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "admissionregistration.k8s.io",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "metrics.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
];
/// Built-in kinds that have a status.
const BUILT_IN: [(&str, &str); 11] = [
    ("", "Pod"),
    ("", "PersistentVolumeClaim"),
    ("", "PersistentVolume"),
    ("", "Node"),
    ("", "ReplicationController"),
    ("apps", "DaemonSet"),
    ("apps", "ReplicaSet"),
    ("batch", "Job"),
    ("batch", "CronJob"),
    ("policy", "PodDisruptionBudget"),
    ("autoscaling", "HorizontalPodAutoscaler"),
];

/// Built-in kinds that wait for an address, and are only judged where they are requested.
const NAMED: [(&str, &str); 2] = [("", "Service"), ("networking.k8s.io", "Ingress")];

/// Returns true if a group belongs to Kubernetes itself.
pub fn is_of_kubernetes(group: &str) -> bool {
    !group.contains('.') || CONFIGURATION.contains(&group)
}

/// Returns the parts to read of a kind without an engine: custom resources and built-in kinds with a status are read
/// completely.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let is_custom = kind.group.contains('.') && !CONFIGURATION.contains(&kind.group.as_str());
    let is_built_in = || BUILT_IN.contains(&(kind.group.as_str(), kind.kind.as_str()));
    (is_custom || is_built_in()).then(|| KindRequest::ruled(BodyShape::Any))
}

/// Returns the parts to read of a kind whose objects are requested by name or by a relation. Includes built-in kinds
/// that are too many to list.
pub fn want_named(kind: &ResourceKind) -> Option<KindRequest> {
    let is_named = NAMED.contains(&(kind.group.as_str(), kind.kind.as_str()));
    want(kind).or_else(|| is_named.then(|| KindRequest::ruled(BodyShape::Any)))
}

/// Judges a Deployment, StatefulSet, or DaemonSet independently of any engine.
pub(super) fn judge_workload(resource: &Resource, workload: &Workload, clock: &AssessmentClock) -> Judgement {
    let sign = match resource.metadata.deletion_timestamp {
        Some(deleted) => deletion(&resource.metadata, deleted),
        None => workload::workload_sign(resource, workload, clock),
    };
    judgement(sign, clock, &ANY)
}

/// The time that a controller has to report on a new object for the first time.
const FIRST_WORD: SignedDuration = SignedDuration::from_mins(1);

/// Judges an object of a kind without an engine. The user's conventions have precedence over the built-in ones.
pub fn judge(resource: &Resource, any: &GenericObject, clock: &AssessmentClock, own: &[Convention]) -> Judgement {
    judge_as(resource, any, clock, own, &ANY)
}

/// Judges an object by the health checks of its Kustomizations and the health rule for its kind, which decide as they do in
/// Flux and Argo CD; the worst one counts. Returns `None` if there is none, or if the rule returns no health.
pub fn judge_by_rule(resource: &Resource, state: &ClusterState, clock: &AssessmentClock) -> Option<Judgement> {
    let object = resource.whole.as_deref().filter(|_| resource.metadata.deletion_timestamp.is_none())?;
    let (rules, key) = (&state.health_rules, resource.key());
    let by_checks = rules.checks_for(&key).filter_map(|check| {
        let judged = rules.timed(clock.now, || health_checks::run(check, object));
        let (verdict, words) = judged.unwrap_or_else(|reason| failed_rule("check", &reason));
        // An expression that Flux does not evaluate is no reason to call an object good.
        let counts = check.use_by_flux == CheckUse::Repeated || verdict == Verdict::Failed;
        counts.then(|| (verdict, format!("health check of Kustomization {}: {words}", check.kustomization)))
    });
    let by_rule = rules.rule_for(&resource.kind).and_then(|rule| {
        let judged = rules.timed(clock.now, || self::rules::run(rule, object, clock.now));
        let judged = judged.map(|health| health.map(self::rules::RuleHealth::into_verdict)).transpose()?;
        let (verdict, words) = judged.unwrap_or_else(|reason| failed_rule("rule", &reason));
        Some((verdict, format!("{}: {words}", rule.origin.words())))
    });
    let (verdict, words) = by_checks.chain(by_rule).min_by_key(|(verdict, _)| *verdict)?;
    let message = scrub(&words).into_owned();
    let judged = judgement(StatusSign::deciding(verdict, message.clone()), clock, &ANY);
    Some(Judgement { message: Some(message.into()), ..judged })
}

/// Returns the worse judgement of an engine and of the rule for its kind. A rule never makes it better, and an error that the
/// engine is about to repair stays in progress.
pub(super) fn worst_by_rule(
    judgement: Judgement,
    resource: &Resource,
    state: &ClusterState,
    clock: &AssessmentClock,
) -> Judgement {
    if !matches!(judgement.verdict, Verdict::Ok | Verdict::Unknown) {
        return judgement;
    }
    let by_rule = judge_by_rule(resource, state, clock);
    by_rule.filter(|by_rule| by_rule.verdict < judgement.verdict).unwrap_or(judgement)
}

/// Returns the verdict for an object whose rule or check failed.
fn failed_rule(kind: &str, reason: &Failure) -> (Verdict, String) {
    (Verdict::Unknown, format!("the {kind} failed: {reason}"))
}

/// Judges an object by the rules for any kind, with the codes of the calling engine.
pub(super) fn judge_as(
    resource: &Resource,
    any: &GenericObject,
    clock: &AssessmentClock,
    own: &[Convention],
    codes: &VerdictCodes,
) -> Judgement {
    let convention = convention::convention_for(&resource.kind, own);
    let metadata = &resource.metadata;
    if let Some(deleted) = metadata.deletion_timestamp {
        return judgement(deletion(metadata, deleted), clock, codes);
    }
    if let Some(mark) = find_pause_mark(metadata, &any.spec, clock.now) {
        return judgement(StatusSign::deciding(Verdict::Paused, mark), clock, codes);
    }
    // Without a status subresource, each write of the controller increments the generation.
    let counts = resource.kind.reporting.status != StatusSubresource::Absent;
    let generations = generations::seen(resource, any);
    if counts && metadata.generation.is_some_and(|now| generations.iter().any(|seen| *seen < now)) {
        let sign = StatusSign::deciding(Verdict::Progressing, NOT_RECONCILED);
        return judgement(StatusSign { since: metadata.written.declaration, ..sign }, clock, codes);
    }
    let nature = convention::meaning_of_running(convention, &resource.kind.kind);
    let mut signs = signs(resource, any, convention, clock.now);
    check_obstacles(&mut signs);
    let sign = match worst_sign(signs, nature) {
        Some(mut sign) => {
            date_progress(&mut sign, metadata, nature);
            check_lasting_progress(&mut sign, clock);
            sign
        }
        None => sign_without_state(resource, any, convention, clock),
    };
    // Such as the status of another object of this name, in one that was restored.
    let ahead = generations.iter().find(|seen| counts && metadata.generation.is_some_and(|now| **seen > now));
    match ahead {
        Some(seen) if sign.verdict == Verdict::Ok => {
            let message = format!("its status is of generation {seen}, which the object has not reached");
            Judgement::quiet(Verdict::Unknown, None, message)
        }
        _ => judgement(sign, clock, codes),
    }
}

/// The codes for each verdict of an object that is judged by the rules for any kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct VerdictCodes {
    pub(super) failed: Code,
    pub(super) needs_human: Code,
    pub(super) drifted: Code,
    pub(super) stuck: Code,
    pub(super) paused: Code,
}

pub(super) const ANY: VerdictCodes = VerdictCodes {
    failed: Code::AnyFailed,
    needs_human: Code::AnyNeedsHuman,
    drifted: Code::AnyDrifted,
    stuck: Code::AnyStuck,
    paused: Code::AnyPaused,
};

fn signs(resource: &Resource, any: &GenericObject, convention: &Convention, now: Timestamp) -> Vec<StatusSign> {
    let kind = resource.kind.kind.as_str();
    let generation =
        resource.metadata.generation.filter(|_| resource.kind.reporting.status != StatusSubresource::Absent);
    let columns = &resource.kind.reporting.columns;
    let declared = resource.metadata.written.declaration;
    let about = StatusContext { kind, convention, columns, generation, declared, now };
    let mut search = StatusSearch { about, signs: Vec::new() };
    search.check_labels(&resource.metadata);
    if let Some(word) = any.status.as_str() {
        search.read_word("status", word);
    }
    search.object(&any.status, "", 0);
    search.check_required_fields(&any.status);
    search.check_awaited_conditions(&any.spec, &any.status);
    search.check_runs(&resource.metadata, &any.spec, &any.status);
    search.check_address(resource, &any.spec, &any.status);
    search.check_empty_fields(&any.status);
    search.check_counts(any);
    search.check_declared_counters(&any.spec, &any.status, "", 0);
    search.check_parents(&any.spec, &any.status);
    let is_open = search.signs.iter().all(|sign| (sign.verdict, sign.weight) == (Verdict::Ok, SignWeight::Aside));
    if let Some(fields) = any.status.as_object().filter(|_| !search.signs.is_empty()) {
        search.check_doubts(fields);
        search.check_unknown_flags(fields);
        search.check_recurring_times(resource.metadata.creation_timestamp, &any.spec, &any.status);
    }
    if is_open {
        search.check_messages(&any.status);
    }
    search.signs
}

/// Returns true if a status has a field that may describe the state of the object.
fn may_describe_state(status: &Value) -> bool {
    status.as_object().into_iter().flatten().any(|(key, value)| hints::may_describe_state(key, value))
}

/// Returns true if a status has a list of conditions, at any depth, and the list is empty.
fn awaits_conditions(status: &Value) -> bool {
    match status {
        Value::Object(fields) => fields.iter().any(|(key, value)| match key.as_str() {
            "conditions" | "ancestors" | "parents" if value.as_array().is_some_and(Vec::is_empty) => true,
            _ => awaits_conditions(value),
        }),
        Value::Array(items) => items.iter().any(awaits_conditions),
        _ => false,
    }
}

/// Returns true if every field of a status is empty or zero, as an API server completes it from defaults.
fn is_blank(status: &Value) -> bool {
    let fields = status.as_object().filter(|fields| !fields.is_empty());
    fields.is_some_and(|fields| fields.values().all(|value| is_empty(value) || whole_number(value) == Some(0)))
}

/// Returns the verdict for an object whose status has no state.
fn sign_without_state(
    resource: &Resource,
    any: &GenericObject,
    convention: &Convention,
    clock: &AssessmentClock,
) -> StatusSign {
    let sign = |verdict, message: &str| StatusSign::deciding(verdict, message);
    let has_status = any.status.as_object().is_some_and(|status| !status.is_empty());
    let created = resource.metadata.creation_timestamp;
    let is_new = created.is_none_or(|created| clock.now.duration_since(created) < FIRST_WORD);
    match convention.silent {
        Some(verdict) => sign(verdict, "it has no status, as is usual for its kind"),
        None if has_status && convention.idle.is_some() => sign(convention.idle.unwrap_or(Verdict::Unknown), ""),
        None if !has_status && resource.kind.reporting.status == StatusSubresource::Absent => sign(Verdict::Ok, ""),
        None if has_status && awaits_conditions(&any.status) => {
            sign(Verdict::Progressing, "its conditions have not been reported yet")
        }
        // The controller observed the object and had no state to report. The first generation is 1.
        None if has_status
            && resource.observed_generation.is_some_and(|seen| seen > 0)
            && !may_describe_state(&any.status) =>
        {
            sign(Verdict::Ok, "")
        }
        None if is_blank(&any.status) => sign(Verdict::Progressing, "its status is still empty"),
        None if has_status => sign(Verdict::Unknown, "no field of its status shows its health"),
        None if is_new => sign(Verdict::Progressing, "no controller has reported yet"),
        None => sign(Verdict::Unknown, "no controller has reported"),
    }
}

fn judgement(sign: StatusSign, clock: &AssessmentClock, codes: &VerdictCodes) -> Judgement {
    let StatusSign { verdict, since, message, .. } = sign;
    // An error that ends by itself is progress, for as long as its controller may need. Without a time, only one that the
    // controller says to be about to repeat.
    let is_passing = || {
        let may_pass = since.is_some() || announces_retry(&message);
        may_pass && !clock.is_overdue(since) && ends_by_itself(&message)
    };
    let code = match verdict {
        Verdict::Failed if is_passing() => return Judgement::quiet(Verdict::Progressing, since, message),
        Verdict::Ok => return Judgement::ok(since),
        Verdict::Unknown => return Judgement::quiet(verdict, since, message),
        Verdict::Progressing if !clock.is_overdue(since) => return Judgement::quiet(verdict, since, message),
        Verdict::Progressing | Verdict::Stuck => codes.stuck,
        Verdict::Failed => codes.failed,
        Verdict::NeedsHuman => codes.needs_human,
        Verdict::Drifted => codes.drifted,
        Verdict::Paused => codes.paused,
    };
    Judgement::worst(vec![Problem::new(code, since, message)], Judgement::ok(None))
}

fn deletion(metadata: &Metadata, deleted: Timestamp) -> StatusSign {
    let message = match metadata.finalizers.as_slice() {
        [] => "it is being deleted".to_owned(),
        finalizers => format!("it is being deleted; finalizers: {}", finalizers.join(", ")),
    };
    StatusSign { since: Some(deleted), ..StatusSign::deciding(Verdict::Progressing, message) }
}
