//! Times on the command line.

use std::str::FromStr;

use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use ucp_core::failure::{Failure, fail};

/// A time in the past, as given on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PastTime {
    /// The last time at which a clock showed this.
    Clock(Time),
    /// A date and a time, in the time zone of the output.
    Local(DateTime),
    /// A time with a time zone.
    Absolute(Timestamp),
}

impl FromStr for PastTime {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let is_clock = text.len() <= 8 && !text.contains('-');
        let padded = if text.find(':') == Some(1) { format!("0{text}") } else { text.to_owned() };
        if let Some(time) = is_clock.then(|| padded.parse().ok()).flatten() {
            return Ok(Self::Clock(time));
        }
        if let Ok(time) = text.parse() {
            return Ok(Self::Absolute(time));
        }
        text.parse().map(Self::Local).map_err(|_| {
            format!("'{text}' is not a time such as 03:00, '2026-11-20 03:00' or 2026-11-20T03:00:00Z").into()
        })
    }
}

impl PastTime {
    /// Returns the last such time that is not after `now`.
    ///
    /// # Errors
    /// Fails when the time is after `now`, or does not exist.
    pub(super) fn before(&self, now: Timestamp, zone: &TimeZone) -> Result<Timestamp, Failure> {
        let invalid = |error: jiff::Error| format!("--at is not a valid time: {error}");
        let time = match self {
            Self::Absolute(time) => *time,
            Self::Local(time) => time.to_zoned(zone.clone()).map_err(invalid)?.timestamp(),
            Self::Clock(time) => {
                let today = now.to_zoned(zone.clone()).date();
                let on_that_day = today.to_datetime(*time).to_zoned(zone.clone()).map_err(invalid)?;
                match on_that_day.timestamp() > now {
                    true => on_that_day.checked_sub(1.day()).map_err(invalid)?.timestamp(),
                    false => on_that_day.timestamp(),
                }
            }
        };
        if time > now { fail!("--at {time} is later than the cluster state ({now})") } else { Ok(time) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_is_its_last_occurrence() {
        let now = "2026-11-20T09:15:00Z".parse().unwrap();
        let at =
            |text: &str| text.parse::<PastTime>().unwrap().before(now, &TimeZone::UTC).map(|time| time.to_string());
        assert_eq!(at("03:00").unwrap(), "2026-11-20T03:00:00Z");
        assert_eq!(at("3:00").unwrap(), "2026-11-20T03:00:00Z");
        assert_eq!(at("23:00").unwrap(), "2026-11-19T23:00:00Z");
        assert_eq!(at("2026-11-18 03:00").unwrap(), "2026-11-18T03:00:00Z");
        assert_eq!(at("2026-11-18T03:00:00+01:00").unwrap(), "2026-11-18T02:00:00Z");
        assert!(at("2027-01-01 00:00").is_err());
        assert!("at three".parse::<PastTime>().is_err());
    }
}
