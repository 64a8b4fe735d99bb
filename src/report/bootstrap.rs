//! The document `BootstrapPlan`: what the first day of a core cluster takes, and how far it is.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Header;
use crate::bootstrap::hub::Hub;
use crate::bootstrap::{Action, Step};
use crate::model::finding::Finding;
use crate::model::object::ObjectName;
use crate::model::state::{Origin, Unreadable};

/// The document `BootstrapPlan`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BootstrapPlan {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The checkout.
    pub directory: String,
    /// Whose hub the cluster is, if all that decides it could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hub: Option<Hub>,
    /// Why the plan would never come to its end: kinds that nothing brings, and objects that nothing decrypts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<String>,
    /// How many objects come to which action.
    pub counts: BTreeMap<Action, usize>,
    /// Every object, in the order in which it comes.
    pub steps: Vec<Step>,
    /// What has variables in its name that only a cluster knows: neither asked nor waited for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unnamed: Vec<ObjectName>,
    /// What was not well at the end.
    pub findings: Vec<Finding>,
    /// What could not be rendered or read.
    pub unreadable: Vec<Unreadable>,
}

impl BootstrapPlan {
    /// Gathers what was planned. `unreadable` is what could not be rendered.
    pub fn of(
        origin: Origin,
        directory: String,
        hub: Option<Hub>,
        blocked: Vec<String>,
        steps: Vec<Step>,
        unnamed: Vec<ObjectName>,
        unreadable: Vec<Unreadable>,
    ) -> Self {
        let mut counts = BTreeMap::new();
        for step in &steps {
            *counts.entry(step.action).or_default() += 1;
        }
        let unread = crate::bootstrap::plan::unreadable(&steps);
        Self {
            header: Header::new("BootstrapPlan", origin),
            directory,
            hub,
            blocked,
            counts,
            steps,
            unnamed,
            findings: Vec::new(),
            unreadable: unreadable.into_iter().chain(unread).collect(),
        }
    }

    /// How many objects are written from here, now or as soon as the cluster has their kinds.
    pub fn writes(&self) -> usize {
        self.steps.iter().filter(|step| step.is_from_here()).count()
    }

    /// How many of them have to wait for their kinds.
    pub fn deferred(&self) -> usize {
        self.steps.iter().filter(|step| step.is_deferred()).count()
    }
}
