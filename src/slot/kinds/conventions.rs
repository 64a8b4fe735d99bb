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

/// The image repository that a mapping names, with its registry where that stands apart.
pub(super) fn repository(mapping: &Node) -> Option<String> {
    const KEYS: [&str; 6] = ["repository", "repo", "image", "name", "imageName", "imageRepository"];
    let name = KEYS.iter().find_map(|key| mapping.text_at(key))?;
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
