//! Edges of a graph, and the sources that declare them.

use super::link::Relation;
use super::node::NodeId;

/// Edges of all nodes in one direction.
pub(super) struct Edges {
    /// Start of the edges of each node, followed by the end of the last ones.
    starts: Vec<usize>,
    edges: Vec<Edge>,
}

impl Edges {
    /// Groups edges by node, for this number of nodes. The order of edges of one node is kept.
    pub(super) fn group_by_node(nodes: usize, mut edges: Vec<(NodeId, Edge)>) -> Self {
        edges.sort_by_key(|(node, _)| *node);
        let starts = (0..=nodes).scan(0, |start, node| {
            *start += edges[*start..].iter().take_while(|(at, _)| *at < node).count();
            Some(*start)
        });
        Self { starts: starts.collect(), edges: edges.iter().map(|(_, edge)| *edge).collect() }
    }

    pub(super) fn at(&self, node: NodeId) -> &[Edge] {
        &self.edges[self.starts[node]..self.starts[node + 1]]
    }
}

/// An edge, seen from one of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The other end.
    pub node: NodeId,
    /// Relation of the upper end to the lower one.
    pub relation: Relation,
    /// The sources that declare the relation.
    pub evidence: LinkEvidence,
}

/// Set of [`EvidenceSource`] values that declare a relation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkEvidence(u8);

/// A source that declares a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceSource {
    /// The upper end, such as an Application in its `status.resources`.
    Upper = 1,
    /// The lower end, such as an object with a tracking label.
    Lower = 2,
    /// The lower end, in its ownerReferences.
    OwnerReference = 4,
    /// A third object.
    Other = 8,
}

impl LinkEvidence {
    /// Returns true if the set contains this source.
    pub const fn has(self, witness: EvidenceSource) -> bool {
        self.0 & witness as u8 != 0
    }

    pub(super) const fn with(self, witness: EvidenceSource) -> Self {
        Self(self.0 | witness as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_its_links_in_their_order() {
        let edge = |node| Edge { node, relation: Relation::Owns, evidence: LinkEvidence::default() };
        let links = [(3, 7), (1, 5), (3, 2), (0, 4), (1, 1), (3, 9)];
        let edges = Edges::group_by_node(5, links.iter().map(|(at, node)| (*at, edge(*node))).collect());
        let at: Vec<Vec<NodeId>> = (0..5).map(|node| edges.at(node).iter().map(|edge| edge.node).collect()).collect();
        assert_eq!(at, [vec![4], vec![5, 1], vec![], vec![7, 2, 9], vec![]]);
        assert!(Edges::group_by_node(1, Vec::new()).at(0).is_empty());
    }
}
