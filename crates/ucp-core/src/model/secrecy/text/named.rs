//! Names with values: with any separator and quotes, on the same line or below.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::names::{
    ends_with_secret_word, is_ambiguous, is_authorization, is_cookie, is_generic_secret_name, is_query_secret,
    is_secret_label, is_secret_name, is_signature,
};
use super::block::{block_values, explicit_key, here_document};
use super::list::{list_end, list_value, phrase_value};
use super::value::{WordContext, assigned_value, is_opaque, quoted_value, typed_value, word_value};

/// Phrases by which Kubernetes quotes a rejected value.
const REFUSED_VALUES: [&str; 4] = ["Invalid value: ", "Unsupported value: ", "Duplicate value: ", "Too long: "];
/// Second words of names of two words, which may be separated by a space: `api key: …`.
const SECOND_WORDS: [&str; 14] = [
    "key", "keys", "phrase", "code", "codes", "string", "id", "data", "response", "bearer", "value", "auth", "secret",
    "token",
];
/// No name of an object is longer.
const LONGEST_NAME: usize = 253;
/// Widest gap between a name and its separator, as in aligned settings.
const WIDEST_GAP: usize = 40;
/// No authentication scheme is longer, quotes and spaces included.
const LONGEST_SCHEME: usize = 64;
/// Bytes before a field in which the name of its object is looked for.
const NEAR_FIELD: usize = 512;
/// Words of an error message that continues after a colon.
static ERROR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:fail\w*|can ?not|can't|could|couldn't|unable|errors?|error\w*|while|getting|get|refresh\w*|missing|invalid|no|unknown|obtain\w*|retriev\w*|fetch\w*|read\w*|pars\w*|load\w*|decod\w*|validat\w*|find|acquire|exchange|generate|create|use|verify\w*|request|mount\w*|resolv\w*|sign\w*|referenced|expired|with|for|from|in|of|to|the|a)\s").ok()
});
/// `{name: DB_PASSWORD, value: X}` in every notation and order.
static LABELLED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let (label, name) = (r#"(?:name|key|Name|Key|NAME|KEY|variable|Variable)\\*["']?\s*[:=]\s*\\*["']?"#, r"([\w.-]+)");
    let between = r#"\\*["']?[\s,;]+(?:-\s+)?\\*["']?"#;
    let value = r#"(?:value|Value|VALUE)\\*["']?\s*[:=]\s*"#;
    [
        format!(r"(?-u)\b{label}{name}{between}{value}"),
        format!(r#"(?-u)\b{value}(\\*["']?(?u:[^\s"',}}])+){between}{label}{name}"#),
        r#"(?-u)\b(?:op|path)\\*["']?\s*[:=]\s*\\*["']?([\w/~.-]+)\\*["']?[\s,;]+\\*["']?value\\*["']?\s*[:=]\s*"#
            .to_owned(),
    ]
    .into_iter()
    .filter_map(|pattern| Regex::new(&pattern).ok())
    .collect()
});
/// `host:port:database:user:password`, as in `.pgpass`.
static PGPASS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?-u)(?:^|[\s"'`(=])([A-Za-z*][\w.*-]*|\d+\.\d+\.\d+\.\d+):(?:\d{2,5}|\*):[\w.*-]+:[\w.*-]+:((?u:[^\s"'`:])+)"#).ok()
});

