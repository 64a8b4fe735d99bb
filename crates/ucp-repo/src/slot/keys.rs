//! Spellings of keys and names.

/// Removes case, dashes, underscores, and spaces from a key.
pub(super) fn fold_key(key: &str) -> String {
    key.chars().filter(|character| !matches!(character, '-' | '_' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns true if a text may name an image repository.
pub(super) fn is_image_name(text: &str) -> bool {
    let fits = |character: char| character.is_ascii_alphanumeric() || "._-/:".contains(character);
    !text.is_empty() && text.chars().all(fits) && text.starts_with(|character: char| character.is_ascii_alphanumeric())
}
