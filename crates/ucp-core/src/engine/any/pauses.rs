//! Fields, annotations, and labels that tell a controller to ignore an object.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::hints::{read_flag, read_time};
use super::words::tokens;
use crate::model::metadata::Metadata;

/// Ends of annotations and labels, with the values that pause.
const MARKS: [(&str, &[&str]); 18] = [
    ("/paused", &["true", ""]),
    ("/pauseReconciliation", &["true"]),
    ("/pause", &["true"]),
    ("/pause-reconcile", &["true"]),
    ("/pause-reconciliation", &["true"]),
    ("/reconcile-paused", &["true"]),
    ("/reconciliation-pause", &["true"]),
    ("/suspend", &["true"]),
    ("/suspended", &["true"]),
    ("/unmanaged", &["true"]),
    ("/managed", &["false"]),
    ("/reconcile", &["disabled", "suspended", "false"]),
    ("/skip-deploy", &["true"]),
    ("/skip-reconcile", &["true"]),
    ("/reconcile-policy", &["skip"]),
    ("-reconciliation-policy", &["skip"]),
    ("/hibernation", &["on"]),
    ("/reconciliationLoop", &["disabled"]),
];
/// Words of flags that pause when they are true.
const PAUSES: [&str; 15] = [
    "pause",
    "paused",
    "suspend",
    "suspended",
    "disabled",
    "stop",
    "stopped",
    "hibernate",
    "hibernated",
    "halt",
    "halted",
    "freeze",
    "frozen",
    "unmanaged",
    "cordoned",
];
/// Words of such flags that refer to the object, and not to a part of it.
const PAUSED: [&str; 6] = ["is", "reconcile", "reconciliation", "rollout", "schedule", "sync"];
/// Flags that pause when they are false.
const RUNS: [&str; 2] = ["active", "enabled"];
/// Words of the objects whose flags pause, too: `rollout.paused`.
const PAUSED_PARTS: [&str; 4] = ["reconciliation", "rollout", "schedule", "strategy"];
/// Modes and states in which a controller ignores an object.
const MODES: [&str; 3] = ["paused", "suspended", "unmanaged"];
/// States in which an object does not work.
const STATES: [&str; 6] = ["disabled", "halted", "hibernated", "off", "removed", "stopped"];

/// Returns the field, annotation, or label that tells a controller to ignore an object.
pub(in crate::engine) fn find_pause_mark(metadata: &Metadata, spec: &Value, now: Timestamp) -> Option<String> {
    let is_mark =
        |key: &str, value: &str| MARKS.iter().any(|(end, values)| key.ends_with(end) && values.contains(&value));
    let annotation = || metadata.annotations.iter().find(|(key, value)| is_mark(key, value));
    let label = || metadata.labels.iter().find(|(key, value)| is_mark(key, value));
    spec.as_object()
        .and_then(|fields| pausing_field(fields, now))
        .map(|words| format!("spec.{words}"))
        .or_else(|| annotation().map(|(key, value)| format!("annotation {key} is {value}")))
        .or_else(|| label().map(|(key, value)| format!("label {key} is {value}")))
}

fn pausing_field(fields: &Map<String, Value>, now: Timestamp) -> Option<String> {
    fields.iter().find_map(|(key, value)| {
        let words = tokens(key);
        match value {
            Value::Object(below) if words.iter().any(|word| PAUSED_PARTS.contains(&word.as_str())) => {
                let paused = |below: &Map<String, Value>| below.get("paused").and_then(read_flag) == Some(true);
                let rolling = below.get("rollingUpdate").and_then(Value::as_object);
                (paused(below) || rolling.is_some_and(paused)).then(|| format!("{key}.paused is true"))
            }
            Value::String(word) if names_mode(&words, word) => Some(format!("{key} is {word}")),
            value if words == ["paused", "until"] => {
                let ends_later = read_time(value).is_some_and(|end| end > now);
                (ends_later || read_flag(value) == Some(true)).then(|| format!("{key} is {value}"))
            }
            value => match read_flag(value)? {
                true => names_pause(&words).then(|| format!("{key} is true")),
                false => RUNS.contains(&key.as_str()).then(|| format!("{key} is false")),
            },
        }
    })
}

/// Returns true for the words of flags such as `paused` and `pauseReconciliation`.
fn names_pause(words: &[String]) -> bool {
    let is = |known: &[&str], word: &String| known.contains(&word.as_str());
    words.iter().any(|word| is(&PAUSES, word)) && words.iter().all(|word| is(&PAUSES, word) || is(&PAUSED, word))
}

/// Returns true for `mode: Paused`, `powerState: Off` and the like.
fn names_mode(words: &[String], value: &str) -> bool {
    let is = |known: &[&str]| known.iter().any(|word| value.eq_ignore_ascii_case(word));
    match words {
        [.., last] if last == "state" => is(&MODES) || is(&STATES),
        [.., last] if last == "mode" => is(&MODES),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_declaration_that_pauses_is_found() {
        let mark = |spec: Value| find_pause_mark(&Metadata::default(), &spec, "2026-11-20T09:00:00Z".parse().unwrap());
        for spec in [
            json!({"suspend": true}),
            json!({"disabled": true}),
            json!({"pauseReconciliation": "true"}),
            json!({"managementState": "unmanaged"}),
            json!({"managementState": "Removed"}),
            json!({"actuationMode": "Paused"}),
            json!({"powerState": "Off"}),
            json!({"rollout": {"paused": true}}),
            json!({"updateStrategy": {"rollingUpdate": {"paused": true}}}),
            json!({"pausedUntil": "2026-11-21T09:00:00Z"}),
            json!({"enabled": false}),
        ] {
            assert!(mark(spec.clone()).is_some(), "{spec}");
        }
        for spec in [
            json!({"suspend": false, "enabled": true}),
            json!({"mode": "disabled"}),
            json!({"backupsPaused": true}),
            json!({"pausedUntil": "2026-11-19T09:00:00Z"}),
            json!({"tls": {"enabled": false}}),
            json!({"backup": {"suspend": true}}),
        ] {
            assert_eq!(mark(spec.clone()), None, "{spec}");
        }
    }
}
