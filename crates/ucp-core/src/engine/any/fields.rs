//! Reads one field of a status by its name: `phase: Running`, `health: green`, `ready: false`, `lastError: refused`.

use serde_json::{Map, Value};

use super::condition::is_good_word;
use super::condition_types::is_change;
use super::counts::WANTED;
use super::error_fields::means_nothing;
use super::field_names::{FieldName, is_text};
use super::hints::{http_failure, is_http_success, names_choice, read_flag};
use super::quantities::is_level;
use super::sign::{SignWeight, StatusSign};
use super::states::{LONGEST_STATE, StatusSearch, short_text};
use super::words::{WordMeaning, is_known, is_partial, meaning, names_parts_out_of_service, tokens};
use crate::model::body::any::whole_number;
use crate::model::comparison::is_empty;
use crate::model::verdict::Verdict;

/// The last words of field names that contain a state.
pub(super) const STATE_FIELDS: [&str; 12] = [
    "phase",
    "state",
    "status",
    "health",
    "result",
    "outcome",
    "verdict",
    "stage",
    "condition",
    "validity",
    "availability",
    "readiness",
];
/// The last words of state fields that say how a task ended. A complete task does not outweigh them.
const OUTCOME_FIELDS: [&str; 4] = ["result", "outcome", "verdict", "validity"];
/// Boolean fields that are true if the object is healthy.
pub(super) const GOOD_FLAGS: [&str; 18] = [
    "ready",
    "readytouse",
    "healthy",
    "available",
    "synced",
    "succeeded",
    "success",
    "valid",
    "connected",
    "initialized",
    "deployed",
    "provisioned",
    "reconciled",
    "bound",
    "registered",
    "applied",
    "complete",
    "completed",
];
/// Boolean fields that are true if the object has a problem.
const BAD_FLAGS: [&str; 7] = ["failed", "degraded", "unhealthy", "error", "invalid", "alarm", "sealed"];
/// Boolean fields that are true while a user keeps the object from its work.
pub(super) const PAUSE_FLAGS: [&str; 12] = [
    "paused",
    "suspended",
    "cordoned",
    "hibernated",
    "hibernating",
    "maintenance",
    "maintenancemode",
    "inmaintenance",
    "suspend",
    "stopped",
    "halted",
    "frozen",
];
/// Fields with one word of which only a bad one is meaningful: `mode: degraded`.
const BAD_ONLY_FIELDS: [&str; 10] =
    ["mode", "level", "code", "connectivity", "connection", "quality", "indicator", "color", "signal", "summary"];
/// Lists, texts, and counts of problems.
const PROBLEM_FIELDS: [&str; 6] = ["issues", "problems", "alerts", "warnings", "exceptions", "failures"];
/// Boolean fields of an object that can be used, whose negation is a problem.
pub(super) const USABLE_FLAGS: [&str; 8] =
    ["quorum", "writable", "operational", "reachable", "alive", "online", "serving", "usable"];

