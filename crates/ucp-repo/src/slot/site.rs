//! Scalar with its context, as input for the kinds of slots.

use crate::slot::layer::{self, ScalarLocation, TextLayer, scalar_text};
use crate::slot::marker::Marker;
use crate::slot::path::{PathStep, ValuePath};
use crate::slot::version;
use crate::yaml::tree::{NodeContent, YamlNode};

/// Value with its context.
#[derive(Debug)]
pub struct ScalarContext<'s, 'a> {
    file: &'a str,
    layers: &'a [TextLayer],
    pub(crate) layer: usize,
    pub(crate) document: usize,
    /// The innermost object that contains the value, such as a resource of a list; else the root of the document.
    pub root: &'a YamlNode,
    /// Number of frames around that object.
    depth: usize,
    /// Collections that contain the value, outermost first.
    pub frames: &'s [Frame<'a>],
    /// Node of the value.
    pub scalar: &'a YamlNode,
}

/// Identity of the object in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectIdentity {
    /// `apiVersion`.
    pub api_version: String,
    /// `kind`.
    pub kind: String,
    /// `metadata.namespace`.
    pub namespace: Option<String>,
    /// `metadata.name`; empty if absent.
    pub name: String,
}

/// Collection on the path of a value, with the next child.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Node of the collection.
    pub node: &'a YamlNode,
    /// Key or index of the child.
    pub child: ChildKey<'a>,
    /// Index among the children.
    pub position: usize,
}

/// Kind of access to a child of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildKey<'a> {
    /// Key of a mapping.
    Key(&'a str),
    /// Position in a list.
    Index,
}

/// Calls `act` for every scalar value of a layer of the file.
pub(crate) fn walk<'a>(
    file: &'a str,
    layers: &'a [TextLayer],
    layer: usize,
    act: &mut impl FnMut(&ScalarContext<'_, 'a>),
) {
    for (document, root) in layers[layer].documents.iter().enumerate() {
        descend(root, (root, 0), &mut Vec::new(), &mut |(root, depth), frames, scalar| {
            act(&ScalarContext { file, layers, layer, document, root, depth, frames, scalar });
        });
    }
}

/// Returns the innermost object on a path in a document; the document itself if there is none. Embedded texts are part of
/// the object that contains them.
pub(crate) fn innermost_object<'a>(root: &'a YamlNode, path: &ValuePath) -> &'a YamlNode {
    let (mut node, mut object) = (root, root);
    for step in &path.steps {
        let next = match step {
            PathStep::Key(key) => node.get(key),
            PathStep::Index(index) => node.items().get(*index),
            PathStep::Embedded(_) => None,
        };
        let Some(next) = next else { break };
        node = next;
        if is_object(node) {
            object = node;
        }
    }
    object
}

/// Returns true for a mapping that is an object: with its kind, and more than a reference to one has.
fn is_object(node: &YamlNode) -> bool {
    node.text_at("apiVersion").is_some()
        && node.text_at("kind").is_some()
        && ["metadata", "spec"].iter().any(|key| node.get(key).is_some_and(|value| !value.entries().is_empty()))
}

/// An object, and the number of frames around it.
type ObjectAtDepth<'a> = (&'a YamlNode, usize);

fn descend<'a>(
    node: &'a YamlNode,
    object: ObjectAtDepth<'a>,
    frames: &mut Vec<Frame<'a>>,
    act: &mut impl FnMut(ObjectAtDepth<'a>, &[Frame<'a>], &'a YamlNode),
) {
    let object = if is_object(node) { (node, frames.len()) } else { object };
    match &node.content {
        NodeContent::Scalar(..) => act(object, frames, node),
        NodeContent::Alias(_) => {}
        NodeContent::Sequence(items, _) => {
            for (position, item) in items.iter().enumerate() {
                frames.push(Frame { node, child: ChildKey::Index, position });
                descend(item, object, frames, act);
                frames.pop();
            }
        }
        NodeContent::Mapping(entries, _) => {
            for (position, (key, value)) in entries.iter().enumerate() {
                let Some(key) = scalar_text(key) else { continue };
                frames.push(Frame { node, child: ChildKey::Key(key), position });
                descend(value, object, frames, act);
                frames.pop();
            }
        }
    }
}

impl<'a> Frame<'a> {
    /// Returns the key, if the collection is a mapping.
    pub fn key(&self) -> Option<&'a str> {
        match self.child {
            ChildKey::Key(key) => Some(key),
            ChildKey::Index => None,
        }
    }

    fn step(&self) -> PathStep {
        match self.child {
            ChildKey::Key(key) => PathStep::Key(key.to_owned()),
            ChildKey::Index => PathStep::Index(self.position),
        }
    }
}

