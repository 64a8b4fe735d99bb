//! Literals in expressions whose result is a secret: templates, HCL, CUE, and programs. The value of
//! `password: {{ "X" | quote }}` or `password = var.prod ? "X" : "Y"` is not the first word after the separator.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::super::names::{is_generic_secret_name, is_secret_name};
use super::separator::{NameSeparator, name_before};
use super::value::{is_masked, quoted_value};

/// Longest expression that is searched.
const LONGEST: usize = 400;
/// Longest data of a Secret that is searched.
const LONGEST_BLOCK: usize = 4_000;
/// Calls whose literals are names of objects or fields.
const LOOKUPS: [&str; 7] = ["lookup ", "index ", "include ", "getHostByName ", "dig ", "file(", "templatefile("];

/// The start of an expression: a template, a call, a condition, or an alternative.
static EXPRESSION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r#"^[ \t]*(?:\{\{|\(\s*["'`]|[A-Za-z_][\w.\[\]]*[ \t]*(?:\(|\?|\|\||\|[ \t]*\*?["'`]|or[ \t])|jsonencode\()"#,
    )
    .ok()
});
/// A call with a quoted name, and a literal behind it: `dict "password" "X"`, `setattr(x, "password", "X")`.
static PAIR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let call = r#"\b(?:dict|set\s+\S+|replace|setattr\(\s*[\w.]+\s*,|setenv\(|putenv\(|put\()"#;
    let pair = r#"\s*["'`]([A-Za-z_][\w.-]{2,60})["'`]\s*,?\s*["'`]"#;
    ascii_regex(&format!("{call}{pair}")).ok()
});

/// The data of a Secret in HCL.
static SECRET_BLOCK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"(?s)resource\s+"kubernetes_secret(?:_v1)?"[^{]{0,80}\{.{0,400}?\b(?:string_)?data\s*=\s*\{"#).ok()
});
/// An entry of the data of a Secret in CUE, on one line.
static STRING_DATA: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r#"\bstringData\s*:\s*["\w.-]+\s*:\s*["'`]"#).ok());

/// Adds the literals of expressions that are the value of a secret-like name.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    for at in memchr::memchr2_iter(b':', b'=', text.as_bytes()) {
        let Some(separator) = NameSeparator::at(text, at) else { continue };
        let Some(expression) = expression(text, separator.end) else { continue };
        let is_secret = || {
            let name = name_before(text, separator.start)?;
            let last = text[name].rsplit('.').next().map(str::to_owned)?;
            is_secret_name(&last).then_some(())
        };
        if is_secret().is_some() {
            add_literals(text, expression, found);
        }
    }
    // Terraform's `resource "kubernetes_secret"`, and CUE's `stringData: name: "X"`.
    for block in SECRET_BLOCK.iter().flat_map(|block| block.find_iter(text)) {
        let near = &text[..text.floor_char_boundary(block.end() + LONGEST_BLOCK)];
        let end = closing(near, block.end() - 1);
        add_literals(text, block.end()..end, found);
    }
    for entry in STRING_DATA.iter().flat_map(|entry| entry.find_iter(text)) {
        found.extend(quoted_value(text, entry.end() - 1));
    }
    for pair in PAIR.iter().flat_map(|pair| pair.captures_iter(text)) {
        let (Some(whole), Some(name)) = (pair.get(0), pair.get(1)) else { continue };
        if is_secret_name(name.as_str()) && !is_generic_secret_name(name.as_str()) {
            found.extend(quoted_value(text, whole.end() - 1));
        }
    }
}

