//! Identifies the scalars of a tree that contain secrets, by the same policy as for objects.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use ucp_core::model::secrecy::replace_secrets;
use ucp_repo::yaml::tree::{NodeContent, NodeDecoration, YamlNode};

/// Delimiters of a secret in the value of a scalar: private-use characters that do not occur in texts.
const OPEN: char = '\u{e0a0}';
const CLOSE: char = '\u{e0a1}';

/// The maximum number of nodes; only aliases produce more.
const MOST: usize = 1_000_000;
const DEEPEST: usize = 100;
/// The maximum number of occurrences of one key that are examined.
const MOST_OF_ONE_KEY: usize = 8;

/// The secrets in one scalar.
pub(super) struct ScalarSecrets {
    /// True if the whole scalar is secret, or the secret part cannot be determined.
    pub is_whole: bool,
    pub parts: Vec<String>,
}

/// Returns the scalars with secrets, by their start position; `None` if the tree is too large. For a duplicate key,
/// each of its values is examined.
pub(super) fn find_secrets(documents: &[YamlNode]) -> Option<BTreeMap<usize, Vec<ScalarSecrets>>> {
    let nodes = || documents.iter().flat_map(YamlNode::walk);
    let anchors: HashMap<usize, &YamlNode> = nodes()
        .filter_map(|node| match node.decoration {
            NodeDecoration::Anchor(anchor) => Some((anchor, node)),
            _ => None,
        })
        .collect();
    let most = nodes().map(most_of_one_key).max().unwrap_or_default().clamp(1, MOST_OF_ONE_KEY);
    let mut found: BTreeMap<usize, Vec<ScalarSecrets>> = BTreeMap::new();
    for turn in 0..most {
        let mut shadow = ShadowTree { anchors: &anchors, turn, left: MOST };
        for document in documents {
            let mut value = shadow.read_node(document, 0)?;
            replace_secrets(&mut value, |secret| format!("{OPEN}{secret}{CLOSE}"));
            shadow.compare(document, &value, &mut found);
        }
    }
    Some(found)
}

fn most_of_one_key(node: &YamlNode) -> usize {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for key in node.entries().iter().filter_map(|(key, _)| key.text()) {
        *counts.entry(key).or_default() += 1;
    }
    counts.into_values().max().unwrap_or_default()
}

struct ShadowTree<'a> {
    anchors: &'a HashMap<usize, &'a YamlNode>,
    /// The index of the value to use for a duplicate key.
    turn: usize,
    /// The remaining number of nodes.
    left: usize,
}

impl<'a> ShadowTree<'a> {
    /// Returns the keys of a mapping, each with one value; a key that is not a text gets a name with its position.
    fn fields(&self, node: &'a YamlNode) -> Vec<(String, &'a YamlNode)> {
        let mut fields: Vec<(String, &YamlNode)> = Vec::new();
        let mut places: HashMap<String, (usize, usize)> = HashMap::new();
        for (key, value) in node.entries() {
            let name = key.text().map_or_else(|| format!("{OPEN}{}", key.span.start), str::to_owned);
            match places.get_mut(&name) {
                None => {
                    places.insert(name.clone(), (fields.len(), 0));
                    fields.push((name, value));
                }
                Some((place, turn)) if *turn < self.turn => {
                    *turn += 1;
                    fields[*place].1 = value;
                }
                Some(_) => {}
            }
        }
        fields
    }

    fn read_node(&mut self, node: &'a YamlNode, depth: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        if depth > DEEPEST {
            return None;
        }
        Some(match &node.content {
            NodeContent::Scalar(..) => scalar(node),
            NodeContent::Alias(anchor) => {
                self.anchors.get(anchor).map_or(Some(Value::Null), |node| self.read_node(node, depth + 1))?
            }
            NodeContent::Sequence(items, _) => {
                Value::Array(items.iter().map(|item| self.read_node(item, depth + 1)).collect::<Option<_>>()?)
            }
            NodeContent::Mapping(..) => {
                let fields = self.fields(node).into_iter();
                Value::Object(
                    fields
                        .map(|(name, value)| Some((name, self.read_node(value, depth + 1)?)))
                        .collect::<Option<_>>()?,
                )
            }
        })
    }

    fn compare(&self, node: &'a YamlNode, value: &Value, found: &mut BTreeMap<usize, Vec<ScalarSecrets>>) {
        match (&node.content, value) {
            (NodeContent::Scalar(..), after) if *after != scalar(node) => {
                found.entry(node.span.start).or_default().push(ScalarSecrets::from_marked_value(after));
            }
            (NodeContent::Alias(anchor), after) => {
                if let Some(node) = self.anchors.get(anchor) {
                    self.compare(node, after, found);
                }
            }
            (NodeContent::Sequence(items, _), Value::Array(values)) => {
                items.iter().zip(values).for_each(|(item, value)| self.compare(item, value, found));
            }
            (NodeContent::Mapping(..), Value::Object(values)) => {
                for (name, node) in self.fields(node) {
                    if let Some(value) = values.get(&name) {
                        self.compare(node, value, found);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns the value of a scalar for the policy. Numbers are texts, because they may be passwords.
fn scalar(node: &YamlNode) -> Value {
    match node.text() {
        None => Value::Null,
        Some("true") => Value::Bool(true),
        Some("false") => Value::Bool(false),
        Some(text) => Value::from(text),
    }
}

impl ScalarSecrets {
    fn from_marked_value(value: &Value) -> Self {
        let text = value.as_str().unwrap_or_default();
        let pieces = text.split(OPEN).skip(1).filter_map(|piece| piece.split_once(CLOSE));
        let parts: Vec<String> = pieces.map(|(part, _)| part.to_owned()).filter(|part| !part.is_empty()).collect();
        let is_whole = match parts.as_slice() {
            [] => true,
            [part] => text.len() == part.len() + OPEN.len_utf8() + CLOSE.len_utf8(),
            _ => false,
        };
        Self { is_whole, parts }
    }
}
