//! `AdoptionPlan`: what adopting or releasing clusters would do, or did.

use serde::Serialize;

use crate::adopt::holder::Holder;
use crate::adopt::plan::{ServerChange, ServerIdentity};
use crate::model::git_ops::GitOps;
use crate::model::object::ObjectName;
use crate::model::state::Origin;
use crate::report::Header;

/// The document.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdoptionPlan {
    /// What every document begins with.
    #[serde(flatten)]
    pub header: Header,
    /// One item a cluster and engine, and one a cluster for `kubectl ucp secrets`.
    pub items: Vec<AdoptionItem>,
}

/// One cluster and one engine, or `kubectl ucp secrets`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdoptionItem {
    /// The app cluster.
    pub cluster: String,
    /// The engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<GitOps>,
    /// Where it is for no engine, what for: `secrets`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<&'static str>,
    /// What is to be done, in order.
    pub actions: Vec<Action>,
    /// What is granted in the app cluster, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grants: Option<String>,
    /// That its server is another than the registered one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_change: Option<ServerChangeReport>,
    /// What came of it.
    pub state: AdoptionState,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Objects in the app cluster that could not be removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<ObjectName>,
}

/// That the server of a cluster is another than the registered one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerChangeReport {
    /// The registered server.
    pub from: String,
    /// The new one.
    pub to: String,
    /// Why the new one is not known to be the same; absent where it proved that.
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

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Action {
    /// What.
    pub verb: Verb,
    /// To which object.
    pub object: ObjectName,
    /// In which cluster: `core`, or the app cluster's name.
    pub cluster: String,
}

/// The name of the core cluster in actions.
pub const CORE: &str = "core";

/// What is done to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// It is made.
    Create,
    /// It is brought up to date.
    Update,
    /// It is removed and made anew.
    Replace,
    /// It is removed.
    Delete,
}

impl Verb {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Replace => "replace",
            Self::Delete => "delete",
        }
    }
}

/// What comes of one adoption or release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AdoptionState {
    /// It went wrong.
    Failed,
    /// Something is in the way.
    Refused,
    /// It would be done.
    Planned,
    /// It is registered now.
    Adopted,
    /// It is registered no more.
    Released,
    /// There was nothing to do.
    Unchanged,
}

impl AdoptionState {
    /// The word for it in output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Planned => "planned",
            Self::Adopted => "adopted",
            Self::Released => "released",
            Self::Unchanged => "unchanged",
        }
    }
}

impl AdoptionPlan {
    /// The document of some items.
    pub fn of(source: Origin, items: Vec<AdoptionItem>) -> Self {
        Self { header: Header::new("AdoptionPlan", source), items }
    }

    /// Whether anything is to be done.
    pub fn is_planned(&self) -> bool {
        self.items.iter().any(|item| item.state == AdoptionState::Planned)
    }

    /// The worst of what came of it.
    pub fn worst(&self) -> Option<AdoptionState> {
        self.items.iter().map(|item| item.state).min()
    }
}

impl AdoptionItem {
    /// What it is for, where that is no engine.
    pub fn purpose(holder: Holder) -> Option<&'static str> {
        holder.engine().is_none().then_some(holder.as_str())
    }

    /// A cluster about which nothing is done, with the reason.
    pub fn refused(cluster: &str, holder: Holder, reason: String, hint: Option<String>) -> Self {
        Self {
            cluster: cluster.to_owned(),
            engine: holder.engine(),
            purpose: Self::purpose(holder),
            actions: Vec::new(),
            grants: None,
            server_change: None,
            state: AdoptionState::Refused,
            reason: Some(reason),
            hint,
            left: Vec::new(),
        }
    }
}
