//! The text of a file, and the texts inside of it.

use std::ops::Range;

use granit_parser::ScalarStyle;

use crate::slot::format::Reading;
use crate::slot::marker::{Lines, Marker};
use crate::slot::path::Path;
use crate::yaml::tree::{Content, Node};

/// A text and its documents.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) text: String,
    pub(crate) documents: Vec<Node>,
    pub(crate) reading: Reading,
    pub(crate) within: Option<Within>,
    lines: Lines,
}

impl Layer {
    pub(crate) fn new(text: &str, documents: Vec<Node>, reading: Reading, within: Option<Within>) -> Self {
        Self { lines: Lines::of(text), text: text.to_owned(), documents, reading, within }
    }

    /// The comment that says what the value in these bytes is a version of.
    pub(crate) fn marker(&self, value: &Range<usize>) -> Option<Marker> {
        self.lines.marker(&self.text, value)
    }
}

/// Where a text stands that another one holds.
#[derive(Debug)]
pub(crate) struct Within {
    pub(crate) layer: usize,
    pub(crate) document: usize,
    /// Positions among the children, from the document's root to the scalar.
    pub(crate) route: Vec<usize>,
    pub(crate) path: Path,
    pub(crate) style: ScalarStyle,
    /// From every byte of this text to its bytes in the text around it.
    pub(crate) places: Vec<Range<usize>>,
}

/// A scalar in a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) layer: usize,
    pub(crate) document: usize,
    pub(crate) route: Vec<usize>,
}

impl Place {
    /// Another place of the same document.
    pub(crate) fn at(&self, route: &[usize]) -> Self {
        Self { route: route.to_vec(), ..*self }
    }
}

impl Within {
    /// From a range of the text inside to its range in the text around it.
    pub(crate) fn outer(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.places.get(range.start).or(self.places.last()).map_or(0, |place| place.start);
        // The end of the last byte, and not the start of what follows it.
        start..if range.is_empty() { start } else { self.places[range.end - 1].end }
    }
}

/// The text of a key or value, `null` and numbers included.
pub(crate) fn scalar_text(node: &Node) -> Option<&str> {
    match &node.content {
        Content::Scalar(text, _) => Some(text),
        _ => None,
    }
}

/// The bytes of the file that a range of a layer's text came from.
fn outermost(layers: &[Layer], layer: usize, range: Range<usize>) -> Range<usize> {
    match &layers[layer].within {
        None => range,
        Some(within) => outermost(layers, within.layer, within.outer(&range)),
    }
}

/// The line of the file in which a place of a layer's text stands, counted from one.
pub(crate) fn line(layers: &[Layer], layer: usize, at: usize, line: usize) -> usize {
    if layer == 0 {
        return line;
    }
    let start = outermost(layers, layer, at..at).start;
    layers[0].lines.line(start)
}
