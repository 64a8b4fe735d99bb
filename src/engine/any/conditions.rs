//! Interprets the conditions of any controller. Follows the Kubernetes API conventions
//! (`sig-architecture/api-conventions.md`), kstatus, and Cluster API's severities.

use jiff::Timestamp;
use serde_json::Value;

use super::convention::running;
use super::words::{Meaning, meaning, tells_of_failure, tells_of_progress, tokens};
use super::{Sign, Weight};
use crate::model::body::any::whole_number;
use crate::model::convention::{ConditionPolarity, Convention, RunningMeaning};
use crate::model::verdict::Verdict;

/// The context in which the status of an object is interpreted.
pub(super) struct About<'a> {
    pub(super) kind: &'a str,
    /// The convention of its kind.
    pub(super) convention: &'a Convention,
    /// Condition types that the CRD shows as printer columns.
    pub(super) columns: &'a [String],
    /// The generation of the object; `None` if its kind has no status subresource.
    pub(super) generation: Option<i64>,
}

/// One condition, independent of its notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Condition<'a> {
    kind: &'a str,
    status: Truth,
    reason: &'a str,
    message: &'a str,
    severity: &'a str,
    since: Option<Timestamp>,
    observed_generation: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    True,
    False,
    Unknown,
}

/// Reads conditions from a list, or from an object with the condition types as keys.
pub(super) fn read(value: &Value) -> Vec<Condition<'_>> {
    match value {
        Value::Array(items) => items.iter().filter_map(|item| one(text(item, "type"), item)).collect(),
        Value::Object(by_type) => by_type.iter().filter_map(|(kind, item)| one(kind, item)).collect(),
        _ => Vec::new(),
    }
}

impl Condition<'_> {
    /// Returns true if the condition has this type.
    pub(super) fn is(&self, kind: &str) -> bool {
        self.kind == kind
    }
}

