//! Recurring runs: whether they start and succeed as often as their schedule says.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::sign::{SignWeight, StatusSign};
use super::states::StatusSearch;
use crate::model::metadata::Metadata;
use crate::model::time::age;
use crate::model::verdict::Verdict;

/// The number of periods without a run, or without a success, after which something is wrong.
pub(super) const PERIODS: i32 = 3;

impl StatusSearch<'_> {
    /// Checks the recurring runs of an object, by the times of the last attempt and the last success.
    pub(super) fn check_runs(&mut self, metadata: &Metadata, spec: &Value, status: &Value) {
        let time = |field: &str| status.get(field).and_then(Value::as_str)?.parse::<Timestamp>().ok();
        let is_active = ["active", "runningOperationRefs"]
            .iter()
            .any(|field| status.get(field).and_then(Value::as_array).is_some_and(|active| !active.is_empty()));
        let schedule = spec.get("schedule").and_then(Value::as_str);
        let patience = schedule.and_then(longest_period).map(|period| period * PERIODS);
        let now = self.about.now;
        let is_overdue = |since: Option<Timestamp>| match (since.or(metadata.creation_timestamp), patience) {
            (Some(since), Some(patience)) => now.duration_since(since) > patience,
            _ => false,
        };
        for (tried_at, succeeded_at) in &self.about.convention.runs {
            let (tried, succeeded) = (time(tried_at), time(succeeded_at));
            let has_failed =
                !is_active && tried.is_some_and(|tried| succeeded.is_none_or(|succeeded| succeeded < tried));
            let (verdict, message) = match () {
                () if is_active && is_overdue(succeeded) => {
                    (Verdict::Stuck, overdue("it is running, and has not succeeded", succeeded, schedule, now))
                }
                () if is_active => (Verdict::Progressing, "it is running".to_owned()),
                () if has_failed && (patience.is_none() || is_overdue(succeeded)) => {
                    (Verdict::Failed, format!("{succeeded_at} is older than {tried_at}"))
                }
                () if has_failed => {
                    (Verdict::Progressing, format!("{succeeded_at} is older than {tried_at}, and the next run follows"))
                }
                () if is_overdue(tried) => (Verdict::Stuck, overdue("it has not run", tried, schedule, now)),
                () => (Verdict::Ok, String::new()),
            };
            self.signs.push(StatusSign { verdict, weight: SignWeight::Deciding, since: None, message });
        }
    }
}

fn overdue(what: &str, since: Option<Timestamp>, schedule: Option<&str>, now: Timestamp) -> String {
    let since = since.map_or_else(|| "yet".to_owned(), |since| format!("for {}", age(since, now)));
    format!("{what} {since}, and its schedule is {}", schedule.unwrap_or_default())
}

/// Returns the longest time between two runs of a schedule in cron's notation, or more; `None` if it is not one.
pub(super) fn longest_period(schedule: &str) -> Option<SignedDuration> {
    const HOUR: i64 = 60;
    const DAY: i64 = 24 * HOUR;
    let schedule = schedule.trim();
    let schedule = match schedule.split_once(' ') {
        Some((zone, rest)) if zone.starts_with("CRON_TZ=") || zone.starts_with("TZ=") => rest.trim(),
        _ => schedule,
    };
    let minutes = match schedule {
        "@hourly" => HOUR,
        "@daily" | "@midnight" => DAY,
        "@weekly" => 7 * DAY,
        "@monthly" => 31 * DAY,
        "@yearly" | "@annually" => 366 * DAY,
        _ => {
            let fields: Vec<&str> = schedule.split_whitespace().collect();
            let [minute, hour, day, month, weekday] = fields.as_slice() else { return None };
            match () {
                () if *month != "*" => 366 * DAY,
                () if !is_any(day) => 31 * DAY,
                () if !is_any(weekday) => 7 * DAY,
                () if *hour == "*" => step(minute).unwrap_or(HOUR),
                () => step(hour).map_or(DAY, |hours| hours * HOUR),
            }
        }
    };
    Some(SignedDuration::from_mins(minutes))
}

fn is_any(field: &str) -> bool {
    matches!(field, "*" | "?")
}

/// Returns the step of a field: 5 for `*/5`, and 1 for `*`.
fn step(field: &str) -> Option<i64> {
    match field.split_once('/') {
        Some(("*" | "0", step)) => step.parse().ok().filter(|step| *step > 0),
        None if field == "*" => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_period_is_never_too_short() {
        let minutes = |schedule: &str| longest_period(schedule).map(|period| period.as_mins());
        for (schedule, expected) in [
            ("*/5 * * * *", Some(5)),
            ("* * * * *", Some(1)),
            ("17 * * * *", Some(60)),
            ("0 */6 * * *", Some(360)),
            ("30 3 * * *", Some(1440)),
            ("0 8-18 * * *", Some(1440)),
            ("0 3 * * 1-5", Some(7 * 1440)),
            ("0 3 1 * *", Some(31 * 1440)),
            ("0 3 1 1 *", Some(366 * 1440)),
            ("@daily", Some(1440)),
            ("CRON_TZ=Europe/Berlin 0 * * * *", Some(60)),
            ("every day", None),
        ] {
            assert_eq!(minutes(schedule), expected, "{schedule}");
        }
    }
}
