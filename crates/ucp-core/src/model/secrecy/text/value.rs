//! Values of secret-like names: quoted, assigned, or a word.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::super::names::is_secret_name;
use super::code_name::names_code;
use super::quote::quote_within;
use super::words::{is_description, is_prose, is_technical};

/// Texts that replace hidden or absent values.
const MASKS: [&str; 25] = [
    "[hidden]",
    "[sensitive]",
    "[none]",
    "true",
    "false",
    "null",
    "nil",
    "none",
    "undefined",
    "...",
    "…",
    "redacted",
    "[redacted]",
    "(redacted)",
    "(sensitive value)",
    "(sensitive)",
    "(hidden)",
    "(none)",
    "(unset)",
    "(empty)",
    "(unknown)",
    "[filtered]",
    "[masked]",
    "xxxxx",
    "\\u003chidden\\u003e",
];
/// Words between `<` and `>` that are not secrets.
const MASKED: [&str; 20] = [
    "hidden",
    "redacted",
    "masked",
    "sensitive",
    "secret",
    "removed",
    "nil",
    "null",
    "none",
    "empty",
    "unset",
    "set",
    "unknown",
    "omitted",
    "filtered",
    "elided",
    "computed",
    "password",
    "token",
    "value",
];

/// Words that usage and hints write in place of a value: `--map aws_iam_access_key=KIND`.
const METAVARIABLES: [&str; 10] = ["KIND", "NAME", "VALUE", "FILE", "PATH", "STRING", "TEXT", "URL", "HOST", "USER"];

/// Returns true if a value in place of a secret is none: empty, a setting, a reference, or already hidden.
pub(super) fn is_masked(value: &str) -> bool {
    let value = value.trim();
    if value.starts_with("<hidden-") {
        return false;
    }
    value.is_empty()
        || is_format(value)
        || is_upper_name(value)
        || METAVARIABLES.contains(&value)
        || value.starts_with("<hidden value ")
        || value.chars().all(|c| matches!(c, '*' | '•' | '●' | '.'))
        || mask_length(value).is_some_and(|length| length == value.len())
        || reference_length(value).is_some_and(|length| length == value.len())
}

/// Returns true for a verb of a format whose value was not filled in: `%s`, `%!w(<nil>)`.
fn is_format(value: &str) -> bool {
    let value = value.trim_end_matches("\\n");
    let verb = value.strip_prefix('%').unwrap_or_default().trim_start_matches(['+', '#']);
    value.starts_with("%!") && value.contains('(')
        || matches!(verb.as_bytes(), [b's' | b'd' | b'v' | b'q' | b'w' | b'x' | b'T'])
}

/// Returns true for a name in upper case in place of its value: `password=DB_PASSWORD`.
fn is_upper_name(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') && is_secret_name(value)
}

/// Returns true for a name in place of a value, as documentation writes it: `[ROOT_PASSWORD]`, `<refreshToken>`.
fn is_placeholder(inner: &str) -> bool {
    let is_upper = inner.contains('_') && inner.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    is_upper
        || inner.bytes().all(|byte| byte.is_ascii_alphabetic() || b" _-".contains(&byte))
            && (inner.contains(' ') || is_secret_name(inner))
}

/// Returns the length of the mask at the start of a text.
pub(super) fn mask_length(text: &str) -> Option<usize> {
    if let Some(inner) = text.strip_prefix('<') {
        let end = inner.find('>')?;
        let word = inner[..end].to_ascii_lowercase();
        let word = word.split([' ', '-', '_']).next().unwrap_or_default();
        let is_mask = MASKED.contains(&word) || inner.starts_with("your") || is_placeholder(&inner[..end]);
        return is_mask.then_some(end + 2);
    }
    if let Some(inner) = text.strip_prefix('[')
        && let Some(end) = inner.find(']').filter(|end| inner[..*end].contains('_') && is_placeholder(&inner[..*end]))
    {
        return Some(end + 2);
    }
    let begins = |mask: &&&str| text.get(..mask.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(mask));
    let mask = MASKS.iter().filter(begins).max_by_key(|mask| mask.len())?;
    is_end(&text[mask.len()..]).then_some(mask.len())
}

