//! A `Tree` as the text of a diagram, for Graphviz and for Mermaid.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::{colour, title};
use crate::model::verdict::Verdict;
use crate::report::tree::{Tree, TreeNode};

/// Verdicts, worst first.
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
/// A box has room for so much of a message.
const LONGEST: usize = 120;

/// For `dot`.
pub(super) fn dot(tree: &Tree) -> String {
    let mut text = String::from(
        "digraph ucp {\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=11];\n  \
         edge [fontname=\"sans-serif\", fontsize=9, color=\"#757575\"];\n",
    );
    let numbers = numbers(tree);
    for (number, node) in tree.nodes.iter().enumerate() {
        let label = escape(&label(node).join("\n"), |character| match character {
            '"' => Some("\\\""),
            '\\' => Some("\\\\"),
            '\n' => Some("\\n"),
            _ => None,
        });
        let width = if node.id == tree.root { ", penwidth=2" } else { "" };
        let _ = writeln!(text, "  n{number} [label=\"{label}\", color=\"{}\"{width}];", colour(node.verdict));
    }
    for edge in &tree.edges {
        if let (Some(from), Some(to)) = (numbers.get(edge.from.as_str()), numbers.get(edge.to.as_str())) {
            let _ = writeln!(text, "  n{from} -> n{to} [label=\"{}\"];", edge.relation.words());
        }
    }
    text.push_str("}\n");
    text
}

/// For Mermaid, as GitHub shows it.
pub(super) fn mermaid(tree: &Tree) -> String {
    let mut text = String::from("flowchart LR\n");
    let numbers = numbers(tree);
    for (number, node) in tree.nodes.iter().enumerate() {
        let label = escape(&label(node).join("\n"), |character| match character {
            '"' => Some("#quot;"),
            '#' => Some("#35;"),
            '<' => Some("#lt;"),
            '>' => Some("#gt;"),
            '&' => Some("#amp;"),
            '`' => Some("#96;"),
            '\n' => Some("<br/>"),
            _ => None,
        });
        let _ = writeln!(text, "  n{number}[\"{label}\"]:::{}", node.verdict);
    }
    for edge in &tree.edges {
        if let (Some(from), Some(to)) = (numbers.get(edge.from.as_str()), numbers.get(edge.to.as_str())) {
            let _ = writeln!(text, "  n{from} -->|{}| n{to}", edge.relation.words());
        }
    }
    if let Some(root) = numbers.get(tree.root.as_str()) {
        let _ = writeln!(text, "  style n{root} stroke-width:3px");
    }
    for verdict in VERDICTS.into_iter().filter(|verdict| tree.nodes.iter().any(|node| node.verdict == *verdict)) {
        let _ = writeln!(text, "  classDef {verdict} stroke:{}", colour(verdict));
    }
    text
}

fn numbers(tree: &Tree) -> HashMap<&str, usize> {
    tree.nodes.iter().enumerate().map(|(number, node)| (node.id.as_str(), number)).collect()
}

/// The lines of a box: what it is, how it is, and why.
fn label(node: &TreeNode) -> Vec<String> {
    let message = node.message.as_ref().map(|message| {
        let message = crate::model::text::one_line(message);
        match message.char_indices().nth(LONGEST) {
            Some((cut, _)) => format!("{}…", &message[..cut]),
            None => message,
        }
    });
    [Some(title(node, None)), Some(node.verdict.to_string()), message].into_iter().flatten().collect()
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