fn one<'a>(kind: &'a str, item: &'a Value) -> Option<Condition<'a>> {
    let mut reason = text(item, "reason");
    let status = match item.get("status") {
        Some(Value::Bool(true)) => Truth::True,
        Some(Value::Bool(false)) => Truth::False,
        Some(Value::String(word)) => match (word.to_lowercase().as_str(), meaning(word)) {
            ("true", _) | (_, Some(Meaning::Good | Meaning::Done)) => Truth::True,
            ("false", _) => Truth::False,
            (_, Some(Meaning::Bad)) => {
                reason = if reason.is_empty() { word } else { reason };
                Truth::False
            }
            _ => Truth::Unknown,
        },
        // A condition without a status counts as True if its type is negative. A positive type is not evidence of a
        // current state.
        _ if polarity(kind) == Some(ConditionPolarity::Bad) => Truth::True,
        _ => return None,
    };
    (!kind.is_empty()).then(|| Condition {
        kind,
        status,
        reason,
        message: text(item, "message"),
        severity: text(item, "severity"),
        since: text(item, "lastTransitionTime").parse().ok(),
        observed_generation: item.get("observedGeneration").and_then(whole_number),
    })
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The last words of condition types that summarize an object.
const DECIDING: [&str; 20] = [
    "ready",
    "available",
    "healthy",
    "synced",
    "succeeded",
    "success",
    "established",
    "programmed",
    "accepted",
    "complete",
    "completed",
    "reconciled",
    "valid",
    "admitted",
    "bound",
    "refs",
    "approved",
    "initialized",
    "installed",
    "deployed",
];

/// Interprets all conditions of an object.
pub(super) fn signs(conditions: &[Condition<'_>], about: &About<'_>) -> Vec<Sign> {
    let (convention, kind, generation) = (about.convention, about.kind, about.generation);
    let polarity = |condition: &Condition<'_>| {
        let listed = convention.decides(condition.kind).then_some(ConditionPolarity::Good);
        convention.polarity(condition.kind).or(listed).or_else(|| polarity(condition.kind))
    };
    let decides = |condition: &Condition<'_>| {
        polarity(condition) == Some(ConditionPolarity::Good)
            && (convention.decides(condition.kind)
                || about.columns.iter().any(|shown| shown == condition.kind)
                || tokens(condition.kind).last().is_some_and(|last| DECIDING.contains(&last.as_str())))
    };
    let nobody_decides = !conditions.iter().any(decides);
    conditions
        .iter()
        .filter_map(|condition| {
            let weight = match nobody_decides {
                true => Weight::Weak,
                false if decides(condition) => Weight::Deciding,
                false => Weight::Aside,
            };
            let behind = matches!((condition.observed_generation, generation), (Some(seen), Some(now)) if seen < now);
            let Some(polarity) = polarity(condition) else {
                let (verdict, since) = (unknown(condition), condition.since);
                return Some(Sign { verdict, weight: Weight::Doubt, since, message: words(condition) });
            };
            let (verdict, weight) = match polarity {
                ConditionPolarity::Ignored => return None,
                _ if condition.status != Truth::True && convention.reasons.verdict(condition.reason).is_some() => {
                    (convention.reasons.verdict(condition.reason)?, weight)
                }
                // Controllers based on ansible-operator set Running while they reconcile.
                _ if condition.kind == "Running"
                    && condition.status == Truth::True
                    && tells_of_progress(condition.message) =>
                {
                    (Verdict::Progressing, Weight::Deciding)
                }
                // A running task is not complete.
                _ if condition.kind == "Running" && running(convention, kind) == RunningMeaning::Progress => {
                    ((condition.status == Truth::True).then_some(Verdict::Progressing)?, Weight::Deciding)
                }
                ConditionPolarity::Good if behind && weight != Weight::Aside => (Verdict::Progressing, weight),
                ConditionPolarity::Good if weight == Weight::Aside => (negative(condition)?, Weight::Doubt),
                ConditionPolarity::Good => (good(condition), weight),
                ConditionPolarity::Bad => (bad(condition)?, Weight::Deciding),
                ConditionPolarity::Progress
                    if condition.status == Truth::True && convention.polarity(condition.kind).is_some() =>
                {
                    (Verdict::Progressing, Weight::Deciding)
                }
                ConditionPolarity::Progress => (progress(condition)?, Weight::Deciding),
                ConditionPolarity::NeedsHuman => {
                    ((condition.status == Truth::True).then_some(Verdict::NeedsHuman)?, Weight::Deciding)
                }
                ConditionPolarity::Paused => {
                    ((condition.status == Truth::True).then_some(Verdict::Paused)?, Weight::Deciding)
                }
            };
            Some(Sign { verdict, weight, since: condition.since, message: words(condition) })
        })
        .collect()
}

/// Derives the polarity of a condition type from its name; `None` if its words are unknown.
fn polarity(kind: &str) -> Option<ConditionPolarity> {
    Some(match meaning(kind)? {
        Meaning::Bad | Meaning::Human => ConditionPolarity::Bad,
        Meaning::Paused => ConditionPolarity::Paused,
        // `NotReady` is a failure; `Creating` is progress.
        Meaning::Progress if kind.starts_with("Not") => ConditionPolarity::Bad,
        Meaning::Progress => ConditionPolarity::Progress,
        Meaning::Good | Meaning::Done => ConditionPolarity::Good,
    })
}

/// Returns true if a condition that an engine does not know indicates a problem, judged by its type alone.
pub(in crate::engine) fn is_negative(kind: &str, is_true: bool) -> bool {
    match polarity(kind) {
        Some(ConditionPolarity::Good) | None => !is_true,
        Some(ConditionPolarity::Bad | ConditionPolarity::NeedsHuman) => is_true,
        Some(ConditionPolarity::Progress | ConditionPolarity::Paused | ConditionPolarity::Ignored) => false,
    }
}

/// The verdict for a condition that should be True.
fn good(condition: &Condition<'_>) -> Verdict {
    let reason = meaning(condition.reason);
    match condition.status {
        Truth::True | Truth::Unknown if reason == Some(Meaning::Bad) => Verdict::Failed,
        Truth::True => Verdict::Ok,
        Truth::Unknown => Verdict::Progressing,
        Truth::False => unmet(condition, reason),
    }
}

