//! Values in XML and HTML: elements with secret-like names, and names and values in attributes or adjacent elements.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::super::names::is_secret_name;

/// `<password>X</password>`, also as CDATA.
static ELEMENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r"<([\w:.-]+)(?:\s[^<>]*)?>\s*(?:<!\[CDATA\[((?:[^\]]|\][^\]])+)\]\]>|([^<]+))").ok());
/// `<entry key="password">X</entry>`, `<Attribute Name="password"><AttributeValue>X</AttributeValue></Attribute>`.
static NAMED_ELEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"<[\w:.-]+\s[^<>]*?\b(?i:name|key|id)\s*=\s*["']([\w.:-]+)["'][^<>]*>\s*(?:<[\w:.-]+(?:\s[^<>]*)?>)?([^<]+)<"#).ok()
});
/// `<key>password</key><string>X</string>`.
static ADJACENT_ELEMENTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r"(?i)<(?:key|name|\w*name|id)>\s*([\w.:-]+)\s*</\w+>\s*<(?:\w*value|string|data|text)>([^<]+)<").ok()
});
/// Attributes of an element: `<add key="DbPassword" value="X"/>`.
static ATTRIBUTES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r#"<[\w:.-]+\s[^<>]*?\b(?:name|key|id)\s*=\s*["']([\w.:-]+)["'][^<>]*?\bvalue\s*=\s*["']([^"'<>]+)["']"#,
    )
    .ok()
});
static REVERSED_ATTRIBUTES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r#"<[\w:.-]+\s[^<>]*?\bvalue\s*=\s*["']([^"'<>]+)["'][^<>]*?\b(?:name|key|id)\s*=\s*["']([\w.:-]+)["']"#,
    )
    .ok()
});

/// Adds the values in elements and attributes.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    if memchr::memmem::find(bytes, b"</").is_none() && memchr::memmem::find(bytes, b"/>").is_none() {
        return;
    }
    let patterns =
        [(&ELEMENT, 1), (&NAMED_ELEMENT, 1), (&ADJACENT_ELEMENTS, 1), (&ATTRIBUTES, 1), (&REVERSED_ATTRIBUTES, 2)];
    for (pattern, name) in patterns {
        for captures in pattern.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            if captures.get(name).is_some_and(|name| is_secret_name(name.as_str())) {
                let value = if name == 2 { captures.get(1) } else { captures.get(2).or_else(|| captures.get(3)) };
                found.extend(value.filter(|value| !value.as_str().trim().is_empty()).map(|value| value.range()));
            }
        }
    }
}

#[cfg(test)]
#[test]
fn every_pattern_compiles() {
    for pattern in [&ELEMENT, &NAMED_ELEMENT, &ADJACENT_ELEMENTS, &ATTRIBUTES, &REVERSED_ATTRIBUTES] {
        assert!(pattern.is_some());
    }
}
