//! Objects that may be in a conflict.

use serde_json::Value;

use super::external_conflict::ConflictClaimant;
use super::identity::ExternalIdentity;
use super::powers::EnginePowers;
use ucp_core::model::resource::Resource;

/// An object to compare.
pub(super) struct ConflictCandidate<'a> {
    pub(super) state: usize,
    pub(super) resource: &'a Resource,
    pub(super) whole: &'a Value,
    pub(super) identity: ExternalIdentity,
    pub(super) powers: EnginePowers,
}

impl ConflictCandidate<'_> {
    pub(super) fn claimant(&self, idle: Option<String>) -> ConflictClaimant {
        ConflictClaimant {
            state: self.state,
            object: self.resource.name(),
            powers: self.powers.clone(),
            idle,
            since: self.resource.metadata.creation_timestamp,
        }
    }
}
