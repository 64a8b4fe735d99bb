//! Renders trees as diagrams in the languages of Graphviz and Mermaid.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::titles::{CaptionedTree, color, node_title};
use crate::report::tree::{Tree, TreeNode};
use ucp_core::model::text::one_line;
use ucp_core::model::verdict::Verdict;

/// All verdicts, worst first.
const VERDICTS: [Verdict; 8] = [
    Verdict::Failed,
    Verdict::NeedsHuman,
    Verdict::Drifted,
    Verdict::Stuck,
    Verdict::Progressing,
    Verdict::Paused,
    Verdict::Unknown,
    Verdict::Ok,
];
/// The maximum length of a message in a box.
const LONGEST: usize = 120;

/// A tree, with its caption if there are several, and the number of its first node; numbers are consecutive across
/// trees.
struct NumberedTree<'tree> {
    tree: &'tree Tree,
    caption: Option<&'tree str>,
    first: usize,
}

fn numbered<'tree>(trees: &[CaptionedTree<'tree>]) -> Vec<NumberedTree<'tree>> {
    let mut first = 0;
    let number = |&(caption, tree): &CaptionedTree<'tree>| {
        let numbered = NumberedTree { tree, caption, first };
        first += tree.nodes.len();
        numbered
    };
    trees.iter().map(number).collect()
}

impl<'tree> NumberedTree<'tree> {
    fn nodes(&self) -> impl Iterator<Item = (usize, &'tree TreeNode)> + use<'tree> {
        (self.first..).zip(&self.tree.nodes)
    }

    /// Returns edges as pairs of node numbers, with their labels.
    fn edges(&self) -> impl Iterator<Item = (usize, usize, &'static str)> {
        let numbers: HashMap<&str, usize> = self.nodes().map(|(number, node)| (node.id.as_str(), number)).collect();
        self.tree.edges.iter().filter_map(move |edge| {
            let ends = numbers.get(edge.from.as_str()).zip(numbers.get(edge.to.as_str()));
            ends.map(|(from, to)| (*from, *to, edge.relation.words()))
        })
    }
}

/// Returns a diagram in the DOT language.
pub(super) fn dot(trees: &[CaptionedTree<'_>]) -> String {
    let mut text = String::from(
        "digraph ucp {\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=11];\n  \
         edge [fontname=\"sans-serif\", fontsize=9, color=\"#757575\"];\n",
    );
    let quoted = |text: &str| {
        escape(text, |character| match character {
            '"' => Some("\\\""),
            '\\' => Some("\\\\"),
            '\n' => Some("\\n"),
            _ => None,
        })
    };
    for (position, part) in numbered(trees).iter().enumerate() {
        if let Some(caption) = part.caption {
            let caption = quoted(&one_line(caption));
            let _ = writeln!(text, "  subgraph cluster_{position} {{\n  label=\"{caption}\"; fontname=\"sans-serif\";");
        }
        for (number, node) in part.nodes() {
            let label = quoted(&label(node).join("\n"));
            let width = if node.id == part.tree.root { ", penwidth=2" } else { "" };
            let _ = writeln!(text, "  n{number} [label=\"{label}\", color=\"{}\"{width}];", color(node.verdict));
        }
        for (from, to, words) in part.edges() {
            let _ = writeln!(text, "  n{from} -> n{to} [label=\"{words}\"];");
        }
        if part.caption.is_some() {
            text.push_str("  }\n");
        }
    }
    text.push_str("}\n");
    text
}

/// Returns a Mermaid diagram, as supported by GitHub.
pub(super) fn mermaid(trees: &[CaptionedTree<'_>]) -> String {
    let mut text = String::from("flowchart LR\n");
    let quoted = |text: &str| {
        escape(text, |character| match character {
            '"' => Some("#quot;"),
            '#' => Some("#35;"),
            '<' => Some("#lt;"),
            '>' => Some("#gt;"),
            '&' => Some("#amp;"),
            '`' => Some("#96;"),
            '\n' => Some("<br/>"),
            _ => None,
        })
    };
    let parts = numbered(trees);
    for (position, part) in parts.iter().enumerate() {
        if let Some(caption) = part.caption {
            let _ = writeln!(text, "  subgraph s{position}[\"{}\"]", quoted(&one_line(caption)));
        }
        for (number, node) in part.nodes() {
            let _ = writeln!(text, "  n{number}[\"{}\"]:::{}", quoted(&label(node).join("\n")), node.verdict);
        }
        for (from, to, words) in part.edges() {
            let _ = writeln!(text, "  n{from} -->|{words}| n{to}");
        }
        if part.caption.is_some() {
            text.push_str("  end\n");
        }
    }
    for part in &parts {
        if let Some((root, _)) = part.nodes().find(|(_, node)| node.id == part.tree.root) {
            let _ = writeln!(text, "  style n{root} stroke-width:3px");
        }
    }
    let is_there =
        |verdict: &Verdict| trees.iter().any(|(_, tree)| tree.nodes.iter().any(|node| node.verdict == *verdict));
    for verdict in VERDICTS.into_iter().filter(is_there) {
        let _ = writeln!(text, "  classDef {verdict} stroke:{}", color(verdict));
    }
    text
}

/// Returns the lines of a box: object, verdict, and message.
fn label(node: &TreeNode) -> Vec<String> {
    let message = node.message.as_ref().map(|message| {
        let message = one_line(message);
        match message.char_indices().nth(LONGEST) {
            Some((cut, _)) => format!("{}…", &message[..cut]),
            None => message,
        }
    });
    [Some(node_title(node, None)), Some(node.verdict.to_string()), message].into_iter().flatten().collect()
}

fn escape(text: &str, replacement: impl Fn(char) -> Option<&'static str>) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match replacement(character) {
            Some(other) => safe.push_str(other),
            None => safe.push(character),
        }
    }
    safe
}
