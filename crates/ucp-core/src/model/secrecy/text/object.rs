//! Secrets in objects: values of Secrets, of fields with secret-like names, and in texts.

use serde_json::Value;

use super::super::names::{is_code, is_reference_name, is_secret_name, meaning};
use super::doubtful::{is_doubtful_name, replace_issued};
use super::field_name::{FieldsOf, replace_names};
use super::file::replace_in_file;
use super::labels::{is_pair_name, labelled_values};
use super::roles::{FieldRole, role};
use super::value::is_opaque;
use super::words::{is_prose, is_technical};
use super::{replace_at, secrets_at};
use crate::model::comparison::parse_document;

/// Limit of nested documents.
const DEEPEST: usize = 4;
/// The identifier of a key in its file.
pub(in super::super) const KEY_OF_ACCOUNT: &str = "private_key_id";
/// The field next to the `keys` with which Vault is unsealed.
pub(in super::super) const KEYS_OF_VAULT: &str = "keys_base64";
/// The field that makes an object a JSON Web Key, and its members that are private (RFC 7518).
pub(in super::super) const TYPE_OF_WEB_KEY: &str = "kty";
const PRIVATE_MEMBERS: [&str; 7] = ["k", "d", "p", "q", "dp", "dq", "qi"];
/// Kind of a list of Secrets.
pub(in super::super) const SECRET_LIST: &str = "SecretList";

/// Replaces every secret of an object.
pub(in super::super) fn replace_in_object(value: &mut Value, replacement: &mut dyn FnMut(&str) -> String) {
    replace_in_object_at(value, 0, replacement);
}

/// Replaces the secrets of an object at a nesting depth.
pub(super) fn replace_in_object_at(value: &mut Value, depth: usize, replacement: &mut dyn FnMut(&str) -> String) {
    let is_secret = is_secret(value);
    match value {
        Value::Object(fields) => {
            replace_names(fields, FieldsOf::Other, replacement);
            replace_in_list(fields, replacement);
            let value_fields = labelled_values(fields);
            let is_generated = fields.contains_key("literals");
            // External Secrets: `{secretKey: password, remoteRef: …}` refers to a key.
            let is_mapped = fields.contains_key("remoteRef");
            // A key of Google Cloud is hidden as a whole.
            let is_account = fields.get("type").is_some_and(|kind| kind == "service_account");
            let is_initial = fields.contains_key(KEYS_OF_VAULT);
            let is_web_key = fields.contains_key(TYPE_OF_WEB_KEY);
            for (name, value) in fields {
                // Only Secrets have `stringData`, also in patches of them.
                let within_secret = is_secret && name == "data" || name.eq_ignore_ascii_case("stringData");
                let is_key = is_mapped && name == "secretKey";
                let is_labelled = value_fields.contains(name);
                // Field of a kustomization's `secretGenerator`.
                if is_generated && name == "literals"
                    || within_secret
                    || is_labelled
                    || is_secret_name(name) && is_text(value) && !is_key
                    || is_header(name, value)
                    || is_account && name == KEY_OF_ACCOUNT
                    || is_initial && name == "keys"
                    || is_web_key && PRIVATE_MEMBERS.contains(&name.as_str()) && is_text(value)
                    || meaning(name).is_routing && value.as_str().is_some_and(is_code)
                {
                    replace_all(value, replacement);
                } else if !replace_in_file(name, value, replacement) {
                    if is_secret_name(name) && !is_key {
                        replace_values_below(value, replacement);
                    } else if is_doubtful_name(name) {
                        replace_issued(value, replacement);
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
                && let Some(mut document) = parse_document(text)
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
    let mut hidden: Vec<(usize, Vec<std::ops::Range<usize>>)> = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let whole = start..start + text.len();
        start = whole.end + 1;
        // A document is replaced by the policy for objects, as long as it is one.
        if text.starts_with(['{', '[']) && parse_document(text).is_some() {
            continue;
        }
        let within: Vec<_> = secrets
            .iter()
            .filter(|secret| secret.start < whole.end && whole.start < secret.end)
            .map(|secret| secret.start.max(whole.start) - whole.start..secret.end.min(whole.end) - whole.start)
            .collect();
        if !within.is_empty() {
            hidden.push((index, within));
        } else if has_login && text.len() > 2 && text.starts_with("-p") && !text[2..].starts_with('=') {
            hidden.push((index, std::iter::once(2..text.len()).collect()));
        }
    }
    for (index, ranges) in hidden {
        if let Value::String(text) = &mut items[index] {
            for range in ranges.into_iter().rev() {
                let secret = replacement(&text[range.clone()]);
                text.replace_range(range, &secret);
            }
        }
    }
}

/// Replaces the secret of `password: {value: …}`, at any depth below the field. References to secrets and settings are
/// kept.
fn replace_values_below(value: &mut Value, replacement: &mut dyn FnMut(&str) -> String) {
    match value {
        Value::Object(fields) => {
            replace_names(fields, FieldsOf::Secret, replacement);
            for (name, value) in fields {
                let is_value = role(name).is_some_and(|(role, _)| role == FieldRole::Value);
                let is_text = is_text(value) && (is_value || !is_reference_name(name) && !is_setting(value));
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

/// Replaces the data of each Secret in a list of the API server, whose items have no kind.
fn replace_in_list(fields: &mut serde_json::Map<String, Value>, replacement: &mut dyn FnMut(&str) -> String) {
    if fields.get("kind").and_then(Value::as_str) == Some(SECRET_LIST) {
        let items = fields.get_mut("items").and_then(Value::as_array_mut).into_iter().flatten();
        items.filter_map(|item| item.get_mut("data")).for_each(|data| replace_all(data, replacement));
    }
}

/// Returns true for a Secret, also without a version, as in the items of a list.
fn is_secret(object: &Value) -> bool {
    let text = |field: &str| object.get(field).and_then(Value::as_str);
    text("kind") == Some("Secret") && matches!(text("apiVersion"), None | Some("v1"))
}
