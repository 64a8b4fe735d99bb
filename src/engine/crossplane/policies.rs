//! `spec.managementPolicies` and what else decides what a provider may do outside, by the rules of crossplane-runtime's
//! `pkg/reconciler/managed/policies.go`.

use serde_json::Value;

use super::{EXTERNAL_NAME, PAUSED};
use crate::model::body::crossplane::Crossplane;
use crate::model::kind::{ResourceKind, Scope};
use crate::model::metadata::Metadata;

/// `spec.managementPolicies`.
#[derive(Debug, Clone, Copy)]
pub struct ManagementPolicies<'a> {
    actions: Option<&'a [String]>,
}

/// What a provider may be allowed to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Make it outside.
    Create,
    /// Change it outside.
    Update,
    /// Delete it outside.
    Delete,
}

impl<'a> ManagementPolicies<'a> {
    /// Absent is full control, empty is paused.
    pub fn of(actions: Option<&'a [String]>) -> Self {
        Self { actions }
    }

    /// Whether they allow an action.
    pub fn allow(self, action: Action) -> bool {
        let name = match action {
            Action::Create => "Create",
            Action::Update => "Update",
            Action::Delete => "Delete",
        };
        self.actions.is_none_or(|actions| actions.iter().any(|allowed| allowed == "*" || allowed == name))
    }

    /// Whether the external resource is deleted with the object. `deletionPolicy: Orphan` keeps it, unless somebody set
    /// policies on purpose that name `Delete` (`ManagementPoliciesResolver.ShouldDelete`).
    pub fn delete(self, deletion_policy: Option<&str>) -> bool {
        let on_purpose = |actions: &[String]| actions != ["*"] && actions.iter().any(|action| action == "Delete");
        match deletion_policy {
            Some("Orphan") => self.actions.is_some_and(on_purpose),
            _ => self.allow(Action::Delete),
        }
    }

    /// As a person writes them: `[Observe, Create]`.
    pub fn text(self) -> String {
        self.actions.map_or_else(|| "[*]".to_owned(), |actions| format!("[{}]", actions.join(", ")))
    }
}

/// What an object itself says that pauses its reconciliation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PausedBy {
    /// Annotation [`PAUSED`].
    Annotation,
    /// Empty management policies.
    Policies,
    /// Condition Synced alone: the annotation went and the condition has not followed yet, or it was never there.
    Condition,
}

impl PausedBy {
    /// By its annotation and its policies.
    pub fn of(metadata: &Metadata, policies: ManagementPolicies<'_>) -> Option<Self> {
        if metadata.annotation(PAUSED) == Some("true") {
            return Some(Self::Annotation);
        }
        policies.actions.is_some_and(<[String]>::is_empty).then_some(Self::Policies)
    }

    /// In words.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Annotation => format!("annotation {PAUSED} is set"),
            Self::Policies => "spec.managementPolicies is empty".to_owned(),
            Self::Condition => "condition Synced says ReconcilePaused".to_owned(),
        }
    }
}

/// What a whole managed resource declares of what may be done outside.
#[derive(Debug)]
pub struct Declared {
    metadata: Metadata,
    body: Crossplane,
    scope: Scope,
}

impl Declared {
    /// Of an object that is not what its kind promises, nothing is known.
    pub fn of(kind: &ResourceKind, object: &Value) -> Self {
        let (metadata, body) = Crossplane::read(object).unwrap_or_default();
        Self { metadata, body, scope: kind.scope }
    }

    /// `spec.managementPolicies`.
    pub fn policies(&self) -> ManagementPolicies<'_> {
        ManagementPolicies::of(self.body.management_policies.as_deref())
    }

    /// `spec.deletionPolicy`, which namespaced managed resources do not have.
    pub fn deletion_policy(&self) -> Option<&str> {
        self.body.deletion_policy.as_deref().filter(|_| self.scope == Scope::Cluster)
    }

    /// Whether the external resource is deleted with it.
    pub fn deletes(&self) -> bool {
        self.policies().delete(self.deletion_policy())
    }

    /// Whether it says itself that it is paused.
    pub fn is_paused(&self) -> bool {
        PausedBy::of(&self.metadata, self.policies()).is_some()
    }

    /// Its name outside; `None` before it has one.
    pub fn name(&self) -> Option<String> {
        self.metadata.annotation(EXTERNAL_NAME).filter(|name| !name.is_empty()).map(str::to_owned)
    }
}
