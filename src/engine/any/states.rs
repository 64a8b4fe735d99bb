//! States that stand in texts, booleans and numbers of a status: `phase: Running`, `health: green`, `ready: false`,
//! `readyReplicas: 2` of three.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::conditions::{self, About};
use super::convention::running;
use super::hints::{flag, hint};
use super::words::{Meaning, meaning, meaning_of_sentence, tells_of_failure, tokens};
use super::{Sign, Weight};
use crate::model::body::any::{Any, whole_number};
use crate::model::comparison::is_empty;
use crate::model::convention::{Running, Words};
use crate::model::verdict::Verdict;

/// Deeper than this nobody looks.
const DEEPEST: usize = 6;

/// Longer than this is an explanation, and no state.
const LONGEST_STATE: usize = 80;

/// The last words of fields that hold a state.
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
/// Fields that hold the cause of a failure, and are absent where there is none.
const ERROR_FIELDS: [&str; 8] =
    ["error", "errors", "errormessage", "failurereason", "failuremessage", "failure", "errorcode", "errordetails"];
/// Booleans that say that all is well.
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
/// Booleans that say that something is wrong.
const BAD_FLAGS: [&str; 5] = ["failed", "degraded", "unhealthy", "error", "invalid"];
/// Words in the name of a field that speaks of the past, or of what was asked for.
const NOT_NOW: [&str; 20] = [
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
];

/// Looks through a status.
pub(super) struct Search<'a> {
    pub(super) about: About<'a>,
    pub(super) signs: Vec<Sign>,
}

