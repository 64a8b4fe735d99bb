//! Quotes within the quotes of a shell.

/// Forms of a quote within single quotes, without the quote that begins them: `'a'"'"'b'`, `'a'\''b'`.
const QUOTES_WITHIN: [&str; 3] = ["\"'\"'", "\\''", "\\\"'\\\"'"];

/// Returns the length of a quote within single quotes, from behind the quote that begins it.
pub(super) fn quote_within(text: &str) -> Option<usize> {
    QUOTES_WITHIN.iter().find(|form| text.starts_with(**form)).map(|form| form.len())
}
