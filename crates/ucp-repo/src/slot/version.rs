//! Version that is part of a value: `repo:TAG`, `?ref=TAG`, `oci://…:TAG`, `…/releases/download/TAG/…`,
//! `--version=TAG`.

use std::ops::Range;

use crate::slot::archive::{self, ARCHIVES, is_numbered};
use crate::slot::artifact::ArtifactKind;
use ucp_core::model::image::ImageReference;

/// Version in a value, with its artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionPart {
    /// Name of the artifact.
    pub artifact: Option<String>,
    /// Kind of the artifact.
    pub what: ArtifactKind,
    /// Byte range of the version.
    pub range: Range<usize>,
}

/// Finds the version in a value; returns `None` if the value consists of a version only, or contains none.
pub fn embedded_version(text: &str) -> Option<VersionPart> {
    let text = text.trim_end();
    if text.contains(char::is_whitespace) {
        return None;
    }
    url(text).or_else(|| image(text)).or_else(|| assigned(text)).or_else(|| pinned(text))
}

/// Finds the version of a URL, in its query or a segment of its path.
pub fn url(text: &str) -> Option<VersionPart> {
    let text = text.trim_end();
    if let Some(range) = base_ref(text) {
        let artifact = text[..text.find('?')?].to_owned();
        return Some(VersionPart { artifact: Some(artifact), what: ArtifactKind::Git, range });
    }
    // The content of an inline file may contain addresses.
    if text.starts_with("data:") {
        return None;
    }
    // `name=https://…`, as generators of kustomize write it.
    let scheme = text.find("://")?;
    let start = text[..scheme].trim_end_matches(|character: char| character.is_ascii_alphanumeric()).len();
    if text[start..scheme].eq_ignore_ascii_case("oci") || text[start..scheme].eq_ignore_ascii_case("docker") {
        return image(&text[scheme + 3..]).map(|part| part.shifted(scheme + 3));
    }
    // The address of a database or a broker is none of a file.
    const OF_FILES: [&str; 7] = ["http", "https", "git", "ssh", "s3", "gs", "ftp"];
    if !OF_FILES.iter().any(|known| text[start..scheme].eq_ignore_ascii_case(known)) {
        return None;
    }
    let segments = segments(text, scheme + 3);
    let words: Vec<&str> = segments.iter().map(|segment| &text[segment.clone()]).collect();
    let known = match words.as_slice() {
        ["raw.githubusercontent.com", _, _, "refs", "tags" | "heads", _, ..] => Some((5, 3)),
        ["raw.githubusercontent.com", _, _, _, ..] => Some((3, 3)),
        ["github.com", _, _, "releases", "download", _, ..] => Some((5, 3)),
        ["github.com", _, _, "archive", "refs", "tags" | "heads", _, ..] => Some((6, 3)),
        ["github.com", _, _, "archive" | "tree" | "blob" | "raw" | "tarball" | "zipball", _, ..] => Some((4, 3)),
        words => words
            .windows(3)
            .position(|window| window[0] == "-" && ["raw", "archive", "tree", "blob", "releases"].contains(&window[1]))
            .map(|index| (index + 2, index)),
    };
    if let Some((version, repository)) = known {
        // A branch is a line of development, and not a version.
        let is_branch = words[version - 1] == "heads" || !words[version].contains(|c: char| c.is_ascii_digit());
        if is_branch {
            return None;
        }
        let is_tag = ["tags", "download", "releases"].contains(&words[version - 1]);
        let host = if words[0] == "raw.githubusercontent.com" { "github.com" } else { words[0] };
        let artifact = format!("https://{host}/{}", words[1..repository].join("/"));
        let range = match !is_tag && names_branch(words[version]) {
            true => segments[version].clone(),
            false => strip_name_and_archive(text, segments[version].clone()),
        };
        return Some(VersionPart { artifact: Some(artifact), what: ArtifactKind::Git, range });
    }
    // The first one is the host, which may be an IP address, as may that of another URL in a list. The identifiers of DOI
    // are numbers, and an API has a version of its own.
    const INTERFACES: [&str; 8] = ["api", "apis", "rest", "graphql", "oauth", "oauth2", "openid", "oidc"];
    if words.first().is_some_and(|host| host.trim_start_matches("dx.").eq_ignore_ascii_case("doi.org")) {
        return None;
    }
    let is_version = |pair: &[Range<usize>]| {
        let (before, word) = (text[pair[0].clone()].to_ascii_lowercase(), &text[pair[1].clone()]);
        let is_of_interface = INTERFACES.contains(&before.as_str()) && word.matches('.').count() < 2;
        is_numbered(word) && !word.contains(':') && !is_of_interface
    };
    let numbered = segments.windows(2).find(|pair| is_version(pair)).map(|pair| &pair[1]);
    let range = match numbered {
        Some(segment) => strip_name_and_archive(text, segment.clone()),
        None => segments.iter().skip(1).find_map(|segment| {
            let word = &text[segment.clone()];
            let range = archive::version_in_segment(word).filter(|_| archive::is_archive(word))?;
            Some(segment.start + range.start..segment.start + range.end)
        })?,
    };
    let artifact = text[start..range.start].trim_end_matches(['/', '-', '_']).to_owned();
    Some(VersionPart { artifact: Some(artifact), what: ArtifactKind::Package, range })
}

