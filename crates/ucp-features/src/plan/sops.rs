//! Manifests that SOPS has encrypted, as kustomize-controller recognizes them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

use ucp_client::prediction::cluster::text_at;

/// The marks of encrypted values of a Secret, as in kustomize-controller: `sopsFormatToMarkerBytes`.
const MARKERS: [&str; 4] = ["\"mac\": \"ENC[", "sops_mac=ENC[", "[sops]", "mac: ENC["];
/// The key of a Secret that kustomize generates from an encrypted file of variables.
const VARIABLE: &str = "sops_mac";
/// Annotation that turns decryption off.
const DECRYPT: &str = "kustomize.toolkit.fluxcd.io/decrypt";
/// Letters of the hash that kustomize adds to names, and its length.
const HASH_LETTERS: &str = "2456789bcdfghkmt";
const HASH_LENGTH: usize = 10;

/// Returns true if Flux decrypts a manifest: it is encrypted itself, or values of a Secret are.
pub(super) fn is_encrypted(manifest: &Value) -> bool {
    let annotations = manifest.pointer("/metadata/annotations");
    let decrypt = annotations.and_then(|annotations| annotations.get(DECRYPT)?.as_str());
    let is_off = decrypt.is_some_and(|word| word.eq_ignore_ascii_case("disabled"));
    !is_off && (manifest.get("sops").is_some() || has_encrypted_values(manifest))
}

/// Returns true if values of a Secret are encrypted.
fn has_encrypted_values(manifest: &Value) -> bool {
    let data = manifest.get("data").and_then(Value::as_object).filter(|_| text_at(manifest, "/kind") == "Secret");
    data.into_iter().flatten().any(|(key, value)| {
        let bytes = value.as_str().and_then(|text| BASE64.decode(text).ok()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        key == VARIABLE || MARKERS.iter().any(|marker| text.contains(marker))
    })
}

/// Returns true if the name of a Secret ends with a hash that kustomize computes from its content.
pub(super) fn has_hashed_name(manifest: &Value) -> bool {
    let hash = text_at(manifest, "/metadata/name").rsplit('-').next().unwrap_or_default();
    let is_hash = hash.len() == HASH_LENGTH && hash.chars().all(|letter| HASH_LETTERS.contains(letter));
    is_hash && manifest.get("sops").is_none() && has_encrypted_values(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn secret(name: &str, data: &Value) -> Value {
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "shop"}, "data": data})
    }

    #[test]
    fn encrypted_content_is_recognized_as_flux_does() {
        let of_file = secret("a", &json!({"app.env": BASE64.encode("KEY=ENC[x]\nsops_mac=ENC[y]")}));
        let of_variables = secret("a", &json!({"KEY": "RU5DW3hd", "sops_mac": "RU5DW3ld"}));
        let mut whole = secret("a", &json!({"key": "ENC[x]"}));
        whole["sops"] = json!({"mac": "ENC[y]"});
        for manifest in [&of_file, &of_variables, &whole] {
            assert!(is_encrypted(manifest), "{manifest}");
            let mut off = manifest.clone();
            off["metadata"]["annotations"] = json!({DECRYPT: "Disabled"});
            assert!(!is_encrypted(&off), "{off}");
        }
        let mut map = of_file.clone();
        map["kind"] = json!("ConfigMap");
        for manifest in [map, secret("a", &json!({"key": "dmFsdWU="})), secret("a", &json!({"key": "no base64"}))] {
            assert!(!is_encrypted(&manifest), "{manifest}");
        }
    }
}
