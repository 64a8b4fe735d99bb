//! Values of several words or items: passphrases, and lists of secrets.

use std::ops::Range;

use super::value::mask_length;
use super::words::is_prose;

/// Longest list that is read as the value of one name.
const LONGEST_LIST: usize = 4_096;
/// Longest passphrase.
const LONGEST_PHRASE: usize = 512;
/// Number of words from which a line is a passphrase.
const WORDS: usize = 3;

/// Returns true if a name is that of a text of several words.
pub(super) fn may_be_phrase(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ["pass", "mnemonic", "phrase", "seed", "words", "pwd"].iter().any(|word| lower.contains(word))
}

/// Returns the range of a passphrase of plain words. An error message has more words that occur in error messages.
pub(super) fn phrase_value(text: &str, start: usize, name: &str) -> Option<Range<usize>> {
    if !may_be_phrase(name) {
        return None;
    }
    let near = &text[start..text.floor_char_boundary(start.saturating_add(LONGEST_PHRASE))];
    let line = near.lines().next().unwrap_or_default();
    let line = &line[..line.find([',', ';', '"', '(', '{', '[', '|', ':', '=']).unwrap_or(line.len())];
    let line = line.trim_end().trim_end_matches('.');
    let is_word = |word: &str| word.chars().all(|c| c.is_alphabetic() && !c.is_uppercase() || c == '-');
    let (mut words, mut prose) = (0, 0);
    for word in line.split(' ') {
        if word.is_empty() || !is_word(word) {
            return None;
        }
        words += 1;
        prose += usize::from(is_prose(word));
    }
    (words >= WORDS && prose * 2 < words).then(|| start..start + line.len())
}

/// Returns the range of the items of a list in brackets: `[a, b]`, `("a", "b")`.
pub(super) fn list_value(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = &text[start..text.floor_char_boundary(start.saturating_add(LONGEST_LIST))];
    if mask_length(rest).is_some() {
        return None;
    }
    let close = match rest.as_bytes() {
        [b'[', next, ..] if *next != b']' => ']',
        [b'(', b'"' | b'\'', ..] => ')',
        _ => return None,
    };
    let line = rest.lines().next().unwrap_or_default();
    // Not the text of a link in Markdown.
    let end = line.find(close).filter(|end| !line[*end..].starts_with("]("))?;
    let inner = line[1..end].trim();
    let at = start + 1 + (line[1..end].len() - line[1..end].trim_start().len());
    let is_prose_only = inner.split([' ', ',']).all(is_prose);
    (!is_prose_only).then(|| at..at + inner.len())
}

/// Returns the end of a list without brackets that begins with a value: `passwords: a, b, c`.
pub(super) fn list_end(text: &str, value: &Range<usize>, name: &str) -> usize {
    let is_plural = name.ends_with(['s', 'S']) && !name.to_ascii_lowercase().ends_with("pass");
    let mut end = value.end;
    while is_plural && text[value.start..end].len() < LONGEST_LIST {
        let Some(rest) = text[end..].trim_start_matches(['"', '\'']).strip_prefix(", ") else { break };
        let item = &rest[..rest.find([' ', ',', '\n', ';']).unwrap_or(rest.len())];
        let is_item = !item.is_empty() && !item.contains([':', '=', '(']) && !is_prose(item);
        if !is_item {
            break;
        }
        end = text.len() - rest.len() + item.len();
    }
    end
}
