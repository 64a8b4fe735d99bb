//! Recovery of objects from a checkout, and concerns about it.

use serde::Serialize;

use ucp_core::failure::Failure;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::Unreadable;

/// The outcome for an object that is not restored automatically, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RecoveryOutcome {
    /// The object exists nowhere else.
    Lost,
    /// The external resource remains, and no controller manages it.
    Orphaned,
    /// A second external resource is created in addition to the existing one.
    Duplicated,
    /// The user must provide the object: no repository contains it.
    Asked,
    /// Its controller fetches it again.
    Fetched,
}

impl RecoveryOutcome {
    /// Returns true if something is missing or wrong after the recovery, regardless of manual steps.
    pub const fn is_loss(self) -> bool {
        matches!(self, Self::Lost | Self::Orphaned | Self::Duplicated)
    }
}

/// One object that is not restored automatically.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryConcern {
    /// The outcome for the object.
    pub outcome: RecoveryOutcome,
    /// The object.
    pub object: ObjectName,
    /// The name of its external resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<String>,
    /// The reason for the outcome.
    pub reason: String,
    /// The recommended preparation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl RecoveryConcern {
    pub(super) fn from_resource(resource: &Resource, outcome: RecoveryOutcome, reason: impl Into<String>) -> Self {
        Self { outcome, object: resource.name(), external: None, reason: reason.into(), remedy: None }
    }

    pub(super) fn remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }

    pub(super) fn external(self, external: Option<String>) -> Self {
        Self { external, ..self }
    }
}

/// The objects that are restored, and those that are not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// The objects that are not restored automatically, worst first.
    pub concerns: Vec<RecoveryConcern>,
    /// The number of objects that are restored automatically.
    pub returning: usize,
    /// Objects with an unknown outcome.
    pub unknown: Vec<Unreadable>,
}

impl Recovery {
    /// Records the result for an object. Returns true if the object is restored.
    pub(super) fn record(&mut self, resource: &Resource, found: Result<Option<RecoveryConcern>, Failure>) -> bool {
        match found {
            Ok(None) => return true,
            Ok(Some(concern)) => self.concerns.push(concern),
            Err(reason) => self.unknown.push(Unreadable { what: resource.name().to_string(), reason: reason.into() }),
        }
        false
    }
}
