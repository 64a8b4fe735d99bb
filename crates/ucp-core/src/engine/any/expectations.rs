//! What the table of conventions expects of a kind: labels, conditions and fields that must be there, or must not.

use serde_json::Value;

use super::condition;
use super::sentences::describes_failure;
use super::sign::SignWeight;
use super::states::StatusSearch;
use crate::model::body::any::whole_number;
use crate::model::comparison::is_empty;
use crate::model::metadata::Metadata;
use crate::model::verdict::Verdict;

impl StatusSearch<'_> {
    /// Reads the labels that contain a state.
    pub(super) fn check_labels(&mut self, metadata: &Metadata) {
        for (label, words) in &self.about.convention.labels {
            if let Some(word) = metadata.label(label) {
                let verdict = words.verdict(word).unwrap_or(Verdict::Unknown);
                self.push(verdict, SignWeight::Doubt, format!("label {label} is {word}"));
            }
        }
    }

    /// Checks the conditions that must be present: those of the table, and those of crossplane-runtime, whose kinds are not
    /// known to be of Crossplane without their definitions.
    pub(super) fn check_awaited_conditions(&mut self, spec: &Value, status: &Value) {
        let found = status.get("conditions").map(condition::read).unwrap_or_default();
        let is_managed = !found.is_empty() && spec.get("forProvider").is_some();
        let of_runtime = ["Synced", "Ready"].into_iter().filter(|_| is_managed);
        for kind in self.about.convention.awaits.iter().map(String::as_str).chain(of_runtime) {
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

/// Returns true if a field is there, in every item of the lists on the way.
fn has_field(value: &Value, path: &[&str]) -> bool {
    match (value, path) {
        (Value::Array(items), [_, ..]) => items.iter().all(|item| has_field(item, path)),
        (_, [key, rest @ ..]) => value.get(key).is_some_and(|value| has_field(value, rest)),
        (_, []) => !is_empty(value),
    }
}
