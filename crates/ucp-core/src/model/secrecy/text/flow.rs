//! Documents in JSON or flow style anywhere in a text, also if they are cut off, checked by the policy for objects.

use std::ops::Range;

use serde_json::{Map, Value};

use super::object::replace_in_object_at;
use super::separator::name_before;
use super::surroundings::declares_secret;
use super::value::is_masked;

/// Limit of nesting in documents.
const DEEPEST: usize = 48;
/// Longest type between a name and its document: `Data:map[string]string{…}`.
const LONGEST_TYPE: usize = 64;
/// Markers around secrets in the value of a scalar: characters for private use.
const OPEN: char = '\u{e0a0}';
const CLOSE: char = '\u{e0a1}';

/// A value and its range in the text.
#[derive(Clone)]
pub(super) enum FlowNode {
    Scalar(Range<usize>, Value),
    List(Vec<FlowNode>),
    Map(Vec<(String, FlowNode)>),
}

/// Adds the secrets of every document in a text.
pub(super) fn find(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    // The total work is limited, since unclosed brackets would otherwise be parsed again and again.
    let mut left = text.len().saturating_mul(2) + 64;
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b'{', b'[', &text.as_bytes()[at..]) {
        let start = at + next;
        let mut reader = FlowReader { text, at: start, left };
        let node = reader.node(0);
        left = reader.left;
        match node {
            Some(node) => {
                at = reader.at.max(start + 1);
                find_in_document(text, &named(text, start, node), depth, found);
            }
            None => at = start + 1,
        }
        if left == 0 || at >= text.len() {
            break;
        }
    }
}

/// Returns the range of the document that begins at an offset.
pub(super) fn document_range(text: &str, start: usize) -> Option<Range<usize>> {
    let mut reader = FlowReader { text, at: start, left: text.len() };
    text[start..].starts_with(['{', '[']).then(|| reader.node(0)).flatten()?;
    Some(start..reader.at)
}

/// Returns a document as the field that it is the value of, if a name is before it: `password: {value: …}`.
fn named(text: &str, start: usize, node: FlowNode) -> FlowNode {
    let FlowNode::Map(_) = node else { return node };
    let near = &text[text.ceil_char_boundary(start.saturating_sub(LONGEST_TYPE))..start];
    let is_type = |c: char| c.is_ascii_alphanumeric() || "_.*[]&".contains(c);
    let before = near.strip_suffix("interface {}").unwrap_or(near).trim_end_matches(' ');
    let before = before.trim_end_matches(is_type).trim_end_matches(' ');
    let separator = start - near.len() + before.trim_end_matches(['=', ':', '>']).len();
    let name = name_before(text, separator).filter(|_| before.ends_with([':', '=', '>']));
    match name.map(|name| &text[name]) {
        Some(name) if name.eq_ignore_ascii_case("data") && declares_secret(text) => {
            FlowNode::Map(vec![("stringData".to_owned(), node)])
        }
        Some(name) => FlowNode::Map(vec![(name.to_owned(), node)]),
        None => node,
    }
}

/// Returns the map at the end of a text that is cut off. The kind of a Secret comes after its data.
fn cut_map(mut fields: Vec<(String, FlowNode)>) -> Option<FlowNode> {
    let has = |name: &str| fields.iter().any(|(field, _)| field == name);
    let is_core = |(name, node): &(String, FlowNode)| {
        name == "apiVersion" && matches!(node, FlowNode::Scalar(_, version) if version == "v1")
    };
    if has("data") && !has("kind") && fields.iter().any(is_core) {
        fields.push(("kind".to_owned(), FlowNode::Scalar(0..0, "Secret".into())));
    }
    (!fields.is_empty()).then_some(FlowNode::Map(fields))
}

/// Adds the secrets of one document by the policy for objects.
pub(super) fn find_in_document(text: &str, node: &FlowNode, depth: usize, found: &mut Vec<Range<usize>>) {
    let mut value = node.value();
    replace_in_object_at(&mut value, depth + 1, &mut |secret| format!("{OPEN}{secret}{CLOSE}"));
    collect_changes(text, node, &value, found);
}

fn collect_changes(text: &str, node: &FlowNode, after: &Value, found: &mut Vec<Range<usize>>) {
    match (node, after) {
        (FlowNode::Scalar(range, before), after) if before != after => {
            let raw = &text[range.clone()];
            let marked = after.as_str().unwrap_or_default();
            let parts: Vec<&str> =
                marked.split(OPEN).skip(1).filter_map(|part| part.split_once(CLOSE)).map(|(part, _)| part).collect();
            let is_whole = parts.is_empty() || parts.iter().any(|part| part.is_empty() || !raw.contains(part));
            if is_whole {
                if !is_masked(raw) {
                    found.push(range.clone());
                }
                return;
            }
            for part in parts {
                found.extend(raw.match_indices(part).map(|(at, _)| range.start + at..range.start + at + part.len()));
            }
        }
        (FlowNode::List(items), Value::Array(values)) => {
            items.iter().zip(values).for_each(|(item, value)| collect_changes(text, item, value, found));
        }
        (FlowNode::Map(fields), Value::Object(values)) => {
            for (name, node) in fields {
                if let Some(value) = values.get(name) {
                    collect_changes(text, node, value, found);
                }
            }
        }
        _ => {}
    }
}

