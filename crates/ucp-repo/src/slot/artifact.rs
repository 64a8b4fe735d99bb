//! Artifacts that have versions.

use serde::{Deserialize, Serialize};

/// Kinds of artifacts.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    clap::ValueEnum,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ArtifactKind {
    /// A container image: a tag, a digest, or both.
    Image,
    /// A Helm chart.
    Chart,
    /// A Crossplane package, or a program, module, or release that is neither image nor chart.
    Package,
    /// A Git repository: a tag, a branch, or a commit.
    Git,
}

impl std::fmt::Display for ArtifactKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Image => "image",
            Self::Chart => "chart",
            Self::Package => "package",
            Self::Git => "git",
        })
    }
}

/// Normalizes the name of an artifact: removes scheme, user, `.git`, and a trailing slash.
pub fn normalized_name(name: &str) -> &str {
    let name = name.split_once("://").map_or(name, |(_, rest)| rest);
    let name = name.split_once('@').filter(|(user, _)| *user == "git").map_or(name, |(_, rest)| rest);
    let name = name.trim_end_matches('/');
    name.strip_suffix(".git").unwrap_or(name)
}

/// Returns the last part of an artifact's name, which users commonly type.
pub fn short_name(name: &str) -> &str {
    let name = normalized_name(name);
    name.rsplit(['/', ' ']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_meet() {
        for name in ["oci://ghcr.io/a/b", "ghcr.io/a/b", "https://ghcr.io/a/b.git", "ssh://git@ghcr.io/a/b/"] {
            assert_eq!((normalized_name(name), short_name(name)), ("ghcr.io/a/b", "b"), "{name}");
        }
        assert_eq!(short_name("nginx"), "nginx");
    }
}
