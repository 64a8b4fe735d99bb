//! Image references, split as kustomize splits them.

use std::fmt;

/// Version of an image: a tag, a digest, or both.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageVersion {
    /// The tag without its colon.
    pub tag: Option<String>,
    /// The digest with its algorithm, `sha256:…`.
    pub digest: Option<String>,
}

impl ImageVersion {
    /// Creates a version with only a tag.
    pub fn tag(tag: impl Into<String>) -> Self {
        Self { tag: Some(tag.into()), digest: None }
    }

    /// Parses `tag`, `tag@digest`, `@digest`, and `sha256:…`.
    pub fn parse(text: &str) -> Self {
        let filled = |part: &str| (!part.is_empty()).then(|| part.to_owned());
        match text.split_once('@') {
            Some((tag, digest)) => Self { tag: filled(tag), digest: filled(digest) },
            None if is_digest(text) => Self { tag: None, digest: Some(text.to_owned()) },
            None => Self { tag: filled(text), digest: None },
        }
    }

    /// Returns true if there is neither tag nor digest, which registries treat as `latest`.
    pub fn is_empty(&self) -> bool {
        self.tag.is_none() && self.digest.is_none()
    }

    /// Returns the reason why a registry rejects this version: a tag or digest that violates the grammar of OCI
    /// references.
    pub fn fault(&self) -> Option<String> {
        let tag_fault =
            self.tag.as_deref().filter(|tag| !is_tag(tag)).map(|tag| format!("{tag:?} is not an image tag"));
        let digest = self.digest.as_deref().filter(|digest| !is_digest(digest));
        tag_fault.or_else(|| digest.map(|digest| format!("{digest:?} is not a digest such as sha256:0123…")))
    }

    /// Returns the tag if it is one that is commonly moved, and no digest pins it.
    pub fn mutable_tag(&self) -> Option<&str> {
        const MOVING: [&str; 24] = [
            "latest",
            "main",
            "master",
            "head",
            "trunk",
            "develop",
            "dev",
            "development",
            "nightly",
            "edge",
            "canary",
            "snapshot",
            "stable",
            "unstable",
            "testing",
            "test",
            "staging",
            "stage",
            "prod",
            "production",
            "lts",
            "next",
            "current",
            "rolling",
        ];
        let tag = self.tag.as_deref().filter(|_| self.digest.is_none())?;
        MOVING.contains(&tag.to_ascii_lowercase().as_str()).then_some(tag)
    }
}

impl fmt::Display for ImageVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.tag, &self.digest) {
            (Some(tag), Some(digest)) => write!(formatter, "{tag}@{digest}"),
            (Some(tag), None) => formatter.write_str(tag),
            (None, Some(digest)) => write!(formatter, "@{digest}"),
            (None, None) => Ok(()),
        }
    }
}

/// An image reference of a workload.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageReference {
    /// Registry and repository, as written: kustomize does not normalize names.
    pub name: String,
    /// Tag and digest.
    pub version: ImageVersion,
}

impl ImageReference {
    /// Splits `[registry[:port]/]name[:tag][@digest]` as kustomize's `image.Split` does.
    pub fn split(image: &str) -> Self {
        let search = image.find('/').filter(|slash| *slash > 0).unwrap_or(0);
        let at = image[search..].find('@').map(|index| index + search);
        let colon =
            image[search..].find(':').map(|index| index + search).filter(|colon| at.is_none_or(|at| *colon < at));
        let digest = at.map(|at| image[at + 1..].to_owned());
        let tag = colon.map(|colon| image[colon + 1..at.unwrap_or(image.len())].to_owned());
        let name = image[..colon.or(at).unwrap_or(image.len())].to_owned();
        let filled = |part: Option<String>| part.filter(|part| !part.is_empty());
        Self { name, version: ImageVersion { tag: filled(tag), digest: filled(digest) } }
    }

