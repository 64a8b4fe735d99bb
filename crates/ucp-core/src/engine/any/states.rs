//! Finds states in strings, booleans, and numbers of a status: `phase: Running`, `health: green`, `ready: false`,
//! `readyReplicas: 2` of three.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::conditions::{self, StatusContext};
use super::convention::meaning_of_running;
use super::hints::{http_failure, is_http_success, read_flag, verdict_from_name};
use super::words::{
    TextFraction, WordMeaning, describes_failure, is_known, meaning, meaning_of_sentence, text_fraction, tokens,
};
use super::{SignWeight, StatusSign};
use crate::model::body::any::{GenericObject, whole_number};
use crate::model::comparison::is_empty;
use crate::model::convention::{RunningMeaning, VerdictWords};
use crate::model::metadata::Metadata;
use crate::model::verdict::Verdict;

/// The maximum nesting depth that is searched.
const DEEPEST: usize = 32;

/// The maximum length of a state; longer texts are explanations.
const LONGEST_STATE: usize = 80;

/// The last words of field names that contain a state.
const STATE_FIELDS: [&str; 11] = [
    "phase",
    "state",
    "status",
    "health",
    "result",
    "outcome",
    "stage",
    "condition",
    "validity",
    "availability",
    "readiness",
];
/// Fields that contain the cause of a failure, and are absent without one.
const ERROR_FIELDS: [&str; 11] = [
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
const GOOD_FLAGS: [&str; 10] = [
    "ready",
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
const BAD_FLAGS: [&str; 5] = ["failed", "degraded", "unhealthy", "error", "invalid"];
/// Words in the names of fields that describe the past or the desired state.
const NOT_NOW: [&str; 21] = [
    "previous",
    "past",
    "old",
    "history",
    "histories",
    "event",
    "events",
    "revisions",
    "backups",
    "desired",
    "target",
    "expected",
    "wanted",
    "initial",
    "log",
    "logs",
    "earliest",
    "oldest",
    "attempts",
    "snapshots",
    "timestamps",
];

/// The subset of [`NOT_NOW`] that also applies to fields with a single string.
const ASKED_OR_PAST: &[&str] = &[
    "previous", "past", "old", "history", "desired", "target", "expected", "wanted", "initial", "earliest", "oldest",
    "attempts",
];

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
            if self.about.convention.ignores(&field) || is_past(key, value) && !is_listed_below() {
                continue;
            }
            let weight = if is_last_attempt(key) && here != SignWeight::Past { SignWeight::Last } else { here };
            if tokens(key).last().is_some_and(|last| last == "conditions") {
                let found = conditions::read(value);
                let signs = conditions::signs(&found, &self.about).into_iter();
                self.signs.extend(
                    signs.map(|sign| StatusSign { weight: if depth == 0 { sign.weight } else { here }, ..sign }),
                );
                continue;
            }
            self.field(key, &field, value, fields, weight);
            if self.signs.len() == before
                && let Some((verdict, words)) = verdict_from_name(key, value, fields, self.about.now)
            {
                let weight = if here == SignWeight::Past { SignWeight::Past } else { SignWeight::Last };
                self.push(verdict, weight, format!("{field} {words}"));
            }
            self.explain(before, fields);
            self.share(key, &field, value, fields, weight);
            self.below(value, &field, depth);
        }
    }

    fn below(&mut self, value: &Value, field: &str, depth: usize) {
        if depth >= DEEPEST {
            return;
        }
        match value {
            Value::Object(_) => self.object(value, field, depth + 1),
            Value::Array(items) => items.iter().for_each(|item| self.below(item, field, depth + 1)),
            _ => {}
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

    fn field(&mut self, key: &str, field: &str, value: &Value, beside: &Map<String, Value>, weight: SignWeight) {
        let wants_none = WANTED.iter().any(|wanted| beside.get(*wanted).and_then(whole_number) == Some(0));
        let lower = key.to_lowercase();
        let is_state = tokens(key).last().is_some_and(|last| STATE_FIELDS.contains(&last.as_str()));
        match value {
            Value::String(word) if is_state && !word.is_empty() && word.len() <= LONGEST_STATE => {
                let sign = self.word(field, word, weight);
                // An unknown state may be a failure, even if the object as a whole is OK.
                let is_doubtful = sign.verdict == Verdict::Unknown && weight == SignWeight::Deciding;
                let weight = if is_doubtful { SignWeight::Doubt } else { sign.weight };
                self.signs.push(StatusSign { weight, ..sign });
            }
            // The severity of a message; only a bad one is meaningful.
            Value::String(word)
                if ["level", "severity"].contains(&lower.as_str()) && meaning(word) == Some(WordMeaning::Bad) =>
            {
                self.bad(weight, format!("{field} is {word}"));
            }
            Value::Object(states) if is_state_of_each(key) => {
                for (name, state) in states.iter().filter_map(|(name, state)| Some((name, state.as_str()?))) {
                    self.part(&format!("{field}.{name}"), state);
                }
            }
            Value::Array(states) if is_state_of_each(key) => {
                for state in states.iter().filter_map(Value::as_str) {
                    self.part(field, state);
                }
            }
            // A state as a number has a meaning that only its controller knows.
            Value::Number(number) if is_state && http_failure(key, value).is_none() && !is_http_success(value) => {
                self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field} is {number}"));
            }
            // Such as the waiting reason of a container; only a reason of a failure is meaningful.
            Value::String(word)
                if lower == "reason" && meaning(word) == Some(WordMeaning::Bad) && !word.contains(' ') =>
            {
                self.bad(weight, format!("{field} is {word}"));
            }
            Value::String(text) if is_error(key) && !means_no_error(text) => {
                self.bad(weight, format!("{field}: {text}"));
            }
            Value::Object(error) if is_error(key) => {
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
                if GOOD_FLAGS.contains(&lower.as_str()) && number.as_i64() == Some(0) && !wants_none =>
            {
                self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field} is 0"));
            }
            Value::Number(_) if GOOD_FLAGS.contains(&lower.as_str()) => {}
            value if GOOD_FLAGS.contains(&lower.as_str()) => {
                let Some(flag) = read_flag(value) else { return };
                let verdict = if flag { Verdict::Ok } else { Verdict::Progressing };
                self.push(verdict, weight, format!("{field} is {flag}"));
            }
            Value::Bool(true) if BAD_FLAGS.contains(&lower.as_str()) => self.bad(weight, format!("{field} is true")),
            _ => {}
        }
    }

    /// Reads a fraction: `readyMembers` next to `members`, or `2/3`.
    fn share(&mut self, key: &str, field: &str, value: &Value, siblings: &Map<String, Value>, weight: SignWeight) {
        let (actual, wanted) = match value {
            Value::Number(_) if WELL.contains(&key) => {
                (whole_number(value), WANTED.iter().find_map(|wanted| siblings.get(*wanted).and_then(whole_number)))
            }
            Value::Number(_) => {
                let Some((prefix, rest)) = counted_parts(key).filter(|(_, rest)| !is_quantity(rest)) else { return };
                // `currentNodes` is only meaningful compared to `desiredNodes`, not to `nodes`.
                let plain = (prefix != "current").then(|| with_lowercase_initial(&rest));
                let before = ["desired", "expected", "wanted", "total", "number"].map(|of| format!("{of}{rest}"));
                let behind = ["Desired", "Expected", "Wanted", "Total", "Count"]
                    .map(|of| format!("{}{of}", with_lowercase_initial(&rest)));
                let wanted = before.into_iter().chain(plain).chain(behind);
                (whole_number(value), wanted.into_iter().find_map(|name| count_of(siblings.get(&name)?)))
            }
            Value::String(text) => {
                let Some((actual, wanted)) = text.split_once('/') else { return };
                (actual.parse().ok(), wanted.parse().ok())
            }
            _ => return,
        };
        let wants_none = || WANTED.iter().any(|wanted| siblings.get(*wanted).and_then(whole_number) == Some(0));
        // None is ready, and nothing says that none should be.
        if (actual, wanted) == (Some(0), None) && counts_usable(key) && !wants_none() {
            return self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field} is 0"));
        }
        let (Some(actual), Some(wanted)) = (actual, wanted) else { return };
        // A complete count does not imply that the rest of the object is healthy.
        if actual >= wanted && WELL.contains(&key) {
            return;
        }
        let verdict = if actual < wanted { Verdict::Progressing } else { Verdict::Ok };
        // Missing replicas affect the object as a whole; the progress of a task does not.
        let is_short = actual < wanted && value.is_number() && field.matches('.').count() <= 1;
        let weight = if is_short && weight == SignWeight::Aside { SignWeight::Deciding } else { weight };
        self.push(verdict, weight, format!("{field} is {actual} of {wanted}"));
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

    fn push(&mut self, verdict: Verdict, weight: SignWeight, message: String) {
        self.signs.push(StatusSign { verdict, weight, since: None, message });
    }

    /// Compares desired and actual counts.
    pub(super) fn check_counts(&mut self, any: &GenericObject) {
        let number = |path: &str| {
            let (root, path) = path.split_once('.')?;
            let root = if root == "spec" { &any.spec } else { &any.status };
            path.split('.').try_fold(root, |value, key| value.get(key)).and_then(whole_number)
        };
        let listed = self.about.convention.counts.iter().map(|(wanted, actual)| (wanted.as_str(), actual.as_str()));
        let pairs: Vec<_> = listed.chain(COUNTS).collect();
        let mut agree = false;
        let is_decided = self.signs.iter().any(|sign| sign.weight == SignWeight::Deciding);
        for (wanted_at, actual_at) in pairs {
            // Counts of zero are often omitted.
            let (Some(wanted), actual) = (number(wanted_at), number(actual_at)) else { continue };
            let Some(actual) = actual.or_else(|| (!is_decided && absent_means_zero(any, actual_at)).then_some(0))
            else {
                continue;
            };
            if actual < wanted {
                self.push(Verdict::Progressing, SignWeight::Deciding, format!("{actual_at} is {actual} of {wanted}"));
            } else {
                agree = true;
            }
        }
        if let Some(unavailable) = number("status.unavailableReplicas").filter(|number| *number > 0) {
            self.push(Verdict::Progressing, SignWeight::Deciding, format!("{unavailable} replicas are unavailable"));
        }
        if agree && self.signs.is_empty() {
            self.push(Verdict::Ok, SignWeight::Deciding, "as many replicas as there should be".to_owned());
        }
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
        let found = status.get("conditions").map(conditions::read).unwrap_or_default();
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

    /// Checks recurring runs whose last attempt did not succeed.
    pub(super) fn check_runs(&mut self, status: &Value) {
        let time = |field: &str| status.get(field).and_then(Value::as_str)?.parse::<Timestamp>().ok();
        let is_active = status.get("active").and_then(Value::as_array).is_some_and(|active| !active.is_empty());
        for (tried_at, succeeded_at) in &self.about.convention.runs {
            let (tried, succeeded) = (time(tried_at), time(succeeded_at));
            let message = format!("{succeeded_at} is older than {tried_at}");
            match tried {
                _ if is_active => self.push(Verdict::Progressing, SignWeight::Deciding, "it is running".to_owned()),
                Some(tried) if succeeded.is_none_or(|succeeded| succeeded < tried) => {
                    self.bad(SignWeight::Deciding, message)
                }
                _ => self.push(Verdict::Ok, SignWeight::Deciding, String::new()),
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

/// Pairs of fields with the desired and the actual replicas.
const COUNTS: [(&str, &str); 11] = [
    ("spec.replicas", "status.readyReplicas"),
    ("spec.replicas", "status.availableReplicas"),
    ("spec.replicas", "status.updatedReplicas"),
    ("spec.size", "status.readyReplicas"),
    ("spec.instances", "status.readyInstances"),
    ("spec.instances", "status.instances"),
    ("status.replicas", "status.upToDateNodes"),
    ("status.desiredNumberScheduled", "status.numberReady"),
    ("status.desiredNumberScheduled", "status.updatedNumberScheduled"),
    ("status.desiredHealthy", "status.currentHealthy"),
    ("status.desiredReplicas", "status.readyReplicas"),
];

/// Returns true if a state field describes its object as a whole: `phase`, `terminalState`.
fn describes_whole_object(field: &str) -> bool {
    let words = tokens(field);
    let is_final = |word: &String| ["overall", "terminal", "final"].contains(&word.as_str());
    words.len() == 1 || words.first().is_some_and(is_final)
}

/// Prefixes of fields that count healthy parts.
const WELL: [&str; 5] = ["ready", "available", "updated", "healthy", "running"];
/// Returns true for the names of fields that count usable parts: `readyClusters`, `availableNodes`.
fn counts_usable(key: &str) -> bool {
    let is_usable = |prefix: &str| ["ready", "available", "healthy"].contains(&prefix);
    counted_parts(key).is_some_and(|(prefix, rest)| is_usable(prefix) && !rest.contains("Replicas"))
}

/// Splits the name of a field that counts parts: `readyMembers` and `membersReady` into `ready` and `Members`.
fn counted_parts(key: &str) -> Option<(&'static str, String)> {
    let starts_upper = |text: &str| text.starts_with(|letter: char| letter.is_ascii_uppercase());
    let before = || {
        let prefix = WELL.into_iter().chain(["current"]).find(|prefix| key.starts_with(prefix))?;
        Some((prefix, key.strip_prefix(prefix)?.to_owned())).filter(|(_, rest)| starts_upper(rest))
    };
    let behind = || {
        WELL.into_iter().find_map(|suffix| {
            let at = key.len().checked_sub(suffix.len()).filter(|at| *at > 0 && key.is_char_boundary(*at))?;
            let (rest, end) = key.split_at(at);
            let is_suffix = starts_upper(end) && end.eq_ignore_ascii_case(suffix);
            let mut letters = rest.chars();
            let first = letters.next()?.to_ascii_uppercase();
            is_suffix.then(|| (suffix, std::iter::once(first).chain(letters).collect()))
        })
    };
    before().or_else(behind)
}

/// Returns true if a field is there, in every item of the lists on the way.
fn has_field(value: &Value, path: &[&str]) -> bool {
    match (value, path) {
        (Value::Array(items), [_, ..]) => items.iter().all(|item| has_field(item, path)),
        (_, [key, rest @ ..]) => value.get(key).is_some_and(|value| has_field(value, rest)),
        (_, []) => !is_empty(value),
    }
}

/// Returns true for quantities of which some is always used, such as `bytesAvailable`.
fn is_quantity(name: &str) -> bool {
    const QUANTITIES: [&str; 8] = ["bytes", "capacity", "cpu", "disk", "memory", "quota", "space", "storage"];
    tokens(name).iter().any(|token| QUANTITIES.contains(&token.as_str()))
}

/// Returns a count: a number, or the length of a list.
fn count_of(value: &Value) -> Option<i64> {
    whole_number(value).or_else(|| i64::try_from(value.as_array()?.len()).ok())
}

/// Fields that count desired parts.
const WANTED: [&str; 8] = ["desired", "expected", "wanted", "total", "replicas", "size", "members", "instances"];

/// Returns true if a field maps each of several things to a state: `allocatedResourceStatuses`.
fn is_state_of_each(key: &str) -> bool {
    tokens(key).last().is_some_and(|last| ["statuses", "states", "phases"].contains(&last.as_str()))
}

/// Returns true if an absent count means zero because its sibling fields are present.
fn absent_means_zero(any: &GenericObject, path: &str) -> bool {
    path == "status.readyReplicas" && any.status.get("replicas").is_some()
}

/// Returns true if a field contains the cause of a failure: `error`, `failureMessage`, `lastSyncError`.
fn is_error(key: &str) -> bool {
    let words = tokens(key);
    ERROR_FIELDS.contains(&key.to_lowercase().as_str())
        || words.first().is_some_and(|first| first == "last") && words.last().is_some_and(|last| last == "error")
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

fn is_past(key: &str, value: &Value) -> bool {
    let words = tokens(key);
    // A string describes the current state of a log or an event bus; a list of them describes the past.
    if value.is_string() && !words.iter().any(|token| ASKED_OR_PAST.contains(&token.as_str())) {
        return false;
    }
    // The health of a target is its current health.
    let is_health = words.last().is_some_and(|last| last == "health");
    // A list of backups is a history; an object describes the backups as they are now.
    let known: &[&str] = if value.is_object() { ASKED_OR_PAST } else { &NOT_NOW };
    key == "lastState" || !is_health && words.iter().any(|token| known.contains(&token.as_str()))
}

/// Returns a name with its first letter in lower case, as in field names.
fn with_lowercase_initial(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
