//! Final check before a file is written: another parser reads the edited text.
//!
//! The edit is based on the positions of one parser (granit-parser). This check uses others (for YAML one based on
//! libyaml, as Go's parser is; for JSON serde_json) without positions, and requires that only the versions differ.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

use crate::slot::format::FileFormat;
use crate::slot::layer::TextLayer;
use crate::yaml::YamlError;
use crate::yaml::tree::{NodeContent, NodeDecoration, YamlNode};

/// Changed value with its new text.
#[derive(Debug, Clone)]
pub(crate) struct ChangedValue {
    pub(crate) document: usize,
    /// Routes to the value, as child indices from the document's root: its own, and those through aliases.
    pub(crate) routes: BTreeSet<Vec<usize>>,
    pub(crate) text: String,
}

/// Content of a document, in order; keys may be duplicate.
#[derive(Debug, Clone, PartialEq)]
enum DocumentValue {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Self>),
    Map(Vec<(Self, Self)>),
    Tagged(String, Box<Self>),
}

impl DocumentValue {
    /// Sorts keys, for formats in which their order is not significant.
    fn sort(&mut self) {
        match self {
            Self::List(items) => items.iter_mut().for_each(Self::sort),
            Self::Map(pairs) => {
                pairs.iter_mut().for_each(|(_, value)| value.sort());
                pairs.sort_by(|(left, _), (right, _)| left.text().cmp(&right.text()));
            }
            Self::Tagged(_, inner) => inner.sort(),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) => {}
        }
    }

    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the node at a route of child indices.
    fn at(&mut self, route: &[usize]) -> Option<&mut Self> {
        route.iter().try_fold(self, |meaning, position| meaning.child(*position))
    }

    fn child(&mut self, position: usize) -> Option<&mut Self> {
        match self {
            Self::List(items) => items.get_mut(position),
            Self::Map(pairs) => pairs.get_mut(position).map(|(_, value)| value),
            Self::Tagged(_, inner) => inner.child(position),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) => None,
        }
    }
}

