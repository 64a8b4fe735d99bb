//! Values as jq compares, measures, and changes them.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use ucp_core::failure::{Failure, fail};

/// Returns the order of two values in jq: null, false, true, numbers, texts, lists, objects.
pub(super) fn compare(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => compare_numbers(one, other),
        (Value::String(one), Value::String(other)) => one.cmp(other),
        (Value::Array(one), Value::Array(other)) => {
            let unequal = one.iter().zip(other).map(|(one, other)| compare(one, other)).find(|order| order.is_ne());
            unequal.unwrap_or_else(|| one.len().cmp(&other.len()))
        }
        (Value::Object(one), Value::Object(other)) => {
            let sorted = |fields: &serde_json::Map<String, Value>| {
                let mut names: Vec<String> = fields.keys().cloned().collect();
                names.sort_unstable();
                names
            };
            let names = sorted(one);
            names.cmp(&sorted(other)).then_with(|| {
                let unequal = names.iter().map(|name| compare(&one[name], &other[name])).find(|order| order.is_ne());
                unequal.unwrap_or(Ordering::Equal)
            })
        }
        _ => rank(one).cmp(&rank(other)),
    }
}

fn compare_numbers(one: &Number, other: &Number) -> Ordering {
    match (one.as_i64(), other.as_i64()) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Less),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(false) => 1,
        Value::Bool(true) => 2,
        Value::Number(_) => 3,
        Value::String(_) => 4,
        Value::Array(_) => 5,
        Value::Object(_) => 6,
    }
}

/// Returns the memory that a value occupies, in units of about 64 bytes.
pub(super) fn weight(value: &Value) -> u64 {
    let text = |text: &str| text.len() as u64 / 64;
    1 + match value {
        Value::String(one) => text(one),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(fields) => fields.iter().map(|(name, field)| 1 + text(name) + weight(field)).sum(),
        _ => 0,
    }
}

/// Returns true unless a value is null or false.
pub(super) fn is_true(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
}

/// Returns the name of the type of a value.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns a number, whole if it is.
pub(super) fn number(value: f64) -> Value {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    match value.fract() == 0.0 && value.abs() < LARGEST {
        true => Value::from(value as i64),
        false => Number::from_f64(value).map_or(Value::Null, Value::Number),
    }
}

/// Returns a value as text: texts as they are, others as JSON.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns true if a value contains another one: texts as parts, lists and objects by their items.
pub(super) fn contains(value: &Value, part: &Value) -> Result<bool, Failure> {
    Ok(match (value, part) {
        (Value::Object(fields), Value::Object(parts)) => {
            for (name, part) in parts {
                match fields.get(name) {
                    Some(field) if contains(field, part)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        (Value::Array(items), Value::Array(parts)) => {
            parts.iter().all(|part| items.iter().any(|item| contains(item, part).unwrap_or_default()))
        }
        (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
        (one, other) if type_name(one) == type_name(other) => compare(one, other).is_eq(),
        (one, other) => return fail!("{} cannot contain {}", type_name(one), type_name(other)),
    })
}
