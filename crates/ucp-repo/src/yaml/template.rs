//! Go templates of YAML, masked so that a YAML parser can read the text around the expressions.

use std::ops::Range;

use super::YamlError;
use super::tree::{self, YamlNode};

/// Replacement for each byte of an expression whose value is unknown.
const FILLED_IN: u8 = b'_';

/// Parses a text with `{{ … }}`. Spans of nodes refer to the original text.
///
/// # Errors
/// Fails when the text around the expressions is not valid YAML.
pub fn parse(text: &str) -> Result<Vec<YamlNode>, YamlError> {
    if text.contains("{{") { tree::parse(&mask(text)) } else { tree::parse(text) }
}

/// Returns true if a value from [`parse`] consists only of expressions, so that its text is unknown.
pub fn is_filled_in(value: &str) -> bool {
    let value = value.trim();
    !value.is_empty() && value.bytes().all(|byte| byte == FILLED_IN)
}

/// Replaces every `{{ … }}` by the same number of harmless bytes, so that offsets do not change.
///
/// Lines that contain only expressions become blank; an expression inside a value becomes a word.
pub fn mask(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in expressions(text) {
        let line_start = text[..range.start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[range.end..].find('\n').map_or(text.len(), |newline| range.end + newline);
        let is_alone = is_blank_but_expressions(&text[line_start..range.start])
            && is_blank_but_expressions(&text[range.end..line_end]);
        let filler = match (is_alone, has_value(&text[range.clone()])) {
            (true, _) => b' ',
            (false, true) => b'x',
            (false, false) => FILLED_IN,
        };
        let written = bytes[range].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r'));
        written.for_each(|byte| *byte = filler);
    }
    // Only whole expressions were replaced, with ASCII.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn is_blank_but_expressions(rest: &str) -> bool {
    let mut rest = rest.trim();
    while let Some(inside) = rest.strip_prefix("{{") {
        let Some(end) = inside.find("}}") else { return false };
        rest = inside[end + 2..].trim_start();
    }
    rest.is_empty() || rest.starts_with('#')
}

/// Returns true if an expression outputs a literal that it contains, as its value or as a default.
fn has_value(expression: &str) -> bool {
    let inner = expression.trim_start_matches(['{', '-', ' ']);
    let mut defaults = inner.split("default ").skip(1);
    inner.starts_with(['"', '`']) || defaults.any(|rest| rest.starts_with('"') && !rest.starts_with("\"\""))
}

/// Returns the ranges of `{{ … }}`; delimiters in comments and strings are ignored.
fn expressions(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("{{").map(|index| at + index) {
        let Some(end) = end_of(text, start + 2) else { break };
        found.push(start..end);
        at = end;
    }
    found
}

fn end_of(text: &str, start: usize) -> Option<usize> {
    let rest = &text[start..];
    let comment = rest.trim_start_matches('-').trim_start().starts_with("/*");
    let begin = if comment { rest.find("*/")? } else { 0 };
    let mut quote = None;
    let bytes = rest.as_bytes();
    let mut index = begin;
    while index < bytes.len() {
        match (quote, bytes[index]) {
            (None, b'}') if bytes.get(index + 1) == Some(&b'}') => return Some(start + index + 2),
            (None, byte @ (b'"' | b'`')) => quote = Some(byte),
            (Some(b'"'), b'\\') => index += 1,
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
        index += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_around_expressions_keeps_its_position() {
        let text = "image:\n  tag: 8x.9.6\nhosts:\n{{- range .Values.hosts }}\n- host: {{ .host }}\n  paths:\n  {{- range .paths }}\n  - {{ . | quote }}\n  {{- end }}\n{{- end }} # done\nurl: \"{{ printf \"a}}b\" }}/x\"\nö: {{/* a }} b */}}\n";
        let masked = mask(text);
        assert_eq!(masked.len(), text.len());
        let root = tree::parse_one(&masked).unwrap();
        let tag = root.get("image").unwrap().get("tag").unwrap();
        assert_eq!(&text[tag.span.clone()], "8x.9.6");
        assert!(root.get("ö").unwrap().text().is_some_and(|text| text.starts_with("__")));
        assert_eq!(mask("a: {{ b\n"), "a: {{ b\n", "no end, no expression");
    }

    #[test]
    fn masked_expressions_keep_positions_and_are_recognized() {
        let text = "{{- if .a }}\nname: {{ .Values.name | quote }} # é\n{{- /* a }} b\n */}}\nlist:\n- {{ .x }}\n- \"{{ printf \"}}\" }}\"\npart: a-{{ .b }}\nown: {{ \"v\" | b64enc }}\n{{ end }}";
        assert_eq!(mask(text).len(), text.len());
        let documents = parse(text).unwrap();
        let root = documents.first().unwrap();
        for (key, is_it) in [("name", true), ("part", false), ("own", false)] {
            let node = root.get(key).unwrap();
            assert_eq!(is_filled_in(node.text().unwrap()), is_it, "{key}");
            assert!(text.is_char_boundary(node.span.start));
        }
        assert_eq!(&text[root.get("part").unwrap().span.clone()], "a-{{ .b }}");
        assert!(root.get("list").unwrap().items().iter().all(|item| is_filled_in(item.text().unwrap())));
        assert!(!is_filled_in("") && !is_filled_in("a_b"));
    }

    #[test]
    fn text_without_expressions_is_not_changed() {
        for text in ["a: b\n", "a: {b: {c: d}}\n", "a: '{{'\n"] {
            assert_eq!(mask(text), text);
        }
    }
}
