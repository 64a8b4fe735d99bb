//! A verdict for an object of any kind, by what controllers commonly write. The rules, in order:
//!
//! 1. a deletion that waits is under way, and names its finalizers;
//! 2. a mark of a pause;
//! 3. a generation that nobody has looked at;
//! 4. the states of `status`, by the table of conventions where the kind has one of its own: conditions, words, flags,
//!    counts and errors. The worst counts; what a controller says at the top counts for more than what stands below;
//! 5. nothing that says how it is: configuration is well, all else is unknown.
//!
//! A word that nobody knows is never taken for good.

mod codes;
mod conditions;
mod convention;
mod disagreement;
mod hints;
mod states;
#[cfg(test)]
mod tests;
mod words;
mod workload;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::engine::code::Code;
use crate::engine::{Clock, Judgement, Problem};
use crate::model::body::any::{Any, whole_number};
use crate::model::body::workload::Workload;
use crate::model::body::{Shape, Want};
use crate::model::convention::Convention;
use crate::model::kind::{ResourceKind, StatusSubresource};
use crate::model::metadata::Metadata;
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

pub(super) use codes::ALL as CODES;
use conditions::About;
pub(super) use conditions::is_negative;
pub(super) use disagreement::compare_with_engines;
use states::Search;

/// One thing that a status says.
#[derive(Debug, Clone)]
struct Sign {
    verdict: Verdict,
    weight: Weight,
    since: Option<Timestamp>,
    message: String,
}

/// How much a sign counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// It is done, and what went on before does not matter.
    Final,
    /// It speaks of the object as a whole.
    Deciding,
    /// It speaks of the object, in words of which nobody knows that they sum it up.
    Weak,
    /// It speaks of a part of it.
    Aside,
    /// It is bad news, or not known to be good, and nothing else that is said outweighs it.
    Doubt,
    /// It speaks of a run that is over, such as the last backup; where anything else speaks, that counts.
    Past,
    /// It speaks of what was last tried; where anything else speaks, that counts.
    Last,
}

/// What stands for an engine where there is none.
pub const NAME: &str = "Other";

/// Groups of Kubernetes itself that only hold configuration, or what nobody waits for.
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
/// Kinds of Kubernetes itself that have a status.
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

/// Whether a group is one of Kubernetes' own.
pub fn is_of_kubernetes(group: &str) -> bool {
    !group.contains('.') || CONFIGURATION.contains(&group)
}

/// What to read of a kind that no engine knows: everything of a custom resource, and of what Kubernetes itself reports on.
pub fn want(kind: &ResourceKind) -> Option<Want> {
    let is_custom = kind.group.contains('.') && !CONFIGURATION.contains(&kind.group.as_str());
    let is_built_in = || BUILT_IN.contains(&(kind.group.as_str(), kind.kind.as_str()));
    (is_custom || is_built_in()).then(|| Want::all(Shape::Any))
}

/// Judges a Deployment, StatefulSet or DaemonSet: no engine's, but what anything may run in.
pub(super) fn judge_workload(resource: &Resource, workload: &Workload, clock: &Clock) -> Judgement {
    let sign = match resource.metadata.deletion_timestamp {
        Some(deleted) => deletion(&resource.metadata, deleted),
        None => workload::sign(resource, workload, clock),
    };
    judgement(sign, clock, &ANY)
}

/// A controller that was just told of an object has this long to say something.
const FIRST_WORD: SignedDuration = SignedDuration::from_mins(1);

/// Judges an object of a kind that no engine knows, by the user's conventions before those of the program.
pub fn judge(resource: &Resource, any: &Any, clock: &Clock, own: &[Convention]) -> Judgement {
    judge_as(resource, any, clock, own, &ANY)
}

