//! Text of a file, and the texts embedded in it.

use std::ops::Range;

use granit_parser::ScalarStyle;

use crate::slot::format::ParseMode;
use crate::slot::marker::{LineIndex, Marker};
use crate::slot::path::ValuePath;
use crate::yaml::tree::{NodeContent, YamlNode};

/// Text with its documents.
#[derive(Debug)]
pub(crate) struct TextLayer {
    pub(crate) text: String,
    pub(crate) documents: Vec<YamlNode>,
    pub(crate) reading: ParseMode,
    pub(crate) within: Option<EmbeddedPosition>,
    lines: LineIndex,
}

impl TextLayer {
    pub(crate) fn new(
        text: &str,
        documents: Vec<YamlNode>,
        reading: ParseMode,
        within: Option<EmbeddedPosition>,
    ) -> Self {
        Self { lines: LineIndex::new(text), text: text.to_owned(), documents, reading, within }
    }

    /// Returns the marker comment of the value in this range.
    pub(crate) fn marker(&self, value: &Range<usize>) -> Option<Marker> {
        self.lines.marker(&self.text, value)
    }
}

/// Position of an embedded text in its containing text.
#[derive(Debug)]
pub(crate) struct EmbeddedPosition {
    pub(crate) layer: usize,
    pub(crate) document: usize,
    /// Child indices from the document's root to the scalar.
    pub(crate) route: Vec<usize>,
    pub(crate) path: ValuePath,
    pub(crate) style: ScalarStyle,
    /// Range in the containing text for each byte of this text.
    pub(crate) places: Vec<Range<usize>>,
}

/// Position of a scalar in a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ScalarLocation {
    pub(crate) layer: usize,
    pub(crate) document: usize,
    pub(crate) route: Vec<usize>,
}

impl ScalarLocation {
    /// Returns another place in the same document.
    pub(crate) fn at(&self, route: &[usize]) -> Self {
        Self { route: route.to_vec(), ..*self }
    }
}

impl EmbeddedPosition {
    /// Maps a range of the embedded text to its range in the containing text.
    pub(crate) fn outer(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.places.get(range.start).or(self.places.last()).map_or(0, |place| place.start);
        // The end of the last byte, rather than the start of the next one.
        start..if range.is_empty() { start } else { self.places[range.end - 1].end }
    }
}

/// Returns the text of a key or value, including `null` and numbers.
pub(crate) fn scalar_text(node: &YamlNode) -> Option<&str> {
    match &node.content {
        NodeContent::Scalar(text, _) => Some(text),
        _ => None,
    }
}

/// Maps a range of a layer's text to its bytes in the file.
fn outermost(layers: &[TextLayer], layer: usize, range: Range<usize>) -> Range<usize> {
    match &layers[layer].within {
        None => range,
        Some(within) => outermost(layers, within.layer, within.outer(&range)),
    }
}

/// Returns the line of the file for a position in a layer's text, counted from one.
pub(crate) fn line(layers: &[TextLayer], layer: usize, at: usize, line: usize) -> usize {
    if layer == 0 {
        return line;
    }
    let start = outermost(layers, layer, at..at).start;
    layers[0].lines.line(start)
}
