//! Interprets the conditions of any controller. Follows the Kubernetes API conventions
//! (`sig-architecture/api-conventions.md`), kstatus, and Cluster API's severities.

use jiff::Timestamp;

use super::condition::{GenericCondition, GenericConditionStatus, polarity};
use super::convention::meaning_of_running;
use super::words::{WordMeaning, describes_failure, describes_progress, meaning, tokens};
use super::{SignWeight, StatusSign};
use crate::model::condition::{Condition, ConditionStatus};
use crate::model::convention::{ConditionPolarity, Convention, RunningMeaning};
use crate::model::verdict::Verdict;

/// The context in which the status of an object is interpreted.
pub(super) struct StatusContext<'a> {
    pub(super) kind: &'a str,
    /// The convention of its kind.
    pub(super) convention: &'a Convention,
    /// Condition types that the CRD shows as printer columns.
    pub(super) columns: &'a [String],
    /// The generation of the object; `None` if its kind has no status subresource.
    pub(super) generation: Option<i64>,
    /// The time of the cluster state.
    pub(super) now: Timestamp,
}

/// The last words of condition types that summarize an object.
const DECIDING: [&str; 21] = [
    "ready",
    "available",
    "healthy",
    "synced",
    "succeeded",
    "success",
    "successful",
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
pub(super) fn signs(conditions: &[GenericCondition<'_>], about: &StatusContext<'_>) -> Vec<StatusSign> {
    let (convention, kind, generation) = (about.convention, about.kind, about.generation);
    let polarity = |condition: &GenericCondition<'_>| {
        let listed = convention.decides(condition.kind).then_some(ConditionPolarity::Good);
        convention.polarity(condition.kind).or(listed).or_else(|| polarity(condition.kind))
    };
    let decides = |condition: &GenericCondition<'_>| {
        polarity(condition) == Some(ConditionPolarity::Good)
            && (convention.decides(condition.kind)
                || about.columns.iter().any(|shown| shown == condition.kind)
                || tokens(condition.kind).last().is_some_and(|last| DECIDING.contains(&last.as_str())))
    };
    let is_listed = |condition: &GenericCondition<'_>| {
        convention.polarity(condition.kind).is_some()
            || convention.decides(condition.kind)
            || convention.reasons.verdict(condition.reason).is_some()
    };
    let nobody_decides = !conditions.iter().any(decides);
    // One word that is True summarizes conditions that have not been determined yet.
    let is_summarized = conditions.iter().any(|condition| {
        decides(condition) && condition.status == GenericConditionStatus::True && tokens(condition.kind).len() == 1
    });
    conditions
        .iter()
        .filter_map(|condition| {
            let weight = match nobody_decides {
                true => SignWeight::Weak,
                false if decides(condition) => SignWeight::Deciding,
                false => SignWeight::Aside,
            };
            if is_summarized
                && !is_listed(condition)
                && tokens(condition.kind).len() > 1
                && condition.is_of_unused_part()
            {
                return None;
            }
            let behind = matches!((condition.observed_generation, generation), (Some(seen), Some(now)) if seen < now);
            let Some(polarity) = polarity(condition) else {
                if is_summarized && condition.names_a_part_that_is_well() {
                    return None;
                }
                // Without another sign, the object is not OK.
                if condition.has_good_reason() && condition.status != GenericConditionStatus::Unknown {
                    return None;
                }
                let (verdict, since) = (verdict_for_unknown(condition), condition.since);
                return Some(StatusSign { verdict, weight: SignWeight::Doubt, since, message: words(condition) });
            };
            let (verdict, weight) = match polarity {
                ConditionPolarity::Ignored => return None,
                _ if condition.status != GenericConditionStatus::True
                    && convention.reasons.verdict(condition.reason).is_some() =>
                {
                    (convention.reasons.verdict(condition.reason)?, weight)
                }
                // Controllers based on ansible-operator set Running while they reconcile.
                _ if condition.kind == "Running"
                    && condition.status == GenericConditionStatus::True
                    && describes_progress(condition.message) =>
                {
                    (Verdict::Progressing, SignWeight::Deciding)
                }
                // A running task is not complete, unless the reason says so.
                _ if condition.kind == "Running"
                    && meaning(condition.reason) != Some(WordMeaning::Done)
                    && meaning_of_running(convention, kind) == RunningMeaning::Progress =>
                {
                    (
                        (condition.status == GenericConditionStatus::True).then_some(Verdict::Progressing)?,
                        SignWeight::Deciding,
                    )
                }
                ConditionPolarity::Good if behind && weight != SignWeight::Aside => (Verdict::Progressing, weight),
                ConditionPolarity::Good if weight == SignWeight::Aside => {
                    (verdict_for_unmet_aside(condition)?, SignWeight::Doubt)
                }
                ConditionPolarity::Good
                    if is_summarized
                        && tokens(condition.kind).len() > 1
                        && condition.status == GenericConditionStatus::Unknown
                        && meaning(condition.reason) != Some(WordMeaning::Bad) =>
                {
                    (Verdict::Unknown, SignWeight::Doubt)
                }
                ConditionPolarity::Good if condition.is_true_with_doubt() => (Verdict::Unknown, SignWeight::Doubt),
                ConditionPolarity::Good => (verdict_for_good(condition), weight),
                ConditionPolarity::Bad if condition.status == GenericConditionStatus::Unknown => {
                    (Verdict::Unknown, SignWeight::Doubt)
                }
                ConditionPolarity::Bad
                    if condition.status == GenericConditionStatus::False && condition.contradicts_itself() =>
                {
                    (Verdict::Unknown, SignWeight::Doubt)
                }
                ConditionPolarity::Bad => (verdict_for_bad(condition)?, SignWeight::Deciding),
                ConditionPolarity::Progress
                    if condition.status == GenericConditionStatus::True
                        && convention.polarity(condition.kind).is_some() =>
                {
                    (Verdict::Progressing, SignWeight::Deciding)
                }
                // `AcceptingConnection` is an activity, not a change.
                ConditionPolarity::Progress
                    if condition.status == GenericConditionStatus::True
                        && is_summarized
                        && !is_change(condition.kind) =>
                {
                    (Verdict::Unknown, SignWeight::Doubt)
                }
                ConditionPolarity::Progress if condition.status == GenericConditionStatus::Unknown => {
                    (Verdict::Unknown, SignWeight::Doubt)
                }
                ConditionPolarity::Progress
                    if condition.status == GenericConditionStatus::False
                        && meaning(condition.reason) != Some(WordMeaning::Bad)
                        && describes_failure(condition.message) =>
                {
                    (Verdict::Unknown, SignWeight::Doubt)
                }
                ConditionPolarity::Progress => (verdict_for_progress(condition)?, SignWeight::Deciding),
                ConditionPolarity::NeedsHuman | ConditionPolarity::Paused
                    if condition.status == GenericConditionStatus::Unknown
                        && convention.polarity(condition.kind).is_none() =>
                {
                    (Verdict::Unknown, SignWeight::Doubt)
                }
                ConditionPolarity::NeedsHuman => (
                    (condition.status == GenericConditionStatus::True).then_some(Verdict::NeedsHuman)?,
                    SignWeight::Deciding,
                ),
                // A controller that stopped because of a problem waits for a person.
                ConditionPolarity::Paused
                    if condition.status == GenericConditionStatus::True
                        && meaning(condition.reason) == Some(WordMeaning::Bad) =>
                {
                    (Verdict::NeedsHuman, SignWeight::Deciding)
                }
                ConditionPolarity::Paused => (
                    (condition.status == GenericConditionStatus::True).then_some(Verdict::Paused)?,
                    SignWeight::Deciding,
                ),
            };
            Some(StatusSign { verdict, weight, since: condition.since, message: words(condition) })
        })
        .collect()
}

