//! Artifacts that have versions.

use serde::{Deserialize, Serialize};
use ucp_core::model::image::fully_qualified_name;

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

/// Returns the name of an artifact for comparisons: `x`, `docker.io/library/x`, and `index.docker.io/x` are one image.
pub fn compared_name(name: &str, what: ArtifactKind) -> String {
    let name = normalized_name(name);
    if what == ArtifactKind::Image { fully_qualified_name(name) } else { name.to_owned() }
}

/// Returns the name of an artifact without the user and password of a URL, which are no part of its name. The user `git` stays.
pub(crate) fn without_credentials(name: String) -> String {
    let (scheme, rest) = name.split_at(name.find("://").map_or(0, |end| end + "://".len()));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // Without a scheme and a path, it is a name with its digest.
    let is_url = !scheme.is_empty() || rest.len() > authority.len();
    match authority.rsplit_once('@') {
        Some((user, host)) if user != "git" && is_url => format!("{scheme}{host}{}", &rest[authority.len()..]),
        _ => name,
    }
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
    fn spellings_of_a_name_are_normalized() {
        for name in ["oci://ghcr.io/a/b", "ghcr.io/a/b", "https://ghcr.io/a/b.git", "ssh://git@ghcr.io/a/b/"] {
            assert_eq!((normalized_name(name), short_name(name)), ("ghcr.io/a/b", "b"), "{name}");
        }
        assert_eq!(short_name("nginx"), "nginx");
    }

    #[test]
    fn spellings_of_an_image_are_normalized() {
        let image = |name: &str| compared_name(name, ArtifactKind::Image);
        for name in ["docker.io/library/x", "index.docker.io/x", "docker.io/x", "oci://docker.io/x"] {
            assert_eq!(image(name), image("x"), "{name}");
        }
        assert_ne!(image("quay.io/a/x"), image("a/x"));
        assert_eq!(compared_name("x", ArtifactKind::Chart), "x");
    }

    #[test]
    fn a_name_has_no_password() {
        for (name, expected) in [
            ("https://user:s3cret@git.example.org/a.git?ref=v1", "https://git.example.org/a.git?ref=v1"),
            ("https://ghp_token@github.com/a/b", "https://github.com/a/b"),
            ("ssh://git@ghcr.io/a/b@v1", "ssh://git@ghcr.io/a/b@v1"),
            ("ghcr.io/a/b@v1", "ghcr.io/a/b@v1"),
            // The rest of `oci://…`.
            ("user:s3cret@ghcr.io/a/b", "ghcr.io/a/b"),
            ("token@ghcr.io:5000/a/b", "ghcr.io:5000/a/b"),
            ("git@ghcr.io:a/b", "git@ghcr.io:a/b"),
            ("nginx@sha256:0a", "nginx@sha256:0a"),
        ] {
            assert_eq!(without_credentials(name.to_owned()), expected);
        }
    }
}
