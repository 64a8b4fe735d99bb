//! Values that a validation quotes apart from the name of their field: `'auth.token' expected type 'int', got … value: 'X'`,
//! `field "password": rejected value [X]`, `{"path": ["password"], "received": "X"}`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::super::names::{is_generic_secret_name, is_secret_name};
use super::value::is_masked;
use super::words::is_prose;

/// Bytes around a value in which its field is looked for.
const NEAR: usize = 200;
/// Names of types, which are quoted next to fields.
const TYPES: [&str; 16] = [
    "string", "int", "int32", "int64", "integer", "number", "float", "float64", "bool", "boolean", "map", "object",
    "array", "slice", "list", "null",
];
/// A quoted value after the words of a validation or a decoder.
static VALUE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let quoted = r#"(?:"([^"\s]{4,})"|'([^'\s]{4,})'|`([^`\s]{4,})`|\[([^\]\s]{4,})\])"#;
    ascii_regex(&format!(
        r#"(?i)(?:\bvalue:?\s+|\b(?:parsing|converting|decode|parse)\s+|\bgot\s+'\w+'\s+|\binput byte \d+:\s+|"(?:received|input|actual|rejectedValue|provided)"\s*:\s*){quoted}"#
    ))
    .ok()
});
/// A field: in quotes, but no key of JSON, or after a word for fields.
static FIELD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r#"["'`]([A-Za-z_][\w.\[\]-]*)["'`](\s*:\s*["\[{])?|\b(?i:field|property|parameter|env|variable|assigning|option)\s+([A-Za-z_][\w.-]*)|\b(?:in|for|of)\s+(?:(?:env|field|property|parameter|variable|option)\s+)?([A-Za-z_][\w.-]*)"#,
    )
    .ok()
});

/// Adds the values that are refused for a field with a secret-like name.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    for captures in VALUE.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let (Some(whole), Some(value)) = (captures.get(0), captures.iter().skip(1).flatten().next()) else { continue };
        let is_value = |value: &str| {
            !is_masked(value)
                && !is_prose(value)
                && !is_secret_name(value)
                && !value.bytes().all(|byte| byte.is_ascii_digit())
        };
        if is_value(value.as_str()) && is_of_secret_field(text, whole.range()) {
            found.push(value.range());
        }
    }
}

/// Returns true if the last field before a value, or else the first one after it, has a secret-like name.
fn is_of_secret_field(text: &str, value: Range<usize>) -> bool {
    let before = &text[text.ceil_char_boundary(value.start.saturating_sub(NEAR))..value.start];
    let before = before.rsplit('\n').next().unwrap_or_default();
    let after = &text[value.end..text.floor_char_boundary(value.end + NEAR)];
    let after = after.lines().next().unwrap_or_default();
    fields(before).last().or_else(|| fields(after).next()).unwrap_or(false)
}

/// Returns for each field in a text if its name is secret-like.
fn fields(text: &str) -> impl Iterator<Item = bool> {
    let captures = FIELD.iter().flat_map(move |pattern| pattern.captures_iter(text));
    captures.filter_map(|captures| {
        if captures.get(2).is_some() {
            return None;
        }
        let name = captures.get(1).or_else(|| captures.get(3)).map(|name| is_secret_name(name.as_str()));
        // After `in`, most words are no fields.
        let place =
            || captures.get(4).filter(|name| is_secret_name(name.as_str()) && !is_generic_secret_name(name.as_str()));
        let is_type = captures.get(1).is_some_and(|name| TYPES.contains(&name.as_str()));
        name.filter(|_| !is_type).or_else(|| place().map(|_| true))
    })
}

#[cfg(test)]
mod tests {
    use super::super::scrub;

    #[test]
    fn refused_values_of_secret_fields_are_hidden() {
        for text in [
            "'auth.token' expected type 'int', got unconvertible type 'string', value: 'canarybird'",
            "Field error in object 'user' on field 'password': rejected value [canarybird]; codes [Size]",
            "{\"errors\":[{\"path\":[\"spec\",\"password\"],\"received\":\"canarybird\"}]}",
            "parse error on field \"Token\" of type \"int\": strconv.ParseInt: parsing \"canarybird\": invalid syntax",
            "strconv.ParseInt: parsing \"canarybird\": invalid syntax for env DB_PASSWORD",
            "assigning DB_PASSWORD to Password: converting 'canarybird' to type int",
            "error decoding: 'client_secret' expected a map, got 'string' \"canarybird\"",
            "illegal base64 data at input byte 4: \"canarybird\" in password",
        ] {
            assert!(!scrub(text).contains("canary"), "{text}");
        }
        for text in [
            "'replicas' expected type 'int', got unconvertible type 'string', value: 'many'",
            "on field 'name': rejected value [frontend]; on field 'password': is required",
            "strconv.ParseInt: parsing \"abcdef\": invalid syntax",
            "cannot parse \"2026-11-20T09:00:00Z\" in secret shop/db",
            "spec.secretName: value: 'shop-tls' is not a DNS label",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
