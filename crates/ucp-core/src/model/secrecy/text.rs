//! Secrets in texts of other programs: conditions, errors, responses of servers.

mod address;
mod base85;
mod block;
mod bytes;
mod call;
mod clause;
mod clues;
mod code_name;
mod command;
mod document;
mod doubtful;
mod encoded;
mod expression;
mod field_name;
mod file;
mod flow;
mod foreign;
mod headers;
mod host;
mod labelled;
mod labels;
mod lines;
mod list;
mod login;
mod markup;
mod named;
mod numbers;
mod object;
mod phrases;
mod positional;
mod program;
mod quote;
mod quoted_printable;
mod refused;
mod roles;
mod runs;
mod secret_field;
mod sentence;
mod separator;
mod shapes;
mod shell_word;
mod surroundings;
mod table;
mod terraform;
mod user_lines;
mod value;
mod windows;
mod words;
mod wrapped;
mod yaml;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::ordinary::{SecretOrigin, ValueShape, shape};
use super::{registry, userinfo};
use clues::Clues;
pub(super) use doubtful::is_doubtful_name;
pub(super) use field_name::has_secret_in_name;
pub(super) use file::names_file;
pub(super) use object::{
    KEY_OF_ACCOUNT, KEYS_OF_VAULT, SECRET_LIST, TYPE_OF_WEB_KEY, replace_all, replace_in_object, secret_flag,
};
pub(super) use roles::{FieldRole, is_switch, role};
use value::is_masked;

/// Replacement for secrets.
pub const HIDDEN: &str = "<hidden>";

/// Returns true if a value, or a part of it, is a replacement for a secret.
pub fn is_hidden_value(text: &str) -> bool {
    text.contains("<hidden")
}

/// Limit of nesting: JSON in YAML in base64. What is encoded more often than this is treated as a secret.
const DEEPEST: usize = 8;
/// Length of the shortest issued token, and of the shortest relevant text in base64.
const SHORTEST_TOKEN: usize = 16;

/// Removes secrets from a text.
pub fn scrub(text: &str) -> Cow<'_, str> {
    replace(text, |_| HIDDEN.to_owned())
}

/// Removes the values that this run read from Secrets from a text. Returns `None` if it has none.
pub fn hide_known_values(text: &str) -> Option<String> {
    let mut found = Vec::new();
    registry::find(text, &mut found);
    let ranges = disjoint_ranges(text, found);
    (!ranges.is_empty()).then(|| replace_ranges(text, ranges, |_| HIDDEN.to_owned()))
}

/// Returns true if [`replace`] would change a text.
pub(super) fn has_secrets(text: &str) -> bool {
    !secrets_at(text, 0).is_empty()
}

/// Replaces each secret in a text.
pub(super) fn replace(text: &str, replacement: impl FnMut(&str) -> String) -> Cow<'_, str> {
    replace_at(text, 0, replacement)
}

/// Replaces each secret in a text at a nesting depth.
pub(super) fn replace_at(text: &str, depth: usize, replacement: impl FnMut(&str) -> String) -> Cow<'_, str> {
    let secrets = secrets_at(text, depth);
    match secrets.is_empty() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(replace_ranges(text, secrets, replacement)),
    }
}

fn replace_ranges(text: &str, secrets: Vec<Range<usize>>, mut replacement: impl FnMut(&str) -> String) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut end = 0;
    for secret in secrets {
        safe.push_str(&text[end..secret.start]);
        safe.push_str(&replacement(&text[secret.clone()]));
        end = secret.end;
    }
    safe.push_str(&text[end..]);
    safe
}

/// Returns the secrets in a text.
pub(super) fn find_secrets(text: &str) -> Vec<&str> {
    secrets_at(text, 0).into_iter().map(|range| &text[range]).collect()
}

/// Returns true if a nested text holds a secret.
fn holds_secret(text: &str, depth: usize) -> bool {
    !secrets_at(text, depth).is_empty()
}

/// Returns the ranges of the secrets in a text, in order and without overlaps.
fn secrets_at(text: &str, depth: usize) -> Vec<Range<usize>> {
    if depth > DEEPEST || text.len() < 4 {
        return Vec::new();
    }
    search(text, depth, &Clues::read(text))
}

/// Searches a text for values that this run read from Secrets, and for what it shows clues to.
fn search(text: &str, depth: usize, clues: &Clues) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    registry::find(text, &mut found);
    recognize(text, depth, clues, &mut found);
    shell_word::extend(text, &mut found);
    let found = disjoint_ranges(text, found);
    let repeated = repetitions(text, &found);
    if repeated.is_empty() { found } else { disjoint_ranges(text, [found, repeated].concat()) }
}

/// Searches a text for what it shows clues to.
fn recognize(text: &str, depth: usize, clues: &Clues, found: &mut Vec<Range<usize>>) {
    // Most texts of an object are one word, which can only be a token.
    if !clues.is_word || text.len() >= SHORTEST_TOKEN {
        shapes::find(text, found);
        address::find(text, found);
    }
    if !clues.is_word {
        userinfo::find(text, found);
        address::find_in_urls(text, found);
        host::find(text, found);
        terraform::find(text, found);
        named::find(text, clues, found);
        secret_field::find(text, found);
        sentence::find(text, found);
        phrases::find(text, found);
        clause::find(text, clues, found);
        refused::find_rows(text, found);
        login::find(text, clues, found);
        call::find(text, found);
        program::find(text, clues, found);
        user_lines::find(text, clues, found);
        command::find(text, found);
        flow::find(text, depth, found);
    }
    if clues.names_secret {
        expression::find(text, found);
        foreign::find(text, found);
        markup::find(text, found);
        refused::find(text, found);
        table::find(text, found);
        document::find(text, depth, found);
    }
    encoded::find(text, depth, clues, found);
    wrapped::find(text, depth, found);
}

/// Most secrets of a text whose repetitions are searched.
const MOST_REPEATED: usize = 16;
/// Shortest secret whose repetitions are searched.
const SHORTEST_REPEATED: usize = 8;

/// Returns the other places of the secrets that were found in a text: `near "X" in: ... PASSWORD 'X'`.
fn repetitions(text: &str, found: &[Range<usize>]) -> Vec<Range<usize>> {
    let is_one =
        |secret: &&str| secret.len() >= SHORTEST_REPEATED && shape(secret, SecretOrigin::Any) == ValueShape::Random;
    let secrets: BTreeSet<&str> = found.iter().map(|range| &text[range.clone()]).filter(is_one).collect();
    let places = secrets.into_iter().take(MOST_REPEATED).flat_map(|secret| {
        memchr::memmem::find_iter(text.as_bytes(), secret.as_bytes()).map(move |start| start..start + secret.len())
    });
    let is_new = |place: &Range<usize>| !found.iter().any(|known| known.start <= place.start && place.end <= known.end);
    places.filter(is_new).collect()
}

/// Returns ranges in order, without overlaps, and without those that are hidden already.
fn disjoint_ranges(text: &str, mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.retain(|range| !range.is_empty());
    for range in &mut found {
        // Ranges are extended to whole characters.
        while !text.is_char_boundary(range.start) {
            range.start -= 1;
        }
        while !text.is_char_boundary(range.end) {
            range.end += 1;
        }
    }
    found.retain(|range| !is_masked(&text[range.clone()]));
    found.sort_by_key(|range| (range.start, range.end));
    let mut apart: Vec<Range<usize>> = Vec::new();
    for range in found {
        match apart.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

#[cfg(test)]
mod tests;
