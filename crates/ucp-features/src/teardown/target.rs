//! The target of a deletion.

use ucp_core::graph::NodeId;

/// The objects to delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TeardownTarget {
    /// The whole core cluster, in the order of the plan.
    All,
    /// These objects, by their positions in the state, at once and in their current state.
    Objects(Vec<NodeId>),
    /// These, by the engines that deployed them, once a path is removed from Git.
    Merge {
        /// The path in its repository.
        path: String,
        /// Their positions in the state.
        roots: Vec<NodeId>,
    },
}

impl TeardownTarget {
    /// The objects that are deleted first; none for the whole core cluster, which has an order of its own.
    pub(super) fn roots(&self) -> Option<&[NodeId]> {
        match self {
            Self::All => None,
            Self::Objects(roots) | Self::Merge { roots, .. } => Some(roots),
        }
    }
}
