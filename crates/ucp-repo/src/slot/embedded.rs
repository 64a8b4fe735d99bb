//! YAML and JSON in string values, with their byte positions in the containing file.

use std::ops::Range;

use granit_parser::ScalarStyle;

/// Maps every byte of a scalar's content to its bytes in the file.
///
/// `raw` is the scalar in the file, including quotes or `|`. White space is folded, trimmed, and indented in many ways,
/// so only other characters have exact positions. Returns `None` if raw text and content do not match.
pub(crate) fn align(raw: &str, style: ScalarStyle, meaning: &str) -> Option<Vec<Range<usize>>> {
    let bytes = raw.as_bytes();
    let mut at = match style {
        ScalarStyle::Literal | ScalarStyle::Folded if raw.starts_with(['|', '>']) => raw.find('\n')? + 1,
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => 1,
        _ => 0,
    };
    let mut places = Vec::with_capacity(meaning.len());
    for character in meaning.chars() {
        let size = character.len_utf8();
        if character.is_whitespace() || character == '\u{feff}' {
            places.extend(std::iter::repeat_n(at..at, size));
            continue;
        }
        at = skip_white_space(bytes, at, style);
        let length = encoded_length(raw.get(at..)?, style, character)?;
        if length == size {
            places.extend((at..at + size).map(|byte| byte..byte + 1));
        } else {
            places.extend(std::iter::repeat_n(at..at + length, size));
        }
        at += length;
    }
    Some(places)
}

fn skip_white_space(bytes: &[u8], mut at: usize, style: ScalarStyle) -> usize {
    while let Some(byte) = bytes.get(at) {
        let escaped = style == ScalarStyle::DoubleQuoted
            && *byte == b'\\'
            && bytes.get(at + 1).is_some_and(|next| b"ntr \t\n\r".contains(next));
        match byte {
            _ if escaped => at += 2,
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            _ => break,
        }
    }
    at
}

/// Returns the number of bytes of an encoded character at the start of a text.
fn encoded_length(raw: &str, style: ScalarStyle, character: char) -> Option<usize> {
    match (style, character) {
        (ScalarStyle::SingleQuoted, '\'') => raw.starts_with("''").then_some(2),
        (ScalarStyle::DoubleQuoted, _) if raw.starts_with('\\') => match raw.as_bytes().get(1)? {
            b'"' | b'\\' | b'/' => (raw[1..].starts_with(character)).then_some(2),
            b'x' => Some(4),
            b'u' => Some(6),
            b'U' => Some(10),
            _ => Some(2),
        },
        _ => raw.starts_with(character).then(|| character.len_utf8()),
    }
}

/// Escapes a text for use inside of a scalar.
pub(crate) fn escape(text: &str, style: ScalarStyle) -> String {
    match style {
        ScalarStyle::SingleQuoted => text.replace('\'', "''"),
        ScalarStyle::DoubleQuoted => {
            let quoted = serde_json::Value::from(text).to_string();
            quoted[1..quoted.len() - 1].to_owned()
        }
        ScalarStyle::Plain | ScalarStyle::Literal | ScalarStyle::Folded => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::tree::{self, NodeContent};

    #[test]
    fn the_places_of_embedded_text_are_found_in_every_style() {
        let sources = [
            "a: |\n  image:\n\n    tag: v1.2\n  x: ü\n",
            "a: >-  # why\n\n  image:\n\n    tag: v1.2\n\n  x: ü\n",
            "a: |2\r\n    image:\r\n      tag: v1.2\r\n",
            "a: '{''image'': {''tag'': ''v1.2''}}'\n",
            "a: \"{\\\"image\\\":\\n\\t{\\\"tag\\\": \\\"v1.2\\\", \\\"\\u00fc\\\": 1}}\"\n",
            "a: 'image:\n\n    tag: v1.2'\n",
            "- a: |+\n    tag: v1.2\n\n",
        ];
        for source in sources {
            let root = tree::parse_one(source).unwrap();
            let node = root.get("a").or_else(|| root.items().first()?.get("a")).unwrap();
            let NodeContent::Scalar(meaning, style) = &node.content else { unreachable!() };
            let places = align(&source[node.span.clone()], *style, meaning)
                .unwrap_or_else(|| panic!("{source:?} {:?}", &source[node.span.clone()]));
            let inner = meaning.find("v1.2").unwrap();
            let start = node.span.start + places[inner].start;
            assert_eq!(&source[start..start + 4], "v1.2", "{source:?}");
            assert_eq!(places.len(), meaning.len());
        }
    }
}
