//! Finds states in strings, booleans, and numbers of a status: `phase: Running`, `health: green`, `ready: false`.

use serde_json::{Map, Value};

use super::condition;
use super::conditions::{self, StatusContext};
use super::convention::meaning_of_running;
use super::hints::{http_failure, is_http_success, read_flag, verdict_from_name};
use super::words::{
    TextFraction, WordMeaning, describes_failure, is_known, is_partial, meaning, meaning_of_sentence,
    names_parts_out_of_service, text_fraction, tokens,
};
use super::{SignWeight, StatusSign};
use crate::model::body::any::whole_number;
use crate::model::comparison::is_empty;
use crate::model::convention::{RunningMeaning, VerdictWords};
use crate::model::metadata::Metadata;
use crate::model::verdict::Verdict;

/// The maximum nesting depth that is searched.
const DEEPEST: usize = 32;

/// The maximum length of a state; longer texts are explanations.
const LONGEST_STATE: usize = 80;

/// The last words of field names that contain a state.
const STATE_FIELDS: [&str; 12] = [
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
/// Fields that contain the cause of a failure, and are absent without one.
const ERROR_FIELDS: [&str; 13] = [
    "exception",
    "failedreason",
    "errmsg",
    "error",
    "errors",
    "errormessage",
    "failurereason",
    "failuremessage",
    "failure",
    "errorcode",
    "errordetails",
    "errordescription",
    "errorreason",
];
/// Boolean fields that are true if the object is healthy.
const GOOD_FLAGS: [&str; 11] = [
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
];
/// Boolean fields that are true if the object has a problem.
const BAD_FLAGS: [&str; 7] = ["failed", "degraded", "unhealthy", "error", "invalid", "alarm", "sealed"];
/// Boolean fields that are true while a user keeps the object from its work.
const PAUSE_FLAGS: [&str; 7] =
    ["paused", "suspended", "cordoned", "hibernated", "hibernating", "maintenancemode", "inmaintenance"];
/// Fields with one word of which only a bad one is meaningful: `mode: degraded`.
const BAD_ONLY_FIELDS: [&str; 10] =
    ["mode", "level", "code", "connectivity", "connection", "quality", "indicator", "color", "signal", "summary"];
/// Lists, texts, and counts of problems.
const PROBLEM_FIELDS: [&str; 6] = ["issues", "problems", "alerts", "warnings", "exceptions", "failures"];
/// Boolean fields of an object that can be used, whose negation is a problem.
const USABLE_FLAGS: [&str; 8] =
    ["quorum", "writable", "operational", "reachable", "alive", "online", "serving", "usable"];
/// Words in the names of fields that describe the past.
const PAST: [&str; 9] =
    ["previous", "past", "old", "history", "histories", "earliest", "oldest", "attempts", "timestamps"];
/// Last words of the names of lists of the past. Other words after them are of the present: `eventSources`.
const LISTS_OF_THE_PAST: [&str; 4] = ["event", "events", "log", "logs"];
/// Words in the names of fields that describe the desired state, or parts that may be of the past.
const PLANNED: [&str; 8] = ["desired", "target", "expected", "wanted", "initial", "backups", "snapshots", "revisions"];
/// The subset of [`PLANNED`] that also applies to fields with a single string.
const ASKED: &[&str] = &["desired", "target", "expected", "wanted", "initial"];

/// Fields that count desired parts.
pub(super) const WANTED: [&str; 9] =
    ["desired", "expected", "wanted", "total", "replicas", "size", "members", "instances", "count"];

/// The time that a field describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldTense {
    /// The present.
    Present,
    /// The desired state, or parts of which some are of the past: only a failure in it is meaningful.
    Planned,
    /// The past.
    Past,
}

/// The name of a field, which most of the rules read.
struct FieldName<'a> {
    key: &'a str,
    words: Vec<String>,
}

impl<'a> FieldName<'a> {
    fn parse(key: &'a str) -> Self {
        Self { key, words: tokens(key) }
    }

    fn last(&self) -> &str {
        self.words.last().map_or("", String::as_str)
    }
}

/// A search for states in a status.
pub(super) struct StatusSearch<'a> {
    pub(super) about: StatusContext<'a>,
    pub(super) signs: Vec<StatusSign>,
}

