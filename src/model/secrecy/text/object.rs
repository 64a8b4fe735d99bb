//! Secrets in objects: values of Secrets, of fields with secret-like names, and in texts.

use serde_json::Value;

use super::super::names::{SECURE_STRING, is_secret_name, is_value_label, without_ending};
use super::replace_at;

/// Limit of nested documents.
const DEEPEST: usize = 4;
/// Fields that name the `value` next to them.
pub(in super::super) const LABELS: [&str; 5] = ["name", "key", "Name", "Key", "path"];

/// Replaces every secret of an object.
pub(in super::super) fn replace_in_object(value: &mut Value, replacement: &mut dyn FnMut(&str) -> String) {
    replace_in_object_at(value, 0, replacement);
}

/// Replaces the secrets of an object at a nesting depth.
pub(super) fn replace_in_object_at(value: &mut Value, depth: usize, replacement: &mut dyn FnMut(&str) -> String) {
    let is_secret = is_secret(value);
    match value {
        Value::Object(fields) => {
            let value_fields = labelled_values(fields);
            let is_generated = fields.contains_key("literals");
            // External Secrets: `{secretKey: password, remoteRef: …}` refers to a key.
            let is_mapped = fields.contains_key("remoteRef");
            for (name, value) in fields {
                let within_secret = is_secret && matches!(name.as_str(), "data" | "stringData");
                let is_key = is_mapped && name == "secretKey";
                let is_labelled = value_fields.iter().any(|field| name.eq_ignore_ascii_case(field));
                // Field of a kustomization's `secretGenerator`.
                if is_generated && name == "literals"
                    || within_secret
                    || is_labelled
                    || is_secret_name(name) && is_text(value) && !is_key
                {
                    replace_all(value, replacement);
                } else {
                    if is_secret_name(name) && !is_key {
                        replace_values_below(value, replacement);
                    }
                    replace_in_object_at(value, depth, replacement);
                }
            }
        }
        Value::Array(items) => {
            // `["--password", "X"]`: a flag and its value as the next item.
            let mut is_value = false;
            for item in items {
                let text = item.as_str().unwrap_or("-");
                let is_flag = secret_flag(text).is_some();
                match is_value && !text.starts_with('-') {
                    true => replace_all(item, replacement),
                    false => replace_in_object_at(item, depth, replacement),
                }
                is_value = is_flag;
            }
        }
        Value::String(text) => {
            // A JSON document in a string, such as the container definitions of ECS.
            if depth < DEEPEST
                && let Some(mut document) = crate::model::comparison::parse_document(text)
            {
                let before = document.clone();
                replace_in_object_at(&mut document, depth + 1, replacement);
                if document != before {
                    *text = document.to_string();
                }
            } else if let std::borrow::Cow::Owned(safe) = replace_at(text, depth, replacement) {
                *text = safe;
            }
        }
        _ => {}
    }
}

/// Returns the name of a flag whose value is a secret and a separate argument.
pub(in super::super) fn secret_flag(text: &str) -> Option<&str> {
    let name = text.strip_prefix('-')?.trim_start_matches('-');
    (!name.contains(['=', ' ', ':']) && is_secret_name(name)).then_some(name)
}

/// Returns the fields whose values the fields next to them name: `value` in `{name: DB_PASSWORD, value: …}`, as in
/// containers, Helm, and Terraform, and `fieldValue` in `{fieldName: password, fieldValue: …}`.
fn labelled_values(fields: &serde_json::Map<String, Value>) -> Vec<String> {
    let labels = |field: &str| fields.get(field).and_then(Value::as_str).is_some_and(is_value_label);
    let prefixed = fields.keys().filter_map(|field| Some((field, without_ending(field, "name")?)));
    let prefixed = prefixed.filter(|(field, _)| labels(field)).map(|(_, prefix)| format!("{prefix}value"));
    let is_secure = || fields.get("type").and_then(Value::as_str) == Some(SECURE_STRING);
    let has_label = LABELS.into_iter().any(labels) || is_secure();
    prefixed.chain(has_label.then(|| "value".to_owned())).collect()
}

/// Fields below a field with a secret-like name that are the secret itself, and no reference to it.
const VALUES: [&str; 10] =
    ["value", "values", "text", "plain", "plaintext", "raw", "pem", "content", "string", "literal"];

/// Replaces the secret of `password: {value: …}`, at any depth below the field.
fn replace_values_below(value: &mut Value, replacement: &mut dyn FnMut(&str) -> String) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_value = VALUES.iter().any(|field| name.eq_ignore_ascii_case(field));
                if is_value && (is_text(value) || value.is_number()) {
                    replace_all(value, replacement);
                } else {
                    replace_values_below(value, replacement);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replace_values_below(item, replacement)),
        _ => {}
    }
}

/// Returns true for a non-empty text, or a list of texts.
fn is_text(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty() && items.iter().all(Value::is_string),
        _ => false,
    }
}

pub(in super::super) fn replace_all(value: &mut Value, replacement: &mut dyn FnMut(&str) -> String) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|value| replace_all(value, replacement)),
        Value::Array(items) => items.iter_mut().for_each(|item| replace_all(item, replacement)),
        Value::Null => {}
        other => {
            let secret = other.as_str().map_or_else(|| other.to_string(), str::to_owned);
            // Hidden values are kept, since an object may be processed twice.
            if !secret.starts_with("<hidden value ") {
                *other = Value::String(replacement(&secret));
            }
        }
    }
}

/// Returns true for a Secret, also without a version, as in the items of a list.
fn is_secret(object: &Value) -> bool {
    let text = |field: &str| object.get(field).and_then(Value::as_str);
    text("kind") == Some("Secret") && matches!(text("apiVersion"), None | Some("v1"))
}
