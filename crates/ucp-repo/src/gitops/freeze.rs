//! `freeze` of `.ucp.yaml`: times in which versions of an environment do not change.

mod window;

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

pub use window::FreezeWindow;

/// The key of settings for every environment.
pub(super) const EVERY: &str = "*";
/// Windows that follow each other directly, after which the end is not searched any more.
const MOST_LINKS: usize = 100;

/// The windows in which versions do not change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FreezeSettings {
    /// By environment; `*` is every environment.
    windows: BTreeMap<String, Vec<FreezeWindow>>,
}

/// A window that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveFreeze {
    /// The window as it is written.
    pub window: String,
    /// The time from which none holds any more; `None` if it is not known.
    pub until: Option<Timestamp>,
    /// The reason why the window cannot be evaluated; it holds then.
    pub trouble: Option<String>,
}

/// A window that begins soon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreezeAhead {
    /// The window as it is written.
    pub window: String,
    /// The time at which it begins.
    pub from: Timestamp,
}

impl FreezeSettings {
    /// Returns the environments that are named.
    pub fn environments(&self) -> impl Iterator<Item = &str> {
        self.windows.keys().map(String::as_str).filter(|name| *name != EVERY)
    }

    /// Returns the windows that apply to an environment; without an environment, all.
    fn windows_for(&self, environment: Option<&str>) -> impl Iterator<Item = &FreezeWindow> {
        let applies = move |name: &str| name == EVERY || environment.is_none_or(|environment| environment == name);
        self.windows.iter().filter(move |(name, _)| applies(name)).flat_map(|(_, windows)| windows)
    }

    /// Returns the first window that begins between two times. Windows that cannot be evaluated are left to
    /// [`FreezeSettings::active`].
    pub fn ahead(&self, environment: Option<&str>, now: Timestamp, limit: Timestamp) -> Option<FreezeAhead> {
        let starts = self.windows_for(environment).filter_map(|window| {
            let from = window.span.start_between(now, limit, &window.zone().ok()?)?;
            Some(FreezeAhead { window: window.text.clone(), from })
        });
        starts.min_by_key(|start| start.from)
    }

    /// Returns the window that holds for an environment; without an environment, for any.
    pub fn active(&self, environment: Option<&str>, now: Timestamp) -> Option<ActiveFreeze> {
        let mut zones = Vec::new();
        for window in self.windows_for(environment) {
            match window.zone() {
                Ok(zone) => zones.push((window, zone)),
                Err(trouble) => {
                    let window = window.text.clone();
                    return Some(ActiveFreeze { window, until: None, trouble: Some(trouble.into()) });
                }
            }
        }
        let end_at = |time: Timestamp| {
            let ends = zones.iter().filter_map(|(window, zone)| Some((window.span.end_at(time, zone)?, *window)));
            ends.max_by_key(|(end, _)| *end)
        };
        let (mut until, first) = end_at(now)?;
        for _ in 0..MOST_LINKS {
            match end_at(until) {
                Some((end, _)) if end > until => until = end,
                _ => return Some(ActiveFreeze { window: first.text.clone(), until: Some(until), trouble: None }),
            }
        }
        Some(ActiveFreeze { window: first.text.clone(), until: None, trouble: None })
    }
}

impl ActiveFreeze {
    /// Returns the reason, for messages.
    pub fn reason(&self) -> String {
        let until = self.until.map(|until| format!(" until {until:.0}")).unwrap_or_default();
        match &self.trouble {
            Some(trouble) => {
                format!("the freeze {:?} in .ucp.yaml cannot be evaluated, so it holds: {trouble}", self.window)
            }
            None => format!("frozen{until} by {:?} in .ucp.yaml", self.window),
        }
    }
}

