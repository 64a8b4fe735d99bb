//! Converts nodes and edges to the lines of a tree. Each node is shown once, the worst first; healthy nodes are
//! summarized.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::report::tree::{Tree, TreeNode, TreeNodeIdentity};
use ucp_core::graph::link::Relation;
use ucp_core::model::verdict::Verdict;

/// The number of similar siblings that have their own lines before the others are folded.
const SHOWN: usize = 3;

/// One line of the tree.
pub(super) struct TreeLine<'tree> {
    /// The branch characters before the text.
    pub(super) branch: String,
    /// The nesting depth.
    pub(super) depth: usize,
    /// The content of the line.
    pub(super) said: TreeLineContent<'tree>,
    /// The external resource of the node, if it is shown on the same line.
    pub(super) outside: Option<&'tree TreeNode>,
}

/// The content of a line.
pub(super) enum TreeLineContent<'tree> {
    /// A node.
    Node(&'tree TreeNode),
    /// A node on the path to the root that was shown before.
    Again(&'tree TreeNode),
    /// Folded siblings with the same verdict.
    More {
        /// The number of siblings.
        number: usize,
        /// The verdict of the siblings.
        verdict: Verdict,
    },
}

/// The folding mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FoldMode {
    /// Folds siblings that are all OK, or all unknown.
    Alike,
    /// Folds nothing.
    Nothing,
}

/// Returns the lines of a tree.
pub(super) fn lines(tree: &Tree, fold: FoldMode) -> Vec<TreeLine<'_>> {
    let mut layout = TreeLayout::new(tree, fold);
    for top in layout.top_ancestors() {
        if !layout.shown.contains(&top) {
            layout.add(top, 0, "", "");
        }
    }
    layout.lines
}

struct TreeLayout<'tree> {
    tree: &'tree Tree,
    fold: FoldMode,
    below: Vec<Vec<(usize, Relation)>>,
    /// The ancestors of the root, and the root itself.
    above: BTreeSet<usize>,
    worst: Vec<Verdict>,
    shown: BTreeSet<usize>,
    lines: Vec<TreeLine<'tree>>,
}

impl<'tree> TreeLayout<'tree> {
    fn new(tree: &'tree Tree, fold: FoldMode) -> Self {
        let index: HashMap<&str, usize> =
            tree.nodes.iter().enumerate().map(|(index, node)| (node.id.as_str(), index)).collect();
        let mut below = vec![Vec::new(); tree.nodes.len()];
        for edge in &tree.edges {
            if let (Some(from), Some(to)) = (index.get(edge.from.as_str()), index.get(edge.to.as_str())) {
                below[*from].push((*to, edge.relation));
            }
        }
        let worst = (0..tree.nodes.len()).map(|node| worst_verdict(tree, &below, node)).collect();
        let above = tree.above.iter().copied().collect();
        Self { tree, fold, below, above, worst, shown: BTreeSet::new(), lines: Vec::new() }
    }

    /// Returns the topmost ancestors: Git first, and then the one with the shortest path to the root; the root itself if
    /// it has no ancestors.
    fn top_ancestors(&self) -> Vec<usize> {
        let mut has_upper = BTreeSet::new();
        for upper in &self.above {
            has_upper.extend(self.below[*upper].iter().map(|(lower, _)| *lower).filter(|lower| lower != upper));
        }
        let mut tops: Vec<usize> = self.above.iter().copied().filter(|node| !has_upper.contains(node)).collect();
        let distance = self.distances();
        tops.sort_by_key(|top| {
            let node = &self.tree.nodes[*top];
            let is_git = matches!(node.thing, TreeNodeIdentity::Git(_));
            (!is_git, distance.get(top).copied().unwrap_or(usize::MAX), &node.id)
        });
        // In a cycle, no node is topmost.
        tops.extend(self.above.iter().copied());
        tops
    }

    /// Returns the distance of each ancestor from the root.
    fn distances(&self) -> BTreeMap<usize, usize> {
        let root = self.tree.nodes.iter().position(|node| node.id == self.tree.root).unwrap_or_default();
        let mut distances = BTreeMap::from([(root, 0)]);
        for step in 1..=self.above.len() {
            let nearer: Vec<usize> =
                distances.iter().filter(|(_, far)| **far == step - 1).map(|(node, _)| *node).collect();
            for upper in &self.above {
                if self.below[*upper].iter().any(|(lower, _)| nearer.contains(lower)) {
                    distances.entry(*upper).or_insert(step);
                }
            }
        }
        distances
    }

