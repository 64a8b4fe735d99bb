//! Values beside a version that belong to the same image: its digest, its registry, and its repository.

use crate::slot::artifact::without_credentials;
use crate::slot::keys::{fold_key, is_image_name};
use crate::slot::path::ValuePath;
use crate::slot::site::ScalarContext;
use crate::yaml::pairs::Keyed as _;
use crate::yaml::tree::YamlNode;

/// Number of keys up to which all siblings of a tag are compared: a larger mapping is not that of one image.
const LARGEST: usize = 24;

/// Returns true for a digest, with or without its algorithm.
pub(crate) fn is_digest(text: &str) -> bool {
    let text = text.trim().trim_start_matches('@');
    is_bare_digest(text) || ["sha256:", "sha384:", "sha512:"].iter().any(|algorithm| text.starts_with(algorithm))
}

/// Returns true for a SHA-256 digest without `sha256:`.
pub fn is_bare_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the key of the digest that has precedence over the tag under `key`, whatever its name: `digest`, `sha`,
/// `imageDigest`, `apiDigest` beside `apiTag`.
pub(crate) fn digest_of_tag<'a>(mapping: &'a YamlNode, key: &str) -> Option<&'a str> {
    if !is_tag(mapping, key) {
        return None;
    }
    if mapping.entries().len() > LARGEST {
        return digest_of_same_name(mapping, key);
    }
    let tags = || mapping.entries().iter().filter_map(|(key, _)| key.key()).filter(|key| is_tag(mapping, key));
    let (own, is_only) = (subject(key), tags().nth(1).is_none());
    let belongs = |name: &str| {
        let of = subject(name);
        of == own
            || !tags().any(|other| subject(other) == of)
                && (is_only || of.is_empty() || of == "image")
                && !has_own_repository(mapping, &of)
    };
    mapping.entries().iter().find_map(|(name, value)| {
        let (name, text) = (name.key()?, value.text()?);
        let is_pin = name != key && is_digest(text) && (!is_bare_digest(text) || may_be_bare(name, key));
        (is_pin && belongs(name)).then_some(name)
    })
}

/// Returns the key of a digest that differs from that of its tag only in the ending.
fn digest_of_same_name<'a>(mapping: &'a YamlNode, key: &str) -> Option<&'a str> {
    let stem = ["tag", "Tag", "TAG"].iter().find_map(|ending| key.strip_suffix(ending))?;
    let entry = |ending: &&str| mapping.entry(&format!("{stem}{ending}"));
    let mut found = ["digest", "Digest", "DIGEST", "sha", "Sha", "SHA"].iter().filter_map(entry);
    found.find_map(|(name, value)| name.key().filter(|_| value.text().is_some_and(is_digest)))
}

/// Returns true if the value is the digest of a tag in the same mapping.
pub(crate) fn is_digest_of_tag(site: &ScalarContext<'_, '_>) -> bool {
    let Some((mapping, key)) = site.mapping().zip(site.key()) else { return false };
    let mut keys = mapping.entries().iter().filter_map(|(key, _)| key.key());
    is_digest(site.text()) && keys.any(|tag| digest_of_tag(mapping, tag) == Some(key))
}

/// Returns true for the key of a tag, and for that of a version beside an image repository.
fn is_tag(mapping: &YamlNode, key: &str) -> bool {
    let folded = fold_key(key);
    let is_repository = |key: &str| {
        let text = mapping.text_at(key).unwrap_or_default();
        text.contains('/') && !text.contains("://") && is_image_name(text)
    };
    let is_version = || folded == "version" && ["image", "repository"].into_iter().any(is_repository);
    (folded.ends_with("tag") || is_version()) && mapping.text_at(key).is_some_and(|text| !is_digest(text))
}

/// Returns true if 64 hexadecimal digits under a key are a digest, and not a key or password: by its name.
fn may_be_bare(name: &str, tag: &str) -> bool {
    let folded = fold_key(name);
    ["digest", "sha", "sha256"].iter().any(|ending| folded.ends_with(ending))
        || fold_key(tag) == "tag" && ["checksum", "hash", "id"].iter().any(|ending| folded.ends_with(ending))
}

/// Returns true if a part of the keys names another repository: `sidecarRepository` beside `sidecarDigest`.
fn has_own_repository(mapping: &YamlNode, part: &str) -> bool {
    let is_repository = |key: &str| {
        let rest = fold_key(key);
        let rest = rest.strip_prefix(part);
        matches!(rest, Some("repository" | "repo" | "image" | "name" | "imagename" | "registry"))
    };
    !part.is_empty() && part != "image" && mapping.entries().iter().filter_map(|(key, _)| key.key()).any(is_repository)
}

