//! What the name of a field says about its value: whether it is of the present, of the past, or of the last attempt.

use serde_json::Value;

use super::words::tokens;

/// Words in the names of fields that describe the past.
const PAST: [&str; 9] =
    ["previous", "past", "old", "history", "histories", "earliest", "oldest", "attempts", "timestamps"];
/// Last words of the names of lists of the past. Other words after them are of the present: `eventSources`.
const LISTS_OF_THE_PAST: [&str; 4] = ["event", "events", "log", "logs"];
/// Words in the names of fields that describe the desired state, or parts that may be of the past.
const PLANNED: [&str; 8] = ["desired", "target", "expected", "wanted", "initial", "backups", "snapshots", "revisions"];
/// The subset of [`PLANNED`] that also applies to fields with a single string.
const ASKED: &[&str] = &["desired", "target", "expected", "wanted", "initial"];

/// The time that a field describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldTense {
    /// The present.
    Present,
    /// The desired state, or parts of which some are of the past: only a failure in it is meaningful.
    Planned,
    /// The past.
    Past,
}

/// The name of a field, which most of the rules read.
pub(super) struct FieldName<'a> {
    pub(super) key: &'a str,
    pub(super) words: Vec<String>,
}

impl<'a> FieldName<'a> {
    pub(super) fn parse(key: &'a str) -> Self {
        Self { key, words: tokens(key) }
    }

    pub(super) fn last(&self) -> &str {
        self.words.last().map_or("", String::as_str)
    }

    /// Returns true for the names of several things: `nodes`, but not `status`.
    pub(super) fn is_plural(&self) -> bool {
        is_plural(self.last())
    }
}

/// Returns true for a word for several things.
pub(super) fn is_plural(word: &str) -> bool {
    word.len() > 3 && word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end))
}

/// Returns the time that a field describes, by its name.
pub(super) fn tense(name: &FieldName<'_>, value: &Value) -> FieldTense {
    let has = |known: &[&str]| name.words.iter().any(|word| known.contains(&word.as_str()));
    let last = name.last();
    // A string describes the current state of a log or an event bus; a list of them describes the past.
    let is_list_of_the_past = !value.is_string() && LISTS_OF_THE_PAST.contains(&last);
    match value {
        // The health of a target is its current health.
        _ if last == "health" => FieldTense::Present,
        _ if name.key == "lastState" || has(&PAST) || is_list_of_the_past && !value.is_object() => FieldTense::Past,
        // Counts of parts: `revisions: {total: 2, ready: 1}`.
        Value::Object(counts) if !has(ASKED) && counts.values().any(Value::is_number) => FieldTense::Present,
        Value::Object(_) | Value::Array(_) if has(&PLANNED) => FieldTense::Planned,
        _ if has(ASKED) => FieldTense::Past,
        _ => FieldTense::Present,
    }
}

/// Returns true if a field describes the last attempt: `lastOperation`, but not `lastState`, the state of a container
/// before its restart.
pub(super) fn is_last_attempt(key: &str) -> bool {
    key.starts_with("last")
}

/// Fields of a status with a text for people.
pub(super) const EXPLANATIONS: [&str; 13] = [
    "message",
    "messages",
    "msg",
    "text",
    "details",
    "detail",
    "summary",
    "problem",
    "description",
    "info",
    "information",
    "explanation",
    "cause",
];

/// Returns true for the names of fields with a text for people, or with the output of a program.
pub(super) fn is_text(key: &str) -> bool {
    const OUTPUTS: [&str; 5] = ["log", "logs", "output", "stderr", "stdout"];
    tokens(key).last().is_some_and(|last| EXPLANATIONS.contains(&last.as_str()) || OUTPUTS.contains(&last.as_str()))
}
