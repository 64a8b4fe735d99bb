//! Truncation of long text. Messages of engines start with the place of an error and end with its cause, so the middle
//! is removed.

use ucp_core::model::text::columns;

/// The replacement for removed text.
pub(super) const GAP: char = '…';

/// The length of the kept beginning; the end contains the cause.
pub(super) const fn beginning_length(room: usize) -> usize {
    room / 3
}

/// Returns text of at most `most` columns with its beginning and end. The text has no styles.
pub fn cut_in_the_middle(text: &str, most: usize) -> String {
    // A byte takes at most one column.
    if text.len() <= most || columns(text) <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(1);
    let head = fitting_count(text.chars(), beginning_length(room));
    let tail = fitting_count(text.chars().rev(), room - beginning_length(room));
    let mut short: String = text.chars().take(head).collect();
    short.push(GAP);
    short.extend(text.chars().skip(text.chars().count() - tail));
    short
}

/// Returns text of at most `most` columns with its beginning, for room that is too small for two ends.
pub fn cut_at_the_end(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(fitting_count(text.chars(), most.saturating_sub(1))).collect();
    short.push(GAP);
    short
}

/// Returns the number of characters that fit a number of columns.
fn fitting_count(characters: impl Iterator<Item = char>, room: usize) -> usize {
    let mut buffer = [0; 4];
    let mut taken = 0;
    characters
        .take_while(|character| {
            taken += columns(character.encode_utf8(&mut buffer));
            taken <= room
        })
        .count()
}

/// Truncates like [`cut_in_the_middle`], for text that may have one style as a whole.
pub(super) fn cut_styled(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let plain = anstream::adapter::strip_str(text).to_string();
    let short = cut_in_the_middle(&plain, most);
    match text.split_once(&plain) {
        Some((before, after)) => format!("{before}{short}{after}"),
        None => short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::{style, styled};

    #[test]
    fn text_is_shortened_in_the_middle() {
        assert_eq!(cut_in_the_middle("short", 5), "short");
        assert_eq!(cut_in_the_middle("build failed: no such file", 16), "build… such file");
        assert_eq!(cut_in_the_middle("größe größe größe", 10), "grö… größe");
        assert_eq!(cut_in_the_middle("界界界界界界", 7), "界…界界");
        assert_eq!(cut_in_the_middle("anything", 0), "…");
    }

    #[test]
    fn a_style_is_kept_when_text_is_shortened() {
        let cut = cut_styled(&styled(style::BAD, "build failed: no such file"), 16);
        assert_eq!(cut, styled(style::BAD, "build… such file"));
    }

    proptest::proptest! {
        #[test]
        fn shortened_text_fits_and_keeps_both_ends(text in "\\PC{0,60}", most in 1_usize..40) {
            // A gap in the original text would be mistaken for the inserted one.
            let text = text.replace(GAP, ".");
            let cut = cut_in_the_middle(&text, most);
            proptest::prop_assert!(columns(&cut) <= most.max(1));
            let (head, tail) = cut.split_once(GAP).unwrap_or((&cut, ""));
            proptest::prop_assert!(text.starts_with(head) && text.ends_with(tail));
        }
    }
}
