//! Timestamps and durations of CEL, which the crate only has together with another library for time.

use std::any::Any;
use std::cmp::Ordering;

use cel::common::traits::{Adder, Comparer, Subtractor};
use cel::common::types::{CelInt, CelString, STRING_TYPE, Type};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{DeclarationError, Env, ExecutionError};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp, Zoned};

static TIMESTAMP: Type = Type::new_unspecified_type("google.protobuf.Timestamp");
static DURATION: Type = Type::new_unspecified_type("google.protobuf.Duration");

/// A point in time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CelMoment(Timestamp);

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CelSpan(SignedDuration);

type Evaluated<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

fn failed(function: &str, reason: impl ToString) -> ExecutionError {
    ExecutionError::function_error(function, reason)
}

fn no_overload(operator: &str) -> ExecutionError {
    failed(operator, "it has no such operands")
}

/// Implements a value that is compared with its own kind, is added, and is subtracted.
macro_rules! declare_value {
    ($name:ident, $kind:ident) => {
        impl Val for $name {
            fn get_type(&self) -> &Type {
                &$kind
            }
            fn cel_type() -> &'static Type {
                &$kind
            }
            fn as_adder<'b, 'v>(&'b self) -> Option<&'b (dyn Adder + 'v)>
            where
                Self: 'v,
            {
                Some(self)
            }
            fn as_subtractor<'b, 'v>(&'b self) -> Option<&'b (dyn Subtractor + 'v)>
            where
                Self: 'v,
            {
                Some(self)
            }
            fn as_comparer(&self) -> Option<&dyn Comparer> {
                Some(self)
            }
            fn equals(&self, other: &dyn Val) -> bool {
                other.downcast_ref::<Self>().is_some_and(|other| self == other)
            }
            fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
            where
                Self: 'v,
            {
                Box::new(*self)
            }
            fn as_any(&self) -> Option<&dyn Any> {
                Some(self)
            }
        }

        impl StaticVal for $name {}

        impl Comparer for $name {
            fn compare(&self, other: &dyn Val) -> Result<Ordering, ExecutionError> {
                let other = other.downcast_ref::<Self>().ok_or_else(|| no_overload("compare"))?;
                Ok(self.0.cmp(&other.0))
            }
        }
    };
}

declare_value!(CelMoment, TIMESTAMP);
declare_value!(CelSpan, DURATION);

impl Adder for CelMoment {
    fn add<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Evaluated<'b, 'v>
    where
        Self: 'v,
    {
        let span = other.downcast_ref::<CelSpan>().ok_or_else(|| no_overload("+"))?;
        Ok(CowVal::owned(Self(self.0.checked_add(span.0).map_err(|error| failed("+", error))?)))
    }
}

impl Subtractor for CelMoment {
    fn sub<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Evaluated<'b, 'v>
    where
        Self: 'v,
    {
        if let Some(earlier) = other.downcast_ref::<Self>() {
            return Ok(CowVal::owned(CelSpan(self.0.duration_since(earlier.0))));
        }
        let span = other.downcast_ref::<CelSpan>().ok_or_else(|| no_overload("-"))?;
        Ok(CowVal::owned(Self(self.0.checked_sub(span.0).map_err(|error| failed("-", error))?)))
    }
}

impl Adder for CelSpan {
    fn add<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Evaluated<'b, 'v>
    where
        Self: 'v,
    {
        if let Some(moment) = other.downcast_ref::<CelMoment>() {
            return Ok(CowVal::owned(CelMoment(moment.0.checked_add(self.0).map_err(|error| failed("+", error))?)));
        }
        let span = other.downcast_ref::<Self>().ok_or_else(|| no_overload("+"))?;
        Ok(CowVal::owned(Self(self.0.checked_add(span.0).ok_or_else(|| failed("+", "it is too long"))?)))
    }
}

impl Subtractor for CelSpan {
    fn sub<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Evaluated<'b, 'v>
    where
        Self: 'v,
    {
        let span = other.downcast_ref::<Self>().ok_or_else(|| no_overload("-"))?;
        Ok(CowVal::owned(Self(self.0.checked_sub(span.0).ok_or_else(|| failed("-", "it is too long"))?)))
    }
}

fn timestamp_of_text(text: &CelString<'_>) -> Result<CelMoment, ExecutionError> {
    let text = text.inner();
    // RFC 3339, of which the parser knows extensions.
    let is_plain = text.len() >= 20 && text.as_bytes().get(10) == Some(&b'T') && !text.contains('[');
    let parsed = is_plain.then(|| text.parse()).and_then(Result::ok);
    parsed.map(CelMoment).ok_or_else(|| failed("timestamp", "it is no time"))
}

fn timestamp_of_number(seconds: &CelInt) -> Result<CelMoment, ExecutionError> {
    Timestamp::from_second(*seconds.inner()).map(CelMoment).map_err(|error| failed("timestamp", error))
}

fn same_timestamp(moment: &CelMoment) -> CelMoment {
    *moment
}

fn text_of_timestamp(moment: &CelMoment) -> CelString<'static> {
    moment.0.to_string().into()
}

fn number_of_timestamp(moment: &CelMoment) -> CelInt {
    moment.0.as_nanosecond().div_euclid(1_000_000_000).try_into().unwrap_or(i64::MAX).into()
}

fn duration_of_text(text: &CelString<'_>) -> Result<CelSpan, ExecutionError> {
    let text = text.inner();
    if matches!(text, "0" | "-0" | "+0") {
        return Ok(CelSpan(SignedDuration::ZERO));
    }
    // The notation of Go, of which the parser knows extensions.
    let is_plain = text.chars().all(|c| c.is_ascii_digit() || "+-.hmsunµ".contains(c));
    let parsed = is_plain.then(|| text.parse()).and_then(Result::ok);
    parsed.map(CelSpan).ok_or_else(|| failed("duration", "it is no duration"))
}

fn same_duration(span: &CelSpan) -> CelSpan {
    *span
}

fn text_of_duration(span: &CelSpan) -> CelString<'static> {
    let (seconds, fraction) = (span.0.as_secs(), span.0.subsec_nanos().unsigned_abs());
    let sign = if span.0.is_negative() { "-" } else { "" };
    let digits = format!(".{fraction:09}");
    format!("{sign}{}{}s", seconds.unsigned_abs(), digits.trim_end_matches('0').trim_end_matches('.')).into()
}

fn hours_of_duration(span: &CelSpan) -> CelInt {
    span.0.as_hours().into()
}

fn minutes_of_duration(span: &CelSpan) -> CelInt {
    span.0.as_mins().into()
}

fn seconds_of_duration(span: &CelSpan) -> CelInt {
    span.0.as_secs().into()
}

fn milliseconds_of_duration(span: &CelSpan) -> CelInt {
    i64::try_from(span.0.as_millis()).unwrap_or(i64::MAX).into()
}

/// Reads the name of a zone, or an offset such as `+02:00`.
fn zone(name: &str) -> Result<TimeZone, ExecutionError> {
    let unknown = || failed("timezone", "it is no time zone");
    let Some((hours, minutes)) = name.split_once(':') else {
        return if name.is_empty() { Ok(TimeZone::UTC) } else { TimeZone::get(name).map_err(|_| unknown()) };
    };
    let (hour, minute): (i32, i32) = hours.parse().ok().zip(minutes.parse().ok()).ok_or_else(unknown)?;
    let minute = if hours.starts_with('-') { -minute } else { minute };
    let is_zone = hour.abs() < 24 && minute.abs() < 60;
    let offset = is_zone.then(|| Offset::from_seconds((hour * 60 + minute) * 60)).and_then(Result::ok);
    offset.map(TimeZone::fixed).ok_or_else(unknown)
}

/// Returns a part of a timestamp, in the zone of the second argument.
fn part_of<'b, 'v>(arguments: &[CowVal<'b, 'v>], part: fn(&Zoned) -> i64) -> Evaluated<'b, 'v> {
    let moment = arguments.first().and_then(|moment| moment.downcast_ref::<CelMoment>());
    let moment = moment.ok_or_else(|| no_overload("timestamp"))?;
    let zone = match arguments.get(1).and_then(|name| name.downcast_ref::<CelString<'_>>()) {
        Some(name) => zone(name.inner())?,
        None => TimeZone::UTC,
    };
    Ok(CowVal::owned(CelInt::from(part(&moment.0.to_zoned(zone)))))
}

macro_rules! declare_parts {
    ($env:expr, $($name:literal: $part:expr,)*) => {$(
        let (plain, zoned) = (concat!("timestamp.", $name), concat!("timestamp.zoned.", $name));
        $env.add_member_overload($name, plain, TIMESTAMP.to_owned(), vec![], |all| part_of(&all, $part))?;
        $env.add_member_overload($name, zoned, TIMESTAMP.to_owned(), vec![STRING_TYPE], |all| part_of(&all, $part))?;
    )*};
}

/// Declares the functions of the standard library for times.
pub(super) fn declare(env: &mut Env) -> Result<(), DeclarationError> {
    cel::add_overload!(env, fn timestamp_of_text: (CelString) -> Result<CelMoment>, name = "timestamp", id = "time_text")?;
    cel::add_overload!(env, fn timestamp_of_number: (CelInt) -> Result<CelMoment>, name = "timestamp", id = "time_int")?;
    cel::add_overload!(env, fn same_timestamp: (CelMoment) -> CelMoment, name = "timestamp", id = "time_same")?;
    cel::add_overload!(env, fn text_of_timestamp: (CelMoment) -> CelString, name = "string", id = "text_time")?;
    cel::add_overload!(env, fn number_of_timestamp: (CelMoment) -> CelInt, name = "int", id = "int_time")?;
    cel::add_overload!(env, fn duration_of_text: (CelString) -> Result<CelSpan>, name = "duration", id = "span_text")?;
    cel::add_overload!(env, fn same_duration: (CelSpan) -> CelSpan, name = "duration", id = "span_same")?;
    cel::add_overload!(env, fn text_of_duration: (CelSpan) -> CelString, name = "string", id = "text_span")?;
    cel::add_member_overload!(env, fn hours_of_duration: (CelSpan) -> CelInt, name = "getHours")?;
    cel::add_member_overload!(env, fn minutes_of_duration: (CelSpan) -> CelInt, name = "getMinutes")?;
    cel::add_member_overload!(env, fn seconds_of_duration: (CelSpan) -> CelInt, name = "getSeconds")?;
    cel::add_member_overload!(env, fn milliseconds_of_duration: (CelSpan) -> CelInt, name = "getMilliseconds")?;
    declare_parts!(env,
        "getFullYear": |time| time.year().into(),
        "getMonth": |time| i64::from(time.month()) - 1,
        "getDayOfYear": |time| i64::from(time.day_of_year()) - 1,
        "getDayOfMonth": |time| i64::from(time.day()) - 1,
        "getDate": |time| time.day().into(),
        "getDayOfWeek": |time| time.weekday().to_sunday_zero_offset().into(),
        "getHours": |time| time.hour().into(),
        "getMinutes": |time| time.minute().into(),
        "getSeconds": |time| time.second().into(),
        "getMilliseconds": |time| time.millisecond().into(),
    );
    Ok(())
}
