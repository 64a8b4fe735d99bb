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
        r#"(?i)(?:\bvalues?:?\s+|\b(?:parsing|converting|decode|parse|placeholder|argument|entry|constant)\s+|\bgot:?\s+(?:'?\w+'?\s+)?|\bfrom (?:string|text|type \w+)\s+|\binput byte \d+:\s+|["'](?:received|input|actual|rejectedValue|provided)["']\s*:\s*){quoted}|\b(?:value:|(?:invalid|illegal|bad) value)\s+([^\s"'`,;<>\[\](){{}}]{{4,}})|\bvalue\s+([^\s"'`,;<>\[\](){{}}]{{4,}})\s+(?:of|for|at|in)\s+(?:the\s+)?(?:field|parameter|property|option|attribute)\b|(?m:^)\s*'([^'\s]{{4,}})'\s+(?:is|does) (?:not|too)\b"#
    ))
    .ok()
});
/// The field directly behind a value: `Value 'X' at 'secretString'`, `Invalid value X for configuration ssl.key.password`.
static BEHIND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = WORDS.join("|");
    ascii_regex(&format!(
        r#"^["'`\])>]*,?\s+(?:(?:is|was)\s+(?:not\s+|an?\s+|in)?\w+\s+)?(?:at|for|in|of)\s+(?:the\s+)?(?:({words})\s+)?(["'`<])?-{{0,2}}(/?[A-Za-z_][\w./\[\]-]*)"#
    ))
    .ok()
});
/// A field in quotes behind a word for fields.
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = WORDS.join("|");
    ascii_regex(&format!(r#"\b(?:at|(?i:{words}))\s+["'`<]-{{0,2}}(/?[A-Za-z_][\w./\[\]-]*)"#)).ok()
});
/// The path to a value, as Jackson and validators of JSON schemas print it below their message.
static CHAIN: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r#"\b(?:reference chain: [^\n)]*|(?:schema|instance)\S*)\[["']([\w.-]+)["']\]"#).ok());
/// All columns of a row that PostgreSQL refuses, without their names, and the values of a statement.
static ROW: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r"(?i)\bfailing row contains \(([^\n]+)\)|\bparameters: (\$1 = [^\n]+)").ok());
/// Words for fields.
const WORDS: [&str; 14] = [
    "field",
    "property",
    "parameter",
    "env",
    "variable",
    "option",
    "key",
    "configuration",
    "config",
    "flag",
    "column",
    "attribute",
    "argument",
    "setting",
];
/// A field: in quotes, but no key of JSON, or after a word for fields.
static FIELD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r#"["'`]([A-Za-z_/][\w./\[\]-]*)["'`](\s*:\s*["'\[{(])?|\b(?i:field|property|parameter|env|variable|assigning|option|argument|flag|configuration)\s+-{0,2}([A-Za-z_][\w.-]*)|\b(?:in|for|of)\s+(?:(?:env|field|property|parameter|variable|option)\s+)?([A-Za-z_][\w.-]*)"#,
    )
    .ok()
});

/// Adds rows and values of statements, whose columns are not named.
pub(super) fn find_rows(text: &str, found: &mut Vec<Range<usize>>) {
    let rows = ROW.iter().flat_map(|pattern| pattern.captures_iter(text));
    found.extend(rows.filter_map(|captures| Some(captures.iter().skip(1).flatten().next()?.range())));
}

/// Adds the values that are refused for a field with a secret-like name.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    for captures in VALUE.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let (Some(whole), Some(value)) = (captures.get(0), captures.iter().skip(1).flatten().next()) else { continue };
        let is_value = |value: &str| {
            !is_masked(value)
                && !is_prose(value)
                && !TYPES.contains(&value)
                && !is_secret_name(value)
                && !value.bytes().all(|byte| byte.is_ascii_digit())
        };
        if is_value(value.as_str()) && is_of_secret_field(text, whole.range(), value.end()) {
            found.push(value.range());
        }
    }
}

