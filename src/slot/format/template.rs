//! Go templates of YAML: masked so that a YAML parser reads what stands around the expressions.

/// Puts as many harmless bytes in the place of every `{{ … }}`, so that all else keeps its place.
///
/// Lines that hold nothing but expressions become comments; an expression inside of a value becomes letters.
pub(super) fn mask(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in expressions(text) {
        let line_start = text[..range.start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[range.end..].find('\n').map_or(text.len(), |newline| range.end + newline);
        let alone =
            is_blank(&text.as_bytes()[line_start..range.start]) && is_blank_but_expressions(&text[range.end..line_end]);
        for byte in &mut bytes[range.clone()] {
            if !matches!(*byte, b'\n' | b'\r') {
                *byte = b'x';
            }
        }
        if alone {
            bytes[range.start] = b'#';
        }
    }
    // Only whole expressions were replaced, by ASCII.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

fn is_blank_but_expressions(rest: &str) -> bool {
    let mut rest = rest.trim();
    while let Some(inside) = rest.strip_prefix("{{") {
        let Some(end) = inside.find("}}") else { return false };
        rest = inside[end + 2..].trim_start();
    }
    rest.is_empty() || rest.starts_with('#')
}

/// The places of `{{ … }}`, its comments and strings respected.
fn expressions(text: &str) -> Vec<std::ops::Range<usize>> {
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
    use crate::yaml::tree;

    #[test]
    fn what_stands_around_expressions_keeps_its_place() {
        let text = "image:\n  tag: 8x.9.6\nhosts:\n{{- range .Values.hosts }}\n- host: {{ .host }}\n  paths:\n  {{- range .paths }}\n  - {{ . | quote }}\n  {{- end }}\n{{- end }} # done\nurl: \"{{ printf \"a}}b\" }}/x\"\nö: {{/* a }} b */}}\n";
        let masked = mask(text);
        assert_eq!(masked.len(), text.len());
        let root = tree::parse_one(&masked).unwrap();
        let tag = root.get("image").unwrap().get("tag").unwrap();
        assert_eq!(&text[tag.span.clone()], "8x.9.6");
        assert!(root.get("ö").unwrap().text().is_some_and(|text| text.starts_with("xx")));
        assert_eq!(mask("a: {{ b\n"), "a: {{ b\n", "no end, no expression");
    }
}
