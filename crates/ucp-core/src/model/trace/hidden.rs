//! Secrets in traces: hidden in records, and never kept for Secrets.

use serde_json::Value;

use crate::model::secrecy::{HIDDEN, replace_secrets};

pub(super) fn is_secret(object: &Value) -> bool {
    object.get("kind").and_then(Value::as_str) == Some("Secret")
}

pub(super) fn hide(value: &mut Value) {
    replace_secrets(value, |_| HIDDEN.to_owned());
}