/// Returns true for condition types that name a change under way: `Reconciling`, `RollingUpdate`.
fn is_change(kind: &str) -> bool {
    const CHANGES: [&str; 27] = [
        "appl",
        "bootstrap",
        "configur",
        "creat",
        "delet",
        "deploy",
        "drain",
        "initializ",
        "install",
        "migrat",
        "pend",
        "progress",
        "provision",
        "rebalanc",
        "reconcil",
        "resiz",
        "restart",
        "restor",
        "roll",
        "scal",
        "sett",
        "start",
        "sync",
        "terminat",
        "updat",
        "upgrad",
        "wait",
    ];
    tokens(kind).iter().any(|word| CHANGES.iter().any(|change| word.starts_with(change)))
}

/// Returns the meaning of a condition's present status, from its type, status and reason.
pub fn condition_outlook(condition: &Condition) -> ConditionOutlook {
    let reason = meaning(&condition.reason);
    let is_true = match condition.status {
        ConditionStatus::True => true,
        ConditionStatus::False => false,
        // Conditions of Argo CD have no status: their presence means true.
        ConditionStatus::Unknown if polarity(&condition.kind) == Some(ConditionPolarity::Bad) => true,
        ConditionStatus::Unknown => return ConditionOutlook::Undecided,
    };
    match (polarity(&condition.kind), is_true) {
        // `MinimumReplicasUnavailable` may pass, and is a problem until then.
        (Some(ConditionPolarity::Good), false)
            if reason == Some(WordMeaning::Progress)
                && !tokens(&condition.reason).iter().any(|word| is_bad_word(word)) =>
        {
            ConditionOutlook::Undecided
        }
        (Some(ConditionPolarity::Good), false) | (Some(ConditionPolarity::Bad), true) => ConditionOutlook::Bad,
        (Some(ConditionPolarity::Good), true) | (Some(ConditionPolarity::Bad), false) => ConditionOutlook::Good,
        // `LastAsyncOperation` is False with the reason `AsyncCreateFailure`.
        (None, false) if reason == Some(WordMeaning::Bad) => ConditionOutlook::Bad,
        (None, true) if matches!(reason, Some(WordMeaning::Good | WordMeaning::Done)) => ConditionOutlook::Good,
        _ => ConditionOutlook::Undecided,
    }
}

