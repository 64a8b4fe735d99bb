//! Literals in expressions whose result is a secret: templates, HCL, CUE, and programs. The value of
//! `password: {{ "X" | quote }}` or `password = var.prod ? "X" : "Y"` is not the first word after the separator.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::names::{is_generic_secret_name, is_secret_name};
use super::separator::{NameSeparator, name_before};
use super::value::quoted_value;

/// Longest expression that is searched.
const LONGEST: usize = 400;
/// Calls whose literals are names of objects or fields.
const LOOKUPS: [&str; 7] = ["lookup ", "index ", "include ", "getHostByName ", "dig ", "file(", "templatefile("];

/// The start of an expression: a template, a call, a condition, or an alternative.
static EXPRESSION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"^[ \t]*(?:\{\{|\(\s*["'`]|[A-Za-z_][\w.\[\]]*[ \t]*(?:\(|\?|\|\||\|[ \t]*\*?["'`]|or[ \t])|jsonencode\()"#,
    )
    .ok()
});
/// A call with a quoted name, and a literal behind it: `dict "password" "X"`, `setattr(x, "password", "X")`.
static PAIR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let call = r#"\b(?:dict|set\s+\S+|replace|setattr\(\s*[\w.]+\s*,|setenv\(|putenv\(|put\()"#;
    let pair = r#"\s*["'`]([A-Za-z_][\w.-]{2,60})["'`]\s*,?\s*["'`]"#;
    Regex::new(&format!("{call}{pair}")).ok()
});

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
    for pair in PAIR.iter().flat_map(|pair| pair.captures_iter(text)) {
        let (Some(whole), Some(name)) = (pair.get(0), pair.get(1)) else { continue };
        if is_secret_name(name.as_str()) && !is_generic_secret_name(name.as_str()) {
            found.extend(quoted_value(text, whole.end() - 1));
        }
    }
}

/// Returns the range of the expression at a place: up to the end of the line, or of its parentheses.
fn expression(text: &str, start: usize) -> Option<Range<usize>> {
    let near = &text[start..text.floor_char_boundary(start + LONGEST)];
    let begin = EXPRESSION.as_ref()?.find(near)?;
    let line = near.find('\n').unwrap_or(near.len());
    let length = match begin.as_str().trim_start().starts_with("{{") {
        // A condition and its branches are several templates.
        true => line,
        // A parenthesis may be closed on another line.
        false if begin.as_str().trim_start().starts_with('(') => near.find(')').unwrap_or(near.len()),
        false => line,
    };
    let expression = &near[..length];
    let has_literal = expression.contains(['"', '\'', '`']);
    (has_literal && !LOOKUPS.iter().any(|call| expression.contains(call))).then(|| start..start + length)
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
