//! The meaning of conditions for other engines and for the history of an object.

use super::condition::polarity;
use super::words::{WordMeaning, meaning, tokens};
use crate::model::condition::{Condition, ConditionStatus};
use crate::model::convention::ConditionPolarity;

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

/// Returns true if a condition names a good state that the object does not have: it is not `Ready`, whatever the reason.
pub fn is_without_good_state(condition: &Condition) -> bool {
    polarity(&condition.kind) == Some(ConditionPolarity::Good) && condition.status == ConditionStatus::False
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
