//! Secrets in objects: values of Secrets, of fields with secret-like names, and in texts.

use serde_json::Value;

use super::super::names::{
    SECURE_STRING, is_generic_secret_name, is_reference_name, is_secret_name, is_value_label, meaning, without_ending,
};
use super::value::is_opaque;
use super::words::{is_prose, is_technical};
use super::{replace_at, secrets_at};

/// Limit of nested documents.
const DEEPEST: usize = 4;
/// Fields that name the `value` next to them.
pub(in super::super) const LABELS: [&str; 16] = [
    "name",
    "key",
    "Name",
    "Key",
    "path",
    "id",
    "field",
    "label",
    "variable",
    "parameter",
    "param",
    "property",
    "option",
    "header",
    "env",
    "envName",
];
/// Fields that are the value of the name next to them or above them, as in the parameters of plugins.
pub(in super::super) const VALUES: [&str; 13] = [
    "value",
    "values",
    "text",
    "plain",
    "plaintext",
    "raw",
    "pem",
    "content",
    "string",
    "literal",
    "array",
    "map",
    "default",
];

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
                // Only Secrets have `stringData`, also in patches of them.
                let within_secret = is_secret && name == "data" || name == "stringData";
                let is_key = is_mapped && name == "secretKey";
                let is_labelled = value_fields.iter().any(|field| name.eq_ignore_ascii_case(field));
                // Field of a kustomization's `secretGenerator`.
                if is_generated && name == "literals"
                    || within_secret
                    || is_labelled
                    || is_secret_name(name) && is_text(value) && !is_key
                    || is_header(name, value)
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
            replace_in_command(items, depth, replacement);
            // `["--password", "X"]`: a flag and its value as the next item.
            let mut is_value = false;
            for item in items.iter_mut() {
                let text = item.as_str().unwrap_or("-");
                let is_flag = secret_flag(text).is_some();
                match is_value && !text.starts_with('-') {
                    true => replace_all(item, replacement),
                    false => replace_in_object_at(item, depth, replacement),
                }
                is_value = is_flag;
            }
            // `["password", "X"]` and `[["user", "x"], ["password", "X"]]`: names and their values.
            let are_pairs = items.iter().all(|item| pair_of_texts(item).is_some());
            for item in items.iter_mut().filter(|_| are_pairs) {
                if pair_of_texts(item).is_some_and(|(name, value)| is_pair_name(name) && !value.is_empty()) {
                    replace_all(&mut item[1], replacement);
                }
            }
            if let [Value::String(name), Value::String(value)] = items.as_slice()
                && is_pair_name(name)
                && is_opaque(value)
            {
                replace_all(&mut items[1], replacement);
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
    // `{key: token, operator: In, values: […]}` selects labels.
    let values = if fields.contains_key("operator") { &VALUES[..1] } else { &VALUES[..] };
    prefixed.chain(values.iter().filter(|_| has_label).map(|field| (*field).to_owned())).collect()
}

/// Returns true if a text in a list can be the name of the next one. `Secret` is a kind.
fn is_pair_name(text: &str) -> bool {
    is_secret_name(text) && !is_generic_secret_name(text)
}

/// Returns the two texts of a list.
fn pair_of_texts(item: &Value) -> Option<(&str, &str)> {
    match item.as_array()?.as_slice() {
        [Value::String(name), Value::String(value)] => Some((name, value)),
        _ => None,
    }
}

/// Returns true if a field is a header with credentials, cookies, or a signature.
fn is_header(name: &str, value: &Value) -> bool {
    let is_value = |text: &str| is_opaque(text) || text.contains([' ', '=']) || !is_prose(text);
    let is_any = || match value {
        Value::String(text) => is_value(text),
        Value::Array(items) => items.iter().any(|item| item.as_str().is_some_and(is_value)),
        _ => false,
    };
    // Fields of APIs begin with a lower-case letter: `authorization: rbac`.
    let is_lower = name.starts_with(|c: char| c.is_ascii_lowercase());
    let meaning = meaning(name);
    let is_credential = meaning.is_authorization && (!is_lower || value.as_str().is_none_or(|text| text.contains(' ')));
    (meaning.is_cookie || meaning.is_signature_header || is_credential) && is_any()
}

/// Returns true for a flag of a program, unlike an item of a list in YAML.
fn is_flag(text: &str) -> bool {
    text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphanumeric()) && text.starts_with('-')
}

/// Replaces the secrets of a list of arguments that is a secret only as a command: `["docker", "login", "-p", "X"]`.
fn replace_in_command(items: &mut [Value], depth: usize, replacement: &mut dyn FnMut(&str) -> String) {
    let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    let Some(texts) = texts.filter(|texts| texts.iter().any(|text| is_flag(text))) else { return };
    let command = texts.join(" ");
    let has_login = texts.iter().any(|text| text.len() > 2 && text.starts_with("-u") && !text.contains('='));
    let secrets = secrets_at(&command, depth + 1);
    let mut start = 0;
    let mut hidden: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let whole = start..start + text.len();
        start = whole.end + 1;
        let within = secrets.iter().find(|secret| secret.start < whole.end && whole.start < secret.end);
        if let Some(secret) = within {
            hidden.push((index, secret.start.max(whole.start) - whole.start..secret.end.min(whole.end) - whole.start));
        } else if has_login && text.len() > 2 && text.starts_with("-p") && !text[2..].starts_with('=') {
            hidden.push((index, 2..text.len()));
        }
    }
    for (index, range) in hidden {
        if let Value::String(text) = &mut items[index] {
            let secret = replacement(&text[range.clone()]);
            text.replace_range(range, &secret);
        }
    }
}

/// Replaces the secret of `password: {value: …}`, at any depth below the field. References to secrets and settings are
/// kept.
fn replace_values_below(value: &mut Value, replacement: &mut dyn FnMut(&str) -> String) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_value = VALUES.iter().any(|field| name.eq_ignore_ascii_case(field));
                let is_text = is_text(value) && !is_reference_name(name) && !is_setting(value);
                if is_text || is_value && value.is_number() {
                    replace_all(value, replacement);
                } else if !is_reference_name(name) {
                    replace_values_below(value, replacement);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replace_values_below(item, replacement)),
        _ => {}
    }
}

/// Returns true for a switch or an enumerated value.
fn is_setting(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| text.len() <= 24 && (is_prose(text) || is_technical(text) || text.parse::<f64>().is_ok()))
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
