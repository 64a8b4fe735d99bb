//! Text from a cluster, a file, or Git, made safe for a terminal.

use std::borrow::Cow;

/// Makes text safe for a terminal: control characters, bidirectional overrides, and invisible format characters are
/// escaped. Newlines are kept.
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

/// Like [`plain`], but on one line: each run of white space becomes one space.
pub fn one_line(text: &str) -> String {
    plain(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// Splits a phrase into lower-case words: `DNSReady`, `dns-ready`, and `DNS_READY` have the same two.
pub fn tokens(phrase: &str) -> Vec<String> {
    let letters: Vec<char> = phrase.chars().collect();
    let mut tokens = vec![String::new()];
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| letters[before]);
        let after_lower = before.is_some_and(char::is_lowercase);
        // The last capital of an acronym starts the next word, as in `DNSReady`.
        let last_capital =
            before.is_some_and(char::is_uppercase) && letters.get(index + 1).is_some_and(|next| next.is_lowercase());
        if !letter.is_alphabetic() || letter.is_uppercase() && (after_lower || last_capital) {
            tokens.push(String::new());
        }
        if letter.is_alphabetic()
            && let Some(token) = tokens.last_mut()
        {
            token.extend(letter.to_lowercase());
        }
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

/// Returns up to `most` words, and the number of the others: `a, b and 3 more`.
pub fn join_limited(words: &[impl AsRef<str>], most: usize) -> String {
    let shown: Vec<_> = words.iter().take(most).map(AsRef::as_ref).collect();
    match words.len().saturating_sub(most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Returns the number of terminal columns of a line. Styles take none.
pub fn columns(line: &str) -> usize {
    textwrap::core::display_width(line)
}

/// Returns true for characters that change the state of a terminal or the appearance of other text.
pub fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{061c}' | '\u{fff9}'..='\u{fffb}')
}

/// Escapes every character that a terminal interprets, in a JSON document or in a YAML document with double-quoted
/// texts. Serializers leave bidirectional overrides and some control characters as they are; they can only occur in
/// texts, in which the escape has the same meaning.
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

/// Returns true if a shell reads the text as one literal word.
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

    #[test]
    fn phrases_are_split_where_their_words_begin() {
        assert_eq!(tokens("InstallFailed"), ["install", "failed"]);
        assert_eq!(tokens("HEALTH_OK"), ["health", "ok"]);
        assert_eq!(tokens("DNSReady"), ["dns", "ready"]);
        assert_eq!(tokens("in-progress"), ["in", "progress"]);
    }
}