    fn add(&mut self, node: usize, depth: usize, branch: &str, indent: &str) {
        self.shown.insert(node);
        let outside = self.outside(node);
        self.shown.extend(outside);
        let tree = self.tree;
        self.lines.push(TreeLine {
            branch: branch.to_owned(),
            depth,
            said: TreeLineContent::Node(&tree.nodes[node]),
            outside: outside.map(|outside| &tree.nodes[outside]),
        });
        let children = self.children(node);
        let (shown, folded) = self.split_folded(children);
        let last = shown.len() + folded.len();
        for (position, child) in shown.into_iter().enumerate() {
            let is_last = position + 1 == last;
            let branch = format!("{indent}{}", if is_last { "└─ " } else { "├─ " });
            let below = format!("{indent}{}", if is_last { "   " } else { "│  " });
            if !self.shown.contains(&child) {
                self.add(child, depth + 1, &branch, &below);
            } else if self.above.contains(&child) {
                let said = TreeLineContent::Again(&tree.nodes[child]);
                self.lines.push(TreeLine { branch, depth: depth + 1, said, outside: None });
            }
        }
        for (position, (verdict, members)) in folded.iter().enumerate() {
            self.shown.extend(members.iter().copied());
            let corner = if position + 1 == folded.len() { "└─ " } else { "├─ " };
            self.lines.push(TreeLine {
                branch: format!("{indent}{corner}"),
                depth: depth + 1,
                said: TreeLineContent::More { number: members.len(), verdict: *verdict },
                outside: None,
            });
        }
    }

    /// Returns the children of a node: the path to the root first, then the worst, with owned nodes before referenced
    /// ones.
    fn children(&self, node: usize) -> Vec<usize> {
        let is_on_the_way = |child: usize| self.above.contains(&child) && self.above.contains(&node);
        let mut children: Vec<(usize, Relation)> = self.below[node]
            .iter()
            .copied()
            .filter(|(child, _)| !self.shown.contains(child) || is_on_the_way(*child))
            .collect();
        children.sort_by_key(|(child, relation)| {
            let below = &self.tree.nodes[*child];
            (!is_on_the_way(*child), self.worst[*child], relation.is_need(), &below.id)
        });
        children.into_iter().map(|(child, _)| child).collect()
    }

    /// Splits children into those with their own lines, and folded groups.
    fn split_folded(&self, children: Vec<usize>) -> (Vec<usize>, Vec<(Verdict, Vec<usize>)>) {
        let mut alike: BTreeMap<Verdict, Vec<usize>> = BTreeMap::new();
        for child in &children {
            let verdict = self.worst[*child];
            let may_fold = match verdict {
                Verdict::Ok => true,
                Verdict::Unknown => self.below[*child].is_empty(),
                _ => false,
            };
            if self.fold == FoldMode::Alike && may_fold && !self.above.contains(child) {
                alike.entry(verdict).or_default().push(*child);
            }
        }
        // A fold of a single node is longer than its own line.
        let folded: Vec<(Verdict, Vec<usize>)> = alike
            .into_iter()
            .filter(|(_, members)| members.len() > SHOWN + 1)
            .map(|(verdict, members)| (verdict, members[SHOWN..].to_vec()))
            .collect();
        let gone: BTreeSet<usize> = folded.iter().flat_map(|(_, members)| members.iter().copied()).collect();
        (children.into_iter().filter(|child| !gone.contains(child)).collect(), folded)
    }

    /// Returns the external resource of a node, if there is exactly one.
    fn outside(&self, node: usize) -> Option<usize> {
        let mut outside = self.below[node].iter().filter(|(_, relation)| *relation == Relation::Represents);
        let (child, _) = outside.next()?;
        let is_plain =
            matches!(self.tree.nodes[*child].thing, TreeNodeIdentity::External(_)) && outside.next().is_none();
        (is_plain && self.below[*child].is_empty() && !self.shown.contains(child)).then_some(*child)
    }
}

/// Returns the worst verdict of a node and its descendants. External resources have the verdict of the object that
/// represents them.
fn worst_verdict(tree: &Tree, below: &[Vec<(usize, Relation)>], node: usize) -> Verdict {
    let (mut seen, mut open) = (BTreeSet::from([node]), vec![node]);
    let mut worst = tree.nodes[node].verdict;
    while let Some(node) = open.pop() {
        for (child, relation) in &below[node] {
            if *relation != Relation::Represents && seen.insert(*child) {
                worst = worst.min(tree.nodes[*child].verdict);
                open.push(*child);
            }
        }
    }
    worst
}