/// Returns the length of the reference at the start of a text: a variable or a template expression.
pub(super) fn reference_length(text: &str) -> Option<usize> {
    let is_variable = |name: &str| {
        let is_upper =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        // `var.password`, `secrets.TOKEN`: a path of names.
        let is_path = name.contains('.')
            && name
                .split('.')
                .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)));
        is_upper || is_path
    };
    let within = |open: &str, close: &str| {
        let inner = text.strip_prefix(open)?;
        let end = inner.find(close)?;
        Some((&inner[..end], open.len() + end + close.len()))
    };
    let is_template =
        |inner: &str| !inner.contains(['"', '\'', '`']) && inner.trim_start_matches(['-', ' ']).contains(['.', '$']);
    let length = match text.as_bytes() {
        [b'$', b'(', ..] => within("$(", ")").filter(|(name, _)| is_variable(name))?.1,
        [b'$', b'{', b'{', ..] => within("${{", "}}").filter(|(inner, _)| is_template(inner))?.1,
        [b'$', b'{', ..] => within("${", "}").filter(|(name, _)| is_variable(name))?.1,
        [b'{', b'{', ..] => within("{{", "}}").filter(|(inner, _)| is_template(inner))?.1,
        [b'$', b'A'..=b'Z' | b'a'..=b'z' | b'_', ..] => shell_variable(text)?,
        _ => return None,
    };
    is_end(&text[length..]).then_some(length)
}

/// Returns the length of a variable of a shell without braces: `$DB_PASSWORD`, `$db_password`, `$token`. A password may begin
/// with the same character, but is no name in one case.
fn shell_variable(text: &str) -> Option<usize> {
    let length = text[1..].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let name = &text[1..=length];
    let has = |is_one: fn(&u8) -> bool| name.as_bytes().iter().any(is_one);
    let is_upper =
        name.len() >= 3 && !has(u8::is_ascii_lowercase) && name.starts_with(|c: char| c.is_ascii_uppercase());
    let is_lower = !has(u8::is_ascii_uppercase)
        && !has(u8::is_ascii_digit)
        && (name.contains('_') || name == "auth" || is_secret_name(name));
    (is_upper || is_lower).then_some(length + 1)
}

/// Returns true for a number of tokens or secrets, for a switch, and for the status of a mail: `max_tokens=10`,
/// `allowOldPasswords=1`, `dsn=4.0.0`.
pub(super) fn is_count(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_plural = ["tokens", "secrets", "credentials"].iter().any(|word| name.ends_with(word));
    let consists_of = |more: &[u8]| value.bytes().all(|byte| byte.is_ascii_digit() || more.contains(&byte));
    let is_number = is_plural && consists_of(b"") || name == "dsn" && consists_of(b".");
    matches!(value, "0" | "1") || value.len() < 7 && is_number
}

/// Returns true at the start of a command whose output a shell inserts: `$(kubectl get …`.
pub(super) fn is_command_output(text: &str) -> bool {
    text.strip_prefix("$(").map(str::trim_start).is_some_and(|command| {
        let word = command.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(byte)).count();
        word > 0 && command[word..].starts_with(' ')
    })
}

/// Returns true if a backslash in front of a character makes it a part of a shell's word.
fn is_escaped(before: &str) -> bool {
    (before.len() - before.trim_end_matches('\\').len()) % 2 == 1
}

fn is_end(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| c.is_whitespace() || ",;&)}]\"'`\\|.:".contains(c))
}

/// Returns the range of a quoted text, which may be escaped as in nested JSON, or have doubled quotes as in YAML and
/// SQL.
pub(super) fn quoted_value(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = &text[start..];
    let escapes = rest.len() - rest.trim_start_matches('\\').len();
    let quote = rest[escapes..].chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let begin = start + escapes + 1;
    if let Some(length) = triple_quoted(&rest[escapes..], quote) {
        return Some(begin + 2..begin + 2 + length);
    }
    let (mut backslashes, mut skipped) = (0, 0);
    for (index, character) in text[begin..].char_indices() {
        if index < skipped {
            backslashes = 0;
            continue;
        }
        match character {
            '\\' => backslashes += 1,
            _ if character == quote && backslashes <= escapes => {
                let after = &text[begin + index + 1..];
                // A doubled quote belongs to the value; two of them at the start are an empty value.
                let length = if index > 0 && after.starts_with(quote) { Some(1) } else { None };
                let length = length.or_else(|| quote_within(after).filter(|_| quote == '\''));
                if let Some(length) = length.filter(|_| escapes == 0) {
                    skipped = index + 1 + length;
                    continue;
                }
                let end = begin + index - backslashes;
                // A shell joins adjacent parts: 'a'"b".
                let is_joined = escapes == 0
                    && !is_end(after)
                    && !after.starts_with(['<', '>', '/', '?', '!', '=', '(', '|', '-', '…'])
                    && after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == quote || c == '\\');
                let end = if is_joined { begin + index + 1 + word_length(after) } else { end };
                return Some(begin..end);
            }
            _ => backslashes = 0,
        }
    }
    Some(begin..text.len())
}