impl StatusSearch<'_> {
    /// Reads one level of a status; `path` is the dotted path from the status.
    pub(super) fn object(&mut self, value: &Value, path: &str, depth: usize) {
        let Value::Object(fields) = value else { return };
        let here = match depth {
            0 => SignWeight::Deciding,
            _ if path.split('.').any(is_last_attempt) => SignWeight::Past,
            _ => SignWeight::Aside,
        };
        if depth > 0 && condition::is_condition(value) {
            let found = conditions::signs(&condition::read_one(value), &self.about).into_iter();
            self.signs.extend(found.map(|sign| StatusSign { weight: here, ..sign }));
            fields.values().for_each(|value| self.below(value, path, depth));
            return;
        }
        for (key, value) in fields {
            let field = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let before = self.signs.len();
            if let Some(words) = self.about.convention.words_of(&field) {
                self.listed(&field, value, words);
                self.explain(before, fields);
                continue;
            }
            let is_listed_below =
                || self.about.convention.states.keys().any(|path| path.starts_with(&format!("{field}.")));
            let name = FieldName::parse(key);
            let tense = if is_listed_below() { FieldTense::Present } else { tense(&name, value) };
            if self.about.convention.ignores(&field) || tense == FieldTense::Past {
                continue;
            }
            if tense == FieldTense::Planned {
                self.failures_below(value, &field, depth);
                continue;
            }
            let weight = if is_last_attempt(key) && here != SignWeight::Past { SignWeight::Last } else { here };
            if name.last() == "conditions" {
                let found = condition::read(value);
                let signs = conditions::signs(&found, &self.about).into_iter();
                self.signs.extend(
                    signs.map(|sign| StatusSign { weight: if depth == 0 { sign.weight } else { here }, ..sign }),
                );
                // Items without a type are parts in another notation.
                let parts = value.as_array().into_iter().flatten().filter(|item| item.get("type").is_none());
                parts.for_each(|part| self.below(part, &field, depth));
                continue;
            }
            self.field(&name, &field, value, fields, weight);
            if self.signs.len() == before
                && let Some((verdict, words)) = verdict_from_name(key, value, fields, self.about.now)
            {
                let weight = if here == SignWeight::Past { SignWeight::Past } else { SignWeight::Last };
                self.push(verdict, weight, format!("{field} {words}"));
            }
            self.explain(before, fields);
            let explained = self.signs.len();
            self.share(key, &field, value, fields, weight);
            if self.signs.len() == explained && explained == before {
                self.named_number(key, &field, value);
            }
            self.below(value, &field, depth);
        }
    }

    /// Adds a doubt for each failure below a field that describes the desired state, or parts of the past.
    fn failures_below(&mut self, value: &Value, field: &str, depth: usize) {
        let before = self.signs.len();
        self.below(value, field, depth);
        let found = self.signs.split_off(before).into_iter();
        let failures = found.filter(|sign| matches!(sign.verdict, Verdict::Failed | Verdict::NeedsHuman));
        self.signs.extend(failures.map(|sign| StatusSign {
            verdict: Verdict::Unknown,
            weight: SignWeight::Doubt,
            ..sign
        }));
    }

    fn below(&mut self, value: &Value, field: &str, depth: usize) {
        if depth >= DEEPEST {
            return;
        }
        match value {
            Value::Object(_) => self.object(value, field, depth + 1),
            Value::Array(items) => items.iter().for_each(|item| match item.as_str() {
                Some(text) => self.named_part(field, text),
                None => self.below(item, field, depth + 1),
            }),
            _ => {}
        }
    }

    /// Reads a part and its state in one text: `member-0: Failed`.
    fn named_part(&mut self, field: &str, text: &str) {
        let Some((name, state)) = text.rsplit_once([':', '=']) else { return };
        let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
        let state = state.trim();
        if is_name
            && !state.contains(char::is_whitespace)
            && is_known(state)
            && meaning(state) == Some(WordMeaning::Bad)
        {
            self.part(&format!("{field}.{name}"), state);
        }
    }

    /// Adds the sibling field `message` or `reason` to the signs of a state that is not OK.
    fn explain(&mut self, before: usize, beside: &Map<String, Value>) {
        let text = |key: &str| beside.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty());
        let Some(words) = text("message").or_else(|| text("reason")) else { return };
        for sign in self.signs[before..].iter_mut().filter(|sign| sign.verdict != Verdict::Ok) {
            if !sign.message.contains(words) {
                sign.message = format!("{}: {words}", sign.message);
            }
        }
    }

    /// Reads a field that is listed in the table of conventions.
    fn listed(&mut self, field: &str, value: &Value, words: &VerdictWords) {
        let word = match value {
            Value::String(word) => word.clone(),
            Value::Bool(flag) => flag.to_string(),
            Value::Number(number) => number.to_string(),
            _ => return,
        };
        let sign = match words.verdict(&word) {
            Some(verdict) => {
                StatusSign { verdict, weight: SignWeight::Deciding, since: None, message: format!("{field} is {word}") }
            }
            None => match self.word(field, &word, SignWeight::Deciding) {
                sign if sign.verdict == Verdict::Unknown => StatusSign { weight: SignWeight::Doubt, ..sign },
                sign => sign,
            },
        };
        self.signs.push(sign);
    }

    fn field(
        &mut self,
        name: &FieldName<'_>,
        field: &str,
        value: &Value,
        beside: &Map<String, Value>,
        weight: SignWeight,
    ) {
        let count = |field: &str| beside.get(field).and_then(whole_number);
        // None is wanted, or all have succeeded.
        let wants_none = || {
            WANTED.iter().any(|wanted| count(wanted) == Some(0)) || count("succeeded").is_some_and(|number| number > 0)
        };
        let lower = name.key.to_lowercase();
        let is_state = STATE_FIELDS.contains(&name.last());
        match value {
            Value::String(word) if is_state && !word.is_empty() && word.len() <= LONGEST_STATE => {
                let sign = self.word(field, word, weight);
                // An unknown state may be a failure, even if the object as a whole is OK.
                let is_doubtful = sign.verdict == Verdict::Unknown && weight == SignWeight::Deciding
                    || sign.verdict == Verdict::Progressing
                        && (OUTCOME_FIELDS.contains(&name.last()) || is_partial(word));
                let weight = if is_doubtful { SignWeight::Doubt } else { sign.weight };
                self.signs.push(StatusSign { weight, ..sign });
                if weight == SignWeight::Aside && names_a_stop(word) {
                    self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field} is {word}"));
                }
            }
            // The severity of a message; only a bad one is meaningful.
            Value::String(word)
                if ["level", "severity"].contains(&lower.as_str()) && meaning(word) == Some(WordMeaning::Bad) =>
            {
                self.bad(weight, format!("{field} is {word}"));
            }
            // Such as `serviceHealth`, with the state of each service by its name.
            Value::Object(states) if is_state_of_each(name) || is_state && has_only_states(states) => {
                for (name, state) in states.iter().filter_map(|(name, state)| Some((name, state.as_str()?))) {
                    self.part(&format!("{field}.{name}"), state);
                }
            }
            Value::Array(states) if is_state_of_each(name) => {
                for state in states.iter().filter_map(Value::as_str) {
                    self.part(field, state);
                }
            }
            // A state as a number has a meaning that only its controller knows.
            Value::Number(number) if is_state && http_failure(name.key, value).is_none() && !is_http_success(value) => {
                self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field} is {number}"));
            }
            // Such as the waiting reason of a container; only a reason of a failure is meaningful.
            Value::String(word)
                if lower == "reason" && meaning(word) == Some(WordMeaning::Bad) && !word.contains(' ') =>
            {
                self.bad(weight, format!("{field} is {word}"));
            }
            Value::String(word)
                if BAD_ONLY_FIELDS.contains(&name.last())
                    && !word.contains(' ')
                    && meaning(word) == Some(WordMeaning::Bad) =>
            {
                self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field} is {word}"));
            }
            Value::Array(parts) if !parts.is_empty() && names_parts_out_of_service(&name.words) => {
                self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field} lists {}", parts.len()));
            }
            value if PROBLEM_FIELDS.contains(&lower.as_str()) && !is_empty(value) && !means_nothing(value) => {
                self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field}: {}", short_text(value)));
            }
            value
                if read_flag(value) == Some(false)
                    && (USABLE_FLAGS.contains(&name.last()) || names_a_needed_member(&name.words)) =>
            {
                self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field} is false"));
            }
            Value::Bool(true) if PAUSE_FLAGS.contains(&lower.strip_prefix("is").unwrap_or(&lower)) => {
                self.push(Verdict::Paused, weight, format!("{field} is true"));
            }
            Value::String(text) if is_error(name, &lower) && !means_no_error(text) => {
                self.bad(weight, format!("{field}: {text}"));
            }
            Value::Object(error) if is_error(name, &lower) => {
                let text = match error.get("message") {
                    Some(message) => message.as_str().unwrap_or_default().to_owned(),
                    None if error.is_empty() => String::new(),
                    None => Value::Object(error.clone()).to_string(),
                };
                if !means_no_error(&text) {
                    self.bad(weight, format!("{field}: {text}"));
                }
            }
            Value::Array(errors) if lower == "errors" && !errors.is_empty() => {
                self.bad(weight, format!("{field} lists {}", errors.len()));
            }
            // Nothing is ready, and no sibling field requests zero.
            Value::Number(number)
                if (GOOD_FLAGS.contains(&lower.as_str()) || ["up", "online", "alive"].contains(&lower.as_str()))
                    && number.as_i64() == Some(0)
                    && !wants_none() =>
            {
                self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field} is 0"));
            }
            Value::Number(_) if GOOD_FLAGS.contains(&lower.as_str()) => {}
            value if GOOD_FLAGS.contains(&lower.strip_prefix("is").unwrap_or(&lower)) => {
                let Some(flag) = read_flag(value) else { return };
                let verdict = if flag { Verdict::Ok } else { Verdict::Progressing };
                self.push(verdict, weight, format!("{field} is {flag}"));
            }
            Value::String(text) if begins_with_a_failure(text) => {
                self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field} is {}", short_text(value)));
            }
            value if BAD_FLAGS.contains(&lower.as_str()) && read_flag(value) == Some(true) => {
                self.bad(weight, format!("{field} is true"));
            }
            _ => {}
        }
    }

    fn word(&self, field: &str, word: &str, weight: SignWeight) -> StatusSign {
        let said = if word.contains(' ') { meaning_of_sentence(word) } else { meaning(word) };
        let said = match (said, text_fraction(word)) {
            (Some(WordMeaning::Good | WordMeaning::Done) | None, Some(TextFraction::Part)) => {
                Some(WordMeaning::Progress)
            }
            // A good word next to an unknown word may not be good.
            (Some(WordMeaning::Good | WordMeaning::Done), _) if !is_known(word) => None,
            (said, _) => said,
        };
        let runs = tokens(word).iter().any(|token| ["running", "active", "started", "run"].contains(&token.as_str()));
        let verdict = match said {
            Some(WordMeaning::Bad) => Verdict::Failed,
            Some(WordMeaning::Human) => Verdict::NeedsHuman,
            Some(WordMeaning::Paused) => Verdict::Paused,
            Some(WordMeaning::Progress) => Verdict::Progressing,
            Some(WordMeaning::Good)
                if runs && meaning_of_running(self.about.convention, self.about.kind) == RunningMeaning::Progress =>
            {
                Verdict::Progressing
            }
            Some(WordMeaning::Good | WordMeaning::Done) => Verdict::Ok,
            None => Verdict::Unknown,
        };
        let weight = match said {
            // A single step may be complete before the whole is: `preDeploymentStatus`, `currentPhase`.
            Some(WordMeaning::Done) if weight == SignWeight::Deciding && describes_whole_object(field) => {
                SignWeight::Final
            }
            _ => weight,
        };
        StatusSign { verdict, weight, since: None, message: format!("{field} is {word}") }
    }

    /// Reads the state of one of several parts.
    fn part(&mut self, field: &str, word: &str) {
        if !word.is_empty() && word.len() <= LONGEST_STATE {
            let sign = self.word(field, word, SignWeight::Aside);
            self.signs.push(sign);
        }
    }

    fn bad(&mut self, weight: SignWeight, message: String) {
        self.push(Verdict::Failed, weight, message);
    }

    pub(super) fn push(&mut self, verdict: Verdict, weight: SignWeight, message: String) {
        self.signs.push(StatusSign { verdict, weight, since: None, message });
    }

    /// Reads the labels that contain a state.
    pub(super) fn check_labels(&mut self, metadata: &Metadata) {
        for (label, words) in &self.about.convention.labels {
            if let Some(word) = metadata.label(label) {
                let verdict = words.verdict(word).unwrap_or(Verdict::Unknown);
                self.push(verdict, SignWeight::Doubt, format!("label {label} is {word}"));
            }
        }
    }

    /// Checks the conditions that must be present.
    pub(super) fn check_awaited_conditions(&mut self, status: &Value) {
        let found = status.get("conditions").map(condition::read).unwrap_or_default();
        for kind in &self.about.convention.awaits {
            if !found.iter().any(|condition| condition.is(kind)) {
                self.push(Verdict::Progressing, SignWeight::Deciding, format!("condition {kind} is not there yet"));
            }
        }
    }

    /// Checks the fields that must be present.
    pub(super) fn check_required_fields(&mut self, status: &Value) {
        for path in &self.about.convention.required {
            let keys: Vec<&str> = path.split('.').collect();
            if has_field(status, &keys) {
                self.push(Verdict::Ok, SignWeight::Deciding, format!("{path} is there"));
            } else if status.get(path).is_some_and(Value::is_array) {
                self.bad(SignWeight::Deciding, format!("{path} is empty"));
            } else {
                self.push(Verdict::Progressing, SignWeight::Deciding, format!("{path} is not there yet"));
            }
        }
    }

    /// Checks the fields that must be zero or empty.
    pub(super) fn check_empty_fields(&mut self, status: &Value) {
        for path in &self.about.convention.none {
            let number = match path.split('.').try_fold(status, |value, key| value.get(key)) {
                Some(Value::Array(items)) => i64::try_from(items.len()).unwrap_or(i64::MAX),
                Some(value) => whole_number(value).unwrap_or_default(),
                None => continue,
            };
            match number {
                ..=0 => self.push(Verdict::Ok, SignWeight::Deciding, String::new()),
                number => self.bad(SignWeight::Deciding, format!("{path} is {number}")),
            }
        }
    }

    /// Checks for a message that describes a failure. Only used if no other sign was found.
    pub(super) fn check_messages(&mut self, status: &Value) {
        for (key, value) in status.as_object().into_iter().flatten() {
            if let Some(text) = value.as_str().filter(|text| describes_failure(text)) {
                self.bad(SignWeight::Deciding, format!("{key}: {text}"));
            }
        }
    }
}

