//! Schedules in cron's notation, as the library `robfig/cron` reads them: minute, hour, day, month, weekday.

use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, ToSpan as _};

/// A schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CronSchedule {
    minutes: u64,
    hours: u64,
    days: DayField,
    months: u64,
    weekdays: DayField,
}

/// A field that selects days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DayField {
    bits: u64,
    /// True if it includes `*`.
    is_star: bool,
}

/// A schedule of February 29 runs within this time.
const LONGEST_SEARCH: i64 = 9 * 366;

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

impl CronSchedule {
    /// Reads a schedule; `None` if it is not one. Time zones and descriptors such as `@daily` are not read.
    pub fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields.as_slice() else { return None };
        Some(Self {
            minutes: field(minute, 0, 59, &[])?.bits,
            hours: field(hour, 0, 23, &[])?.bits,
            days: field(day, 1, 31, &[])?,
            months: field(month, 1, 12, &MONTHS)?.bits,
            weekdays: field(weekday, 0, 6, &WEEKDAYS)?,
        })
    }

    /// Returns the last run before a time.
    pub fn last_before(&self, time: DateTime) -> Option<DateTime> {
        let moment = time.checked_sub(SignedDuration::from_nanos(1)).ok()?;
        let mut latest = (moment.hour(), moment.minute());
        let mut day = moment.date();
        let first = day.checked_sub(LONGEST_SEARCH.days()).ok()?;
        while day > first {
            if self.runs_on(day)
                && let Some((hour, minute)) = self.times().rev().find(|found| *found <= latest)
            {
                return Some(day.at(hour, minute, 0, 0));
            }
            latest = (23, 59);
            let next = if is_in(self.months, day.month()) { day } else { day.first_of_month() };
            day = next.yesterday().ok()?;
        }
        None
    }

    /// Returns the first run after a time.
    pub fn next_after(&self, time: DateTime) -> Option<DateTime> {
        let mut day = time.date();
        let last = day.checked_add(LONGEST_SEARCH.days()).ok()?;
        while day < last {
            if self.runs_on(day) {
                let mut times = self.times().map(|(hour, minute)| day.at(hour, minute, 0, 0));
                if let Some(found) = times.find(|found| *found > time) {
                    return Some(found);
                }
            }
            let next = if is_in(self.months, day.month()) { day } else { day.last_of_month() };
            day = next.tomorrow().ok()?;
        }
        None
    }

    /// If both day fields are restricted, one of them is enough.
    fn runs_on(&self, day: Date) -> bool {
        let by_day = is_in(self.days.bits, day.day());
        let by_weekday = is_in(self.weekdays.bits, day.weekday().to_sunday_zero_offset());
        let is_any = self.days.is_star || self.weekdays.is_star;
        is_in(self.months, day.month()) && if is_any { by_day && by_weekday } else { by_day || by_weekday }
    }

    fn times(&self) -> impl DoubleEndedIterator<Item = (i8, i8)> {
        let (hours, minutes) = (self.hours, self.minutes);
        let at = move |hour| (0..60).filter(move |minute| is_in(minutes, *minute)).map(move |minute| (hour, minute));
        (0..24).filter(move |hour| is_in(hours, *hour)).flat_map(at)
    }
}

fn is_in(bits: u64, value: i8) -> bool {
    u32::try_from(value).is_ok_and(|value| bits.checked_shr(value).is_some_and(|rest| rest & 1 == 1))
}

fn field(text: &str, least: u32, most: u32, names: &[&str]) -> Option<DayField> {
    let mut all = DayField { bits: 0, is_star: false };
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step.parse::<u32>().ok().filter(|step| *step > 0)?)),
            None => (part, None),
        };
        let (first, last) = match range.split_once('-') {
            _ if range == "*" || range == "?" => {
                // `*/1` is the same as `*`, and other steps are restrictions.
                all.is_star |= step.unwrap_or(1) == 1;
                (least, most)
            }
            Some((first, last)) => (number(first, least, names)?, number(last, least, names)?),
            None => {
                let first = number(range, least, names)?;
                (first, if step.is_some() { most } else { first })
            }
        };
        if first < least || last > most || first > last {
            return None;
        }
        let step = usize::try_from(step.unwrap_or(1)).ok()?;
        all.bits |= (first..=last).step_by(step).fold(0, |bits, value| bits | 1 << value);
    }
    (all.bits != 0).then_some(all)
}

fn number(text: &str, least: u32, names: &[&str]) -> Option<u32> {
    let named = names.iter().zip(least..).find(|(name, _)| text.eq_ignore_ascii_case(name));
    named.map(|(_, number)| number).or_else(|| text.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> DateTime {
        text.parse().unwrap()
    }

    #[test]
    fn runs_before_and_after_a_time() {
        for (schedule, last, next) in [
            ("* * * * *", "2026-11-29T03:35", "2026-11-29T03:37"),
            ("0 22 * * *", "2026-11-28T22:00", "2026-11-29T22:00"),
            ("*/15 3-5,9 * * *", "2026-11-29T03:30", "2026-11-29T03:45"),
            ("36 3 * * *", "2026-11-28T03:36", "2026-11-30T03:36"),
            ("0 0 * * MON-FRI", "2026-11-27T00:00", "2026-11-30T00:00"),
            ("0 0 1 * *", "2026-11-01T00:00", "2026-12-01T00:00"),
            ("0 0 1 jan ?", "2026-01-01T00:00", "2027-01-01T00:00"),
            // Either day field is enough if both are restricted.
            ("0 0 1 * 6", "2026-11-28T00:00", "2026-12-01T00:00"),
            ("0 0 29 2 *", "2024-02-29T00:00", "2028-02-29T00:00"),
            ("50/5 * * * *", "2026-11-29T02:55", "2026-11-29T03:50"),
        ] {
            let found = CronSchedule::parse(schedule).unwrap_or_else(|| panic!("{schedule}"));
            let now = time("2026-11-29T03:36");
            assert_eq!(found.last_before(now), Some(time(last)), "{schedule}");
            assert_eq!(found.next_after(now), Some(time(next)), "{schedule}");
        }
        assert_eq!(CronSchedule::parse("0 0 31 2 *").unwrap().next_after(time("2026-11-29T03:36")), None);
    }

    #[test]
    fn other_texts_are_not_schedules() {
        for text in ["", "* * * *", "@daily", "60 * * * *", "* * * * 7", "5-1 * * * *", "*/0 * * * *", "a * * * *"] {
            assert_eq!(CronSchedule::parse(text), None, "{text}");
        }
    }
}