/// Returns true for the name of a release branch: `release-2.9`, which gets the versions `2.9.1` and `2.9.2`.
fn names_branch(segment: &str) -> bool {
    const WORDS: [&str; 9] =
        ["release", "releases", "rel", "branch", "stable", "maint", "maintenance", "support", "hotfix"];
    let Some((word, number)) = segment.rsplit_once(['-', '_']) else { return false };
    let word = word.rsplit(['-', '_']).next().unwrap_or(word).to_ascii_lowercase();
    let numbers: Vec<&str> = number.strip_prefix(['v', 'V']).unwrap_or(number).split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_line = match numbers.as_slice() {
        [major, "x" | "X"] => is_number(major),
        [major, minor] | [major, minor, "x" | "X"] => is_number(major) && is_number(minor),
        _ => false,
    };
    is_line && WORDS.contains(&word.as_str())
}

/// Returns the range of a remote base's ref in its URL, from `?ref=` or the older `?version=`.
pub fn base_ref(url: &str) -> Option<std::ops::Range<usize>> {
    let query = url.find('?')? + 1;
    let mut start = query;
    for parameter in url[query..].split('&') {
        let end = start + parameter.len();
        if let Some(name) = ["ref=", "version="].into_iter().find(|name| parameter.starts_with(name)) {
            return Some(start + name.len()..end);
        }
        start = end + 1;
    }
    None
}

/// Finds the tag and digest of an image reference.
pub fn image(text: &str) -> Option<VersionPart> {
    let text = text.trim_end();
    let reference = ImageReference::split(text);
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-/:$(){}".contains(c);
    if reference.version.is_empty() || reference.name.is_empty() || !reference.name.chars().all(fits) {
        return None;
    }
    // `owner/action@v1` and `module@v1` are no images: a digest has an algorithm.
    if reference.version.digest.as_ref().is_some_and(|digest| !digest.contains(':')) {
        return None;
    }
    // `sha256:…` and `semver:…` are versions themselves.
    const NO_NAMES: [&str; 11] =
        ["sha256", "sha512", "semver", "glob", "regex", "regexp", "http", "https", "tcp", "udp", "grpc"];
    if NO_NAMES.contains(&reference.name.as_str()) {
        return None;
    }
    // A URL, an IP address with its port, and a time of day are no images.
    if reference.name.contains("//") || !reference.name.contains(|c: char| c.is_ascii_alphabetic() || c == '$') {
        return None;
    }
    // So is a tag followed by its digest.
    let alone = reference.version.tag.is_none() && !reference.name.contains('/');
    if alone
        && (is_moving(&reference.name)
            || reference.name.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit()))
    {
        return None;
    }
    let start = reference.name.len() + 1;
    let range = start..text.len();
    (!range.is_empty()).then_some(VersionPart { artifact: Some(reference.name), what: ArtifactKind::Image, range })
}

/// Finds the version on the right side of `name=version` and `--name=version`.
fn assigned(text: &str) -> Option<VersionPart> {
    let equals = text.find('=')?;
    let name = &text[..equals];
    let plain = |character: char| character.is_ascii_alphanumeric() || "_.-".contains(character);
    let is_name = !name.is_empty() && name.chars().all(plain) && equals + 1 < text.len();
    let value = &text[equals + 1..];
    if let Some(part) = url(value).or_else(|| image(value)).filter(|_| is_name) {
        return Some(part.shifted(equals + 1));
    }
    is_name.then(|| VersionPart { artifact: None, what: ArtifactKind::Package, range: equals + 1..text.len() })
}

/// Finds the version of `name@version`, as in workflows and module files.
fn pinned(text: &str) -> Option<VersionPart> {
    let (name, version) = text.rsplit_once('@')?;
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-/@".contains(c);
    let is_name = name.chars().all(fits) && name.chars().any(|c| c.is_ascii_alphabetic()) && !is_numbered(name);
    let range = name.len() + 1..text.len();
    (is_name && may_be_version(version) && !version.contains([':', '@'])).then(|| VersionPart {
        artifact: Some(name.to_owned()),
        what: ArtifactKind::Package,
        range,
    })
}

impl VersionPart {
    fn shifted(mut self, by: usize) -> Self {
        self.range = self.range.start + by..self.range.end + by;
        self
    }
}

fn segments(text: &str, start: usize) -> Vec<Range<usize>> {
    let end = text[start..].find(['?', '#']).map_or(text.len(), |index| start + index);
    let mut at = start;
    let parts = text[start..end].split('/').map(|part| {
        let range = at..at + part.len();
        at = range.end + 1;
        range
    });
    parts.filter(|range| !range.is_empty()).collect()
}

