//! The places of a checkout that are relevant for bootstrap: those that mention Argo CD or Flux, with their way of
//! rendering. Files used by a kustomization are a part of it, and not places themselves.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use ucp_core::error::{Error, Result};
use ucp_core::model::body::argocd::DirectoryOptions;
use ucp_core::model::weight::from_yaml;
use ucp_repo::gitops::files::{self, is_kustomization};
use ucp_repo::gitops::path::{inside, is_below, join, parent};
use ucp_repo::manifests::checkout::CheckoutTree;
use ucp_repo::manifests::deployment::{DeploymentPart, RenderMethod};

/// Words of which at least one occurs in any installation or configuration of an engine: API groups, charts and
/// repositories.
const MARKS: [&str; 3] = ["argoproj", "argo-cd", "fluxcd"];

/// A place in the repository, and how it is rendered.
#[derive(Debug, Clone, PartialEq)]
pub struct ManifestLocation {
    /// The path in the repository.
    pub path: String,
    /// The recipe for rendering it.
    pub part: DeploymentPart,
}

impl ManifestLocation {
    /// Returns a directory or file that was given by the user.
    ///
    /// # Errors
    /// Fails when it does not exist in the repository.
    pub fn from_path(tree: &CheckoutTree, path: &str) -> Result<Self> {
        let path = ucp_repo::manifests::deployment::clean_path(path);
        let full = tree.resolve_inside(&tree.top, &path).map_err(Error::usage)?;
        Ok(if full.is_dir() { Self::directory(path) } else { Self::file(path) })
    }

    fn directory(path: String) -> Self {
        let part = DeploymentPart { path: path.clone(), revision: String::new(), recipe: RenderMethod::Detect };
        Self { path, part }
    }

    fn file(path: String) -> Self {
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        let options = DirectoryOptions { include: name, ..DirectoryOptions::default() };
        let part = DeploymentPart {
            path: parent(&path).to_owned(),
            revision: String::new(),
            recipe: RenderMethod::Directory(options),
        };
        Self { path, part }
    }
}

/// Returns the places below paths of a tree, or in the whole tree if no paths are given.
///
/// # Errors
/// Fails when a directory cannot be read.
pub fn places(tree: &CheckoutTree, below: &[String]) -> Result<Vec<ManifestLocation>> {
    for path in below {
        tree.resolve_inside(&tree.top, path).map_err(Error::usage)?;
    }
    // The files that a place uses may be anywhere.
    let mut walk = TreeScan::default();
    walk.directory(tree, "")?;
    walk.files.extend(below.iter().filter(|path| tree.top.join(path).is_file()).cloned());
    let is_meant = |path: &str| below.is_empty() || below.iter().any(|one| path == one || is_below(path, one));
    Ok(walk.places(tree, &is_meant))
}

/// The files of a tree.
#[derive(Default)]
struct TreeScan {
    /// Directories with a kustomization, and its file.
    kustomizations: BTreeMap<String, String>,
    /// Directories with a chart.
    charts: BTreeSet<String>,
    /// Files that may be manifests.
    files: BTreeSet<String>,
}

