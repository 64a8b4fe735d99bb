//! Literal values in programs that write objects, such as HCL, CUE, KCL, Starlark, Python and Jsonnet, and in flow style
//! within Go templates: a name of variables, arguments, or annotations, and the brackets behind it.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::hider::LiteralHider;
use super::{LiteralPlace, is_annotations, is_arguments, is_kept_annotation, is_named_values};
use ucp_core::model::secrecy::is_innocuous;

/// A name, and an opening bracket after it, directly or after a separator and a type: `env {`, `env = [`,
/// `'annotations'] = {`, `Env: []corev1.EnvVar{`. Or a path of names, as in CUE: `env: PLAIN: "X"`.
static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| place_after(r#"\\*["']?"#));
/// The same in a text within JSON, whose quotes have a backslash, unlike those of fields.
static PLACE_IN_JSON: LazyLock<Option<Regex>> = LazyLock::new(|| place_after(r#"(?:\\+["']|')?"#));

/// Returns the pattern of a place. It begins with letters, which is fast, so that the name may begin before it.
fn place_after(end_of_name: &str) -> Option<Regex> {
    let names = r"(?i-u:env|environment|varmap|vars|variables|annotations|args|command|httpheaders|substitute)\w*";
    let (quote, space) = (r#"\\*["']?"#, r"(?:\s|\\[nrt])*");
    Regex::new(&format!(
        r#"({names}){end_of_name}(?:\]?{space}[:=]{space}(?:(?:\[\])?[A-Za-z_][\w.]*)?[\[{{(]|{space}\{{|:{space}{quote}[\w./-]+{quote}:{space}{quote}[^\s\[{{(])"#
    ))
    .ok()
}
/// Names of fields within variables whose values are no literals.
const REFERENCES: [&str; 8] =
    ["name", "key", "fieldPath", "apiVersion", "optional", "resource", "containerName", "divisor"];

/// Returns true if the name of a place is one with literals.
fn is_place(name: &str) -> bool {
    is_named_values(name) || is_arguments(name) || is_annotations(name)
}

/// Returns true if a text, or one within JSON, may have a place with literals in a program. A field of an object itself is
/// followed by a quote without a backslash.
pub(super) fn may_have_places(text: &str) -> bool {
    places(text, &PLACE_IN_JSON).next().is_some()
}

/// Returns the name of each place, and the range from its name to its first bracket or value.
fn places<'t>(text: &'t str, pattern: &'static Option<Regex>) -> impl Iterator<Item = (&'t str, Range<usize>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let captures = pattern.as_ref()?.captures_at(text, at)?;
            let (whole, end_of_name) = (captures.get(0)?, captures.get(1)?.end());
            let before = &text[at..whole.start()];
            let start = whole.start() - (before.len() - before.trim_end_matches(is_of_name).len());
            let name = &text[start..end_of_name];
            if is_place(name) {
                at = whole.end();
                return Some((name, end_of_name..whole.end()));
            }
            at = end_of_name;
        }
    })
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns the range of a place: from the bracket at the end of a match to the closing one, or the rest of a line.
fn body(text: &str, start: &Range<usize>) -> Range<usize> {
    let open = text[..start.end].char_indices().next_back().map_or(start.end, |(at, _)| at);
    if !text[open..].starts_with(['[', '{', '(']) {
        return start.start..text[open..].find('\n').map_or(text.len(), |length| open + length);
    }
    let (mut depth, mut at) = (0_usize, open);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'[' | b'{' | b'(' => depth += 1,
            b']' | b'}' | b')' => depth = depth.saturating_sub(1),
            b'"' | b'\'' | b'`' => at = literal(text, at).map_or(text.len(), |literal| literal.end),
            _ => {}
        }
        if depth == 0 {
            return open..at;
        }
        at += 1;
    }
    open..text.len()
}

