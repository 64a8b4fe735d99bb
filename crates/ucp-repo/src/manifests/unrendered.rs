//! Deployers that are not rendered, and the files of the checkout that decide what they deploy: ApplicationSets with
//! Git generators, and Applications with charts of other repositories.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::manifests::argo_environment::substitute_environment;
use crate::manifests::checkout::{CheckoutTree, read_file, tree_files};
use crate::manifests::deployment::{KnownSources, clean_path};
use crate::manifests::remote_chart::chart_advice;
use ucp_core::failure::Failure;
use ucp_core::model::body::argocd;
use ucp_core::model::glob;
use ucp_core::model::object::ObjectName;

/// Maximum nesting of ApplicationSet generators; Argo CD allows two levels.
const DEEPEST_GENERATOR: usize = 8;

/// Returns true if objects of this kind deploy others that are not rendered.
pub fn is_unrendered_kind(group: &str, kind: &str) -> bool {
    (group, kind) == ("argoproj.io", "ApplicationSet")
}

/// An ApplicationSet, or an Application.
#[derive(Debug, Clone)]
pub struct UnrenderedDeployer {
    object: ObjectName,
    sources: Vec<UnrenderedSource>,
    /// How its charts of other repositories can be rendered.
    advice: String,
}

/// A source of a deployer that is not rendered.
#[derive(Debug, Clone)]
enum UnrenderedSource {
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
    /// The reason why it is not rendered.
    pub reason: Option<String>,
    /// The files, with their content if it matters. The reason if they cannot be read.
    files: Result<BTreeMap<String, Vec<u8>>, Failure>,
}

impl DeployerInputs {
    /// Returns true if both trees decide the same.
    pub fn is_same(&self, other: &Self) -> bool {
        self.files.is_ok() && self == other
    }
}

impl UnrenderedDeployer {
    /// Reads an Application that gives files of a repository to a source of another one; `None` if it has none.
    pub fn from_application(object: ObjectName, spec: &argocd::ApplicationSpec) -> Option<Self> {
        let mut sources = Vec::new();
        for other in spec.all_sources() {
            let Some(name) = &other.reference else { continue };
            let start = format!("${name}/");
            let users = spec.all_sources().filter(|source| source.repo_url != other.repo_url);
            let options = users.filter_map(|source| {
                let helm = source.helm.as_ref()?;
                Some(substitute_environment(&object.name, spec, source, helm).unwrap_or_else(|_| helm.clone()))
            });
            let files: Vec<String> = options
                .flat_map(|helm| {
                    let files = helm.file_parameters.into_iter().map(|parameter| parameter.path);
                    helm.value_files.into_iter().chain(files)
                })
                .filter_map(|file| file.strip_prefix(&start).map(clean_path))
                .collect();
            if !files.is_empty() {
                sources.push(UnrenderedSource::Generator {
                    url: other.repo_url.clone(),
                    files,
                    directories: Vec::new(),
                });
            }
        }
        (!sources.is_empty()).then(|| Self { object, sources, advice: chart_advice(spec) })
    }

    /// Reads an ApplicationSet with Git generators; `None` if it has none.
    pub fn from_application_set(object: ObjectName, spec: &Value) -> Option<Self> {
        let mut sources = Vec::new();
        collect_git_generators(spec.get("generators"), DEEPEST_GENERATOR, &mut sources);
        (!sources.is_empty()).then_some(Self { object, sources, advice: String::new() })
    }

    /// Returns true if a source is the checkout.
    pub fn reads_checkout(&self, checkout: &dyn KnownSources) -> bool {
        self.sources
            .iter()
            .any(|UnrenderedSource::Generator { url, .. }| url.contains("{{") || checkout.is_checkout(url, ""))
    }

    /// Returns the inputs that are in a tree; `None` if no source is the checkout.
    pub fn inputs(&self, tree: &CheckoutTree, checkout: &dyn KnownSources) -> Option<DeployerInputs> {
        // A templated URL may be that of the checkout.
        let is_checkout = |UnrenderedSource::Generator { url, .. }: &&UnrenderedSource| {
            url.contains("{{") || checkout.is_checkout(url, "")
        };
        let own: Vec<_> = self.sources.iter().filter(is_checkout).collect();
        if own.is_empty() {
            return None;
        }
        let reads = own.iter().flat_map(|source| source.reads()).cloned().collect::<BTreeSet<_>>();
        let files = tree_files(&tree.top).and_then(|all| {
            let mut found = BTreeMap::new();
            for source in own {
                source.collect_files(&tree.top, &all, &mut found)?;
            }
            Ok(found)
        });
        Some(DeployerInputs {
            object: self.object.clone(),
            reads: reads.into_iter().collect(),
            reason: (self.object.kind == "Application").then(|| {
                format!("its chart is in another repository, and what it deploys is not predicted{}", self.advice)
            }),
            files: files.map_err(Failure::from),
        })
    }
}

impl UnrenderedSource {
    fn reads(&self) -> impl Iterator<Item = &String> {
        let Self::Generator { files, directories, .. } = self;
        files.iter().chain(directories)
    }

    fn collect_files(&self, top: &Path, all: &[String], found: &mut BTreeMap<String, Vec<u8>>) -> std::io::Result<()> {
        let Self::Generator { files, directories, .. } = self;
        for file in all {
            if files.iter().any(|pattern| glob::matches(pattern, file)) {
                found.insert(file.clone(), content(&top.join(file))?);
            }
            let parents = file.match_indices('/').filter_map(|(end, _)| file.get(..end));
            let matching = parents.filter(|path| directories.iter().any(|pattern| matches_directory(pattern, path)));
            found.extend(matching.map(|path| (format!("{path}/"), Vec::new())));
        }
        Ok(())
    }
}

/// Returns true if a directory matches a glob whose `*` matches no slash; `**` matches any directories.
fn matches_directory(pattern: &str, path: &str) -> bool {
    let depth = |text: &str| text.matches('/').count();
    (pattern.contains("**") || depth(pattern) == depth(path)) && glob::matches(pattern, path)
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

/// Returns the content of a file, or the target of a link.
fn content(path: &Path) -> std::io::Result<Vec<u8>> {
    if path.is_symlink() {
        return Ok(std::fs::read_link(path)?.to_string_lossy().into_owned().into_bytes());
    }
    read_file(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifests::checkout::tree_with;
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

    fn set_inputs(git: Value, files: &[&str]) -> Option<DeployerInputs> {
        let spec = json!({"generators": [{"matrix": {"generators": [{"clusters": {}}, {"git": git}]}}]});
        let (_directory, tree) = tree_with(files);
        UnrenderedDeployer::from_application_set(object("ApplicationSet"), &spec)?.inputs(&tree, &Everything)
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
