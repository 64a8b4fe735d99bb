//! Replacement of the bytes of one value.

use std::ops::Range;

use crate::yaml::YamlError;
use crate::yaml::scalar::{self, QuoteStyle};
use crate::yaml::tree::{NodeContent, NodeDecoration, YamlNode};

/// A replacement of a range of bytes in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// Range of bytes to replace.
    pub range: Range<usize>,
    /// Replacement text.
    pub text: String,
}

impl Splice {
    /// Inserts text at an offset.
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Self { range: at..at, text: text.into() }
    }
}

/// Applies splices to the text for which they were created.
///
/// # Errors
/// Fails when two splices overlap.
pub fn apply(source: &str, splices: &[Splice]) -> Result<String, YamlError> {
    let mut ordered: Vec<&Splice> = splices.iter().collect();
    ordered.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut text = String::with_capacity(source.len() + ordered.iter().map(|splice| splice.text.len()).sum::<usize>());
    let mut at = 0;
    for splice in ordered {
        let kept = source.get(at..splice.range.start).filter(|_| splice.range.end <= source.len());
        text.push_str(kept.ok_or_else(|| YamlError::new(0, "two changes touch the same place"))?);
        text.push_str(&splice.text);
        at = splice.range.end;
    }
    text.push_str(&source[at..]);
    Ok(text)
}

/// Replaces the value of a scalar. Its quotes are kept, or added if the new value requires them.
///
/// # Errors
/// Fails when the node is not a scalar on one line, is an alias, or has an anchor that aliases may refer to.
pub fn set_scalar(source: &str, node: &YamlNode, value: &str) -> Result<Splice, YamlError> {
    let quotes = check_editable(source, node)?;
    if node.span.is_empty() {
        // The parser locates an empty value at its colon.
        let colon = source[node.span.start..].starts_with(':');
        let at = node.span.start + usize::from(colon);
        return Ok(Splice::insert(at, format!(" {}", scalar::write(value, QuoteStyle::Plain))));
    }
    Ok(Splice { range: node.span.clone(), text: scalar::write(value, quotes) })
}

/// Checks that the bytes of a scalar are exactly its value and its quotes, and returns the quotes.
///
/// # Errors
/// Fails as [`set_scalar`] does.
pub fn check_editable(source: &str, node: &YamlNode) -> Result<QuoteStyle, YamlError> {
    let refused = |reason: &str| Err(YamlError::new(node.line, reason));
    let NodeContent::Scalar(value, style) = &node.content else {
        return match node.content {
            NodeContent::Alias(_) => refused("the value is an alias (*) of a value elsewhere in the file"),
            _ => refused("expected one value, found a list or mapping"),
        };
    };
    if matches!(node.decoration, NodeDecoration::Anchor(_)) {
        return refused("the value has an anchor (&) that other values of the file may refer to");
    }
    let Some(quotes) = QuoteStyle::from_scalar_style(*style) else {
        return refused("the value is a block scalar (| or >)");
    };
    let bytes = &source[node.span.clone()];
    let quoted = |quote: char| bytes.len() >= 2 && bytes.starts_with(quote) && bytes.ends_with(quote);
    let whole = match quotes {
        QuoteStyle::Plain => bytes == value || bytes.is_empty(),
        QuoteStyle::Single => quoted('\''),
        QuoteStyle::Double => quoted('"'),
    };
    if !whole || bytes.contains('\n') {
        return refused("the value spans several lines");
    }
    Ok(quotes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::tree::parse_one;

    fn set(source: &str, value: &str) -> Result<String, YamlError> {
        let root = parse_one(source)?;
        apply(source, &[set_scalar(source, root.get("a").unwrap(), value)?])
    }

    #[test]
    fn only_the_value_changes() {
        assert_eq!(set("\u{feff}a:   v1   # why\r\nb: 2", "v2").unwrap(), "\u{feff}a:   v2   # why\r\nb: 2");
        assert_eq!(set("a: 'v1' # why", "v2").unwrap(), "a: 'v2' # why");
        assert_eq!(set("{b: 1, \"a\": \"v1\" }", "v2").unwrap(), "{b: 1, \"a\": \"v2\" }");
        assert_eq!(set("a: v1", "1.10").unwrap(), "a: \"1.10\"");
        assert_eq!(set("a:  # none yet\nb: 1\n", "v1").unwrap(), "a: v1  # none yet\nb: 1\n");
        assert_eq!(set("a: ~\n", "v1").unwrap(), "a: v1\n");
        assert_eq!(set("a: !!str 1.10\n", "v1").unwrap(), "a: !!str v1\n");
    }

    #[test]
    fn a_value_with_an_anchor_or_several_lines_is_refused() {
        for source in
            ["a: &x v1\nb: *x\n", "b: &x v1\na: *x\n", "a: |\n  v1\n", "a: b\n  c\n", "a: [v1]\n", "a: \"b\n  c\"\n"]
        {
            assert!(set(source, "v2").is_err(), "{source}");
        }
    }

    #[test]
    fn overlapping_changes_are_refused() {
        let splice = |range, text: &str| Splice { range, text: text.into() };
        assert!(apply("abcdef", &[splice(1..4, "x"), splice(3..5, "y")]).is_err());
        assert_eq!(apply("abcdef", &[splice(4..5, "y"), splice(1..2, "x")]).unwrap(), "axcdyf");
    }
}
