//! The Secrets that were requested for a plan.

use std::collections::BTreeMap;

use ucp_core::failure::Failure;
use ucp_core::model::body::secret::Secret;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Unreadable;

/// Secrets that were requested by name: those of provider configs, and registrations of clusters. `None` if one does not exist.
#[derive(Debug, Default)]
pub struct RequestedCredentials(pub BTreeMap<ObjectName, Result<Option<Secret>, Failure>>);

impl RequestedCredentials {
    /// Returns the Secrets that could not be read.
    pub(super) fn unread(&self) -> impl Iterator<Item = Unreadable> + '_ {
        self.0.iter().filter_map(|(secret, found)| {
            Some(Unreadable { what: secret.to_string(), reason: found.as_ref().err()?.to_string() })
        })
    }
}
