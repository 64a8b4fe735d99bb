//! The part of a [`Graph`] that has to do with one thing: what leads to it, and what it leads to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Graph, NodeId, Presence, Thing};
use crate::graph::link::Relation;
use crate::model::object::ObjectKey;

/// Which way to go from a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To Git, and to the things outside.
    Both,
    /// To Git only.
    Up,
    /// To the things outside only.
    Down,
}

/// A walk from one thing.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    /// Where it began.
    pub root: NodeId,
    /// What leads to the root, with the root, and how far it is.
    pub above: BTreeMap<NodeId, usize>,
    /// What the root leads to, with the root, and how far it is.
    pub below: BTreeMap<NodeId, usize>,
    /// The links that were taken: from, to, relation.
    pub edges: BTreeSet<(NodeId, NodeId, Relation)>,
}

impl Walk {
    /// Walks so many steps each way.
    pub fn from(graph: &Graph<'_>, root: NodeId, direction: Direction, depth: usize) -> Self {
        let mut walk = Self { root, ..Self::default() };
        walk.above.insert(root, 0);
        walk.below.insert(root, 0);
        if direction != Direction::Down {
            walk.upwards(graph, depth);
        }
        if direction != Direction::Up {
            walk.downwards(graph, depth);
        }
        walk
    }

    /// Every node, each once.
    pub fn nodes(&self) -> BTreeSet<NodeId> {
        self.above.keys().chain(self.below.keys()).copied().collect()
    }

    /// Objects that were met and that nobody has asked for.
    pub fn unread(&self, graph: &Graph<'_>) -> Vec<ObjectKey> {
        let nodes = self.nodes().into_iter().map(|id| graph.node(id));
        let unread = nodes.filter_map(|node| match (node.thing, node.presence) {
            (Thing::Object(key), Presence::Unread) => Some(key),
            _ => None,
        });
        unread.collect()
    }

    fn upwards(&mut self, graph: &Graph<'_>, depth: usize) {
        let mut open = VecDeque::from([(self.root, 0)]);
        while let Some((node, steps)) = open.pop_front() {
            if steps == depth {
                continue;
            }
            for edge in graph.up(node).iter().filter(|edge| edge.node != node) {
                // Who needs the root is of interest; who needs what leads to it is another story.
                if edge.relation.is_need() && node != self.root {
                    continue;
                }
                self.edges.insert((edge.node, node, edge.relation));
                if let std::collections::btree_map::Entry::Vacant(new) = self.above.entry(edge.node) {
                    new.insert(steps + 1);
                    if !edge.relation.is_need() {
                        open.push_back((edge.node, steps + 1));
                    }
                }
            }
        }
    }

    fn downwards(&mut self, graph: &Graph<'_>, depth: usize) {
        let mut open = VecDeque::from([(self.root, 0, Step::Made)]);
        let mut seen = BTreeSet::from([(self.root, Step::Made)]);
        while let Some((node, steps, came_by)) = open.pop_front() {
            if steps == depth {
                continue;
            }
            for edge in graph.down(node).iter().filter(|edge| edge.node != node) {
                let step = match (came_by, edge.relation) {
                    // What a provider config configures besides is not what this needs.
                    (Step::Needed, relation) if !relation.is_need() => continue,
                    // What runs in a cluster is told, and not all that it consists of.
                    (Step::Hosted, _) => continue,
                    (_, Relation::Hosts) if node != self.root => Step::Hosted,
                    (_, relation) if relation.is_need() => Step::Needed,
                    _ => Step::Made,
                };
                self.edges.insert((node, edge.node, edge.relation));
                self.below.entry(edge.node).or_insert(steps + 1);
                if seen.insert((edge.node, step)) {
                    open.push_back((edge.node, steps + 1, step));
                }
            }
        }
    }
}

/// How a walk downwards came to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Made,
    Needed,
    Hosted,
}
