//! Manifests on disk.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value;

/// The objects of all YAML and JSON files below a directory, `List`s unpacked,
/// in the order of the files' names.
pub fn read(directory: &Path) -> Result<Vec<Value>> {
    let missing = || format!("no manifests at {}", directory.display());
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory).with_context(missing)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.sort();
    let mut objects = Vec::new();
    for path in paths {
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            objects.extend(read(&path)?);
        } else if matches!(extension, Some("yaml" | "yml" | "json")) {
            objects.extend(read_file(&path).with_context(|| format!("{} is no manifest", path.display()))?);
        }
    }
    Ok(objects)
}

fn read_file(path: &Path) -> Result<Vec<Value>> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(&fs::read_to_string(path)?)?;
    let mut objects = Vec::new();
    for mut document in documents {
        match document.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) => objects.extend(items),
            _ => objects.push(document),
        }
    }
    Ok(objects)
}

/// The identity of an object in one cluster, whatever the version.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    pub group: String,
    pub kind: String,
    /// Empty for a cluster-scoped object.
    pub namespace: String,
    pub name: String,
}

impl Identity {
    pub fn of(object: &Value) -> Self {
        Self {
            namespace: text(&object["metadata"]["namespace"]),
            name: text(&object["metadata"]["name"]),
            ..Self::of_kind(object)
        }
    }

    /// Only group and kind, of an object or of a reference to one.
    pub fn of_kind(typed: &Value) -> Self {
        let api_version = text(&typed["apiVersion"]);
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        Self { group: group.to_owned(), kind: text(&typed["kind"]), ..Self::default() }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group, kind, namespace, name } = self;
        write!(formatter, "{kind} {namespace}/{name} of group {group:?}")
    }
}

/// A string of a manifest; empty if it is absent.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
