//! How charts and people name the keys that versions stand under.

use std::ops::Range;

use crate::slot::site::Site;
use crate::yaml::tree::Node;

/// A key without case, dashes and underscores.
pub(super) fn folded(key: &str) -> String {
    key.chars().filter(|character| !matches!(character, '-' | '_' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

/// The key that says what a value is: its own; or where it is the `value` of a named parameter, variable or JSON patch, the
/// name of that.
pub(super) fn label<'a>(site: &Site<'_, 'a>) -> Option<&'a str> {
    let key = site.key()?;
    if !matches!(key, "value" | "default") {
        return Some(key);
    }
    let named = site.sibling("name").or_else(|| site.sibling("path"));
    Some(named.map_or(key, |name| name.rsplit(['.', '/']).next().unwrap_or(name)))
}

/// The text without white space around it.
pub(super) fn trimmed(text: &str) -> Range<usize> {
    text.len() - text.trim_start().len()..text.trim_end().len()
}

/// What a key says beyond that it is a version: `GRAFANA` of `GRAFANA_VERSION`, `api` of `apiTag`. `None` where it does not
/// say that it is one; where it says nothing else, `None` as well.
pub(super) fn stem(key: &str) -> Option<&str> {
    const ENDINGS: [&str; 6] = ["version", "tag", "revision", "digest", "image", "versions"];
    let lower = key.to_ascii_lowercase();
    let ending = ENDINGS.iter().find(|ending| lower.ends_with(*ending))?;
    let stem = key[..key.len() - ending.len()].trim_end_matches(['_', '-', '.']);
    (!stem.is_empty()).then_some(stem)
}

/// The image repository that a mapping names beside the key of its tag, with its registry where that stands apart.
pub(super) fn repository(mapping: &Node, label: &str) -> Option<String> {
    const KEYS: [&str; 7] = ["repository", "repo", "image", "name", "imageName", "imageRepository", "image_name"];
    let own = stem(label).map(|stem| {
        [
            stem.to_owned(),
            format!("{stem}Repository"),
            format!("{stem}Name"),
            format!("{stem}_name"),
            format!("{stem}_repository"),
        ]
    });
    let own = own.iter().flatten().find_map(|key| mapping.text_at(key));
    let name = own.or_else(|| KEYS.iter().find_map(|key| mapping.text_at(key)))?;
    if !is_image_name(name) {
        return None;
    }
    match mapping.text_at("registry").or_else(|| mapping.text_at("hub")) {
        Some(registry) if !registry.is_empty() => Some(format!("{}/{name}", registry.trim_end_matches('/'))),
        _ => Some(name.to_owned()),
    }
}

/// Whether a text may name an image repository.
pub(super) fn is_image_name(text: &str) -> bool {
    let fits = |character: char| character.is_ascii_alphanumeric() || "._-/:".contains(character);
    !text.is_empty() && text.chars().all(fits) && text.starts_with(|character: char| character.is_ascii_alphanumeric())
}
