//! Deployers that are not rendered, HelmReleases and ApplicationSets, and the files of the checkout that decide what
//! they deploy.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::manifests::checkout::CheckoutTree;
use crate::manifests::deployment::{KnownSources, clean_path};
use ucp_core::model::body::flux::{FluxSpec, SourceReference};
use ucp_core::model::glob;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::regular_file;

const FLUX_SOURCES: &str = "source.toolkit.fluxcd.io";
/// Maximum nesting of ApplicationSet generators; Argo CD allows two levels.
const DEEPEST_GENERATOR: usize = 8;

/// Returns true if objects of this kind deploy others that are not rendered.
pub fn is_unrendered_kind(group: &str, kind: &str) -> bool {
    matches!((group, kind), ("helm.toolkit.fluxcd.io", "HelmRelease") | ("argoproj.io", "ApplicationSet"))
}

/// A HelmRelease or ApplicationSet.
#[derive(Debug, Clone)]
pub struct UnrenderedDeployer {
    object: ObjectName,
    sources: Vec<UnrenderedSource>,
}

/// A source of a deployer that is not rendered.
#[derive(Debug, Clone)]
enum UnrenderedSource {
    /// A chart in a GitRepository, with its values files.
    Chart { repository: ObjectKey, paths: Vec<String> },
    /// A Git generator, with the globs of the files or directories that it reads.
    Generator { url: String, files: Vec<String>, directories: Vec<String> },
}

/// The files of one tree that decide what a deployer deploys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeployerInputs {
    /// The deployer.
    pub object: ObjectName,
    /// The paths and globs that it reads, for messages.
    pub reads: Vec<String>,
    /// The files, with their content if it matters. The reason if they cannot be read.
    files: Result<BTreeMap<String, Vec<u8>>, String>,
}

impl DeployerInputs {
    /// Returns true if both trees decide the same.
    pub fn is_same(&self, other: &Self) -> bool {
        self.files.is_ok() && self == other
    }
}

impl UnrenderedDeployer {
    /// Reads a HelmRelease whose chart is in a GitRepository; `None` if its chart is elsewhere.
    pub fn from_helm_release(object: ObjectName, spec: &FluxSpec) -> Option<Self> {
        let chart = &spec.chart.as_ref()?.spec;
        let source = chart.source_ref.as_ref().filter(|source| source.kind == "GitRepository")?;
        let repository = repository_key(source, object.namespace.as_deref());
        let paths = [chart.name.as_deref().unwrap_or_default()].into_iter();
        let paths = paths.chain(chart.values_files.iter().map(String::as_str)).map(clean_path).collect();
        Some(Self { object, sources: vec![UnrenderedSource::Chart { repository, paths }] })
    }

    /// Reads an ApplicationSet with Git generators; `None` if it has none.
    pub fn from_application_set(object: ObjectName, spec: &Value) -> Option<Self> {
        let mut sources = Vec::new();
        collect_git_generators(spec.get("generators"), DEEPEST_GENERATOR, &mut sources);
        (!sources.is_empty()).then_some(Self { object, sources })
    }

    /// Returns the inputs that are in a tree; `None` if no source is the checkout. `urls` are those of GitRepositories.
    pub fn inputs(
        &self,
        tree: &CheckoutTree,
        urls: &BTreeMap<ObjectKey, FluxSpec>,
        checkout: &dyn KnownSources,
    ) -> Option<DeployerInputs> {
        let is_checkout = |source: &UnrenderedSource| match source {
            UnrenderedSource::Chart { repository, .. } => urls
                .get(repository)
                .and_then(|spec| spec.url.as_deref())
                .is_some_and(|url| checkout.is_checkout(url, "")),
            // A templated URL may be that of the checkout.
            UnrenderedSource::Generator { url, .. } => url.contains("{{") || checkout.is_checkout(url, ""),
        };
        let own: Vec<_> = self.sources.iter().filter(|source| is_checkout(source)).collect();
        if own.is_empty() {
            return None;
        }
        let reads = own.iter().flat_map(|source| source.reads()).cloned().collect::<BTreeSet<_>>();
        let files = files_below(&tree.top, &tree.top).and_then(|all| {
            let mut found = BTreeMap::new();
            for source in own {
                source.collect_files(&tree.top, &all, &mut found)?;
            }
            Ok(found)
        });
        let files = files.map_err(|error| error.to_string());
        Some(DeployerInputs { object: self.object.clone(), reads: reads.into_iter().collect(), files })
    }
}

