//! Checks for references of a kustomization or chart outside the checkout. Renderers follow any path and any URL, so
//! the author of a checkout could read other files of this machine, or send requests from it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::git::content::for_each_link;
use crate::manifests::kustomization;
use crate::manifests::reach::{RenderError, RendererPermissions};
use ucp_client::source::snapshot::manifest::Manifests;
use ucp_client::source::snapshot::yaml;

/// Fields of a kustomization that list files and directories, or have their content inline.
const PLACES: [&str; 8] =
    ["resources", "bases", "components", "crds", "configurations", "generators", "transformers", "validators"];
/// Those of [`PLACES`] whose objects have references of their own.
const CONFIGURED: [&str; 3] = ["generators", "transformers", "validators"];
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

/// The content that a reference points to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReferencedContent {
    /// Objects, which are only copied.
    Objects,
    /// Objects that configure kustomize.
    Configuration,
}

/// Checks that a kustomization and its bases only reference files of their tree.
///
/// # Errors
/// Fails when there is another reference, and `reach` does not allow it.
pub fn check_references(top: &Path, directory: &Path, reach: RendererPermissions) -> Result<(), RenderError> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![directory.to_owned()]);
    while let Some(directory) = open.pop() {
        if !seen.insert(directory.clone()) {
            continue;
        }
        let files = kustomization::FILES.iter().map(|name| directory.join(name));
        for file in files.filter(|file| file.is_file()) {
            resolve_within(top, &file, &file.display().to_string())?;
            // A file that cannot be parsed here cannot be checked, even if kustomize accepts it.
            let fields =
                yaml::parse_document(&file.display().to_string(), &read(&file)?).map_err(RenderError::Broken)?;
            if reach == RendererPermissions::Checkout {
                check_no_urls(&fields)?;
            }
            for (name, place) in
                PLACES.iter().flat_map(|name| strings(fields.get(*name)).map(move |place| (name, place)))
            {
                let content = if CONFIGURED.contains(name) {
                    ReferencedContent::Configuration
                } else {
                    ReferencedContent::Objects
                };
                open.extend(directory_at(top, &directory, place, content, reach)?);
            }
        }
    }
    Ok(())
}

/// Returns the directory of the tree that a reference points to.
fn directory_at(
    top: &Path,
    from: &Path,
    place: &str,
    content: ReferencedContent,
    reach: RendererPermissions,
) -> Result<Option<PathBuf>, RenderError> {
    let is_checked = content == ReferencedContent::Configuration && reach == RendererPermissions::Checkout;
    // An object may be inline instead of a file name.
    if place.contains('\n') {
        return if is_checked { check_configurations(place.as_bytes()).map(|()| None) } else { Ok(None) };
    }
    let path = from.join(place);
    if !path.exists() {
        return match reach == RendererPermissions::Checkout && is_remote(place) {
            true => Err(not_in_checkout(place)),
            false => Ok(None),
        };
    }
    let path = resolve_within(top, &path, place)?;
    if path.is_dir() {
        return Ok(Some(path));
    }
    if is_checked {
        check_configurations(&read(&path)?)?;
    }
    Ok(None)
}

fn read(file: &Path) -> Result<Vec<u8>, RenderError> {
    fs::read(file).map_err(|error| RenderError::Broken(format!("{}: {error}", file.display())))
}

/// Fails when a generator or transformer loads a file from a URL.
fn check_configurations(text: &[u8]) -> Result<(), RenderError> {
    let mut manifests = Manifests::default();
    let added = manifests.add("kustomization", text);
    if let Some(entry) = added.err().or_else(|| manifests.unreadable.pop()) {
        return Err(RenderError::Broken(format!("{}: {}", entry.what, entry.reason)));
    }
    manifests.documents.iter().try_for_each(|document| check_no_urls(&document.object))
}

fn resolve_within(top: &Path, path: &Path, shown: &str) -> Result<PathBuf, RenderError> {
    match fs::canonicalize(path) {
        Ok(full) if full.starts_with(top) => Ok(full),
        _ => Err(RenderError::Broken(format!("'{shown}' points outside of the repository"))),
    }
}

fn not_in_checkout(place: &str) -> RenderError {
    RenderError::Unsupported(format!(
        "{place} is not in the checkout; let kustomize fetch it with --allow-remote-bases"
    ))
}

/// Returns true if kustomize would treat a reference as remote: with a scheme, a host, or in the form of scp.
fn is_remote(place: &str) -> bool {
    let first = place.split('/').next().unwrap_or_default();
    let has_host = place.contains('/') && !first.starts_with('.') && first.contains('.');
    has_host || place.contains([':', '?']) || place.trim_start_matches('/').contains("//")
}

