//! Graph of objects and their links: every [`link::Link`] that the engines declare, in both directions. Owners, causes,
//! orphans, and the path from a Git commit to external resources are read from it.

pub mod build;
mod here;
pub mod link;
mod origin;
pub mod walk;

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Deref;

use self::build::GraphBuilder;
use self::here::ObjectIndex;
use self::link::{ClusterName, External, GitSource, Link, Relation};
use crate::model::object::{ObjectKey, ObjectName};
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// Index of a node in a [`Graph`]. The objects of a state come first, in their order.
pub type NodeId = usize;

/// The objects that were read, and everything that they refer to.
pub struct Graph<'state> {
    nodes: Vec<StoredNode<'state>>,
    up: Edges,
    down: Edges,
    here: ObjectIndex<'state>,
    referred: HashMap<ObjectKey, NodeId>,
    /// API versions of objects that were not read.
    versions: HashMap<NodeId, String>,
}

/// A stored node. Most are objects that were read, which hold their own names.
enum StoredNode<'state> {
    Here(&'state Resource),
    Other(Box<GraphNode<'state>>),
}

/// Edges of all nodes in one direction.
struct Edges {
    /// Start of the edges of each node, followed by the end of the last ones.
    starts: Vec<usize>,
    edges: Vec<Edge>,
}

impl Edges {
    /// Groups edges by node, for this number of nodes. The order of edges of one node is kept.
    fn group_by_node(nodes: usize, mut edges: Vec<(NodeId, Edge)>) -> Self {
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

/// A node.
#[derive(Debug, Clone)]
pub struct GraphNode<'state> {
    /// Identity of the node.
    pub thing: NodeIdentity,
    /// Presence of the object; not meaningful for other things.
    pub presence: NodePresence<'state>,
}

/// Identity of a node.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NodeIdentity {
    /// An object of the cluster.
    Object(ObjectKey),
    /// A source of manifests.
    Git(GitSource),
    /// An external resource.
    External(External),
    /// An app cluster.
    Cluster(ClusterName),
}

/// Presence of an object in a state.
#[derive(Debug, Clone, Copy)]
pub enum NodePresence<'state> {
    /// It was read.
    Here(&'state Resource),
    /// Its kind was read, or it was requested, and it does not exist.
    Missing,
    /// It was not requested, or the request failed.
    Unread,
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

/// A graph of the objects of a state, built on first use: if there are no problems, it is never needed.
pub struct LazyGraph<'state> {
    state: &'state ClusterState,
    links: fn(&Resource) -> Vec<Link>,
    graph: OnceCell<Graph<'state>>,
}

impl<'state> LazyGraph<'state> {
    /// Creates a graph for the objects of a state, without building it.
    pub fn new(state: &'state ClusterState, links: fn(&Resource) -> Vec<Link>) -> Self {
        Self { state, links, graph: OnceCell::new() }
    }
}

impl<'state> Deref for LazyGraph<'state> {
    type Target = Graph<'state>;

    fn deref(&self) -> &Graph<'state> {
        self.graph.get_or_init(|| Graph::from_objects_only(self.state, self.links))
    }
}

impl LinkEvidence {
    /// Returns true if the set contains this source.
    pub const fn has(self, witness: EvidenceSource) -> bool {
        self.0 & witness as u8 != 0
    }

    const fn with(self, witness: EvidenceSource) -> Self {
        Self(self.0 | witness as u8)
    }
}

/// Kinds of things that become nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GraphScope {
    Objects,
    Everything,
}

impl<'state> Graph<'state> {
    /// Builds the graph of a state. `links` returns the links that an object declares, `more` are links that no single
    /// object declares, and `absent` are objects that were requested and do not exist.
    pub fn from_state(
        state: &'state ClusterState,
        links: impl Fn(&Resource) -> Vec<Link>,
        more: &[Link],
        absent: &BTreeSet<ObjectKey>,
    ) -> Self {
        let mut builder = GraphBuilder::new(state, absent, GraphScope::Everything);
        builder.read(links, more);
        builder.finish()
    }

    /// Builds the graph of the objects alone: without Git, app clusters, and external resources.
    pub fn from_objects_only(state: &'state ClusterState, links: impl Fn(&Resource) -> Vec<Link>) -> Self {
        let absent = BTreeSet::new();
        let mut builder = GraphBuilder::new(state, &absent, GraphScope::Objects);
        builder.read(links, &[]);
        builder.finish()
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns a node.
    pub fn node(&self, id: NodeId) -> GraphNode<'state> {
        match &self.nodes[id] {
            StoredNode::Here(resource) => {
                GraphNode { thing: NodeIdentity::Object(resource.key()), presence: NodePresence::Here(resource) }
            }
            StoredNode::Other(node) => node.as_ref().clone(),
        }
    }

    /// Returns the object of a node, if it was read.
    pub fn resource(&self, id: NodeId) -> Option<&'state Resource> {
        match self.nodes[id] {
            StoredNode::Here(resource) => Some(resource),
            StoredNode::Other(_) => None,
        }
    }

    /// Returns the node of an object.
    pub fn find(&self, key: &ObjectKey) -> Option<NodeId> {
        self.here.get(&key.key_ref()).or_else(|| self.referred.get(key).copied())
    }

    /// Returns the name of an object; `None` if the node is not an object.
    pub fn name(&self, id: NodeId) -> Option<ObjectName> {
        let node = match &self.nodes[id] {
            StoredNode::Here(resource) => return Some(resource.name()),
            StoredNode::Other(node) => node,
        };
        let NodeIdentity::Object(key) = &node.thing else { return None };
        Some(ObjectName {
            api_version: self.versions.get(&id).cloned().unwrap_or_else(|| key.group.clone()),
            kind: key.kind.clone(),
            namespace: key.namespace.clone(),
            name: key.name.clone(),
        })
    }

    /// Returns the edges to upper ends. An object that applies itself is its own upper end.
    pub fn up(&self, id: NodeId) -> &[Edge] {
        self.up.at(id)
    }

    /// Returns the edges to lower ends.
    pub fn down(&self, id: NodeId) -> &[Edge] {
        self.down.at(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_links_of_a_node_are_its_own_and_in_their_order() {
        let edge = |node| Edge { node, relation: Relation::Owns, evidence: LinkEvidence::default() };
        let links = [(3, 7), (1, 5), (3, 2), (0, 4), (1, 1), (3, 9)];
        let edges = Edges::group_by_node(5, links.iter().map(|(at, node)| (*at, edge(*node))).collect());
        let at: Vec<Vec<NodeId>> = (0..5).map(|node| edges.at(node).iter().map(|edge| edge.node).collect()).collect();
        assert_eq!(at, [vec![4], vec![5, 1], vec![], vec![7, 2, 9], vec![]]);
        assert!(Edges::group_by_node(1, Vec::new()).at(0).is_empty());
    }
}