impl TreeScan {
    fn directory(&mut self, tree: &CheckoutTree, directory: &str) -> Result<()> {
        let full = tree.top.join(directory);
        let entries: Vec<_> = std::fs::read_dir(&full)
            .and_then(Iterator::collect::<std::io::Result<_>>)
            .map_err(|error| anyhow::anyhow!("cannot read {}: {error}", full.display()))?;
        if full.join("Chart.yaml").is_file() {
            // Its templates are not manifests.
            self.charts.insert(directory.to_owned());
            return Ok(());
        }
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = inside(directory, &name);
            let Ok(kind) = entry.file_type() else { continue };
            if name.starts_with('.') {
                continue;
            }
            if kind.is_dir() {
                self.directory(tree, &path)?;
            } else if is_kustomization(&path) {
                self.kustomizations.insert(directory.to_owned(), path);
            } else if [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end)) {
                self.files.insert(path);
            }
        }
        Ok(())
    }

    fn places(&self, tree: &CheckoutTree, is_meant: &dyn Fn(&str) -> bool) -> Vec<ManifestLocation> {
        let takes_in: BTreeMap<&str, BTreeSet<String>> = self
            .kustomizations
            .iter()
            .map(|(directory, file)| (directory.as_str(), self.paths_used_by(tree, directory, file)))
            .collect();
        let meant = takes_in.iter().filter(|(directory, _)| is_meant(directory));
        let parts: BTreeSet<&String> = meant.flat_map(|(_, parts)| parts).collect();
        let is_place = |path: &&String| is_meant(path) && !parts.contains(path);
        let speaks = |path: &str| files::read(&tree.top.join(path)).is_ok_and(|text| is_marked(&text));
        let mut places = Vec::new();
        for directory in self.kustomizations.keys().filter(is_place) {
            let (mut seen, mut open) = (BTreeSet::new(), vec![directory.as_str()]);
            let mut is_marked = false;
            while let Some(path) = open.pop().filter(|_| !is_marked) {
                let file = self.kustomizations.get(path).map_or(path, String::as_str);
                is_marked = speaks(file);
                for part in takes_in.get(path).into_iter().flatten() {
                    if seen.insert(part.as_str()) {
                        open.push(part);
                    }
                }
            }
            if is_marked {
                places.push(ManifestLocation::directory(directory.clone()));
            }
        }
        let charts = self.charts.iter().filter(is_place);
        places.extend(
            charts.filter(|chart| speaks(&inside(chart, "Chart.yaml"))).cloned().map(ManifestLocation::directory),
        );
        let files = self.files.iter().filter(is_place);
        // Chart values and settings of tools may mention engines as well, and are not manifests.
        let declares = |path: &str| {
            let text = files::read(&tree.top.join(path));
            text.is_ok_and(|text| is_marked(&text) && text.contains("apiVersion"))
        };
        places.extend(files.filter(|file| declares(file)).cloned().map(ManifestLocation::file));
        places
    }

    /// Returns all paths of the repository that a kustomization names: resources, components, patches, values.
    fn paths_used_by(&self, tree: &CheckoutTree, directory: &str, file: &str) -> BTreeSet<String> {
        let text = files::read(&tree.top.join(file)).unwrap_or_default();
        let parsed: Value = from_yaml(&text).unwrap_or_default();
        let mut words = Vec::new();
        strings(&parsed, &mut words);
        let paths = words.into_iter().filter_map(|word| join(directory, word));
        paths.filter(|path| path != directory && (self.files.contains(path) || self.is_directory(path))).collect()
    }

    fn is_directory(&self, path: &str) -> bool {
        self.kustomizations.contains_key(path) || self.charts.contains(path)
    }
}

fn is_marked(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

fn strings<'value>(value: &'value Value, found: &mut Vec<&'value str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(fields) => fields.values().for_each(|item| strings(item, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ucp_repo::manifests::checkout::GitCheckout;

    #[test]
    fn files_of_a_kustomization_are_not_separate_places() {
        let directory = tempfile::tempdir().unwrap();
        let app = "apiVersion: argoproj.io/v1alpha1\nkind: Application\n";
        for (name, text) in [
            ("argocd/base/kustomization.yaml", "resources: [install.yaml]"),
            ("argocd/base/install.yaml", "# argoproj.io"),
            ("argocd/core/kustomization.yaml", "resources: [../base]\npatches: [{path: patch.yaml}]"),
            ("argocd/core/patch.yaml", app),
            ("clusters/core/kustomization.yaml", "resources: [../../argocd/base]"),
            ("shop/kustomization.yaml", "resources: [shop.yaml]"),
            ("shop/shop.yaml", "kind: Deployment"),
            ("chart/Chart.yaml", "dependencies: [{name: argo-cd}]"),
            ("chart/templates/app.yaml", app),
            (".hidden/root.yaml", app),
            ("root.yaml", app),
            ("notes.yaml", "a: b"),
            ("values.yaml", "argo-cd: {enabled: true}"),
        ] {
            let path = directory.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let tree = GitCheckout::containing(directory.path()).unwrap().working_tree();
        let paths = |below: &[String]| {
            let places = places(&tree, below).unwrap();
            places.into_iter().map(|place| place.path).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(paths(&[]), "argocd/core clusters/core chart root.yaml");
        assert_eq!(paths(&["root.yaml".to_owned()]), "root.yaml");
        assert_eq!(paths(&["argocd/base".to_owned()]), "argocd/base");
        // The files that it uses may be elsewhere.
        assert_eq!(paths(&["clusters/core".to_owned()]), "clusters/core");
        assert!(ManifestLocation::from_path(&tree, "../elsewhere").is_err());
    }
}
