//! Lines of `KEY=VALUE`, as shells, Docker, systemd, and kustomize's generators read them.

use granit_parser::{ScalarStyle, StructureStyle};

use crate::yaml::YamlError;
use crate::yaml::tree::{NodeContent, NodeDecoration, YamlNode};

/// Parses a text as a mapping with one entry per line.
///
/// # Errors
/// Fails when a line is neither blank, a comment, nor `KEY=VALUE`, or when no line is `KEY=VALUE`.
pub(super) fn parse(text: &str) -> Result<YamlNode, YamlError> {
    let mut entries = Vec::new();
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        let number = index + 1;
        let body = line.trim_end_matches(['\n', '\r']);
        let body_start = start + leading(body);
        let trimmed = body.trim_start_matches([' ', '\t', '\u{feff}']);
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        let export = trimmed.strip_prefix("export ").map_or(0, |rest| trimmed.len() - rest.trim_start().len());
        let (key, value) = trimmed[export..]
            .split_once('=')
            .filter(|(key, _)| is_key(key.trim_end()))
            .ok_or_else(|| YamlError::new(number, "the line is not of the form KEY=VALUE"))?;
        let key_start = body_start + export;
        let value_start = key_start + key.len() + 1 + leading(value);
        let value = value.trim_start_matches([' ', '\t']);
        let (length, style, text) = value_of(value);
        let key_node = node(key.trim_end(), ScalarStyle::Plain, key_start..key_start + key.trim_end().len(), number);
        entries.push((key_node, node(&text, style, value_start..value_start + length, number)));
    }
    if entries.is_empty() {
        return Err(YamlError::new(0, "the file contains no KEY=VALUE"));
    }
    Ok(YamlNode {
        content: NodeContent::Mapping(entries.into(), StructureStyle::Block),
        span: 0..text.len(),
        line: 1,
        column: 0,
        decoration: NodeDecoration::None,
    })
}

fn leading(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t', '\u{feff}']).len()
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|character| character.is_ascii_alphanumeric() || "_.-/".contains(character))
}

/// Returns the length of a value in bytes, its quoting, and its content.
fn value_of(value: &str) -> (usize, ScalarStyle, String) {
    let quoted = |quote: char| value[1..].find(quote).map(|end| end + 2);
    let style = match value.chars().next() {
        Some('"') => quoted('"').map(|length| (length, ScalarStyle::DoubleQuoted)),
        Some('\'') => quoted('\'').map(|length| (length, ScalarStyle::SingleQuoted)),
        _ => None,
    };
    // A quote that is followed by other text belongs to the value.
    let ends = |length: usize| value[length..].trim_start().is_empty() || value[length..].trim_start().starts_with('#');
    if let Some((length, style)) = style.filter(|(length, _)| ends(*length)) {
        return (length, style, value[1..length - 1].to_owned());
    }
    let end = value.find(" #").or_else(|| value.find("\t#")).unwrap_or(value.len());
    let plain = value[..end].trim_end();
    (plain.len(), ScalarStyle::Plain, plain.to_owned())
}

fn node(text: &str, style: ScalarStyle, span: std::ops::Range<usize>, line: usize) -> YamlNode {
    let content = NodeContent::Scalar(text.to_owned(), style);
    YamlNode { content, span, line, column: 0, decoration: NodeDecoration::None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_byte_spans() {
        let text =
            "\u{feff}# renovate: depName=a\r\nexport A_VERSION = v1.2  # why\r\nB=\"v 2\"\r\n\r\nC='x'#y\nD=\nE=a#b";
        let root = parse(text).unwrap();
        let value = |key: &str| {
            let node = root.get(key).unwrap();
            let NodeContent::Scalar(scalar, _) = &node.content else { unreachable!() };
            (scalar.clone(), &text[node.span.clone()], node.line)
        };
        assert_eq!(value("A_VERSION"), ("v1.2".to_owned(), "v1.2", 2));
        assert_eq!(value("B"), ("v 2".to_owned(), "\"v 2\"", 3));
        assert_eq!(value("D"), (String::new(), "", 6));
        assert_eq!(value("E"), ("a#b".to_owned(), "a#b", 7));
        for text in ["a: b\n", "FROM x:y\n", "# nothing\n", "a b=c\n"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