/// Returns true if the field of a value has a secret-like name: the one directly behind it, the last one before it, or else
/// the first one after it.
fn is_of_secret_field(text: &str, value: Range<usize>, end: usize) -> bool {
    let near = &text[end..text.floor_char_boundary(end + NEAR)];
    let behind = BEHIND.as_ref().and_then(|pattern| pattern.captures(near));
    if let Some(behind) = behind
        && let Some(name) = behind.get(3)
    {
        let is_secret = is_secret_name(name.as_str())
            && (behind.get(1).or(behind.get(2)).is_some() || !is_generic_secret_name(name.as_str()));
        if is_secret || behind.get(2).is_some() {
            return is_secret;
        }
    }
    let before = &text[text.ceil_char_boundary(value.start.saturating_sub(NEAR))..value.start];
    let before = before.rsplit('\n').next().unwrap_or_default();
    let after = &text[value.end..text.floor_char_boundary(value.end + NEAR)];
    let name_in = |pattern: &'static LazyLock<Option<Regex>>, text: &str| {
        let last = pattern.iter().flat_map(|pattern| pattern.captures_iter(text)).last();
        last.and_then(|captures| Some(is_secret_name(captures.get(1)?.as_str())))
    };
    let line = after.lines().next().unwrap_or_default();
    name_in(&CHAIN, after)
        .or_else(|| name_in(&NAMED, before))
        .or_else(|| fields(before).last())
        .or_else(|| fields(line).next())
        .unwrap_or(false)
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
            "null value in column \"b\" violates not-null constraint; Failing row contains (7, canarybird, null).",
            "bind message: parameters: $1 = '7', $2 = 'canarybird'",
            "'auth.token' expected type 'int', got unconvertible type 'string', value: 'canarybird'",
            "Field error in object 'user' on field 'password': rejected value [canarybird]; codes [Size]",
            "{\"errors\":[{\"path\":[\"spec\",\"password\"],\"received\":\"canarybird\"}]}",
            "parse error on field \"Token\" of type \"int\": strconv.ParseInt: parsing \"canarybird\": invalid syntax",
            "strconv.ParseInt: parsing \"canarybird\": invalid syntax for env DB_PASSWORD",
            "assigning DB_PASSWORD to Password: converting 'canarybird' to type int",
            "error decoding: 'client_secret' expected a map, got 'string' \"canarybird\"",
            "illegal base64 data at input byte 4: \"canarybird\" in password",
            "Invalid length for parameter MasterUserPassword, value: canarybird, valid min length: 8",
            "{'loc': ('body', 'password'), 'msg': 'String should have 20 characters', 'input': 'canarybird'}",
            "2 errors: Value 'x' at 'name' failed; Value 'canarybird' at 'secretString' failed to satisfy constraint",
            "- at '/a/database': got number, want string\n- at '/a/password': value must be one of 'a', 'b', got 'canarybird'",
            "Invalid value canarybird for configuration ssl.key.password: wrong",
            "Cannot deserialize value of type `int` from String \"canarybird\": no\n (through reference chain: a.B[\"password\"])",
            "Could not resolve placeholder 'canarybird' in value \"${canarybird}\" for property spring.datasource.password",
            "Duplicate entry 'canarybird' for key 'tokens.api_token'",
            "'canarybird' is too short\n\nFailed validating 'minLength' in schema['properties']['password']:",
            "invalid argument \"canarybird\" for \"--token\" flag: too short",
            "error: invalid value 'canarybird' for '--api-token <TOKEN>': too short",
            "tool: error: argument --password: invalid int value: 'canarybird'",
            "The value 'canarybird' is not valid for Password.",
            "value canarybird of parameter adminPassword is invalid",
            "cannot decode value: expected map, got string \"canarybird\" at key credentials",
        ] {
            assert!(!scrub(text).contains("canary"), "{text}");
        }
        for text in [
            "'replicas' expected type 'int', got unconvertible type 'string', value: 'many'",
            "on field 'name': rejected value [frontend]; on field 'password': is required",
            "strconv.ParseInt: parsing \"abcdef\": invalid syntax",
            "cannot parse \"2026-11-20T09:00:00Z\" in secret shop/db",
            "spec.secretName: value: 'shop-tls' is not a DNS label",
            "Value 'eu-west-1x' at 'availabilityZone' failed; Value '****' at 'password' failed",
            "Duplicate entry 'frontend' for key 'services.name'",
            "Invalid value frontend for configuration group.id: wrong",
            "- at '/auth/password': got number, want string",
            "invalid argument \"frontend\" for \"--name\" flag",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