/// Adds the values of secret-like names.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut colons = 0;
    let mut blocks_end = 0;
    let mut line_end = Some(0);
    let mut hidden_until = 0;
    let surroundings = Surroundings::new(text);
    for at in memchr::memchr3_iter(b':', b'=', b'>', bytes) {
        colons += usize::from(bytes[at] == b':');
        let Some(separator) = NameSeparator::at(text, at) else { continue };
        // `"old" => "new"`: the previous and the next value. The previous one may be hidden already.
        let is_changed = !separator.is_colon
            && found.last().is_some_and(|last| last.end <= separator.start && separator.start - last.end < 4);
        if is_changed {
            let becomes = quoted_value(text, separator.end).or_else(|| assigned_value(text, separator.end));
            hidden_until = becomes.as_ref().map_or(hidden_until, |value| hidden_until.max(value.end));
            found.extend(becomes);
            continue;
        }
        let explicit = || explicit_key(text, separator.start).filter(|_| separator.is_colon);
        let Some(name) = name_before(text, separator.start).or_else(explicit) else { continue };
        // Searched once for a line: a text of one line has as many separators as it likes.
        if line_end.is_some_and(|end| end < separator.end) {
            line_end = memchr::memchr(b'\n', &bytes[separator.end..]).map(|end| separator.end + end);
        }
        if separator.is_colon
            && at >= blocks_end
            && let Some(line_end) = line_end
            && let Some(block) = block_values(text, &name, separator.end..line_end)
        {
            let end = block.last().map_or(at, |range| range.end);
            blocks_end = blocks_end.max(end);
            found.extend(block);
            continue;
        }
        if separator.start < hidden_until {
            continue;
        }
        let value = secret_value(&surroundings, name, &separator);
        hidden_until = value.as_ref().map_or(hidden_until, |value| hidden_until.max(value.end));
        found.extend(value);
    }
    if colons >= 4 {
        found.extend(PGPASS.iter().flat_map(|pattern| pattern.captures_iter(text)).filter_map(|captures| {
            let value = captures.get(2)?;
            // IPv6 addresses also consist of colons and hexadecimal digits.
            let is_address =
                captures.get(0)?.as_str().chars().all(|c| c.is_ascii_hexdigit() || c == ':' || c.is_whitespace());
            (!is_address && !text[value.end()..].starts_with(':')).then(|| value.range())
        }));
    }
    if memchr::memmem::find(bytes, b"alue").is_some() || memchr::memmem::find(bytes, b"VALUE").is_some() {
        find_labeled(text, found);
    }
}

/// The separator between a name and its value.
struct NameSeparator {
    start: usize,
    end: usize,
    is_colon: bool,
    /// True if a space or a line break follows.
    is_apart: bool,
}

impl NameSeparator {
    fn at(text: &str, at: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let before = at.checked_sub(1).map(|before| bytes[before]);
        // In `:=`, `=>`, and `==`, the first character is the separator; `>` is one only after `-`.
        let start = match (before, bytes[at]) {
            (Some(b'-'), b'>') => at - 1,
            (_, b'>') | (Some(b':' | b'='), b'=') | (Some(b':'), b':') => return None,
            _ => at,
        };
        let mut end = at + 1;
        while bytes.get(end).is_some_and(|byte| matches!(byte, b'=' | b'>')) && end < at + 3 {
            end += 1;
        }
        let is_colon = bytes[at] == b':' && end == at + 1;
        // `**Password:** X`
        if text[end..].starts_with("** ") || text[end..].starts_with("__ ") {
            end += 2;
        }
        let spaces = text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
        Some(Self { start, end: end + spaces, is_colon, is_apart: spaces > 0 || text[end..].starts_with('\n') })
    }
}

/// Returns the range of the name before a separator, which may be quoted, or an index.
pub(super) fn name_before(text: &str, separator: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut end = separator;
    while end > 0 && separator - end < WIDEST_GAP && matches!(bytes[end - 1], b' ' | b'\t') {
        end -= 1;
    }
    let outer = end;
    while end > 0 && outer - end < 6 && matches!(bytes[end - 1], b'"' | b'\'' | b'`' | b'\\' | b']' | b')' | b'*') {
        end -= 1;
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || matches!(byte, b'_' | b'-' | b'.');
    let length = bytes[..end].iter().rev().take_while(|byte| is_name(byte)).count();
    let mut start = end - length;
    while start < end && matches!(bytes[start], b'-' | b'.') {
        start += 1;
    }
    (start < end).then_some(start..end)
}

/// Facts about a whole text, gathered once and only if they are needed.
struct Surroundings<'a> {
    text: &'a str,
    secret_names: OnceCell<HashSet<&'a str>>,
    mentions_secret: OnceCell<bool>,
}

impl<'a> Surroundings<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, secret_names: OnceCell::new(), mentions_secret: OnceCell::new() }
    }

    /// Returns true if Kubernetes names a Secret so in the text.
    fn names_secret(&self, value: &str) -> bool {
        self.secret_names.get_or_init(|| names_of_secrets(self.text)).contains(value)
    }

    fn mentions_secret(&self) -> bool {
        *self.mentions_secret.get_or_init(|| self.text.to_ascii_lowercase().contains("secret"))
    }
}

/// The names of Secrets as Kubernetes quotes them: `secrets "db" not found`.
fn names_of_secrets(text: &str) -> HashSet<&str> {
    let behind = ["secrets \"", "secret \"", "Secret \""]
        .into_iter()
        .flat_map(|kind| memchr::memmem::find_iter(text.as_bytes(), kind).map(move |at| at + kind.len()));
    let name = |start: usize| {
        let near = &text.as_bytes()[start..text.len().min(start + LONGEST_NAME + 1)];
        memchr::memchr(b'"', near).map(|length| &text[start..start + length])
    };
    behind.filter_map(name).collect()
}

