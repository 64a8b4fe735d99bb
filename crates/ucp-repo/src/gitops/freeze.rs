//! `freeze` and `soak` of `.ucp.yaml`: times in which versions of an environment do not change, and the time that a version
//! must have been declared before it is promoted.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan as _};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use ucp_core::failure::{Failure, fail};
use ucp_core::model::time::parse_duration;

/// The forms of a window, for messages.
const FORMS: &str =
    "\"Fri 16:00-Mon 08:00 Europe/Berlin\", \"22:00-06:00\" or \"2026-12-20/2027-01-04\"; without a zone, it is UTC";
/// The key of windows for every environment.
const EVERY: &str = "*";
/// Windows that follow each other directly, after which the end is not searched any more.
const MOST_LINKS: usize = 100;

/// The windows in which versions do not change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FreezeSettings {
    /// By environment; `*` is every environment.
    windows: BTreeMap<String, Vec<FreezeWindow>>,
}

/// A window in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreezeWindow {
    /// The window as it is written.
    pub text: String,
    span: WindowSpan,
    /// The name of the time zone.
    zone: String,
}

/// The times of a window, in its zone.
#[derive(Debug, Clone, PartialEq, Eq)]
enum WindowSpan {
    /// Every week, from a day and time to another.
    Weekly { from: (Weekday, Time), to: (Weekday, Time) },
    /// Every day, from a time to another, which may be on the next day.
    Daily { from: Time, to: Time },
    /// Once, from a time to another, which is not part of it.
    Once { from: DateTime, to: DateTime },
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

impl FreezeWindow {
    fn zone(&self) -> Result<TimeZone, Failure> {
        if self.zone.eq_ignore_ascii_case("utc") {
            return Ok(TimeZone::UTC);
        }
        let zone = &self.zone;
        TimeZone::get(zone).map_err(|_| {
            format!("the time zone {zone} is not in this machine's time zone database; install it (tzdata), or use UTC")
                .into()
        })
    }
}

impl WindowSpan {
    /// Returns the end of the window if it contains a time.
    fn end_at(&self, time: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let today = zone.to_datetime(time).date();
        let instant = |moment: DateTime| zone.to_timestamp(moment).ok();
        let occurs = |from: DateTime, to: DateTime| {
            let (from, to) = (instant(from)?, instant(to)?);
            (from <= time && time < to).then_some(to)
        };
        let shifted = |date: Date, days: i64| date.checked_add(Span::new().try_days(days).ok()?).ok();
        match self {
            Self::Once { from, to } => occurs(*from, *to),
            Self::Daily { from, to } => (-1..=0).find_map(|offset| {
                let start = shifted(today, offset)?;
                let end = if to > from { start } else { shifted(start, 1)? };
                occurs(start.to_datetime(*from), end.to_datetime(*to))
            }),
            Self::Weekly { from, to } => {
                let since = i64::from(today.weekday().since(from.0));
                let days = i64::from(to.0.since(from.0));
                let days = if days == 0 && to.1 <= from.1 { 7 } else { days };
                // The one of this week, and that of the week before, which may not have ended.
                [since, since + 7].into_iter().find_map(|ago| {
                    let start = shifted(today, -ago)?;
                    occurs(start.to_datetime(from.1), shifted(start, days)?.to_datetime(to.1))
                })
            }
        }
    }
}

impl WindowSpan {
    /// Returns the first time after `now`, and not after `limit`, at which the window begins.
    fn start_between(&self, now: Timestamp, limit: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let is_between = |moment: DateTime| {
            let instant = zone.to_timestamp(moment).ok()?;
            (now < instant && instant <= limit).then_some(instant)
        };
        let (clock, day) = match self {
            Self::Once { from, .. } => return is_between(*from),
            Self::Daily { from, .. } => (*from, None),
            Self::Weekly { from, .. } => (from.1, Some(from.0)),
        };
        let today = zone.to_datetime(now).date();
        (0..=7).find_map(|days| {
            let date = today.checked_add(Span::new().try_days(days).ok()?).ok()?;
            day.is_none_or(|day| date.weekday() == day).then(|| is_between(date.to_datetime(clock)))?
        })
    }
}

impl std::str::FromStr for FreezeWindow {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let invalid = || format!("{text:?} is not a window such as {FORMS}");
        let words: Vec<&str> = text.split_whitespace().collect();
        // A zone is the last word that is no day, time or date.
        let (window, zone) = match words.as_slice() {
            [window @ .., zone] if !window.is_empty() && is_zone(zone) => (window.join(" "), (*zone).to_owned()),
            all => (all.join(" "), "UTC".to_owned()),
        };
        let span = parse_span(&window).ok_or_else(invalid)?;
        if let WindowSpan::Once { from, to } = &span
            && from >= to
        {
            return fail!("{text:?} ends before it begins");
        }
        Ok(Self { text: text.to_owned(), span, zone })
    }
}

