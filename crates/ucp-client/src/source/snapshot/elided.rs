//! Values of Secrets that another program has replaced.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

use ucp_core::model::secrecy::HIDDEN;

/// Replaces the values that `oc adm inspect` writes for a Secret's data (`pkg/cli/admin/inspect/secret.go`). They only
/// contain the length, so different values of one length would be equal.
pub(super) fn redact_elided(object: &mut Value) {
    const ELIDED: &str = " bytes long";
    let is_elided = |value: &Value| {
        let bytes = value.as_str().and_then(|text| BASE64.decode(text).ok());
        let text = bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()?.strip_suffix(ELIDED));
        text.is_some_and(|size| !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if object.get("kind").and_then(Value::as_str) != Some("Secret") {
        return;
    }
    let data = object.get_mut("data").and_then(Value::as_object_mut);
    data.into_iter().flat_map(|data| data.values_mut()).filter(|value| is_elided(value)).for_each(|value| {
        *value = Value::from(HIDDEN);
    });
}
