//! Naming conventions for keys of versions.

use std::ops::Range;

pub(super) use crate::slot::keys::fold_key;
use crate::slot::keys::is_image_name;
use crate::slot::site::ScalarContext;
use crate::yaml::tree::YamlNode;

/// Returns the key that describes a value: its own, or for the `value` of a named parameter, variable, or JSON patch,
/// that name.
pub(super) fn label<'a>(site: &ScalarContext<'_, 'a>) -> Option<&'a str> {
    let key = site.key()?;
    if !matches!(key, "value" | "default") {
        return Some(key);
    }
    let named = site.sibling("name").or_else(|| site.sibling("path"));
    Some(named.map_or(key, |name| name.rsplit(['.', '/']).next().unwrap_or(name)))
}

/// Returns true for a number in a list: a step of a path, or an index, and no version.
pub(super) fn is_listed_number(site: &ScalarContext<'_, '_>) -> bool {
    site.mapping().is_none() && site.text().trim().bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the range of the text without surrounding white space.
pub(super) fn trimmed(text: &str) -> Range<usize> {
    text.len() - text.trim_start().len()..text.trim_end().len()
}

/// Returns the part of a key before its word for a version: `GRAFANA` for `GRAFANA_VERSION`, `api` for `apiTag`.
/// Returns `None` if the key has no such word, or no other part.
pub(super) fn stem(key: &str) -> Option<&str> {
    const ENDINGS: [&str; 6] = ["version", "tag", "revision", "digest", "image", "versions"];
    let lower = key.to_ascii_lowercase();
    let ending = ENDINGS.iter().find(|ending| lower.ends_with(*ending))?;
    let stem = key[..key.len() - ending.len()].trim_end_matches(['_', '-', '.']);
    (!stem.is_empty()).then_some(stem)
}

/// Returns the image repository in the mapping of a tag, with its registry if that has its own key.
pub(super) fn repository(mapping: &YamlNode, label: &str) -> Option<String> {
    const KEYS: [&str; 7] = ["repository", "repo", "image", "name", "imageName", "imageRepository", "image_name"];
    let own = stem(label).map(|stem| {
        [
            stem.to_owned(),
            format!("{stem}Repository"),
            format!("{stem}Name"),
            format!("{stem}_name"),
            format!("{stem}_repository"),
        ]
    });
    let own = own.iter().flatten().find_map(|key| mapping.text_at(key));
    let name = own.or_else(|| KEYS.iter().find_map(|key| mapping.text_at(key)))?;
    if !is_image_name(name) {
        return None;
    }
    match mapping.text_at("registry").or_else(|| mapping.text_at("hub")) {
        Some(registry) if !registry.is_empty() => Some(format!("{}/{name}", registry.trim_end_matches('/'))),
        _ => Some(name.to_owned()),
    }
}

/// Endings of keys of versions that are not of an artifact, but of an interface: a schema, a protocol, a format, an API.
const INTERFACES: [&str; 35] = [
    "serveversion",
    "ignitionversion",
    "apiversion",
    "schemaversion",
    "formatversion",
    "resourceversion",
    "minversion",
    "maxversion",
    "minimumversion",
    "maximumversion",
    "configversion",
    "httpversion",
    "policyversion",
    "cniversion",
    "lockfileversion",
    "protocolversion",
    "specversion",
    "storageversion",
    "pluginversion",
    "kubeversion",
    "tlsversion",
    "sslversion",
    "ipversion",
    "signatureversion",
    "layoutversion",
    "dataversion",
    "compatibilityversion",
    "compatversion",
    "crdversion",
    "metadataversion",
    "wireversion",
    "dialectversion",
    "languageversion",
    "openapiversion",
    "kvversion",
];

/// Returns true for a key of the version of an interface: it changes with the programs on both sides of it, and not with
/// releases.
pub(super) fn names_interface(key: &str) -> bool {
    let key = fold_key(key).replace('.', "");
    INTERFACES.iter().any(|ending| key.ends_with(ending))
}

/// Returns true for a value of a selector, which has to match labels, and for the version of a schema, a protocol, or an
/// API that a setting selects.
pub(super) fn selects_or_configures(site: &ScalarContext<'_, '_>) -> bool {
    const AROUND: [&str; 9] =
        ["matchlabels", "selector", "nodeselector", "podselector", "labels", "schema", "schemas", "ignition", "tls"];
    // A store of External Secrets names the version of the API of its server.
    let is_store = site.group() == Some("external-secrets.io");
    let keys = site.frames.iter().rev().skip(1).filter_map(|frame| frame.key());
    site.key().into_iter().chain(label(site)).any(names_interface)
        || is_store
        || keys.take(2).any(|key| AROUND.contains(&fold_key(key).as_str()))
}