impl StatusSearch<'_> {
    pub(super) fn field(
        &mut self,
        name: &FieldName<'_>,
        field: &str,
        value: &Value,
        beside: &Map<String, Value>,
        weight: SignWeight,
    ) {
        let _is_read = self.read_state(name, field, value, weight)
            || self.read_word_of_failure(name, field, value, weight)
            || self.read_problem(name, field, value)
            || self.read_error(name, field, value, weight)
            || self.read_flag_field(name, field, value, beside, weight);
    }

    /// Reads a state, or the states of several parts. Returns true if the field is one.
    fn read_state(&mut self, name: &FieldName<'_>, field: &str, value: &Value, weight: SignWeight) -> bool {
        let is_state = STATE_FIELDS.contains(&name.last());
        match value {
            Value::String(word) if is_state && !word.is_empty() && word.len() <= LONGEST_STATE => {
                self.state(name, field, word, weight);
            }
            // A state with a name and a number: `powerState: {code: Stopped}`, `state: {code: 80, name: stopped}`.
            Value::Object(state) if is_state && let Some(word) = named_state(state) => {
                self.state(name, field, word, weight);
            }
            // A status of one word, in a field without a name of its own.
            Value::String(word) if field == "value" && meaning(word).is_some() && is_known(word) => {
                self.state(name, field, word, weight);
            }
            // Such as `serviceHealth`, with the state of each service by its name.
            Value::Object(states)
                if is_state_of_each(name)
                    || is_state && has_only_states(states.values())
                    || name.is_plural() && are_states_of_parts(states) =>
            {
                let words = states.iter().filter_map(|(name, state)| Some((name, state.as_str()?)));
                for (name, state) in words.filter(|(name, _)| !is_level(name) && !is_text(name)) {
                    let field = format!("{field}.{name}");
                    if !self.about.convention.ignores(&field) {
                        self.part(&field, state);
                    }
                }
            }
            Value::Object(parts) if groups_parts_by_state(parts) => self.parts_by_state(field, parts),
            Value::Array(states)
                if (is_state_of_each(name) || lists_results(name) && has_only_states(states.iter()))
                    && !lists_choices(name) =>
            {
                for state in states.iter().filter_map(Value::as_str) {
                    self.part(field, state);
                }
                for word in states.iter().filter_map(Value::as_object).filter_map(named_state) {
                    self.state(name, field, word, SignWeight::Aside);
                }
            }
            // A state as a number has a meaning that only its controller knows.
            Value::Number(number) if is_state && http_failure(name.key, value).is_none() && !is_http_success(value) => {
                self.doubt(format!("{field} is {number}"));
            }
            _ => return false,
        }
        true
    }

    /// Reads the parts of an object by their states: `{ready: [a], pending: []}`.
    fn parts_by_state(&mut self, field: &str, parts: &Map<String, Value>) {
        for state in parts.iter().filter(|(_, names)| !is_empty(names)).map(|(state, _)| state) {
            self.part(&format!("{field}.{state}"), state);
        }
    }

    /// Reads a status that is one word: `status: Done`.
    pub(super) fn read_word(&mut self, field: &str, word: &str) {
        if !word.is_empty() && word.len() <= LONGEST_STATE {
            self.state(&FieldName::parse(field), field, word, SignWeight::Deciding);
        }
    }

    fn state(&mut self, name: &FieldName<'_>, field: &str, word: &str, weight: SignWeight) {
        if names_an_undoing(&name.words) && only_says_whether_it_is_needed(word) || is_declared_removed(name, word) {
            return;
        }
        let sign = self.word(field, word, weight);
        // An unknown state may be a failure, even if the object as a whole is OK.
        let is_doubtful = sign.verdict == Verdict::Unknown && weight == SignWeight::Deciding
            || sign.verdict == Verdict::Progressing && (OUTCOME_FIELDS.contains(&name.last()) || is_partial(word));
        let weight = if is_doubtful { SignWeight::Doubt } else { sign.weight };
        self.signs.push(StatusSign { weight, ..sign });
        if weight == SignWeight::Aside && names_a_stop(word) {
            self.doubt(format!("{field} is {word}"));
        }
    }

    /// Reads a word of which only a bad one is meaningful. Returns true if the field has one.
    fn read_word_of_failure(&mut self, name: &FieldName<'_>, field: &str, value: &Value, weight: SignWeight) -> bool {
        let Value::String(word) = value else { return false };
        if meaning(word) != Some(WordMeaning::Bad) {
            return false;
        }
        let lower = name.key.to_lowercase();
        let is_one_word = !word.contains(' ');
        // The severity of a message, or the waiting reason of a container.
        let is_failure = ["level", "severity"].contains(&lower.as_str()) || lower == "reason" && is_one_word;
        if is_failure {
            self.bad(weight, format!("{field} is {word}"));
        } else if is_one_word && BAD_ONLY_FIELDS.contains(&name.last()) {
            self.doubt(format!("{field} is {word}"));
        } else {
            return false;
        }
        true
    }

    /// Reads a word of something that is not settled, in a field whose name is not one of a state: `progress: Deploying`,
    /// `a: NotReady`. It is no choice of a user.
    pub(super) fn unsettled_word(&mut self, name: &FieldName<'_>, field: &str, value: &Value) {
        let Some(word) = value.as_str().filter(|word| word.len() <= LONGEST_STATE) else { return };
        let words = tokens(word);
        let is_unsettled =
            || meaning(word) == Some(WordMeaning::Progress) && (is_change(word) || names_parts_out_of_service(&words));
        if !word.contains(char::is_whitespace) && !names_choice(&name.words) && is_known(word) && is_unsettled() {
            self.doubt(format!("{field} is {word}"));
        }
    }

    /// Reads lists, counts and flags of problems. Returns true if the field is one.
    fn read_problem(&mut self, name: &FieldName<'_>, field: &str, value: &Value) -> bool {
        let is_list = PROBLEM_FIELDS.contains(&name.key.to_lowercase().as_str());
        let is_usable_flag = || USABLE_FLAGS.contains(&name.last()) || names_a_needed_member(&name.words);
        match value {
            Value::Array(parts) if !parts.is_empty() && names_parts_out_of_service(&name.words) => {
                self.doubt(format!("{field} lists {}", parts.len()));
            }
            value if is_list && !means_nothing(value) => {
                self.doubt(format!("{field}: {}", short_text(value)));
            }
            value if read_flag(value) == Some(false) && is_usable_flag() => self.doubt(format!("{field} is false")),
            _ => return false,
        }
        true
    }

    /// Reads a flag, or a number or text in its place. Returns true if the field is one.
    fn read_flag_field(
        &mut self,
        name: &FieldName<'_>,
        field: &str,
        value: &Value,
        beside: &Map<String, Value>,
        weight: SignWeight,
    ) -> bool {
        let lower = name.key.to_lowercase();
        let flag = lower.strip_prefix("is").unwrap_or(&lower);
        match value {
            Value::Bool(true) if PAUSE_FLAGS.contains(&flag) => {
                self.push(Verdict::Paused, weight, format!("{field} is true"));
            }
            Value::Number(number) if counts_usable(&lower) => {
                // Nothing is ready, and no sibling field requests zero.
                if number.as_i64() == Some(0) && !wants_none(beside) {
                    self.doubt(format!("{field} is 0"));
                }
                return GOOD_FLAGS.contains(&lower.as_str());
            }
            Value::Bool(true) if flag == "active" => self.state(name, field, flag, weight),
            value if GOOD_FLAGS.contains(&flag) => {
                if let Some(is_good) = read_flag(value) {
                    let verdict = if is_good { Verdict::Ok } else { Verdict::Progressing };
                    self.push(verdict, weight, format!("{field} is {is_good}"));
                } else if let Some(word) = value.as_str().filter(|word| meaning(word).is_some()) {
                    self.state(name, field, word, weight);
                }
            }
            Value::String(word) if GOOD_FLAGS.contains(&name.last()) && word.eq_ignore_ascii_case("unknown") => {
                self.doubt(format!("{field} is {word}"));
            }
            Value::String(text) if begins_with_a_failure(text) => {
                self.doubt(format!("{field} is {}", short_text(value)));
            }
            value if BAD_FLAGS.contains(&lower.as_str()) && read_flag(value) == Some(true) => {
                self.bad(weight, format!("{field} is true"));
            }
            _ => return false,
        }
        true
    }
}

