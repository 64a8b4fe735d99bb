//! TOML as a tree with sorted keys, since the order of its tables is not significant.

use std::ops::Range;

use granit_parser::{ScalarStyle, StructureStyle};
use toml_edit::{Document, Item, Table, TableLike, Value};

use crate::yaml::YamlError;
use crate::yaml::tree::{NodeContent, NodeDecoration, YamlNode};

/// Parses a text.
///
/// # Errors
/// Fails when the text is not TOML.
pub(super) fn parse(text: &str) -> Result<YamlNode, YamlError> {
    let lines = TomlTreeBuilder::new(text);
    let document = Document::parse(text)
        .map_err(|error| YamlError::new(error.span().map_or(0, |span| lines.line(span.start)), error.message()))?;
    Ok(lines.table(document.as_table(), 0..text.len()))
}

struct TomlTreeBuilder<'a> {
    text: &'a str,
    newlines: Vec<usize>,
}

impl<'a> TomlTreeBuilder<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, newlines: text.match_indices('\n').map(|(at, _)| at).collect() }
    }

    fn line(&self, at: usize) -> usize {
        self.newlines.partition_point(|newline| *newline < at) + 1
    }

    fn node(&self, content: NodeContent, span: Range<usize>) -> YamlNode {
        let line = self.line(span.start);
        YamlNode { content, span, line, column: 0, decoration: NodeDecoration::None }
    }

    fn table(&self, table: &dyn TableLike, span: Range<usize>) -> YamlNode {
        let mut entries: Vec<(YamlNode, YamlNode)> = table
            .iter()
            .filter_map(|(key, item)| {
                let place = table.key(key).and_then(toml_edit::Key::span).unwrap_or(span.start..span.start);
                let name = self.node(NodeContent::Scalar(key.to_owned(), ScalarStyle::DoubleQuoted), place);
                Some((name, self.item(item)?))
            })
            .collect();
        entries.sort_by(|(left, _), (right, _)| left.text().cmp(&right.text()));
        self.node(NodeContent::Mapping(entries.into(), StructureStyle::Block), span)
    }

    fn item(&self, item: &Item) -> Option<YamlNode> {
        let span = item.span().unwrap_or(0..0);
        match item {
            Item::None => None,
            Item::Value(value) => Some(self.value(value)),
            Item::Table(table) => Some(self.table(table, span)),
            Item::ArrayOfTables(tables) => {
                let items = tables.iter().map(|table: &Table| self.table(table, table.span().unwrap_or(0..0)));
                Some(self.node(NodeContent::Sequence(items.collect(), StructureStyle::Block), span))
            }
        }
    }

    fn value(&self, value: &Value) -> YamlNode {
        let span = value.span().unwrap_or(0..0);
        match value {
            Value::Array(array) => {
                let items = array.iter().map(|value| self.value(value)).collect();
                self.node(NodeContent::Sequence(items, StructureStyle::Flow), span)
            }
            Value::InlineTable(table) => self.table(table, span),
            Value::String(text) => {
                let raw = &self.text[span.clone()];
                let style = match raw.as_bytes() {
                    // Multi-line strings are not edited.
                    [b'"', b'"', b'"', ..] | [b'\'', b'\'', b'\'', ..] => ScalarStyle::Literal,
                    [b'\'', ..] => ScalarStyle::SingleQuoted,
                    _ => ScalarStyle::DoubleQuoted,
                };
                self.node(NodeContent::Scalar(text.value().clone(), style), span)
            }
            _ => self.node(NodeContent::Scalar(self.text[span.clone()].to_owned(), ScalarStyle::Plain), span),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_byte_spans() {
        let text = "# c\nversion = \"v1\" # why\n[tool.b]\nrev = 'a1'\nlist = [1.5, { x = 2 }]\n[tool.a]\nx = true\n[[image]]\ntag = \"t\"\n";
        let root = parse(text).unwrap();
        assert_eq!(&text[root.get("version").unwrap().span.clone()], "\"v1\"");
        let tool = root.get("tool").unwrap();
        let keys: Vec<_> = tool.entries().iter().filter_map(|(key, _)| key.text()).collect();
        assert_eq!(keys, ["a", "b"]);
        let rev = tool.get("b").unwrap().get("rev").unwrap();
        assert_eq!((&text[rev.span.clone()], rev.line), ("'a1'", 4));
        assert_eq!(tool.get("b").unwrap().get("list").unwrap().items()[1].text_at("x"), Some("2"));
        assert_eq!(root.get("image").unwrap().items()[0].text_at("tag"), Some("t"));
        assert!(parse("a = ").is_err());
    }
}