/// Fails when a file of an object would be loaded from a URL.
fn check_no_urls(object: &Value) -> Result<(), RenderError> {
    let is_url = |text: &str| {
        // `key=file`, as in generators.
        let text = text.split_once('=').filter(|(key, _)| !key.contains([':', '/'])).map_or(text, |(_, file)| file);
        let start = text.trim_start().get(..8).unwrap_or(text).to_ascii_lowercase();
        start.starts_with("http://") || start.starts_with("https://")
    };
    match object {
        Value::String(text) if is_url(text) => Err(not_in_checkout(text)),
        Value::Array(items) => items.iter().try_for_each(check_no_urls),
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| !TEXTS.contains(&name.as_str()))
            .try_for_each(|(_, value)| check_no_urls(value)),
        _ => Ok(()),
    }
}

fn strings(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Checks that no link below a chart points out of the tree: helm follows links, and a chart may print any of its
/// files.
///
/// # Errors
/// Fails when a link does, or when the chart cannot be read.
pub fn check_links(top: &Path, chart: &Path) -> Result<(), RenderError> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![chart.to_owned()]);
    while let Some(directory) = open.pop() {
        if !seen.insert(directory.clone()) {
            continue;
        }
        let mut found = |link: &Path| {
            let target = fs::canonicalize(link).ok().filter(|target| target.starts_with(top));
            let shown = link.strip_prefix(top).unwrap_or(link).display();
            let target =
                target.ok_or_else(|| io::Error::other(format!("'{shown}' points outside of the repository")))?;
            if target.is_dir() {
                open.push(target);
            }
            Ok(())
        };
        for_each_link(&directory, &mut found).map_err(|error| RenderError::Broken(error.to_string()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places_on_other_servers_are_recognized() {
        for remote in [
            "https://example.org/base",
            "HTTP://169.254.169.254/latest",
            "github.com/org/repo//base?ref=v1",
            "git@github.com:org/repo",
            "git::https://example.org/x",
            "ssh://git@example.org/x",
            "example.org/org/repo.git",
        ] {
            assert!(is_remote(remote), "{remote}");
        }
        for local in ["base", "../base", "./a/b", "deployment.yaml", "a.b", "/top"] {
            assert!(!is_remote(local), "{local}");
        }
    }

    #[test]
    fn references_are_followed_through_every_kustomization() {
        let directory = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(directory.path()).unwrap();
        let write = |name: &str, text: &str| {
            fs::create_dir_all(top.join(name)).unwrap();
            fs::write(top.join(name).join("kustomization.yaml"), text).unwrap();
        };
        write("base", "resources: []\n");
        write("overlay", "resources: [../base]\ncommonAnnotations: {docs: 'https://example.org'}\n");
        assert_eq!(check_references(&top, &top.join("overlay"), RendererPermissions::Checkout), Ok(()));
        let builtin = "apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: p}\n  path: https://h/x\n";
        for hostile in [
            "resources: ['https://example.org/x']\n".to_owned(),
            "components: ['/']\n".to_owned(),
            "resources: ['../../..']\n".to_owned(),
            format!("transformers:\n- |\n  {builtin}"),
            "resources: []\n---\nresources: ['https://example.org/x']\n".to_owned(),
            "resources: [\n".to_owned(),
        ] {
            write("base", &hostile);
            assert!(check_references(&top, &top.join("overlay"), RendererPermissions::Checkout).is_err(), "{hostile}");
        }
        write("base", "resources: ['https://example.org/x']\n");
        assert_eq!(check_references(&top, &top.join("overlay"), RendererPermissions::RemoteBases), Ok(()));
    }

    #[test]
    fn urls_are_found_where_they_would_be_loaded() {
        for loaded in [
            json!({"patches": [{"path": "http://127.0.0.1/x"}]}),
            json!({"configMapGenerator": [{"name": "a", "files": ["k=HTTPS://h/x"]}]}),
            json!({"openapi": {"path": "https://h/x"}}),
        ] {
            assert!(check_no_urls(&loaded).is_err(), "{loaded}");
        }
        for text in [
            json!({"configMapGenerator": [{"name": "a", "literals": ["url=https://h/x"]}]}),
            json!({"commonAnnotations": {"docs": "https://h/x"}}),
            json!({"patches": [{"patch": "https://h", "target": {"kind": "A"}}]}),
        ] {
            assert!(check_no_urls(&text).is_ok(), "{text}");
        }
    }
}
