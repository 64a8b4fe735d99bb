//! A window in time: every week, every day, or once.

use std::fmt;

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan as _};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer};

use ucp_core::failure::{Failure, fail};

/// The forms of a window, for messages.
const FORMS: &str =
    "\"Fri 16:00-Mon 08:00 Europe/Berlin\", \"22:00-06:00\" or \"2026-12-20/2027-01-04\"; without a zone, it is UTC";

/// A window in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreezeWindow {
    /// The window as it is written.
    pub text: String,
    pub(super) span: WindowSpan,
    /// The name of the time zone.
    zone: String,
}

/// The times of a window, in its zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WindowSpan {
    /// Every week, from a day and time to another.
    Weekly { from: (Weekday, Time), to: (Weekday, Time) },
    /// Every day, from a time to another, which may be on the next day.
    Daily { from: Time, to: Time },
    /// Once, from a time to another, which is not part of it.
    Once { from: DateTime, to: DateTime },
}

impl FreezeWindow {
    /// Returns the time zone.
    ///
    /// # Errors
    /// Fails when neither this machine nor the program knows it.
    pub(super) fn zone(&self) -> Result<TimeZone, Failure> {
        if self.zone.eq_ignore_ascii_case("utc") {
            return Ok(TimeZone::UTC);
        }
        let zone = &self.zone;
        TimeZone::get(zone).map_err(|_| {
            format!("the time zone {zone} is in no database of time zones; names are as in Europe/Berlin").into()
        })
    }
}

impl WindowSpan {
    /// Returns the end of the window if it contains a time.
    pub(super) fn end_at(&self, time: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let today = zone.to_datetime(time).date();
        let occurs = |from: DateTime, to: DateTime| {
            // Where a change of the clock skips or repeats a time, the longer window holds.
            let from = zone.to_ambiguous_timestamp(from).earlier().ok()?;
            let to = zone.to_ambiguous_timestamp(to).later().ok()?;
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

    /// Returns the first time after `now`, and not after `limit`, at which the window begins.
    pub(super) fn start_between(&self, now: Timestamp, limit: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let is_between = |moment: DateTime| {
            let instant = zone.to_ambiguous_timestamp(moment).earlier().ok()?;
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
