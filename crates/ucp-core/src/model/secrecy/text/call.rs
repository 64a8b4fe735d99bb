//! Values in brackets after their names, and next to them in lists of arguments: `password(X)`, `setPassword("X")`,
//! `setenv("DB_PASSWORD", "X")`, `HTTPBasicAuth("user", "X")`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::super::names::is_secret_name;
use super::super::ordinary::{SecretOrigin, ValueShape, shape};
use super::separator::name_before;
use super::value::{is_opaque, mask_length, quoted_value, reference_length};
use super::words::{is_prose, is_technical};

/// Longest list of arguments.
const LONGEST_ARGUMENTS: usize = 1_024;
/// Endings of words that describe a field: `password (sensitive)`.
const ADJECTIVES: [&str; 8] = ["able", "ible", "ive", "ed", "ory", "ary", "ing", "only"];
/// Names that are followed by a value only, and never by the name of an object.
const PASSWORDS: [&str; 8] = ["password", "passwd", "passphrase", "passcode", "pwd", "pass", "pw", "requirepass"];

/// Two arguments, the first of which is a quoted name.
static ARGUMENT_PAIR: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r#"(\[\s*\[|,\s*\[|\(|\[)\s*\\*["']([\w.\[\]-]+)\\*["']\s*,\s*\\*["']"#).ok());
/// Functions with a secret argument, and the position of the argument.
static FUNCTIONS: LazyLock<Vec<(Regex, usize)>> = LazyLock::new(|| {
    [
        (r"(?i)(?:PSCredential|NetworkCredential|BasicAuth|PasswordCredentials?|\.auth|\bauth=|UsernamePassword\w*)\s*\(", 1),
        (r"(?i)(?:PDO(?:->__construct)?|mysqli?(?:_connect|->__construct)?|pg_auth|PlainAuth|DriverManager\.getConnection)\s*\(", 2),
        (r"(?i)\b(?:crypt|hashpw|password_hash|make_password|old_password|digest|set_password)\s*\(", 0),
        (r"(?i)(?:changeUserPassword|updateUserPassword|set_?user_?password)\s*\(", 1),
        (r"\bCredentials\s*\(", 3),
        (r"(?i)(?:pgp_sym_\w+|jwt\.(?:sign|encode|verify|decode)|AES_(?:EN|DE)CRYPT)\s*\(", 1),
    ]
    .into_iter()
    .filter_map(|(pattern, argument)| Some((ascii_regex(pattern).ok()?, argument)))
    .collect()
});

/// The start of a call that authenticates, as a trace of PHP, Perl, or Python shows it, or one of Erlang.
static AUTHENTICATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let calls = r"connect|login|logon|log_in|signin|sign_in|signon|authenticate|auth|bind|bind_s|start_link";
    ascii_regex(&format!(r"(?i)(?:{calls})(?:\s*\(|\w*\s*,\s*\[)")).ok()
});

/// Adds the values in brackets and arguments.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    for (at, bracket) in bytes.iter().enumerate().filter(|(_, byte)| matches!(byte, b'(' | b'<' | b'[' | b'{')) {
        if at > 0
            && let Some(name) = name_before(text, at)
            && at - name.end <= 1
        {
            found.extend(value_in_brackets(text, &text[name], at + 1, *bracket));
        }
    }
    let has_quote = memchr::memchr2(b'"', b'\'', bytes).is_some();
    if !has_quote || memchr::memchr(b',', bytes).is_none() {
        return;
    }
    for pair in ARGUMENT_PAIR.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let (Some(whole), Some(opener), Some(name)) = (pair.get(0), pair.get(1), pair.get(2)) else { continue };
        let quote = whole.end() - (whole.as_str().len() - whole.as_str().trim_end_matches(['\\', '"', '\'']).len());
        if is_secret_name(name.as_str()) {
            // `["password", "region"]` may be a list of names.
            let is_value = |value: &str| is_argument(value) && (opener.as_str() != "[" || is_opaque(value));
            found.extend(quoted_value(text, quote).filter(|range| is_value(&text[range.clone()])));
        }
    }
    for call in AUTHENTICATION.iter().flat_map(|pattern| pattern.find_iter(text)) {
        found.extend(login_arguments(text, call.end(), call.as_str().ends_with('(')));
    }
    for (function, position) in FUNCTIONS.iter() {
        for call in function.find_iter(text) {
            found.extend(argument(text, call.end(), *position));
        }
    }
}

