//! Values whose names are not directly before them: `{name: DB_PASSWORD, value: X}`, and lines of `.pgpass`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::super::names::is_secret_label;
use super::clues::Clues;
use super::roles::{FieldRole, LABELS, STATES, VALUES, names_value, role};
use super::value::{assigned_value, quoted_value, typed_value};

/// Most fields between a name and its value.
const MOST_FIELDS: usize = 4;
/// Longest text of a field between them.
const LONGEST_FIELD: usize = 256;

/// The separator after a field, and what begins its text: `: "`.
const SEPARATOR: &str = r#"\\*["']?\s*[:=]\s*"#;
const OPENER: &str = r#"(?:[A-Za-z_][\w.]*\()?(?:[bu]["']|\\*["']?)"#;
/// A field with a name or a path.
static LABEL: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(&format!(r"(?-u)\b({}){SEPARATOR}{OPENER}([\w./~-]+)", label_fields())).ok());
/// The next field of the same object, on the same line or below, also after a comment.
static NEXT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let between = r#"\\*["']?\)*[\s,;&]+(?:#(?u:[^\n])*\n\s*)?(?:[+-]\s+)?"#;
    ascii_regex(&format!(r"(?-u)^{between}{OPENER}([A-Za-z][\w-]*){SEPARATOR}")).ok()
});
/// A value, and the field after it with its name.
static REVERSED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = [&VALUES[..], &STATES[..]].concat().join("|");
    let between = r#"\\*["']?\)*(?:\s->(?u:[^\n])*)?[\s,;&]+(?:[+-]\s+)?\\*["']?"#;
    let value = r#"((?u:[^\s"',}])+)"#;
    ascii_regex(&format!(
        r"(?-u)\b((?i:[\w-]*value|{words})){SEPARATOR}{OPENER}{value}{between}({}){SEPARATOR}{OPENER}([\w.-]+)",
        label_fields()
    ))
    .ok()
});
/// `host:port:database:user:password`, as in `.pgpass`.
static PGPASS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"(?-u)(?:^|[\s"'`(=])([A-Za-z*][\w.*-]*|\d+\.\d+\.\d+\.\d+):(?:\d{2,5}|\*):[\w.*-]+:[\w.*-]+:((?u:[^\s"'`:])+)"#).ok()
});

/// Returns the pattern of fields with the name of a value.
fn label_fields() -> String {
    format!("(?i:[A-Za-z][\\w-]*(?:name|key)|{})", LABELS.join("|"))
}

/// Adds the values in `{name: DB_PASSWORD, value: X}`.
pub(super) fn find(text: &str, clues: &Clues, found: &mut Vec<Range<usize>>) {
    // A label is a name, or a path to the data of a Secret.
    if !clues.names_secret && memchr::memmem::find(text.as_bytes(), b"ata/").is_none() {
        return;
    }
    for captures in LABEL.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        if let (Some(field), Some(label)) = (captures.get(1), captures.get(2))
            && is_secret_label(label.as_str())
        {
            find_values(text, field.as_str(), label.range(), found);
        }
    }
    for captures in REVERSED.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        if let (Some(value_field), Some(value), Some(field), Some(label)) =
            (captures.get(1), captures.get(2), captures.get(3), captures.get(4))
            && names(field.as_str(), label.as_str(), value_field.as_str())
            && is_secret_label(label.as_str())
        {
            found.push(value.range());
        }
    }
}

/// Returns true if a field with a label names the value of another field.
fn names(field: &str, label: &str, value_field: &str) -> bool {
    let (Some(field), Some(value)) = (role(field), role(value_field)) else { return false };
    names_value(field, value)
        // Logs have the path of a request next to its source.
        && !(value.0 == FieldRole::State && label.contains('/'))
}

/// Adds the values in the fields after a label.
fn find_values(text: &str, field: &str, label: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut at = label.end;
    for _ in 0..MOST_FIELDS {
        let near = &text[at..text.floor_char_boundary(at.saturating_add(LONGEST_FIELD))];
        let next = NEXT.as_ref().and_then(|pattern| pattern.captures(near));
        let Some((whole, name)) = next.and_then(|captures| Some((captures.get(0)?, captures.get(1)?))) else { break };
        // The next object of a list.
        if name.as_str().eq_ignore_ascii_case(field) {
            break;
        }
        let start = at + whole.end();
        // A switch between them is no value.
        let word = || start..start + text[start..].find([' ', '\n', ',', ';']).unwrap_or(text.len() - start);
        let value =
            block_scalar(text, start).or_else(|| typed_value(text, start)).or_else(|| quoted_value(text, start));
        let value = value.or_else(|| assigned_value(text, start)).unwrap_or_else(word);
        at = value.end;
        if names(field, &text[label.clone()], name.as_str()) {
            found.push(value);
        } else if let Some(rest) = text.get(at..text.floor_char_boundary(at.saturating_add(LONGEST_FIELD)))
            && !text[start..].starts_with(['"', '\'', '\\'])
            && !rest.starts_with(['\n', ',', ';'])
            && let Some(words) = rest.find([',', ';', '\n'])
            && !rest[..words].contains([':', '=', '{', '"'])
        {
            // `description: of several words, value: X`
            at += words;
        }
    }
}

/// Returns the indented lines below `|`.
fn block_scalar(text: &str, start: usize) -> Option<Range<usize>> {
    let line = text[start..].lines().next().filter(|line| line.starts_with(['|', '>']) && line.len() <= 3)?;
    let begin = start + line.len();
    let lines = text[begin..].split_inclusive('\n').skip(1).take_while(|line| line.starts_with([' ', '\t']));
    let length: usize = lines.map(str::len).sum();
    (length > 0).then(|| begin + 1..begin + 1 + text[begin + 1..begin + 1 + length].trim_end().len())
}

/// Adds the passwords of `.pgpass`.
pub(super) fn find_in_password_files(text: &str, found: &mut Vec<Range<usize>>) {
    found.extend(PGPASS.iter().flat_map(|pattern| pattern.captures_iter(text)).filter_map(|captures| {
        let value = captures.get(2)?;
        // IPv6 addresses also consist of colons and hexadecimal digits.
        let is_address =
            captures.get(0)?.as_str().chars().all(|c| c.is_ascii_hexdigit() || c == ':' || c.is_whitespace());
        (!is_address && !text[value.end()..].starts_with(':')).then(|| value.range())
    }));
}

#[cfg(test)]
#[test]
fn every_pattern_compiles() {
    for pattern in [&PGPASS, &LABEL, &NEXT, &REVERSED] {
        assert!(pattern.is_some());
    }
}
