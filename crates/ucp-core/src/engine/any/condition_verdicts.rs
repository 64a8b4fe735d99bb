//! The verdict for one condition, from its status, reason, severity and message.

use super::condition::{GenericCondition, GenericConditionStatus};
use super::condition_types::names_one_activity;
use super::sentences::{awaits_report, describes_failure, describes_progress, says_object_is_paused};
use super::words::{WordMeaning, meaning, tokens};
use crate::model::verdict::Verdict;

/// The verdict for a condition that should be True.
pub(super) fn verdict_for_good(condition: &GenericCondition<'_>) -> Verdict {
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
pub(super) fn verdict_for_unmet_aside(condition: &GenericCondition<'_>) -> Option<Verdict> {
    let reason = meaning(condition.reason);
    Some(match (condition.status, reason) {
        // A task is complete, and has failed.
        (GenericConditionStatus::True, Some(WordMeaning::Bad)) if names_an_end(condition.kind) => Verdict::Failed,
        (GenericConditionStatus::True, Some(WordMeaning::Bad)) => Verdict::Unknown,
        (GenericConditionStatus::True, _) if condition.is_true_with_doubt() => Verdict::Unknown,
        (GenericConditionStatus::True, _) => return None,
        _ if awaits_report(condition.message) => Verdict::Progressing,
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
pub(super) fn verdict_for_unknown(condition: &GenericCondition<'_>) -> Verdict {
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
    if reason != Some(WordMeaning::Bad)
        && says_object_is_paused(condition.message)
        && !describes_failure(condition.message)
    {
        return Verdict::Paused;
    }
    // `Available` is False with the reason `Unavailable`: the message says more.
    let says_no_more = condition.repeats_itself() && describes_progress(condition.message);
    let reason = reason.filter(|_| !says_no_more || describes_failure(condition.message));
    match (condition.severity, reason) {
        ("Info", _) => return Verdict::Progressing,
        _ if awaits_report(condition.message) || is_not_there_yet(condition) => return Verdict::Progressing,
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
        // What is not complete may still become so.
        (false, false) if names_completion(condition.kind) => Verdict::Progressing,
        // Most controllers report Unknown during work, and False after a failure.
        (false, false) => Verdict::Failed,
    }
}

/// Returns true for a missing part that is still to come: `DeploymentNotFound: the Deployment has not been created yet`.
fn is_not_there_yet(condition: &GenericCondition<'_>) -> bool {
    let reason = tokens(condition.reason);
    let is_absence = reason.ends_with(&["not".to_owned(), "found".to_owned()])
        || reason.iter().any(|word| ["missing", "absent"].contains(&word.as_str()));
    let words = tokens(condition.message);
    is_absence && ["not", "yet"].iter().all(|word| words.iter().any(|found| found == word))
}

/// Returns true for conditions that report a decision about the object: what is not accepted was refused.
fn is_admission(kind: &str) -> bool {
    tokens(kind).last().is_some_and(|last| ["accepted", "admitted"].contains(&last.as_str()))
}

/// The verdict for a condition that should not be True.
pub(super) fn verdict_for_bad(condition: &GenericCondition<'_>) -> Option<Verdict> {
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
pub(super) fn verdict_for_progress(condition: &GenericCondition<'_>) -> Option<Verdict> {
    match (condition.status, meaning(condition.reason)) {
        // Deployments, and kinds modeled on them, keep Progressing True after completion. `Upgrading` says otherwise than its
        // reason.
        (GenericConditionStatus::True, Some(WordMeaning::Good | WordMeaning::Done))
            if !has_begun(condition.reason) && !names_one_activity(condition.kind) =>
        {
            None
        }
        (GenericConditionStatus::True, _) if condition.has_bad_severity() => Some(Verdict::Failed),
        (GenericConditionStatus::True, _) => Some(Verdict::Progressing),
        (GenericConditionStatus::False, Some(WordMeaning::Bad)) => Some(Verdict::Failed),
        (GenericConditionStatus::False | GenericConditionStatus::Unknown, _) => None,
    }
}

/// Returns true for types that say that a task has ended: `Finished`.
fn names_an_end(kind: &str) -> bool {
    meaning(kind) == Some(WordMeaning::Done)
}

/// Returns true for types that say that a task has ended, in whatever way: `Complete`, but not `Succeeded`.
fn names_completion(kind: &str) -> bool {
    tokens(kind).last().is_some_and(|last| ["complete", "completed", "done", "finished"].contains(&last.as_str()))
}

/// Returns true if a reason says that an operation has begun, and not that it is complete.
fn has_begun(reason: &str) -> bool {
    tokens(reason)
        .last()
        .is_some_and(|last| ["started", "running", "active", "scheduled", "launched"].contains(&last.as_str()))
}