fn value_in_brackets(text: &str, name: &str, start: usize, bracket: u8) -> Option<Range<usize>> {
    if !is_secret_name(name) {
        return None;
    }
    let last = name.rsplit(['.', '-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    let is_password = PASSWORDS.iter().any(|word| last.ends_with(word));
    if text[start..].starts_with(['"', '\'']) {
        let value = quoted_value(text, start)?;
        let inner = &text[value.clone()];
        // `values["password"]`: the name of another field.
        let is_value = is_argument(inner) && (is_password && bracket != b'[' || is_opaque(inner));
        return is_value.then_some(value);
    }
    let close = match bracket {
        b'(' => ')',
        b'<' => '>',
        b'[' => ']',
        _ => '}',
    };
    let near = &text[start..text.floor_char_boundary(start + LONGEST_ARGUMENTS)];
    let length =
        near.find(|c: char| c == close || c.is_whitespace()).filter(|length| near[*length..].starts_with(close))?;
    let value = &near[..length];
    let is_mask = bracket == b'<' && mask_length(&text[start - 1..]).is_some()
        || mask_length(near).or_else(|| reference_length(near)).is_some_and(|mask| mask >= length);
    let is_value = !is_mask
        && value.len() >= 3
        && !value.contains(['"', '(', ',', '=', '/', ':'])
        && !is_prose(value)
        && !is_technical(value)
        && !is_secret_name(value)
        && !ADJECTIVES.iter().any(|ending| value.ends_with(ending))
        && (is_opaque(value) || PASSWORDS.contains(&name.to_ascii_lowercase().as_str()));
    is_value.then(|| start..start + length)
}

/// Returns true if a quoted argument can be a secret.
fn is_argument(value: &str) -> bool {
    !value.contains(char::is_whitespace) && !is_prose(value) && !is_secret_name(value)
}

/// Returns the quoted arguments of a call that authenticates, without the first one, which is a server or a user.
fn login_arguments(text: &str, start: usize, is_call: bool) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let end = text.floor_char_boundary(start + LONGEST_ARGUMENTS);
    let (mut depth, mut at, mut count) = (1_usize, start, 0);
    let mut arguments = Vec::new();
    while at < end && depth > 0 {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            // A line break ends the source that a trace quotes, and a list of a sentence.
            b'\n' if !is_call => break,
            b'"' | b'\'' => {
                let escapes = text[..at].len() - text[..at].trim_end_matches('\\').len();
                let near = &text[..end];
                let Some(value) = quoted_value(near, at - escapes).filter(|value| value.end < end) else { break };
                let before = text[start..at].trim_end_matches(['<', ' ', '\\', 'b', 'u']);
                at = value.end + escapes;
                let after = text.get(at + 1..).unwrap_or_default().trim_start_matches(['>', ' ', '"', '\'']);
                // A named argument, or a name.
                let is_named = before.ends_with(['=', ':', '>']) || after.starts_with([':', '=']);
                let is_secret = |value: &str| {
                    is_argument(value)
                        && !value.contains("://")
                        && shape(value, SecretOrigin::Secret) != ValueShape::Ordinary
                };
                if !is_named && count > 0 && is_secret(&text[value.clone()]) {
                    arguments.push(value);
                }
                count += usize::from(!is_named);
            }
            _ => {}
        }
        at += 1;
    }
    arguments
}

/// Returns the range of one of the arguments of a call, if it is quoted.
fn argument(text: &str, start: usize, position: usize) -> Option<Range<usize>> {
    let end = text.floor_char_boundary(start + LONGEST_ARGUMENTS);
    let mut at = start;
    for index in 0..=position {
        at += text[at..end].len() - text[at..end].trim_start_matches([' ', '\n', '\t']).len();
        let quoted = text[at..end].starts_with(['"', '\'']).then(|| quoted_value(text, at)).flatten();
        if index == position {
            return quoted;
        }
        let after = quoted.map_or(at, |range| range.end);
        at = after + text.get(after..end)?.find([',', ')']).filter(|comma| text[after + comma..].starts_with(','))? + 1;
    }
    None
}

#[cfg(test)]
#[test]
fn every_pattern_compiles() {
    assert!(ARGUMENT_PAIR.is_some());
    assert!(AUTHENTICATION.is_some());
    assert_eq!(FUNCTIONS.len(), 6);
}
