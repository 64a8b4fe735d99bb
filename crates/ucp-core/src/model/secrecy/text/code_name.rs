//! Types and fields in place of a value: `*v1.Secret`, `valueFrom.secretKeyRef`, and names that are cut off at their start.

/// Nouns of which a name that is cut off has the end.
const NOUNS: [&str; 6] = ["password", "passwd", "passphrase", "secret", "token", "credentials"];
/// Length of the shortest such end.
const SHORTEST_END: usize = 4;

/// Returns true for the end of a noun where a text is cut off: `...ssword: X`. `before` is the text before the name.
pub(super) fn is_cut_noun(before: &str, name: &str) -> bool {
    let end = name.trim_start_matches('…');
    let is_cut = before.ends_with("...") || end.len() < name.len();
    is_cut && end.len() >= SHORTEST_END && NOUNS.iter().any(|noun| noun.ends_with(&end.to_ascii_lowercase()))
}

/// Returns true for a type of Go, or the path of a reference.
pub(super) fn names_code(value: &str) -> bool {
    is_type(value) || is_field_of_reference(value)
}

/// Returns true for the path of a reference: `valueFrom.secretKeyRef`.
fn is_field_of_reference(value: &str) -> bool {
    value.contains('.')
        && value.ends_with("Ref")
        && value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'.')
}

/// Returns true for a type of Go: `*v1.Secret`.
fn is_type(value: &str) -> bool {
    value.strip_prefix('*').and_then(|name| name.split_once('.')).is_some_and(|(package, name)| {
        package.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.bytes().all(|byte| byte.is_ascii_alphabetic())
    })
}