impl<'de> Deserialize<'de> for FreezeSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Windows;
        impl<'de> Visitor<'de> for Windows {
            type Value = FreezeSettings;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of windows, or a map from environments to lists of windows")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<FreezeSettings, A::Error> {
                let mut windows = Vec::new();
                while let Some(window) = list.next_element()? {
                    windows.push(window);
                }
                Ok(FreezeSettings { windows: BTreeMap::from([(EVERY.to_owned(), windows)]) })
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FreezeSettings, A::Error> {
                let mut windows = BTreeMap::new();
                while let Some((environment, list)) = map.next_entry::<String, Vec<FreezeWindow>>()? {
                    windows.insert(environment, list);
                }
                Ok(FreezeSettings { windows })
            }
        }
        deserializer.deserialize_any(Windows)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Span;

    use super::*;

    fn settings(yaml: &str) -> FreezeSettings {
        serde_saphyr::from_str(yaml).unwrap()
    }

    fn until(yaml: &str, environment: &str, now: &str) -> Option<String> {
        let active = settings(yaml).active(Some(environment), now.parse().unwrap())?;
        assert_eq!(active.trouble, None);
        Some(active.until.map_or_else(|| "unknown".to_owned(), |until| format!("{until:.0}")))
    }

    #[test]
    fn a_weekend_in_its_zone() {
        let weekend = "[\"Fri 16:00-Mon 08:00 Europe/Berlin\"]";
        // 2026-11-27 is a Friday; Berlin is one hour ahead in winter, and two in summer.
        for (now, expected) in [
            ("2026-11-27T14:59:59Z", None),
            ("2026-11-27T15:00:00Z", Some("2026-11-30T07:00:00Z")),
            ("2026-11-29T12:00:00Z", Some("2026-11-30T07:00:00Z")),
            ("2026-11-30T06:59:59Z", Some("2026-11-30T07:00:00Z")),
            ("2026-11-30T07:00:00Z", None),
            ("2026-11-25T12:00:00Z", None),
            // The clock changes on Sunday, 2027-03-28.
            ("2027-03-26T15:00:00Z", Some("2027-03-29T06:00:00Z")),
        ] {
            assert_eq!(until(weekend, "prod", now).as_deref(), expected, "{now}");
        }
    }

    #[test]
    fn skipped_and_repeated_clock_times_extend_a_window() {
        // Berlin skips 02:00 to 03:00 on 2027-03-28, and repeats it on 2026-10-25.
        let skipped = "[\"Sun 02:30-Sun 05:00 Europe/Berlin\"]";
        assert_eq!(until(skipped, "prod", "2027-03-28T01:00:01Z").as_deref(), Some("2027-03-28T03:00:00Z"));
        assert_eq!(until(skipped, "prod", "2027-03-28T03:00:00Z"), None);
        for repeated in ["[\"Sat 20:00-Sun 02:30 Europe/Berlin\"]", "[\"Sun 02:10-Sun 02:30 Europe/Berlin\"]"] {
            assert_eq!(until(repeated, "prod", "2026-10-25T01:25:00Z").as_deref(), Some("2026-10-25T01:30:00Z"));
            assert_eq!(until(repeated, "prod", "2026-10-25T01:30:00Z"), None);
        }
        let daily = "[\"02:30-05:00 Europe/Berlin\"]";
        let limit = "2027-03-28T01:30:00Z".parse().unwrap();
        let ahead = settings(daily).ahead(Some("prod"), "2027-03-28T00:00:00Z".parse().unwrap(), limit).unwrap();
        assert_eq!(format!("{:.0}", ahead.from), "2027-03-28T00:30:00Z");
    }

    #[test]
    fn dates_contain_their_last_day() {
        let holidays = "[2026-12-20/2027-01-04]";
        assert_eq!(until(holidays, "prod", "2026-12-19T23:59:59Z"), None);
        assert_eq!(until(holidays, "prod", "2027-01-04T23:59:59Z").as_deref(), Some("2027-01-05T00:00:00Z"));
        assert_eq!(until(holidays, "prod", "2027-01-05T00:00:00Z"), None);
        let exact = "[2026-12-20T16:00/2026-12-21T08:30 Europe/Berlin]";
        assert_eq!(until(exact, "prod", "2026-12-20T15:00:00Z").as_deref(), Some("2026-12-21T07:30:00Z"));
    }

    #[test]
    fn nights_and_windows_that_follow_each_other() {
        let nights = "[\"22:00-06:00\"]";
        assert_eq!(until(nights, "prod", "2026-11-26T23:00:00Z").as_deref(), Some("2026-11-27T06:00:00Z"));
        assert_eq!(until(nights, "prod", "2026-11-27T05:00:00Z").as_deref(), Some("2026-11-27T06:00:00Z"));
        assert_eq!(until(nights, "prod", "2026-11-27T12:00:00Z"), None);
        let both = "[\"22:00-06:00\", \"Fri 06:00-Fri 09:00\"]";
        assert_eq!(until(both, "prod", "2026-11-26T23:00:00Z").as_deref(), Some("2026-11-27T09:00:00Z"));
        let always = "[\"00:00-12:00\", \"12:00-00:00\"]";
        assert_eq!(until(always, "prod", "2026-11-26T23:00:00Z").as_deref(), Some("unknown"));
    }

    #[test]
    fn environments_have_their_own_windows() {
        let own = "{prod: [2026-12-20/2027-01-04], '*': [2026-05-01/2026-05-01]}";
        assert!(until(own, "prod", "2026-12-24T00:00:00Z").is_some());
        assert!(until(own, "stage", "2026-12-24T00:00:00Z").is_none());
        assert!(until(own, "stage", "2026-05-01T10:00:00Z").is_some());
        // Without an environment, it may be any.
        assert!(settings(own).active(None, "2026-12-24T00:00:00Z".parse().unwrap()).is_some());
    }

    #[test]
    fn windows_that_begin_soon() {
        let ahead = |yaml: &str, now: &str, hours: i64| {
            let now: Timestamp = now.parse().unwrap();
            let limit = now.checked_add(Span::new().hours(hours)).unwrap();
            settings(yaml).ahead(Some("prod"), now, limit).map(|ahead| format!("{:.0}", ahead.from))
        };
        // 2026-11-27 is a Friday.
        let weekend = "[\"Fri 16:00-Mon 08:00 Europe/Berlin\"]";
        let friday = Some("2026-11-27T15:00:00Z".to_owned());
        assert_eq!(ahead(weekend, "2026-11-26T16:00:00Z", 24), friday);
        assert_eq!(ahead(weekend, "2026-11-27T14:59:59Z", 1), friday);
        assert_eq!(ahead(weekend, "2026-11-26T14:00:00Z", 24), None);
        // The one that holds already began; the next one is a week later.
        assert_eq!(ahead(weekend, "2026-11-27T15:00:00Z", 24), None);
        assert_eq!(ahead(weekend, "2026-11-27T15:00:00Z", 24 * 7).as_deref(), Some("2026-12-04T15:00:00Z"));
        assert_eq!(ahead("[\"22:00-06:00\"]", "2026-11-26T21:30:00Z", 1).as_deref(), Some("2026-11-26T22:00:00Z"));
        assert_eq!(ahead("[\"22:00-06:00\"]", "2026-11-26T20:30:00Z", 1), None);
        let holidays = "{prod: [2026-12-20/2027-01-04], stage: [2026-12-19/2026-12-19]}";
        assert_eq!(ahead(holidays, "2026-12-18T12:00:00Z", 48).as_deref(), Some("2026-12-20T00:00:00Z"));
    }

    #[test]
    fn a_window_that_cannot_be_evaluated_is_active() {
        let unknown = settings("[\"Fri 16:00-Mon 08:00 Europe/Nowhere\"]");
        let active = unknown.active(Some("prod"), "2026-11-25T12:00:00Z".parse().unwrap()).unwrap();
        assert!(active.reason().contains("Europe/Nowhere") && active.until.is_none(), "{}", active.reason());
    }

    #[test]
    fn malformed_windows_are_errors_with_their_line() {
        for wrong in [
            "Fri 16:00",
            "Fri 16:00-Mon",
            "Fri 16:00-Mon 25:00",
            "Fry 16:00-Mon 08:00",
            "Fri 16:00-Fri 16:00",
            "08:00-08:00",
            "8:00-9:00",
            "2026-12-20",
            "2026-13-20/2027-01-04",
            "2027-01-04/2026-12-20",
            "2026-12-20/2027-01-04/x",
            "Fri 16:00-Mon 08:00 Europe/Berlin x",
            "",
        ] {
            let yaml = format!("\n- 2026-12-20/2027-01-04\n- \"{wrong}\"\n");
            let error = serde_saphyr::from_str::<FreezeSettings>(&yaml).unwrap_err().to_string();
            assert!(error.contains("line 3") && error.contains("freeze:"), "{wrong:?}: {error}");
        }
        for wrong in ["3", "{prod: x}", "[[]]", "{prod: [3]}", "[{}]"] {
            assert!(serde_saphyr::from_str::<FreezeSettings>(wrong).is_err(), "{wrong}");
        }
    }

    /// Minimal images and Windows have no database of time zones.
    #[test]
    fn time_zones_are_part_of_the_program() {
        let bundled = jiff::tz::TimeZoneDatabase::bundled();
        assert!(bundled.get("Europe/Berlin").is_ok() && bundled.get("America/New_York").is_ok());
    }
}
