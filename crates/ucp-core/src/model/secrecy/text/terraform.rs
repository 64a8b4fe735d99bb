//! Values that Terraform prints in messages about inconsistent attributes: `.auth_token: was cty.StringVal("X"), but now …`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::super::names::is_secret_name;
use super::value::quoted_value;

/// Longest clause about one attribute.
const LONGEST: usize = 2_000;
/// An attribute, and what is said about its values.
static ATTRIBUTE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"\.([A-Za-z_][\w-]*)(?:\[[^\]\n]*\])*["'`]?:\s+(?:was|is|planned|prior|actual|known|new|old|inconsistent|invalid|unexpected|block|the|now)\b"#).ok()
});

/// Adds the literals of secret attributes.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    if memchr::memmem::find(text.as_bytes(), b"cty.").is_none() {
        return;
    }
    let mut attributes = ATTRIBUTE.iter().flat_map(|pattern| pattern.captures_iter(text)).peekable();
    while let Some(captures) = attributes.next() {
        let (Some(whole), Some(name)) = (captures.get(0), captures.get(1)) else { continue };
        let next = attributes.peek().and_then(|next| next.get(0)).map_or(text.len(), |next| next.start());
        let end = next.min(text.floor_char_boundary(whole.end() + LONGEST));
        let clause = &text[whole.end()..end.max(whole.end())];
        let clause = &clause[..clause.find('\n').unwrap_or(clause.len())];
        let mut at = 0;
        while let Some(quote) =
            clause.get(at..).filter(|_| is_secret_name(name.as_str())).and_then(|rest| rest.find('"'))
        {
            let begin = whole.end() + at + quote;
            let escapes = text[..begin].len() - text[..begin].trim_end_matches('\\').len();
            let Some(value) = quoted_value(text, begin - escapes) else { break };
            at = text[value.end..].find('"').map_or(clause.len(), |close| value.end + close + 1 - whole.end());
            found.push(value);
        }
    }
}

#[cfg(test)]
#[test]
fn the_pattern_compiles() {
    assert!(ATTRIBUTE.is_some());
}
