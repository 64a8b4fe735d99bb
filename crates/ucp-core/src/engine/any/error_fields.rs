//! Fields with the cause of a failure, by their names: `error`, `lastErrorMessage`, `syncError`, `fault`.

use serde_json::Value;

use super::field_names::FieldName;
use super::hints::{is_setting, read_time};
use super::sign::SignWeight;
use super::states::{StatusSearch, short_text};
use crate::model::body::any::whole_number;
use crate::model::comparison::is_empty;
use crate::model::verdict::Verdict;

/// Words for a failure in the names of fields with its cause.
const ERRORS: [&str; 10] =
    ["err", "error", "errors", "errmsg", "failure", "failures", "failed", "fail", "exception", "exceptions"];
/// Words for something wrong that may not affect the object as a whole.
const PROBLEMS: [&str; 18] = [
    "fault",
    "faults",
    "problem",
    "problems",
    "incident",
    "incidents",
    "trouble",
    "troubles",
    "malfunction",
    "malfunctions",
    "panic",
    "panics",
    "anomaly",
    "anomalies",
    "outage",
    "outages",
    "traceback",
    "stacktrace",
];
/// Words behind those, for the text itself.
const TEXTS: [&str; 17] = [
    "message",
    "messages",
    "msg",
    "text",
    "reason",
    "reasons",
    "detail",
    "details",
    "info",
    "information",
    "description",
    "desc",
    "cause",
    "string",
    "summary",
    "code",
    "trace",
];
/// Words behind those, for the things that the causes belong to: `errorsByNode`.
const RELATIONS: [&str; 4] = ["by", "per", "of", "for"];

/// The subject of a field with the cause of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CauseField {
    /// A failure of the object.
    Error,
    /// A problem that its controller may tolerate.
    Problem,
}

impl StatusSearch<'_> {
    /// Reads the cause of a failure. Returns true if the field is for one.
    pub(super) fn read_error(&mut self, name: &FieldName<'_>, field: &str, value: &Value, weight: SignWeight) -> bool {
        let Some(cause) = cause_field(name) else { return false };
        let text = match value {
            Value::String(text) if read_time(value).is_none() && whole_number(value).is_none() => text.clone(),
            Value::Object(error) => match error.get("message") {
                Some(message) => message.as_str().unwrap_or_default().to_owned(),
                None if error.values().all(means_nothing) => String::new(),
                None => value.to_string(),
            },
            Value::Array(errors) if name.key.eq_ignore_ascii_case("errors") || cause == CauseField::Problem => {
                match errors.len() {
                    0 => String::new(),
                    number => format!("lists {number}"),
                }
            }
            _ => return false,
        };
        if means_no_error(&text) {
            return true;
        }
        let message = if value.is_array() { format!("{field} {text}") } else { format!("{field}: {text}") };
        match cause {
            CauseField::Error => self.push(Verdict::Failed, weight, message),
            CauseField::Problem => self.doubt(format!("{field}: {}", short_text(value))),
        }
        true
    }
}

/// Returns the cause that a field is for: a word for a failure at the end of its name, or with a word for its text behind.
fn cause_field(name: &FieldName<'_>) -> Option<CauseField> {
    let is_cause = |word: &String| ERRORS.contains(&word.as_str()) || PROBLEMS.contains(&word.as_str());
    if name.words.ends_with(&["stack", "trace"].map(str::to_owned)) {
        return Some(CauseField::Problem);
    }
    let at = name.words.iter().rposition(is_cause)?;
    let (stem, behind) = name.words[at..].split_first()?;
    let is_text = behind.iter().all(|word| TEXTS.contains(&word.as_str()));
    let is_of_each = behind.first().is_some_and(|word| RELATIONS.contains(&word.as_str()));
    // `failed` alone is a flag, a count, or a list.
    let is_alone = ["failed", "fail"].contains(&stem.as_str()) && behind.is_empty();
    let is_error = ERRORS.contains(&stem.as_str());
    (!is_alone && (is_text || is_of_each) && !is_setting(&name.words)).then_some(if is_error {
        CauseField::Error
    } else {
        CauseField::Problem
    })
}

/// Returns true for texts that mean no error: `None`, `N/A`, `-`.
fn means_no_error(text: &str) -> bool {
    const NO_ERROR: [&str; 16] = [
        "",
        "none",
        "null",
        "nil",
        "false",
        "ok",
        "no",
        "n/a",
        "na",
        "not applicable",
        "nothing",
        "no error",
        "no errors",
        "no failure",
        "success",
        "0",
    ];
    let plain = text.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    NO_ERROR.contains(&plain.as_str())
}

/// Returns true for a count of zero, and for a text that means no problem.
pub(super) fn means_nothing(value: &Value) -> bool {
    is_empty(value) || whole_number(value) == Some(0) || value == false || value.as_str().is_some_and(means_no_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_fields_are_recognized_by_their_names() {
        let cause = |key: &str| cause_field(&FieldName::parse(key));
        for key in [
            "error",
            "errors",
            "lastError",
            "last_error",
            "lastErrorMessage",
            "errMsg",
            "errorDetail",
            "syncError",
            "reconcileErrorMsg",
            "failureReason",
            "failedReason",
            "lastFailure",
            "errorsByNode",
            "errorInfo",
        ] {
            assert_eq!(cause(key), Some(CauseField::Error), "{key}");
        }
        for key in ["fault", "faults", "problem", "incidents", "lastProblemDetails", "rootProblem", "stackTrace"] {
            assert_eq!(cause(key), Some(CauseField::Problem), "{key}");
        }
        for key in [
            "failureDomain",
            "failurePolicy",
            "errorHash",
            "errorPages",
            "onError",
            "ignoreErrors",
            "failed",
            "faultTolerance",
            "lastErrorTime",
            "errorBudget",
            "terror",
            "maxErrors",
        ] {
            assert_eq!(cause(key), None, "{key}");
        }
    }

    #[test]
    fn texts_that_mean_no_error_are_recognized() {
        for text in ["", " ", "None", "<none>", "N/A", "-", "--", "OK.", "no errors", "null"] {
            assert!(means_no_error(text), "{text}");
        }
        assert!(!means_no_error("disk full") && !means_no_error("nonesuch"));
    }
}
