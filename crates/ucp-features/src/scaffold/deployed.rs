//! Deployers and their directories, declared in separate files, in lists of objects, or in elements.

use ucp_core::model::object::group_of;
use ucp_repo::gitops::path;
use ucp_repo::gitops::repository::Repository;
use ucp_repo::yaml::tree::{self, YamlNode};

/// A deployer and its directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredDeployer {
    /// Kind, name, file and line, in the format for messages.
    pub told: String,
    /// The directory, relative to the root of a repository.
    pub directory: String,
}

/// Kinds that deploy directories, and their groups.
const KINDS: [(&str, &str); 3] = [
    ("Application", "argoproj.io"),
    ("ApplicationSet", "argoproj.io"),
    ("Kustomization", "kustomize.toolkit.fluxcd.io"),
];

/// Returns the deployers in files that contain a name.
pub fn deployers(repository: &Repository, name: &str) -> Vec<DeclaredDeployer> {
    let mut found = Vec::new();
    let is_yaml = |file: &&String| [".yaml", ".yml", ".json"].iter().any(|ending| file.ends_with(ending));
    for file in repository.files.iter().filter(is_yaml) {
        if let Ok(text) = repository.read_text(file)
            && text.contains(name)
            && KINDS.iter().any(|(kind, _)| text.contains(kind))
        {
            found.extend(in_text(file, &text));
        }
    }
    found
}

fn in_text(file: &str, text: &str) -> Vec<DeclaredDeployer> {
    let mut found = Vec::new();
    for node in tree::parse(text).unwrap_or_default().iter().flat_map(YamlNode::walk) {
        let (kind, version) = (node.text_at("kind"), node.text_at("apiVersion").unwrap_or_default());
        if !KINDS.iter().any(|(known, group)| kind == Some(known) && group_of(version) == *group) {
            continue;
        }
        let name = node.get("metadata").and_then(|metadata| metadata.text_at("name")).unwrap_or_default();
        let told = format!("{} {name} in {file} line {}", kind.unwrap_or_default(), node.line);
        let directories = node.walk().into_iter().filter_map(|inner| path::join("", inner.text_at("path")?));
        found.extend(directories.map(|directory| DeclaredDeployer { told: told.clone(), directory }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_found_in_lists_too() {
        let item = |kind: &str, path: &str| {
            format!(
                "- apiVersion: argoproj.io/v1alpha1\n  kind: {kind}\n  metadata: {{name: a}}\n  spec: {{source: {{path: {path}}}}}\n"
            )
        };
        let text =
            format!("apiVersion: v1\nkind: List\nitems:\n{}{}", item("Application", "./a/b"), item("Other", "c"));
        let expected = DeclaredDeployer { told: "Application a in f.yaml line 4".into(), directory: "a/b".into() };
        assert_eq!(in_text("f.yaml", &text), [expected]);
    }
}
