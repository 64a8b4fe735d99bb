//! Interprets fields by their names: counters of failures, exit codes, flags. Such fields may not describe the object
//! as a whole, so they count only if no other field does, and are never taken as OK.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::field_names::is_plural;
use super::words::{WordMeaning, is_known, meaning, names_parts_out_of_service, tokens};
use crate::model::body::any::whole_number;
use crate::model::comparison::is_empty;
use crate::model::verdict::Verdict;

/// Prefixes of words that count failures.
const WRONG: [&str; 22] = [
    "fail",
    "err",
    "unhealth",
    "degrad",
    "crash",
    "unreachable",
    "unavailable",
    "unschedul",
    "unauthor",
    "lost",
    "broken",
    "missing",
    "violation",
    "invalid",
    "conflict",
    "reject",
    "denied",
    "stalled",
    "dropped",
    "evicted",
    "corrupt",
    "oom",
];
/// Words that count alerts.
const ALERTS: [&str; 6] = ["alert", "alerts", "alarm", "alarms", "firing", "incidents"];
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
/// Returns true for the words of a setting, whose value is no state.
pub(super) fn is_setting(words: &[String]) -> bool {
    words.iter().any(|word| SETTINGS.contains(&word.as_str()))
}

/// Words in the names of fields whose texts are names and choices, and no states.
const NAMES: [&str; 32] = [
    "name",
    "names",
    "namespace",
    "kind",
    "type",
    "id",
    "uid",
    "key",
    "image",
    "version",
    "class",
    "url",
    "uri",
    "host",
    "address",
    "path",
    "ref",
    "node",
    "branch",
    "message",
    "description",
    "mode",
    "strategy",
    "action",
    "default",
    "effect",
    "method",
    "level",
    "severity",
    "revision",
    "role",
    "reclaim",
];
/// Returns true for the words of a field whose text is a name, a choice, or a setting.
pub(super) fn names_choice(words: &[String]) -> bool {
    is_setting(words) || words.iter().any(|word| NAMES.contains(&word.as_str()))
}

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
/// Words in the names of flags for roles and properties that an object may have or not.
const OPTIONAL: [&str; 27] = [
    "acquired",
    "adopted",
    "annotated",
    "backed",
    "cached",
    "captured",
    "claimed",
    "copied",
    "current",
    "delegated",
    "elected",
    "encrypted",
    "enforcing",
    "exported",
    "fetched",
    "follower",
    "fresh",
    "idle",
    "leader",
    "leased",
    "migrated",
    "mirrored",
    "preserved",
    "primary",
    "replica",
    "secondary",
    "signed",
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
pub(super) fn verdict_from_name(
    key: &str,
    value: &Value,
    siblings: &Map<String, Value>,
    now: Timestamp,
) -> Option<(Verdict, String)> {
    let words = tokens(key);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if let Some(expired) = expired_at(&words, value, now) {
        return Some((Verdict::Failed, format!("is {expired}, which is in the past")));
    }
    if let Some(code) = http_failure(key, value) {
        return Some((Verdict::Failed, format!("is {code}")));
    }
    let is_excess = has(&["truncated", "masked"]) || words.first().is_some_and(|first| first == "over");
    if is_excess && read_flag(value) == Some(true) {
        return Some((Verdict::Unknown, "is true".to_owned()));
    }
    if is_setting(&words) {
        return None;
    }
    // Deployments have such replicas during every rollout.
    if key == "unavailableReplicas" {
        let number = whole_number(value).filter(|number| *number > 0)?;
        return Some((Verdict::Progressing, format!("is {number}")));
    }
    let is_wrong = words.iter().any(|word| WRONG.iter().any(|begin| word.starts_with(begin)))
        || has(&ALERTS)
        || meaning(key) == Some(WordMeaning::Bad) && !names_parts_out_of_service(&words);
    match value {
        Value::Array(items) if is_wrong && !items.is_empty() => {
            Some((Verdict::Failed, format!("lists {}", items.len())))
        }
        // Parts by their names: `orphanedTablets`.
        Value::Object(parts) if !parts.is_empty() && names_bad_parts(&words) => {
            Some((Verdict::Failed, format!("lists {}", parts.len())))
        }
        value if read_flag(value).is_some() => match (read_flag(value)?, meaning(key)) {
            (true, Some(WordMeaning::Bad)) => Some((Verdict::Failed, "is true".to_owned())),
            (true, _) if has(&["outdated", "stale"]) || key.to_lowercase().ends_with("outofdate") => {
                Some((Verdict::Unknown, "is true".to_owned()))
            }
            (true, Some(WordMeaning::Human)) => Some((Verdict::NeedsHuman, "is true".to_owned())),
            (false, _) if has(&STEPS) => Some((Verdict::Progressing, "is false".to_owned())),
            (false, Some(WordMeaning::Good | WordMeaning::Done))
                if !has(&OPTIONAL) && !has(&["update", "upgrade", "new", "deletion", "removal"]) =>
            {
                Some((Verdict::Unknown, "is false".to_owned()))
            }
            _ => None,
        },
        Value::String(word)
            if !has(&NAMES)
                && !word.contains(char::is_whitespace)
                && is_known(word)
                && meaning(word) == Some(WordMeaning::Bad) =>
        {
            Some((Verdict::Failed, format!("is {word}")))
        }
        _ => {
            let number = whole_number(value)?;
            let is_code = has(&["code", "exitcode"]) && has(&["exit", "return", "error", "exitcode"])
                || key.eq_ignore_ascii_case("exit");
            // A task that is still running may succeed.
            let runs = ["active", "running"]
                .iter()
                .any(|field| siblings.get(*field).and_then(whole_number).is_some_and(|count| count > 0));
            let is_bad = is_code && number != 0 || is_wrong && !is_code && number > 0 && !runs;
            is_bad.then(|| (Verdict::Failed, format!("is {number}")))
        }
    }
}

/// Returns true for the names of parts with a problem: `orphanedTablets`, but not `failureDomains`.
fn names_bad_parts(words: &[String]) -> bool {
    let [first, .., last] = words else { return false };
    first.ends_with("ed") && meaning(first) == Some(WordMeaning::Bad) && is_plural(last)
}

/// Returns the time at which something expired: `notAfter`, `expiresAt`, `validUntil`.
fn expired_at(words: &[String], value: &Value, now: Timestamp) -> Option<Timestamp> {
    let is = |index: usize, word: &str| words.get(index).is_some_and(|token| token == word);
    let pair = |first: &str, seconds: &[&str]| {
        (0..words.len()).any(|index| is(index, first) && seconds.iter().any(|second| is(index + 1, second)))
    };
    let is_expiry = words.iter().any(|word| word.starts_with("expir") || word == "expire")
        || pair("not", &["after"])
        || words.ends_with(&["not", "valid", "after"].map(str::to_owned))
        || pair("valid", &["until", "till", "to", "before", "through"]);
    is_expiry.then(|| earliest_time(value)).flatten().filter(|time| *time < now)
}

/// Returns the earliest time in a value.
fn earliest_time(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Object(fields) => fields.values().filter_map(earliest_time).min(),
        Value::Array(items) => items.iter().filter_map(earliest_time).min(),
        value => read_time(value),
    }
}

