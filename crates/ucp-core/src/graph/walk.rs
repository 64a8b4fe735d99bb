//! The part of a [`Graph`] that is connected to one node: everything above and below it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::node::{NodeId, NodeIdentity, NodePresence};
use super::object_graph::Graph;
use crate::graph::link::Relation;
use crate::model::object::ObjectKey;

/// Direction of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WalkDirection {
    /// To Git, and to external resources.
    Both,
    /// To Git only.
    Up,
    /// To external resources only.
    Down,
}

/// Nodes and edges that are reachable from one node.
#[derive(Debug, Clone, Default)]
pub struct GraphWalk {
    /// The start of the walk.
    pub root: NodeId,
    /// Nodes above the root and the root itself, with their distance.
    pub above: BTreeMap<NodeId, usize>,
    /// Nodes below the root and the root itself, with their distance.
    pub below: BTreeMap<NodeId, usize>,
    /// Edges that were followed: from, to, relation.
    pub edges: BTreeSet<(NodeId, NodeId, Relation)>,
}

impl GraphWalk {
    /// Walks up to `depth` steps in each direction.
    pub fn from(graph: &Graph<'_>, root: NodeId, direction: WalkDirection, depth: usize) -> Self {
        let mut walk = Self { root, ..Self::default() };
        walk.above.insert(root, 0);
        walk.below.insert(root, 0);
        if direction != WalkDirection::Down {
            walk.upwards(graph, depth);
        }
        if direction != WalkDirection::Up {
            walk.downwards(graph, depth);
        }
        walk
    }

    /// Returns every node once.
    pub fn nodes(&self) -> BTreeSet<NodeId> {
        self.above.keys().chain(self.below.keys()).copied().collect()
    }

    /// Returns the objects on the walk that were not requested yet.
    pub fn unread(&self, graph: &Graph<'_>) -> Vec<ObjectKey> {
        let nodes = self.nodes().into_iter().map(|id| graph.node(id));
        let unread = nodes.filter_map(|node| match (node.thing, node.presence) {
            (NodeIdentity::Object(key), NodePresence::Unread) => Some(key),
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
                // Dependents of the root are included; dependents of nodes above it are not.
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

    /// Returns the objects that were reached.
    pub fn objects(&self, graph: &Graph<'_>) -> BTreeSet<ObjectKey> {
        let object = |node: NodeId| match graph.node(node).thing {
            NodeIdentity::Object(key) => Some(key),
            _ => None,
        };
        self.nodes().into_iter().filter_map(object).collect()
    }

    fn downwards(&mut self, graph: &Graph<'_>, depth: usize) {
        let mut open = VecDeque::from([(self.root, 0, WalkStep::Made)]);
        let mut seen = BTreeSet::from([(self.root, WalkStep::Made)]);
        while let Some((node, steps, came_by)) = open.pop_front() {
            if steps == depth {
                continue;
            }
            for edge in graph.down(node).iter().filter(|edge| edge.node != node) {
                let step = match (came_by, edge.relation) {
                    // Other objects that a provider config configures are not needed by this one.
                    (WalkStep::Needed, relation) if !relation.is_need() => continue,
                    // Objects that run in a cluster are shown, but not their parts.
                    (WalkStep::Hosted, _) => continue,
                    (_, Relation::Hosts) if node != self.root => WalkStep::Hosted,
                    (_, relation) if relation.is_need() => WalkStep::Needed,
                    _ => WalkStep::Made,
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

/// Kind of step by which a walk downwards reached a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum WalkStep {
    Made,
    Needed,
    Hosted,
}