/// The verdict for a condition that should be True and is not, next to a summarizing condition; `None` if it is True.
fn negative(condition: &Condition<'_>) -> Option<Verdict> {
    let reason = meaning(condition.reason);
    Some(match (condition.status, reason) {
        (Truth::True, _) | (Truth::False, Some(Meaning::Done)) => return None,
        (Truth::False, Some(Meaning::Bad)) => Verdict::Failed,
        (Truth::False, Some(Meaning::Progress)) => Verdict::Progressing,
        _ if tells_of_failure(condition.message) => Verdict::Failed,
        (_, Some(Meaning::Human)) => Verdict::NeedsHuman,
        (_, Some(Meaning::Paused)) => Verdict::Paused,
        _ => Verdict::Unknown,
    })
}

/// The verdict for a condition whose type is unknown. It is never OK.
fn unknown(condition: &Condition<'_>) -> Verdict {
    match (condition.status, meaning(condition.reason)) {
        (Truth::Unknown, _) => Verdict::Unknown,
        (_, Some(Meaning::Bad)) => Verdict::Failed,
        (Truth::False, Some(Meaning::Progress)) => Verdict::Progressing,
        _ if tells_of_failure(condition.message) => Verdict::Failed,
        _ => Verdict::Unknown,
    }
}

/// Distinguishes progress from failure for a summarizing condition that is False.
fn unmet(condition: &Condition<'_>, reason: Option<Meaning>) -> Verdict {
    match (condition.severity, reason) {
        ("Info", _) => return Verdict::Progressing,
        (_, Some(Meaning::Bad)) | ("Error" | "Warning", _) => return Verdict::Failed,
        (_, Some(Meaning::Human)) => return Verdict::NeedsHuman,
        (_, Some(Meaning::Paused)) => return Verdict::Paused,
        // For example, `Ready` is False with the reason `TransferRunning`.
        (_, Some(Meaning::Good | Meaning::Done)) if !tells_of_failure(condition.message) => {
            return Verdict::Progressing;
        }
        _ => {}
    }
    let fails = tells_of_failure(condition.message);
    let is_under_way = reason == Some(Meaning::Progress) || tells_of_progress(condition.message);
    match (fails, is_under_way) {
        (_, true) if reason == Some(Meaning::Progress) && !condition.message.to_lowercase().contains("fail") => {
            Verdict::Progressing
        }
        (true, _) => Verdict::Failed,
        (false, true) => Verdict::Progressing,
        // The condition has neither a reason nor a message.
        (false, false) if condition.reason.is_empty() && condition.message.is_empty() => Verdict::Progressing,
        // Most controllers report Unknown during work, and False after a failure.
        (false, false) => Verdict::Failed,
    }
}

/// The verdict for a condition that should not be True.
fn bad(condition: &Condition<'_>) -> Option<Verdict> {
    if condition.status != Truth::True {
        return None;
    }
    let is = |word: &str| tokens(condition.kind).iter().any(|token| token.starts_with(word));
    Some(match meaning(condition.kind) {
        _ if is("drift") => Verdict::Drifted,
        Some(Meaning::Human) => Verdict::NeedsHuman,
        // For example, `NotReady` with the reason `Creating`.
        Some(Meaning::Progress) if meaning(condition.reason) == Some(Meaning::Progress) => Verdict::Progressing,
        _ if condition.severity == "Info" => Verdict::Progressing,
        _ => Verdict::Failed,
    })
}

/// The verdict for a condition that is True during an operation.
fn progress(condition: &Condition<'_>) -> Option<Verdict> {
    match (condition.status, meaning(condition.reason)) {
        // Deployments, and kinds modeled on them, keep Progressing True after completion.
        (Truth::True, Some(Meaning::Good | Meaning::Done)) => None,
        (Truth::True, _) => Some(Verdict::Progressing),
        (Truth::False, Some(Meaning::Bad)) => Some(Verdict::Failed),
        (Truth::False | Truth::Unknown, _) => None,
    }
}

fn words(condition: &Condition<'_>) -> String {
    match (condition.reason, condition.message.trim()) {
        ("", "") => format!("condition {} is {:?}", condition.kind, condition.status),
        ("", message) => format!("{}: {message}", condition.kind),
        (reason, "") => format!("{}: {reason}", condition.kind),
        (reason, message) => format!("{}: {reason}: {message}", condition.kind),
    }
}