/// Returns true for fields that count usable parts if their value is a number: `ready: 0`.
fn counts_usable(field: &str) -> bool {
    GOOD_FLAGS.contains(&field) || ["up", "online", "alive"].contains(&field)
}

/// Returns true if no part is wanted, or all have succeeded.
fn wants_none(beside: &Map<String, Value>) -> bool {
    let count = |field: &str| beside.get(field).and_then(whole_number);
    WANTED.iter().any(|wanted| count(wanted) == Some(0)) || count("succeeded").is_some_and(|number| number > 0)
}

/// Returns true if every value is a word with a meaning.
fn has_only_states<'a>(mut values: impl ExactSizeIterator<Item = &'a Value>) -> bool {
    values.len() > 0 && values.all(|value| value.as_str().is_some_and(|word| meaning(word).is_some()))
}

/// Returns the word of a state that is an object: `Stopped`, or the end of `PowerState/stopped`.
fn named_state(state: &Map<String, Value>) -> Option<&str> {
    let word = ["code", "name"].iter().find_map(|key| state.get(*key)?.as_str())?;
    word.rsplit('/').next().filter(|word| meaning(word).is_some())
}

/// Returns true for the states of parts by their names: `{a: Ready, b: NotReady}`. Without a good one, the words may be
/// settings.
fn are_states_of_parts(parts: &Map<String, Value>) -> bool {
    has_only_states(parts.values()) && parts.values().filter_map(Value::as_str).any(is_good_word)
}

