//! The graph, after its construction.

use std::collections::HashMap;

use super::edge::{Edge, Edges};
use super::here::ObjectIndex;
use super::node::{GraphNode, NodeId, NodeIdentity, NodePresence, StoredNode};
use crate::model::object::{ObjectKey, ObjectName};
use crate::model::resource::Resource;

/// The objects that were read, and everything that they refer to.
pub struct Graph<'state> {
    pub(super) nodes: Vec<StoredNode<'state>>,
    pub(super) up: Edges,
    pub(super) down: Edges,
    pub(super) here: ObjectIndex<'state>,
    pub(super) referred: HashMap<ObjectKey, NodeId>,
    /// API versions of objects that were not read.
    pub(super) versions: HashMap<NodeId, String>,
}

impl<'state> Graph<'state> {
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
