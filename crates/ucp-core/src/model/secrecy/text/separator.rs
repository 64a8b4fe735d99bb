//! Separators between names and values.

use std::ops::Range;

use super::super::names::{is_masked_name, is_secret_name};

/// Widest gap between a name and its separator, as in aligned settings.
const WIDEST_GAP: usize = 40;
/// Longest name with characters in place of letters.
const LONGEST_MASKED: usize = 32;

/// The separator between a name and its value.
pub(super) struct NameSeparator {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) is_colon: bool,
    /// True if a space or a line break follows.
    pub(super) is_apart: bool,
}

impl NameSeparator {
    pub(super) fn at(text: &str, at: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let before = at.checked_sub(1).map(|before| bytes[before]);
        // In `:=`, `=>`, and `==`, the first character is the separator; `>` is one only after `-`.
        let start = match (before, bytes[at]) {
            // `->`, and `?=` of a makefile.
            (Some(b'-'), b'>') | (Some(b'?'), b'=') => at - 1,
            (_, b'>') | (Some(b':' | b'='), b'=') | (Some(b':'), b':') => return None,
            _ => at,
        };
        let mut end = at + 1;
        while bytes.get(end).is_some_and(|byte| matches!(byte, b'=' | b'>')) && end < at + 3 {
            end += 1;
        }
        let is_colon = bytes[at] == b':' && end == at + 1;
        // `userPassword:: X` in LDIF.
        if is_colon && text[end..].starts_with(": ") {
            end += 1;
        }
        // `**Password:** X`
        if text[end..].starts_with("** ") || text[end..].starts_with("__ ") {
            end += 2;
        }
        let spaces = text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
        Some(Self { start, end: end + spaces, is_colon, is_apart: spaces > 0 || text[end..].starts_with('\n') })
    }
}

fn is_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || matches!(byte, b'_' | b'-' | b'.')
}

/// Returns the length of the name at the end of a text.
fn name_length(before: &[u8]) -> usize {
    before.iter().rev().take_while(|byte| is_name(byte)).count()
}

/// Returns the range of the name before a separator, which may be quoted, or an index.
pub(super) fn name_before(text: &str, separator: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut end = separator;
    while end > 0 && separator - end < WIDEST_GAP && matches!(bytes[end - 1], b' ' | b'\t' | b'\r') {
        end -= 1;
    }
    let outer = end;
    while end > 0 && outer - end < 6 && matches!(bytes[end - 1], b'"' | b'\'' | b'`' | b'\\' | b']' | b')' | b'*') {
        end -= 1;
    }
    let mut start = end - name_length(&bytes[..end]);
    while start < end && matches!(bytes[start], b'-' | b'.') {
        start += 1;
    }
    // `passwd[app]=X`, `password[]=X`
    if bytes[..start].last() == Some(&b'[') && bytes[end..].first() == Some(&b']') {
        let outer = name_length(&bytes[..start - 1]);
        let outer = start - 1 - outer..start - 1;
        if !outer.is_empty() && is_secret_name(&text[outer.clone()]) {
            return Some(outer);
        }
    }
    // `password(s): X`
    if matches!(&bytes[start..end], b"s" | b"S" | b"es") && bytes[..start].ends_with(b"(") {
        return name_before(text, start - 1);
    }
    // `P@ssword: X`
    let is_masking = |byte: &u8| matches!(byte, b'@' | b'$');
    if bytes[..start].last().is_some_and(is_masking) {
        let length = bytes[..end].iter().rev().take_while(|byte| is_name(byte) || is_masking(byte)).count();
        let whole = end - length.min(LONGEST_MASKED)..end;
        if text.is_char_boundary(whole.start) && is_masked_name(&text[whole.clone()]) {
            return Some(whole);
        }
    }
    (start < end).then_some(start..end)
}
