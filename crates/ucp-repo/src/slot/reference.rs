//! Format of a version in its value: an image reference remains one, and all occurrences in a URL change.

use std::ops::Range;

use crate::slot::archive;
use crate::slot::artifact::{ArtifactKind, normalized_name};
use crate::slot::siblings::is_bare_digest;
use crate::slot::version;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::image::{ImageReference, ImageVersion, fully_qualified_name};

/// Context of the value that receives a version.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueContext<'a> {
    /// Kind of the artifact.
    pub(super) what: ArtifactKind,
    pub(super) key: Option<&'a str>,
    pub(super) text: &'a str,
}

/// Returns tag and digest of a version; also accepts abbreviated digests, as in examples.
fn parts(version: &str) -> ImageVersion {
    match is_digest(version) {
        true => ImageVersion { tag: None, digest: Some(version.trim_start_matches('@').to_owned()) },
        false => ImageVersion::parse(version),
    }
}

/// Returns true for a URL, for a path that contains a version, and for several words that are no range of versions.
fn is_more_than_a_version(text: &str) -> bool {
    let text = text.trim();
    text.contains("://")
        || text.contains(char::is_whitespace) && !version::is_constraint(text)
        || archive::is_path_with_version(text)
}

fn is_digest(text: &str) -> bool {
    let text = text.trim_start_matches('@');
    ["sha256:", "sha384:", "sha512:"].iter().any(|algorithm| text.starts_with(algorithm))
        || ImageVersion::parse(text).tag.is_none() && !text.is_empty()
}

