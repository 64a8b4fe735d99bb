//! Fields of which only the name tells: how often something failed, with which code a program ended, what is not so. Nobody
//! knows that they sum their object up, so they count only where nothing else speaks. None of them is good news.

use serde_json::{Map, Value};

use super::words::{Meaning, meaning, tokens};
use crate::model::body::any::whole_number;
use crate::model::comparison::is_empty;
use crate::model::verdict::Verdict;

/// How words begin that count what went wrong.
const WRONG: [&str; 8] = ["fail", "err", "unhealth", "degrad", "crash", "unreachable", "lost", "broken"];
/// Words in the names of settings, of which a number or a flag is no news.
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
/// What is done once, so that it is under way where it is not.
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
/// Words of fields that say how something is, in whatever form.
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

/// What a field says by its name, with the words behind the name; nothing where that is not bad.
pub(super) fn hint(key: &str, value: &Value, siblings: &Map<String, Value>) -> Option<(Verdict, String)> {
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
        Value::Bool(_) => match (flag(value)?, meaning(key)) {
            (true, Some(Meaning::Bad)) => Some((Verdict::Failed, "is true".to_owned())),
            (true, Some(Meaning::Human)) => Some((Verdict::NeedsHuman, "is true".to_owned())),
            (false, _) if has(&STEPS) => Some((Verdict::Progressing, "is false".to_owned())),
            (false, Some(Meaning::Good | Meaning::Done))
                if !has(&["update", "upgrade", "new", "deletion", "removal"]) =>
            {
                Some((Verdict::Unknown, "is false".to_owned()))
            }
            _ => None,
        },
        _ => {
            let number = whole_number(value).or_else(|| value.as_str()?.parse().ok())?;
            let is_code = has(&["code", "exitcode"]) && has(&["exit", "return", "error", "exitcode"]);
            // What still runs may succeed.
            let runs = ["active", "running"]
                .iter()
                .any(|field| siblings.get(*field).and_then(whole_number).is_some_and(|count| count > 0));
            let is_bad = is_code && number != 0 || is_wrong && !is_code && number > 0 && !runs;
            is_bad.then(|| (Verdict::Failed, format!("is {number}")))
        }
    }
}

/// A flag, which some write as text.
pub(super) fn flag(value: &Value) -> Option<bool> {
    value.as_bool().or_else(|| match value.as_str()?.to_lowercase().as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    })
}

/// Whether a field may say how its object is, in a way that no rule reads.
pub(super) fn may_tell(key: &str, value: &Value) -> bool {
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
            fields.iter().filter_map(|(key, value)| Some(hint(key, value, fields)?.0)).collect()
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
        assert!(may_tell("healthScore", &json!(0)) && !may_tell("conditions", &json!([])));
    }
}
