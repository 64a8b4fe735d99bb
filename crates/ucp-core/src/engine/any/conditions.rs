//! Interprets the conditions of any controller. Follows the Kubernetes API conventions
//! (`sig-architecture/api-conventions.md`), kstatus, and Cluster API's severities.

use jiff::Timestamp;
use serde_json::Value;

use super::convention::meaning_of_running;
use super::words::{
    TextFraction, WordMeaning, describes_failure, describes_progress, is_known, is_partial, meaning, reports_failure,
    text_fraction, tokens,
};
use super::{SignWeight, StatusSign};
use crate::model::body::any::whole_number;
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

/// One condition, independent of its notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GenericCondition<'a> {
    kind: &'a str,
    status: GenericConditionStatus,
    /// The status is a word instead of True or False, such as `RuntimeState` with the status `Online`.
    has_own_word: bool,
    reason: &'a str,
    message: &'a str,
    severity: &'a str,
    since: Option<Timestamp>,
    observed_generation: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GenericConditionStatus {
    True,
    False,
    Unknown,
}

/// Reads conditions from a list, or from an object with the condition types as keys.
pub(super) fn read(value: &Value) -> Vec<GenericCondition<'_>> {
    match value {
        Value::Array(items) => items.iter().filter_map(|item| read_condition(text(item, "type"), item)).collect(),
        Value::Object(by_type) => by_type.iter().filter_map(|(kind, item)| read_condition(kind, item)).collect(),
        _ => Vec::new(),
    }
}

impl GenericCondition<'_> {
    /// Returns true if the condition is True for a reason that is not complete, or if only some parts are well.
    fn is_true_with_doubt(&self) -> bool {
        let is_open = matches!(meaning(self.reason), Some(WordMeaning::Human | WordMeaning::Paused))
            || meaning(self.reason) == Some(WordMeaning::Progress) && is_partial(self.reason);
        self.status == GenericConditionStatus::True
            && meaning(self.reason) != Some(WordMeaning::Bad)
            && (is_open || self.has_bad_severity() || has_part(self.message) || reports_failure(self.message))
    }

    /// Returns true if the severity is that of a problem. A condition that is as it should be has none.
    fn has_bad_severity(&self) -> bool {
        ["warn", "warning", "error", "critical", "severe", "fatal"]
            .iter()
            .any(|word| self.severity.eq_ignore_ascii_case(word))
    }

    /// Returns true if the condition has a known good reason, and no message of a failure.
    fn has_good_reason(&self) -> bool {
        is_good_word(self.reason)
            && !self.has_bad_severity()
            && !describes_failure(self.message)
            && !has_part(self.message)
    }

    /// Returns true if the condition is of a part that is not in use: `BackupReady` is False with the reason `Disabled`.
    fn is_of_unused_part(&self) -> bool {
        self.status != GenericConditionStatus::True
            && is_not_in_use(self.reason)
            && !self.has_bad_severity()
            && !describes_failure(self.message)
    }

    /// Returns true if the reason only repeats that the condition is not met: `Ready` is False with the reason `NotReady`.
    fn repeats_itself(&self) -> bool {
        tokens(self.reason).strip_prefix(["not".to_owned()].as_slice()) == Some(tokens(self.kind).as_slice())
    }

    /// Returns true if a problem that is absent has the reason of one.
    fn contradicts_itself(&self) -> bool {
        // `Stalled` is False with the reason `NotStalled`; a reason that names another failure is one.
        let kind = tokens(self.kind);
        meaning(self.reason) == Some(WordMeaning::Bad) && !tokens(self.reason).iter().any(|word| kind.contains(word))
    }

    /// Returns true if the condition has this type.
    pub(super) fn is(&self, kind: &str) -> bool {
        self.kind == kind
    }
}

fn read_condition<'a>(kind: &'a str, item: &'a Value) -> Option<GenericCondition<'a>> {
    let mut reason = text(item, "reason");
    let mut has_own_word = false;
    let status = match item.get("status") {
        Some(Value::Bool(true)) => GenericConditionStatus::True,
        Some(Value::Bool(false)) => GenericConditionStatus::False,
        Some(Value::String(word)) => match (word.to_lowercase().as_str(), meaning(word)) {
            ("true", _) => GenericConditionStatus::True,
            ("false", _) => GenericConditionStatus::False,
            // A word instead of a status is about the object: `Degraded: Failed` is not the absence of a problem.
            _ if polarity(kind).is_some_and(|polarity| polarity != ConditionPolarity::Good) => {
                GenericConditionStatus::Unknown
            }
            (_, Some(WordMeaning::Good | WordMeaning::Done)) if is_known(word) && text_fraction(word).is_none() => {
                has_own_word = true;
                reason = if reason.is_empty() { word } else { reason };
                GenericConditionStatus::True
            }
            (_, Some(WordMeaning::Bad)) => {
                reason = if reason.is_empty() { word } else { reason };
                GenericConditionStatus::False
            }
            _ => GenericConditionStatus::Unknown,
        },
        // A condition without a status counts as True if its type is negative. A positive type is not evidence of a
        // current state, unless its reason is bad.
        _ if meaning(reason) == Some(WordMeaning::Bad) && polarity(kind) == Some(ConditionPolarity::Good) => {
            GenericConditionStatus::False
        }
        _ if polarity(kind) == Some(ConditionPolarity::Bad) => GenericConditionStatus::True,
        _ => return None,
    };
    (!kind.is_empty()).then(|| GenericCondition {
        kind,
        status,
        has_own_word,
        reason,
        message: text(item, "message"),
        // Forklift calls it the category.
        severity: [text(item, "severity"), text(item, "category")]
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or_default(),
        since: text(item, "lastTransitionTime").parse().ok(),
        observed_generation: item.get("observedGeneration").and_then(whole_number),
    })
}

