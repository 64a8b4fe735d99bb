//! The document `Rehearsal`: the objects of a core cluster that could not be restored from Git alone.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::Header;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_features::bootstrap::hub::HubOwnership;
use ucp_features::bootstrap::rehearsal::{Recovery, RecoveryConcern, RecoveryOutcome};

/// The document `Rehearsal`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rehearsal {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The time of the cluster state.
    pub moment: Timestamp,
    /// The directory of the checkout.
    pub directory: String,
    /// Evidence that the cluster is not the hub of the checkout: its roots come from another repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hub: Option<HubOwnership>,
    /// Other repositories that the hub deploys from, with the number of objects of each. They were not read.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub repositories: BTreeMap<String, usize>,
    /// The number of objects that are restored automatically.
    pub returning: usize,
    /// The number of objects by outcome.
    pub counts: BTreeMap<RecoveryOutcome, usize>,
    /// The objects that are not restored automatically, worst first.
    pub items: Vec<RecoveryConcern>,
    /// Objects that could not be rendered or read. Any other object may depend on them.
    pub unreadable: Vec<Unreadable>,
}

impl Rehearsal {
    /// Builds the document from the analysis. `unreadable` lists the manifests that could not be rendered.
    pub fn from_recovery(
        state: &ClusterState,
        directory: String,
        found: Recovery,
        unreadable: Vec<Unreadable>,
    ) -> Self {
        let mut counts = BTreeMap::new();
        for concern in &found.concerns {
            *counts.entry(concern.outcome).or_default() += 1;
        }
        // Names and messages of engines may contain secrets.
        let told = |text: String| scrub(&text).into_owned();
        let shown = |concern: RecoveryConcern| RecoveryConcern {
            external: concern.external.map(told),
            reason: told(concern.reason),
            remedy: concern.remedy.map(told),
            ..concern
        };
        let unknown = found.unknown.into_iter().map(|one| Unreadable { reason: told(one.reason), ..one });
        Self {
            header: Header::new("Rehearsal", state.origin.clone()),
            moment: state.moment,
            directory,
            hub: None,
            repositories: BTreeMap::new(),
            returning: found.returning,
            counts,
            items: found.concerns.into_iter().map(shown).collect(),
            unreadable: unreadable.into_iter().chain(state.unreadable.iter().cloned()).chain(unknown).collect(),
        }
    }
}
