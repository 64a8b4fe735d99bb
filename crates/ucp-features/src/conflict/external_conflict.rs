//! Objects that represent the same external resource.

use jiff::Timestamp;
use serde::Serialize;

use super::powers::EnginePowers;
use ucp_core::engine::code::Code;
use ucp_core::model::comparison::Certainty;
use ucp_core::model::object::ObjectName;

/// One of several objects that claim the same resource.
#[derive(Debug, Clone)]
pub struct ConflictClaimant {
    /// Index of its cluster state.
    pub state: usize,
    /// The object.
    pub object: ObjectName,
    /// The external operations that its engine may perform.
    pub powers: EnginePowers,
    /// The reason why no controller currently acts on it, although it may.
    pub idle: Option<String>,
    /// Creation time of the object.
    pub since: Option<Timestamp>,
}

impl ConflictClaimant {
    /// Returns true if its engine currently writes to the resource.
    pub fn writes(&self) -> bool {
        self.powers.writes && !self.powers.is_paused && self.idle.is_none()
    }
}

/// The claimant that prevails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ConflictWinner {
    /// Only one of them currently writes.
    One(usize),
    /// Several write, with equal values.
    Agreed,
    /// Several write, with different values: each reverts the others.
    Fight,
    /// Several write, in forms that cannot be compared: two engines, or two providers.
    Unknown,
    /// None currently writes.
    #[serde(rename = "nobody")]
    NoWriter,
}

/// Several objects that claim one external resource.
#[derive(Debug, Clone)]
pub struct ExternalConflict {
    /// Code of the finding.
    pub code: Code,
    /// The claimed resource, by the cloud's name.
    pub identity: String,
    /// The certainty of the conflict.
    pub certainty: Certainty,
    /// The claimants; only one if another owner is known by tags only.
    pub claimants: Vec<ConflictClaimant>,
    /// The claimant that prevails.
    pub winner: ConflictWinner,
    /// The fields that they declare differently.
    pub fields: Vec<String>,
    /// Start of the conflict: the creation time of the second claimant.
    pub since: Option<Timestamp>,
    /// Explanation of the conflict.
    pub message: String,
}