fn is_zone(word: &str) -> bool {
    let is_name = word.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '/' | '_' | '-' | '+'));
    is_name
        && word.starts_with(|one: char| one.is_ascii_alphabetic())
        && weekday(word.split('-').next().unwrap_or(word)).is_none()
}

fn parse_span(text: &str) -> Option<WindowSpan> {
    if let Some((from, to)) = text.split_once('/') {
        let (from, _) = moment(from)?;
        let (to, is_day) = moment(to)?;
        // A date as the end is part of the window.
        let to = if is_day { to.checked_add(1.day()).ok()? } else { to };
        return Some(WindowSpan::Once { from, to });
    }
    let (from, to) = text.split_once('-')?;
    let words = |text: &'_ str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    let (from, to) = (words(from), words(to));
    match (from.as_slice(), to.as_slice()) {
        ([from_day, from_time], [to_day, to_time]) => {
            let (from, to) = ((weekday(from_day)?, time(from_time)?), (weekday(to_day)?, time(to_time)?));
            (from != to).then_some(WindowSpan::Weekly { from, to })
        }
        ([from], [to]) => {
            let (from, to) = (time(from)?, time(to)?);
            (from != to).then_some(WindowSpan::Daily { from, to })
        }
        _ => None,
    }
}

/// Parses a date, or a date with a time. Returns true for a date.
fn moment(text: &str) -> Option<(DateTime, bool)> {
    let text = text.trim();
    match text.split_once(['T', ' ']) {
        Some((date, clock)) => Some((day(date)?.to_datetime(time(clock)?), false)),
        None => Some((day(text)?.to_datetime(Time::midnight()), true)),
    }
}

fn day(text: &str) -> Option<Date> {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return None };
    let is_plain = [(year, 4), (month, 2), (day, 2)]
        .iter()
        .all(|(part, length)| part.len() == *length && part.bytes().all(|byte| byte.is_ascii_digit()));
    if !is_plain {
        return None;
    }
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// Parses `HH:MM`.
fn time(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':')?;
    let is_plain = [hour, minute].iter().all(|part| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit()));
    if !is_plain {
        return None;
    }
    Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
}

fn weekday(text: &str) -> Option<Weekday> {
    Some(match text.to_ascii_lowercase().as_str() {
        "mon" | "monday" => Weekday::Monday,
        "tue" | "tuesday" => Weekday::Tuesday,
        "wed" | "wednesday" => Weekday::Wednesday,
        "thu" | "thursday" => Weekday::Thursday,
        "fri" | "friday" => Weekday::Friday,
        "sat" | "saturday" => Weekday::Saturday,
        "sun" | "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

impl<'de> Deserialize<'de> for FreezeWindow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneWindow;
        impl Visitor<'_> for OneWindow {
            type Value = FreezeWindow;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "a window such as {FORMS}")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<FreezeWindow, E> {
                text.parse().map_err(|reason: Failure| E::custom(format!("freeze: {reason}")))
            }
        }
        deserializer.deserialize_str(OneWindow)
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

/// The time for which a version must have been declared before it is promoted, by the environment to which.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SoakSettings {
    times: BTreeMap<String, Duration>,
}

impl SoakSettings {
    /// Returns the time before promotions to an environment.
    pub fn before(&self, environment: &str) -> Option<Duration> {
        self.times.get(environment).or_else(|| self.times.get(EVERY)).copied()
    }
}

impl<'de> Deserialize<'de> for SoakSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Times;
        /// A duration, with its place in errors.
        struct Soak(Duration);
        impl<'de> Deserialize<'de> for Soak {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                let invalid = |reason| serde::de::Error::custom(format!("soak: {reason}"));
                parse_duration(&text).map(Soak).map_err(invalid)
            }
        }
        impl<'de> Visitor<'de> for Times {
            type Value = SoakSettings;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a duration such as 24h, or a map from environments to durations")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<SoakSettings, E> {
                let time = parse_duration(text).map_err(|reason| E::custom(format!("soak: {reason}")))?;
                Ok(SoakSettings { times: BTreeMap::from([(EVERY.to_owned(), time)]) })
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SoakSettings, A::Error> {
                let mut times = BTreeMap::new();
                while let Some((environment, Soak(time))) = map.next_entry::<String, Soak>()? {
                    times.insert(environment, time);
                }
                Ok(SoakSettings { times })
            }
        }
        deserializer.deserialize_any(Times)
    }
}

#[cfg(test)]
mod tests {
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
    fn a_window_that_cannot_be_evaluated_holds() {
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

    #[test]
    fn soak_is_one_time_or_one_per_environment() {
        let soak = |yaml: &str| serde_saphyr::from_str::<SoakSettings>(yaml);
        let day = Some(Duration::from_secs(86_400));
        assert_eq!(soak("24h").unwrap().before("prod"), day);
        let own = soak("{prod: 24h}").unwrap();
        assert_eq!((own.before("prod"), own.before("stage")), (day, None));
        assert!(soak("soon").is_err() && soak("{prod: soon}").is_err() && soak("[24h]").is_err());
    }
}
