//! Path patterns such as `{service}/overlays/{environment}`.

use std::fmt;

use regex::Regex;

/// Parts of a path that a pattern captured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PatternCaptures {
    /// Text of `{service}`.
    pub service: Option<String>,
    /// Text of `{environment}`.
    pub environment: Option<String>,
}

/// Pattern for files and for the directories of overlays.
#[derive(Debug, Clone)]
pub struct PathPattern {
    text: String,
    expression: Option<Regex>,
}

impl PathPattern {
    /// Compiles a pattern. Each `{name}` and `*` match text without a slash, and `**` matches any text.
    pub fn new(text: &str) -> Self {
        let expression = regex::escape(text.trim_matches('/'))
            .replacen(r"\{service\}", "(?P<service>[^/]+)", 1)
            .replacen(r"\{environment\}", "(?P<environment>[^/]+)", 1)
            .replace(r"\*\*/", "(?:.*/)?")
            .replace(r"\*\*", ".*")
            .replace(r"\*", "[^/]*");
        Self { text: text.to_owned(), expression: Regex::new(&format!("^{expression}$")).ok() }
    }

    /// Returns the captured parts of a path if it matches.
    pub fn captures(&self, path: &str) -> Option<PatternCaptures> {
        let captures = self.expression.as_ref()?.captures(path)?;
        let text = |name: &str| captures.name(name).map(|found| found.as_str().to_owned());
        Some(PatternCaptures { service: text("service"), environment: text("environment") })
    }

    /// Returns service and environment of a directory if it matches; the service is empty if the pattern does not
    /// capture it.
    pub fn matches(&self, directory: &str) -> Option<(String, String)> {
        let captured = self.captures(directory)?;
        Some((captured.service.unwrap_or_default(), captured.environment?))
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_the_parts_of_a_path() {
        let found = |pattern: &str, path: &str| PathPattern::new(pattern).matches(path);
        assert_eq!(found("{service}/overlays/{environment}", "a.b/overlays/prod"), Some(("a.b".into(), "prod".into())));
        assert_eq!(found("envs/{environment}-*/", "envs/prod-eu"), Some((String::new(), "prod".into())));
        assert_eq!(found("{service}/{environment}", "a/b/c"), None);
        assert_eq!(found("**/{environment}/*.yaml", "a/b/prod/c.yaml"), Some((String::new(), "prod".into())));
        assert_eq!(found("**/{environment}/*.yaml", "prod/c.yaml"), Some((String::new(), "prod".into())));
    }
}