/// Collection that gains or loses children, with its new content.
#[derive(Debug, Clone)]
pub(crate) enum ChangedCollection {
    /// A mapping: each key with its value, or `None` if it is removed.
    Keys { document: usize, route: Vec<usize>, keys: Vec<(&'static str, Option<String>)> },
    /// A list at the root of the only document, with these mappings appended; the list may be new.
    Items { list: String, added: Vec<Vec<(String, String)>> },
}

impl ChangedCollection {
    /// Applies the change to the content of the documents.
    fn intend(&self, documents: &mut [DocumentValue]) {
        let text = |text: &str| DocumentValue::Text(text.to_owned());
        match self {
            Self::Keys { document, route, keys } => {
                let mapping = documents.get_mut(*document).and_then(|root| root.at(route));
                let Some(DocumentValue::Map(pairs)) = mapping else { return };
                for (key, value) in keys {
                    let place = pairs.iter().position(|(name, _)| name.text() == Some(*key));
                    match (value, place) {
                        (Some(value), Some(place)) => pairs[place].1 = text(value),
                        (Some(value), None) => pairs.push((text(key), text(value))),
                        (None, Some(place)) => drop(pairs.remove(place)),
                        (None, None) => {}
                    }
                }
            }
            Self::Items { list, added } => {
                let Some(DocumentValue::Map(pairs)) = documents.first_mut() else { return };
                let items = added.iter().map(|pairs| {
                    DocumentValue::Map(pairs.iter().map(|(key, value)| (text(key), text(value))).collect())
                });
                match pairs.iter_mut().find(|(name, _)| name.text() == Some(list)) {
                    Some((_, DocumentValue::List(old))) => old.extend(items),
                    Some((_, other)) => *other = DocumentValue::List(items.collect()),
                    None => pairs.push((text(list), DocumentValue::List(items.collect()))),
                }
            }
        }
    }

    /// Sorts the keys of the mapping: the position of a new key is not significant.
    fn sort(&self, documents: &mut [DocumentValue]) {
        let Self::Keys { document, route, .. } = self else { return };
        if let Some(DocumentValue::Map(pairs)) = documents.get_mut(*document).and_then(|root| root.at(route)) {
            pairs.sort_by(|(left, _), (right, _)| left.text().cmp(&right.text()));
        }
    }
}

/// Verifies that the new text has the same content as the old one, except for the leaves and shapes.
///
/// # Errors
/// Fails when a text cannot be parsed, or anything else differs.
pub(crate) fn verify(
    format: FileFormat,
    before: &TextLayer,
    after: &str,
    leaves: &[ChangedValue],
    shapes: &[ChangedCollection],
) -> Result<(), YamlError> {
    let reading = before.reading;
    let (mut old, mut new) =
        (meanings(format, &reading.prepare(&before.text))?, meanings(format, &reading.prepare(after))?);
    let mut expected: BTreeMap<(usize, Vec<usize>), &str> = BTreeMap::new();
    for leaf in leaves {
        expected.extend(leaf.routes.iter().map(|route| ((leaf.document, route.clone()), leaf.text.as_str())));
    }
    for shape in shapes {
        shape.intend(&mut old);
        shape.sort(&mut old);
        shape.sort(&mut new);
    }
    let same_count = old.len() == new.len() && old.len() == before.documents.len();
    let mut check = ContentCheck { expected, met: 0 };
    let same = old
        .iter()
        .zip(&new)
        .enumerate()
        .all(|(document, (old, new))| check.same(old, new, &mut (document, Vec::new())));
    if same_count && same && check.met == check.expected.len() {
        return Ok(());
    }
    Err(YamlError::new(
        0,
        "the edit would have changed more than the version, so nothing is written; please report the file",
    ))
}

struct ContentCheck<'a> {
    expected: BTreeMap<(usize, Vec<usize>), &'a str>,
    met: usize,
}

impl ContentCheck<'_> {
    fn same(&mut self, old: &DocumentValue, new: &DocumentValue, at: &mut (usize, Vec<usize>)) -> bool {
        if let Some(text) = self.expected.get(&*at) {
            self.met += 1;
            return match (old, new) {
                (DocumentValue::Tagged(old, _), DocumentValue::Tagged(new, inner)) => {
                    old == new && **inner == DocumentValue::Text((*text).to_owned())
                }
                // A number remains a number.
                (DocumentValue::Number(_), DocumentValue::Number(new)) => new == text,
                // `001` is a text for this parser, and a number for Go's.
                (DocumentValue::Text(old), DocumentValue::Number(new))
                    if old.bytes().all(|byte| byte.is_ascii_digit()) =>
                {
                    new == text
                }
                (DocumentValue::Bool(_), DocumentValue::Bool(new)) => new.to_string() == **text,
                (_, new) => *new == DocumentValue::Text((*text).to_owned()),
            };
        }
        let mut child = |check: &mut Self, index: usize, old: &DocumentValue, new: &DocumentValue| {
            at.1.push(index);
            let same = check.same(old, new, at);
            at.1.pop();
            same
        };
        match (old, new) {
            (DocumentValue::List(old), DocumentValue::List(new)) => {
                old.len() == new.len() && (0..old.len()).all(|index| child(self, index, &old[index], &new[index]))
            }
            (DocumentValue::Map(old), DocumentValue::Map(new)) => {
                old.len() == new.len()
                    && (0..old.len())
                        .all(|index| old[index].0 == new[index].0 && child(self, index, &old[index].1, &new[index].1))
            }
            (DocumentValue::Tagged(tag, old), DocumentValue::Tagged(other, new)) => {
                tag == other && self.same(old, new, at)
            }
            _ => old == new,
        }
    }
}

/// Returns the routes to a value: its own, and those through all aliases of an anchor on it or on a parent.
pub(crate) fn routes(root: &YamlNode, route: &[usize]) -> BTreeSet<Vec<usize>> {
    const MOST: usize = 1000;
    let mut aliases: BTreeMap<usize, Vec<Vec<usize>>> = BTreeMap::new();
    let mut found = BTreeSet::from([route.to_vec()]);
    let mut anchors = anchors_on(root, route);
    if anchors.is_empty() {
        return found;
    }
    collect_aliases(root, &mut Vec::new(), &mut aliases);
    let mut rounds = 0;
    while let Some((anchor, rest)) = anchors.pop() {
        for place in aliases.get(&anchor).into_iter().flatten() {
            let way: Vec<usize> = place.iter().chain(&rest).copied().collect();
            if found.len() < MOST && found.insert(way) {
                // The collection that contains the alias may have an anchor itself.
                let around = anchors_on(root, place);
                anchors.extend(around.into_iter().map(|(anchor, to)| (anchor, [to, rest.clone()].concat())));
            }
        }
        rounds += 1;
        if rounds > MOST {
            break;
        }
    }
    found
}

