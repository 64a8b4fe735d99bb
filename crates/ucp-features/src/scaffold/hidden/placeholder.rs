//! The replacement for hidden values.

pub(super) const PLACEHOLDER: &str = "(hidden)";
