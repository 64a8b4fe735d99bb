//! Comparison of connection Secrets on the core cluster with their copies in app clusters: sources, declarations, and
//! uses, without exposing values.

pub mod app;
mod authority;
mod collision;
pub mod credentials;
pub mod declare;
mod established;
pub mod fingerprint;
pub mod grounds;
mod guarded;
pub mod intent;
mod judge;
pub mod links;
pub mod live;
pub mod mark;
pub mod protected;
mod provider_config;
pub mod rights;
pub mod secret;
pub mod snapshot;
pub mod source;
mod state;
mod survey;
pub mod sync;

use std::collections::BTreeMap;

use crate::adopt::inventory::AppClusterInventory;
use ucp_core::model::body::{Body, BodyShape, KindRequest};
use ucp_core::model::grounds::GroundsEvidence;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::ClusterState;

use authority::Authority;
use fingerprint::Fingerprinter;
use grounds::DeclarationsRead;
use intent::{ClusterResolver, CopyIntent};
use source::SourceSecrets;
use ucp_core::engine::crossplane::{CrossplaneRole, role};

pub use intent::{DeclarationKind, Declarer};
pub use state::CopyState;
pub use survey::{CopyRow, SourceOrigin, survey};

/// Secrets and declarations on the core cluster.
#[derive(Debug)]
pub struct CoreSecrets {
    /// Secrets that may be copied.
    pub sources: SourceSecrets,
    /// Declared copies.
    pub intents: Vec<CopyIntent>,
    /// Declarations that several Applications or Kustomizations apply, overwriting each other.
    shared: BTreeMap<ObjectName, Vec<ObjectName>>,
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
    authority: Authority,
    /// Reason why an app cluster receives no Secrets, by index in the inventory.
    objections: Vec<Option<String>>,
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
fn names_evidence(state: &ClusterState) -> GroundsEvidence {
    let mut evidence = GroundsEvidence::new();
    evidence.require_list(state, None, "", "Secret").add_gaps(&state.unreadable);
    evidence
}

/// Returns the query for a kind of the core cluster, in addition to the kinds that identify app clusters.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let whole = |shape| Some(KindRequest::whole(shape));
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Secret") => return whole(BodyShape::Secret),
        ("", "Namespace") => return Some(KindRequest::all(BodyShape::Metadata)),
        _ => {}
    }
    if let Some(want) = intent::want(kind) {
        return Some(want);
    }
    match role(kind) {
        Some(CrossplaneRole::ProviderConfig) => whole(BodyShape::Conditions),
        // Objects that are clusters are read as clusters.
        Some(CrossplaneRole::Managed | CrossplaneRole::Composite | CrossplaneRole::Claim)
            if !crate::adopt::provisioner::is_cluster(kind) =>
        {
            Some(KindRequest::all(BodyShape::Crossplane))
        }
        _ => None,
    }
}

/// Returns the query for a kind as [`want`] does, with the objects that show which Secrets are never copied.
pub fn want_for_copies(kind: &ResourceKind) -> Option<KindRequest> {
    credentials::want(kind).or_else(|| want(kind))
}

/// Returns the query for a kind as [`want_for_copies`] does, with the definitions that prove that nothing else declares copies.
pub fn want_for_deletion(kind: &ResourceKind) -> Option<KindRequest> {
    let is_definition = (kind.group.as_str(), kind.kind.as_str()) == grounds::DEFINITIONS;
    if is_definition { Some(KindRequest::all(BodyShape::Metadata)) } else { want_for_copies(kind) }
}

/// Returns the objects that a deployer applies from Git.
fn applied(resource: &ucp_core::model::resource::Resource) -> Vec<ObjectName> {
    match &resource.body {
        Body::Application(application) => {
            let live = application.status.resources.iter().filter(|one| !one.requires_pruning);
            live.map(ucp_core::model::body::argocd::DeployedResource::object).collect()
        }
        _ => Vec::new(),
    }
}
