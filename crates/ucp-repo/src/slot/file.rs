//! File with versions: its documents, and the documents embedded in its texts.

use std::collections::HashMap;

use granit_parser::ScalarStyle;

use crate::slot::embedded;
use crate::slot::format::{FileFormat, ParsedText};
use crate::slot::layer::{self, EmbeddedPosition, ScalarLocation, TextLayer};
use crate::slot::path::{PathStep, ValuePath};
use crate::slot::site::{self, ScalarContext};
use crate::yaml::YamlError;
use crate::yaml::pairs::Keyed as _;
use crate::yaml::tree::{NodeContent, YamlNode};

/// Maximum depth of embedded YAML.
const DEEPEST: usize = 4;

/// Parsed file.
#[derive(Debug)]
pub struct VersionFile {
    /// Name, relative to the root of the repository or as given.
    pub name: String,
    /// Format of the file.
    pub format: FileFormat,
    /// Text of the file, followed by the embedded texts.
    pub(crate) layers: Vec<TextLayer>,
    /// Index of the embedded layer, by layer and start of the scalar that contains it.
    inside: HashMap<(usize, usize), usize>,
}

impl VersionFile {
    /// Parses a file. Returns `None` if its format is not known.
    ///
    /// # Errors
    /// Fails when the content does not match the format of the file name.
    pub fn read(name: &str, text: &str) -> Result<Option<Self>, YamlError> {
        let Some(format) = FileFormat::detect(name, text) else { return Ok(None) };
        let ParsedText { documents, reading } = format.parse(text)?;
        let layers = vec![TextLayer::new(text, documents, reading, None)];
        let mut file = Self { name: name.to_owned(), format, layers, inside: HashMap::new() };
        let (mut next, mut depth, mut end) = (0, 0, 1);
        while next < file.layers.len() && depth < DEEPEST {
            let found = file.embedded_in(next);
            for (start, layer) in found {
                file.inside.insert((next, start), file.layers.len());
                file.layers.push(layer);
            }
            next += 1;
            if next == end {
                (depth, end) = (depth + 1, file.layers.len());
            }
        }
        Ok(Some(file))
    }

    /// Returns the text of the file.
    pub fn text(&self) -> &str {
        &self.layers[0].text
    }

    /// Returns the roots of the file's documents.
    pub fn roots(&self) -> impl Iterator<Item = &YamlNode> {
        self.layers[0].documents.iter()
    }