impl Search<'_> {
    /// Reads one level of a status; `path` is dotted from the status.
    pub(super) fn object(&mut self, value: &Value, path: &str, depth: usize) {
        let Value::Object(fields) = value else { return };
        let here = match depth {
            0 => Weight::Deciding,
            _ if path.split('.').any(is_last) => Weight::Last,
            _ => Weight::Aside,
        };
        for (key, value) in fields {
            let field = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let before = self.signs.len();
            if let Some(words) = self.about.convention.states.get(&field) {
                self.listed(&field, value, words);
                self.explain(before, fields);
                continue;
            }
            let is_listed_below =
                || self.about.convention.states.keys().any(|path| path.starts_with(&format!("{field}.")));
            if self.about.convention.ignored.contains(&field) || is_past(key) && !is_listed_below() {
                continue;
            }
            let weight = if is_last(key) { Weight::Last } else { here };
            if tokens(key).last().is_some_and(|last| last == "conditions") {
                let found = conditions::read(value);
                let signs = conditions::signs(&found, &self.about);
                self.signs.extend(
                    signs
                        .into_iter()
                        .filter(|sign| depth == 0 || sign.weight != Weight::Aside)
                        .map(|sign| Sign { weight: if depth == 0 { sign.weight } else { Weight::Aside }, ..sign }),
                );
                continue;
            }
            self.field(key, &field, value, weight);
            if self.signs.len() == before
                && let Some((verdict, words)) = hint(key, value, fields)
            {
                self.push(verdict, Weight::Last, format!("{field} {words}"));
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
            Value::Array(items) => items.iter().for_each(|item| self.object(item, field, depth + 1)),
            _ => {}
        }
    }

    /// Adds what stands beside a state that is not well: `message`, or `reason`.
    fn explain(&mut self, before: usize, beside: &Map<String, Value>) {
        let text = |key: &str| beside.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty());
        let Some(words) = text("message").or_else(|| text("reason")) else { return };
        for sign in self.signs[before..].iter_mut().filter(|sign| sign.verdict != Verdict::Ok) {
            if !sign.message.contains(words) {
                sign.message = format!("{}: {words}", sign.message);
            }
        }
    }

    /// A field that the table speaks of.
    fn listed(&mut self, field: &str, value: &Value, words: &Words) {
        let word = match value {
            Value::String(word) => word.clone(),
            Value::Bool(flag) => flag.to_string(),
            _ => return,
        };
        let sign = match words.verdict(&word) {
            Some(verdict) => {
                Sign { verdict, weight: Weight::Deciding, since: None, message: format!("{field} is {word}") }
            }
            None => self.word(field, &word, Weight::Deciding),
        };
        self.signs.push(sign);
    }

    fn field(&mut self, key: &str, field: &str, value: &Value, weight: Weight) {
        let lower = key.to_lowercase();
        let is_state = tokens(key).last().is_some_and(|last| STATE_FIELDS.contains(&last.as_str()));
        match value {
            Value::String(word) if is_state && !word.is_empty() && word.len() <= LONGEST_STATE => {
                let sign = self.word(field, word, weight);
                self.signs.push(sign);
            }
            // Why a container waits, and the like; a reason of a failure only.
            Value::String(word) if lower == "reason" && meaning(word) == Some(Meaning::Bad) && !word.contains(' ') => {
                self.bad(weight, format!("{field} is {word}"));
            }
            Value::String(text) if is_error(key) && !is_nothing(text) => {
                self.bad(weight, format!("{field}: {text}"));
            }
            Value::Object(error) if is_error(key) => {
                let text = error.get("message").and_then(Value::as_str).unwrap_or_default();
                if !is_nothing(text) {
                    self.bad(weight, format!("{field}: {text}"));
                }
            }
            Value::Array(errors) if lower == "errors" && !errors.is_empty() => {
                self.bad(weight, format!("{field} lists {}", errors.len()));
            }
            value if GOOD_FLAGS.contains(&lower.as_str()) => {
                let Some(flag) = flag(value) else { return };
                let verdict = if flag { Verdict::Ok } else { Verdict::Progressing };
                self.push(verdict, weight, format!("{field} is {flag}"));
            }
            Value::Bool(true) if BAD_FLAGS.contains(&lower.as_str()) => self.bad(weight, format!("{field} is true")),
            _ => {}
        }
    }

    /// A share of a whole: `readyMembers` beside `members`, or `2/3`.
    fn share(&mut self, key: &str, field: &str, value: &Value, siblings: &Map<String, Value>, weight: Weight) {
        let (actual, wanted) = match value {
            Value::Number(_) => {
                let rest = ["ready", "available", "updated"].iter().find_map(|prefix| key.strip_prefix(prefix));
                let Some(rest) = rest.filter(|rest| rest.starts_with(char::is_uppercase)) else { return };
                (whole_number(value), siblings.get(&(rest[..1].to_lowercase() + &rest[1..])).and_then(whole_number))
            }
            Value::String(text) => {
                let Some((actual, wanted)) = text.split_once('/') else { return };
                (actual.parse().ok(), wanted.parse().ok())
            }
            _ => return,
        };
        let (Some(actual), Some(wanted)) = (actual, wanted) else { return };
        let verdict = if actual < wanted { Verdict::Progressing } else { Verdict::Ok };
        // Replicas that are missing are missing, whatever else is said; progress of a task is its own affair.
        let is_short = actual < wanted && value.is_number() && field.matches('.').count() <= 1;
        let weight = if is_short && weight == Weight::Aside { Weight::Deciding } else { weight };
        self.push(verdict, weight, format!("{field} is {actual} of {wanted}"));
    }

    fn word(&self, field: &str, word: &str, weight: Weight) -> Sign {
        let said = if word.contains(' ') { meaning_of_sentence(word) } else { meaning(word) };
        let runs = tokens(word).iter().any(|token| ["running", "active", "started", "run"].contains(&token.as_str()));
        let verdict = match said {
            Some(Meaning::Bad) => Verdict::Failed,
            Some(Meaning::Human) => Verdict::NeedsHuman,
            Some(Meaning::Paused) => Verdict::Paused,
            Some(Meaning::Progress) => Verdict::Progressing,
            Some(Meaning::Good) if runs && running(self.about.convention, self.about.kind) == Running::Progress => {
                Verdict::Progressing
            }
            Some(Meaning::Good | Meaning::Done) => Verdict::Ok,
            None => Verdict::Unknown,
        };
        let weight = match said {
            Some(Meaning::Done) if weight == Weight::Deciding => Weight::Final,
            _ => weight,
        };
        Sign { verdict, weight, since: None, message: format!("{field} is {word}") }
    }

    fn bad(&mut self, weight: Weight, message: String) {
        self.push(Verdict::Failed, weight, message);
    }

    fn push(&mut self, verdict: Verdict, weight: Weight, message: String) {
        self.signs.push(Sign { verdict, weight, since: None, message });
    }

    /// Numbers that do not add up.
    pub(super) fn counts(&mut self, any: &Any) {
        let number = |path: &str| {
            let (root, path) = path.split_once('.')?;
            let root = if root == "spec" { &any.spec } else { &any.status };
            path.split('.').try_fold(root, |value, key| value.get(key)).and_then(whole_number)
        };
        let listed = self.about.convention.counts.iter().map(|(wanted, actual)| (wanted.as_str(), actual.as_str()));
        let pairs: Vec<_> = listed.chain(COUNTS).collect();
        let mut agree = false;
        let is_decided = self.signs.iter().any(|sign| sign.weight == Weight::Deciding);
        for (wanted_at, actual_at) in pairs {
            // A count of nothing is often left out.
            let (Some(wanted), actual) = (number(wanted_at), number(actual_at)) else { continue };
            let Some(actual) = actual.or_else(|| (!is_decided && counted(any, actual_at)).then_some(0)) else {
                continue;
            };
            if actual < wanted {
                self.push(Verdict::Progressing, Weight::Deciding, format!("{actual_at} is {actual} of {wanted}"));
            } else {
                agree = true;
            }
        }
        if let Some(unavailable) = number("status.unavailableReplicas").filter(|number| *number > 0) {
            self.push(Verdict::Progressing, Weight::Deciding, format!("{unavailable} replicas are unavailable"));
        }
        if agree && self.signs.is_empty() {
            self.push(Verdict::Ok, Weight::Deciding, "as many replicas as there should be".to_owned());
        }
    }

    /// Fields that have to be there.
    pub(super) fn required(&mut self, status: &Value) {
        for path in &self.about.convention.required {
            let found = path.split('.').try_fold(status, |value, key| value.get(key));
            if found.is_some_and(|value| !is_empty(value)) {
                self.push(Verdict::Ok, Weight::Deciding, format!("{path} is there"));
            } else {
                self.push(Verdict::Progressing, Weight::Deciding, format!("{path} is not there yet"));
            }
        }
    }

    /// Fields that should hold nothing.
    pub(super) fn none(&mut self, status: &Value) {
        for path in &self.about.convention.none {
            let number = match path.split('.').try_fold(status, |value, key| value.get(key)) {
                Some(Value::Array(items)) => i64::try_from(items.len()).unwrap_or(i64::MAX),
                Some(value) => whole_number(value).unwrap_or_default(),
                None => continue,
            };
            match number {
                ..=0 => self.push(Verdict::Ok, Weight::Deciding, String::new()),
                number => self.bad(Weight::Deciding, format!("{path} is {number}")),
            }
        }
    }

    /// Something that is done again and again, and did not succeed the last time.
    pub(super) fn runs(&mut self, status: &Value) {
        let time = |field: &str| status.get(field).and_then(Value::as_str)?.parse::<Timestamp>().ok();
        let is_active = status.get("active").and_then(Value::as_array).is_some_and(|active| !active.is_empty());
        for (tried_at, succeeded_at) in &self.about.convention.runs {
            let (tried, succeeded) = (time(tried_at), time(succeeded_at));
            let message = format!("{succeeded_at} is older than {tried_at}");
            match tried {
                _ if is_active => self.push(Verdict::Progressing, Weight::Deciding, "it is running".to_owned()),
                Some(tried) if succeeded.is_none_or(|succeeded| succeeded < tried) => {
                    self.bad(Weight::Deciding, message)
                }
                _ => self.push(Verdict::Ok, Weight::Deciding, String::new()),
            }
        }
    }

    /// Where nothing else is said: a sentence that tells of a failure.
    pub(super) fn sentence(&mut self, status: &Value) {
        for (key, value) in status.as_object().into_iter().flatten() {
            if let Some(text) = value.as_str().filter(|text| tells_of_failure(text)) {
                self.bad(Weight::Deciding, format!("{key}: {text}"));
            }
        }
    }
}

/// Where replicas are counted: those that should be, and those that are.
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

/// Whether a count that is absent stands for nothing: its siblings are there.
fn counted(any: &Any, path: &str) -> bool {
    path == "status.readyReplicas" && any.status.get("replicas").is_some()
}

/// Whether a field holds the cause of a failure: `error`, `failureMessage`, `lastSyncError`.
fn is_error(key: &str) -> bool {
    let words = tokens(key);
    ERROR_FIELDS.contains(&key.to_lowercase().as_str())
        || words.first().is_some_and(|first| first == "last") && words.last().is_some_and(|last| last == "error")
}

/// Ways to write that there is no error.
fn is_nothing(text: &str) -> bool {
    ["", "none", "null", "nil", "false", "ok", "no error"].contains(&text.trim().to_lowercase().as_str())
}

/// What was tried last: `lastOperation`, but not `lastState`, which is that of a container before this one.
fn is_last(key: &str) -> bool {
    key.starts_with("last")
}

fn is_past(key: &str) -> bool {
    let words = tokens(key);
    // The health of a target is that of now.
    let is_health = words.last().is_some_and(|last| last == "health");
    key == "lastState" || !is_health && words.iter().any(|token| NOT_NOW.contains(&token.as_str()))
}
