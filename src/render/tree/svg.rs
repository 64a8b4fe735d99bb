//! Renders trees as an SVG image with the same lines as on a terminal.

use std::fmt::Write as _;

use super::layout::{FoldMode, TreeLineContent, lines};
use super::titles::{CaptionedTree, color, node_title};
use crate::report::tree::Tree;
use ucp_core::model::text::{columns, one_line};
use ucp_core::model::verdict::Verdict;

const ROW: usize = 22;
const STEP: usize = 22;
const MARGIN: usize = 12;
/// The horizontal position of the tree, after the verdicts.
const INDENT: usize = 104;
/// The approximate width of a character.
const CHARACTER: usize = 8;
/// The maximum number of characters of a message.
const LONGEST: usize = 100;

/// Returns the SVG image.
pub(super) fn svg(trees: &[CaptionedTree<'_>]) -> String {
    let (mut rows, mut width, mut number) = (String::new(), 0, 0);
    for (caption, tree) in trees {
        if let Some(caption) = caption.map(one_line) {
            let (middle, name) = (middle_of(number), escape(&caption));
            let _ = writeln!(rows, "<text x=\"{MARGIN}\" y=\"{}\" font-weight=\"bold\">{name}</text>", middle + 4);
            width = width.max(MARGIN + columns(&caption) * CHARACTER);
            number += 1;
        }
        number += add_tree(tree, number, &mut rows, &mut width);
    }
    let (width, height) = (width + MARGIN, number * ROW + 2 * MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{rows}</svg>\n"
    )
}

fn middle_of(row: usize) -> usize {
    MARGIN + row * ROW + ROW / 2
}

/// Adds a tree, starting at a row; returns its number of rows.
fn add_tree(tree: &Tree, first: usize, rows: &mut String, width: &mut usize) -> usize {
    let lines = lines(tree, FoldMode::Alike);
    let mut parents: Vec<usize> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let middle = middle_of(first + number);
        let (verdict, name, why, weight) = match &line.said {
            TreeLineContent::Node(node) => {
                let weight = if node.id == tree.root { "bold" } else { "normal" };
                let why = node.message.as_deref().map(short).unwrap_or_default();
                (Some(node.verdict), node_title(node, line.outside), why, weight)
            }
            TreeLineContent::Again(node) => {
                (None, format!("{}, shown above", node_title(node, None)), String::new(), "normal")
            }
            TreeLineContent::More { number, verdict } => {
                (Some(*verdict), format!("and {number} more, all {verdict}"), String::new(), "normal")
            }
        };
        parents.truncate(line.depth);
        let left = INDENT + line.depth * STEP;
        if let Some(parent) = parents.last() {
            let trunk = left - STEP + 6;
            let _ = writeln!(
                rows,
                "<path d=\"M{trunk} {}V{middle}H{}\" fill=\"none\" stroke=\"#9e9e9e\"/>",
                parent + ROW / 2 - 2,
                left - 3
            );
        }
        parents.push(middle);
        if let Some(verdict) = verdict {
            rows.push_str(&pill(verdict, middle));
        }
        let shown = escape(&name);
        let reason = if why.is_empty() {
            String::new()
        } else {
            format!("<tspan fill=\"#616161\" dx=\"16\">{}</tspan>", escape(&why))
        };
        let _ =
            writeln!(rows, "<text x=\"{left}\" y=\"{}\" font-weight=\"{weight}\">{shown}{reason}</text>", middle + 4);
        *width = (*width).max(left + (columns(&name) + columns(&why) + 4) * CHARACTER);
    }
    lines.len()
}

fn pill(verdict: Verdict, middle: usize) -> String {
    format!(
        "<text x=\"{MARGIN}\" y=\"{}\" fill=\"{}\" font-weight=\"bold\">{verdict}</text>\n",
        middle + 4,
        color(verdict)
    )
}

fn short(message: &str) -> String {
    let message = one_line(message);
    match message.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &message[..cut]),
        None => message,
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