impl ValueContext<'_> {
    /// Returns the byte range that changes, and its new text.
    ///
    /// # Errors
    /// Fails with the reason when the value cannot contain the version.
    pub(super) fn replacement(&self, range: Range<usize>, version: &str) -> Result<(Range<usize>, String), Failure> {
        let (before, old) = (&self.text[..range.start], &self.text[range.clone()]);
        if let Some(name) = self.repository(&range) {
            let version = without_repository(version, name)?;
            let ImageVersion { tag, digest } = parts(version);
            let tag = tag.map(|tag| format!(":{tag}")).unwrap_or_default();
            let digest = digest.map(|digest| format!("@{digest}")).unwrap_or_default();
            // The separator between name and version is part of the replaced range.
            return Ok((range.start - 1..range.end, format!("{tag}{digest}")));
        }
        if let Some(start) = self.start_of_whole(&range, version) {
            return Ok((start..self.text.trim_end().len(), version.to_owned()));
        }
        if range == (0..self.text.trim_end().len())
            && !self.names_revision()
            && is_more_than_a_version(self.text)
            && !is_more_than_a_version(version)
        {
            return fail!(
                "the position of the version in {:?} is unknown: pass the complete value",
                self.text.trim_end()
            );
        }
        let wanted = parts(version);
        let key = self.key.unwrap_or_default().to_ascii_lowercase();
        let is_whole = before.trim().is_empty() && self.text[range.end..].trim().is_empty();
        if self.what == ArtifactKind::Image && is_bare_digest(old) && is_whole && !key.ends_with("tag") {
            let bare = version.trim_start_matches('@').trim_start_matches("sha256:");
            return match is_bare_digest(bare) {
                true => Ok((range, bare.to_owned())),
                false => fail!("{version} is not a digest, but {old} is"),
            };
        }
        if is_digest(old) && is_whole && !key.ends_with("tag") {
            return match wanted {
                ImageVersion { tag: None, digest: Some(digest) } => Ok((range, digest)),
                _ => fail!("{version} is not a digest, but {old} is"),
            };
        }
        if wanted.digest.is_some() && !is_digest(old) && !old.contains('@') {
            let takes_both = self.what == ArtifactKind::Image && wanted.tag.is_some();
            if !takes_both && !key.ends_with("digest") {
                let of = if self.what == ArtifactKind::Image {
                    "tag".to_owned()
                } else {
                    format!("version of a {}", self.what)
                };
                return fail!("{version} is a digest, which cannot replace {old}, the {of}");
            }
        }
        self.replace_everywhere(range, version)
    }

    /// Returns the start of the address or path, if the new value is a whole one and not only its version.
    fn start_of_whole(&self, range: &Range<usize>, version: &str) -> Option<usize> {
        let is_part = *range != (0..self.text.trim_end().len());
        let is_path = |text: &str| text.contains('/') || archive::is_archive(text);
        match (self.text.find("://"), version.find("://")) {
            (Some(scheme), Some(new_scheme)) => {
                let start = |text: &str| text.trim_end_matches(|c: char| c.is_ascii_alphanumeric()).len();
                is_part.then(|| if start(&version[..new_scheme]) > 0 { 0 } else { start(&self.text[..scheme]) })
            }
            (None, None) => {
                let is_whole = archive::is_path_with_version(self.text.trim_end()) && is_path(version);
                (is_part && is_whole && !self.names_revision()).then_some(0)
            }
            _ => None,
        }
    }

    fn names_revision(&self) -> bool {
        self.what == ArtifactKind::Git || archive::names_revision(self.key)
    }

    /// Returns the image repository before a version in the same value.
    fn repository(&self, range: &Range<usize>) -> Option<&str> {
        let before = &self.text[..range.start];
        let name = before.strip_suffix([':', '@'])?;
        let start = name.rfind(['=', ' ', '\t', '\n']).map_or(0, |at| at + 1);
        let start = name.find("://").map_or(start, |at| start.max(at + 3));
        let name = &name[start..];
        let is_reference =
            version::image(&self.text[start..range.end]).is_some_and(|part| part.artifact.as_deref() == Some(name));
        (self.what != ArtifactKind::Git && is_reference).then_some(name)
    }

    /// Replaces a version that occurs twice in a URL or path at both places: `…/download/v1.2/tool-1.2.tgz`.
    ///
    /// # Errors
    /// Fails when a short number occurs elsewhere, where it may be something else.
    fn replace_everywhere(&self, range: Range<usize>, version: &str) -> Result<(Range<usize>, String), Failure> {
        let old = &self.text[range.clone()];
        let (bare, new) = (without_v(old), without_v(version));
        let is_path = self.text.contains("://") || archive::is_path_with_version(self.text.trim_end());
        if !is_path || !bare.contains(|c: char| c.is_ascii_digit()) {
            return Ok((range, version.to_owned()));
        }
        let is_short = bare.len() < 4 && bare.bytes().all(|byte| byte.is_ascii_digit());
        let prefix = &old[..old.len() - bare.len()];
        let is_own = |at: usize| at < range.end && range.start < at + bare.len();
        let is_apart = |at: usize| {
            let before = self.text[..at].trim_end_matches(['v', 'V']).chars().next_back();
            let rest = &self.text[at + bare.len()..];
            let after = rest.chars().next();
            // `1.2` is part of `1.2.3` and `1.2-rc1` as well, which are other versions.
            let goes_on = rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            let is_early = ["-rc", "-alpha", "-beta", "-pre"].iter().any(|word| rest.starts_with(word));
            let joins = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c == '+');
            let is_in_word = |c: Option<char>| is_short && c.is_some_and(char::is_alphanumeric);
            !joins(before)
                && !joins(after)
                && before != Some('.')
                && !goes_on
                && !is_early
                && !is_in_word(before)
                && !is_in_word(after)
        };
        let others: Vec<usize> =
            self.text.match_indices(bare).map(|(at, _)| at).filter(|at| !is_own(*at) && is_apart(*at)).collect();
        let is_same = |at: &usize| !prefix.is_empty() && self.text[..*at].ends_with(prefix);
        if is_short && !others.iter().all(is_same) {
            return fail!(
                "{bare} occurs several times in {:?}, and not each of them is known to be the version: pass the complete value",
                self.text.trim_end()
            );
        }
        let mut places: Vec<(Range<usize>, &str)> = others.into_iter().map(|at| (at..at + bare.len(), new)).collect();
        places.push((range, version));
        places.sort_by_key(|(range, _)| range.start);
        let start = places.first().map_or(0, |(range, _)| range.start);
        let (mut text, mut at) = (String::new(), start);
        for (range, version) in places {
            text.push_str(&self.text[at..range.start]);
            text.push_str(version);
            at = range.end;
        }
        Ok((start..at, text))
    }
}