/// Returns the anchors on a route, each with the remaining route.
fn anchors_on(root: &YamlNode, route: &[usize]) -> Vec<(usize, Vec<usize>)> {
    let mut found = Vec::new();
    let mut node = root;
    for index in 0..=route.len() {
        if let NodeDecoration::Anchor(anchor) = node.decoration {
            found.push((anchor, route[index..].to_vec()));
        }
        let Some(next) = route.get(index) else { break };
        node = match &node.content {
            NodeContent::Mapping(entries, _) if *next < entries.len() => &entries[*next].1,
            NodeContent::Sequence(items, _) if *next < items.len() => &items[*next],
            _ => break,
        };
    }
    found
}

fn collect_aliases(node: &YamlNode, at: &mut Vec<usize>, found: &mut BTreeMap<usize, Vec<Vec<usize>>>) {
    if let NodeContent::Alias(anchor) = node.content {
        found.entry(anchor).or_default().push(at.clone());
    }
    let children = node.items().iter().chain(node.entries().iter().map(|(_, value)| value));
    for (index, child) in children.enumerate() {
        at.push(index);
        collect_aliases(child, at, found);
        at.pop();
    }
}

fn meanings(format: FileFormat, text: &str) -> Result<Vec<DocumentValue>, YamlError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        FileFormat::Yaml => yaml_serde::Deserializer::from_str(text)
            .map(|document| {
                DocumentValue::deserialize(document).map_err(|error| {
                    let line = error.location().map_or(0, |place| place.line());
                    YamlError::new(line, format!("a second YAML parser reports: {error}"))
                })
            })
            .collect(),
        FileFormat::Json => serde_json::from_str(text)
            .map(|meaning| vec![meaning])
            .map_err(|error| YamlError::new(error.line(), format!("a second JSON parser reports: {error}"))),
        FileFormat::Toml => {
            let mut meaning: DocumentValue = toml::from_str(text)
                .map_err(|error| YamlError::new(0, format!("a second TOML parser reports: {error}")))?;
            meaning.sort();
            Ok(vec![meaning])
        }
        FileFormat::KeyValue => Ok(vec![lines(text)]),
    }
}

/// Parses the lines of a `KEY=VALUE` file as pairs; other lines except comments are kept as keys.
fn lines(text: &str) -> DocumentValue {
    let mut pairs = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';'])) {
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let value = value.trim();
        let quoted = ['"', '\''].into_iter().find_map(|quote| {
            let (inside, rest) = value.strip_prefix(quote)?.split_once(quote)?;
            (rest.trim().is_empty() || rest.trim().starts_with('#')).then_some(inside)
        });
        let comment = value.find(" #").or_else(|| value.find("\t#"));
        let value = quoted.unwrap_or_else(|| value[..comment.unwrap_or(value.len())].trim());
        pairs.push((DocumentValue::Text(key.to_owned()), DocumentValue::Text(value.to_owned())));
    }
    DocumentValue::Map(pairs)
}

impl<'de> Deserialize<'de> for DocumentValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MeaningVisitor)
    }
}

struct MeaningVisitor;

impl<'de> Visitor<'de> for MeaningVisitor {
    type Value = DocumentValue;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Null)
    }

    fn visit_none<E>(self) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<DocumentValue, D::Error> {
        DocumentValue::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Number(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Number(value.to_string()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Number(value.to_string()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Number(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Number(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<DocumentValue, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(DocumentValue::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<DocumentValue, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = access.next_entry()? {
            pairs.push(pair);
        }
        Ok(DocumentValue::Map(pairs))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<DocumentValue, A::Error> {
        let (tag, content) = access.variant::<String>()?;
        let inner = content.newtype_variant().map_err(|error| de::Error::custom(format!("{tag}: {error}")))?;
        Ok(DocumentValue::Tagged(tag, Box::new(inner)))
    }
}
