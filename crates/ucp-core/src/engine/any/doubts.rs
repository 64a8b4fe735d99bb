//! Texts, lists, and pairs of fields beside a state that cast doubt on it: `message: failed to reach backend`,
//! `notReady: [a]`, `desiredNodes: 5` next to `activeNodes: 2`, and a parent that no controller has reported on.

use serde_json::{Map, Value};

use super::condition::is_good_word;
use super::condition_types::is_change;
use super::error_fields::means_nothing;
use super::field_names::{EXPLANATIONS, FieldName};
use super::fields::{GOOD_FLAGS, PAUSE_FLAGS, STATE_FIELDS, USABLE_FLAGS};
use super::hints::{is_setting, read_flag, read_time};
use super::sentences::reports_failure;
use super::states::{StatusSearch, short_text};
use super::words::{WordMeaning, is_known, meaning, tokens};
use crate::model::body::any::whole_number;

impl StatusSearch<'_> {
    /// Reads what stands beside the state of an object: `fields` are those of its status.
    pub(super) fn check_doubts(&mut self, fields: &Map<String, Value>) {
        for (key, value) in fields {
            let words = tokens(key);
            self.check_text(key, &words, value);
            self.check_pending(key, &words, value);
            self.check_progress(key, &words, value);
            self.check_activity(key, &words, value);
            self.check_plain_version(key, &words, value, fields);
            self.check_pair(key, &words, value, fields);
            if let Value::Object(below) = value
                && !names_the_past(&words)
            {
                for (key, value) in below {
                    self.check_pair(key, &tokens(key), value, below);
                }
            }
        }
    }

    /// Reads a text for people: `message: failed to reach the backend`, `warning: the certificate expires soon`,
    /// `summary: 2 healthy, 1 sick`.
    fn check_text(&mut self, key: &str, words: &[String], value: &Value) {
        let (Some(text), Some(last)) = (value.as_str(), words.last()) else { return };
        let is_warning = || ["warning", "warn", "caution"].contains(&last.as_str()) && !means_nothing(value);
        let is_explanation = EXPLANATIONS.contains(&last.as_str()) && !names_the_past(words);
        let is_bad = is_warning() || is_explanation && (reports_failure(text) || counts_some_that_are_not_well(text));
        if is_bad && !self.about.convention.ignores(key) {
            self.doubt(format!("{key}: {}", short_text(value)));
        }
    }

    /// Reads changes that were not applied yet, and the object that blocks them: `pendingChanges: 3`, `pendingRestart: true`,
    /// `blockedBy: PDB`.
    fn check_pending(&mut self, key: &str, words: &[String], value: &Value) {
        const CHANGES: [&str; 10] =
            ["change", "update", "upgrade", "restart", "reboot", "migration", "rollout", "approval", "action", "drift"];
        let [first, .., last] = words else { return };
        let is_change = || CHANGES.contains(&last.strip_suffix('s').unwrap_or(last));
        let is_pending = ["pending", "unapplied", "outstanding"].contains(&first.as_str()) && is_change();
        let is_blocked = last == "by" && meaning(first) == Some(WordMeaning::Bad);
        let is_awaited = first == "waiting" && last == "for";
        if (is_pending || is_blocked || is_awaited) && !means_nothing(value) && read_flag(value) != Some(false) {
            self.doubt(format!("{key} is {}", short_text(value)));
        }
    }

    /// Reads `progressPercent: 40`, `progress: 40`, and `progress: {percent: 40}`.
    fn check_progress(&mut self, key: &str, words: &[String], value: &Value) {
        const PERCENT: [&str; 3] = ["percent", "percentage", "pct"];
        let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        if !has(&["progress"]) {
            return;
        }
        let is_whole = words.last().is_some_and(|last| last == "progress");
        let number = match value {
            Value::Object(below) => PERCENT.iter().find_map(|name| below.get(*name)).and_then(whole_number),
            // The number 1 may be all of it.
            value if is_whole => whole_number(value).filter(|number| *number != 1),
            value if has(&PERCENT) => whole_number(value),
            _ => None,
        };
        if let Some(number) = number.filter(|number| (0..100).contains(number)) {
            self.doubt(format!("{key} is {number}"));
        }
    }

    /// Reads activities: `upgradeInProgress: true`, `currentOperation: Resize`, `message: Waiting for x`.
    fn check_activity(&mut self, key: &str, words: &[String], value: &Value) {
        let is_under_way = match value {
            value if read_flag(value) == Some(true) => names_activity(words),
            Value::String(text) if key == "reason" => !text.contains(' ') && is_open(text),
            Value::String(text) if key == "message" && !text.contains(' ') => is_known(text) && is_not_good(text),
            Value::String(text) if EXPLANATIONS.contains(&key) => says_waiting(text),
            Value::String(text) => names_operation(words) && !is_idle(text),
            Value::Object(below) => names_operation(words) && !below.is_empty(),
            _ => false,
        };
        if is_under_way {
            self.doubt(format!("{key} is {}", short_text(value)));
        }
    }

    /// Compares `targetVersion` with `version`.
    fn check_plain_version(&mut self, key: &str, words: &[String], wanted: &Value, fields: &Map<String, Value>) {
        let is_wanted = matches!(words, [first, last] if DESIRED.contains(&first.as_str()) && last == "version");
        let Some(wanted) = wanted.as_str().filter(|wanted| is_wanted && !wanted.is_empty()) else { return };
        let Some(actual) = fields.get("version").and_then(Value::as_str).filter(|actual| !actual.is_empty()) else {
            return;
        };
        let [first, second] = [wanted, actual].map(|version| version.trim_start_matches('v'));
        if !first.starts_with(second) && !second.starts_with(first) {
            self.doubt(format!("version is {actual}, and {key} is {wanted}"));
        }
    }

    /// Compares a field with the desired value with the field for the actual one: `desiredNodes` with `activeNodes`,
    /// `targetVersion` with `currentVersion`.
    fn check_pair(&mut self, key: &str, words: &[String], wanted: &Value, fields: &Map<String, Value>) {
        let Some((first, rest)) = words.split_first() else { return };
        let is_scalar = |value: &Value| match value {
            Value::String(text) => !text.is_empty(),
            value => value.is_number(),
        };
        if rest.is_empty() || !DESIRED.contains(&first.as_str()) || !is_scalar(wanted) {
            return;
        }
        let is_actual = |key: &String| {
            let words = tokens(key);
            words.split_first().is_some_and(|(first, others)| others == rest && ACTUAL.contains(&first.as_str()))
        };
        for (name, actual) in fields.iter().filter(|(key, value)| is_actual(key) && is_scalar(value)) {
            if read_time(wanted).is_some() && read_time(actual).is_some() {
                continue;
            }
            let differs = match (whole_number(wanted), whole_number(actual)) {
                (Some(wanted), Some(actual)) => actual < wanted,
                _ => wanted.is_string() && actual.is_string() && wanted != actual,
            };
            if differs {
                self.doubt(format!("{name} is {}, and {key} is {}", short_text(actual), short_text(wanted)));
            }
        }
    }

    /// Reads the lists of problems in conditions: `warnings`.
    pub(super) fn check_problems_in_conditions(&mut self, conditions: &Value) {
        for condition in conditions.as_array().into_iter().flatten().filter_map(Value::as_object) {
            let kind = condition.get("type").and_then(Value::as_str).unwrap_or_default();
            for (key, list) in condition.iter().filter(|(_, value)| value.is_array()) {
                if ["errors", "warnings"].contains(&key.as_str()) && !means_nothing(list) {
                    self.doubt(format!("{kind}.{key}: {}", short_text(list)));
                }
            }
        }
    }

    /// Reads flags whose names say nothing, in a status without conditions and states: `set: false` may be a failure.
    pub(super) fn check_unknown_flags(&mut self, fields: &Map<String, Value>) {
        let tells = |(key, value): (&String, &Value)| {
            key == "conditions" || value.is_string() && STATE_FIELDS.contains(&FieldName::parse(key).last())
        };
        if fields.iter().any(tells) {
            return;
        }
        for (key, value) in fields.iter().filter(|(_, value)| value.is_boolean()) {
            let convention = self.about.convention;
            let is_known = convention.words_of(key).is_some() || convention.ignores(key) || has_known_sense(key);
            if !is_known {
                self.doubt(format!("{key} is {value}"));
            }
        }
    }

    /// Checks that a controller has reported on each parent of a route: each controller only reports on its own.
    pub(super) fn check_parents(&mut self, spec: &Value, status: &Value) {
        let Some(reports) = status.get("parents").and_then(Value::as_array) else { return };
        let name = |reference: &Value| reference.get("name").and_then(Value::as_str).map(str::to_owned);
        for parent in spec.get("parentRefs").and_then(Value::as_array).into_iter().flatten() {
            let Some(wanted) = name(parent) else { continue };
            let is_its = |report: &&Value| report.get("parentRef").and_then(name).as_ref() == Some(&wanted);
            if !reports.iter().any(|report| is_its(&report)) {
                self.doubt(format!("no controller has reported on the parent {wanted}"));
            }
        }
    }
}

