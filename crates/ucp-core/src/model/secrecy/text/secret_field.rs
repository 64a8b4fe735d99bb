//! Values that a message about a field of a Secret quotes: `Secret "db" is invalid: data.login: Invalid value: "X"`. The name of
//! the field need not be secret-like.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;

/// The kind, as API servers, engines, and policies write it.
static KIND: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"\b[Ss]ecrets?(?:/|\s+\\?["'`(]|\.|[,;)\]\s]|\\?["'])|[kK]ind[=:]\s*\\?["']?Secret\b"#).ok()
});
/// A field with a value of a Secret.
static FIELD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"(?:^|[\s.("'`\[/])((?:string)?[dD]ata)(?:\.|/|\[\\?["']?)([\w.-]*\w)/?\\?["']?\]?"#).ok()
});
/// What follows a field: a value in quotes, or one word that ends the message.
static VALUE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r#"\\?"((?:[^"\\\n]|\\[^"\n])+)\\?"|'([^'\n]+)'|`([^`\n]+)`|(?:[:=]|\bgot|\bvalue|\bof)\s+([^\s"'`:;,]+)(?:[;,)\]]|\s*$)"#,
    )
    .ok()
});
/// A value before its field, as policies write it.
static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"\bvalue\s+["'`]?([^\s"'`]+)["'`]?\s+(?:at|in|of|for)\s+(?:the\s+)?(?:path|field)\s+["'`]?$"#).ok()
});
/// The excerpts around an error in a Secret that an API server cannot decode.
static EXCERPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r"(?s)found in #\d+ byte of \.\.\.\|(.*?)\|\.\.\.(?:, bigger context \.\.\.\|(.*?)(?:\|\.\.\.|\z))?")
        .ok()
});
/// Words in place of a value: types, and parts of the sentence.
const WORDS: [&str; 16] = [
    "string",
    "integer",
    "number",
    "boolean",
    "bool",
    "object",
    "array",
    "map",
    "null",
    "byte",
    "bytes",
    "data",
    "required",
    "immutable",
    "base64",
    "Secret",
];

/// The maximum number of fields whose values are searched, since each may be quoted anywhere before or behind it. A message
/// about more fields is hidden from there on.
const MOST_FIELDS: usize = 16;

/// Adds the values that a text quotes of fields of a Secret.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let (Some(kind), Some(field), Some(value), Some(before)) = (&*KIND, &*FIELD, &*VALUE, &*BEFORE) else { return };
    if memchr::memmem::find(text.as_bytes(), b"ecret").is_none() || !kind.is_match(text) {
        return;
    }
    found.extend(
        EXCERPT
            .iter()
            .flat_map(|pattern| pattern.captures_iter(text))
            .flat_map(|captures| captures.iter().skip(1).flatten().map(|excerpt| excerpt.range()).collect::<Vec<_>>()),
    );
    // `jsonpath={.data.password}` selects a field.
    let is_selected = |start: usize| {
        let before = text[..start].trim_end_matches(['.', ' ']);
        before.len() < start && before.ends_with('{')
    };
    let fields =
        field.captures_iter(text).filter(|captures| !captures.get(1).is_some_and(|one| is_selected(one.start())));
    // `.data[0]` is an element of a list.
    let fields = fields.filter(|captures| {
        !captures.get(2).is_some_and(|name| name.as_str().bytes().all(|byte| byte.is_ascii_digit()))
    });
    for (number, captures) in fields.enumerate() {
        let (Some(whole), Some(field), Some(name)) = (captures.get(0), captures.get(1), captures.get(2)) else {
            continue;
        };
        let is_value = |text: &str| !WORDS.contains(&text) && text != name.as_str();
        let preceding = text[..field.start()].trim_end_matches(['/', '.']);
        let value_before = before.captures(preceding).and_then(|captures| captures.get(1));
        found.extend(value_before.filter(|value| is_value(value.as_str())).map(|value| value.range()));
        if number == MOST_FIELDS {
            found.push(whole.end()..text.len());
            return;
        }
        let rest = &text[whole.end()..];
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        for captures in value.captures_iter(line) {
            let values = captures.iter().skip(1).flatten().filter(|value| is_value(value.as_str()));
            found.extend(values.map(|value| whole.end() + value.start()..whole.end() + value.end()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scrub;

    #[test]
    fn messages_about_fields_of_a_secret_quote_no_value() {
        for text in [
            "Secret/db dry-run failed: data.greeting: sunshine",
            "Secret \"db\" is invalid: data.greeting: Invalid value: \"sunshine\": too short",
            "Secret \"db\" is invalid: stringData[greeting]: Invalid value: \"sunshine\"",
            "admission webhook denied the request: resource Secret/shop/db was blocked: value sunshine at path /data/greeting/ is weak",
            "error validating data: ValidationError(Secret.stringData.greeting): invalid type, got \"string\", expected \"map\": sunshine",
            "v1, Kind=Secret db: data.greeting: expected string, got sunshine",
            "Secret in version \"v1\" cannot be handled as a Secret: illegal base64 data at input byte 4, error found in #10 byte of ...|reeting\":\"sunshine\"},\"ki|..., bigger context ...|\"data\":{\"greeting\":\"sunshine\"},\"kind\":\"Sec|... for data.greeting",
            "failed to apply secret \\\"db\\\": stringData.greeting: Invalid value: \\\"sunshine\\\"",
        ] {
            let shown = scrub(text).into_owned();
            assert!(!shown.contains("sunshine") && shown.contains("greeting"), "{shown}");
            assert_eq!(scrub(&shown), shown);
        }
        for number in 1..40 {
            for text in ["data.greeting: sunshine, ", "value sunshine at path /data/greeting is weak, "] {
                let shown = scrub(&format!("Secret \"db\" is invalid: {}", text.repeat(number))).into_owned();
                assert!(!shown.contains("sunshine"), "{shown}");
                assert_eq!(scrub(&shown), shown);
            }
        }
        for text in [
            "Secret \"db\" is invalid: data.greeting: illegal base64 data at input byte 4",
            "Secret \"db\" is invalid: data[greeting]: Required value",
            "ConfigMap \"db\" is invalid: data.greeting: Invalid value: \"sunshine\"",
            "secret \"db\" not found",
            "ExternalSecret reads data from the store: expected string",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