    /// Calls `act` for every scalar value of the file, including those in embedded documents.
    pub fn each_value<'a>(&'a self, mut act: impl FnMut(&ScalarContext<'_, 'a>)) {
        for index in 0..self.layers.len() {
            site::walk(&self.name, &self.layers, index, &mut act);
        }
    }

    fn embedded_in(&self, index: usize) -> Vec<(usize, TextLayer)> {
        let mut found = Vec::new();
        site::walk(&self.name, &self.layers, index, &mut |site: &ScalarContext<'_, '_>| {
            let NodeContent::Scalar(text, style) = &site.scalar.content else { return };
            // A single line is a value, unless it is JSON or a block scalar.
            let json = text.trim_start().starts_with(['{', '[']) && *style != ScalarStyle::Plain;
            let several = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) || text.contains('\n');
            let block = several && text.contains(": ");
            if !text.trim_end().contains('\n') && !json && !block {
                return;
            }
            let Ok(ParsedText { documents, reading }) = FileFormat::Yaml.parse(text) else { return };
            let collection = |node: &YamlNode| !node.entries().is_empty() || !node.items().is_empty();
            if !documents.iter().any(collection) {
                return;
            }
            let span = site.scalar.span.clone();
            let Some(mut places) = embedded::align(&site.source()[span.clone()], *style, text) else { return };
            places.iter_mut().for_each(|place| *place = place.start + span.start..place.end + span.start);
            let mut path = site.path();
            path.steps.push(PathStep::Embedded(None));
            let within = EmbeddedPosition {
                layer: index,
                document: site.document,
                route: site.route(),
                path,
                style: *style,
                places,
            };
            found.push((span.start, TextLayer::new(text, documents, reading, Some(within))));
        });
        found
    }

    /// Returns the node at a place.
    pub(crate) fn node(&self, place: &ScalarLocation) -> Option<&YamlNode> {
        let root = self.layers.get(place.layer)?.documents.get(place.document)?;
        place.route.iter().try_fold(root, |node, index| match &node.content {
            NodeContent::Mapping(entries, _) => entries.get(*index).map(|(_, value)| value),
            NodeContent::Sequence(items, _) => items.get(*index),
            NodeContent::Scalar(..) | NodeContent::Alias(_) => None,
        })
    }

    /// Returns the line and name of a key that is written twice on the way to a place, or in the mapping at the place.
    pub(crate) fn duplicate_key(&self, place: &ScalarLocation) -> Option<(usize, String)> {
        let mut node = self.layers.get(place.layer)?.documents.get(place.document)?;
        let mut route = place.route.iter();
        loop {
            let next = route.next();
            if let NodeContent::Mapping(entries, _) = &node.content {
                let on_the_way = |index: usize| next.is_none_or(|next| *next == index);
                let mut keys =
                    entries.iter().enumerate().filter_map(|(index, (key, _))| Some((index, key, key.key()?)));
                let twice = keys.find(|(index, _, text)| {
                    on_the_way(*index) && entries.iter().filter(|(other, _)| other.key() == Some(*text)).count() > 1
                });
                if let Some((_, key, text)) = twice {
                    return Some((self.line(place.layer, key.span.start, key.line), text.to_owned()));
                }
            }
            node = match &node.content {
                NodeContent::Mapping(entries, _) => &entries.get(*next?)?.1,
                NodeContent::Sequence(items, _) => items.get(*next?)?,
                NodeContent::Scalar(..) | NodeContent::Alias(_) => return None,
            };
        }
    }

    /// Returns all scalars at a path: several if more than one document has it.
    pub(crate) fn find(&self, path: &ValuePath) -> Vec<ScalarLocation> {
        let documents = 0..self.layers[0].documents.len();
        let chosen = documents.filter(|index| path.document.is_none_or(|document| document == *index));
        chosen.flat_map(|document| self.follow(0, document, &path.steps)).collect()
    }

    fn follow(&self, layer: usize, document: usize, steps: &[PathStep]) -> Vec<ScalarLocation> {
        let mut node = &self.layers[layer].documents[document];
        let mut route = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            let next = match step {
                // `containers.0.image`, as kustomize writes it.
                PathStep::Key(key) if !node.items().is_empty() => {
                    key.parse().ok().filter(|index: &usize| *index < node.items().len())
                }
                PathStep::Key(key) => match &node.content {
                    NodeContent::Mapping(entries, _) => entries.positions(key).next(),
                    _ => None,
                },
                PathStep::Index(index) => Some(*index).filter(|index| *index < node.items().len()),
                PathStep::Embedded(chosen) => {
                    let Some(inner) = self.inside.get(&(layer, node.span.start)) else { return Vec::new() };
                    let documents = 0..self.layers[*inner].documents.len();
                    return documents
                        .filter(|document| chosen.is_none_or(|chosen| chosen == *document))
                        .flat_map(|document| self.follow(*inner, document, &steps[index + 1..]))
                        .collect();
                }
            };
            let Some(next) = next else { return Vec::new() };
            route.push(next);
            node = match &node.content {
                NodeContent::Mapping(entries, _) => &entries[next].1,
                _ => &node.items()[next],
            };
        }
        match node.content {
            NodeContent::Scalar(..) | NodeContent::Alias(_) => vec![ScalarLocation { layer, document, route }],
            NodeContent::Mapping(..) | NodeContent::Sequence(..) => Vec::new(),
        }
    }

    /// Returns the line of the file for a position in a layer's text, counted from one.
    pub(crate) fn line(&self, layer: usize, at: usize, line: usize) -> usize {
        layer::line(&self.layers, layer, at, line)
    }
}