/// Returns true for the names of lists with the results of parts: `memberStatus`, `results`.
fn lists_results(name: &FieldName<'_>) -> bool {
    let last = name.last();
    [last, last.strip_suffix('s').unwrap_or(last)].iter().any(|last| STATE_FIELDS.contains(last))
}

/// Returns true for the names of lists of possible states: `supportedStates`.
fn lists_choices(name: &FieldName<'_>) -> bool {
    const CHOICES: [&str; 7] = ["supported", "allowed", "possible", "valid", "accepted", "notify", "known"];
    name.words.iter().any(|word| CHOICES.contains(&word.as_str()))
}

/// Returns true for lists of parts by state. Without a list for other states, parts in them may not be listed at all.
fn groups_parts_by_state(lists: &Map<String, Value>) -> bool {
    let is_good = |state: &String| matches!(meaning(state), Some(WordMeaning::Good | WordMeaning::Done));
    lists.iter().all(|(state, names)| names.is_array() && meaning(state).is_some())
        && lists.keys().any(is_good)
        && !lists.keys().all(is_good)
}

/// Returns true for fields about the steps after the deletion of an object: `uninstallStatus`.
fn names_an_undoing(words: &[String]) -> bool {
    const UNDOINGS: [&str; 10] = [
        "cleanup",
        "delet",
        "deprovision",
        "deregist",
        "remov",
        "teardown",
        "unbind",
        "undeploy",
        "uninstall",
        "unregist",
    ];
    words.first().is_some_and(|first| UNDOINGS.iter().any(|undoing| first.starts_with(undoing)))
}

/// Returns true for a part that the declaration removed, whose state is that of the declaration.
fn is_declared_removed(name: &FieldName<'_>, word: &str) -> bool {
    name.words.ends_with(&["management", "state"].map(str::to_owned)) && word == "Removed"
}

/// Returns true for `Required` and `NotRequired`.
fn only_says_whether_it_is_needed(word: &str) -> bool {
    tokens(word).iter().all(|token| ["not", "required", "needed"].contains(&token.as_str()))
}

/// Returns true for a text such as `error: the role is missing`, in any field.
fn begins_with_a_failure(text: &str) -> bool {
    let begin = text.trim_start().get(..16).unwrap_or(text.trim_start()).to_lowercase();
    ["error:", "failed:", "failure:", "failed to ", "unable to "].iter().any(|failure| begin.starts_with(failure))
}

/// Returns true for the state of a part that does not run, and is not said to be unused: `stopped`.
fn names_a_stop(word: &str) -> bool {
    const STOPS: [&str; 6] = ["deallocated", "halt", "hibernated", "paused", "stopped", "suspended"];
    tokens(word).iter().any(|token| STOPS.iter().any(|stop| token.starts_with(stop)))
}

/// Returns true for flags such as `hasLeader`.
fn names_a_needed_member(words: &[String]) -> bool {
    let needed = ["leader", "primary", "master"];
    matches!(words, [first, last] if first == "has" && needed.contains(&last.as_str()))
}

/// Returns true if a field maps each of several things to a state: `allocatedResourceStatuses`.
fn is_state_of_each(name: &FieldName<'_>) -> bool {
    ["statuses", "states", "phases"].contains(&name.last())
}
