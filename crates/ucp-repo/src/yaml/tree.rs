//! YAML documents as trees of nodes with spans.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};

use crate::yaml::YamlError;
use crate::yaml::pairs::{KeyValuePairs, Keyed};

/// A node: a value and its location in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlNode {
    /// Kind and value of the node.
    pub content: NodeContent,
    /// Bytes of the value, without anchor, tag, or comment.
    pub span: Range<usize>,
    /// Line, counted from one.
    pub line: usize,
    /// Column in characters, counted from zero.
    pub column: usize,
    /// Anchor or tag, which restricts edits.
    pub decoration: NodeDecoration,
}

/// Anchor or tag of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeDecoration {
    /// Nothing.
    None,
    /// An anchor: aliases may refer to the value.
    Anchor(usize),
    /// An explicit tag such as `!!str`.
    Tag,
}

/// The kinds of nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeContent {
    /// Text and its quoting style.
    Scalar(String, ScalarStyle),
    /// A list.
    Sequence(Vec<YamlNode>, StructureStyle),
    /// Keys and values in document order; keys may be repeated.
    Mapping(KeyValuePairs<YamlNode>, StructureStyle),
    /// A `*name` that refers to the node with this anchor.
    Alias(usize),
}

impl Keyed for YamlNode {
    fn key(&self) -> Option<&str> {
        match &self.content {
            NodeContent::Scalar(text, _) => Some(text),
            _ => None,
        }
    }
}

impl YamlNode {
    /// Returns the text of a scalar; `None` for null.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            NodeContent::Scalar(text, _) if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// Returns the items of a list; empty for other nodes.
    pub fn items(&self) -> &[YamlNode] {
        match &self.content {
            NodeContent::Sequence(items, _) => items,
            _ => &[],
        }
    }

    /// Returns the keys and values of a mapping; empty for other nodes.
    pub fn entries(&self) -> &[(YamlNode, YamlNode)] {
        match &self.content {
            NodeContent::Mapping(entries, _) => entries,
            _ => &[],
        }
    }

    /// Returns the key and value with this name, the last one if it is repeated.
    pub fn entry(&self, key: &str) -> Option<&(YamlNode, YamlNode)> {
        let NodeContent::Mapping(entries, _) = &self.content else { return None };
        entries.positions(key).map(|position| &entries[position]).find(|(name, _)| !name.is_null())
    }

    /// Returns the value of a key, the last one if the key is repeated.
    pub fn get(&self, key: &str) -> Option<&YamlNode> {
        self.entry(key).map(|(_, value)| value)
    }

    /// Returns the text of the scalar at a key.
    pub fn text_at(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(YamlNode::text)
    }

    /// Returns true if the node is written as `{…}` or `[…]`.
    pub fn is_flow(&self) -> bool {
        matches!(
            self.content,
            NodeContent::Sequence(_, StructureStyle::Flow) | NodeContent::Mapping(_, StructureStyle::Flow)
        )
    }

    /// Returns true if the node is empty, `~`, or `null`.
    pub fn is_null(&self) -> bool {
        match &self.content {
            NodeContent::Scalar(text, ScalarStyle::Plain) => {
                self.span.is_empty() || matches!(text.as_str(), "~" | "null" | "Null" | "NULL")
            }
            _ => false,
        }
    }

    /// Returns the node and all nodes below it, parents first.
    pub fn walk(&self) -> Vec<&YamlNode> {
        let mut nodes = Vec::new();
        let mut open = vec![self];
        while let Some(node) = open.pop() {
            nodes.push(node);
            open.extend(node.items().iter().rev());
            open.extend(node.entries().iter().rev().flat_map(|(key, value)| [value, key]));
        }
        nodes
    }
}

/// Parses every document of a text.
///
/// # Errors
/// Fails when the text is not valid YAML.
pub fn parse(text: &str) -> Result<Vec<YamlNode>, YamlError> {
    build(text, AliasReading::Kept)
}

fn build(text: &str, aliases: AliasReading) -> Result<Vec<YamlNode>, YamlError> {
    let mut builder = TreeBuilder { aliases, ..TreeBuilder::default() };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| YamlError::new(error.marker().line(), error.info()))?;
        builder.take(event, span)?;
    }
    Ok(builder.documents)
}