/// Judges an object by the rules for any kind, with the codes of whoever asks.
pub(super) fn judge_as(
    resource: &Resource,
    any: &Any,
    clock: &Clock,
    own: &[Convention],
    codes: &VerdictCodes,
) -> Judgement {
    let convention = convention::of(&resource.kind, own);
    let metadata = &resource.metadata;
    if let Some(deleted) = metadata.deletion_timestamp {
        return judgement(deletion(metadata, deleted), clock, codes);
    }
    if let Some(mark) = pause(metadata, &any.spec) {
        return judgement(Sign::deciding(Verdict::Paused, mark), clock, codes);
    }
    // Without a status of its own, whatever its controller writes into the object counts as a change.
    let counts = resource.kind.reporting.status != StatusSubresource::Absent;
    let seen = GENERATIONS.iter().filter_map(|field| any.status.get(field).and_then(whole_number));
    let seen = seen.chain(resource.observed_generation).min();
    if counts && matches!((seen, metadata.generation), (Some(seen), Some(now)) if seen < now) {
        return Judgement::quiet(Verdict::Progressing, None, "the latest change has not been reconciled yet");
    }
    let sign = sum(signs(resource, any, convention)).unwrap_or_else(|| silence(resource, any, convention, clock));
    judgement(sign, clock, codes)
}

/// Fields of `status` with the generation that a controller last looked at, beside `observedGeneration`.
const GENERATIONS: [&str; 4] =
    ["lastEvaluatedGeneration", "lastObservedGeneration", "lastReconciledGeneration", "reconciledGeneration"];

/// The codes of what may be wrong with an object that is judged by the rules for any kind.
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

impl Sign {
    fn deciding(verdict: Verdict, message: impl Into<String>) -> Self {
        Self { verdict, weight: Weight::Deciding, since: None, message: message.into() }
    }
}

fn signs(resource: &Resource, any: &Any, convention: &Convention) -> Vec<Sign> {
    let kind = resource.kind.kind.as_str();
    let generation =
        resource.metadata.generation.filter(|_| resource.kind.reporting.status != StatusSubresource::Absent);
    let columns = &resource.kind.reporting.columns;
    let mut search = Search { about: About { kind, convention, columns, generation }, signs: Vec::new() };
    search.object(&any.status, "", 0);
    search.required(&any.status);
    search.awaited(&any.status);
    search.runs(&any.status);
    search.none(&any.status);
    search.counts(any);
    if search.signs.is_empty() {
        search.sentence(&any.status);
    }
    search.signs
}

/// The worst of what is said, or nothing where nothing is.
fn sum(mut signs: Vec<Sign>) -> Option<Sign> {
    let bad = |sign: &Sign| sign.verdict < Verdict::Stuck;
    let is_final = signs.iter().any(|sign| sign.weight == Weight::Final);
    let is_paused = signs.iter().any(|sign| sign.verdict == Verdict::Paused && sign.weight == Weight::Deciding);
    let decided =
        |sign: &Sign| matches!(sign.weight, Weight::Final | Weight::Deciding) && sign.verdict != Verdict::Unknown;
    let is_decided = signs.iter().any(decided);
    // What was last tried and failed is not outweighed: who is well now may fail the next time.
    for sign in signs.iter_mut().filter(|sign| is_decided && sign.weight == Weight::Last) {
        if bad(sign) || sign.verdict == Verdict::Unknown {
            (sign.verdict, sign.weight) = (Verdict::Unknown, Weight::Doubt);
        }
    }
    signs.retain(|sign| {
        let aside = sign.weight == Weight::Aside;
        match sign.verdict {
            _ if sign.weight == Weight::Doubt => true,
            _ if is_decided && matches!(sign.weight, Weight::Last | Weight::Past) => false,
            // What is done does not go on, and its parts may have failed on the way.
            _ if is_final && aside => false,
            Verdict::Progressing if is_final || is_paused => false,
            // A part that is not ready yet, or a word that nobody knows, does not outweigh the whole.
            _ if is_decided && aside => bad(sign),
            _ if is_decided && sign.weight == Weight::Weak => bad(sign) || sign.verdict == Verdict::Paused,
            Verdict::Unknown => !is_decided,
            _ => true,
        }
    });
    signs.into_iter().min_by_key(|sign| sign.verdict)
}

