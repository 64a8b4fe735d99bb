//! Fields that are parts of other fields.

/// Returns true if a field is another one, or a part of it.
pub(super) fn is_part(field: &str, whole: &str) -> bool {
    field.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
