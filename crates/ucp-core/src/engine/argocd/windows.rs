//! Sync windows of AppProjects: the times at which Argo CD syncs their Applications on its own (`SyncWindows` in `types.go` of
//! Argo CD 3.5).

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use crate::engine::argocd::project::DestinationCluster;
use crate::model::cron::CronSchedule;
use crate::model::glob::{any_known, matches_if_known};
use crate::model::metadata::null_as_default;
use crate::model::time::parse_duration;

/// The number of changes between open and closed after which the end of a time without syncs is not looked for any longer.
const MOST_CHANGES: usize = 200;

/// The largest number of windows of an Application that are evaluated: their author may mean harm.
const MOST_WINDOWS: usize = 100;

/// Whether the windows of a project let Argo CD sync an Application on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WindowState {
    /// They do.
    Open,
    /// They do not.
    Closed {
        /// The time from which they do; `None` if that is far away, or never.
        until: Option<Timestamp>,
        /// True if a person may sync it nevertheless.
        allows_manual: bool,
    },
    /// Whether they do is not known, with the reason.
    Unknown(String),
}

/// The Application that is synced.
#[derive(Debug, Clone, Copy)]
pub struct WindowedApplication<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its cluster, as its destination names it.
    pub cluster: DestinationCluster<'a>,
    /// The namespace of its destination.
    pub namespace: &'a str,
}

/// One of `spec.syncWindows`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct WindowSpec {
    kind: String,
    schedule: String,
    duration: String,
    time_zone: String,
    #[serde(deserialize_with = "null_as_default")]
    applications: Vec<String>,
    #[serde(deserialize_with = "null_as_default")]
    namespaces: Vec<String>,
    #[serde(deserialize_with = "null_as_default")]
    clusters: Vec<String>,
    manual_sync: bool,
    and_operator: bool,
}

impl WindowSpec {
    /// Returns whether the window is about an Application (`Matches`); `None` if its patterns are not evaluated.
    fn matches(&self, application: &WindowedApplication<'_>) -> Option<bool> {
        let any = |patterns: &[String], texts: &[&str]| {
            let pairs = patterns.iter().flat_map(|pattern| texts.iter().map(move |text| (pattern, text)));
            any_known(pairs.map(|(pattern, text)| matches_if_known(pattern, text)))
        };
        let cluster = [application.cluster.name, application.cluster.server];
        let cluster: Vec<&str> = cluster.into_iter().flatten().filter(|text| !text.is_empty()).collect();
        let by_application = any(&self.applications, &[application.name]);
        let by_cluster = any(&self.clusters, &cluster);
        let by_namespace = any(&self.namespaces, &[application.namespace]);
        if !self.and_operator {
            return any_known([by_application, by_cluster, by_namespace]);
        }
        let parts =
            [(&self.applications, by_application), (&self.clusters, by_cluster), (&self.namespaces, by_namespace)];
        let set: Vec<Option<bool>> =
            parts.into_iter().filter(|(patterns, _)| !patterns.is_empty()).map(|(_, matched)| matched).collect();
        match () {
            () if set.is_empty() || set.contains(&Some(false)) => Some(false),
            () if set.contains(&None) => None,
            () => Some(true),
        }
    }
}

/// A window that is about an Application.
#[derive(Debug)]
struct Window {
    denies: bool,
    allows_manual: bool,
    schedule: CronSchedule,
    duration: SignedDuration,
    /// Argo CD adds the present offset of the time zone to UTC.
    offset: SignedDuration,
}

impl Window {
    fn read(spec: &WindowSpec, now: Timestamp) -> Result<Self, String> {
        let schedule = CronSchedule::parse(&spec.schedule)
            .ok_or_else(|| format!("the schedule {:?} of one of its sync windows cannot be read", spec.schedule))?;
        let duration = parse_duration(&spec.duration).ok().and_then(|duration| SignedDuration::try_from(duration).ok());
        let duration = duration
            .ok_or_else(|| format!("the duration {:?} of one of its sync windows cannot be read", spec.duration))?;
        // Argo CD takes a zone that it does not know for UTC, but it may know more than this machine.
        let zone = match spec.time_zone.as_str() {
            "" => TimeZone::UTC,
            name => TimeZone::get(name)
                .map_err(|_| format!("the time zone {name:?} of one of its sync windows is not known here"))?,
        };
        let offset = SignedDuration::from_secs(i64::from(zone.to_offset(now).seconds()));
        Ok(Self { denies: spec.kind == "deny", allows_manual: spec.manual_sync, schedule, duration, offset })
    }

