//! Directories that are deployed without an environment. What they build is not only that of an environment that builds
//! on it as well.

use std::collections::BTreeSet;

use crate::gitops::catalog::deployed::DeclaredDeployment;
use crate::gitops::environment::is_shared;
use crate::gitops::kustomization::{KustomizationKind, KustomizationTarget};
use crate::gitops::path;
use crate::gitops::pattern::PathPattern;
use crate::gitops::purpose::{Purpose, purpose};
use crate::gitops::repository::Repository;
use crate::yaml::tree::YamlNode;

/// Directories that a Git generator of an ApplicationSet selects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GeneratedDirectories {
    /// Patterns of directories.
    selected: Vec<String>,
    /// Patterns of directories that it leaves out.
    excluded: Vec<String>,
}

/// Returns the directories of all Git generators in the documents of a file.
pub(super) fn generated_directories(documents: &[YamlNode]) -> Vec<GeneratedDirectories> {
    let sets = documents.iter().filter(|document| document.text_at("kind") == Some("ApplicationSet"));
    let mut found = Vec::new();
    for spec in sets.filter_map(|set| set.get("spec")) {
        add_generators(spec.get("generators"), &mut found);
    }
    found
}

fn add_generators(generators: Option<&YamlNode>, found: &mut Vec<GeneratedDirectories>) {
    for generator in generators.map(YamlNode::items).unwrap_or_default() {
        let entries = generator.get("git").and_then(|git| git.get("directories")).map(YamlNode::items);
        let mut directories = GeneratedDirectories::default();
        for entry in entries.unwrap_or_default() {
            let Some(text) = entry.text_at("path").filter(|text| !text.contains("{{")) else { continue };
            let is_excluded = entry.text_at("exclude") == Some("true");
            let patterns = if is_excluded { &mut directories.excluded } else { &mut directories.selected };
            patterns.push(text.to_owned());
        }
        if !directories.selected.is_empty() {
            found.push(directories);
        }
        for nested in ["matrix", "merge"] {
            add_generators(generator.get(nested).and_then(|nested| nested.get("generators")), found);
        }
    }
}

/// Returns the files and directories that are built where no environment is known, except through the directories that
/// `is_divided` returns true for.
pub(super) fn undivided(
    repository: &Repository,
    deployments: &[DeclaredDeployment],
    generated: &[GeneratedDirectories],
    is_divided: &dyn Fn(&str) -> bool,
) -> BTreeSet<String> {
    let all = &repository.kustomizations;
    let targets = |directory: &str| {
        let kustomization = all.get(directory).into_iter();
        kustomization.flat_map(|one| one.resources.iter().chain(&one.components)).filter_map(KustomizationTarget::local)
    };
    let used: BTreeSet<&str> = all.keys().flat_map(|directory| targets(directory)).collect();
    // Nothing in the repository builds on it, so that it is deployed itself, unless its name is that of a base.
    let is_top = |directory: &str| {
        all.get(directory).is_some_and(|one| one.kind == KustomizationKind::Kustomization)
            && !used.contains(directory)
            && !directory.split('/').any(is_shared)
    };
    let mut open: Vec<&str> = all.keys().map(String::as_str).filter(|directory| is_top(directory)).collect();
    open.extend(deployments.iter().flat_map(|deployment| &deployment.directories).map(String::as_str));
    for directories in generated {
        let [selected, excluded] = [&directories.selected, &directories.excluded]
            .map(|patterns| patterns.iter().map(|text| PathPattern::new(text)).collect::<Vec<_>>());
        let matches = |patterns: &[PathPattern], place: &str| patterns.iter().any(|one| one.captures(place).is_some());
        let places = repository.directories.iter().map(String::as_str);
        open.extend(places.filter(|place| matches(&selected, place) && !matches(&excluded, place)));
    }
    open.retain(|directory| purpose(&path::inside(directory, "x")) == Purpose::Deployed);
    let mut found = BTreeSet::new();
    while let Some(place) = open.pop() {
        if !is_divided(place) && found.insert(place.to_owned()) {
            open.extend(targets(place));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::tree;

    #[test]
    fn git_generators_select_directories_and_exclude_others() {
        let text = "kind: ApplicationSet\nspec:\n  generators:\n  - matrix: {generators: [{git: {directories: [{path: '*'}, {path: \
                    ops-*, exclude: true}, {path: '{{x}}'}]}}, {list: {elements: []}}]}\n";
        let found = generated_directories(&tree::parse(text).unwrap());
        let expected = GeneratedDirectories { selected: vec!["*".to_owned()], excluded: vec!["ops-*".to_owned()] };
        assert_eq!(found, [expected]);
        assert!(generated_directories(&tree::parse(&text.replace("Set", "")).unwrap()).is_empty());
    }
}
