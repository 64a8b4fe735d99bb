//! Times of recurring work, such as a last contact, sync, or backup, that are older than a few of the periods that the
//! object declares for that work. A period that is not declared is never assumed.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::field_names::{FieldName, FieldTense, tense};
use super::hints::read_time;
use super::runs::{PERIODS, longest_period};
use super::sign::SignWeight;
use super::states::StatusSearch;
use super::words::tokens;
use crate::model::body::any::whole_number;
use crate::model::time::{age, parse_duration};
use crate::model::verdict::Verdict;

/// The maximum nesting depth of periods and times.
const DEEPEST: usize = 6;
/// The age of the newest time of an object from which on it is a record of another time, such as an example.
const RECORDED: SignedDuration = SignedDuration::from_hours(24 * 366);
/// The age from which on the last heartbeat is none of the present.
const LONGEST_SILENCE: SignedDuration = SignedDuration::from_hours(24);
/// The age from which on work is late, however short its period is.
const LEAST_LATE: SignedDuration = SignedDuration::from_mins(15);
/// Last words of fields with a period.
const PERIOD_FIELDS: [&str; 5] = ["interval", "period", "frequency", "schedule", "cron"];
/// Words of fields with a period of something else than the work itself.
const OTHER_PERIODS: [&str; 17] = [
    "retry",
    "timeout",
    "grace",
    "cooldown",
    "retention",
    "backoff",
    "requeue",
    "initial",
    "startup",
    "min",
    "max",
    "minimum",
    "maximum",
    "stabilization",
    "delay",
    "keep",
    "jitter",
];
/// Words that do not tell which work a period or a time is about.
const GENERAL: [&str; 16] = [
    "interval",
    "period",
    "frequency",
    "schedule",
    "cron",
    "duration",
    "seconds",
    "minutes",
    "hours",
    "last",
    "next",
    "time",
    "at",
    "timestamp",
    "config",
    "policy",
];
/// Beginnings of words for work that recurs with the only period of an object.
const RECURRING: [&str; 14] = [
    "success",
    "heartbeat",
    "contact",
    "seen",
    "sync",
    "backup",
    "refresh",
    "poll",
    "snapshot",
    "renew",
    "report",
    "probe",
    "scrape",
    "ping",
];
/// Beginnings of words for times that do not recur.
const ONCE: [&str; 11] =
    ["fail", "err", "transition", "change", "update", "modif", "history", "previous", "first", "creat", "expir"];

/// A period that an object declares, and the words for the work that it is about.
struct DeclaredPeriod {
    work: Vec<String>,
    length: SignedDuration,
}

impl StatusSearch<'_> {
    /// Reads the times in a status, and compares them with the periods that the object declares.
    pub(super) fn check_recurring_times(&mut self, created: Option<Timestamp>, spec: &Value, status: &Value) {
        self.check_heartbeats(created, status);
        let is_recent = |time: Timestamp| self.about.now.duration_since(time) < RECORDED;
        if is_on_demand(spec) || !newest_time(status).max(created).is_some_and(is_recent) {
            return;
        }
        let mut periods = Vec::new();
        [spec, status].iter().for_each(|fields| collect_periods(fields, &mut Vec::new(), &mut periods));
        if !periods.is_empty() {
            self.recurring_times(status, "", &periods, 0);
        }
        self.check_known_recurrences(spec, status);
    }

    /// Compares the times that recur according to the table with `spec.interval`.
    fn check_known_recurrences(&mut self, spec: &Value, status: &Value) {
        let interval = spec.get("interval").and_then(|interval| period_in(&["interval".to_owned()], interval));
        let Some(interval) = interval.filter(|interval| interval.is_positive()) else { return };
        let convention = self.about.convention;
        for field in &convention.recurs {
            let time = status.pointer(&format!("/{}", field.replace('.', "/"))).and_then(read_time);
            let late = (interval * PERIODS).max(LEAST_LATE);
            if let Some(time) = time.filter(|time| self.about.now.duration_since(*time) > late) {
                self.doubt(late_work(field, time, interval, self.about.now));
            }
        }
    }

    /// Reads the times of the last heartbeats, and of the next work. Whatever their period, a day is too long, unless the
    /// whole object is of another time.
    fn check_heartbeats(&mut self, created: Option<Timestamp>, status: &Value) {
        let newest = newest_time(status).max(created);
        if newest.is_some_and(|newest| self.about.now.duration_since(newest) < RECORDED) {
            self.heartbeats(status, "", 0);
        }
    }

    fn heartbeats(&mut self, value: &Value, path: &str, depth: usize) {
        if let Value::Array(items) = value {
            return items.iter().for_each(|item| self.heartbeats(item, path, depth));
        }
        for (key, value) in value.as_object().into_iter().flatten().filter(|(key, _)| *key != "conditions") {
            let field = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let name = FieldName::parse(key);
            if self.about.convention.ignores(&field) || tense(&name, value) != FieldTense::Present {
                continue;
            }
            if depth < DEEPEST {
                self.heartbeats(value, &field, depth + 1);
            }
            let time = read_time(value).filter(|_| names_heartbeat(&name.words) || names_next_work(&name.words));
            if let Some(time) = time.filter(|time| self.about.now.duration_since(*time) > LONGEST_SILENCE) {
                self.doubt(format!("{field} is {} ago", age(time, self.about.now)));
            }
        }
    }

    fn recurring_times(&mut self, value: &Value, path: &str, periods: &[DeclaredPeriod], depth: usize) {
        for (key, value) in value.as_object().into_iter().flatten().filter(|(key, _)| *key != "conditions") {
            let field = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            if self.about.convention.ignores(&field) {
                continue;
            }
            if depth < DEEPEST {
                self.recurring_times(value, &field, periods, depth + 1);
            }
            let words = tokens(&field);
            if let Some((time, length)) = time_in(value, &words).zip(period_of(&words, periods))
                && self.about.now.duration_since(time) > length * PERIODS
            {
                let message = late_work(&field, time, length, self.about.now);
                self.push(Verdict::Unknown, SignWeight::Doubt, message);
            }
        }
    }
}

