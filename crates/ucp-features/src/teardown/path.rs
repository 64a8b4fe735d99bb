//! The objects of a deletion, and the paths by which it reaches them.

use std::collections::{BTreeMap, BTreeSet};

use ucp_core::graph::NodeId;
use ucp_core::model::object::ObjectKey;

/// The path by which a deletion reaches an object.
#[derive(Debug, Clone, Default)]
pub(super) struct DeletionPath {
    /// The object on the path that an Application or Kustomization applied, which has the sync wave.
    pub(super) applied: Option<NodeId>,
    /// The deployer that applied it.
    pub(super) by: Option<NodeId>,
    /// The provider that is deleted first and leaves the object behind.
    pub(super) deserted_by: Option<NodeId>,
    /// The object with which it is deleted.
    pub(super) parent: Option<NodeId>,
}

/// The objects that are deleted, and those that remain although their owner is deleted.
#[derive(Debug, Default)]
pub(super) struct DeletionCascade {
    pub(super) going: BTreeMap<NodeId, DeletionPath>,
    /// The definitions of kinds among them, as `plural.group`.
    pub(super) definitions: BTreeSet<String>,
    /// Objects whose deletion is requested and refused.
    pub(super) refused: BTreeMap<NodeId, DeletionPath>,
    pub(super) kept: BTreeMap<NodeId, String>,
    /// Objects that are deleted and whose kinds were not read.
    pub(super) unread: BTreeSet<ObjectKey>,
}