/// Whether a status has a field that may say how its object is.
fn may_tell(status: &Value) -> bool {
    status.as_object().into_iter().flatten().any(|(key, value)| hints::may_tell(key, value))
}

/// Nothing says how the object is.
fn silence(resource: &Resource, any: &Any, convention: &Convention, clock: &Clock) -> Sign {
    let sign = |verdict, message: &str| Sign::deciding(verdict, message);
    let has_status = any.status.as_object().is_some_and(|status| !status.is_empty());
    let created = resource.metadata.creation_timestamp;
    let is_new = created.is_none_or(|created| clock.now.duration_since(created) < FIRST_WORD);
    match convention.silent {
        Some(verdict) => sign(verdict, "it has no status, as is usual for its kind"),
        None if has_status && convention.idle.is_some() => sign(convention.idle.unwrap_or(Verdict::Unknown), ""),
        None if !has_status && resource.kind.reporting.status == StatusSubresource::Absent => sign(Verdict::Ok, ""),
        // It was looked at, and there was nothing to say.
        None if has_status && resource.observed_generation.is_some() && !may_tell(&any.status) => sign(Verdict::Ok, ""),
        None if has_status => sign(Verdict::Unknown, "no field of its status says how it is"),
        None if is_new => sign(Verdict::Progressing, "no controller has reported yet"),
        None => sign(Verdict::Unknown, "no controller has reported"),
    }
}

fn judgement(sign: Sign, clock: &Clock, codes: &VerdictCodes) -> Judgement {
    let Sign { verdict, since, message, .. } = sign;
    let code = match verdict {
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

fn deletion(metadata: &Metadata, deleted: Timestamp) -> Sign {
    let message = match metadata.finalizers.as_slice() {
        [] => "it is being deleted".to_owned(),
        finalizers => format!("it is being deleted; finalizers: {}", finalizers.join(", ")),
    };
    Sign { since: Some(deleted), ..Sign::deciding(Verdict::Progressing, message) }
}

/// The mark that tells a controller to leave an object alone.
pub(super) fn pause(metadata: &Metadata, spec: &Value) -> Option<String> {
    const FIELDS: [&str; 4] = ["suspend", "suspended", "paused", "pause"];
    const ANNOTATIONS: [(&str, &[&str]); 7] = [
        ("/paused", &["true", ""]),
        ("/pause", &["true"]),
        ("/pause-reconciliation", &["true"]),
        ("/reconcile", &["disabled", "suspended", "false"]),
        ("/reconcile-policy", &["skip"]),
        ("-reconciliation-policy", &["skip"]),
        ("/hibernation", &["on"]),
    ];
    let is_set = |object: &Value, field: &str| object.get(field) == Some(&Value::Bool(true));
    let field = FIELDS.iter().find(|field| is_set(spec, field)).map(|field| (*field).to_owned()).or_else(|| {
        // Of a rollout: `spec.updateStrategy.paused`.
        let strategy = |(key, value): (&String, &Value)| {
            let found = ["", "rollingUpdate"].iter().any(|below| {
                is_set(if below.is_empty() { value } else { value.get(below).unwrap_or(&Value::Null) }, "paused")
            });
            (key.to_lowercase().contains("strategy") && found).then(|| format!("{key}.paused"))
        };
        spec.as_object()?.iter().find_map(strategy)
    });
    let annotation = || {
        metadata
            .annotations
            .iter()
            .find(|(key, value)| ANNOTATIONS.iter().any(|(end, values)| key.ends_with(end) && values.contains(value)))
    };
    match field {
        Some(field) => Some(format!("spec.{field} is true")),
        None => annotation().map(|(key, value)| format!("annotation {key} is {value}")),
    }
}