/// Returns the range of the value of a name, if the value is a secret.
fn secret_value(
    surroundings: &Surroundings<'_>,
    name: Range<usize>,
    separator: &NameSeparator,
) -> Option<Range<usize>> {
    let text = surroundings.text;
    let full = &text[name.clone()];
    // In a path of fields, the last one decides; elements of lists are numbered.
    let last = full.rsplit('.').find(|part| !part.is_empty() && !part.chars().all(|c| c.is_ascii_digit()))?;
    let start = separator.end;
    if is_authorization(last) {
        return authorization_value(text, start);
    }
    if is_cookie(last) {
        return cookie_value(text, start);
    }
    let rest = &text[start..];
    if separator.is_colon
        && let Some(phrase) = REFUSED_VALUES.iter().find(|phrase| rest.starts_with(**phrase))
    {
        let start = start + phrase.len();
        let is_data = full == "data" && text[start..].starts_with("map[string]");
        let is_secret = is_data || is_secret_name(last) || is_of_secret(surroundings, name.start, full);
        let value = || {
            quoted_value(text, start)
                .or_else(|| map_value(text, start))
                .or_else(|| word_value(text, start, WordContext::Setting))
        };
        return is_secret.then(value).flatten();
    }
    let in_query = text[..name.start].ends_with(['?', '&', ';']) && !separator.is_colon;
    let value = || quoted_value(text, start).or_else(|| assigned_value(text, start));
    if !is_secret_name(last) && !is_pair(text, &name, last) {
        return match () {
            () if !separator.is_colon && is_signature(last) => {
                assigned_value(text, start).filter(|range| range.len() >= 10)
            }
            () if in_query && is_query_secret(last) => assigned_value(text, start),
            () if !separator.is_colon && is_query_secret(last) && is_in_form(text, start) => {
                assigned_value(text, start).filter(|range| is_opaque(&text[range.clone()]))
            }
            () if is_ambiguous(last) && last != "key" => value().filter(|range| is_random(&text[range.clone()])),
            () if is_in_secret(text, name.start, last) => value(),
            () if separator.is_colon && ends_with_prompt(&text[..name.end]) => {
                word_value(text, start, WordContext::Sentence)
            }
            () => None,
        };
    }
    // `--- PASS: TestName`, of Go.
    if last == "PASS" && text[..name.start].ends_with("--- ") {
        return None;
    }
    // The current directory of a shell.
    if matches!(last, "PWD" | "OLDPWD") && rest.starts_with('/') {
        return None;
    }
    let names_objects = names_secrets(last);
    let whole = here_document(text, start)
        .or_else(|| {
            list_value(text, start)
                .filter(|range| !names_objects || text[range.clone()].split([',', ' ']).any(is_opaque))
        })
        .or_else(|| typed_value(text, start))
        .or_else(|| phrase_value(text, start, last).filter(|_| !is_in_error(text, &name)));
    if whole.is_some() || names_objects && rest.starts_with('[') {
        return whole;
    }
    one_value(surroundings, name, separator).map(|range| match names_objects {
        true => range,
        false => range.start..list_end(text, &range, last),
    })
}