/// Returns true if a state field describes its object as a whole: `phase`, `terminalState`.
fn describes_whole_object(field: &str) -> bool {
    let words = tokens(field);
    let is_final = |word: &String| ["overall", "terminal", "final"].contains(&word.as_str());
    words.len() == 1 || words.first().is_some_and(is_final)
}

/// Returns true if a field is there, in every item of the lists on the way.
fn has_field(value: &Value, path: &[&str]) -> bool {
    match (value, path) {
        (Value::Array(items), [_, ..]) => items.iter().all(|item| has_field(item, path)),
        (_, [key, rest @ ..]) => value.get(key).is_some_and(|value| has_field(value, rest)),
        (_, []) => !is_empty(value),
    }
}

/// Returns true if every field of an object is a word with a meaning.
fn has_only_states(fields: &Map<String, Value>) -> bool {
    let is_state = |value: &Value| value.as_str().is_some_and(|word| meaning(word).is_some());
    !fields.is_empty() && fields.values().all(is_state)
}

/// Returns true for a text such as `error: the role is missing`, in any field.
fn begins_with_a_failure(text: &str) -> bool {
    let begin = text.trim_start().get(..16).unwrap_or(text.trim_start()).to_lowercase();
    ["error:", "failed:", "failure:", "failed to ", "unable to "].iter().any(|failure| begin.starts_with(failure))
}