fn without_v(version: &str) -> &str {
    version.strip_prefix(['v', 'V']).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(version)
}

/// Strips the repository from a version given as a whole reference. The existing repository is kept.
fn without_repository<'a>(version: &'a str, name: &str) -> Result<&'a str, Failure> {
    if is_digest(version) {
        return Ok(version);
    }
    let given = ImageReference::split(version);
    let same = |one: &str| {
        normalized_name(one) == normalized_name(name) || fully_qualified_name(one) == fully_qualified_name(name)
    };
    // `name@digest` without a registry looks like a tag with its digest.
    let has_name = given.name.contains('/') || given.version.tag.is_some() || same(&given.name);
    let names_one = given.name.len() < version.len() && has_name;
    if !names_one && !version.contains('/') {
        return Ok(version);
    }
    match same(&given.name) && !given.version.is_empty() {
        true => Ok(&version[given.name.len() + 1..]),
        false => fail!("{version} has another repository than {name}, which is not changed: pass only the version"),
    }
}

#[cfg(test)]
mod tests {
    use crate::slot::{SlotEdit, VersionFile};
    use ucp_core::failure::Failure;

    const FORMS: [&str; 3] =
        ["v2", "sha256:0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "v2@sha256:0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"];

    fn set(name: &str, text: &str, version: &str) -> Result<String, Failure> {
        let file = VersionFile::read(name, text).unwrap().unwrap();
        let slots = file.slots();
        assert_eq!(slots.len(), 1, "{text}: {slots:?}");
        let written = file.apply_edits(&[SlotEdit::set_version(&slots[0], version)]);
        written.map(|written| written.text).map_err(|error| error.reason.into())
    }

    #[test]
    fn every_reference_can_become_every_other() {
        let old = ["v1", "sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a", "v1@sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"];
        let joined =
            |version: &str| if version.starts_with("sha256") { format!("@{version}") } else { format!(":{version}") };
        for (name, text) in [
            ("d.yaml", "kind: Deployment\nspec:\n  containers:\n  - name: c\n    image: r.example.org:5000/a/b{}\n"),
            ("k.yaml", "configMapGenerator:\n- name: a\n  literals:\n  - API_IMAGE=r.example.org/a/b{}\n"),
            (
                "t.yaml",
                "apiVersion: tekton.dev/v1\nkind: PipelineRun\nspec:\n  pipelineRef:\n    resolver: bundles\n    bundle: r.example.org/a/b{}\n",
            ),
            ("p.yaml", "spec:\n  package: xpkg.example.org/a/b{}\nkind: Provider\n"),
            ("v.yaml", "worker:\n  image: \"oci://r.example.org/a/b{}\"\n"),
            (".env", "API_IMAGE=r.example.org/a/b{}\n"),
        ] {
            for before in old {
                for after in FORMS {
                    let source = text.replace("{}", &joined(before));
                    assert_eq!(set(name, &source, after), Ok(text.replace("{}", &joined(after))), "{source}");
                }
            }
        }
        for after in FORMS {
            let source = "images:\n- name: a\n  newName: r.example.org/b:v1\n";
            assert_eq!(set("kustomization.yaml", source, after), Ok(source.replace(":v1", &joined(after))));
        }
    }

    #[test]
    fn a_reference_given_whole_keeps_the_repository() {
        let source = "image: r.example.org/a/b:v1\n";
        assert_eq!(set("v.yaml", source, "r.example.org/a/b:v2"), Ok("image: r.example.org/a/b:v2\n".to_owned()));
        assert!(set("v.yaml", source, "r.example.org/a/c:v2").unwrap_err().as_str().contains("another repository"));
        let pinned = format!("image: ubuntu@{}\n", FORMS[1]);
        assert_eq!(set("v.yaml", &pinned, &format!("ubuntu@{}", FORMS[1])), Ok(pinned.clone()));
        let by_path = |text: &str, path: &str, version: &str| {
            let file = VersionFile::read("v.yaml", text).unwrap().unwrap();
            let slot = file.slot_at(&crate::slot::path::ValuePath::parse(path).unwrap(), |_| None).unwrap();
            file.apply_edits(&[SlotEdit::set_value(&slot, version)]).map(|written| written.text).unwrap()
        };
        assert_eq!(by_path("x: [\"k=repo/a:v1\"]\n", ".x[0]", "v2"), "x: [\"k=repo/a:v2\"]\n");
        assert_eq!(by_path("x: [\"k=repo/a:v1\"]\n", ".x[0]", "repo/a:v2"), "x: [\"k=repo/a:v2\"]\n");
    }

    #[test]
    fn a_value_with_a_version_at_an_unknown_place_is_not_replaced_by_it() {
        let by_path = |value: &str, version: &str| {
            let text = format!("a: {value}\n");
            let file = VersionFile::read("v.yaml", &text).unwrap().unwrap();
            let slot = file.slot_at(&crate::slot::path::ValuePath::parse(".a").unwrap(), |_| None).unwrap();
            file.apply_edits(&[SlotEdit::set_value(&slot, version)]).map(|written| written.text)
        };
        for value in ["https://d.example.org/api/boards/1860/revisions/42/download", "tool --level 3 --build 42"] {
            assert!(by_path(value, "43").unwrap_err().reason.contains("pass the complete value"), "{value}");
        }
        let new = "https://d.example.org/api/boards/1860/revisions/43/download";
        assert_eq!(by_path("https://d.example.org/x", new).unwrap(), format!("a: {new}\n"));
        assert_eq!(by_path("'>=1.0.0 <2.0.0'", "1.4.0").unwrap(), "a: '1.4.0'\n");
        assert_eq!(by_path("owner/action@v1.2.0", "v1.3.0").unwrap(), "a: owner/action@v1.3.0\n");
    }

    #[test]
    fn a_digest_is_only_accepted_where_it_is_valid() {
        for (name, text) in [
            ("v.yaml", "image:\n  repository: a/b\n  tag: v1\n"),
            (
                "Chart.yaml",
                "name: x\ndependencies:\n- name: a\n  repository: https://c.example.org\n  version: 1.2.3\n",
            ),
            ("g.yaml", "kind: GitRepository\nspec:\n  url: https://git.example.org/a\n  ref:\n    tag: v1\n"),
            ("e.yaml", "grafanaVersion: 1.2.3\n"),
            ("b.yaml", "resources:\n- https://github.com/o/r//deploy?ref=v1\n"),
        ] {
            assert!(set(name, text, FORMS[1]).is_err(), "{text}");
        }
        let digest = "image:\n  repository: a/b\n  digest: sha256:0a\n";
        assert!(set("v.yaml", digest, "v2").is_err() && set("v.yaml", digest, FORMS[2]).is_err());
        assert_eq!(set("v.yaml", digest, "sha256:0c"), Ok(digest.replace("0a", "0c")));
        let bare = format!("image:\n  repository: a/b\n  tag: v1\n  sha: {}\n", "0a".repeat(32));
        let file = VersionFile::read("v.yaml", &bare).unwrap().unwrap();
        let written = |version: &str| {
            let edit = SlotEdit::set_version(&file.slots()[1], version);
            file.apply_edits(&[edit]).ok().map(|written| written.text)
        };
        assert_eq!(written(&format!("sha256:{}", "1b".repeat(32))), Some(bare.replace("0a", "1b")));
        assert_eq!(written("v2"), None);
        let tag = "image:\n  repository: a/b\n  tag: v1\n";
        assert_eq!(set("v.yaml", tag, FORMS[2]), Ok(tag.replace("v1", FORMS[2])));
    }

    #[test]
    fn a_version_that_occurs_twice_in_a_url_changes_twice() {
        for (before, version, after) in [
            (
                "https://github.com/o/r/releases/download/v1.2.3/tool-1.2.3.yaml",
                "v1.3.0",
                "https://github.com/o/r/releases/download/v1.3.0/tool-1.3.0.yaml",
            ),
            (
                "https://github.com/o/r/releases/download/tool-1.2.3/tool_v1.2.3_linux.tgz",
                "1.3.0",
                "https://github.com/o/r/releases/download/tool-1.3.0/tool_v1.3.0_linux.tgz",
            ),
            ("https://get.example.org/v1.2/x-1.2.5.tgz", "v1.3", "https://get.example.org/v1.3/x-1.2.5.tgz"),
            ("https://get.example.org/v1.2/x-11.2.tgz", "v1.3", "https://get.example.org/v1.3/x-11.2.tgz"),
            (
                "https://github.com/o/r/releases/download/v42/tool-v42-x142.tgz",
                "v43",
                "https://github.com/o/r/releases/download/v43/tool-v43-x142.tgz",
            ),
        ] {
            assert_eq!(set("v.yaml", &format!("url: {before}\n"), version), Ok(format!("url: {after}\n")));
        }
        let unclear = "url: https://github.com/o/r/releases/download/42/tool-42.tgz\n";
        assert!(set("v.yaml", unclear, "43").unwrap_err().as_str().contains("pass the complete value"));
    }

    #[test]
    fn a_path_keeps_the_text_around_its_version() {
        for (key, before, version, after) in [
            ("x", "dl.example.org/v1.2.3/tool.tgz", "v1.3.0", Some("dl.example.org/v1.3.0/tool.tgz")),
            ("x", "dl.example.org/v1.2.3/tool-1.2.3.tgz", "v1.3.0", Some("dl.example.org/v1.3.0/tool-1.3.0.tgz")),
            ("chart", "charts/app-1.2.3.tgz", "1.3.0", Some("charts/app-1.3.0.tgz")),
            ("chart", "charts/app-1.2.3.tgz", "app-1.3.0.tgz", Some("charts/app-1.3.0.tgz")),
            ("chart", "charts/app-1.2.3.tgz", "charts/app-1.3.0.tgz", Some("charts/app-1.3.0.tgz")),
            ("x", "a/1.2.3/app-2.0.0.tgz", "1.3.0", None),
            ("x", "a/app-2.0.0-linux-amd64.tgz", "2.1.0", None),
            ("branch", "release/2.9", "main", Some("main")),
            ("x", "feature/x", "main", Some("main")),
            (
                "url",
                "https://d.example.org/v1.2.3/x",
                "https://d.example.org/v2.0.0/x",
                Some("https://d.example.org/v2.0.0/x"),
            ),
            (
                "x",
                "a=https://d.example.org/v1.2.3/x",
                "https://d.example.org/v2.0.0/x",
                Some("a=https://d.example.org/v2.0.0/x"),
            ),
        ] {
            let text = format!("{key}: {before}\n");
            let file = VersionFile::read("v.yaml", &text).unwrap().unwrap();
            let slot = file.slot_at(&crate::slot::path::ValuePath::parse(key).unwrap(), |_| None).unwrap();
            let version = crate::slot::request::fit_version(&slot, version);
            let written = file.apply_edits(&[SlotEdit::set_value(&slot, version)]).ok().map(|written| written.text);
            assert_eq!(written, after.map(|after| format!("{key}: {after}\n")), "{before} {version}");
        }
    }
}