/// Returns the range of a value of one word or in quotes, after a secret-like name.
fn one_value(surroundings: &Surroundings<'_>, name: Range<usize>, separator: &NameSeparator) -> Option<Range<usize>> {
    let text = surroundings.text;
    let full = &text[name.clone()];
    let last = full.rsplit('.').find(|part| !part.is_empty())?;
    let start = separator.end;
    let value = || quoted_value(text, start).or_else(|| assigned_value(text, start));
    let is_below = text[..name.start].ends_with(['/', ':']);
    if !separator.is_colon {
        // `--secret-env namespace/name:password=VARIABLE`, `--secret-file namespace/name=key.json`.
        let is_source = |value: &str| {
            value == "-"
                || value.contains(|c: char| c.is_ascii_uppercase())
                    && value.chars().all(|c| c.is_ascii_uppercase() || c == '_')
                || value
                    .rsplit_once('.')
                    .is_some_and(|(_, ending)| ["json", "yaml", "yml", "txt", "pem", "key"].contains(&ending))
        };
        return value().filter(|range| {
            let value = &text[range.clone()];
            let is_path = value.contains('/') && value.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '/');
            let is_reference = is_generic_secret_name(last) && (is_path || surroundings.names_secret(value));
            !(is_below && is_source(value) || is_reference)
        });
    }
    if let Some(found) = quoted_value(text, start) {
        return Some(found)
            .filter(|range| !(is_generic_secret_name(last) && surroundings.names_secret(&text[range.clone()])));
    }
    // `secrets/db-password: …` is an object, and `…:secret:db-password:…` is an ARN.
    let before = &text[..name.start];
    let is_switch = before
        .strip_suffix('/')
        .is_some_and(|before| before.is_empty() || before.ends_with([' ', '\t', '\n', '"', '\'']));
    if before.ends_with(['/', ':', '@']) && !before.ends_with("://") && !is_switch {
        return None;
    }
    if separator.is_apart {
        return word_value(text, start, context_of(text, &name, last));
    }
    let is_version = |value: &str| {
        let digits = value.strip_prefix('v').unwrap_or(value);
        full.contains('-')
            && (digits.starts_with(|c: char| c.is_ascii_digit()) && value.len() < 12
                || matches!(value, "latest" | "stable" | "main" | "master" | "edge" | "dev"))
    };
    let is_reference = |value: &str| {
        is_generic_secret_name(last) && value.contains('/') && !value.contains(|c: char| c.is_ascii_uppercase())
    };
    ends_with_secret_word(last)
        .then(|| assigned_value(text, start))
        .flatten()
        .filter(|range| !is_version(&text[range.clone()]) && !is_reference(&text[range.clone()]))
}

/// Returns true if the text ends with a prompt: `Enter passphrase for key 'x': …`.
fn ends_with_prompt(before: &str) -> bool {
    let clause = &before[before.rfind(['\n', ':', ';', '.', '"']).map_or(0, |at| at + 1)..];
    let lower = clause.to_ascii_lowercase();
    ["password for ", "passphrase for ", "password of ", "passcode for "].iter().any(|prompt| lower.contains(prompt))
}

/// Returns true if a value is long and contains digits, unlike a word.
fn is_random(value: &str) -> bool {
    is_opaque(value) && !value.contains("://") && !value.contains('/')
}

/// Returns true if a name is the second of two words that together mean a secret: `seed phrase`.
fn is_pair(text: &str, name: &Range<usize>, last: &str) -> bool {
    let lower = last.to_ascii_lowercase();
    if !SECOND_WORDS.contains(&lower.as_str()) || name.len() != last.len() {
        return false;
    }
    let before = text[..name.start].trim_end_matches(' ');
    if before.len() == name.start {
        return false;
    }
    let start = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).len();
    let first = &before[start..];
    !first.is_empty() && first.len() < 24 && is_secret_name(&format!("{first}_{lower}"))
}

/// Returns the range of a map as Go prints it: `map[string]string{"key":"value"}`.
fn map_value(text: &str, start: usize) -> Option<Range<usize>> {
    let line = text[start..].lines().next().filter(|line| line.starts_with("map["))?;
    let length = line.rfind('}').map_or(line.len(), |end| end + 1);
    Some(start..start + length)
}

