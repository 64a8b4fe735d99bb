//! Objects of a deletion, and the effect on each of them.

use ucp_core::engine::code::Code;
use ucp_core::graph::NodeId;
use ucp_core::model::object::ObjectName;
use ucp_core::model::variant_words::variant_words;

/// The consequence for one object.
#[derive(Debug, Clone)]
pub struct DeletionItem {
    /// Position of the object in the state.
    pub node: NodeId,
    /// The object.
    pub object: ObjectName,
    /// The consequence for the object and its external resource.
    pub fate: DeletionOutcome,
    /// Name of the external resource.
    pub external: Option<String>,
    /// The reason for the consequence.
    pub reason: Option<String>,
    /// The blocks that prevent the deletion.
    pub blocks: Vec<DeletionBlock>,
}

/// The consequence for an object and its external resource, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DeletionOutcome {
    /// The object remains with a pending deletion until a user intervenes.
    Stuck,
    /// The object is deleted; its external resource remains and still incurs costs.
    Orphaned,
    /// The object is deleted; the external effect is unknown.
    Unknown,
    /// Both are deleted.
    Deleted,
    /// The object is deleted; its external resource remains, as it was only observed.
    Left,
    /// The object is deleted; it has no external resource.
    Removed,
    /// The object remains in the cluster: nothing deletes it.
    Kept,
}

variant_words!(DeletionOutcome {
    Stuck = "stuck", Orphaned = "orphaned", Unknown = "unknown", Deleted = "deleted outside", Left = "left outside",
    Removed = "removed", Kept = "kept",
});

/// A block that prevents the deletion of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletionBlock {
    /// Code of the finding.
    pub code: Code,
    /// The fields that show it.
    pub reason: String,
    /// The command that removes the block.
    pub command: String,
}
