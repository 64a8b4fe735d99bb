//! Directories that Argo CD and Flux render without configuration: their method, generated kustomizations, plain manifests.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::manifests::checkout::{CheckoutTree, read_file};
use crate::manifests::deployment::RenderMethod;
use crate::manifests::kustomization::{self, KustomizationEdits};
use crate::manifests::reach::RenderError;
use crate::manifests::renderer_output::{MOST_OUTPUT, objects};
use ucp_client::source::snapshot::manifest::Manifests;
use ucp_core::model::body::argocd::DirectoryOptions;
use ucp_core::model::glob;

/// Returns the rendering method that Argo CD detects for a directory.
pub(super) fn detect_method(directory: &Path) -> RenderMethod {
    if directory.join("Chart.yaml").is_file() {
        RenderMethod::Helm(Box::default())
    } else if kustomization_in(directory).is_some() {
        RenderMethod::Kustomize(KustomizationEdits::default())
    } else {
        RenderMethod::Directory(DirectoryOptions::default())
    }
}

pub(super) fn kustomization_in(directory: &Path) -> Option<PathBuf> {
    kustomization::FILES.iter().map(|name| directory.join(name)).find(|file| file.is_file())
}

pub(super) fn has_kustomization_below(directory: &Path) -> bool {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    directories.any(|entry| kustomization_in(&entry.path()).is_some() || has_kustomization_below(&entry.path()))
}

/// Returns the kustomization that Flux generates for a directory without one: every manifest below it, and the
/// directories that are kustomizations themselves.
pub(super) fn generate_kustomization(directory: &Path) -> std::io::Result<Value> {
    fn collect(directory: &Path, prefix: &str, resources: &mut Vec<Value>) -> std::io::Result<()> {
        let mut entries: Vec<_> = std::fs::read_dir(directory)?.collect::<std::io::Result<_>>()?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let (path, relative) = (entry.path(), format!("{prefix}{name}"));
            let kind = entry.file_type()?;
            if kind.is_dir() && kustomization_in(&path).is_some() {
                resources.push(Value::String(relative));
            } else if kind.is_dir() && !name.starts_with(".git") {
                collect(&path, &format!("{relative}/"), resources)?;
            } else if kind.is_file() && (name.ends_with(".yaml") || name.ends_with(".yml")) {
                resources.push(Value::String(relative));
            }
        }
        Ok(())
    }
    let mut resources = Vec::new();
    collect(directory, "", &mut resources)?;
    Ok(serde_json::json!({ "resources": resources }))
}

/// Returns plain manifests, as Argo CD reads a directory: only those at its top, unless configured otherwise.
pub(super) fn read_plain_manifests(
    tree: &CheckoutTree,
    directory: &Path,
    options: &DirectoryOptions,
) -> Result<Vec<Value>, RenderError> {
    let mut files = Vec::new();
    list_files(directory, options.recurse, &mut files)
        .map_err(|error| RenderError::Broken(format!("{}: {error}", directory.display())))?;
    let (mut manifests, mut left) = (Manifests::default(), MOST_OUTPUT);
    for file in files {
        let relative = file.strip_prefix(directory).unwrap_or(&file).to_string_lossy().into_owned();
        let is_left_out = !options.exclude.is_empty() && glob::matches_with_braces(&options.exclude, &relative);
        if is_left_out || !options.include.is_empty() && !glob::matches_with_braces(&options.include, &relative) {
            continue;
        }
        if relative.ends_with(".jsonnet") {
            return Err(RenderError::Unsupported(format!("{relative} is Jsonnet")));
        }
        let name = file.display().to_string();
        let file = tree.resolve_inside(directory, &relative)?;
        let bytes = read_file(&file).map_err(|error| RenderError::Broken(format!("{name}: {error}")))?;
        left = left.checked_sub(bytes.len() as u64).ok_or_else(|| {
            RenderError::Broken(format!(
                "{}: its manifests are larger than {} MB",
                directory.display(),
                MOST_OUTPUT >> 20
            ))
        })?;
        manifests
            .add(&name, &bytes)
            .map_err(|entry| RenderError::Broken(format!("{}: {}", entry.what, entry.reason)))?;
    }
    objects(manifests)
}

fn list_files(directory: &Path, recurse: bool, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(directory)?.collect::<std::io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let is_manifest = || {
            let known = ["yaml", "yml", "json", "jsonnet"];
            path.extension().is_some_and(|extension| known.iter().any(|known| extension == *known))
        };
        if entry.file_type()?.is_dir() {
            if recurse && entry.file_name() != ".git" {
                list_files(&path, recurse, files)?;
            }
        } else if is_manifest() {
            files.push(path);
        }
    }
    Ok(())
}