/// Reads a time in one of the usual notations: RFC 3339, a date, or seconds since 1970.
pub(super) fn read_time(value: &Value) -> Option<Timestamp> {
    /// 2001; smaller numbers are durations.
    const EARLIEST: i64 = 1_000_000_000;
    if let Some(seconds) = whole_number(value) {
        let in_seconds = if seconds > EARLIEST * 1000 { seconds / 1000 } else { seconds };
        return (in_seconds >= EARLIEST).then(|| Timestamp::from_second(in_seconds).ok()).flatten();
    }
    let text = value.as_str()?.trim();
    // Go's `time.Time.String()`, as in `2025-07-24 19:54:15 +0000 UTC`.
    let go = || Timestamp::strptime("%Y-%m-%d %H:%M:%S %z", text.trim_end_matches(" UTC")).ok();
    let date =
        || text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|day| day.timestamp());
    text.parse().ok().or_else(go).or_else(date)
}

/// Returns the status of a failed HTTP request, from a field such as `httpStatus`, `statusCode` or `responseCode`.
pub(super) fn http_failure(key: &str, value: &Value) -> Option<i64> {
    let words = tokens(key);
    let has = |word: &str| words.iter().any(|token| token == word);
    let is_code = has("code") || has("status");
    let is_code = is_code && ["http", "https", "response"].into_iter().any(has)
        || words.last().is_some_and(|last| last == "code" || last == "status");
    http_status(value).filter(|code| is_code && (400..600).contains(code))
}

/// Returns true for the status of a successful HTTP request.
pub(super) fn is_http_success(value: &Value) -> bool {
    http_status(value).is_some_and(|code| (100..400).contains(&code))
}

/// Reads a number of three digits at the beginning of a text: `503 Service Unavailable`.
fn http_status(value: &Value) -> Option<i64> {
    let code = value.as_i64().or_else(|| {
        let first = value.as_str()?.split_whitespace().next()?;
        first.parse().ok().filter(|_| first.len() == 3)
    })?;
    (100..600).contains(&code).then_some(code)
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
    fn failures_are_read_from_field_names_and_settings_are_ignored() {
        let reported = |status: Value| -> Vec<Verdict> {
            let fields = status.as_object().unwrap();
            let now = "2026-11-20T09:10:00Z".parse().unwrap();
            fields.iter().filter_map(|(key, value)| Some(verdict_from_name(key, value, fields, now)?.0)).collect()
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
            assert_eq!(reported(status.clone()), [Verdict::Failed], "{status}");
        }
        assert_eq!(reported(json!({"alarm": true})), [Verdict::NeedsHuman]);
        assert_eq!(reported(json!({"provisioned": false})), [Verdict::Progressing]);
        assert_eq!(reported(json!({"rulesGenerated": false})), [Verdict::Progressing]);
        assert_eq!(reported(json!({"rulesMatched": false})), [Verdict::Unknown]);
        let nothing = json!({
            "failed": 0, "exitCode": 0, "failureThreshold": 3, "timeoutSeconds": 30, "retryOnFailure": true,
            "errorBudget": 5, "failedJobsHistoryLimit": 1, "tlsEnabled": false, "nodes": 3, "degraded": false,
        });
        assert_eq!(reported(nothing), []);
        assert_eq!(reported(json!({"failed": 1, "active": 1})), [], "it may succeed yet");
        assert!(may_describe_state("healthScore", &json!(0)) && !may_describe_state("conditions", &json!([])));
    }
}
