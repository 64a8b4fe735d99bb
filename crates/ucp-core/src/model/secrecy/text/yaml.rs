//! Texts that are YAML, also after templates and lines of another form are left out, as trees of values with their places.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::Value;

use super::flow::{FlowNode, find_in_document};

/// Most lines of another form.
const MOST_REPAIRS: usize = 12;
/// Most bytes that are parsed in total, besides the text once.
const MOST_WORK: usize = 256 * 1024;
/// Limit of nesting.
const DEEPEST: usize = 48;
/// Most nodes that aliases may add, besides one for every eight bytes.
const MOST_ADDED: usize = 10_000;
/// Longest scalar that may be a name or a flag.
const LONGEST_WORD: usize = 64;
/// A value that is no name: its text is searched elsewhere. No YAML has this character.
const TEXT: &str = "q \u{1a}";

/// What was read.
pub(super) struct YamlReading {
    documents: Vec<FlowNode>,
    /// The block scalars, which may be documents themselves.
    pub(super) blocks: Vec<Range<usize>>,
    /// True if the whole text was read, and it has keys.
    pub(super) is_whole: bool,
}

impl YamlReading {
    /// Returns the values at secret places, by the policy for objects.
    pub(super) fn find(&self, text: &str, depth: usize) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for document in &self.documents {
            find_in_document(text, document, depth, &mut found);
        }
        found
    }
}

/// Reads a text. Returns `None` if it is not YAML.
pub(super) fn read(text: &str) -> Option<YamlReading> {
    let mut readable = without_templates(text);
    let mut work = MOST_WORK;
    let mut last = None;
    for repairs in 0..=MOST_REPAIRS {
        let line = match parse(&readable) {
            Ok(builder) => {
                let is_map = |node: &FlowNode| !matches!(node, FlowNode::Scalar(..));
                let documents: Vec<_> = builder.documents.into_iter().filter(is_map).collect();
                let is_whole = repairs == 0 && !documents.is_empty();
                return Some(YamlReading { documents, blocks: builder.blocks, is_whole });
            }
            Err(line) => line?,
        };
        work = work.checked_sub(text.len())?;
        // The error may be in the line before that at which the parser noticed it.
        let line = if last.is_some_and(|last| line >= last && line - last <= 1) { last? - 1 } else { line };
        last = Some(line);
        readable = Cow::Owned(without_line(&readable, line)?);
    }
    None
}

/// Returns the text with a line of spaces, counted from one, in place of one. Returns `None` if it is empty already.
fn without_line(text: &str, number: usize) -> Option<String> {
    let line = text.split_inclusive('\n').nth(number.checked_sub(1)?)?;
    let start: usize = text.split_inclusive('\n').take(number - 1).map(str::len).sum();
    let body = line.trim_end();
    (!body.trim().is_empty()).then(|| [&text[..start], &" ".repeat(body.len()), &text[start + body.len()..]].concat())
}

/// Returns a text with words in place of its templates, and without the lines that consist of one. No place changes.
fn without_templates(text: &str) -> Cow<'_, str> {
    if memchr::memmem::find(text.as_bytes(), b"{{").is_none() {
        return Cow::Borrowed(text);
    }
    let mut readable = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let body = line.trim();
        if body.starts_with("{{") && body.ends_with("}}") {
            let end = line.trim_end().len();
            readable.push_str(&" ".repeat(end));
            readable.push_str(&line[end..]);
            continue;
        }
        let mut rest = line;
        while let Some((before, template)) = rest.split_once("{{")
            && let Some((inner, behind)) = template.split_once("}}")
        {
            readable.push_str(before);
            readable.push_str(&"x".repeat(inner.len() + 4));
            rest = behind;
        }
        readable.push_str(rest);
    }
    Cow::Owned(readable)
}

/// Parses a text. On errors, returns the number of the line if it is known and another attempt is useful.
fn parse(text: &str) -> Result<TreeBuilder<'_>, Option<usize>> {
    let mut builder = TreeBuilder::new(text);
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Some(error.marker().line()))?;
        builder.take(event, span).ok_or(None)?;
    }
    Ok(builder)
}

/// A collection that is not closed yet.
struct OpenNode {
    node: FlowNode,
    key: Option<String>,
    anchor: usize,
}

struct TreeBuilder<'a> {
    text: &'a str,
    has_aliases: bool,
    anchors: HashMap<usize, FlowNode>,
    open: Vec<OpenNode>,
    documents: Vec<FlowNode>,
    blocks: Vec<Range<usize>>,
    /// Nodes that may still be copied for aliases.
    left: usize,
}