impl FlowNode {
    fn value(&self) -> Value {
        match self {
            Self::Scalar(_, value) => value.clone(),
            Self::List(items) => Value::Array(items.iter().map(Self::value).collect()),
            Self::Map(fields) => {
                let mut map = Map::new();
                for (name, node) in fields {
                    map.entry(name.clone()).or_insert_with(|| node.value());
                }
                Value::Object(map)
            }
        }
    }
}

struct FlowReader<'a> {
    text: &'a str,
    at: usize,
    /// Number of bytes that may still be read.
    left: usize,
}

impl FlowReader<'_> {
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.step(1)?;
        }
        bytes.get(self.at).copied()
    }

    /// Returns true at the end of a text that is cut off, unlike at the limit of work.
    fn is_cut(&mut self) -> bool {
        self.peek().is_none() && self.at >= self.text.len()
    }

    fn step(&mut self, bytes: usize) -> Option<()> {
        self.left = self.left.checked_sub(bytes).or_else(|| {
            self.left = 0;
            None
        })?;
        self.at += bytes;
        Some(())
    }

    fn node(&mut self, depth: usize) -> Option<FlowNode> {
        if depth > DEEPEST {
            return None;
        }
        match self.peek()? {
            b'{' => self.map(depth),
            b'[' => self.list(depth),
            _ => self.scalar(false).map(|(range, value)| FlowNode::Scalar(range, value)),
        }
    }

    fn map(&mut self, depth: usize) -> Option<FlowNode> {
        self.step(1)?;
        let mut fields = Vec::new();
        loop {
            if self.is_cut() {
                return cut_map(fields);
            }
            match self.peek()? {
                b'}' => {
                    self.step(1)?;
                    return (!fields.is_empty()).then_some(FlowNode::Map(fields));
                }
                b',' => self.step(1)?,
                _ => {
                    let (_, key) = self.scalar(true)?;
                    if self.is_cut() {
                        continue;
                    }
                    matches!(self.peek()?, b':' | b'=').then_some(())?;
                    self.step(1 + usize::from(self.text[self.at..].starts_with("=>")))?;
                    if self.is_cut() {
                        continue;
                    }
                    let node = self.node(depth + 1)?;
                    fields.push((key.as_str().map_or_else(|| key.to_string(), str::to_owned), node));
                }
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<FlowNode> {
        self.step(1)?;
        let mut items = Vec::new();
        loop {
            if self.is_cut() {
                return (!items.is_empty()).then_some(FlowNode::List(items));
            }
            match self.peek()? {
                b']' => {
                    self.step(1)?;
                    return Some(FlowNode::List(items));
                }
                b',' => self.step(1)?,
                _ => items.push(self.node(depth + 1)?),
            }
        }
    }

    fn scalar(&mut self, is_key: bool) -> Option<(Range<usize>, Value)> {
        if self.peek().is_some_and(|mark| matches!(mark, b'u' | b'b'))
            && self.text[self.at + 1..].starts_with(['"', '\''])
        {
            self.step(1)?;
        }
        let quote = self.peek()?;
        let rest = &self.text[self.at..];
        if matches!(quote, b'"' | b'\'') {
            let mut escaped = false;
            let inner = rest.get(1..)?;
            let end = inner.bytes().position(|byte| {
                let ends = byte == quote && !escaped;
                escaped = byte == b'\\' && !escaped;
                ends
            });
            let range = self.at + 1..self.at + 1 + end.unwrap_or(inner.len());
            self.step(end.map_or(rest.len(), |end| end + 2))?;
            let raw = self.text.get(range.clone())?;
            let value = serde_json::from_str::<String>(&format!("\"{raw}\"")).unwrap_or_else(|_| raw.to_owned());
            return Some((range, Value::String(value)));
        }
        let ends = |byte: u8| {
            matches!(byte, b',' | b'}' | b']' | b'\n' | b'{' | b'[' | b'"') || is_key && matches!(byte, b':' | b'=')
        };
        let length = rest.bytes().position(ends).unwrap_or(rest.len());
        let raw = rest[..length].trim_end();
        (!raw.is_empty()).then_some(())?;
        let range = self.at..self.at + raw.len();
        self.step(length)?;
        let value = match serde_json::from_str::<Value>(raw) {
            Ok(value @ (Value::Number(_) | Value::Bool(_) | Value::Null)) => value,
            _ => Value::String(raw.to_owned()),
        };
        Some((range, value))
    }
}
