//! Where an object comes from: the claim or composite that it is a part of, what applied it, and everything above.

use std::collections::{BTreeSet, VecDeque};

use super::link::Relation;
use super::{Graph, NodeId, Thing, Witness};

impl Graph<'_> {
    /// The claim, or else the composite, that an object was made for: the last of those that it is a part of. Of what is
    /// part of nothing, its controller.
    pub fn composed_for(&self, id: NodeId) -> Option<NodeId> {
        let mut seen = BTreeSet::from([id]);
        let mut last = id;
        while let Some(above) = self.whole_of(last).filter(|above| seen.insert(*above)) {
            last = above;
        }
        if last != id { Some(last) } else { self.controller(id) }
    }

    /// What applied an object from Git. Of several, one and the same is named at every call.
    pub fn applied_by(&self, id: NodeId) -> Option<NodeId> {
        let appliers = self.up(id).iter().filter(|edge| edge.relation == Relation::Applies);
        let rank = |node: NodeId| match self.node(node).thing {
            Thing::Object(key) => Some(key),
            _ => None,
        };
        appliers.min_by_key(|edge| rank(edge.node)).map(|edge| edge.node)
    }

    /// Everything that an object comes from, the nearest first: what it is a part of, what owns it, what applied it, and
    /// what these come from.
    pub fn origins(&self, id: NodeId) -> Vec<NodeId> {
        let (mut found, mut seen) = (Vec::new(), BTreeSet::from([id]));
        let mut open = VecDeque::from([id]);
        while let Some(next) = open.pop_front() {
            for edge in self.up(next).iter().filter(|edge| edge.relation.is_origin()) {
                if seen.insert(edge.node) {
                    found.push(edge.node);
                    open.push_back(edge.node);
                }
            }
        }
        found
    }

    /// The composite or claim that an object is directly a part of; one that exists before one that does not.
    fn whole_of(&self, id: NodeId) -> Option<NodeId> {
        let wholes = self.up(id).iter().filter(|edge| edge.relation == Relation::Composes);
        wholes.map(|edge| edge.node).min_by_key(|node| self.resource(*node).is_none())
    }

    fn controller(&self, id: NodeId) -> Option<NodeId> {
        let controller = self.resource(id)?.metadata.controller()?;
        let owners = self.up(id).iter().filter(|edge| edge.evidence.has(Witness::OwnerReference));
        owners.map(|edge| edge.node).find(|node| match &self.node(*node).thing {
            Thing::Object(key) => key.kind == controller.kind && key.name == controller.name,
            _ => false,
        })
    }
}