/// Returns the range within the quotes at a place.
fn literal(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let quote = bytes[at];
    let mut end = at + 1;
    while *bytes.get(end)? != quote {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    Some(at + 1..end)
}

impl LiteralHider<'_> {
    /// Hides the literal values in a program, and returns their number.
    pub(super) fn program(&self, text: &str) -> (String, usize) {
        let mut found = Vec::new();
        let mut until = 0;
        for (name, start) in places(text, &PLACE) {
            if start.start >= until {
                let body = body(text, &start);
                until = body.end;
                self.find_literals(text, name, body, &mut found);
            }
        }
        let (mut shown, mut at) = (String::with_capacity(text.len()), 0);
        for literal in &found {
            shown.push_str(&text[at..literal.start]);
            shown.push_str(&self.placeholders.placeholder(&text[literal.clone()]));
            at = literal.end;
        }
        shown.push_str(&text[at..]);
        (shown, found.len())
    }

    /// Adds each quoted value of a place, but no names.
    fn find_literals(&self, text: &str, place: &str, body: Range<usize>, found: &mut Vec<Range<usize>>) {
        let mut at = body.start;
        let mut name = "";
        while let Some(next) = text.get(at..body.end).and_then(|rest| rest.find(['"', '\'', '`'])) {
            let begin = at + next;
            let Some(literal) = literal(text, begin) else { return };
            let before = text[at..begin].trim_end();
            let after = text[literal.end + 1..].trim_start_matches([' ', '\t']);
            at = literal.end + 1;
            if after.starts_with([':', '=']) && !after.starts_with("==") {
                name = &text[literal];
                continue;
            }
            // `name = "PLAIN"`: an unquoted name before its value.
            let key = before.strip_suffix([':', '=']).map(str::trim_end).map(|before| {
                &before[before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "_-./".contains(c)).len()..]
            });
            let is_reference = key.is_some_and(|key| REFERENCES.iter().any(|one| key.eq_ignore_ascii_case(one)));
            let key = key.filter(|key| !key.is_empty()).unwrap_or(name);
            let value = &text[literal.clone()];
            // `spec["password"]` is a step of a path.
            let is_step = before.strip_suffix('[').is_some_and(|before| {
                before.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ']' | ')'))
            });
            if is_reference {
                name = value;
            } else if !is_step && !REFERENCES.contains(&name) && !self.is_kept_literal(place, key, value) {
                found.push(literal);
            }
            if REFERENCES.contains(&name) {
                name = "";
            }
        }
    }

    fn is_kept_literal(&self, place: &str, name: &str, value: &str) -> bool {
        let is_rendered = [("{{", "}}"), ("${", "}"), ("\\(", ")")]
            .iter()
            .any(|(open, close)| value.starts_with(open) && value.ends_with(close) && !value.contains(['"', '\'']));
        let is_kept = match () {
            () if is_annotations(place) => is_kept_annotation(name, value, self.exceptions),
            () if is_arguments(place) => {
                let is_flag = value.starts_with("--")
                    && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
                is_flag || self.exceptions.keep(LiteralPlace::Argument, value.trim_start_matches('-'))
            }
            () => self.exceptions.keep(LiteralPlace::Environment, name),
        };
        is_kept || is_rendered || is_innocuous(value) || value.starts_with("<hidden")
    }
}

#[cfg(test)]
mod tests {
    use super::super::LiteralExceptions;
    use super::*;
    use ucp_core::model::secrecy::Placeholders;

    fn shown(text: &str) -> String {
        let (exceptions, placeholders) = (LiteralExceptions::default(), Placeholders::new().unwrap());
        LiteralHider { exceptions: &exceptions, placeholders: &placeholders }.program(text).0
    }

    #[test]
    fn literals_of_programs_are_hidden_and_names_are_kept() {
        for (text, kept) in [
            ("env {\n  name = \"PLAIN\"\n  value = \"canary\"\n}\nimage = \"shown\"", "PLAIN"),
            ("\"env\": [{\"name\": \"PLAIN\", \"value\": \"canary\"}], \"image\": \"shown\"", "PLAIN"),
            ("Env: []corev1.EnvVar{{Name: \"PLAIN\", Value: \"canary\"}}, Image: \"shown\"", "PLAIN"),
            ("env: PLAIN: \"canary\"\nimage: \"shown\"", "PLAIN"),
            ("args = [\"--flag\", \"canary\", \"--other=canary\"]\nimage = \"shown\"", "--flag"),
            ("x['annotations'] = {'example.org/a': 'canary', 'argocd.argoproj.io/b': 'shown'}", "example.org/a"),
        ] {
            let shown = shown(text);
            assert!(!shown.contains("canary") && shown.contains(kept) && shown.contains("shown"), "{shown}");
            let within = serde_json::to_string(text).unwrap();
            assert!(may_have_places(&within), "{within}");
        }
        for text in [
            "env = [{name = \"A\", valueFrom = {secretKeyRef = {name = \"db\", key = \"password\"}}}]",
            "env = [{name = \"A\", value = oxr.spec[\"parameters\"]}]",
            "env = {A = \"${var.a}\", B = \"5\"}",
            "environment = \"prod\"\nregion = \"eu\"",
            "the args (\"a list\") are given to the program",
        ] {
            assert_eq!(shown(text), text);
        }
        assert!(!may_have_places(
            "{\"metadata\":{\"annotations\":{\"a\":\"b\"}},\"spec\":{\"env\":[{\"name\":\"a\"}]}}"
        ));
    }
}
