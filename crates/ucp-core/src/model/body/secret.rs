//! Values of Secrets and ConfigMaps that may hold credentials of a cluster. All others are dropped during
//! deserialization, and `Debug` does not print those that are kept.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use secrecy::SecretString;
use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::Value;

use super::narrowed::{DecodedObject, NarrowedFields};
use crate::model::metadata::Metadata;
use crate::model::secrecy::register_value_of_secret;

/// Keys of kubeconfigs and registrations: those of Crossplane, Cluster API, Flux, vcluster, and Argo CD.
const SECRET_KEYS: [&str; 11] = [
    "kubeconfig",
    "endpoint",
    "clusterCA",
    "value",
    "value.yaml",
    "config",
    "name",
    "server",
    "namespaces",
    "project",
    "shard",
];

/// Longer values are releases and archives, which are never quoted as a whole.
const LONGEST: usize = 8 * 1024;

/// The relevant fields of a Secret.
#[derive(Debug, Clone, Default)]
pub struct Secret {
    /// `type`.
    pub kind: String,
    /// Values of the keys that may hold credentials of a cluster, as text. `None` if a value is not text, as in a
    /// redacted snapshot.
    pub values: BTreeMap<String, Option<SecretString>>,
    /// Names of all keys.
    pub keys: BTreeSet<String>,
    /// Names of the keys with an empty value.
    pub empty_keys: BTreeSet<String>,
    /// `tls.crt`, in PEM. A certificate is public, but the value may also contain its key.
    pub certificate: Option<SecretString>,
}

impl Secret {
    /// Reads a complete object.
    ///
    /// # Errors
    /// Fails when the object does not have the structure of a Secret.
    pub fn read(object: &Value) -> Result<Self, serde_json::Error> {
        Ok(read_secret(object)?.rest.body)
    }

    /// Returns a clause about a key that the Secret does not have, or that has no value.
    pub fn missing_key(&self, wanted: Option<&str>) -> Option<String> {
        let wanted = wanted?;
        if self.empty_keys.contains(wanted) {
            return Some(format!("has an empty value for key {wanted}"));
        }
        if self.keys.contains(wanted) {
            return None;
        }
        let keys: Vec<_> = self.keys.iter().map(String::as_str).collect();
        let keys = if keys.is_empty() { "is empty".to_owned() } else { format!("has {}", keys.join(", ")) };
        Some(format!("has no key {wanted}; it {keys}"))
    }
}

/// Key of the certificate in a Secret of type `kubernetes.io/tls`.
pub const CERTIFICATE: &str = "tls.crt";

/// Label of the keys of sealed-secrets; its value is `active` for those that still seal.
pub const SEALING_KEY: &str = "sealedsecrets.bitnami.com/sealed-secrets-key";

/// A ConfigMap that identifies a cluster for Flux: `spec.kubeConfig.configMapRef`.
#[derive(Debug, Clone, Default)]
pub struct ConfigMap {
    /// `data`; empty if it has no `provider`.
    pub values: BTreeMap<String, String>,
}

/// Untyped values, so that no error of deserialization can quote a Secret.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SerializedSecret {
    #[serde(default)]
    metadata: Metadata,
    #[serde(rename = "type", default)]
    kind: Value,
    #[serde(default)]
    data: Value,
    #[serde(default)]
    string_data: Value,
}

pub(super) fn read_secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DecodedObject<Secret>, D::Error> {
    let wire = SerializedSecret::deserialize(deserializer)?;
    let value = |key: &str| match wire.string_data.get(key).and_then(Value::as_str) {
        Some(text) => Some(Some(SecretString::from(text))),
        None => wire.data.get(key).map(|encoded| encoded.as_str().and_then(decode)),
    };
    let values = SECRET_KEYS.into_iter().filter_map(|key| Some((key.to_owned(), value(key)?))).collect();
    let named = [&wire.data, &wire.string_data].into_iter().filter_map(Value::as_object);
    let label = |name: &str| wire.metadata.label(name);
    for (name, value) in wire.data.as_object().into_iter().flatten() {
        let encoded = value.as_str().filter(|encoded| encoded.len() < LONGEST).unwrap_or_default();
        if let Ok(bytes) = BASE64.decode(encoded.trim()) {
            register_value_of_secret(label, name, &bytes);
        }
    }
    for (name, value) in wire.string_data.as_object().into_iter().flatten() {
        let text = value.as_str().filter(|text| text.len() < LONGEST).unwrap_or_default();
        register_value_of_secret(label, name, text.as_bytes());
    }
    let is_empty = |name: &&String| match wire.string_data.get(*name).or_else(|| wire.data.get(*name)) {
        Some(Value::String(text)) => text.trim().is_empty(),
        _ => false,
    };
    let keys: BTreeSet<String> = named.flat_map(|map| map.keys().cloned()).collect();
    let body = Secret {
        kind: wire.kind.as_str().unwrap_or_default().to_owned(),
        values,
        empty_keys: keys.iter().filter(is_empty).cloned().collect(),
        keys,
        certificate: value(CERTIFICATE).flatten(),
    };
    Ok(DecodedObject { metadata: wire.metadata, rest: NarrowedFields::from_body(body) })
}

pub(super) fn read_config_map<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<DecodedObject<ConfigMap>, D::Error> {
    let wire = SerializedSecret::deserialize(deserializer)?;
    let values = match wire.data {
        Value::Object(data) if data.contains_key("provider") => {
            data.into_iter().filter_map(|(key, value)| Some((key, value.as_str()?.to_owned()))).collect()
        }
        _ => BTreeMap::new(),
    };
    Ok(DecodedObject { metadata: wire.metadata, rest: NarrowedFields::from_body(ConfigMap { values }) })
}

/// Decodes a value to text; `None` if it is not base64 or not text.
pub fn decode(encoded: &str) -> Option<SecretString> {
    let bytes = BASE64.decode(encoded.trim()).ok()?;
    Some(SecretString::from(String::from_utf8(bytes).ok()?))
}
