//! References of packages, and the servers that they lead to.

use std::net::IpAddr;

use ucp_core::failure::{Failure, fail};

/// The registry of Docker Hub, which has another host than its images, and its server of tokens.
const DOCKER_HUB: [&str; 3] = ["docker.io", "index.docker.io", "registry-1.docker.io"];
const DOCKER_TOKENS: &str = "https://auth.docker.io";

/// Registries of public images, which a file of a repository may name without a hazard for the network. Docker Hub counts the
/// requests of anonymous clients.
const PUBLIC: [&str; 5] = ["ghcr.io", "quay.io", "public.ecr.aws", "registry.gitlab.com", "mcr.microsoft.com"];

/// The reference of a package in a registry: `xpkg.crossplane.io/crossplane-contrib/provider-aws-s3:v2.0.0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageReference {
    /// Host of the registry, with its port.
    pub host: String,
    /// The repository.
    pub repository: String,
    /// The tag or digest.
    pub version: String,
}

impl PackageReference {
    /// Parses a reference. `PACKAGE@VERSION` means the tag `VERSION`, if it is no digest.
    ///
    /// # Errors
    /// Fails when it names no registry or no version, or has characters that no reference has.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let Some((host, rest)) =
            text.split_once('/').filter(|(host, _)| host.contains(['.', ':']) || *host == "localhost")
        else {
            return fail!("it names no registry, such as xpkg.crossplane.io/");
        };
        let (repository, version) = match rest.rsplit_once('@') {
            // A digest decides, whatever the tag is.
            Some((name, digest)) => (name.split(':').next().unwrap_or(name), digest),
            None => match rest.rsplit_once(':') {
                Some(parts) => parts,
                None => return fail!("it names no version: write {text}:VERSION"),
            },
        };
        let is_plain = |text: &str, more: &[char]| {
            !text.is_empty() && text.chars().all(|one| one.is_ascii_alphanumeric() || more.contains(&one))
        };
        let is_path = repository.split('/').all(|part| is_plain(part, &['.', '_', '-']) && !part.starts_with('.'));
        if !is_plain(host, &['.', ':', '-']) || !is_path || !is_plain(version, &['.', '_', '-', ':']) {
            return fail!("it is no reference of an image");
        }
        Ok(Self { host: host.to_owned(), repository: repository.to_owned(), version: version.to_owned() })
    }

    /// Returns the URL of the registry. One on this machine is not encrypted, as for go-containerregistry.
    pub(super) fn origin(&self) -> String {
        match (self.is_local(), DOCKER_HUB.contains(&self.host.as_str())) {
            (true, _) => format!("http://{}", self.host),
            (false, true) => format!("https://{}", DOCKER_HUB[2]),
            (false, false) => format!("https://{}", self.host),
        }
    }

    /// Returns true if the registry has public images and may be asked for them without a login.
    pub fn is_on_public_registry(&self) -> bool {
        PUBLIC.contains(&self.host.as_str())
    }

    /// Returns the name of the registry in docker's configuration.
    pub fn login_name(&self) -> &str {
        if DOCKER_HUB.contains(&self.host.as_str()) { "https://index.docker.io/v1/" } else { &self.host }
    }

    /// Returns true if the login of the registry may be sent to a server of tokens.
    pub(super) fn trusts_token_server(&self, origin: &str) -> bool {
        origin == self.origin() || (origin == DOCKER_TOKENS && DOCKER_HUB.contains(&self.host.as_str()))
    }

    /// Returns true if content may be fetched from a server that the registry redirects to.
    pub(super) fn allows_origin(&self, origin: &str) -> bool {
        origin.starts_with("https://") || (self.is_local() && origin == self.origin())
    }

    fn is_local(&self) -> bool {
        let name = self.host.rsplit_once(':').map_or(self.host.as_str(), |(name, _)| name);
        name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

/// Splits a URL into scheme with host, and path with query.
///
/// # Errors
/// Fails when it is no URL of a web server.
pub(super) fn split_origin(url: &str) -> Result<(String, &str), Failure> {
    let Some((scheme, rest)) = url.split_once("://").filter(|(scheme, _)| ["http", "https"].contains(scheme)) else {
        return fail!("the registry names a server by no URL");
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    if host.is_empty() || host.contains('@') {
        return fail!("the registry names a server by no plain URL");
    }
    Ok((format!("{scheme}://{host}"), if path.is_empty() { "/" } else { path }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_name_a_registry_and_a_version() {
        for (text, expected) in [
            ("xpkg.example.org/a/provider:v1.2.0", Ok("https://xpkg.example.org a/provider v1.2.0")),
            ("xpkg.example.org/a/provider@v1.2.0", Ok("https://xpkg.example.org a/provider v1.2.0")),
            ("xpkg.example.org/a/provider:v1@sha256:00ff", Ok("https://xpkg.example.org a/provider sha256:00ff")),
            ("localhost:5000/provider:v1", Ok("http://localhost:5000 provider v1")),
            ("docker.io/a/provider:v1", Ok("https://registry-1.docker.io a/provider v1")),
            ("a/provider:v1", Err("it names no registry, such as xpkg.crossplane.io/")),
            ("xpkg.example.org/a/provider", Err("it names no version: write xpkg.example.org/a/provider:VERSION")),
            ("xpkg.example.org/a/../b:v1", Err("it is no reference of an image")),
            ("xpkg.example.org/a b:v1", Err("it is no reference of an image")),
            ("xpkg.example.org/a:v1?x=1", Err("it is no reference of an image")),
            ("u:p@xpkg.example.org/a:v1", Err("it is no reference of an image")),
        ] {
            let parsed = PackageReference::parse(text);
            let found = parsed.map(|parsed| format!("{} {} {}", parsed.origin(), parsed.repository, parsed.version));
            assert_eq!(found.as_deref().map_err(Failure::as_str), expected, "{text}");
        }
    }

    #[test]
    fn a_login_is_only_sent_to_its_registry() {
        let registry = PackageReference::parse("xpkg.example.org/a:v1").unwrap();
        for (origin, expected) in [
            ("https://xpkg.example.org", true),
            ("http://xpkg.example.org", false),
            ("https://xpkg.example.org:8443", false),
            ("https://auth.docker.io", false),
            ("https://evil.example.org", false),
        ] {
            assert_eq!(registry.trusts_token_server(origin), expected, "{origin}");
        }
        assert!(PackageReference::parse("docker.io/a/b:v1").unwrap().trusts_token_server("https://auth.docker.io"));
        for (text, is_public) in [("ghcr.io/a/b:v1", true), ("ghcr.io:444/a/b:v1", false), ("10.0.0.1/a/b:v1", false)] {
            assert_eq!(PackageReference::parse(text).unwrap().is_on_public_registry(), is_public, "{text}");
        }
        assert!(!registry.allows_origin("http://169.254.169.254") && registry.allows_origin("https://cdn.example.org"));
        assert!(split_origin("https://a@b/c").is_err() && split_origin("file:///etc/passwd").is_err());
    }
}