/// Returns true for a text of counts in which some are not of a good word: `2 healthy, 1 sick`, `up 2, down 1`.
fn counts_some_that_are_not_well(text: &str) -> bool {
    let count = |part: &str| -> Option<(u64, String)> {
        let mut words = part.split_whitespace();
        let (first, second, rest) = (words.next()?, words.next()?, words.next());
        let number = first.parse().map(|number| (number, second.to_owned()));
        let number = number.or_else(|_| second.parse().map(|number| (number, first.to_owned())));
        number.ok().filter(|_| rest.is_none())
    };
    let counts: Option<Vec<(u64, String)>> = text.split([',', ';']).map(count).collect();
    let is_good = |(_, word): &&(u64, String)| is_good_word(word.trim_end_matches(':'));
    counts.is_some_and(|counts| {
        counts.iter().any(|count| is_good(&count)) && counts.iter().any(|count| count.0 > 0 && !is_good(&count))
    })
}

/// Returns true for flags of a change under way: `updating`, `upgradeInProgress`. `autoScaling` is a property.
fn names_activity(words: &[String]) -> bool {
    let Some((last, others)) = words.split_last() else { return false };
    let is_property =
        others.iter().any(|word| ["auto", "allow", "supports", "needs", "no", "not"].contains(&word.as_str()));
    let in_progress = last == "progress" && others.last().is_some_and(|before| before == "in");
    !is_property && (in_progress || last.ends_with("ing") && is_change(last))
}

