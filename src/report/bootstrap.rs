//! The document `BootstrapPlan`: the steps to bootstrap a core cluster, and their progress.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Header;
use ucp_core::model::finding::Finding;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::{Origin, Unreadable};
use ucp_features::bootstrap::hub::HubReport;
use ucp_features::bootstrap::{BootstrapAction, BootstrapStep};

/// The document `BootstrapPlan`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BootstrapPlan {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The directory of the checkout.
    pub directory: String,
    /// The ownership of the cluster as a hub, if everything that decides it could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hub: Option<HubReport>,
    /// Reasons why the plan could never complete: kinds that nothing installs, and objects that nothing decrypts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<String>,
    /// Kinds and controllers that nothing in the repository certainly provides, and sources with unknown content that may.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncertain: Vec<String>,
    /// The number of objects for each action.
    pub counts: BTreeMap<BootstrapAction, usize>,
    /// All objects, in the order in which they are applied.
    pub steps: Vec<BootstrapStep>,
    /// Objects whose names contain variables that only a cluster can resolve. They are neither queried nor waited for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unnamed: Vec<ObjectName>,
    /// Findings about objects that were not healthy at the end.
    pub findings: Vec<Finding>,
    /// Manifests that could not be rendered and objects that could not be read.
    pub unreadable: Vec<Unreadable>,
}

impl BootstrapPlan {
    /// Builds the document from the plan. `unreadable` lists the manifests that could not be rendered.
    pub fn from_steps(
        origin: Origin,
        directory: String,
        hub: Option<HubReport>,
        blocked: Vec<String>,
        steps: Vec<BootstrapStep>,
        unnamed: Vec<ObjectName>,
        unreadable: Vec<Unreadable>,
    ) -> Self {
        let mut counts = BTreeMap::new();
        for step in &steps {
            *counts.entry(step.action).or_default() += 1;
        }
        let unread = ucp_features::bootstrap::plan::unreadable(&steps);
        Self {
            header: Header::new("BootstrapPlan", origin),
            directory,
            hub,
            blocked,
            uncertain: Vec::new(),
            counts,
            steps,
            unnamed,
            findings: Vec::new(),
            unreadable: unreadable.into_iter().chain(unread).collect(),
        }
    }

    /// Returns the number of objects that `bootstrap` writes itself, now or once the cluster has their kinds.
    pub fn write_count(&self) -> usize {
        self.steps.iter().filter(|step| step.is_written_by_bootstrap()).count()
    }

    /// Returns the number of those objects that must wait for their kinds.
    pub fn deferred_count(&self) -> usize {
        self.steps.iter().filter(|step| step.is_deferred()).count()
    }
}
