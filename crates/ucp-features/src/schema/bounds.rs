//! Limits of single values: types, enums, ranges, lengths, patterns, and formats.

use std::net::{Ipv4Addr, Ipv6Addr};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use regex::Regex;
use serde_json::Value;

use ucp_core::model::secrecy::is_hidden_value;

use super::node::SchemaNode;
use super::walk::SchemaWalk;

/// Formats that the server checks, and this module does not. The server ignores all others. Source: `supportedVersionedFormats`
/// of apiextensions-apiserver.
const UNCHECKED_FORMATS: [&str; 22] = [
    "bsonobjectid",
    "cidr",
    "creditcard",
    "date",
    "datetime",
    "duration",
    "email",
    "hexcolor",
    "hostname",
    "isbn",
    "isbn10",
    "isbn13",
    "k8s-long-name",
    "k8s-short-name",
    "mac",
    "rgbcolor",
    "ssn",
    "uri",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
];
/// Parts of a pattern that mean something else in Go for a text that is not ASCII.
const ASCII_CLASSES: [&str; 8] = [r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\b", r"\B"];
/// Parts of a class in brackets that are operators in Rust, and characters in Go.
const CLASS_OPERATORS: [&str; 3] = ["&&", "--", "~~"];
/// Longest part of a pattern in a clause, in characters.
const LONGEST_PATTERN: usize = 120;

impl<'a> SchemaNode<'a> {
    /// Reports a value of another type. The clause never contains the value, which may be a secret.
    pub(super) fn has_type(self, value: &Value, walk: &mut SchemaWalk) -> bool {
        let expected =
            if self.is_marked("x-kubernetes-int-or-string") { "integer or string" } else { self.type_name() };
        let is_integral = value.as_f64().is_some_and(|number| number.fract() == 0.0);
        let fits = match expected {
            _ if value.is_null() => self.is_nullable() || expected.is_empty(),
            "integer or string" => value.is_string() || is_integral,
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => is_integral,
            "number" => value.is_number(),
            _ => true,
        };
        if !fits {
            let article = if expected.starts_with(['a', 'i', 'o']) { "an" } else { "a" };
            walk.add(&format!("must be {article} {expected}"));
        }
        fits
    }

    /// Reports a value that is none of the allowed ones.
    pub(super) fn check_enum(self, value: &Value, walk: &mut SchemaWalk) {
        if let Some(allowed) = self.0.get("enum").and_then(Value::as_array)
            && !allowed.contains(value)
            && !value.as_str().is_some_and(is_hidden_value)
        {
            walk.add("is none of the allowed values");
        }
    }

    /// Reports the limits that a value exceeds.
    pub(super) fn check_bounds(self, value: &Value, walk: &mut SchemaWalk) {
        match value {
            Value::String(text) if is_hidden_value(text) => walk.add_doubt("is hidden"),
            Value::String(text) => self.check_text(text, walk),
            Value::Number(number) => self.check_number(number.as_f64().unwrap_or_default(), walk),
            Value::Array(items) => self.check_count(items.len(), ["minItems", "maxItems"], "items", walk),
            Value::Object(fields) => {
                self.check_count(fields.len(), ["minProperties", "maxProperties"], "fields", walk);
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn limit(self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(Value::as_f64)
    }

    #[allow(clippy::cast_precision_loss, reason = "no list or text has 2^52 parts")]
    fn check_count(self, count: usize, [least, most]: [&str; 2], noun: &str, walk: &mut SchemaWalk) {
        if let Some(limit) = self.limit(least).filter(|limit| (count as f64) < *limit) {
            walk.add(&format!("must have at least {limit} {noun}"));
        }
        if let Some(limit) = self.limit(most).filter(|limit| (count as f64) > *limit) {
            walk.add(&format!("must have at most {limit} {noun}"));
        }
    }

    fn check_text(self, text: &str, walk: &mut SchemaWalk) {
        self.check_count(text.chars().count(), ["minLength", "maxLength"], "characters", walk);
        if let Some(pattern) = self.0.get("pattern").and_then(Value::as_str) {
            let shown: String = pattern.chars().take(LONGEST_PATTERN).collect();
            match comparable_pattern(pattern, text) {
                Some(regex) if regex.is_match(text) => {}
                Some(_) => walk.add(&format!("must match {shown}")),
                None => walk.add_doubt(&format!("has a pattern that cannot be evaluated: {shown}")),
            }
        }
        let Some(format) = self.0.get("format").and_then(Value::as_str) else { return };
        let fits = match format {
            "date-time" => matches!(text.as_bytes().get(10), Some(b'T' | b't')) && text.parse::<Timestamp>().is_ok(),
            "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
            "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
            "byte" => STANDARD.decode(text).is_ok(),
            _ if UNCHECKED_FORMATS.contains(&format) => {
                return walk.add_doubt(&format!("has the format {format}, which is not evaluated"));
            }
            _ => true,
        };
        if !fits {
            walk.add(&format!("must have the format {format}"));
        }
    }

    fn check_number(self, number: f64, walk: &mut SchemaWalk) {
        let is_exclusive = |name: &str| self.0.get(name) == Some(&Value::Bool(true));
        if let Some(limit) = self.limit("minimum") {
            let (fits, words) = match is_exclusive("exclusiveMinimum") {
                true => (number > limit, "more than"),
                false => (number >= limit, "at least"),
            };
            if !fits {
                walk.add(&format!("must be {words} {limit}"));
            }
        }
        if let Some(limit) = self.limit("maximum") {
            let (fits, words) = match is_exclusive("exclusiveMaximum") {
                true => (number < limit, "less than"),
                false => (number <= limit, "at most"),
            };
            if !fits {
                walk.add(&format!("must be {words} {limit}"));
            }
        }
        if let Some(step) = self.limit("multipleOf").filter(|step| *step > 0.0)
            && (number / step - (number / step).round()).abs() > 1e-9
        {
            walk.add(&format!("must be a multiple of {step}"));
        }
        if self.0.get("format").and_then(Value::as_str) == Some("int32")
            && !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number)
        {
            walk.add("must have the format int32");
        }
    }
}

/// Returns the pattern, if it means the same in Go for this text.
fn comparable_pattern(pattern: &str, text: &str) -> Option<Regex> {
    let has_any = |parts: &[&str]| parts.iter().any(|part| pattern.contains(part));
    let is_other =
        (!text.is_ascii() && has_any(&ASCII_CLASSES)) || (pattern.contains('[') && has_any(&CLASS_OPERATORS));
    Regex::new(pattern).ok().filter(|_| !is_other)
}
