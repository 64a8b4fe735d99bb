//! Adds and removes elements and keys of a document, in the style of their neighbors.

use granit_parser::ScalarStyle;

use crate::yaml::YamlError;
use crate::yaml::scalar::{self, QuoteStyle};
use crate::yaml::splice::Splice;
use crate::yaml::tree::{NodeContent, YamlNode};

/// A key and a value.
pub type KeyValue<'a> = (&'a str, &'a str);

/// An element to add to a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewItem<'a> {
    /// Text.
    Text(&'a str),
    /// A mapping.
    Pairs(Vec<KeyValue<'a>>),
}

/// Appends elements to the list under `key` of the document's root. Creates the list if it is missing.
///
/// # Errors
/// Fails when the list is written in a form that cannot be extended safely.
pub fn append(source: &str, root: &YamlNode, key: &str, added: &[NewItem<'_>]) -> Result<Splice, YamlError> {
    let Some((key_node, list)) = root.entry(key) else {
        return add_list(source, root, key, added);
    };
    match &list.content {
        NodeContent::Sequence(items, _) if list.is_flow() => append_flow(source, root, list, items, added),
        NodeContent::Sequence(items, _) => append_block(source, items, added),
        NodeContent::Scalar(..) if list.is_null() && list.span.is_empty() && !root.is_flow() => Ok(Splice::insert(
            line_end(source, key_node.span.end),
            block_items(source, dash_column(source, root), added),
        )),
        NodeContent::Scalar(..) if list.is_null() => {
            Ok(Splice { range: list.span.clone(), text: format!("[{}]", flow_items(root.is_flow(), added)) })
        }
        _ => Err(YamlError::new(list.line, format!("{key} is not a list"))),
    }
}

/// Adds a key to a mapping, after another key of it.
///
/// # Errors
/// Fails when the mapping does not have the other key.
pub fn add_key(source: &str, mapping: &YamlNode, after: &str, (key, value): KeyValue<'_>) -> Result<Splice, YamlError> {
    let (_, neighbour) =
        mapping.entry(after).ok_or_else(|| YamlError::new(mapping.line, format!("the entry has no {after}")))?;
    if mapping.is_flow() {
        let style = FlowStyle::from_mapping(source, mapping);
        let text = format!("{}{}{}{}", style.between, style.key(key), style.colon, style.value(value));
        return Ok(Splice::insert(neighbour.span.end, text));
    }
    let quotes = last_value_quotes(mapping);
    let text = format!("{}{}{key}: {}", newline(source), " ".repeat(mapping.column), scalar::write(value, quotes));
    Ok(Splice::insert(line_end(source, neighbour.span.end), text))
}

/// Removes a key and its value from a mapping. A comment after it is kept on its own line.
///
/// # Errors
/// Fails when the mapping would become empty, or a comment is in between.
pub fn remove_key(source: &str, mapping: &YamlNode, key: &str) -> Result<Splice, YamlError> {
    let entries = mapping.entries();
    let index = entries.iter().position(|(name, _)| name.text() == Some(key));
    let Some(index) = index.filter(|_| entries.len() > 1) else {
        return Err(YamlError::new(mapping.line, format!("{key} cannot be removed from here")));
    };
    let (name, value) = &entries[index];
    let gap = |range: std::ops::Range<usize>| {
        if source[range.clone()].contains('#') {
            return Err(YamlError::new(name.line, format!("there is a comment between {key} and its neighbor")));
        }
        Ok(Splice { range, text: String::new() })
    };
    if index == 0 {
        return gap(name.span.start..entries[1].0.span.start);
    }
    if mapping.is_flow() {
        return gap(entries[index - 1].1.span.end..value.span.end);
    }
    let end = line_end(source, value.span.end);
    let comment = source[value.span.end..end].trim();
    if comment.is_empty() {
        // Removes from the end of the previous line, so that a missing final newline remains missing.
        let start = line_start(source, name.span.start);
        return Ok(Splice { range: line_end(source, start.saturating_sub(1))..end, text: String::new() });
    }
    Ok(Splice { range: name.span.start..end, text: comment.to_owned() })
}

/// Replaces a key and its value.
///
/// # Errors
/// Fails when the mapping does not have the key, or its value cannot be replaced.
pub fn rename_key(
    source: &str,
    mapping: &YamlNode,
    key: &str,
    (new, value): KeyValue<'_>,
) -> Result<[Splice; 2], YamlError> {
    let (name, old) =
        mapping.entry(key).ok_or_else(|| YamlError::new(mapping.line, format!("the entry has no {key}")))?;
    Ok([
        Splice { range: name.span.clone(), text: scalar::write(new, quotes_of(name)) },
        crate::yaml::splice::set_scalar(source, old, value)?,
    ])
}

/// Returns the line ending of a text.
pub fn newline(source: &str) -> &'static str {
    match source.find('\n') {
        Some(at) if source[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

fn line_start(source: &str, at: usize) -> usize {
    source[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Returns the end of the line that contains the byte before `at`, without its line ending.
fn line_end(source: &str, at: usize) -> usize {
    let at = if source[..at].ends_with('\n') { at - 1 } else { at };
    let end = source[at..].find('\n').map_or(source.len(), |newline| at + newline);
    if source[..end].ends_with('\r') { end - 1 } else { end }
}

fn quotes_of(node: &YamlNode) -> QuoteStyle {
    match &node.content {
        NodeContent::Scalar(_, style) => QuoteStyle::from_scalar_style(*style).unwrap_or(QuoteStyle::Plain),
        _ => QuoteStyle::Plain,
    }
}

/// Returns the quotes of the last text value of an entry.
fn last_value_quotes(mapping: &YamlNode) -> QuoteStyle {
    mapping
        .entries()
        .iter()
        .rev()
        .find(|(_, value)| value.text().is_some())
        .map_or(QuoteStyle::Plain, |(_, v)| quotes_of(v))
}

/// Writes list items in block style, from the line ending before them to the end of the last value.
fn block_items(source: &str, column: usize, added: &[NewItem<'_>]) -> String {
    let item = |item: &NewItem<'_>| {
        let written: Vec<String> = match item {
            NewItem::Text(text) => vec![scalar::write(text, QuoteStyle::Plain)],
            NewItem::Pairs(pairs) => {
                pairs.iter().map(|(key, value)| format!("{key}: {}", scalar::write(value, QuoteStyle::Plain))).collect()
            }
        };
        block_lines(source, column, 1, &written)
    };
    added.iter().map(item).collect()
}

fn block_lines(source: &str, column: usize, gap: usize, written: &[String]) -> String {
    let mut text = String::new();
    for (index, line) in written.iter().enumerate() {
        text.push_str(newline(source));
        text.push_str(&" ".repeat(column));
        text.push(if index == 0 { '-' } else { ' ' });
        text.push_str(&" ".repeat(gap));
        text.push_str(line);
    }
    text
}

/// Returns the column of an item's dash, and the width of the space after it.
fn dash_position(source: &str, item: &YamlNode) -> Option<(usize, usize)> {
    let before = &source[line_start(source, item.span.start)..item.span.start];
    let before = before.trim_start_matches('\u{feff}');
    let column = before.find('-')?;
    let rest = &before[column + 1..];
    let clean = before[..column].bytes().all(|byte| byte == b' ') && rest.bytes().all(|byte| byte == b' ');
    clean.then_some((column, rest.len()))
}

/// Returns the column of the dashes of the document's lists.
fn dash_column(source: &str, root: &YamlNode) -> usize {
    let lists = root.entries().iter().filter(|(_, value)| !value.is_flow());
    let column = lists.flat_map(|(_, value)| value.items().first()).find_map(|item| dash_position(source, item));
    column.map_or(root.column, |(column, _)| column)
}

fn append_block(source: &str, items: &[YamlNode], added: &[NewItem<'_>]) -> Result<Splice, YamlError> {
    let unknown =
        || YamlError::new(items.last().map_or(0, |item| item.line), "the notation of the list is not supported");
    let last = items.last().ok_or_else(unknown)?;
    let (column, gap) = dash_position(source, last).ok_or_else(unknown)?;
    let at = line_end(source, last.span.end);
    if last.is_flow() {
        let style = FlowStyle::from_mapping(source, last);
        let lines = added.iter().map(|item| block_lines(source, column, gap, &[style.item(item)]));
        return Ok(Splice::insert(at, lines.collect::<String>()));
    }
    // Each key is quoted as in the nearest entry. The lookup is cached, since there may be thousands of items.
    let mut known: Vec<(&str, QuoteStyle)> = Vec::new();
    let mut lines = String::new();
    for item in added {
        let pairs = match item {
            NewItem::Text(text) => {
                lines.push_str(&block_lines(source, column, gap, &[scalar::write(text, quotes_of(last))]));
                continue;
            }
            NewItem::Pairs(pairs) => pairs,
        };
        let mut written = Vec::new();
        for (key, value) in pairs {
            let quotes = match known.iter().find(|(name, _)| name == key) {
                Some((_, quotes)) => *quotes,
                None => {
                    let neighbour = items.iter().rev().find_map(|item| item.get(key));
                    let quotes = neighbour.map_or_else(|| last_value_quotes(last), quotes_of);
                    known.push((key, quotes));
                    quotes
                }
            };
            written.push(format!("{key}: {}", scalar::write(value, quotes)));
        }
        lines.push_str(&block_lines(source, column, gap, &written));
    }
    Ok(Splice::insert(at, lines))
}

fn append_flow(
    source: &str,
    root: &YamlNode,
    list: &YamlNode,
    items: &[YamlNode],
    added: &[NewItem<'_>],
) -> Result<Splice, YamlError> {
    let inside = list.span.start + 1..list.span.end - 1;
    let Some(last) = items.last() else {
        if !source[inside.clone()].trim().is_empty() {
            return Err(YamlError::new(list.line, "the empty list contains a comment"));
        }
        return Ok(Splice { range: inside, text: flow_items(root.is_flow(), added) });
    };
    let before = match items {
        [.., previous, _] => source[previous.span.end..last.span.start].to_owned(),
        _ => format!(",{}", &source[inside.start..last.span.start]),
    };
    let between = if before.contains('#') || before == "," { ", ".to_owned() } else { before };
    let style = FlowStyle::from_mapping(source, last);
    let written = added.iter().map(|item| format!("{between}{}", style.item(item)));
    Ok(Splice::insert(last.span.end, written.collect::<String>()))
}

fn add_list(source: &str, root: &YamlNode, key: &str, added: &[NewItem<'_>]) -> Result<Splice, YamlError> {
    let NodeContent::Mapping(entries, _) = &root.content else {
        return Err(YamlError::new(root.line, "the document is not a mapping"));
    };
    let Some((_, last)) = entries.last() else {
        return Err(YamlError::new(root.line, "the document is an empty mapping"));
    };
    if root.is_flow() {
        let style = FlowStyle::from_mapping(source, root);
        let items = flow_items(style.quotes == QuoteStyle::Double, added);
        let text = format!("{}{}{}[{items}]", style.between, style.key(key), style.colon);
        return Ok(Splice::insert(last.span.end, text));
    }
    let head = format!("{}{}{key}:", newline(source), " ".repeat(root.column));
    let items = block_items(source, dash_column(source, root), added);
    Ok(Splice::insert(line_end(source, root.span.end), head + &items))
}

/// Writes items in flow style if there are none to imitate.
fn flow_items(json: bool, added: &[NewItem<'_>]) -> String {
    let quotes = if json { QuoteStyle::Double } else { QuoteStyle::Plain };
    let style = FlowStyle { open: "{", between: ", ", colon: ": ", close: "}", quotes, value_quotes: quotes };
    added.iter().map(|item| style.item(item)).collect::<Vec<_>>().join(", ")
}

/// Style of a flow mapping: the text between its parts.
struct FlowStyle<'a> {
    open: &'a str,
    between: &'a str,
    colon: &'a str,
    close: &'a str,
    quotes: QuoteStyle,
    value_quotes: QuoteStyle,
}

impl<'a> FlowStyle<'a> {
    fn from_mapping(source: &'a str, mapping: &YamlNode) -> Self {
        let entries = mapping.entries();
        let part = |start: usize, end: usize, default: &'a str| {
            source.get(start..end).filter(|part| !part.is_empty() && !part.contains('#')).unwrap_or(default)
        };
        let (first, last) = (entries.first(), entries.last());
        let double = |node: &YamlNode| matches!(node.content, NodeContent::Scalar(_, ScalarStyle::DoubleQuoted));
        let opening = first.map_or("{", |(key, _)| part(mapping.span.start, key.span.start, "{"));
        let between = match entries {
            [(_, value), (key, _), ..] => part(value.span.end, key.span.start, ", "),
            // With a single key, the separator follows the style of the opening brace.
            _ if opening.contains('\n') => ",\n",
            _ => ", ",
        };
        Self {
            open: opening,
            between,
            colon: first.map_or(": ", |(key, value)| part(key.span.end, value.span.start, ": ")),
            close: last.map_or("}", |(_, value)| part(value.span.end, mapping.span.end, "}")),
            quotes: if first.is_some_and(|(key, _)| double(key)) { QuoteStyle::Double } else { QuoteStyle::Plain },
            value_quotes: match &mapping.content {
                NodeContent::Scalar(..) => quotes_of(mapping),
                _ => last_value_quotes(mapping),
            },
        }
    }

    fn key(&self, key: &str) -> String {
        scalar::write(key, self.quotes)
    }

    fn value(&self, value: &str) -> String {
        scalar::write(value, self.value_quotes)
    }

    fn item(&self, item: &NewItem<'_>) -> String {
        let pairs = match item {
            NewItem::Text(text) => return self.value(text),
            NewItem::Pairs(pairs) => pairs,
        };
        let written: Vec<String> =
            pairs.iter().map(|(key, value)| format!("{}{}{}", self.key(key), self.colon, self.value(value))).collect();
        format!("{}{}{}", self.open, written.join(self.between), self.close)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::splice::apply;
    use crate::yaml::tree::parse_one;

    fn appended(source: &str) -> String {
        let root = parse_one(source).unwrap();
        let splice = append(source, &root, "images", &[NewItem::Pairs(vec![("name", "x"), ("newTag", "v9")])]).unwrap();
        apply(source, &[splice]).unwrap()
    }

    #[test]
    fn an_entry_is_written_in_the_style_of_its_neighbors() {
        let cases = [
            (
                "images:\n- name: a\n  newTag: v1 # c\n# end\nresources: []\n",
                "images:\n- name: a\n  newTag: v1 # c\n- name: x\n  newTag: v9\n# end\nresources: []\n",
            ),
            (
                "images:\r\n  -   name: a\r\n      newTag: 'v1'",
                "images:\r\n  -   name: a\r\n      newTag: 'v1'\r\n  -   name: x\r\n      newTag: 'v9'",
            ),
            ("images:\n  - {name: a, newTag: v1}\n", "images:\n  - {name: a, newTag: v1}\n  - {name: x, newTag: v9}\n"),
            ("images: [{name: a, newTag: v1}]\n", "images: [{name: a, newTag: v1}, {name: x, newTag: v9}]\n"),
            ("images: []  # none\n", "images: [{name: x, newTag: v9}]  # none\n"),
            (
                "images:  # none\nresources:\n  - a\n",
                "images:  # none\n  - name: x\n    newTag: v9\nresources:\n  - a\n",
            ),
            ("images: null\n", "images: [{name: x, newTag: v9}]\n"),
            ("resources:\n  - a", "resources:\n  - a\nimages:\n  - name: x\n    newTag: v9"),
            (
                "{\"resources\": [\"a\"]}",
                "{\"resources\": [\"a\"], \"images\": [{\"name\": \"x\", \"newTag\": \"v9\"}]}",
            ),
            (
                "{\n  \"images\": [\n    {\n      \"name\": \"a\",\n      \"newTag\": \"v1\"\n    }\n  ]\n}\n",
                "{\n  \"images\": [\n    {\n      \"name\": \"a\",\n      \"newTag\": \"v1\"\n    },\n    {\n      \"name\": \"x\",\n      \"newTag\": \"v9\"\n    }\n  ]\n}\n",
            ),
            (
                "patches:\n- patch: |-\n    a\n\n# end\n",
                "patches:\n- patch: |-\n    a\n\nimages:\n- name: x\n  newTag: v9\n# end\n",
            ),
        ];
        for (before, after) in cases {
            assert_eq!(appended(before), after, "from {before}");
        }
    }

    #[test]
    fn texts_are_added_in_the_style_of_their_neighbors() {
        for (before, after) in [
            ("resources:\n- a.yaml # the first\n# end\n", "resources:\n- a.yaml # the first\n- x.yaml\n# end\n"),
            ("resources:\r\n  -  'a'", "resources:\r\n  -  'a'\r\n  -  'x.yaml'"),
            ("resources: [ a, b ]\n", "resources: [ a, b, x.yaml ]\n"),
            ("resources: [ 'a' ]\n", "resources: [ 'a', 'x.yaml' ]\n"),
            ("images: []\n", "images: []\nresources:\n- x.yaml\n"),
            ("resources: []\n", "resources: [x.yaml]\n"),
            ("resources:\nimages: []\n", "resources:\n- x.yaml\nimages: []\n"),
        ] {
            let root = parse_one(before).unwrap();
            let splice = append(before, &root, "resources", &[NewItem::Text("x.yaml")]).unwrap();
            assert_eq!(apply(before, &[splice]).unwrap(), after);
        }
    }

    #[test]
    fn keys_are_added_and_removed_without_changing_their_neighbors() {
        let edit = |source: &str, action: &dyn Fn(&YamlNode) -> Result<Splice, YamlError>| {
            let root = parse_one(source).unwrap();
            apply(source, &[action(&root.get("images").unwrap().items()[0]).unwrap()]).unwrap()
        };
        let remove = |source: &str| edit(source, &|entry| remove_key(source, entry, "digest"));
        let add = |source: &str| edit(source, &|entry| add_key(source, entry, "newTag", ("digest", "sha256:0a")));
        assert_eq!(remove("images:\n- name: a\n  newTag: v1\n  digest: d"), "images:\n- name: a\n  newTag: v1");
        assert_eq!(remove("images:\n- digest: d\n  name: a\n"), "images:\n- name: a\n");
        assert_eq!(remove("images:\n- name: a\n  digest: d # why\n"), "images:\n- name: a\n  # why\n");
        assert_eq!(remove("images: [{name: a, digest: d}]\n"), "images: [{name: a}]\n");
        assert_eq!(
            add("images:\r\n- newTag: v1 # c\r\n  name: a\r\n"),
            "images:\r\n- newTag: v1 # c\r\n  digest: sha256:0a\r\n  name: a\r\n"
        );
        assert_eq!(
            add("images: [{name: a, newTag: \"v1\"}]"),
            "images: [{name: a, newTag: \"v1\", digest: \"sha256:0a\"}]"
        );
    }
}
