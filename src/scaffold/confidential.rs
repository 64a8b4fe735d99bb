//! What is not copied: secrets, in the clear or encrypted for somebody.

use serde_json::Value;

use super::documents::chunks;
use crate::model::secrecy::{scrub, secrets_of};
use crate::yaml::tree::{self, Node};

/// Why a text is not copied; `None` where it may be.
pub fn reason(text: &str) -> Option<&'static str> {
    if text.contains("ENC[AES256_GCM") || text.contains("sops_version=") {
        return Some("it is encrypted by SOPS");
    }
    if text.contains("PRIVATE KEY-----") {
        return Some("it holds a private key");
    }
    tree::parse(text).unwrap_or_default().iter().find_map(of_document)
}

/// Why a document is not copied.
pub fn of_document(document: &Node) -> Option<&'static str> {
    if document.get("sops").is_some() {
        return Some("it is encrypted by SOPS");
    }
    document.walk().into_iter().find_map(|node| match node.text_at("kind")? {
        "SealedSecret" => Some("it is sealed for another name"),
        "Secret" if node.get("data").or_else(|| node.get("stringData")).is_some_and(|data| !data.is_null()) => {
            Some("it holds the values of a Secret")
        }
        _ => None,
    })
}

/// Files from which a kustomization makes Secrets, as they are written there.
pub fn generated_from(kustomization: &Node) -> Vec<String> {
    let mut files = Vec::new();
    for item in kustomization.get("secretGenerator").map(Node::items).unwrap_or_default() {
        for key in ["envs", "files"] {
            let entries = item.get(key).map(Node::items).unwrap_or_default().iter().filter_map(Node::text);
            files.extend(entries.map(|entry| entry.rsplit_once('=').map_or(entry, |(_, file)| file).to_owned()));
        }
        files.extend(item.text_at("env").map(str::to_owned));
    }
    files
}

/// A text as it may be shown: values that are secret by what they are called, or by what they look like, are hidden.
pub fn hidden(text: &str) -> String {
    let values: Vec<Value> =
        chunks(text).into_iter().filter_map(|chunk| serde_saphyr::from_str(&text[chunk]).ok()).collect();
    let mut hidden = text.to_owned();
    for secret in secrets_of(&values).iter().filter(|secret| !secret.trim().is_empty()) {
        hidden = hidden.replace(secret.as_str(), "(hidden)");
    }
    scrub(&hidden).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_whatever_holds_them() {
        for text in [
            "kind: Secret\nstringData: {a: b}",
            "kind: List\nitems: [{kind: Secret, data: {a: Yg==}}]",
            "kind: ConfigMap\n---\nkind: SealedSecret",
            "a: ENC[AES256_GCM,data:x]\nsops: {}",
            "-----BEGIN RSA PRIVATE KEY-----",
        ] {
            assert!(reason(text).is_some(), "{text}");
        }
        let shown =
            hidden("a: 1\n---\nkind: Pod\nspec: {containers: [{env: [{name: PASSWORD, value: hunter2hunter2}]}]}");
        assert!(shown.contains("name: PASSWORD") && !shown.contains("hunter2"), "{shown}");
        assert_eq!(reason("kind: Secret\nmetadata: {name: a}"), None);
        let root = tree::parse_one("secretGenerator: [{name: a, envs: [s.env], files: [k=f.txt, g]}]").unwrap();
        assert_eq!(generated_from(&root), ["s.env", "f.txt", "g"]);
    }
}