/// Returns true for flags whose meaning is known from their names.
fn has_known_sense(key: &str) -> bool {
    let words = tokens(key);
    let lower = key.to_lowercase();
    // `issuccess`, in one word.
    let plain = lower.strip_prefix("is").unwrap_or(&lower);
    let is_listed = [&PAUSE_FLAGS[..], &USABLE_FLAGS, &GOOD_FLAGS].iter().any(|flags| flags.contains(&plain));
    is_listed || meaning(key).is_some() || is_setting(&words) || words.iter().any(|word| is_change(word))
}

/// Returns true for fields with the operation that is under way: `currentOperation`.
fn names_operation(words: &[String]) -> bool {
    let (first, last) = (words.first().map(String::as_str), words.last().map(String::as_str));
    words.len() > 1
        && matches!(first, Some("current" | "ongoing" | "active" | "running" | "pending"))
        && matches!(last, Some("action" | "operation"))
}

/// Returns true if no operation is under way, or it is complete.
fn is_idle(operation: &str) -> bool {
    let is_end = || matches!(meaning(operation), Some(WordMeaning::Good | WordMeaning::Done));
    ["", "none", "nothing", "noop", "null"].contains(&operation.to_lowercase().as_str()) || is_end()
}

/// Returns true for a reason that is not the end: `WaitingForApproval`.
fn is_open(reason: &str) -> bool {
    matches!(meaning(reason), Some(WordMeaning::Human | WordMeaning::Paused | WordMeaning::Progress))
}

/// Returns true for a word that is known not to be good: `NotReady`.
fn is_not_good(word: &str) -> bool {
    meaning(word) == Some(WordMeaning::Bad) || is_open(word)
}

/// Returns true for a message about a wait. Many controllers wait for the next event in their normal state.
fn says_waiting(message: &str) -> bool {
    const NORMAL: [&str; 7] = ["next", "change", "new ", "event", "request", "trigger", "schedule"];
    let message = message.trim_start().to_lowercase();
    message.starts_with("waiting for ") && !NORMAL.iter().any(|word| message.contains(word))
}

/// Returns true for the words of a field with what was: `previousRollout`, `history`.
fn names_the_past(words: &[String]) -> bool {
    const PAST: [&str; 6] = ["previous", "last", "past", "old", "history", "initial"];
    words.iter().any(|word| PAST.contains(&word.as_str()))
}

/// First words of fields with the desired value.
const DESIRED: [&str; 5] = ["desired", "target", "expected", "wanted", "requested"];
/// First words of fields with the actual value.
const ACTUAL: [&str; 9] =
    ["current", "actual", "observed", "active", "deployed", "running", "applied", "installed", "ready"];
