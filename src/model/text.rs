//! Text from a cluster, a file or Git, made safe for a terminal.

use std::borrow::Cow;

/// Makes text from a cluster, a file or Git safe for a terminal: control characters, bidirectional overrides and
/// invisible format characters become visible escapes. Newlines stay.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|character| character != '\n' && is_unsafe(character)) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if character == '\t' {
            safe.push(' ');
        } else if character != '\n' && is_unsafe(character) {
            safe.extend(character.escape_default());
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

/// Like [`plain`], and on one line: runs of white space become one space.
pub fn one_line(text: &str) -> String {
    plain(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// Columns of a terminal that one line takes. Styles take none.
pub fn columns(line: &str) -> usize {
    textwrap::core::display_width(line)
}

/// Characters that change what a terminal does, or what a reader sees, instead of showing themselves.
pub fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{061c}' | '\u{fff9}'..='\u{fffb}')
}

/// A JSON document, or one of YAML whose texts are in double quotes, in which every character that a terminal would obey is an
/// escape. Writers leave bidirectional overrides, and some controls, as they are; they can only stand inside of texts, where
/// the escape means the same.
pub fn escape(document: &str) -> String {
    if !document.chars().any(|character| character != '\n' && is_unsafe(character)) {
        return document.to_owned();
    }
    let mut safe = String::with_capacity(document.len());
    for character in document.chars() {
        if character != '\n' && is_unsafe(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            safe.push(character);
        }
    }
    safe
}

/// Whether a shell takes it for one word, and for nothing more than that.
pub fn is_plain_word(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|character| character.is_ascii_alphanumeric() || "-_./:@=+,%".contains(character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_cannot_drive_the_terminal() {
        assert_eq!(plain("a\x1b[31mb\u{202e}c\u{9b}d"), "a\\u{1b}[31mb\\u{202e}c\\u{9b}d");
        assert_eq!(one_line("one\n\ttwo\r\nthree"), "one two three");
        assert!(matches!(plain("größe ✓\nzwei"), Cow::Borrowed(_)));
    }
}
