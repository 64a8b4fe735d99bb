//! Secrets with values entered by the user: their names on the command line, and their manifests.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret as _, SecretSlice};
use serde_json::{Value, json};

use super::demand::RequiredSecret;
use ucp_core::model::secrecy::register_secret_value;

/// Returns the values in the format of a Secret. Values that are not secret come from the repository.
fn secret_data<'a>(
    demand: &'a RequiredSecret,
    answers: &'a BTreeMap<String, SecretSlice<u8>>,
) -> BTreeMap<&'a str, String> {
    let said = demand.settings.iter().flat_map(|settings| &settings.values);
    let said = said.map(|(key, value)| (key.as_str(), STANDARD.encode(value)));
    let answered = answers.iter().map(|(key, value)| {
        // A server that rejects the Secret may quote it.
        register_secret_value(key, value.expose_secret());
        (key.as_str(), STANDARD.encode(value.expose_secret()))
    });
    said.chain(answered).collect()
}

/// Returns the manifest of the Secret.
pub fn manifest(demand: &RequiredSecret, answers: &BTreeMap<String, SecretSlice<u8>>) -> Value {
    let settings = demand.settings.as_ref();
    let labels = settings.map(|settings| settings.labels.clone()).unwrap_or_default();
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"namespace": demand.secret.namespace, "name": demand.secret.name, "labels": labels},
        "type": settings.and_then(|settings| settings.kind.as_deref()).unwrap_or("Opaque"),
        "data": secret_data(demand, answers),
    })
}

/// Returns a patch with only the keys that a Secret does not have; `None` if it has all.
pub fn missing_keys_patch(
    demand: &RequiredSecret,
    answers: &BTreeMap<String, SecretSlice<u8>>,
    has: impl Fn(&str) -> bool,
) -> Option<Value> {
    let lacking: BTreeMap<&str, String> =
        secret_data(demand, answers).into_iter().filter(|(key, _)| !has(key)).collect();
    (!lacking.is_empty()).then(|| json!({"data": lacking}))
}
