//! One condition of any controller, independent of its notation, and what its own fields show.

use jiff::Timestamp;
use serde_json::Value;

use super::condition_types::names_running_operation;
use super::hints::read_flag;
use super::reasons::{is_declared_unused, is_not_in_use, is_open};
use super::sentences::{TextFraction, describes_failure, reports_failure, says_paused, text_fraction};
use super::words::{WordMeaning, is_known, meaning, tokens};
use crate::model::body::any::whole_number;
use crate::model::convention::ConditionPolarity;

/// One condition, independent of its notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GenericCondition<'a> {
    pub(super) kind: &'a str,
    pub(super) status: GenericConditionStatus,
    /// A word in the place of the status: `status: Established`.
    pub(super) word: Option<&'a str>,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
    pub(super) severity: &'a str,
    pub(super) since: Option<Timestamp>,
    pub(super) observed_generation: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GenericConditionStatus {
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
    pub(super) fn is_true(&self) -> bool {
        self.status == GenericConditionStatus::True
    }

    /// Returns true for types of several words, such as `DNSReady`, which describe a part of the object.
    pub(super) fn has_compound_type(&self) -> bool {
        tokens(self.kind).len() > 1
    }

    /// Returns true if the condition is True for a reason that is not known to be good, or if only some parts are well.
    pub(super) fn is_true_with_doubt(&self) -> bool {
        self.status == GenericConditionStatus::True
            && meaning(self.reason) != Some(WordMeaning::Bad)
            && (is_open(self.reason, self.kind)
                || self.has_bad_severity()
                || has_part(self.message)
                || reports_failure(self.message)
                || says_paused(self.message))
    }

    /// Returns true if the severity is that of a problem. A condition that is as it should be has none.
    pub(super) fn has_bad_severity(&self) -> bool {
        ["warn", "warning", "error", "critical", "severe", "fatal"]
            .iter()
            .any(|word| self.severity.eq_ignore_ascii_case(word))
    }

    /// Returns true if the condition has a known good reason, and no message of a failure.
    pub(super) fn has_good_reason(&self) -> bool {
        is_good_word(self.reason)
            && !self.has_bad_severity()
            && !describes_failure(self.message)
            && !has_part(self.message)
    }

    /// Returns true if the type only names a part, such as `Deployment`, which is then well if the condition is True.
    pub(super) fn names_a_part_that_is_well(&self) -> bool {
        self.status == GenericConditionStatus::True
            && (self.reason.is_empty() || self.reason == self.kind)
            && is_known(self.kind)
            && meaning(self.kind) != Some(WordMeaning::Human)
            && !self.has_bad_severity()
            && !describes_failure(self.message)
            && text_fraction(self.message) != Some(TextFraction::Part)
    }

    /// Returns true if the condition is of a part that is not in use: `BackupReady` is False with the reason `Disabled`.
    pub(super) fn is_of_unused_part(&self) -> bool {
        let says_so = self.message.trim_end_matches('.').ends_with("is not configured");
        self.is_unmet_without_failure()
            && (is_declared_unused(self.kind, self.reason, self.message)
                || says_so && self.status == GenericConditionStatus::Unknown)
    }

    /// Returns true if the condition is of a part that is not there, for a reason that may not be its declaration:
    /// `DatabaseReady` is False with the reason `Skipped`.
    pub(super) fn is_of_absent_part(&self) -> bool {
        self.is_unmet_without_failure() && is_not_in_use(self.reason) && !self.is_of_unused_part()
    }

    fn is_unmet_without_failure(&self) -> bool {
        !self.is_true() && !self.has_bad_severity() && !describes_failure(self.message)
    }

    /// Returns true if the condition is of a feature that is turned off: `TracingEnabled` is False with the reason
    /// `Disabled` or `AsExpected`.
    pub(super) fn is_of_feature_turned_off(&self) -> bool {
        let words = tokens(self.kind);
        let is_expected = || self.status == GenericConditionStatus::False && self.has_good_reason();
        words.len() > 1
            && words.last().is_some_and(|last| last == "enabled")
            && (self.is_of_unused_part() || is_expected())
    }

    /// Returns true if the condition says that something is not deprecated: `PackageDeprecated` is False.
    pub(super) fn is_of_absent_deprecation(&self) -> bool {
        self.status == GenericConditionStatus::False
            && tokens(self.kind).last().is_some_and(|last| last == "deprecated")
            && self.is_free_of_failure()
    }

    /// Returns true if the type names an action, which has been taken: `EvictPod` is True. `Evicted` is a state.
    pub(super) fn is_step_taken(&self) -> bool {
        const ACTIONS: [&str; 17] = [
            "apply",
            "cancel",
            "check",
            "create",
            "delete",
            "drain",
            "evict",
            "get",
            "list",
            "patch",
            "remove",
            "restart",
            "set",
            "start",
            "stop",
            "terminate",
            "update",
        ];
        let words = tokens(self.kind);
        let Some((first, others)) = words.split_first().filter(|(_, others)| !others.is_empty()) else { return false };
        let names_action = ACTIONS.contains(&first.as_str())
            && others.iter().all(|word| meaning(word).is_none())
            && !self.has_bad_reason();
        // The reason is often the type, and then says no more than it.
        let repeats_type = self.reason.is_empty() || self.reason == self.kind;
        self.is_true() && (names_action || repeats_type && self.begins_with_success()) && self.is_free_of_failure()
    }

    /// Returns true if the condition is True because a change is complete.
    pub(super) fn is_true_and_done(&self) -> bool {
        self.is_true() && meaning(self.reason) == Some(WordMeaning::Done) && self.is_free_of_failure()
    }

    /// Returns true if the condition is True, and its message begins with `Successfully`.
    pub(super) fn says_successfully(&self) -> bool {
        self.is_true() && self.begins_with_success() && !self.has_bad_reason() && self.is_free_of_failure()
    }

    fn begins_with_success(&self) -> bool {
        let mut words = self.message.split_whitespace();
        match (words.next(), words.next()) {
            (Some(only), None) => meaning(only) == Some(WordMeaning::Done),
            (first, _) => first.is_some_and(|first| first.eq_ignore_ascii_case("successfully")),
        }
    }

    /// Returns true if the type names a complete reconciliation, and not a state of a managed part: `UpToDate`.
    pub(super) fn names_result(&self) -> bool {
        let words = tokens(self.kind);
        words.ends_with(&["up", "to", "date"].map(str::to_owned))
            || words.last().is_some_and(|last| ["successful", "reconciled", "synced"].contains(&last.as_str()))
    }

    /// Returns true if the condition is of a failure that is not there: `Failure` is False.
    pub(super) fn is_of_absent_failure(&self) -> bool {
        self.status == GenericConditionStatus::False
            && polarity(self.kind) == Some(ConditionPolarity::Bad)
            && !self.has_bad_reason()
    }

    /// Returns true if the condition is False because some work is complete.
    pub(super) fn is_unmet_and_done(&self) -> bool {
        self.status == GenericConditionStatus::False && meaning(self.reason) == Some(WordMeaning::Done)
    }

    /// Returns true if the object stopped because its work is complete: `Stopped` is True with the reason `Completed`.
    pub(super) fn is_stop_at_end(&self) -> bool {
        self.is_true_and_done() && tokens(self.kind).last().is_some_and(|last| last == "stopped")
    }

    /// Returns true if the reason says that the condition is not needed: `MigrationNotNeeded`.
    pub(super) fn is_of_unneeded_part(&self) -> bool {
        let words = tokens(self.reason);
        matches!(words.as_slice(), [_, .., before, last] if before == "not" && ["applicable", "needed"].contains(&last.as_str()))
            && (self.is_true() || is_declared_unused(self.kind, self.reason, self.message))
            && self.is_free_of_failure()
    }

    /// Returns true if the reason is neither good nor unknown.
    pub(super) fn has_bad_reason(&self) -> bool {
        meaning(self.reason).is_some_and(|meaning| !matches!(meaning, WordMeaning::Good | WordMeaning::Done))
    }

    /// Returns true if neither the severity nor the message is that of a problem.
    fn is_free_of_failure(&self) -> bool {
        !self.has_bad_severity() && !describes_failure(self.message) && !has_part(self.message)
    }

    /// Returns true if the reason only repeats that the condition is not met: `Ready` is False with the reason `NotReady`,
    /// `Available` with `Unavailable`.
    pub(super) fn repeats_itself(&self) -> bool {
        let (reason, kind) = (tokens(self.reason), tokens(self.kind));
        let is_undone = || matches!(kind.as_slice(), [only] if reason == [format!("un{only}")]);
        reason.strip_prefix(["not".to_owned()].as_slice()) == Some(kind.as_slice()) || is_undone()
    }

    /// Returns true if the condition is False for a reason of a good state, which its message denies: `Installed` is False
    /// with the reason `Ready`, and `not all modules are installed`.
    pub(super) fn denies_its_reason(&self) -> bool {
        let words = tokens(self.message);
        let is_good = |word: &String| meaning(word) == Some(WordMeaning::Good);
        let says_not =
            || words.iter().position(|word| word == "not").is_some_and(|at| words[at..].iter().take(5).any(is_good));
        self.status == GenericConditionStatus::False
            && !self.reason.eq_ignore_ascii_case("AsExpected")
            && (self.reason.eq_ignore_ascii_case("Ready") || says_not())
    }

    /// Returns true if a problem that is absent has the reason of one.
    pub(super) fn contradicts_itself(&self) -> bool {
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
    // `{Ready: "True"}` maps types to their status.
    let own = Some(item).filter(|item| read_flag(item).is_some() || item.as_str().is_some_and(is_undetermined));
    let told = own.or_else(|| item.get("status"));
    let word = told.filter(|told| read_flag(told).is_none()).and_then(Value::as_str);
    let status = match told {
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
                reason = if reason.is_empty() { word } else { reason };
                GenericConditionStatus::True
            }
            (_, Some(WordMeaning::Bad)) => {
                reason = if reason.is_empty() { word } else { reason };
                GenericConditionStatus::False
            }
            // `status: Progressing`.
            (lower, Some(WordMeaning::Progress)) if lower != "unknown" => {
                reason = word;
                GenericConditionStatus::Unknown
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
        word: word.filter(|word| !word.is_empty() && !is_undetermined(word)),
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

/// Returns true for the status `Unknown`.
fn is_undetermined(status: &str) -> bool {
    status.eq_ignore_ascii_case("unknown")
}

/// Returns true for an object that is a condition: `type: Available` with the status True.
pub(super) fn is_condition(value: &Value) -> bool {
    !text(value, "type").is_empty() && ["True", "False", "Unknown"].contains(&text(value, "status"))
}

/// Reads an object that is a condition.
pub(super) fn read_one(value: &Value) -> Vec<GenericCondition<'_>> {
    read_condition(text(value, "type"), value).into_iter().collect()
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

/// Derives the polarity of a condition type from its name; `None` if its words are unknown.
pub(super) fn polarity(kind: &str) -> Option<ConditionPolarity> {
    // A requirement is named, and not demanded: `RequiredRuntime`.
    let names_requirement = || matches!(tokens(kind).as_slice(), [first, _, ..] if first == "required");
    Some(match meaning(kind)? {
        WordMeaning::Human if names_requirement() => return None,
        WordMeaning::Bad | WordMeaning::Human => ConditionPolarity::Bad,
        WordMeaning::Paused => ConditionPolarity::Paused,
        // `NotReady` is a failure; `Creating` is progress.
        WordMeaning::Progress if is_negated(kind) => ConditionPolarity::Bad,
        WordMeaning::Progress => ConditionPolarity::Progress,
        WordMeaning::Good if names_running_operation(kind) => ConditionPolarity::Progress,
        WordMeaning::Good | WordMeaning::Done => ConditionPolarity::Good,
    })
}

/// Returns true for types that negate a good state: `NotReady`, `NetworkNotReady`.
fn is_negated(kind: &str) -> bool {
    matches!(tokens(kind).as_slice(), [.., before, _] if before == "not")
}

/// Returns true if a word describes success, and every part of it is known.
pub(in crate::engine) fn is_good_word(word: &str) -> bool {
    matches!(meaning(word), Some(WordMeaning::Good | WordMeaning::Done)) && is_known(word)
}