/// Returns the range of the text that a shell inserts as it is: `$(echo X)`, `$(printf %s 'X' | base64)`.
pub(super) fn echoed_value(text: &str, start: usize) -> Option<Range<usize>> {
    let line = text[start..].lines().next()?;
    let command = line.trim_start_matches(['"', '\'']).strip_prefix("$(").or_else(|| line.strip_prefix('`'))?;
    let words = ["echo ", "printf "].iter().find_map(|name| command.trim_start().strip_prefix(*name))?;
    let end = words.find([')', '|', '`', '<', '>']).unwrap_or(words.len());
    let mut value = &words[..end];
    // Options and the format.
    while let Some((option, rest)) = value.trim_start().split_once(' ')
        && (option.starts_with('-') || option.trim_matches(['"', '\'']).starts_with('%') && option.len() <= 6)
    {
        value = rest;
    }
    let begin = start + line.len() - words.len() + end - value.trim_start().trim_start_matches(['"', '\'']).len();
    let value = value.trim().trim_matches(['"', '\'']);
    (!value.is_empty() && !is_masked(value)).then(|| begin..begin + value.len())
}

/// Returns the range of the expression at a place: up to the end of the line, or of its parentheses.
fn expression(text: &str, start: usize) -> Option<Range<usize>> {
    let near = &text[start..text.floor_char_boundary(start + LONGEST)];
    let begin = EXPRESSION.as_ref()?.find(near)?.as_str().trim_start();
    let line = near.find('\n').unwrap_or(near.len());
    // A parenthesis may be closed on another line; a condition and its branches are several templates.
    let length = match near.find('(').filter(|_| begin.contains('(')) {
        Some(open) => closing(near, open).max(line),
        None => line,
    };
    let expression = &near[..length];
    let has_literal = expression.contains(['"', '\'', '`']);
    (has_literal && !LOOKUPS.iter().any(|call| expression.contains(call))).then(|| start..start + length)
}

/// Returns the place of the parenthesis or brace that closes the one at a place, or the end of the text.
fn closing(text: &str, open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, character) in text[open..].char_indices() {
        match character {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return open + at;
        }
    }
    text.len()
}

/// Adds every quoted literal, but not formats.
fn add_literals(text: &str, expression: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut at = expression.start;
    while let Some(next) = text[at..expression.end].find(['"', '\'', '`']) {
        let Some(literal) = quoted_value(text, at + next) else { return };
        at = (literal.end + 1).min(expression.end).max(at + next + 1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
        let is_format = text[literal.clone()].starts_with('%') && literal.len() <= 4;
        if !literal.is_empty() && !is_format {
            found.push(literal);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::model::secrecy::scrub;

    #[test]
    fn literals_of_expressions_are_hidden() {
        for text in [
            r#"password: {{ "canary-1" | quote }}"#,
            r#"masterPassword: {{ .observed.password | default "canary-1" }}"#,
            r#"password: {{ b64enc "canary-1" }}"#,
            r#"password: {{ if .prod }}{{ else }}{{ printf "%s" "canary-1" }}"#,
            r#"password = var.prod ? "canary-1" : "x""#,
            r#"password = coalesce(var.a, "canary-1")"#,
            r#"password = option("x").password or "canary-1""#,
            r#"password = env.PASSWORD || "canary-1""#,
            r#"password: string | *"canary-1""#,
            "password = (\n  \"canary-1\"\n)",
            "secret_string = jsonencode({\n  foo = \"canary-1\"\n})",
            "resource \"kubernetes_secret\" \"a\" {\n  metadata {\n    name = \"b\"\n  }\n  data = {\n    foo = \"canary-1\"\n  }\n}",
            "kind: \"Secret\"\n\tstringData: foo: \"canary-1\"",
            r#"{{ $x := dict "password" "canary-1" }}"#,
            r#"setattr(cfg, "password", "canary-1")"#,
        ] {
            let shown = scrub(text);
            assert!(!shown.contains("canary") && shown.contains("<hidden>"), "{text} -> {shown}");
        }
        for text in [
            r#"password: {{ .Values.password | quote }}"#,
            r#"password: {{ (lookup "v1" "Secret" "shop" "db").data.password }}"#,
            r#"password: {{ index .secret.data "password" }}"#,
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