    /// Returns the reason why a registry rejects this reference: a name, tag, or digest that violates the grammar of
    /// OCI references.
    pub fn fault(&self) -> Option<String> {
        let word = |part: &str| {
            let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            part.starts_with(fits) && part.ends_with(fits) && part.chars().all(|c| fits(c) || "._-".contains(c))
        };
        let (registry, path) = match self.name.split_once('/') {
            Some((first, rest)) if first.contains(['.', ':']) || first == "localhost" => (Some(first), rest),
            _ => (None, self.name.as_str()),
        };
        let is_registry = |host: &str| {
            let (host, port) = host.split_once(':').unwrap_or((host, "0"));
            word(&host.to_ascii_lowercase()) && !port.is_empty() && port.chars().all(|c| c.is_ascii_digit())
        };
        let is_name = registry.is_none_or(is_registry) && path.split('/').all(word);
        let name_fault = (!is_name).then(|| format!("{:?} is not an image name", self.name));
        name_fault.or_else(|| self.version.fault())
    }
}

/// Returns an image name as container runtimes resolve it: `nginx` is `docker.io/library/nginx`. Based on
/// `ParseDockerRef` of containerd and `normalize.go` of distribution/reference.
pub fn fully_qualified_name(name: &str) -> String {
    const HUB: &str = "docker.io";
    let (registry, path) = match name.split_once('/') {
        Some((first, rest)) if first.contains(['.', ':']) || first == "localhost" => (first, rest),
        _ => (HUB, name),
    };
    let registry = if registry == "index.docker.io" { HUB } else { registry };
    let library = if registry == HUB && !path.contains('/') { "library/" } else { "" };
    format!("{registry}/{library}{path}")
}

impl fmt::Display for ImageReference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ImageVersion { tag, digest } = &self.version;
        formatter.write_str(&self.name)?;
        tag.iter().try_for_each(|tag| write!(formatter, ":{tag}"))?;
        digest.iter().try_for_each(|digest| write!(formatter, "@{digest}"))
    }
}

/// Checks the grammar of tags in the OCI distribution specification.
fn is_tag(tag: &str) -> bool {
    let word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    tag.len() <= 128
        && tag.starts_with(word)
        && tag.chars().all(|character| word(character) || character == '.' || character == '-')
}

/// Checks the grammar of digests in the OCI image specification, for algorithms with hexadecimal output.
fn is_digest(digest: &str) -> bool {
    digest.split_once(':').is_some_and(|(algorithm, hex)| {
        let part = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit();
        let plain = |character: char| part(character) || "+._-".contains(character);
        !algorithm.is_empty()
            && algorithm.chars().all(plain)
            && hex.len() >= 32
            && hex.chars().all(|c| c.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_split_as_in_kustomize() {
        let digest = format!("sha256:{}", "0a".repeat(32));
        let cases = [
            ("nginx", "nginx", None, None),
            ("nginx:1.2", "nginx", Some("1.2"), None),
            ("localhost:5000/a/b", "localhost:5000/a/b", None, None),
            ("localhost:5000/a/b:v1", "localhost:5000/a/b", Some("v1"), None),
        ];
        for (image, name, tag, digest) in cases {
            let reference = ImageReference::split(image);
            assert_eq!(
                (reference.name.as_str(), reference.version.tag.as_deref(), reference.version.digest.as_deref()),
                (name, tag, digest)
            );
            assert_eq!(reference.to_string(), image);
        }
        let pinned = ImageReference::split(&format!("a/b@{digest}"));
        assert_eq!(
            (pinned.name.as_str(), pinned.version.tag, pinned.version.digest),
            ("a/b", None, Some(digest.clone()))
        );
        assert_eq!(
            ImageReference::split(&format!("a/b:v1@{digest}")).version,
            ImageVersion { tag: Some("v1".into()), digest: Some(digest) }
        );
    }

    #[test]
    fn versions_that_no_registry_accepts_have_a_fault() {
        assert_eq!(ImageVersion::tag("v0.1.3-x86").fault(), None);
        for tag in ["", "-v", "a b", "$(x)", "a/b", &"x".repeat(129)] {
            assert!(ImageVersion::tag(tag).fault().is_some(), "{tag}");
        }
        assert!(ImageVersion { tag: None, digest: Some("sha256:xyz".into()) }.fault().is_some());
        assert_eq!(ImageVersion::tag("Latest").mutable_tag(), Some("Latest"));
        assert_eq!(ImageVersion { tag: Some("latest".into()), digest: Some("d".into()) }.mutable_tag(), None);
    }
}
