//! The layout of a snapshot, as `oc adm inspect` has it: one file per kind and namespace, and one per
//! CustomResourceDefinition. Files are JSON with one object per line, which is valid YAML too.
//!
//! The names come from a server that may be hostile, so a path is only made of parts that are names of files.

use std::collections::BTreeMap;

use super::redact::RedactedObject;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::shell::{is_dns_name, is_possible_name_in};
use ucp_core::model::state::Unreadable;

/// A path within a snapshot, made of parts that cannot lead out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotPath(String);

impl SnapshotPath {
    /// Joins parts. Returns `None` if one of them cannot be the name of a file on every platform.
    pub fn from_parts<'a>(parts: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_file_name = |part: &&str| {
            !part.is_empty() && part.len() <= 255 && !part.starts_with(['.', '-']) && part.chars().all(is_plain)
        };
        let parts: Vec<&str> = parts.into_iter().collect();
        (!parts.is_empty() && parts.iter().all(is_file_name)).then(|| Self(parts.join("/")))
    }

    /// Returns the path with `/` between its parts.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A file of a snapshot.
pub(super) struct CaptureFile {
    pub(super) path: SnapshotPath,
    pub(super) text: String,
}

/// The files of a kind.
pub(super) struct KindFiles {
    pub(super) files: Vec<CaptureFile>,
    /// Objects that are not in a file, because no object can have their name or namespace, or no kind has such a group or
    /// plural.
    pub(super) left_out: Vec<Unreadable>,
}

impl RedactedObject {
    fn has_possible_name(&self, kind: &ResourceKind) -> bool {
        is_possible_name_in(&kind.group, &self.name) && self.namespace.as_deref().is_none_or(is_dns_name)
    }
}

/// Returns the files of a kind below a directory, which ends in `/` or is empty. A kind without objects has none; the index
/// records that it was requested.
pub(super) fn kind_files(directory: &str, kind: &ResourceKind, objects: &[RedactedObject]) -> KindFiles {
    let (possible, impossible): (Vec<_>, Vec<_>) = objects.iter().partition(|object| object.has_possible_name(kind));
    let mut left_out = Vec::new();
    if !impossible.is_empty() {
        let reason = format!("no object can have the name or namespace of {} of its objects", impossible.len());
        left_out.push(Unreadable { what: kind.qualified_plural(), reason });
    }
    let mut files = Vec::new();
    for (parts, text) in contents(kind, &possible) {
        let above = directory.split('/').filter(|part| !part.is_empty());
        match SnapshotPath::from_parts(above.chain(parts.iter().map(String::as_str))) {
            Some(path) => files.push(CaptureFile { path, text }),
            None => left_out.push(Unreadable {
                what: kind.qualified_plural(),
                reason: "no kind can have such a group or plural".to_owned(),
            }),
        }
    }
    KindFiles { files, left_out }
}

/// Returns the parts of the path of each file of a kind, and its text.
fn contents(kind: &ResourceKind, objects: &[&RedactedObject]) -> Vec<(Vec<String>, String)> {
    let group = if kind.group.is_empty() { "core" } else { &kind.group };
    let parts = |parts: &[&str]| parts.iter().map(|&part| part.to_owned()).collect::<Vec<_>>();
    if kind.group == "apiextensions.k8s.io" && kind.kind == "CustomResourceDefinition" {
        let one = |object: &&RedactedObject| {
            let file = format!("{}.yaml", object.name);
            (parts(&["cluster-scoped-resources", group, &kind.plural, &file]), format!("{}\n", object.json))
        };
        return objects.iter().map(one).collect();
    }
    let mut namespaces: BTreeMap<Option<&str>, Vec<&str>> = BTreeMap::new();
    for object in objects {
        namespaces.entry(object.namespace.as_deref()).or_default().push(&object.json);
    }
    let file = |(namespace, objects): (Option<&str>, Vec<&str>)| {
        let file = format!("{}.yaml", kind.plural);
        let parts = match namespace {
            Some(namespace) => parts(&["namespaces", namespace, group, &file]),
            None => parts(&["cluster-scoped-resources", group, &file]),
        };
        let head = format!(r#"{{"apiVersion":"{}","kind":"{}List","items":["#, kind.api_version(), kind.kind);
        (parts, format!("{head}\n{}\n]}}\n", objects.join(",\n")))
    };
    namespaces.into_iter().map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_out_of_the_snapshot_are_refused() {
        for part in ["..", ".", "", "a/b", "/etc", "a\\b", "C:", "-x", ".hidden", "a\0b", "a\u{1b}b", &"x".repeat(300)]
        {
            assert_eq!(SnapshotPath::from_parts(["namespaces", part, "core"]), None, "{part:?}");
        }
        let path = SnapshotPath::from_parts(["namespaces", "shop", "apps", "deployments.yaml"]).unwrap();
        assert_eq!(path.as_str(), "namespaces/shop/apps/deployments.yaml");
    }
}