impl<'a> ScalarContext<'_, 'a> {
    /// Returns the text of the layer that contains the value.
    pub fn source(&self) -> &'a str {
        &self.layers[self.layer].text
    }

    /// Returns the content of the value.
    pub fn text(&self) -> &'a str {
        scalar_text(self.scalar).unwrap_or_default()
    }

    /// Returns the value as written, including quotes.
    pub fn raw(&self) -> &'a str {
        &self.source()[self.scalar.span.clone()]
    }

    /// Returns the key of the value, or of the list that contains it.
    pub fn key(&self) -> Option<&'a str> {
        self.frames.iter().rev().find_map(Frame::key)
    }

    /// Returns the key of the collection that directly contains the value.
    pub fn key_above(&self) -> Option<&'a str> {
        self.frames.iter().rev().nth(1).and_then(Frame::key)
    }

    /// Returns the mapping that directly contains the value.
    pub fn mapping(&self) -> Option<&'a YamlNode> {
        let frame = self.frames.last()?;
        matches!(frame.child, ChildKey::Key(_)).then_some(frame.node)
    }

    /// Returns the text under another key of the mapping that directly contains the value.
    pub fn sibling(&self, key: &str) -> Option<&'a str> {
        self.mapping()?.text_at(key)
    }

    /// Returns a collection that contains the value; level 0 is the innermost one.
    pub fn around(&self, level: usize) -> Option<&'a YamlNode> {
        let index = self.frames.len().checked_sub(level + 1)?;
        Some(self.frames[index].node)
    }

    /// Returns true if the path of the value in its object matches: keys, `[]` for any item, `*` for any key, and a
    /// leading `**` for any start in the document.
    pub fn is_at(&self, pattern: &[&str]) -> bool {
        let (pattern, anywhere) = match pattern {
            ["**", rest @ ..] => (rest, true),
            pattern => (pattern, false),
        };
        let Some(skip) = self.frames.len().checked_sub(pattern.len()) else { return false };
        (skip == self.depth || anywhere)
            && self.frames[skip..].iter().zip(pattern).all(|(frame, step)| match frame.child {
                ChildKey::Index => *step == "[]",
                ChildKey::Key(key) => *step == "*" || *step == key,
            })
    }

    /// Returns true if the path of the value contains this key.
    pub fn is_below(&self, key: &str) -> bool {
        self.frames.iter().any(|frame| frame.child == ChildKey::Key(key))
    }

    /// Returns `kind` of the object.
    pub fn kind(&self) -> Option<&'a str> {
        self.root.text_at("kind")
    }

    /// Returns the group of the object's `apiVersion`; empty for the core group.
    pub fn group(&self) -> Option<&'a str> {
        let version = self.root.text_at("apiVersion")?;
        Some(version.split_once('/').map_or("", |(group, _)| group))
    }

    /// Returns the file name without directories.
    pub fn file_name(&self) -> &'a str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(self.file)
    }

    /// Returns the path of the value, with the index of its document.
    pub fn path(&self) -> ValuePath {
        let steps = self.frames.iter().map(Frame::step);
        match &self.layers[self.layer].within {
            None => ValuePath { document: Some(self.document), steps: steps.collect() },
            Some(within) => {
                let mut path = within.path.clone();
                if let Some(PathStep::Embedded(document)) = path.steps.last_mut() {
                    *document = Some(self.document);
                }
                path.steps.extend(steps);
                path
            }
        }
    }

    /// Returns `metadata.name` of the object.
    pub fn object_name(&self) -> Option<&'a str> {
        self.root.get("metadata")?.text_at("name")
    }

    /// Returns the innermost object that contains the value, in the outermost text.
    pub fn object(&self) -> Option<ObjectIdentity> {
        let mut root = self.root;
        let mut layer = &self.layers[self.layer];
        while let Some(within) = &layer.within {
            layer = &self.layers[within.layer];
            root = innermost_object(&layer.documents[within.document], &within.path);
        }
        let metadata = |key: &str| root.get("metadata")?.text_at(key).map(str::to_owned);
        Some(ObjectIdentity {
            api_version: root.text_at("apiVersion")?.to_owned(),
            kind: root.text_at("kind")?.to_owned(),
            namespace: metadata("namespace"),
            name: metadata("name").unwrap_or_default(),
        })
    }

    /// Returns the names of the list items that contain the value in its text, outermost first.
    pub fn items(&self) -> Vec<Option<String>> {
        const NAMES: [&str; 12] = [
            "name",
            "id",
            "key",
            "service",
            "serviceName",
            "app",
            "appName",
            "application",
            "component",
            "release",
            "chart",
            "alias",
        ];
        // In a list of several items, the first text that is no version is a name.
        let is_telling = |text: &&str| {
            text.starts_with(|c: char| c.is_ascii_alphabetic())
                && !["true", "false"].contains(text)
                && !version::may_be_version(text)
        };
        let name = |list: &Frame<'a>, item: &Frame<'a>| {
            let first = || item.node.entries().iter().filter_map(|(_, value)| value.text()).find(is_telling);
            let is_one_of_several = list.node.items().len() > 1;
            let named = NAMES.iter().find_map(|key| item.node.text_at(key));
            named.or_else(|| first().filter(|_| is_one_of_several)).map(str::to_owned)
        };
        let items = (0..self.frames.len()).filter(|index| self.frames[*index].child == ChildKey::Index);
        items.map(|index| name(&self.frames[index], self.frames.get(index + 1)?)).collect()
    }

    /// Returns the marker comment of the value.
    pub fn marker(&self) -> Option<Marker> {
        self.layers[self.layer].marker(&self.scalar.span)
    }

    /// Returns the line of the value in the file, counted from one.
    pub(crate) fn line(&self) -> usize {
        layer::line(self.layers, self.layer, self.scalar.span.start, self.scalar.line)
    }

    pub(crate) fn place(&self) -> ScalarLocation {
        ScalarLocation { layer: self.layer, document: self.document, route: self.route() }
    }

    /// Returns the child indices from the document's root to the value.
    pub(crate) fn route(&self) -> Vec<usize> {
        self.frames.iter().map(|frame| frame.position).collect()
    }
}
