//! Checks for texts of a kustomization by which kustomize loads files: URLs, and files that Git keeps.

use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use crate::git::content::is_in_checkout;
use crate::manifests::reach::{RenderError, RendererPermissions};

/// Fields whose strings are never loaded as files: their content is copied into objects.
const TEXTS: [&str; 10] = [
    "commonAnnotations",
    "commonLabels",
    "images",
    "labels",
    "literals",
    "metadata",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "patch",
];

/// The rules for texts of a kustomization, or of an object that configures kustomize, by which it loads files.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextRules<'a> {
    /// The top of the tree.
    pub(super) top: &'a Path,
    /// The directory of the kustomization, to which paths are relative.
    pub(super) directory: &'a Path,
    /// The permissions of the renderer.
    pub(super) reach: RendererPermissions,
}

impl TextRules<'_> {
    /// Fails when an object loads a file from a URL, or a file that Git keeps.
    pub(super) fn check_object(self, object: &Value) -> Result<(), RenderError> {
        // `key=file`, as in generators: any text may be a key.
        self.check_texts(object, &|text| text.split('=').any(is_url))
    }

    pub(super) fn check_field(self, name: &str, value: &Value) -> Result<(), RenderError> {
        match name {
            name if TEXTS.contains(&name) => Ok(()),
            // An inline patch may contain such a text.
            "patchesStrategicMerge" => self.check_texts(value, &is_url),
            _ => self.check_object(value),
        }
    }

    fn check_texts(self, object: &Value, has_url: &dyn Fn(&str) -> bool) -> Result<(), RenderError> {
        match object {
            Value::String(text) if self.reach == RendererPermissions::Checkout && has_url(text) => {
                Err(not_in_checkout(text))
            }
            Value::String(text) if text.split('=').any(|path| self.is_kept_by_git(path)) => {
                Err(RenderError::Broken(format!("'{text}' is a file that Git keeps, and no file of the checkout")))
            }
            Value::Array(items) => items.iter().try_for_each(|item| self.check_texts(item, has_url)),
            Value::Object(fields) => fields.iter().try_for_each(|(name, value)| self.check_field(name, value)),
            _ => Ok(()),
        }
    }

    /// Returns true for a path, or a link, to a file in `.git`, whose configuration holds the credentials of pipelines.
    fn is_kept_by_git(self, path: &str) -> bool {
        let file = clean(&self.directory.join(path));
        let full = fs::canonicalize(&file).unwrap_or(file);
        full.starts_with(self.top) && !is_in_checkout(self.top, &full)
    }
}

/// Returns true if kustomize would load a text as a URL.
fn is_url(text: &str) -> bool {
    let scheme = text.trim_start().split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    !text.contains(char::is_control) && scheme.is_some_and(|scheme| scheme == "http" || scheme == "https")
}

/// The error for a file that kustomize would fetch.
pub(super) fn not_in_checkout(place: &str) -> RenderError {
    RenderError::Unsupported(format!(
        "{place} is not in the checkout; let kustomize fetch it with --allow-remote-bases"
    ))
}

/// Returns a path as kustomize reads it: `..` removes the name in front of it, even if that is a link.
pub(super) fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(clean.pop()),
            Component::CurDir => {}
            part => clean.push(part),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn urls_are_found_in_fields_that_would_load_them() {
        let rules =
            TextRules { top: Path::new("/t"), directory: Path::new("/t"), reach: RendererPermissions::Checkout };
        for loaded in [
            json!({"patches": [{"path": "http://127.0.0.1/x"}]}),
            json!({"configMapGenerator": [{"name": "a", "files": ["k=HTTPS://h/x"]}]}),
            json!({"openapi": {"path": "https://h/x"}}),
            json!({"configMapGenerator": [{"name": "a", "files": ["a:/b\n=https://h/x"]}]}),
            json!({"patchesStrategicMerge": ["https://h/x"]}),
        ] {
            assert!(rules.check_object(&loaded).is_err(), "{loaded}");
        }
        for text in [
            json!({"configMapGenerator": [{"name": "a", "literals": ["url=https://h/x"]}]}),
            json!({"commonAnnotations": {"docs": "https://h/x"}}),
            json!({"patches": [{"patch": "https://h", "target": {"kind": "A"}}]}),
            json!({"patchesStrategicMerge": ["args: [--url=https://h/x]", "{\"args\": [\"--url=https://h/x\"]}"]}),
            json!({"paths": ["kind: A\nargs:\n- --url=https://h/x\n"]}),
        ] {
            assert!(rules.check_object(&text).is_ok(), "{text}");
        }
    }
}