impl<'a> TreeBuilder<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            has_aliases: memchr::memchr(b'*', text.as_bytes()).is_some(),
            anchors: HashMap::new(),
            open: Vec::new(),
            documents: Vec::new(),
            blocks: Vec::new(),
            left: MOST_ADDED + text.len() / 8,
        }
    }

    /// Adds an event. Returns `None` at a limit.
    fn take(&mut self, event: Event<'_>, span: Span) -> Option<()> {
        match event {
            Event::Scalar(value, style, anchor, _) => {
                let node = self.scalar(&value, style, span.byte_range()?);
                self.close(node, anchor)
            }
            Event::Alias(anchor) => {
                let node = self.copy(anchor)?;
                self.close(node, 0)
            }
            Event::SequenceStart(_, anchor, _) => self.open(FlowNode::List(Vec::new()), anchor),
            Event::MappingStart(_, anchor, _) => self.open(FlowNode::Map(Vec::new()), anchor),
            Event::SequenceEnd | Event::MappingEnd => {
                let OpenNode { node, anchor, .. } = self.open.pop()?;
                self.close(node, anchor)
            }
            _ => Some(()),
        }
    }

    fn open(&mut self, node: FlowNode, anchor: usize) -> Option<()> {
        self.open.push(OpenNode { node, key: None, anchor });
        (self.open.len() <= DEEPEST).then_some(())
    }

    /// Adds a finished node to its parent.
    fn close(&mut self, node: FlowNode, anchor: usize) -> Option<()> {
        if anchor != 0 && self.has_aliases {
            self.left = self.left.checked_sub(size_of_node(&node))?;
            self.anchors.insert(anchor, node.clone());
        }
        let Some(parent) = self.open.last_mut() else {
            self.documents.push(node);
            return Some(());
        };
        match &mut parent.node {
            FlowNode::List(items) => items.push(node),
            FlowNode::Map(fields) => match parent.key.take() {
                None => parent.key = Some(key_of(node)),
                Some(key) => fields.push((key, node)),
            },
            FlowNode::Scalar(..) => {}
        }
        Some(())
    }

    fn copy(&mut self, anchor: usize) -> Option<FlowNode> {
        // An alias within its own anchor has no value yet.
        let Some(node) = self.anchors.get(&anchor) else { return Some(FlowNode::Scalar(0..0, Value::Null)) };
        self.left = self.left.checked_sub(size_of_node(node))?;
        Some(node.clone())
    }

    fn scalar(&mut self, value: &str, style: ScalarStyle, span: Range<usize>) -> FlowNode {
        let raw = &self.text[span.clone()];
        if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            // Without the indicator, and whatever is behind it.
            let header = if raw.starts_with(['|', '>']) { raw.find('\n').map_or(raw.len(), |end| end + 1) } else { 0 };
            let range = span.start + header..span.end;
            self.blocks.push(range.clone());
            return FlowNode::Scalar(range, if value.is_empty() { Value::Null } else { TEXT.into() });
        }
        let quotes = usize::from(raw.len() > 1 && style != ScalarStyle::Plain);
        let range = span.start + quotes..span.end - quotes;
        let plain = || match serde_json::from_str::<Value>(value) {
            Ok(known @ (Value::Number(_) | Value::Bool(_) | Value::Null)) => Some(known),
            _ => matches!(value, "" | "~").then_some(Value::Null),
        };
        let is_word = value.len() <= LONGEST_WORD
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte));
        let value = match style {
            ScalarStyle::Plain => plain(),
            _ => None,
        }
        .unwrap_or_else(|| if is_word { value.into() } else { TEXT.into() });
        FlowNode::Scalar(range, value)
    }
}

/// Returns the text of a key. Words with spaces are those of a sentence.
fn key_of(node: FlowNode) -> String {
    match node {
        FlowNode::Scalar(_, Value::String(text)) if text != TEXT => text,
        _ => String::new(),
    }
}

fn size_of_node(node: &FlowNode) -> usize {
    match node {
        FlowNode::Scalar(..) => 1,
        FlowNode::List(items) => 1 + items.iter().map(size_of_node).sum::<usize>(),
        FlowNode::Map(fields) => 1 + fields.iter().map(|(_, node)| size_of_node(node)).sum::<usize>(),
    }
}