fn late_work(field: &str, time: Timestamp, period: SignedDuration, now: Timestamp) -> String {
    format!("{field} is {} ago, and the period is {}", age(time, now), age(now - period, now))
}

/// Returns true for the times of the next work: `nextScheduleTime`, `nextRun`.
fn names_next_work(words: &[String]) -> bool {
    const LAST: [&str; 5] = ["time", "at", "timestamp", "run", "schedule"];
    words.iter().any(|word| word == "next") && words.last().is_some_and(|last| LAST.contains(&last.as_str()))
}

/// Returns true for the times at which something was heard of: `lastHeartbeatTime`, `agent.lastSeen`.
fn names_heartbeat(words: &[String]) -> bool {
    const HEARD: [&str; 7] = ["heartbeat", "keepalive", "seen", "contact", "ping", "probe", "reported"];
    let is = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let is_check_in = words.windows(2).any(|pair| pair[0] == "check" && pair[1] == "in");
    is(&["last"]) && (is(&HEARD) || is_check_in) || is(&HEARD[..2]) && is(&["time", "at", "timestamp"])
}

/// Returns the newest time in a status.
fn newest_time(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Object(fields) => fields.values().filter_map(newest_time).max(),
        Value::Array(items) => items.iter().filter_map(newest_time).max(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// Returns true if the object is only refreshed on demand: `refreshPolicy: OnChange`.
fn is_on_demand(spec: &Value) -> bool {
    let once = ["OnChange", "CreatedOnce", "Once", "Manual", "Never"];
    let is_policy = |(key, value): (&String, &Value)| {
        key.ends_with("Policy") && value.as_str().is_some_and(|word| once.contains(&word))
    };
    spec.as_object().into_iter().flatten().any(is_policy)
}

/// Collects the periods of an object; `path` has the words of the fields above.
fn collect_periods(value: &Value, path: &mut Vec<String>, found: &mut Vec<DeclaredPeriod>) {
    let Some(fields) = value.as_object().filter(|_| path.len() < DEEPEST * 2) else { return };
    for (key, value) in fields {
        let words = tokens(key);
        let before = path.len();
        path.extend(words.iter().cloned());
        if let Some(length) = period_in(&words, value).filter(|length| length.is_positive()) {
            let work = path.iter().filter(|word| !GENERAL.contains(&word.as_str())).cloned().collect();
            found.push(DeclaredPeriod { work, length });
        }
        collect_periods(value, path, found);
        path.truncate(before);
    }
}

/// Reads a period: `interval: 10m`, `leaseDurationSeconds: 60`, `schedule: 0 3 * * *`.
fn period_in(words: &[String], value: &Value) -> Option<SignedDuration> {
    let has = |word: &str| words.iter().any(|token| token == word);
    let (unit, named) = match words.split_last()? {
        (last, rest) if last == "seconds" => (Some(1), rest),
        (last, rest) if last == "minutes" => (Some(60), rest),
        (last, rest) if last == "hours" => (Some(3600), rest),
        _ => (None, words),
    };
    let is_period = named.last().is_some_and(|last| PERIOD_FIELDS.contains(&last.as_str()))
        || has("lease") && named.last().is_some_and(|last| last == "duration");
    if !is_period || OTHER_PERIODS.into_iter().any(has) {
        return None;
    }
    match (unit, whole_number(value)) {
        (Some(unit), Some(number)) => SignedDuration::from_secs(number.checked_mul(unit)?).into(),
        // Without a unit, the number may be of anything.
        (None, Some(_)) => None,
        (_, None) => {
            let text = value.as_str()?;
            parse_duration(text).ok().and_then(|length| length.try_into().ok()).or_else(|| longest_period(text))
        }
    }
}

/// Returns the time in a field of recurring work.
fn time_in(value: &Value, words: &[String]) -> Option<Timestamp> {
    let begins = |with: &[&str]| words.iter().any(|word| with.iter().any(|begin| word.starts_with(begin)));
    let is_time = words.last().is_some_and(|last| ["time", "at", "timestamp"].contains(&last.as_str()));
    let is_recurring = is_time || words.iter().any(|word| word == "last");
    (value.is_string() && is_recurring && !begins(&ONCE)).then(|| read_time(value)).flatten()
}

/// Returns the longest period of the work that the words of a field name. A period that names no work is of all that
/// recurs.
fn period_of(words: &[String], periods: &[DeclaredPeriod]) -> Option<SignedDuration> {
    let is_named = |work: &String| {
        work.len() > 3 && words.iter().any(|word| word.starts_with(work) || work.starts_with(word) && word.len() > 3)
    };
    let recurs = words.iter().any(|word| word == "last")
        && words.iter().any(|word| RECURRING.iter().any(|begin| word.starts_with(begin)));
    let applies =
        |period: &&DeclaredPeriod| if period.work.is_empty() { recurs } else { period.work.iter().any(is_named) };
    periods.iter().filter(applies).map(|period| period.length).max()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the work and the minutes of each period that an object declares.
    fn periods(spec: &Value) -> Vec<(String, i64)> {
        let mut found = Vec::new();
        collect_periods(spec, &mut Vec::new(), &mut found);
        found.into_iter().map(|period| (period.work.join(" "), period.length.as_mins())).collect()
    }

    #[test]
    fn only_declared_periods_are_read() {
        for (spec, expected) in [
            (json!({"interval": "10m"}), Some(("", 10))),
            (json!({"refreshInterval": "1h0m0s"}), Some(("refresh", 60))),
            (json!({"backup": {"schedule": "0 3 * * *"}}), Some(("backup", 1440))),
            (json!({"leaseDurationSeconds": 60}), Some(("lease", 1))),
            (json!({"interval": "0s"}), None),
            (json!({"interval": 60}), None),
            (json!({"retryInterval": "1m"}), None),
            (json!({"gracePeriodSeconds": 600}), None),
            (json!({"interval": "often"}), None),
        ] {
            let found = periods(&spec);
            let found: Vec<(&str, i64)> = found.iter().map(|(work, minutes)| (work.as_str(), *minutes)).collect();
            assert_eq!(found, Vec::from_iter(expected), "{spec}");
        }
    }

    #[test]
    fn times_of_the_next_work_are_named_so() {
        for (field, expected) in [
            ("nextScheduleTime", true),
            ("nextRun", true),
            ("nextRenewalAt", true),
            ("nextToken", false),
            ("lastScheduleTime", false),
        ] {
            assert_eq!(names_next_work(&tokens(field)), expected, "{field}");
        }
    }

    #[test]
    fn a_declared_period_applies_to_times_of_the_same_work() {
        let hour = |work: &str| DeclaredPeriod { work: tokens(work), length: SignedDuration::from_hours(1) };
        let applies = |field: &str, work: &str| period_of(&tokens(field), &[hour(work)]).is_some();
        assert!(applies("lastSuccessfulTime", "") && applies("agent.lastHeartbeat", ""));
        assert!(applies("refreshTime", "refresh") && applies("backup.lastTime", "backup"));
        assert!(applies("lastSyncedAt", "sync"));
        assert!(!applies("lastAppliedTime", "") && !applies("lastBackupTime", "sync"));
    }
}
