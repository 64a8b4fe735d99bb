//! Graph of objects and their links: every [`link::Link`] that the engines declare, in both directions. Owners, causes,
//! orphans, and the path from a Git commit to external resources are read from it.

pub mod build;
mod edge;
mod here;
pub mod link;
mod node;
mod object_graph;
mod origin;
mod scope;
pub mod walk;

pub use edge::{Edge, EvidenceSource};
pub use node::{NodeId, NodeIdentity, NodePresence};
pub use object_graph::Graph;

use std::cell::OnceCell;
use std::ops::Deref;

use self::link::Link;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

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