/// Returns true if a condition type names a state, as `Ready` does and `LastAsyncOperation` does not.
pub fn names_a_state(kind: &str) -> bool {
    meaning(kind).is_some()
}

/// The meaning of a condition's present status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionOutlook {
    /// It reports a problem.
    Bad,
    /// It reports that all is well.
    Good,
    /// It reports progress, or its words are unknown.
    Undecided,
}

/// Returns true if a condition that an engine does not know is known to be good: by its type, status and reason.
pub(in crate::engine) fn is_known_good(condition: &Condition) -> bool {
    let is_expected = match polarity(&condition.kind) {
        Some(ConditionPolarity::Good) => condition.status == ConditionStatus::True,
        Some(_) => condition.status == ConditionStatus::False,
        None => false,
    };
    is_expected && !(condition.status == ConditionStatus::True && is_bad_word(&condition.reason))
}

/// Returns true if a word describes a failure.
pub fn is_bad_word(word: &str) -> bool {
    meaning(word) == Some(WordMeaning::Bad)
}

/// The verdict for a condition that should be True.
fn verdict_for_good(condition: &GenericCondition<'_>) -> Verdict {
    let reason = meaning(condition.reason);
    match condition.status {
        // What is missing may not be there yet.
        GenericConditionStatus::Unknown if tokens(condition.reason).iter().any(|word| word == "missing") => {
            Verdict::Progressing
        }
        GenericConditionStatus::True | GenericConditionStatus::Unknown if reason == Some(WordMeaning::Bad) => {
            Verdict::Failed
        }
        GenericConditionStatus::True => Verdict::Ok,
        GenericConditionStatus::Unknown => Verdict::Progressing,
        GenericConditionStatus::False => verdict_for_unmet(condition, reason),
    }
}

/// The verdict for a condition that should be True and is not, next to a summarizing condition; `None` if it is True.
fn verdict_for_unmet_aside(condition: &GenericCondition<'_>) -> Option<Verdict> {
    let reason = meaning(condition.reason);
    Some(match (condition.status, reason) {
        // A task is complete, and has failed.
        (GenericConditionStatus::True, Some(WordMeaning::Bad)) if names_an_end(condition.kind) => Verdict::Failed,
        (GenericConditionStatus::True, Some(WordMeaning::Bad)) => Verdict::Unknown,
        (GenericConditionStatus::True, _) if condition.is_true_with_doubt() => Verdict::Unknown,
        (GenericConditionStatus::True, _) | (GenericConditionStatus::False, Some(WordMeaning::Done)) => return None,
        (GenericConditionStatus::False, Some(WordMeaning::Bad)) => Verdict::Failed,
        (GenericConditionStatus::False, Some(WordMeaning::Progress)) => Verdict::Progressing,
        (_, Some(WordMeaning::Progress)) if !tokens(condition.reason).iter().any(|word| word == "unknown") => {
            Verdict::Progressing
        }
        _ if describes_failure(condition.message) => Verdict::Failed,
        (_, Some(WordMeaning::Human)) => Verdict::NeedsHuman,
        (_, Some(WordMeaning::Paused)) => Verdict::Paused,
        _ => Verdict::Unknown,
    })
}