/// Parses a text with exactly one document, such as a kustomization.
///
/// # Errors
/// Fails when the text is not valid YAML, is empty, or contains several documents.
pub fn parse_one(text: &str) -> Result<YamlNode, YamlError> {
    one_of(parse(text)?)
}

/// Like [`parse_one`], with the short texts that aliases refer to in their place. An edit must not replace an alias.
///
/// # Errors
/// Fails as [`parse_one`] does.
pub fn read_one(text: &str) -> Result<YamlNode, YamlError> {
    one_of(build(text, AliasReading::Replaced)?)
}

fn one_of(mut documents: Vec<YamlNode>) -> Result<YamlNode, YamlError> {
    match (documents.pop(), documents.len()) {
        (Some(root), 0) => Ok(root),
        (None, _) => Err(YamlError::new(0, "the file is empty")),
        (Some(second), _) => Err(YamlError::new(second.line, "the file contains more than one document")),
    }
}

/// Longest text in bytes that replaces an alias. Versions and names are shorter, and a file may refer to one text many
/// thousand times.
const LONGEST_ALIASED: usize = 256;

/// The reading of aliases that are values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum AliasReading {
    /// They stay.
    #[default]
    Kept,
    /// The text that they refer to replaces them.
    Replaced,
}

#[derive(Default)]
struct TreeBuilder {
    aliases: AliasReading,
    /// Short scalars with an anchor.
    anchors: HashMap<usize, (String, ScalarStyle)>,
    /// Open collections, each with a key that has no value yet.
    open: Vec<(YamlNode, Option<YamlNode>)>,
    documents: Vec<YamlNode>,
}

