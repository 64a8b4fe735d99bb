//! A Secret that is asked for: its name on the command line, and the object that comes of the answers.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret as _, SecretSlice};
use serde_json::{Value, json};

use super::demand::Demand;

/// The Secret to be made. What is no secret comes from the repository.
pub fn manifest(demand: &Demand, answers: &BTreeMap<String, SecretSlice<u8>>) -> Value {
    let encode = |value: &[u8]| STANDARD.encode(value);
    let settings = demand.settings.as_ref();
    let mut data: BTreeMap<&str, String> = BTreeMap::new();
    if let Some(settings) = settings {
        data.extend(settings.values.iter().map(|(key, value)| (key.as_str(), encode(value.as_bytes()))));
    }
    data.extend(answers.iter().map(|(key, value)| (key.as_str(), encode(value.expose_secret()))));
    let labels = settings.map(|settings| settings.labels.clone()).unwrap_or_default();
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"namespace": demand.secret.namespace, "name": demand.secret.name, "labels": labels},
        "type": settings.and_then(|settings| settings.kind.as_deref()).unwrap_or("Opaque"),
        "data": data,
    })
}

/// The keys that a Secret lacks, and nothing else of it.
pub fn additions(answers: &BTreeMap<&String, &SecretSlice<u8>>) -> Value {
    let data: BTreeMap<&str, String> =
        answers.iter().map(|(key, value)| (key.as_str(), STANDARD.encode(value.expose_secret()))).collect();
    json!({"data": data})
}
