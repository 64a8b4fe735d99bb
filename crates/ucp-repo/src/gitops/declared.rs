//! Objects that the files of a repository declare, with their location.

use std::ops::Range;

use serde_json::Value;

use crate::gitops::files;
use crate::gitops::path;
use crate::gitops::repository::Repository;
use crate::yaml::tree::{self, YamlNode};
use ucp_core::model::weight::from_yaml;

/// Object in a file.
#[derive(Debug, Clone)]
pub struct DeclaredObject {
    /// File, relative to the root of the repository.
    pub file: String,
    /// Byte range of its document, without the separator before it and any text after its last value.
    pub span: Range<usize>,
    /// True if it is the only object in its file.
    pub is_alone: bool,
    /// `apiVersion`.
    pub api_version: String,
    /// `kind`.
    pub kind: String,
    /// `metadata.namespace`.
    pub namespace: Option<String>,
    /// `metadata.name`.
    pub name: String,
    /// Parsed document.
    pub document: YamlNode,
}

impl DeclaredObject {
    /// Returns the API group; empty for the core group.
    pub fn group(&self) -> &str {
        ucp_core::model::object::group_of(&self.api_version)
    }

    /// Returns the value of an annotation.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.document.get("metadata")?.get("annotations")?.text_at(key)
    }

    /// Returns the text at a path of fields.
    pub fn text(&self, way: &[&str]) -> Option<&str> {
        way.iter().try_fold(&self.document, |node, key| node.get(key))?.text()
    }
}

/// Returns all objects declared in YAML files of the repository. Files that are not valid YAML, such as templates, are
/// skipped.
pub fn objects(repository: &Repository) -> Vec<DeclaredObject> {
    let is_yaml = |file: &&String| [".yaml", ".yml"].iter().any(|ending| file.ends_with(ending));
    repository.files.iter().filter(is_yaml).flat_map(|file| objects_in(repository, file)).collect()
}

fn objects_in(repository: &Repository, file: &str) -> Vec<DeclaredObject> {
    if files::is_kustomization(file) || path::parent(file).split('/').any(|part| part.starts_with('.')) {
        return Vec::new();
    }
    match repository.read_text(file) {
        Ok(text) if text.contains("apiVersion") => in_text(file, &text),
        _ => Vec::new(),
    }
}

/// Returns the values of objects, in the order of their files; each file is read once. Objects that cannot be read any
/// more are omitted.
pub fn values<'a>(
    repository: &Repository,
    objects: impl IntoIterator<Item = &'a DeclaredObject>,
) -> Vec<(&'a DeclaredObject, Value)> {
    let mut open: Option<(&str, String)> = None;
    let value = |object: &'a DeclaredObject| {
        if open.as_ref().is_none_or(|(file, _)| *file != object.file) {
            open = repository.read_text(&object.file).ok().map(|text| (object.file.as_str(), text));
        }
        let document = open.as_ref().and_then(|(_, text)| text.get(object.span.clone()))?;
        Some((object, from_yaml(document).ok()?))
    };
    objects.into_iter().filter_map(value).collect()
}

/// Parses the objects of a text.
pub fn in_text(file: &str, text: &str) -> Vec<DeclaredObject> {
    let documents: Vec<YamlNode> = tree::parse(text).unwrap_or_default();
    let documents: Vec<YamlNode> = documents.into_iter().filter(|document| !document.is_null()).collect();
    let is_alone = documents.len() == 1;
    let object = |document: YamlNode| {
        let metadata = document.get("metadata")?;
        Some(DeclaredObject {
            file: file.to_owned(),
            span: span(text, &document),
            is_alone,
            api_version: document.text_at("apiVersion")?.to_owned(),
            kind: document.text_at("kind")?.to_owned(),
            namespace: metadata.text_at("namespace").map(str::to_owned),
            name: metadata.text_at("name")?.to_owned(),
            document,
        })
    };
    documents.into_iter().filter_map(object).collect()
}

/// Returns the range from the first byte of a document's root to the last byte of its last value.
fn span(text: &str, document: &YamlNode) -> Range<usize> {
    let end = document.walk().iter().map(|node| node.span.end).max().unwrap_or(document.span.end);
    let start = document.span.start;
    start..start + text[start..end].trim_end().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_document_has_its_place() {
        let text = "# head\napiVersion: v1\nkind: A\nmetadata: {name: a}\nspec:\n  text: |\n    x\n\n# between\n---\napiVersion: g/v1\nkind: B\nmetadata:\n  name: b\n  annotations: {k: v}\n";
        let found = in_text("f.yaml", text);
        let spans: Vec<&str> = found.iter().map(|object| &text[object.span.clone()]).collect();
        assert_eq!(spans[0], "apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec:\n  text: |\n    x");
        assert!(spans[1].starts_with("apiVersion: g/v1") && spans[1].ends_with("{k: v}"));
        assert_eq!((found[1].group(), found[1].annotation("k"), found[1].is_alone), ("g", Some("v"), false));
        assert!(in_text("f.yaml", "{{ template }}: x\n- y").is_empty());
    }
}