    /// The time by which its schedule is evaluated.
    fn local(&self, time: Timestamp) -> Option<DateTime> {
        Some(TimeZone::UTC.to_datetime(time.checked_add(self.offset).ok()?))
    }

    fn timestamp(&self, local: DateTime) -> Option<Timestamp> {
        TimeZone::UTC.to_timestamp(local).ok()?.checked_sub(self.offset).ok()
    }

    /// The end of its present run; `None` if it is not running.
    fn end(&self, time: Timestamp) -> Option<Timestamp> {
        let begin = self.schedule.last_before(self.local(time)?)?;
        let end = self.timestamp(begin.checked_add(self.duration).ok()?)?;
        (end > time).then_some(end)
    }

    fn next_begin(&self, time: Timestamp) -> Option<Timestamp> {
        self.timestamp(self.schedule.next_after(self.local(time)?)?)
    }
}

/// Returns whether the windows of an AppProject let Argo CD sync an Application on its own at a time (`CanSync`).
pub fn window_state(project: &Value, application: &WindowedApplication<'_>, now: Timestamp) -> WindowState {
    let windows = match windows_of(project, application, now) {
        Ok(windows) => windows,
        Err(reason) => return WindowState::Unknown(reason),
    };
    let Some(allows_manual) = closed(&windows, now) else { return WindowState::Open };
    WindowState::Closed { until: next_opening(&windows, now), allows_manual }
}

/// Returns the windows that are about an Application.
fn windows_of(project: &Value, application: &WindowedApplication<'_>, now: Timestamp) -> Result<Vec<Window>, String> {
    let specs = project.pointer("/spec/syncWindows").and_then(Value::as_array).into_iter().flatten();
    let mut windows = Vec::new();
    for spec in specs {
        let spec = WindowSpec::deserialize(spec).map_err(|_| "one of its sync windows cannot be read".to_owned())?;
        match spec.matches(application) {
            Some(false) => {}
            Some(true) => windows.push(Window::read(&spec, now)?),
            None => return Err("its sync windows have patterns that are not evaluated".to_owned()),
        }
        if windows.len() > MOST_WINDOWS {
            return Err(format!("it has more than {MOST_WINDOWS} sync windows for this Application"));
        }
    }
    Ok(windows)
}

/// Returns whether a person may sync nevertheless, if there are no automatic syncs at a time: an active window denies them, or
/// windows allow them and none of those is active.
fn closed(windows: &[Window], time: Timestamp) -> Option<bool> {
    let is_active = |window: &&Window| window.end(time).is_some();
    let denying: Vec<&Window> = windows.iter().filter(|window| window.denies).filter(is_active).collect();
    if !denying.is_empty() {
        return Some(denying.iter().all(|window| window.allows_manual));
    }
    let allowing: Vec<&Window> = windows.iter().filter(|window| !window.denies).collect();
    let is_closed = !allowing.is_empty() && !allowing.iter().any(is_active);
    is_closed.then(|| allowing.iter().all(|window| window.allows_manual))
}