/// The verdict for a condition whose type is unknown. It is never OK.
fn verdict_for_unknown(condition: &GenericCondition<'_>) -> Verdict {
    match (condition.status, meaning(condition.reason)) {
        (GenericConditionStatus::Unknown, _) => Verdict::Unknown,
        (_, Some(WordMeaning::Bad)) => Verdict::Failed,
        (GenericConditionStatus::True, _) if condition.has_bad_severity() => Verdict::NeedsHuman,
        (GenericConditionStatus::False, Some(WordMeaning::Progress)) => Verdict::Progressing,
        _ if describes_failure(condition.message) => Verdict::Failed,
        _ => Verdict::Unknown,
    }
}

/// Distinguishes progress from failure for a summarizing condition that is False.
fn verdict_for_unmet(condition: &GenericCondition<'_>, reason: Option<WordMeaning>) -> Verdict {
    match (condition.severity, reason) {
        ("Info", _) => return Verdict::Progressing,
        (_, Some(WordMeaning::Bad)) | ("Error", _) => return Verdict::Failed,
        ("Warning", reason) if reason != Some(WordMeaning::Progress) || describes_failure(condition.message) => {
            return Verdict::Failed;
        }
        (_, Some(WordMeaning::Human)) => return Verdict::NeedsHuman,
        (_, Some(WordMeaning::Paused)) => return Verdict::Paused,
        // For example, `Ready` is False with the reason `TransferRunning`.
        (_, Some(WordMeaning::Good | WordMeaning::Done)) if !describes_failure(condition.message) => {
            return Verdict::Progressing;
        }
        _ => {}
    }
    if is_admission(condition.kind)
        && !tokens(condition.reason).iter().any(|word| meaning(word) == Some(WordMeaning::Progress))
    {
        return Verdict::Failed;
    }
    let fails = describes_failure(condition.message);
    let reason = reason.filter(|_| !(fails && condition.repeats_itself()));
    let is_under_way = reason == Some(WordMeaning::Progress) || describes_progress(condition.message);
    match (fails, is_under_way) {
        (_, true) if reason == Some(WordMeaning::Progress) && !condition.message.to_lowercase().contains("fail") => {
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

/// Returns true for conditions that report a decision about the object: what is not accepted was refused.
fn is_admission(kind: &str) -> bool {
    tokens(kind).last().is_some_and(|last| ["accepted", "admitted"].contains(&last.as_str()))
}

/// The verdict for a condition that should not be True.
fn verdict_for_bad(condition: &GenericCondition<'_>) -> Option<Verdict> {
    if condition.status != GenericConditionStatus::True {
        return None;
    }
    let is = |word: &str| tokens(condition.kind).iter().any(|token| token.starts_with(word));
    Some(match meaning(condition.kind) {
        _ if is("drift") => Verdict::Drifted,
        Some(WordMeaning::Human) => Verdict::NeedsHuman,
        // For example, `NotReady` with the reason `Creating`.
        Some(WordMeaning::Progress) if meaning(condition.reason) == Some(WordMeaning::Progress) => Verdict::Progressing,
        _ if condition.severity == "Info" => Verdict::Progressing,
        _ => Verdict::Failed,
    })
}

/// The verdict for a condition that is True during an operation.
fn verdict_for_progress(condition: &GenericCondition<'_>) -> Option<Verdict> {
    match (condition.status, meaning(condition.reason)) {
        // Deployments, and kinds modeled on them, keep Progressing True after completion.
        (GenericConditionStatus::True, Some(WordMeaning::Good | WordMeaning::Done)) if !has_begun(condition.reason) => {
            None
        }
        (GenericConditionStatus::True, _) => Some(Verdict::Progressing),
        (GenericConditionStatus::False, Some(WordMeaning::Bad)) => Some(Verdict::Failed),
        (GenericConditionStatus::False | GenericConditionStatus::Unknown, _) => None,
    }
}

/// Returns true for types that say that a task has ended: `Finished`.
fn names_an_end(kind: &str) -> bool {
    meaning(kind) == Some(WordMeaning::Done)
}

/// Returns true if a reason says that an operation has begun, and not that it is complete.
fn has_begun(reason: &str) -> bool {
    tokens(reason)
        .last()
        .is_some_and(|last| ["started", "running", "active", "scheduled", "launched"].contains(&last.as_str()))
}

fn words(condition: &GenericCondition<'_>) -> String {
    match (condition.reason, condition.message.trim()) {
        ("", "") => format!("condition {} is {:?}", condition.kind, condition.status),
        ("", message) => format!("{}: {message}", condition.kind),
        (reason, "") => format!("{}: {reason}", condition.kind),
        (reason, message) => format!("{}: {reason}: {message}", condition.kind),
    }
}
