//! The Secrets that were requested for a plan.

use std::collections::BTreeMap;

use ucp_core::failure::Failure;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Unreadable;

/// The Secrets of provider configs that were requested by name.
#[derive(Debug, Default)]
pub struct RequestedCredentials(pub BTreeMap<ObjectName, Result<CredentialPresence, Failure>>);

impl RequestedCredentials {
    /// Returns the Secrets that could not be read.
    pub(super) fn unread(&self) -> impl Iterator<Item = Unreadable> + '_ {
        self.0.iter().filter_map(|(secret, presence)| {
            Some(Unreadable { what: secret.to_string(), reason: presence.as_ref().err()?.to_string() })
        })
    }
}

/// Whether a Secret exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialPresence {
    /// It exists.
    Present,
    /// It does not exist.
    Missing,
}
