//! Texts, lists, and pairs of fields beside a state that cast doubt on it: `message: failed to reach backend`,
//! `notReady: [a]`, `desiredNodes: 5` next to `activeNodes: 2`, and a parent that no controller has reported on.

use serde_json::{Map, Value};

use super::sentences::reports_failure;
use super::states::{StatusSearch, short_text};
use super::words::tokens;
use crate::model::body::any::whole_number;

/// Fields of a status with a text for people.
const EXPLANATIONS: [&str; 6] = ["message", "details", "detail", "summary", "problem", "description"];

impl StatusSearch<'_> {
    /// Reads what stands beside the state of an object: `fields` are those of its status.
    pub(super) fn check_doubts(&mut self, fields: &Map<String, Value>) {
        for (key, value) in fields {
            if let Some(text) =
                value.as_str().filter(|text| EXPLANATIONS.contains(&key.as_str()) && reports_failure(text))
            {
                self.doubt(format!("{key}: {text}"));
            }
            let words = tokens(key);
            self.check_progress(key, &words, value);
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

    /// Reads `progressPercent: 40`.
    fn check_progress(&mut self, key: &str, words: &[String], value: &Value) {
        let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        if has(&["progress"])
            && has(&["percent", "percentage", "pct"])
            && let Some(number) = whole_number(value).filter(|number| *number < 100)
        {
            self.doubt(format!("{key} is {number}"));
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
            let differs = match (whole_number(wanted), whole_number(actual)) {
                (Some(wanted), Some(actual)) => actual < wanted,
                _ => wanted.is_string() && actual.is_string() && wanted != actual,
            };
            if differs {
                self.doubt(format!("{name} is {}, and {key} is {}", short_text(actual), short_text(wanted)));
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