/// Returns true if a message has a share of parts that are well: `1 of 3 members ready`.
fn has_part(message: &str) -> bool {
    const PARTS: [&str; 12] = [
        "ready",
        "available",
        "healthy",
        "running",
        "synced",
        "online",
        "member",
        "replica",
        "node",
        "pod",
        "instance",
        "shard",
    ];
    let lower = message.to_lowercase();
    text_fraction(message) == Some(TextFraction::Part) && PARTS.iter().any(|part| lower.contains(part))
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
                let is_good = condition.has_good_reason()
                    && (is_summarized
                        || condition.has_own_word
                        || meaning(condition.reason) == Some(WordMeaning::Done));
                if is_good && condition.status != GenericConditionStatus::Unknown {
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
                // A running task is not complete.
                _ if condition.kind == "Running"
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

/// Derives the polarity of a condition type from its name; `None` if its words are unknown.
fn polarity(kind: &str) -> Option<ConditionPolarity> {
    Some(match meaning(kind)? {
        WordMeaning::Bad | WordMeaning::Human => ConditionPolarity::Bad,
        WordMeaning::Paused => ConditionPolarity::Paused,
        // `NotReady` is a failure; `Creating` is progress.
        WordMeaning::Progress if kind.starts_with("Not") => ConditionPolarity::Bad,
        WordMeaning::Progress => ConditionPolarity::Progress,
        WordMeaning::Good | WordMeaning::Done => ConditionPolarity::Good,
    })
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
        (Some(ConditionPolarity::Good), false) if reason == Some(WordMeaning::Progress) => ConditionOutlook::Undecided,
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

/// Returns true if a word describes success, and every part of it is known.
pub(in crate::engine) fn is_good_word(word: &str) -> bool {
    matches!(meaning(word), Some(WordMeaning::Good | WordMeaning::Done)) && is_known(word)
}

/// Returns true if a word describes a failure.
pub(in crate::engine) fn is_bad_word(word: &str) -> bool {
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
        (GenericConditionStatus::True, Some(WordMeaning::Bad)) => Verdict::Unknown,
        (GenericConditionStatus::True, _) if condition.is_true_with_doubt() => Verdict::Unknown,
        (GenericConditionStatus::True, _) | (GenericConditionStatus::False, Some(WordMeaning::Done)) => return None,
        (GenericConditionStatus::False, Some(WordMeaning::Bad)) => Verdict::Failed,
        (GenericConditionStatus::False, Some(WordMeaning::Progress)) => Verdict::Progressing,
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

/// Returns true if a reason says that an operation has begun, and not that it is complete.
fn has_begun(reason: &str) -> bool {
    tokens(reason)
        .last()
        .is_some_and(|last| ["started", "running", "active", "scheduled", "launched"].contains(&last.as_str()))
}

/// Returns true for reasons that say that something is not in use: `Disabled`, `BackupNotConfigured`.
fn is_not_in_use(reason: &str) -> bool {
    const UNUSED: [&str; 8] =
        ["disabled", "removed", "unused", "optional", "inapplicable", "skipped", "unmanaged", "deactivated"];
    const UNWANTED: [&str; 9] =
        ["applicable", "configured", "enabled", "needed", "required", "requested", "specified", "used", "wanted"];
    let words = tokens(reason);
    match words.as_slice() {
        [.., before, last] if before == "not" => UNWANTED.contains(&last.as_str()),
        [.., last] => UNUSED.contains(&last.as_str()),
        [] => false,
    }
}

fn words(condition: &GenericCondition<'_>) -> String {
    match (condition.reason, condition.message.trim()) {
        ("", "") => format!("condition {} is {:?}", condition.kind, condition.status),
        ("", message) => format!("{}: {message}", condition.kind),
        (reason, "") => format!("{}: {reason}", condition.kind),
        (reason, message) => format!("{}: {reason}: {message}", condition.kind),
    }
}
