//! Origins of an object: its claim or composite, its deployer, and everything above these.

use std::collections::{BTreeSet, VecDeque};

use super::edge::EvidenceSource;
use super::link::Relation;
use super::node::{NodeId, NodeIdentity};
use super::object_graph::Graph;

/// Most origins of an object that are followed. A chain of owners can be as long as the number of objects, which each of them
/// would follow to its end.
const MOST: usize = 100;

impl Graph<'_> {
    /// Returns the claim, or else the composite, that an object was created for: the topmost one within 100 levels. For an
    /// object that is not composed, returns its controller.
    pub fn root_composite(&self, id: NodeId) -> Option<NodeId> {
        let mut seen = BTreeSet::from([id]);
        let mut last = id;
        while seen.len() <= MOST
            && let Some(above) = self.direct_composite(last).filter(|above| seen.insert(*above))
        {
            last = above;
        }
        if last != id { Some(last) } else { self.controller(id) }
    }

    /// Returns the deployer that applied an object from Git. If there are several, the choice is deterministic.
    pub fn applied_by(&self, id: NodeId) -> Option<NodeId> {
        let appliers = self.up(id).iter().filter(|edge| edge.relation == Relation::Applies);
        let rank = |node: NodeId| match self.node(node).thing {
            NodeIdentity::Object(key) => Some(key),
            _ => None,
        };
        appliers.min_by_key(|edge| rank(edge.node)).map(|edge| edge.node)
    }

    /// Returns what an object originates from, the nearest 100 first: composites, owners, deployers, and their origins.
    pub fn origins(&self, id: NodeId) -> Vec<NodeId> {
        let (mut found, mut seen) = (Vec::new(), BTreeSet::from([id]));
        let mut open = VecDeque::from([id]);
        while let Some(next) = open.pop_front() {
            for edge in self.up(next).iter().filter(|edge| edge.relation.is_origin()) {
                if found.len() < MOST && seen.insert(edge.node) {
                    found.push(edge.node);
                    open.push_back(edge.node);
                }
            }
        }
        found
    }

    /// Returns the composite or claim of which an object is directly a part, preferring one that exists.
    fn direct_composite(&self, id: NodeId) -> Option<NodeId> {
        let wholes = self.up(id).iter().filter(|edge| edge.relation == Relation::Composes);
        wholes.map(|edge| edge.node).min_by_key(|node| self.resource(*node).is_none())
    }

    fn controller(&self, id: NodeId) -> Option<NodeId> {
        let controller = self.resource(id)?.metadata.controller()?;
        let owners = self.up(id).iter().filter(|edge| edge.evidence.has(EvidenceSource::OwnerReference));
        owners.map(|edge| edge.node).find(|node| match &self.node(*node).thing {
            NodeIdentity::Object(key) => key.kind == controller.kind && key.name == controller.name,
            _ => false,
        })
    }
}
