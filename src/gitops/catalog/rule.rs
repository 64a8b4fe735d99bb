//! Rules of `.ucp.yaml` that say whose the versions of a file are, and where they stand in it.

use crate::gitops::catalog::layout::Label;
use crate::gitops::config::VersionRule;
use crate::gitops::pattern::{Captured, PathPattern};
use crate::slot::path::{Path, Step};

/// The rules of a repository.
#[derive(Debug)]
pub struct Rules<'c> {
    rules: Vec<(&'c VersionRule, PathPattern)>,
}

/// A rule, and what it says of one file.
#[derive(Debug)]
pub struct Match<'c> {
    rule: &'c VersionRule,
    captured: Captured,
}

impl<'c> Rules<'c> {
    /// Prepares the rules of a configuration.
    pub fn new(rules: &'c [VersionRule]) -> Self {
        Self { rules: rules.iter().map(|rule| (rule, PathPattern::new(&rule.file))).collect() }
    }

    /// The first rule for a file.
    pub fn of_file(&self, file: &str) -> Option<Match<'c>> {
        self.rules.iter().find_map(|(rule, pattern)| Some(Match { rule, captured: pattern.captures(file)? }))
    }
}

impl Match<'_> {
    /// The service that the rule gives to a path.
    pub fn service(&self, path: &Path) -> Option<String> {
        let by_path = self.by_path(path).and_then(|captured| captured.service);
        by_path.or_else(|| self.rule.service.clone()).or_else(|| self.captured.service.clone())
    }

    /// The environment that the rule gives to a path.
    pub fn environment(&self, path: &Path) -> Option<Label> {
        let by_path = self.by_path(path).and_then(|captured| captured.environment);
        let name = by_path.or_else(|| self.rule.environment.clone()).or_else(|| self.captured.environment.clone())?;
        if name.is_empty() {
            return None;
        }
        Some(Label { name, because: format!("{} in .ucp.yaml", self.rule.file), by_word: false, part: None })
    }

    /// Where else versions stand in the file.
    pub fn paths(&self) -> &[String] {
        &self.rule.paths
    }

    /// Whether the rule says that no environment owns the file: `environment: ""`.
    pub fn is_shared(&self) -> bool {
        self.rule.environment.as_deref() == Some("")
    }

    fn by_path(&self, path: &Path) -> Option<Captured> {
        self.rule.paths.iter().find_map(|pattern| captures(pattern, path))
    }
}

/// Whether a pattern of keys matches a path, `{service}` and `{environment}` standing for a key each, and `*` for any step.
pub fn captures(pattern: &str, path: &Path) -> Option<Captured> {
    let mut captured = Captured::default();
    let pattern = Path::parse(pattern).ok()?;
    if pattern.steps.len() != path.steps.len() {
        return None;
    }
    for (wanted, step) in pattern.steps.iter().zip(&path.steps) {
        match (wanted, step) {
            (Step::Key(wanted), Step::Key(key)) if wanted == "{service}" => captured.service = Some(key.clone()),
            (Step::Key(wanted), Step::Key(key)) if wanted == "{environment}" => {
                captured.environment = Some(key.clone())
            }
            (Step::Key(wanted), _) if wanted == "*" => {}
            (Step::Embedded(None), Step::Embedded(_)) => {}
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
        let path = Path::parse("api.at_ring1").unwrap();
        let captured = captures("{service}.{environment}", &path).unwrap();
        assert_eq!((captured.service.as_deref(), captured.environment.as_deref()), (Some("api"), Some("at_ring1")));
        assert!(captures("{service}", &path).is_none());
        assert!(captures("*.at_ring1", &path).is_some());
        assert!(captures(".list[*].x", &Path::parse("list[2].x").unwrap()).is_none(), "an index has no star");
    }
}
