//! `spec.managementPolicies` and other settings that limit the actions of a provider on external resources, with the
//! rules of crossplane-runtime's `pkg/reconciler/managed/policies.go`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::kind_role::{EXTERNAL_NAME, PAUSED};
use crate::model::body::crossplane::CrossplaneObject;
use crate::model::kind::{ResourceKind, ResourceScope};
use crate::model::metadata::Metadata;

/// The value of `spec.managementPolicies`.
#[derive(Debug, Clone, Copy)]
pub struct ManagementPolicies<'a> {
    actions: Option<&'a [String]>,
}

/// An action of a provider on an external resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExternalAction {
    /// Creates the external resource.
    Create,
    /// Updates the external resource.
    Update,
    /// Deletes the external resource.
    Delete,
}

impl<'a> ManagementPolicies<'a> {
    /// Creates policies from the field. Absent means full control; empty means paused.
    pub fn from_field(actions: Option<&'a [String]>) -> Self {
        Self { actions }
    }

    /// Returns true if the policies allow an action.
    pub fn allows(self, action: ExternalAction) -> bool {
        let name = match action {
            ExternalAction::Create => "Create",
            ExternalAction::Update => "Update",
            ExternalAction::Delete => "Delete",
        };
        self.actions.is_none_or(|actions| actions.iter().any(|allowed| allowed == "*" || allowed == name))
    }

    /// Returns true if the external resource is deleted together with the object. `deletionPolicy: Orphan` keeps it,
    /// unless non-default policies include `Delete` (`ManagementPoliciesResolver.ShouldDelete`).
    pub fn deletes_external(self, deletion_policy: Option<&str>) -> bool {
        let on_purpose = |actions: &[String]| actions != ["*"] && actions.iter().any(|action| action == "Delete");
        match deletion_policy {
            Some("Orphan") => self.actions.is_some_and(on_purpose),
            _ => self.allows(ExternalAction::Delete),
        }
    }

    /// Returns true if crossplane-runtime refuses to reconcile an object with this set of actions, also to delete it
    /// (`defaultSupportedManagementPolicies`).
    pub fn is_refused(self) -> bool {
        let Some(actions) = self.actions.filter(|actions| !actions.is_empty()) else { return false };
        let allowed: BTreeSet<&str> = actions.iter().map(String::as_str).collect();
        let is_set = |supported: &&[&str]| allowed == supported.iter().copied().collect();
        !SUPPORTED.iter().any(is_set)
    }

    /// Returns the policies as in YAML: `[Observe, Create]`.
    pub fn text(self) -> String {
        self.actions.map_or_else(|| "[*]".to_owned(), |actions| format!("[{}]", actions.join(", ")))
    }
}

/// The sets of actions that crossplane-runtime supports, besides the empty one.
const SUPPORTED: [&[&str]; 14] = [
    &["*"],
    &["Observe", "Create", "Update", "LateInitialize", "Delete"],
    &["Observe"],
    &["Observe", "Create", "Update", "Delete"],
    &["Observe", "Create", "Update", "LateInitialize"],
    &["Observe", "Create", "Update"],
    &["Observe", "Create", "Delete", "LateInitialize"],
    &["Observe", "Create", "LateInitialize"],
    &["Observe", "Create", "Delete"],
    &["Observe", "Create"],
    &["Observe", "Delete"],
    &["Observe", "Update"],
    &["Observe", "LateInitialize"],
    &["Observe", "Update", "LateInitialize"],
];

/// The setting that pauses the reconciliation of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PausedBy {
    /// Annotation [`PAUSED`].
    Annotation,
    /// Empty management policies.
    Policies,
    /// Only the condition Synced: the annotation was removed and the condition is not updated yet, or the annotation
    /// never existed.
    Condition,
}

impl PausedBy {
    /// Returns the setting that pauses an object, from its annotation and its policies; `None` if neither does.
    pub fn pausing_object(metadata: &Metadata, policies: ManagementPolicies<'_>) -> Option<Self> {
        if metadata.annotation(PAUSED) == Some("true") {
            return Some(Self::Annotation);
        }
        policies.actions.is_some_and(<[String]>::is_empty).then_some(Self::Policies)
    }

    /// Returns a description of the setting.
    pub fn words(self) -> String {
        match self {
            Self::Annotation => format!("annotation {PAUSED} is set"),
            Self::Policies => "spec.managementPolicies is empty".to_owned(),
            Self::Condition => "condition Synced has reason ReconcilePaused".to_owned(),
        }
    }
}

/// The settings of a managed resource that control external actions.
#[derive(Debug)]
pub struct ManagedResourceSettings {
    metadata: Metadata,
    body: CrossplaneObject,
    scope: ResourceScope,
}

impl ManagedResourceSettings {
    /// Reads the settings of an object. An object that does not match the schema of its kind has none.
    pub fn from_object(kind: &ResourceKind, object: &Value) -> Self {
        let (metadata, body) = CrossplaneObject::read(object).unwrap_or_default();
        Self { metadata, body, scope: kind.scope }
    }

    /// Returns `spec.managementPolicies`.
    pub fn policies(&self) -> ManagementPolicies<'_> {
        ManagementPolicies::from_field(self.body.management_policies.as_deref())
    }

    /// Returns `spec.deletionPolicy`, which namespaced managed resources do not have.
    pub fn deletion_policy(&self) -> Option<&str> {
        self.body.deletion_policy.as_deref().filter(|_| self.scope == ResourceScope::Cluster)
    }

    /// Returns true if the external resource is deleted together with the object.
    pub fn deletes(&self) -> bool {
        self.policies().deletes_external(self.deletion_policy())
    }

    /// Returns true if the annotation or the policies pause the object.
    pub fn is_paused(&self) -> bool {
        PausedBy::pausing_object(&self.metadata, self.policies()).is_some()
    }

    /// Returns the external name; `None` if it is not assigned yet.
    pub fn name(&self) -> Option<String> {
        self.metadata.annotation(EXTERNAL_NAME).filter(|name| !name.is_empty()).map(str::to_owned)
    }
}