fn next_opening(windows: &[Window], now: Timestamp) -> Option<Timestamp> {
    let mut time = now;
    for _ in 0..MOST_CHANGES {
        let changes = windows.iter().flat_map(|window| [window.end(time), window.next_begin(time)]);
        let change = changes.flatten().filter(|change| *change > time).min()?;
        // A window runs from the moment after its begin.
        time = change.checked_add(SignedDuration::from_secs(1)).ok()?;
        if closed(windows, time).is_none() {
            return Some(change);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW: &str = "2026-11-29T03:36:20Z";

    fn state(windows: &Value) -> WindowState {
        let project = json!({"spec": {"syncWindows": windows}});
        let cluster = DestinationCluster { name: Some("app"), server: None };
        let application = WindowedApplication { name: "shop-prod", cluster, namespace: "shop" };
        window_state(&project, &application, NOW.parse().unwrap())
    }

    fn window(kind: &str, schedule: &str, duration: &str, more: Value) -> Value {
        let mut window = json!({"kind": kind, "schedule": schedule, "duration": duration, "applications": ["*"]});
        for (field, value) in more.as_object().into_iter().flatten() {
            window[field] = value.clone();
        }
        window
    }

    fn closed_until(until: &str) -> WindowState {
        WindowState::Closed { until: (!until.is_empty()).then(|| until.parse().unwrap()), allows_manual: false }
    }

    #[test]
    fn windows_open_and_close() {
        let deny = |schedule: &str, duration: &str| window("deny", schedule, duration, json!({}));
        let allow = |schedule: &str, duration: &str| window("allow", schedule, duration, json!({}));
        for (windows, expected) in [
            (json!([]), WindowState::Open),
            (json!(null), WindowState::Open),
            (json!([deny("0 3 * * *", "1h")]), closed_until("2026-11-29T04:00:00Z")),
            (json!([deny("0 2 * * *", "1h")]), WindowState::Open),
            (json!([deny("* * * * *", "1h")]), closed_until("")),
            (json!([deny("0 3 * * *", "1h"), deny("30 3 * * *", "90m")]), closed_until("2026-11-29T05:00:00Z")),
            (json!([allow("0 3 * * *", "1h")]), WindowState::Open),
            (json!([allow("0 22 * * *", "1h")]), closed_until("2026-11-29T22:00:00Z")),
            (json!([allow("0 22 * * *", "1h"), deny("0 22 * * 0", "2h")]), closed_until("2026-11-30T22:00:00Z")),
            (json!([allow("0 3 * * *", "1h"), deny("30 3 * * *", "10m")]), closed_until("2026-11-29T03:40:00Z")),
            (json!([window("deny", "0 5 * * *", "1h", json!({"timeZone": "Europe/Berlin"}))]), WindowState::Open),
            (
                json!([window("deny", "0 4 * * *", "1h", json!({"timeZone": "Europe/Berlin"}))]),
                closed_until("2026-11-29T04:00:00Z"),
            ),
            (
                json!([window("deny", "0 3 * * *", "1h", json!({"manualSync": true}))]),
                WindowState::Closed { until: Some("2026-11-29T04:00:00Z".parse().unwrap()), allows_manual: true },
            ),
        ] {
            assert_eq!(state(&windows), expected, "{windows}");
        }
    }

    #[test]
    fn windows_are_about_some_applications() {
        let closes = |more: Value| state(&json!([window("deny", "0 3 * * *", "1h", more)])) != WindowState::Open;
        assert!(closes(json!({"applications": ["shop-*"]})));
        assert!(!closes(json!({"applications": ["other"]})));
        assert!(closes(json!({"applications": ["other"], "namespaces": ["shop"]})));
        assert!(closes(json!({"applications": [], "clusters": ["app"]})));
        assert!(!closes(json!({"applications": ["shop-*"], "namespaces": ["other"], "andOperator": true})));
        assert!(closes(json!({"applications": ["shop-*"], "namespaces": ["shop"], "andOperator": true})));
        assert!(!closes(json!({"applications": []})));
    }

    #[test]
    fn windows_that_cannot_be_parsed_are_unknown() {
        let many = vec![window("deny", "0 0 31 2 *", "1h", json!({})); 100_000];
        for windows in [
            json!([window("deny", "@daily", "1h", json!({}))]),
            json!([window("deny", "0 3 * * *", "a while", json!({}))]),
            json!([window("deny", "0 3 * * *", "1h", json!({"timeZone": "Europe/Nowhere"}))]),
            json!(many),
        ] {
            assert!(matches!(state(&windows), WindowState::Unknown(_)));
        }
        assert_eq!(state(&json!(many[..100].to_vec())), WindowState::Open);
    }
}
