//! The document `AdoptionPlan`: the planned or executed changes of adopting or releasing app clusters.

use serde::Serialize;

use crate::report::Header;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::grounds::Grounds;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Origin;
use ucp_core::model::variant_words::variant_words;
use ucp_features::adopt::holder::AccountHolder;
use ucp_features::adopt::plan::{ServerChange, ServerIdentity};

/// The document `AdoptionPlan`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdoptionPlan {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// One item for each cluster and engine, and one for each cluster for `kubectl ucp secrets`.
    pub items: Vec<AdoptionItem>,
}

/// One cluster and one engine, or `kubectl ucp secrets`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdoptionItem {
    /// The name of the app cluster.
    pub cluster: String,
    /// The engine that the cluster is registered with; absent for `kubectl ucp secrets`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<GitOps>,
    /// `secrets` if the item is not for an engine; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<&'static str>,
    /// The changes to objects, in order of execution.
    pub actions: Vec<AdoptionAction>,
    /// A description of the permissions granted in the app cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grants: Option<String>,
    /// The change of the API server, if it differs from the registered one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_change: Option<ServerChangeReport>,
    /// The lists and objects that were read for these changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounds: Option<Grounds>,
    /// The outcome.
    pub state: AdoptionState,
    /// The reason for the outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The suggested next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Objects in the app cluster that could not be removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<ObjectName>,
}

/// A change of a cluster's API server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerChangeReport {
    /// The registered server.
    pub from: String,
    /// The new server.
    pub to: String,
    /// The reason why the new server could not be verified to be the same cluster; absent if it was verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unproven: Option<String>,
}

impl From<&ServerChange> for ServerChangeReport {
    fn from(change: &ServerChange) -> Self {
        let unproven = match &change.identity {
            ServerIdentity::Proven => None,
            ServerIdentity::Unproven(reason) => Some(reason.clone()),
        };
        Self { from: change.from.clone(), to: change.to.clone(), unproven }
    }
}

/// One change to an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdoptionAction {
    /// The kind of change.
    pub verb: AdoptionVerb,
    /// The object that is changed.
    pub object: ObjectName,
    /// The cluster that holds the object: `core`, or the app cluster's name.
    pub cluster: String,
}

/// The name of the core cluster in actions.
pub const CORE: &str = "core";

/// A kind of change to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AdoptionVerb {
    /// Creates the object.
    Create,
    /// Updates the object.
    Update,
    /// Deletes the object and creates it again.
    Replace,
    /// Deletes the object.
    Delete,
}

variant_words!(AdoptionVerb { Create = "create", Update = "update", Replace = "replace", Delete = "delete" });

/// The outcome of one adoption or release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AdoptionState {
    /// An error occurred.
    Failed,
    /// A precondition is not met.
    Refused,
    /// The changes are planned, but not made yet.
    Planned,
    /// The cluster is now registered.
    Adopted,
    /// The cluster is no longer registered.
    Released,
    /// There was nothing to do.
    Unchanged,
}

variant_words!(AdoptionState {
    Failed = "failed", Refused = "refused", Planned = "planned", Adopted = "adopted", Released = "released",
    Unchanged = "unchanged",
});

impl AdoptionPlan {
    /// Returns the document with these items.
    pub fn from_items(source: Origin, items: Vec<AdoptionItem>) -> Self {
        Self { header: Header::new("AdoptionPlan", source), items }
    }

    /// Returns true if any item has planned changes.
    pub fn is_planned(&self) -> bool {
        self.items.iter().any(|item| item.state == AdoptionState::Planned)
    }

    /// Returns the worst outcome of all items.
    pub fn worst(&self) -> Option<AdoptionState> {
        self.items.iter().map(|item| item.state).min()
    }
}

impl AdoptionItem {
    /// Returns the purpose, if the holder is not an engine.
    pub fn purpose(holder: AccountHolder) -> Option<&'static str> {
        holder.engine().is_none().then_some(holder.as_str())
    }

    /// Returns an item without actions for a cluster that is refused, with the reason.
    pub fn refused(cluster: &str, holder: AccountHolder, reason: String, hint: Option<String>) -> Self {
        Self {
            cluster: cluster.to_owned(),
            engine: holder.engine(),
            purpose: Self::purpose(holder),
            actions: Vec::new(),
            grants: None,
            server_change: None,
            grounds: None,
            state: AdoptionState::Refused,
            reason: Some(reason),
            hint,
            left: Vec::new(),
        }
    }
}