impl UnrenderedSource {
    fn reads(&self) -> impl Iterator<Item = &String> {
        let (first, second): (&[String], &[String]) = match self {
            Self::Chart { paths, .. } => (paths, &[]),
            Self::Generator { files, directories, .. } => (files, directories),
        };
        first.iter().chain(second)
    }

    fn collect_files(&self, top: &Path, all: &[String], found: &mut BTreeMap<String, Vec<u8>>) -> std::io::Result<()> {
        let is_below = |file: &str, path: &str| {
            path.is_empty() || file == path || file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
        };
        for file in all {
            let is_read = match self {
                Self::Chart { paths, .. } => paths.iter().any(|path| is_below(file, path)),
                Self::Generator { files, .. } => files.iter().any(|pattern| glob::matches(pattern, file)),
            };
            if is_read {
                found.insert(file.clone(), content(&top.join(file))?);
            }
            if let Self::Generator { directories, .. } = self {
                let parents = file.match_indices('/').filter_map(|(end, _)| file.get(..end));
                let matching =
                    parents.filter(|path| directories.iter().any(|pattern| matches_directory(pattern, path)));
                found.extend(matching.map(|path| (format!("{path}/"), Vec::new())));
            }
        }
        Ok(())
    }
}

/// Returns true if a directory matches a glob whose `*` matches no slash; `**` matches any directories.
fn matches_directory(pattern: &str, path: &str) -> bool {
    let depth = |text: &str| text.matches('/').count();
    (pattern.contains("**") || depth(pattern) == depth(path)) && glob::matches(pattern, path)
}

fn repository_key(source: &SourceReference, namespace: Option<&str>) -> ObjectKey {
    ObjectKey {
        group: FLUX_SOURCES.to_owned(),
        kind: source.kind.clone(),
        namespace: source.namespace.clone().or_else(|| namespace.map(str::to_owned)),
        name: source.name.clone(),
    }
}

/// Collects Git generators, including those that matrix and merge generators combine.
fn collect_git_generators(generators: Option<&Value>, depth: usize, found: &mut Vec<UnrenderedSource>) {
    for generator in generators.and_then(Value::as_array).into_iter().flatten() {
        if let Some(git) = generator.get("git") {
            let paths = |list: &str| -> Vec<String> {
                let entries = git.get(list).and_then(Value::as_array).into_iter().flatten();
                entries
                    .filter(|entry| entry.get("exclude").and_then(Value::as_bool) != Some(true))
                    .filter_map(|entry| entry.get("path")?.as_str().map(clean_path))
                    .collect()
            };
            let url = git.get("repoURL").and_then(Value::as_str).unwrap_or_default().to_owned();
            found.push(UnrenderedSource::Generator { url, files: paths("files"), directories: paths("directories") });
        }
        for combined in ["matrix", "merge"] {
            if depth > 0 {
                let inner = generator.get(combined).and_then(|combined| combined.get("generators"));
                collect_git_generators(inner, depth - 1, found);
            }
        }
    }
}

/// Returns the paths of all files of a tree, relative to its top, without Git's own.
fn files_below(top: &Path, directory: &Path) -> std::io::Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_name() == ".git" {
            continue;
        }
        if entry.file_type()?.is_dir() {
            files.extend(files_below(top, &path)?);
        } else if let Ok(relative) = path.strip_prefix(top) {
            files.push(relative.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"));
        }
    }
    Ok(files)
}

