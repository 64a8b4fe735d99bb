//! Parts of long texts. A pattern with a gap of any length, such as that of a command with a flag, may read the rest of a
//! text for each of its matches.

/// Longest text that is searched as a whole.
const LONGEST: usize = 4_096;
/// Bytes that a part shares with the next one: no command is longer up to its secret.
const OVERLAP: usize = 1_024;

/// Returns the parts of a text, and their offsets.
pub(super) fn windows(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let limit = text.floor_char_boundary(start + LONGEST);
        // A part ends with a line, if one ends where parts overlap.
        let shared = text.floor_char_boundary(limit.saturating_sub(OVERLAP)).max(start);
        let (end, following) = match text[shared..limit].rfind('\n').filter(|_| limit < text.len()) {
            Some(line) => (shared + line, shared + line + 1),
            None => (limit, shared),
        };
        next = (limit < text.len()).then_some(following);
        Some((start, &text[start..end]))
    })
}

#[cfg(test)]
mod tests {
    use super::super::scrub;
    use super::*;

    #[test]
    fn parts_cover_a_text() {
        for text in [String::new(), "ä".repeat(9_000), "line\n".repeat(9_000), "word ".repeat(9_000)] {
            let mut end = 0;
            for (at, part) in windows(&text) {
                assert!(at <= end + 1 && part.len() <= LONGEST && text[at..].starts_with(part));
                end = at + part.len();
            }
            assert!(end + 1 >= text.len(), "{end}");
        }
    }

    #[test]
    fn a_command_at_any_place_of_a_long_line_is_found() {
        for before in (3_000..4_200).step_by(50) {
            let shown =
                scrub(&format!("{} sshpass -p canary-1 ssh root@host", "word ".repeat(before / 5))).into_owned();
            assert!(!shown.contains("canary"), "{before}");
        }
    }
}