/// Returns true if an `Invalid value` is in the data of a Secret.
fn is_of_secret(surroundings: &Surroundings<'_>, start: usize, name: &str) -> bool {
    let text = surroundings.text;
    let path = &text[..start + name.len()];
    let path = &path[path.trim_end_matches(|c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`')).len()..];
    path.starts_with("Secret/")
        || path.starts_with("stringData")
        || path.starts_with("data") && surroundings.mentions_secret()
}

/// Returns true if a name is a field of something with a secret-like name: `Secret{Value:…}`, `token(value=…)`.
fn is_in_secret(text: &str, start: usize, name: &str) -> bool {
    if !matches!(
        name.to_ascii_lowercase().as_str(),
        "value" | "data" | "stringdata" | "text" | "raw" | "content" | "plaintext" | "default"
    ) {
        return false;
    }
    let near = start.saturating_sub(NEAR_FIELD);
    let Some(open) = text.as_bytes()[near..start].iter().rposition(|byte| b"{(})".contains(byte)).map(|at| near + at)
    else {
        return false;
    };
    if !text[open..].starts_with(['{', '(']) {
        return false;
    }
    // `variable "password" {`
    let before = text[..open].trim_end_matches([' ', '"', '\'']);
    let begin = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).len();
    is_secret_name(&before[begin..])
}

/// Returns true if the fields of a submitted form follow a value: `code=X&redirect_uri=…`.
fn is_in_form(text: &str, start: usize) -> bool {
    let near = &text[start..text.floor_char_boundary(start + LONGEST_NAME)];
    near.find(|c: char| c.is_whitespace() || matches!(c, '&' | '"' | '\'')).is_some_and(|end| {
        near[end..].strip_prefix('&').is_some_and(|next| {
            next.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').starts_with('=')
        })
    })
}

/// Returns true if a name is that of Secrets, which are followed by names of objects.
fn names_secrets(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    matches!(lower.as_str(), "secret" | "secrets" | "credential" | "credentials")
        || lower.trim_end_matches('s').ends_with("pullsecret")
}

/// Returns true if the clause before a name is that of an error message.
fn is_in_error(text: &str, name: &Range<usize>) -> bool {
    let before = &text[..name.start];
    let clause = before.rfind([':', '\n', ';', '"']).map_or(before, |at| &before[at + 1..]);
    !clause.trim().is_empty() && ERROR.as_ref().is_some_and(|pattern| pattern.is_match(clause))
}

/// Returns the kind of text around a name.
fn context_of(text: &str, name: &Range<usize>, last: &str) -> WordContext {
    match () {
        () if is_in_error(text, name) => WordContext::Sentence,
        () if is_generic_secret_name(last) => WordContext::Kind,
        () => WordContext::Setting,
    }
}

/// Adds the values in `{name: DB_PASSWORD, value: X}`.
fn find_labeled(text: &str, found: &mut Vec<Range<usize>>) {
    for (index, pattern) in LABELLED.iter().enumerate() {
        for captures in pattern.captures_iter(text) {
            let (Some(whole), Some(first)) = (captures.get(0), captures.get(1)) else { continue };
            if index == 1 {
                if captures.get(2).is_some_and(|name| is_secret_name(name.as_str())) {
                    let start =
                        first.start() + (first.len() - first.as_str().trim_start_matches(['\\', '"', '\'']).len());
                    found.push(start..first.end());
                }
            } else if is_secret_label(first.as_str()) {
                found.extend(quoted_value(text, whole.end()).or_else(|| assigned_value(text, whole.end())));
            }
        }
    }
}

/// Returns the range of the values of cookies, without their attributes.
fn cookie_value(text: &str, start: usize) -> Option<Range<usize>> {
    let begin = start + (text[start..].len() - text[start..].trim_start_matches(['"', '\'', '\\', '[']).len());
    let rest = &text[begin..];
    let name = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.$%".contains(byte)).count();
    let value = rest.as_bytes().get(name).filter(|byte| **byte == b'=').map(|_| name + 1)?;
    let end = rest.find(['"', '\'', '\n', '\r', ']']).unwrap_or(rest.len());
    let attributes = ["; path=", "; domain=", "; expires=", "; max-age=", "; secure", "; httponly", "; samesite="];
    let lower = rest[..end].to_ascii_lowercase();
    let stop = attributes.iter().filter_map(|attribute| lower.find(attribute)).min().unwrap_or(end);
    (value < stop).then(|| begin + value..begin + stop)
}

fn authorization_value(text: &str, start: usize) -> Option<Range<usize>> {
    let start = typed_value(text, start).map_or(start, |range| range.start);
    let quotes = text[start..].len() - text[start..].trim_start_matches(['"', '\'', '\\', '[']).len();
    let value = start + quotes;
    let rest = &text[value..text.floor_char_boundary(value + LONGEST_SCHEME)];
    let scheme = rest.find(char::is_whitespace).map(|end| (&rest[..end], end + 1));
    const SCHEMES: [&str; 10] =
        ["bearer", "basic", "digest", "token", "negotiate", "apikey", "genie_key", "geniekey", "ssws", "splunk"];
    match scheme {
        Some((word, length)) if SCHEMES.contains(&word.trim_end_matches(':').to_ascii_lowercase().as_str()) => {
            assigned_value(text, value + length)
        }
        // `authorization: rbac` is a setting.
        _ => word_value(text, value, WordContext::Sentence).filter(|range| {
            let is_setting = |c: char| c.is_ascii_alphabetic() || c == ',';
            text[..start].trim_end_matches([' ', ':', '=', '"']).ends_with("Authorization")
                || !text[range.clone()].chars().all(is_setting)
        }),
    }
}

#[cfg(test)]
#[test]
fn every_pattern_is_one() {
    for pattern in [&ERROR, &PGPASS] {
        assert!(pattern.is_some());
    }
    assert_eq!(LABELLED.len(), 3);
}