/// Returns the part of a key before its words for a version: `api` for `apiImageTag` and `apiDigest`.
fn subject(key: &str) -> String {
    let mut key = fold_key(key);
    while let Some(rest) =
        ["tag", "digest", "sha256", "sha", "checksum", "hash", "version"].iter().find_map(|word| key.strip_suffix(word))
    {
        key = rest.to_owned();
    }
    key.strip_suffix("image").filter(|rest| !rest.is_empty()).map(str::to_owned).unwrap_or(key)
}

/// Returns the path of the digest that has precedence over a tag.
pub(super) fn digest_beside(site: &ScalarContext<'_, '_>, path: &ValuePath) -> Option<String> {
    let key = site.frames.last()?.key()?;
    let name = digest_of_tag(site.mapping()?, key)?;
    Some(path.with_last_key(name).to_string())
}

/// Keys beside a version that name the registry or repository of its artifact.
const ORIGINS: [&str; 9] =
    ["hub", "registry", "imageRegistry", "repository", "imageRepository", "repo", "image", "imageName", "name"];

/// Returns the registries and repositories beside a version, by key. A name is one if it has a registry or owner.
pub(super) fn origins(site: &ScalarContext<'_, '_>) -> Vec<(&'static str, String)> {
    let is_origin = |key: &str, text: &str| {
        let is_name = matches!(key, "name" | "image" | "imageName");
        !text.is_empty() && (!is_name || text.contains('/') && is_image_name(text))
    };
    let origin = |key: &&'static str| {
        let text = site.sibling(key).filter(|text| is_origin(key, text))?;
        Some((*key, without_credentials(text.to_owned())))
    };
    ORIGINS.iter().filter_map(origin).collect()
}

#[cfg(test)]
mod tests {
    use crate::slot::slots_in;

    /// Returns the digests next to the tags of a mapping, by the paths of both.
    fn pins(text: &str) -> Vec<(String, String)> {
        let slots = slots_in("values.yaml", text).unwrap();
        slots.iter().filter_map(|slot| Some((slot.path.to_string(), slot.digest_beside.clone()?))).collect()
    }

    #[test]
    fn a_digest_belongs_to_the_tag_next_to_it_regardless_of_its_name() {
        let (bare, digest) = ("0a".repeat(32), format!("sha256:{}", "0a".repeat(32)));
        for (text, tag, pin) in [
            (format!("image: {{repository: a/b, tag: v1, sha: {bare}}}\n"), "image.tag", "image.sha"),
            (
                format!("image: {{repository: a/b, imageTag: v1, digest: '{digest}'}}\n"),
                "image.imageTag",
                "image.digest",
            ),
            (
                format!("image: {{repository: a/b, tag: v1, imageDigest: '{digest}'}}\n"),
                "image.tag",
                "image.imageDigest",
            ),
            (format!("image: {{repository: a/b, tag: v1, pin: '{digest}'}}\n"), "image.tag", "image.pin"),
            (format!("image: a/b\nversion: v1\nsha: {bare}\n"), "version", "sha"),
            (format!("apiTag: v1\napiDigest: '{digest}'\nwebTag: v1\n"), "apiTag", "apiDigest"),
            (format!("API_TAG: v1\nAPI_SHA256: {bare}\n"), "API_TAG", "API_SHA256"),
        ] {
            assert_eq!(pins(&text), [(tag.to_owned(), pin.to_owned())], "{text}");
        }
        for other in [
            format!("tag: v1\nsidecarRepository: a/s\nsidecarDigest: '{digest}'\n"),
            format!("APP_TAG: v1\nSESSION_SECRET: {bare}\n"),
            format!("image: {{repository: a/b, tag: v1, sha: {}}}\n", &bare[..40]),
            "image: {repository: a/b, tag: v1, digest: \"\"}\n".to_owned(),
        ] {
            assert!(pins(&other).is_empty(), "{other}");
        }
    }

    #[test]
    fn a_bare_digest_next_to_a_tag_belongs_to_its_image() {
        let text = format!("image: {{repository: a/b, tag: v1, sha: {}}}\n", "0a".repeat(32));
        let slots = slots_in("values.yaml", &text).unwrap();
        let found: Vec<_> = slots.iter().map(|slot| (slot.what, slot.artifact.as_deref())).collect();
        assert_eq!(found, [(crate::slot::artifact::ArtifactKind::Image, Some("a/b")); 2]);
    }
}
