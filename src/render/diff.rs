//! Unified diffs in the format of `diff -u` and `git diff`.

use similar::{ChangeTag, TextDiff};

use crate::ui::{style, styled};
use ucp_core::model::text::plain;

/// The number of context lines around a change, as in `diff -u`.
pub const CONTEXT: usize = 3;

/// Returns the unified diff of two texts, colored by line; empty if they are equal. External text is sanitized, and a
/// carriage return is shown as `\r`.
pub fn unified(before: &str, after: &str, old_name: &str, new_name: &str) -> String {
    unified_with_context(before, after, old_name, new_name, CONTEXT)
}

/// Returns the unified diff with a given number of context lines.
pub fn unified_with_context(before: &str, after: &str, old_name: &str, new_name: &str, context: usize) -> String {
    let diff = TextDiff::from_lines(before, after);
    let mut text = String::new();
    for hunk in diff.unified_diff().context_radius(context).iter_hunks() {
        if text.is_empty() {
            text.push_str(&styled(style::STRONG, &format!("--- {}", ucp_core::model::text::one_line(old_name))));
            text.push('\n');
            text.push_str(&styled(style::STRONG, &format!("+++ {}", ucp_core::model::text::one_line(new_name))));
            text.push('\n');
        }
        text.push_str(&styled(style::BUSY, hunk.header().to_string().trim_end()));
        text.push('\n');
        for change in hunk.iter_changes() {
            let line = change.value().trim_end_matches('\n');
            let line = format!("{}{}", change.tag(), plain(line));
            text.push_str(&match change.tag() {
                ChangeTag::Delete => styled(style::BAD, &line),
                ChangeTag::Insert => styled(style::GOOD, &line),
                ChangeTag::Equal => line,
            });
            text.push('\n');
            if change.missing_newline() {
                text.push_str("\\ No newline at end of file\n");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_has_the_format_of_git_and_escapes_invisible_characters() {
        let diff = unified("a\nb\r\nc", "a\nx\x1b\r\nc", "a/f", "b/f");
        assert_eq!(
            anstream::adapter::strip_str(&diff).to_string(),
            "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\\r\n+x\\u{1b}\\r\n c\n\\ No newline at end of file\n"
        );
        assert_eq!(unified("a\n", "a\n", "a", "b"), "");
    }
}
