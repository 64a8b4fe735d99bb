//! Nodes of a graph: objects, and the things that they refer to.

use super::link::{ClusterName, External, GitSource};
use crate::model::object::ObjectKey;
use crate::model::resource::Resource;

/// Index of a node in a [`Graph`](crate::graph::Graph). The objects of a state come first, in their order.
pub type NodeId = usize;

/// A stored node. Most are objects that were read, which hold their own names.
pub(super) enum StoredNode<'state> {
    Here(&'state Resource),
    Other(Box<GraphNode<'state>>),
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
