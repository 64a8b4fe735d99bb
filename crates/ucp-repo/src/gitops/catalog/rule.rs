//! Rules of `.ucp.yaml` that assign versions to services and environments, and locate them in their files.

use std::collections::HashMap;

use crate::gitops::catalog::layout::EnvironmentLabel;
use crate::gitops::config::{PromoteRule, RepositoryConfig, VersionRule};
use crate::gitops::discover::{Discovery, Overlay};
use crate::gitops::pattern::{PathPattern, PatternCaptures};
use crate::slot::path::{PathStep, ValuePath};

/// Rules of a repository.
#[derive(Debug)]
pub struct VersionRules<'c> {
    versions: Vec<(&'c VersionRule, PathPattern)>,
    /// Values that `promote` names, by file.
    promoted: HashMap<String, PromotedValues<'c>>,
}

/// Values of one overlay that a rule of `promote` names.
#[derive(Debug, Clone, Copy)]
struct PromotedValues<'c> {
    rule: &'c PromoteRule,
    overlay: &'c Overlay,
}

/// Rules that apply to one file.
#[derive(Debug)]
pub struct FileRules<'c> {
    versions: Option<(&'c VersionRule, PatternCaptures)>,
    promoted: Option<PromotedValues<'c>>,
}

impl<'c> VersionRules<'c> {
    /// Prepares the rules of a configuration.
    pub fn new(config: &'c RepositoryConfig, discovery: &'c Discovery) -> Self {
        let values = config.promote.iter().filter(|rule| !rule.paths.is_empty());
        let promoted = values.flat_map(|rule| {
            discovery.overlays.iter().filter_map(move |overlay| {
                let file = rule.path(&overlay.directory, &overlay.service, &overlay.environment)?;
                Some((file, PromotedValues { rule, overlay }))
            })
        });
        Self {
            versions: config.versions.iter().map(|rule| (rule, PathPattern::new(&rule.file))).collect(),
            promoted: promoted.collect(),
        }
    }

    /// Returns the first rule for a file, and the values of it that `promote` names.
    pub fn for_file(&self, file: &str) -> Option<FileRules<'c>> {
        let mut versions = self.versions.iter().filter_map(|(rule, pattern)| Some((*rule, pattern.captures(file)?)));
        let found = FileRules { versions: versions.next(), promoted: self.promoted.get(file).copied() };
        (found.versions.is_some() || found.promoted.is_some()).then_some(found)
    }
}

impl FileRules<'_> {
    /// Returns the service that the rules assign to a path.
    pub fn service(&self, path: &ValuePath) -> Option<String> {
        let promoted = self.promoted.map(|promoted| promoted.overlay.service.clone());
        let Some((rule, captured)) = &self.versions else { return promoted };
        let by_path = by_path(rule, path).and_then(|captured| captured.service);
        by_path.or_else(|| rule.service.clone()).or_else(|| captured.service.clone()).or(promoted)
    }

    /// Returns the environment that the rules assign to a path.
    pub fn environment(&self, path: &ValuePath) -> Option<EnvironmentLabel> {
        let (name, because) = match (&self.versions, self.promoted) {
            (Some((rule, captured)), promoted) => {
                let by_path = by_path(rule, path).and_then(|captured| captured.environment);
                let own = by_path.or_else(|| rule.environment.clone()).or_else(|| captured.environment.clone());
                (own.or_else(|| promoted.map(|promoted| promoted.overlay.environment.clone()))?, &rule.file)
            }
            (None, Some(promoted)) => (promoted.overlay.environment.clone(), &promoted.rule.file),
            (None, None) => return None,
        };
        if name.is_empty() {
            return None;
        }
        Some(EnvironmentLabel { name, because: format!("{because} in .ucp.yaml"), by_word: false, part: None })
    }

    /// Returns the paths of further versions in the file.
    pub fn paths(&self) -> impl Iterator<Item = &String> {
        let versions = self.versions.iter().flat_map(|(rule, _)| &rule.paths);
        versions.chain(self.promoted.iter().flat_map(|promoted| &promoted.rule.paths))
    }

    /// Returns the `promote` rule for a value of the file.
    pub fn promotion(&self, path: &ValuePath) -> Promotion<'_> {
        let Some(PromotedValues { rule, .. }) = self.promoted else { return Promotion::Unruled };
        match rule.paths.iter().find(|pattern| captures(pattern, path).is_some()) {
            Some(pattern) => Promotion::Named { file: &rule.file, pattern },
            None => Promotion::Left,
        }
    }

    /// Returns true if the rule assigns the file to no environment: `environment: ""`.
    pub fn is_shared(&self) -> bool {
        self.versions.as_ref().is_some_and(|(rule, _)| rule.environment.as_deref() == Some(""))
    }
}

/// Effect of the rules of `promote` on a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promotion<'c> {
    /// No rule applies to its file.
    Unruled,
    /// A rule names the value by this path in this file.
    Named {
        /// The file, as written in the rule.
        file: &'c str,
        /// The path, as written in the rule.
        pattern: &'c str,
    },
    /// Only other values of its file are named.
    Left,
}

fn by_path(rule: &VersionRule, path: &ValuePath) -> Option<PatternCaptures> {
    rule.paths.iter().find_map(|pattern| captures(pattern, path))
}

/// Matches a path against a pattern of keys; `{service}` and `{environment}` match one key each, and `*` matches any
/// step.
pub fn captures(pattern: &str, path: &ValuePath) -> Option<PatternCaptures> {
    let mut captured = PatternCaptures::default();
    let pattern = ValuePath::parse(pattern).ok()?;
    if pattern.steps.len() != path.steps.len() {
        return None;
    }
    for (wanted, step) in pattern.steps.iter().zip(&path.steps) {
        match (wanted, step) {
            (PathStep::Key(wanted), PathStep::Key(key)) if wanted == "{service}" => {
                captured.service = Some(key.clone())
            }
            (PathStep::Key(wanted), PathStep::Key(key)) if wanted == "{environment}" => {
                captured.environment = Some(key.clone())
            }
            (PathStep::Key(wanted), _) if wanted == "*" => {}
            // `containers.0.image`, as kustomize writes it.
            (PathStep::Key(wanted), PathStep::Index(index)) if *wanted == index.to_string() => {}
            (PathStep::Embedded(None), PathStep::Embedded(_)) => {}
            (wanted, step) if wanted == step => {}
            _ => return None,
        }
    }
    Some(captured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_services_and_environments() {
        let path = ValuePath::parse("api.at_ring1").unwrap();
        let captured = captures("{service}.{environment}", &path).unwrap();
        assert_eq!((captured.service.as_deref(), captured.environment.as_deref()), (Some("api"), Some("at_ring1")));
        assert!(captures("{service}", &path).is_none());
        assert!(captures("*.at_ring1", &path).is_some());
        assert!(captures(".list[*].x", &ValuePath::parse("list[2].x").unwrap()).is_none(), "an index has no star");
    }
}