/// Strips the name of a chart or program and the archive extension from a segment of a URL: `name-1.2.3.tgz`.
fn strip_name_and_archive(text: &str, range: Range<usize>) -> Range<usize> {
    let segment = &text[range.clone()];
    let ending = ARCHIVES.iter().find(|ending| segment.ends_with(*ending)).map_or(0, |ending| ending.len());
    let named = segment.match_indices('-').map(|(dash, _)| dash + 1).find(|start| is_numbered(&segment[*start..]));
    let start = named.filter(|_| !is_numbered(segment)).unwrap_or(0);
    range.start + start..range.end - ending
}

/// Returns true if a text may be a version: one word of letters, digits, and separators, that contains a digit or is a
/// common name of moving versions.
pub fn may_be_version(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-+@:~^><=*| ,".contains(c);
    // Start of a certificate or key in base64.
    if text.starts_with("LS0tLS1") {
        return false;
    }
    if text.is_empty() || text.len() > 256 || !text.chars().all(fits) {
        return false;
    }
    text.chars().any(|character| character.is_ascii_digit()) || is_moving(text)
}

/// Returns true if a version is a moving name: `latest`, a branch.
pub fn is_moving(text: &str) -> bool {
    ucp_core::model::image::ImageVersion::tag(text).mutable_tag().is_some() || text == "HEAD"
}

/// Returns true if a version is a range, from which an engine selects.
pub fn is_constraint(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(['>', '<', '^', '~', '=', '!', '*'])
        || text.contains("||")
        || text.contains(" - ")
        || text.starts_with("semver:")
        || text.split(['.', '-']).any(|part| matches!(part, "x" | "X" | "*"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_after_characters_of_several_bytes_is_found() {
        for around in ["ü", "\u{37e}", "密="] {
            let text = format!("{around}://6_c");
            assert!(embedded_version(&text).is_none_or(|part| text.get(part.range).is_some()));
        }
    }

    #[test]
    fn the_version_is_separated_from_the_text_around_it() {
        const DRAWING: &str = "data:image/svg+xml;utf8,<svg-xmlns='http://www.w3.org/2000/svg'/>";
        let github = "https://github.com/o/r";
        let cases = [
            ("nginx:1.25", "nginx", "1.25"),
            ("localhost:5000/a/b:v1@sha256:0a", "localhost:5000/a/b", "v1@sha256:0a"),
            ("a/b@sha256:0a", "a/b", "sha256:0a"),
            ("oci://ghcr.io/o/x:0.7.0", "ghcr.io/o/x", "0.7.0"),
            ("https://github.com/o/r//deploy?ref=v1&timeout=90s", "https://github.com/o/r//deploy", "v1"),
            ("git@github.com:o/r?ref=v1", "git@github.com:o/r", "v1"),
            ("https://raw.githubusercontent.com/o/r/v1.2/a/b.yaml", github, "v1.2"),
            ("x.json=https://raw.githubusercontent.com/o/r/0a1b/b.json", github, "0a1b"),
            ("https://github.com/o/r/releases/download/v2/i.yaml", github, "v2"),
            ("https://github.com/o/r/archive/v1.0-branch.tar.gz", github, "v1.0-branch"),
            ("https://gitlab.com/g/s/r/-/raw/v3/x.yaml", "https://gitlab.com/g/s/r", "v3"),
            ("https://raw.githubusercontent.com/o/r/chart-2.25.0/a.yaml", github, "2.25.0"),
            ("https://raw.githubusercontent.com/o/r/release-2.9/a.yaml", github, "release-2.9"),
            ("https://raw.githubusercontent.com/o/r/release-2.9.1/a.yaml", github, "2.9.1"),
            ("https://raw.githubusercontent.com/o/r/refs/tags/release-2.9/a.yaml", github, "2.9"),
            ("https://dl.example.org/stage/app-1.2.0.tgz", "https://dl.example.org/stage/app", "1.2.0"),
            ("https://dl.k8s.io/v1.30.0/bin", "https://dl.k8s.io", "v1.30.0"),
        ];
        for (text, artifact, version) in cases {
            let part = embedded_version(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((part.artifact.as_deref(), &text[part.range]), (Some(artifact), version), "{text}");
        }
        let action = embedded_version("actions/checkout@v4.1.0").unwrap();
        assert_eq!((action.what, action.range), (ArtifactKind::Package, 17..23));
        assert_eq!(embedded_version("--version=v1.17.0").map(|part| part.range), Some(10..17));
        for text in
            ["v1.2.3", "sha256:0a", "v1@sha256:0a", "semver:~11", "https://a.b/c", "a b:c", "nginx", "x=", DRAWING]
        {
            assert_eq!(embedded_version(text), None, "{text}");
        }
    }

    #[test]
    fn constraints_and_branches_are_recognized() {
        for text in [">=1.0.0", "~1.2", "^1", "1.x", "1.2.*", "*", "1.0 || 2.0", "semver:~11"] {
            assert!(is_constraint(text), "{text}");
        }
        for text in ["1.2.3", "v1-x86", "main", "sha-0a1b", "1.0.0-xenial"] {
            assert!(!is_constraint(text), "{text}");
        }
        assert!(is_moving("main") && is_moving("HEAD") && !is_moving("v1"));
    }
}
