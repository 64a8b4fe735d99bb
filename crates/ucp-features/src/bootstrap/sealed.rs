//! Content that SOPS encrypted. `bootstrap` does not decrypt it, and never writes the ciphertext.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The start of each value that SOPS encrypts, in every format.
const CIPHERTEXT: &str = "ENC[AES256_GCM,";
/// The prefix of SOPS's own keys in formats without structure, such as files with variables.
const OWN_KEYS: &str = "sops_";

/// Returns true if SOPS encrypted an object, or a file or value that it contains.
pub(super) fn is_sealed(object: &Value) -> bool {
    object.get("sops").is_some() || has_ciphertext(object) || entries(object).any(|(_, value)| is_encrypted(value))
}

fn has_ciphertext(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(CIPHERTEXT),
        Value::Array(items) => items.iter().any(has_ciphertext),
        Value::Object(fields) => fields.values().any(has_ciphertext),
        _ => false,
    }
}

/// Returns the entries of a Secret or ConfigMap: the plain text, or the base64 text.
fn entries(object: &Value) -> impl Iterator<Item = (&String, SecretEntry<'_>)> {
    let is_secret = object.get("kind").and_then(Value::as_str) == Some("Secret");
    let fields = ["data", "stringData", "binaryData"].into_iter().filter_map(move |field| {
        let is_encoded = field == "binaryData" || (is_secret && field == "data");
        Some((is_encoded, object.get(field)?.as_object()?))
    });
    fields.flat_map(|(is_encoded, entries)| {
        entries.iter().filter_map(move |(key, value)| {
            let text = value.as_str()?;
            Some((key, if is_encoded { SecretEntry::Encoded(text) } else { SecretEntry::Plain(text) }))
        })
    })
}

/// A value of a Secret or ConfigMap.
#[derive(Debug, Clone, Copy)]
enum SecretEntry<'a> {
    Plain(&'a str),
    /// The value in base64.
    Encoded(&'a str),
}

impl SecretEntry<'_> {
    /// Returns the text of a value; `None` if it is not a text.
    fn text(self) -> Option<String> {
        match self {
            Self::Plain(text) => Some(text.to_owned()),
            // Kustomize breaks long values into lines.
            Self::Encoded(text) => {
                let text: String = text.split_whitespace().collect();
                String::from_utf8(STANDARD.decode(text).ok()?).ok()
            }
        }
    }
}

fn is_encrypted(entry: SecretEntry<'_>) -> bool {
    let (SecretEntry::Plain(raw) | SecretEntry::Encoded(raw)) = entry;
    // SOPS encrypts a value in `data` as it is, without base64.
    raw.contains(CIPHERTEXT) || entry.text().is_some_and(|text| text.contains(CIPHERTEXT))
}

/// The keys of a Secret that is encrypted in part or as a whole.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SealedKeys {
    /// The keys whose values are encrypted or are not text.
    pub(super) sealed: BTreeSet<String>,
    /// The values that are not encrypted.
    pub(super) plain: BTreeMap<String, String>,
}

/// Returns the keys of a Secret. Keys that SOPS adds are left out.
pub(super) fn sealed_keys(secret: &Value) -> SealedKeys {
    let mut keys = SealedKeys::default();
    for (key, entry) in entries(secret).filter(|(key, _)| !key.starts_with(OWN_KEYS)) {
        match entry.text().filter(|_| !is_encrypted(entry)) {
            Some(text) => drop(keys.plain.insert(key.clone(), text)),
            None => drop(keys.sealed.insert(key.clone())),
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn encoded(text: &str) -> String {
        STANDARD.encode(text)
    }

    #[test]
    fn ciphertext_is_found_in_any_field() {
        let secret = |data: Value| json!({"apiVersion": "v1", "kind": "Secret", "data": data});
        let file = "password: ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]\nsops: {version: 3.9.0}\n";
        assert!(is_sealed(&secret(json!({"secret.yaml": encoded(file)}))));
        let whole = encoded(file);
        let (start, end) = whole.split_at(70);
        assert!(is_sealed(&secret(json!({"secret.yaml": format!("{start}\n{end}\n")}))));
        assert!(!is_sealed(&secret(json!({"password": encoded("plain"), "binary": encoded("\u{1}")}))));
        let settings = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"values.yaml": file}});
        assert!(is_sealed(&settings));
        let workload = json!({"kind": "Deployment", "spec": {"env": [{"value": "ENC[AES256_GCM,data:x]"}]}});
        assert!(is_sealed(&workload));
        assert!(is_sealed(&json!({"kind": "Application", "sops": {}})));
    }

    #[test]
    fn only_encrypted_keys_are_prompted() {
        let secret = json!({"kind": "Secret", "sops": {}, "stringData": {"username": "deploy", "password": "ENC[AES256_GCM,data:x]"},
            "data": {"url": encoded("https://git.example.org"), "token": "ENC[AES256_GCM,data:y]"}});
        let keys = sealed_keys(&secret);
        assert_eq!(keys.sealed.into_iter().collect::<Vec<_>>(), ["password", "token"]);
        let plain: Vec<_> = keys.plain.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(plain, ["url=https://git.example.org", "username=deploy"]);
        // A file with variables becomes one key for each.
        let variables = json!({"kind": "Secret", "data": {
            "PASSWORD": encoded("ENC[AES256_GCM,data:x]"), "sops_version": encoded("3.9.0"), "sops_mac": encoded("ENC[AES256_GCM,data:m]")}});
        assert_eq!(sealed_keys(&variables).sealed.into_iter().collect::<Vec<_>>(), ["PASSWORD"]);
    }
}
