//! Objects, and what they have to do with each other: every [`link::Link`] that the engines declare, both ways. Owners,
//! causes, orphans, and the way from a Git commit to what exists outside are read from it.

mod build;
mod here;
pub mod link;
mod origin;
pub mod walk;

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Deref;

use self::build::Builder;
use self::here::Here;
use self::link::{ClusterName, External, GitSource, Link, Relation};
use crate::model::object::{ObjectKey, ObjectName};
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// A node of a [`Graph`], by its position. The objects of a state come first, in their order.
pub type NodeId = usize;

/// Everything that was read, and everything that it refers to.
pub struct Graph<'state> {
    nodes: Vec<Known<'state>>,
    up: Edges,
    down: Edges,
    here: Here<'state>,
    referred: HashMap<ObjectKey, NodeId>,
    /// API versions of objects that were not read.
    versions: HashMap<NodeId, String>,
}

/// A node as it is held: most are objects that were read, which have their own names.
enum Known<'state> {
    Here(&'state Resource),
    Other(Box<Node<'state>>),
}

/// The links of all nodes, seen from one of their ends.
struct Edges {
    /// Where those of each node begin, and where the last ones end.
    starts: Vec<usize>,
    edges: Vec<Edge>,
}

impl Edges {
    /// Of so many nodes. Those of one node stay in their order.
    fn of(nodes: usize, mut edges: Vec<(NodeId, Edge)>) -> Self {
        edges.sort_by_key(|(node, _)| *node);
        let starts = (0..=nodes).scan(0, |start, node| {
            *start += edges[*start..].iter().take_while(|(at, _)| *at < node).count();
            Some(*start)
        });
        Self { starts: starts.collect(), edges: edges.iter().map(|(_, edge)| *edge).collect() }
    }

    fn at(&self, node: NodeId) -> &[Edge] {
        &self.edges[self.starts[node]..self.starts[node + 1]]
    }
}

/// One thing.
#[derive(Debug, Clone)]
pub struct Node<'state> {
    /// What it is.
    pub thing: Thing,
    /// What is known of an object; nothing is to be known of other things.
    pub presence: Presence<'state>,
}

/// What a node stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Thing {
    /// An object of the cluster.
    Object(ObjectKey),
    /// A source of manifests.
    Git(GitSource),
    /// Something outside.
    External(External),
    /// An app cluster.
    Cluster(ClusterName),
}

/// Whether an object is there.
#[derive(Debug, Clone, Copy)]
pub enum Presence<'state> {
    /// It was read.
    Here(&'state Resource),
    /// Its kind was read, or it was asked for, and it is not there.
    Missing,
    /// Nobody asked for it, or nobody answered.
    Unread,
}

/// One end of a link, seen from the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The other end.
    pub node: NodeId,
    /// What the upper end is to the lower one.
    pub relation: Relation,
    /// Who says so.
    pub evidence: Evidence,
}

/// Who says that two things have to do with each other: one or more of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Evidence(u8);

/// Somebody who says that two things have to do with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Witness {
    /// The upper end, such as an Application in its `status.resources`.
    Upper = 1,
    /// The lower end, such as an object with a tracking label.
    Lower = 2,
    /// The lower end, in its ownerReferences.
    OwnerReference = 4,
    /// A third object.
    Other = 8,
}

/// A graph of the objects of a state that is put together when somebody first asks: where all is well, nobody does.
pub struct LazyGraph<'state> {
    state: &'state ClusterState,
    links: fn(&Resource) -> Vec<Link>,
    graph: OnceCell<Graph<'state>>,
}

impl<'state> LazyGraph<'state> {
    /// Of the objects of a state.
    pub fn of(state: &'state ClusterState, links: fn(&Resource) -> Vec<Link>) -> Self {
        Self { state, links, graph: OnceCell::new() }
    }
}

impl<'state> Deref for LazyGraph<'state> {
    type Target = Graph<'state>;

    fn deref(&self) -> &Graph<'state> {
        self.graph.get_or_init(|| Graph::of_objects(self.state, self.links))
    }
}

impl Evidence {
    /// Whether this one says so.
    pub const fn has(self, witness: Witness) -> bool {
        self.0 & witness as u8 != 0
    }

    const fn with(self, witness: Witness) -> Self {
        Self(self.0 | witness as u8)
    }
}

/// Which things are nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Objects,
    Everything,
}

impl<'state> Graph<'state> {
    /// Puts together what was read. `links` are those that an object declares, `more` links that no single object tells
    /// of, and `absent` objects that were asked for and are not there.
    pub fn of(
        state: &'state ClusterState,
        links: impl Fn(&Resource) -> Vec<Link>,
        more: &[Link],
        absent: &BTreeSet<ObjectKey>,
    ) -> Self {
        let mut builder = Builder::new(state, absent, Extent::Everything);
        builder.read(links, more);
        builder.finish()
    }

    /// The objects alone: without Git, without app clusters, and without what is outside.
    pub fn of_objects(state: &'state ClusterState, links: impl Fn(&Resource) -> Vec<Link>) -> Self {
        let absent = BTreeSet::new();
        let mut builder = Builder::new(state, &absent, Extent::Objects);
        builder.read(links, &[]);
        builder.finish()
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> Node<'state> {
        match &self.nodes[id] {
            Known::Here(resource) => Node { thing: Thing::Object(resource.key()), presence: Presence::Here(resource) },
            Known::Other(node) => node.as_ref().clone(),
        }
    }

    /// The object of a node, if it was read.
    pub fn resource(&self, id: NodeId) -> Option<&'state Resource> {
        match self.nodes[id] {
            Known::Here(resource) => Some(resource),
            Known::Other(_) => None,
        }
    }

    /// The node of an object.
    pub fn find(&self, key: &ObjectKey) -> Option<NodeId> {
        self.here.get(&key.key_ref()).or_else(|| self.referred.get(key).copied())
    }

    /// The name of an object; `None` for what is none.
    pub fn name(&self, id: NodeId) -> Option<ObjectName> {
        let node = match &self.nodes[id] {
            Known::Here(resource) => return Some(resource.name()),
            Known::Other(node) => node,
        };
        let Thing::Object(key) = &node.thing else { return None };
        Some(ObjectName {
            api_version: self.versions.get(&id).cloned().unwrap_or_else(|| key.group.clone()),
            kind: key.kind.clone(),
            namespace: key.namespace.clone(),
            name: key.name.clone(),
        })
    }

    /// What leads to a node. What applies itself leads to itself.
    pub fn up(&self, id: NodeId) -> &[Edge] {
        self.up.at(id)
    }

    /// What a node leads to.
    pub fn down(&self, id: NodeId) -> &[Edge] {
        self.down.at(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_links_of_a_node_are_its_own_and_in_their_order() {
        let edge = |node| Edge { node, relation: Relation::Owns, evidence: Evidence::default() };
        let links = [(3, 7), (1, 5), (3, 2), (0, 4), (1, 1), (3, 9)];
        let edges = Edges::of(5, links.iter().map(|(at, node)| (*at, edge(*node))).collect());
        let at: Vec<Vec<NodeId>> = (0..5).map(|node| edges.at(node).iter().map(|edge| edge.node).collect()).collect();
        assert_eq!(at, [vec![4], vec![5, 1], vec![], vec![7, 2, 9], vec![]]);
        assert!(Edges::of(1, Vec::new()).at(0).is_empty());
    }
}
