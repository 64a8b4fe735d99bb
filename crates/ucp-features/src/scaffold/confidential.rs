//! Detection of content that is not copied: secrets in plain text, or encrypted for a specific key or name.

use ucp_repo::yaml::template;
use ucp_repo::yaml::tree::{self, YamlNode};

/// Returns the reason why a text is not copied; `None` if it may be copied.
pub fn confidential_reason(text: &str) -> Option<&'static str> {
    let by_looks = is_encrypted(text).then_some(ENCRYPTED).or_else(|| reason_in_value(text));
    by_looks.or_else(|| match template::parse(text) {
        Ok(documents) => documents.iter().find_map(reason_in_document),
        Err(_) => reason_in_lines(text),
    })
}

/// Returns the reason for a text that is not YAML, in which values cannot be identified reliably.
fn reason_in_lines(text: &str) -> Option<&'static str> {
    let has = |key: &str, value: &str| {
        text.lines().filter_map(|line| line.trim().trim_start_matches("- ").split_once(':')).any(|(name, rest)| {
            name.trim_matches(['"', '\'']) == key && rest.trim().trim_matches(['"', '\'']).starts_with(value)
        })
    };
    let is_secret = has("kind", "Secret") && (has("data", "") || has("stringData", ""));
    is_secret.then_some("it contains a Secret, and cannot be read as YAML")
}

const ENCRYPTED: &str = "it is encrypted with SOPS";
/// The prefix of every value encrypted by SOPS.
const SOPS: &str = "ENC[AES256_GCM";

/// Returns true if SOPS encrypted the file. SOPS signs the whole file, so that even plain text cannot be changed
/// without the key.
pub fn is_encrypted(text: &str) -> bool {
    text.contains(SOPS)
        || text.contains("sops_version=")
        || tree::parse(text).unwrap_or_default().iter().any(|document| document.get("sops").is_some())
}

/// Returns the reason for a value, detected by its content.
fn reason_in_value(text: &str) -> Option<&'static str> {
    text.contains("PRIVATE KEY-----").then_some("it contains a private key")
}

/// Returns the reason why a document, or a part of one, is not copied.
pub fn reason_in_document(document: &YamlNode) -> Option<&'static str> {
    if document.get("sops").is_some() {
        return Some(ENCRYPTED);
    }
    document.walk().into_iter().find_map(|node| match (node.text_at("kind"), node.text()) {
        (Some("SealedSecret"), _) => Some("it is sealed for another name"),
        (Some("Secret"), _) if ["data", "stringData"].iter().any(|key| node.get(key).is_some_and(has_values)) => {
            Some("it contains the values of a Secret")
        }
        // The literals of a Secret generator.
        (Some("SecretGenerator"), _) if !node.get("literals").is_none_or(YamlNode::is_null) => {
            Some("it contains the values of a Secret")
        }
        // The text may be a patch, or an embedded manifest.
        (_, Some(text)) => text.contains(SOPS).then_some(ENCRYPTED).or_else(|| reason_in_value(text)).or_else(|| {
            let may_be_one = text.contains('\n') && text.contains("Secret");
            let within = if may_be_one { template::parse(text).ok() } else { None };
            within.into_iter().flatten().find_map(|document| reason_in_document(&document))
        }),
        _ => None,
    })
}

fn has_values(data: &YamlNode) -> bool {
    // Values filled in by a template are not part of the text.
    let is_one = |value: &YamlNode| !value.is_null() && !value.text().is_some_and(template::is_filled_in);
    is_one(data) && (data.entries().iter().any(|(_, value)| is_one(value)) || data.entries().is_empty())
}

/// Returns the files that a kustomization generates Secrets from, as written there.
pub fn generated_from(kustomization: &YamlNode) -> Vec<String> {
    let mut files = Vec::new();
    for item in kustomization.get("secretGenerator").map(YamlNode::items).unwrap_or_default() {
        for key in ["envs", "files"] {
            let entries = item.get(key).map(YamlNode::items).unwrap_or_default().iter().filter_map(YamlNode::text);
            files.extend(entries.map(|entry| entry.rsplit_once('=').map_or(entry, |(_, file)| file).to_owned()));
        }
        files.extend(item.text_at("env").map(str::to_owned));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_recognized_in_every_kind_of_file() {
        for text in [
            "kind: Secret\nstringData: {a: b}",
            "kind: List\nitems: [{kind: Secret, data: {a: Yg==}}]",
            "kind: ConfigMap\n---\nkind: SealedSecret",
            "a: ENC[AES256_GCM,data:x]\nsops: {}",
            "-----BEGIN RSA PRIVATE KEY-----",
            "kind: Secret\ndata:\nstringData: {a: b}",
            "patches:\n- patch: |\n    kind: Secret\n    data: {a: b}\n",
            "{{- if .a }}\nkind: Secret\nstringData: {dsn: x, user: {{ .b }}}\n{{- end }}\n",
            "kind: Secret\ndata:\n  a: {{ \"x\" | b64enc }}\n",
            "kind: Secret\nstringData:\n  a: x\n b: [\n",
            "kind: SecretGenerator\nliterals: [a=b]\n",
        ] {
            assert!(confidential_reason(text).is_some(), "{text}");
        }
        for document in
            ["data: {a: 'ENC[AES256_GCM,data:x]'}", "data:\n  a: |\n    -----BEGIN PRIVATE KEY-----\n    x\n"]
        {
            assert!(reason_in_document(&tree::parse_one(document).unwrap()).is_some(), "{document}");
        }
        assert!(is_encrypted("a: b\nsops: {mac: x}") && !is_encrypted("-----BEGIN PRIVATE KEY-----"));
        for text in [
            "kind: Secret\nmetadata: {name: a}",
            "{{ if .a }}\nkind: Secret\ndata:\n  a: {{ .Values.a | b64enc }}\n{{ end }}\n",
            "kind: SecretGenerator\nfiles: [a]\n",
        ] {
            assert_eq!(confidential_reason(text), None, "{text}");
        }
        let root = tree::parse_one("secretGenerator: [{name: a, envs: [s.env], files: [k=f.txt, g]}]").unwrap();
        assert_eq!(generated_from(&root), ["s.env", "f.txt", "g"]);
    }
}