/// Returns true for the state of a part that does not run, and is not said to be unused: `stopped`.
fn names_a_stop(word: &str) -> bool {
    tokens(word).iter().any(|token| token == "stopped" || token.starts_with("halt"))
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

/// Returns true if a field contains the cause of a failure: `error`, `failureMessage`, `lastSyncError`.
fn is_error(name: &FieldName<'_>, lower: &str) -> bool {
    ERROR_FIELDS.contains(&lower)
        || name.words.first().is_some_and(|first| first == "last") && ["error", "failure"].contains(&name.last())
}

/// Returns true for texts that mean no error.
fn means_no_error(text: &str) -> bool {
    ["", "none", "null", "nil", "false", "ok", "no error"].contains(&text.trim().to_lowercase().as_str())
}

/// Returns true if a field describes the last attempt: `lastOperation`, but not `lastState`, the state of a container
/// before its restart.
fn is_last_attempt(key: &str) -> bool {
    key.starts_with("last")
}

/// Returns the time that a field describes, by its name.
fn tense(name: &FieldName<'_>, value: &Value) -> FieldTense {
    let has = |known: &[&str]| name.words.iter().any(|word| known.contains(&word.as_str()));
    let last = name.last();
    // A string describes the current state of a log or an event bus; a list of them describes the past.
    let is_list_of_the_past = !value.is_string() && LISTS_OF_THE_PAST.contains(&last);
    match value {
        // The health of a target is its current health.
        _ if last == "health" => FieldTense::Present,
        _ if name.key == "lastState" || has(&PAST) || is_list_of_the_past && !value.is_object() => FieldTense::Past,
        Value::Object(_) | Value::Array(_) if has(&PLANNED) => FieldTense::Planned,
        _ if has(ASKED) => FieldTense::Past,
        _ => FieldTense::Present,
    }
}

/// Returns true for a count of zero, and for a text that means no problem.
fn means_nothing(value: &Value) -> bool {
    whole_number(value) == Some(0) || value == false || value.as_str().is_some_and(means_no_error)
}

/// Returns a value as text of at most a line.
pub(super) fn short_text(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match text.char_indices().nth(LONGEST_STATE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