impl TreeBuilder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), YamlError> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                if anchor != 0 && text.len() <= LONGEST_ALIASED {
                    self.anchors.insert(anchor, (text.clone().into_owned(), style));
                }
                let content = NodeContent::Scalar(text.into_owned(), style);
                self.close(node(content, anchor, tag.is_some(), span)?);
            }
            Event::Alias(anchor) => {
                let known = self.anchors.get(&anchor).filter(|_| self.aliases == AliasReading::Replaced);
                let text = known.map(|(text, style)| NodeContent::Scalar(text.clone(), *style));
                self.close(node(text.unwrap_or(NodeContent::Alias(anchor)), 0, false, span)?);
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.open.push((node(NodeContent::Sequence(Vec::new(), style), anchor, tag.is_some(), span)?, None));
            }
            Event::MappingStart(style, anchor, tag) => {
                self.open.push((
                    node(NodeContent::Mapping(KeyValuePairs::default(), style), anchor, tag.is_some(), span)?,
                    None,
                ));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some((mut collection, _)) = self.open.pop() {
                    collection.span.end = end_of(&collection, range(span)?.end);
                    self.close(collection);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a finished node to its parent.
    fn close(&mut self, node: YamlNode) {
        let Some((parent, key)) = self.open.last_mut() else {
            self.documents.push(node);
            return;
        };
        match &mut parent.content {
            NodeContent::Sequence(items, _) => items.push(node),
            NodeContent::Mapping(entries, _) => match key.take() {
                None => *key = Some(resolved_key(node, &self.anchors)),
                Some(key) => entries.push((key, node)),
            },
            NodeContent::Scalar(..) | NodeContent::Alias(_) => {}
        }
    }
}

/// Returns a key with the text that it has: a key may be an alias (`*app : …`).
fn resolved_key(key: YamlNode, anchors: &HashMap<usize, (String, ScalarStyle)>) -> YamlNode {
    match key.content {
        NodeContent::Alias(anchor) if let Some((text, _)) = anchors.get(&anchor) => {
            YamlNode { content: NodeContent::Scalar(text.clone(), ScalarStyle::Plain), ..key }
        }
        _ => key,
    }
}

/// Returns the end of a block collection, which is that of its last child: the parser reports the start of the next
/// token.
fn end_of(collection: &YamlNode, reported: usize) -> usize {
    if collection.is_flow() {
        return reported;
    }
    let last = match &collection.content {
        NodeContent::Sequence(items, _) => items.last().map(|item| item.span.end),
        NodeContent::Mapping(entries, _) => entries.last().map(|(key, value)| value.span.end.max(key.span.end)),
        NodeContent::Scalar(..) | NodeContent::Alias(_) => None,
    };
    last.unwrap_or(reported)
}

fn range(span: Span) -> Result<Range<usize>, YamlError> {
    span.byte_range().ok_or_else(|| YamlError::new(span.start.line(), "the parser returned no position for a value"))
}

fn node(content: NodeContent, anchor: usize, tagged: bool, span: Span) -> Result<YamlNode, YamlError> {
    let decoration = match (anchor, tagged) {
        (0, false) => NodeDecoration::None,
        (0, true) => NodeDecoration::Tag,
        (anchor, _) => NodeDecoration::Anchor(anchor),
    };
    Ok(YamlNode { content, span: range(span)?, line: span.start.line(), column: span.start.col(), decoration })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_byte_span() {
        let text = "\u{feff}a: # none\nb: 'it''s' # c\nö:\n  - {c: \"d\"}\n  - e: |\n      f\n";
        let root = parse_one(text).unwrap();
        assert!(root.get("a").unwrap().is_null());
        let quoted = root.get("b").unwrap();
        assert_eq!((quoted.text(), &text[quoted.span.clone()], quoted.line), (Some("it's"), "'it''s'", 2));
        let list = root.get("ö").unwrap();
        assert_eq!(&text[list.items()[0].span.clone()], "{c: \"d\"}");
        assert_eq!(list.items()[1].text_at("e"), Some("f\n"));
    }

    #[test]
    fn an_alias_is_the_key_that_it_refers_to() {
        let root = parse_one("name: &app web\ncontrollers:\n  *app :\n    tag: v1\n  other: {}\n").unwrap();
        assert_eq!(root.get("controllers").unwrap().get("web").unwrap().text_at("tag"), Some("v1"));
    }

    #[test]
    fn aliases_are_read_as_short_texts_and_parsed_as_they_are() {
        let text = |length: usize| format!("a: &a {}\nb: [*a, *a]\n*a : c\n", "x".repeat(length));
        let short = read_one(&text(LONGEST_ALIASED)).unwrap();
        assert!(short.get("b").unwrap().items().iter().all(|item| item.text().is_some_and(|text| text.len() == 256)));
        assert!(matches!(parse_one(&text(3)).unwrap().get("b").unwrap().items()[0].content, NodeContent::Alias(_)));
        // A file of 1 MB can refer to a long text a hundred thousand times.
        let long = read_one(&text(LONGEST_ALIASED + 1)).unwrap();
        assert!(long.get("b").unwrap().items().iter().all(|item| item.text().is_none()));
        assert!(long.entries().iter().any(|(key, _)| matches!(key.content, NodeContent::Alias(_))));
    }

    #[test]
    fn the_last_of_duplicate_keys_is_used_as_in_kustomize() {
        assert_eq!(parse_one("a: 1\na: 2\n").unwrap().text_at("a"), Some("2"));
    }

    #[test]
    fn several_documents_and_none_are_refused() {
        assert_eq!(parse_one("a: 1\n---\nb: 2\n").unwrap_err().line, 3);
        assert!(parse_one("# nothing\n").is_err());
        assert!(parse_one("a: [").is_err());
    }

    /// Tests both lookups: by search and by index.
    #[test]
    fn a_key_is_the_last_of_its_name_in_mappings_of_any_size() {
        for more in [0, 40] {
            let filler: String = (0..more).map(|number| format!("filler{number}: {number}\n")).collect();
            let root =
                parse_one(&format!("b: 1\n{filler}a: 2\nb: 3\n[x]: 4\nnull: 5\n'null': 6\n~: 7\n8: 9\n")).unwrap();
            let at = |key: &str| root.text_at(key);
            assert_eq!((at("a"), at("b"), at("c"), at("8")), (Some("2"), Some("3"), None, Some("9")), "{more}");
            assert_eq!((at("null"), at("~"), at("")), (Some("6"), None, None), "{more}");
            let root = parse_one(&format!("'null': 6\nnull: 5\n{filler}")).unwrap();
            assert_eq!(root.text_at("null"), Some("6"), "{more}: a key that is null has no text");
            for number in 0..more {
                assert_eq!(root.text_at(&format!("filler{number}")), Some(number.to_string().as_str()));
            }
        }
    }
}