/// Returns the content of a file, or the target of a link.
fn content(path: &Path) -> std::io::Result<Vec<u8>> {
    if path.is_symlink() {
        return Ok(std::fs::read_link(path)?.to_string_lossy().into_owned().into_bytes());
    }
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut regular_file::open(path)?, &mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifests::checkout::GitCheckout;
    use serde_json::json;

    struct Everything;

    impl KnownSources for Everything {
        fn is_checkout(&self, url: &str, _: &str) -> bool {
            url == "here"
        }
    }

    fn object(kind: &str) -> ObjectName {
        ObjectName { api_version: "x/v1".into(), kind: kind.into(), namespace: Some("n".into()), name: "a".into() }
    }

    fn tree(files: &[&str]) -> (tempfile::TempDir, CheckoutTree) {
        let directory = tempfile::tempdir().unwrap();
        for file in files {
            let (path, text) = file.split_once('=').unwrap();
            let path = directory.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let tree = GitCheckout::containing(directory.path()).unwrap().working_tree();
        (directory, tree)
    }

    fn set_inputs(git: Value, files: &[&str]) -> Option<DeployerInputs> {
        let spec = json!({"generators": [{"matrix": {"generators": [{"clusters": {}}, {"git": git}]}}]});
        let (_directory, tree) = tree(files);
        UnrenderedDeployer::from_application_set(object("ApplicationSet"), &spec)?.inputs(
            &tree,
            &BTreeMap::new(),
            &Everything,
        )
    }

    #[test]
    fn a_chart_in_the_checkout_is_an_input_of_its_release() {
        let spec = json!({"chart": {"spec": {
            "chart": "./charts/web", "valuesFiles": ["values/prod.yaml"],
            "sourceRef": {"kind": "GitRepository", "name": "here", "namespace": "flux-system"},
        }}});
        let spec: FluxSpec = serde_json::from_value(spec).unwrap();
        let release = UnrenderedDeployer::from_helm_release(object("HelmRelease"), &spec).unwrap();
        let key = repository_key(
            &SourceReference { kind: "GitRepository".into(), name: "here".into(), namespace: None },
            Some("flux-system"),
        );
        let source = FluxSpec { url: Some("here".into()), ..FluxSpec::default() };
        let urls = BTreeMap::from([(key, source)]);
        let inputs = |files: &[&str]| {
            let (_directory, tree) = tree(files);
            release.inputs(&tree, &urls, &Everything).unwrap()
        };
        let base = inputs(&["charts/web/Chart.yaml=1", "charts/webshop/Chart.yaml=1", "values/prod.yaml=1"]);
        assert_eq!(base.reads, ["charts/web", "values/prod.yaml"]);
        assert!(base.is_same(&inputs(&[
            "charts/web/Chart.yaml=1",
            "charts/webshop/Chart.yaml=2",
            "values/prod.yaml=1"
        ])));
        assert!(!base.is_same(&inputs(&["charts/web/Chart.yaml=2", "values/prod.yaml=1"])));
        assert!(!base.is_same(&inputs(&["charts/web/Chart.yaml=1", "values/prod.yaml=2"])));
        assert!(release.inputs(&tree(&[]).1, &BTreeMap::new(), &Everything).is_none());
    }

    #[test]
    fn a_git_generator_reads_names_of_directories_and_content_of_files() {
        let directories =
            json!({"repoURL": "here", "directories": [{"path": "apps/*"}, {"path": "x", "exclude": true}]});
        let base = set_inputs(directories.clone(), &["apps/a/f=1", "apps/a/sub/f=1"]).unwrap();
        assert!(base.is_same(&set_inputs(directories.clone(), &["apps/a/f=2", "apps/a/more/f=1"]).unwrap()));
        assert!(!base.is_same(&set_inputs(directories, &["apps/a/f=1", "apps/b/f=1"]).unwrap()));
        let files = json!({"repoURL": "here", "files": [{"path": "envs/**/config.json"}]});
        let base = set_inputs(files.clone(), &["envs/prod/config.json=1"]).unwrap();
        assert!(base.is_same(&set_inputs(files.clone(), &["envs/prod/config.json=1", "envs/other=1"]).unwrap()));
        assert!(!base.is_same(&set_inputs(files, &["envs/prod/config.json=2"]).unwrap()));
        assert_eq!(set_inputs(json!({"repoURL": "there", "files": []}), &[]), None);
    }
}
