//! Fields whose names are harmless in most objects: `auth`, `primaryKey`. Their values are secrets only if they look issued.

use serde_json::Value;

use super::super::names::{is_public_name, is_reference_name, meaning};
use super::super::ordinary::{SecretOrigin, ValueShape, shape};
use super::roles::{FieldRole, role};
use super::value::is_opaque;

/// Length of the shortest value with slashes that can be base64 and no path.
const SHORTEST_ENCODED: usize = 32;

/// Returns true if a field of this name holds a secret in some objects.
pub(in super::super) fn is_doubtful_name(name: &str) -> bool {
    let meaning = meaning(name);
    let is_ambiguous = meaning.is_ambiguous && !name.eq_ignore_ascii_case("key");
    is_ambiguous || meaning.is_rarely_secret || meaning.is_cookie
}

/// Returns true for a value that a program or a password manager made, and no name, address, or setting.
pub(super) fn is_issued(value: &str) -> bool {
    let is_encoded = || {
        value.len() >= SHORTEST_ENCODED
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte))
    };
    is_opaque(value)
        && shape(value, SecretOrigin::Any) == ValueShape::Random
        && !value.contains("://")
        && !value.starts_with("arn:")
        && (!value.contains('/') || is_encoded())
}

/// Returns true for an issued value, or a list with one.
pub(super) fn holds_issued(value: &Value) -> bool {
    match value {
        Value::String(text) => is_issued(text),
        Value::Array(items) => items.iter().any(|item| item.as_str().is_some_and(is_issued)),
        _ => false,
    }
}

/// Replaces the issued values of a field with a doubtful name: its text, those of its list, and those directly below it.
pub(super) fn replace_issued(value: &mut Value, replacement: &mut dyn FnMut(&str) -> String) {
    let mut replace = |value: &mut Value| {
        if let Value::String(text) = value
            && is_issued(text)
        {
            *text = replacement(text);
        }
    };
    match value {
        Value::Array(items) => items.iter_mut().for_each(replace),
        Value::Object(fields) => {
            let is_value = |name: &str| {
                role(name).is_some_and(|(role, _)| role == FieldRole::Value)
                    || !is_reference_name(name) && !is_public_name(name)
            };
            fields.iter_mut().filter(|(name, _)| is_value(name)).for_each(|(_, value)| replace(value));
        }
        other => replace(other),
    }
}
