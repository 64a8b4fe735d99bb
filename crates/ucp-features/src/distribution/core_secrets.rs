//! Secrets of the core cluster, and the declarations of their copies.

use std::collections::BTreeMap;

use super::authority::Authority;
use super::fingerprint::Fingerprinter;
use super::grounds::DeclarationsRead;
use super::intent::{ClusterResolver, CopyIntent};
use super::source::SourceSecrets;
use super::{collision, credentials, established, intent};
use crate::adopt::inventory::AppClusterInventory;
use ucp_core::model::grounds::GroundsEvidence;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::ClusterState;

/// Secrets and declarations on the core cluster.
#[derive(Debug)]
pub struct CoreSecrets {
    /// Secrets that may be copied.
    pub sources: SourceSecrets,
    /// Declared copies.
    pub intents: Vec<CopyIntent>,
    /// Declarations that several Applications or Kustomizations apply, overwriting each other.
    pub(super) shared: BTreeMap<ObjectName, Vec<ObjectName>>,
    /// Identity of the cluster: the UID of its namespace `kube-system`.
    pub id: Option<String>,
    /// Objects that contain values of a Secret in plain text.
    pub plain: Vec<ObjectName>,
    /// Coverage of the declarations.
    pub declarations: DeclarationsRead,
    /// Evidence that all credentials of engines and operators are known. Required for writes: what is not known to be
    /// harmless is not copied.
    pub credentials: GroundsEvidence,
    /// Evidence that nothing else has the name of a Secret. Required for writes of a Secret that only its name identifies.
    pub names: GroundsEvidence,
    /// Authority of declarations.
    pub(super) authority: Authority,
    /// Reason why an app cluster receives no Secrets, by index in the inventory.
    pub(super) objections: Vec<Option<String>>,
}

impl CoreSecrets {
    /// Collects sources and declarations of a core cluster.
    pub fn from_state(state: &ClusterState, inventory: &AppClusterInventory, comparer: &Fingerprinter) -> Self {
        let clusters = ClusterResolver::new(inventory, state);
        let intents = intent::declared_copies(state, &clusters);
        let shared = collision::shared_declarers(state, &intents);
        let system = state.resources.iter().find(|resource| resource.is("", "Namespace", None, "kube-system"));
        Self {
            sources: SourceSecrets::from_state(state, &inventory.homes, comparer),
            shared,
            declarations: DeclarationsRead::new(state, &intents),
            credentials: credentials::evidence(state),
            names: names_evidence(state),
            authority: Authority::new(state, &inventory.homes),
            objections: inventory
                .clusters
                .iter()
                .map(|cluster| established::objection(inventory, cluster, state))
                .collect(),
            intents,
            id: system.map(|namespace| namespace.metadata.uid.to_string()).filter(|uid| !uid.is_empty()),
            plain: intent::with_plain_values(state).iter().map(|resource| resource.name()).collect(),
        }
    }
}

/// Returns evidence that every Secret, and every object that writes one, was read.
pub(super) fn names_evidence(state: &ClusterState) -> GroundsEvidence {
    let mut evidence = GroundsEvidence::new();
    evidence.require_list(state, None, "", "Secret").add_gaps(&state.unreadable);
    evidence
}
