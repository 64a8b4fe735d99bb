//! Interprets fields by their names: counters of failures, exit codes, flags. Such fields may not describe the object
//! as a whole, so they count only if no other field does, and are never taken as OK.

use serde_json::{Map, Value};

use super::words::{WordMeaning, meaning, tokens};
use crate::model::body::any::whole_number;
use crate::model::comparison::is_empty;
use crate::model::verdict::Verdict;

/// Prefixes of words that count failures.
const WRONG: [&str; 8] = ["fail", "err", "unhealth", "degrad", "crash", "unreachable", "lost", "broken"];
/// Words in the names of settings, whose numbers and flags are not states.
const SETTINGS: [&str; 24] = [
    "limit",
    "max",
    "min",
    "threshold",
    "timeout",
    "deadline",
    "seconds",
    "minutes",
    "time",
    "at",
    "after",
    "budget",
    "policy",
    "on",
    "if",
    "allow",
    "allowed",
    "ignore",
    "ignored",
    "ignores",
    "enabled",
    "enable",
    "retry",
    "history",
];
/// One-time steps. A flag for such a step that is false means that the step is in progress.
const STEPS: [&str; 16] = [
    "provisioned",
    "created",
    "applied",
    "bound",
    "accepted",
    "installed",
    "reconciled",
    "generated",
    "completed",
    "complete",
    "registered",
    "issued",
    "joined",
    "verified",
    "finished",
    "done",
];
/// Words in the names of fields that describe a state in any form.
const TELLING: [&str; 23] = [
    "reason",
    "message",
    "messages",
    "error",
    "errors",
    "health",
    "healthy",
    "score",
    "state",
    "states",
    "status",
    "statuses",
    "phase",
    "condition",
    "ready",
    "readiness",
    "available",
    "availability",
    "synced",
    "valid",
    "alarm",
    "alarms",
    "problems",
];

/// Returns the verdict and message for a field, derived from its name; `None` if it does not indicate a problem.
pub(super) fn verdict_from_name(key: &str, value: &Value, siblings: &Map<String, Value>) -> Option<(Verdict, String)> {
    let words = tokens(key);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if has(&SETTINGS) {
        return None;
    }
    let is_wrong = words.iter().any(|word| WRONG.iter().any(|begin| word.starts_with(begin)));
    match value {
        Value::Array(items) if is_wrong && !items.is_empty() => {
            Some((Verdict::Failed, format!("lists {}", items.len())))
        }
        Value::Bool(_) => match (read_flag(value)?, meaning(key)) {
            (true, Some(WordMeaning::Bad)) => Some((Verdict::Failed, "is true".to_owned())),
            (true, Some(WordMeaning::Human)) => Some((Verdict::NeedsHuman, "is true".to_owned())),
            (false, _) if has(&STEPS) => Some((Verdict::Progressing, "is false".to_owned())),
            (false, Some(WordMeaning::Good | WordMeaning::Done))
                if !has(&["update", "upgrade", "new", "deletion", "removal"]) =>
            {
                Some((Verdict::Unknown, "is false".to_owned()))
            }
            _ => None,
        },
        _ => {
            let number = whole_number(value).or_else(|| value.as_str()?.parse().ok())?;
            let is_code = has(&["code", "exitcode"]) && has(&["exit", "return", "error", "exitcode"]);
            // A task that is still running may succeed.
            let runs = ["active", "running"]
                .iter()
                .any(|field| siblings.get(*field).and_then(whole_number).is_some_and(|count| count > 0));
            let is_bad = is_code && number != 0 || is_wrong && !is_code && number > 0 && !runs;
            is_bad.then(|| (Verdict::Failed, format!("is {number}")))
        }
    }
}

/// Reads a boolean, which may be written as a string.
pub(super) fn read_flag(value: &Value) -> Option<bool> {
    value.as_bool().or_else(|| match value.as_str()?.to_lowercase().as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    })
}

/// Returns true if a field may describe the state of its object in a form that no rule reads.
pub(super) fn may_describe_state(key: &str, value: &Value) -> bool {
    !is_empty(value) && tokens(key).iter().any(|word| TELLING.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_tell_of_what_went_wrong_and_settings_of_nothing() {
        let told = |status: Value| -> Vec<Verdict> {
            let fields = status.as_object().unwrap();
            fields.iter().filter_map(|(key, value)| Some(verdict_from_name(key, value, fields)?.0)).collect()
        };
        for status in [
            json!({"failed": 3}),
            json!({"failedPods": 2}),
            json!({"errorCount": 5}),
            json!({"consecutiveFailures": 1}),
            json!({"exitCode": 1}),
            json!({"returnCode": "137"}),
            json!({"hasErrors": true}),
            json!({"unhealthyNodes": ["a"]}),
        ] {
            assert_eq!(told(status.clone()), [Verdict::Failed], "{status}");
        }
        assert_eq!(told(json!({"alarm": true})), [Verdict::NeedsHuman]);
        assert_eq!(told(json!({"provisioned": false})), [Verdict::Progressing]);
        assert_eq!(told(json!({"rulesGenerated": false})), [Verdict::Progressing]);
        assert_eq!(told(json!({"rulesMatched": false})), [Verdict::Unknown]);
        let nothing = json!({
            "failed": 0, "exitCode": 0, "failureThreshold": 3, "timeoutSeconds": 30, "retryOnFailure": true,
            "errorBudget": 5, "failedJobsHistoryLimit": 1, "tlsEnabled": false, "nodes": 3, "degraded": false,
        });
        assert_eq!(told(nothing), []);
        assert_eq!(told(json!({"failed": 1, "active": 1})), [], "it may succeed yet");
        assert!(may_describe_state("healthScore", &json!(0)) && !may_describe_state("conditions", &json!([])));
    }
}