/// Returns the length of a text between three quotes each, as in Python and TOML.
fn triple_quoted(text: &str, quote: char) -> Option<usize> {
    let fence = [quote; 3].iter().collect::<String>();
    let inner = text.strip_prefix(&fence)?;
    inner.find(&fence).filter(|length| *length > 0)
}

/// Types and constructors before a quoted value, as languages print them: `[]string{"X"}`, `Some("X")`,
/// `string(9) "X"`, `b'X'`, `(*string)(0xc0000a)((len=9) "X")`.
static TYPED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"(?-u)^\s*(?:(?:\((?u:[^()\n"]){1,40}\)\s*){0,3}\(*\(len=\d+(?: cap=\d+)?\)\s*|\((?u:[^()\n"]){1,40}\)\(0x[0-9a-f]+\)|&|(?:\[\]|\*)?[A-Za-z_][\w.:]*(?:\(\d+\)\s+|[({]\s*|\[\]\w*\{)|\[\]\w+\{|[bNuErfse](?:["']))+"#)
        .ok()
});

/// Returns the range of a quoted value after its type.
pub(super) fn typed_value(text: &str, start: usize) -> Option<Range<usize>> {
    let near = &text[start..text.floor_char_boundary(start + 160)];
    let prefix = TYPED.as_ref()?.find(near)?;
    // The quote after a mark of one letter belongs to the value.
    let end = start + prefix.as_str().trim_end_matches(['"', '\'']).len();
    // Bytes and their dump: `([]uint8) (len=9 cap=9) {…}`.
    if ["(len=", "(0x"].iter().any(|mark| prefix.as_str().contains(mark)) && text[end..].starts_with('{') {
        return Some(end..text[end..].find('}').map_or(text.len(), |length| end + length));
    }
    text[end..].starts_with(['"', '\'']).then(|| quoted_value(text, end))?
}

/// Returns the length of a text up to the first white space. It is limited, since every quote may be followed by one.
fn word_length(text: &str) -> usize {
    const LONGEST: usize = 256;
    let near = &text[..text.floor_char_boundary(LONGEST)];
    near.find(char::is_whitespace).unwrap_or(near.len())
}

/// Returns the range of a value without quotes, directly after `=` or `:`. Text after the next separator belongs to it,
/// unless another name or nothing follows.
pub(super) fn assigned_value(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = &text[start..];
    if reference_length(rest).or_else(|| mask_length(rest)).is_some() || is_command_output(rest) {
        return None;
    }
    if let Some(inner) = rest.strip_prefix('{').filter(|inner| !inner.starts_with(['{', '"']))
        && let Some(length) = inner.find(['}', '\n']).filter(|length| inner[*length..].starts_with('}'))
    {
        return Some(start + 1..start + 1 + length);
    }
    let is_closing = |index: usize| {
        let after = &rest[index + 1..];
        after.is_empty() || after.starts_with(|c: char| c.is_whitespace() || ",;)}]|:.\\\"'`<>".contains(c))
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_before_name = |index: usize| {
        let after = rest[index + 1..].trim_start_matches(' ');
        let next = after.trim_start_matches(is_name);
        next.len() < after.len() && next.starts_with(['=', ':'])
    };
    let end = rest
        .char_indices()
        .find(|(index, c)| match c {
            '"' | '\'' | '`' => *index == 0 || is_closing(*index),
            ';' | '&' | ',' | ')' | '}' | ']' | '|' | '\\' => is_before_name(*index),
            ' ' => !is_escaped(&rest[..*index]),
            other => other.is_whitespace(),
        })
        .map_or(rest.len(), |(index, _)| index);
    let run = &rest[..end];
    // One separator at the end of a run ends it.
    let run = run.strip_suffix(['&', '|']).unwrap_or(run).trim_end_matches([',', ';', ')', '}', ']', '\\']);
    Some(start..start + run.len()).filter(|_| !run.is_empty())
}

/// Context of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WordContext {
    /// An error message that continues after a colon: `failed to get token: …`.
    Sentence,
    /// The name of a Kubernetes kind, followed by names of objects: `secret: shop/db not found`.
    Kind,
    /// A setting.
    Setting,
}

/// Returns the range of a word after `name: `. After a plain word, prose continues, as in `password: must not be
/// empty`; after a secret, it does not.
pub(super) fn word_value(text: &str, start: usize, around: WordContext) -> Option<Range<usize>> {
    let rest = &text[start..];
    let line = rest.lines().next().unwrap_or_default();
    if reference_length(rest).or_else(|| mask_length(rest)).is_some() {
        return None;
    }
    // A comma within a value is followed by more of it.
    let is_inner = |index: usize| line[index + 1..].starts_with(|c: char| c.is_ascii_alphanumeric());
    let length = line
        .char_indices()
        .find(|(index, c)| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '\'' | '`') && !is_inner(*index))
        .map_or(line.len(), |(index, _)| index);
    // A YAML tag or anchor, and the value.
    let is_decorated =
        line.starts_with(['!', '&']) && !line[length..].trim().is_empty() && !line[length..].trim().contains(' ');
    let length = if is_decorated { line.trim_end().len() } else { length };
    let value = line[..length].trim_end_matches(['.', ')', '}', ']']);
    let (value, is_clause) = value.strip_suffix(':').map_or((value, false), |value| (value, true));
    // A quote around the text does not continue it.
    let behind = line[length..].trim_start_matches(['"', '\'', '`']).trim_start();
    // `invalid password: X. It must …`
    let is_ended = line[..length].ends_with('.') && behind.starts_with(char::is_uppercase) && !is_description(value);
    let goes_on = !behind.is_empty() && !is_ended;
    let is_plain = value.chars().all(|c| c.is_alphabetic());
    let is_path = value.contains('/') && value.chars().all(|c| c.is_ascii_alphabetic() || "-_/.".contains(c));
    let is_name = value.starts_with(|c: char| c.is_ascii_lowercase())
        && value.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-./".contains(c));
    let is_told =
        |word: &str| ["not", "is", "was", "does", "in", "already", "has", "cannot", "for", "of"].contains(&word);
    let harmless = value.is_empty()
        || value.starts_with("{{")
        || matches!(value, "-" | "#" | "|" | ">" | "{" | "[" | "(" | "&" | "*" | "|-" | ">-" | "=" | "{}")
        || value.len() <= 3 && value.chars().all(|c| c.is_ascii_digit())
        || value.contains("://")
        // A map is searched as a document.
        || is_clause && value.starts_with('{')
        || value.starts_with(['[', '(']) && goes_on && is_prose(value)
        || names_code(value)
        || is_technical(value)
        || is_plain && (is_prose(value) || goes_on && (around == WordContext::Sentence || is_clause))
        || is_path && goes_on
        || around == WordContext::Kind && is_name && is_told(behind.split_whitespace().next().unwrap_or_default());
    (!harmless).then(|| start..start + value.len())
}

/// Returns true if a value is too long and random to be a word or a name.
pub(super) fn is_opaque(value: &str) -> bool {
    value.len() >= 8
        && value.chars().any(|c| c.is_ascii_digit() || c == '=')
        && value.chars().any(|c| c.is_ascii_alphabetic())
        && !is_identifier(value)
        && !is_technical(value)
}

/// Returns true for a UUID, a digest, or a version: public identifiers.
pub(super) fn is_identifier(value: &str) -> bool {
    let is_hexadecimal = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_hexdigit());
    let is_uuid = value.len() == 36
        && value.split('-').map(str::len).eq([8, 4, 4, 4, 12])
        && value.split('-').all(is_hexadecimal);
    let is_digest = value.split_once(':').is_some_and(|(name, rest)| name.starts_with("sha") && is_hexadecimal(rest));
    let is_version = value.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit())
        && value
            .trim_start_matches('v')
            .split(['.', '-', '+'])
            .next()
            .is_some_and(|major| major.chars().all(|c| c.is_ascii_digit()))
        && value.contains('.')
        && value.len() < 24;
    // A time: `2026-11-20T09:00:00Z`.
    let is_time = value.len() <= 35
        && value.get(..11).is_some_and(|date| {
            date.ends_with('T') && date[..10].split('-').all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
        });
    is_uuid || is_digest || is_version || is_time
}
