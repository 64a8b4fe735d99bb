//! Are connection Secrets where the workloads need them? Sources, declarations and demand, compared without a value that
//! could be shown, on the core cluster and its app clusters.

pub mod app;
mod authority;
mod collision;
pub mod declare;
mod established;
pub mod fingerprint;
pub mod grounds;
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

use crate::adopt::inventory::Inventory;
use crate::model::body::{Body, Shape, Want};
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::state::ClusterState;

use crate::engine::crossplane::{Role, role};
use authority::Authority;
use fingerprint::Comparer;
use grounds::DeclarationsRead;
use intent::{Clusters, Intent};
use source::Sources;

pub use intent::{DeclaredBy, Declarer};
pub use state::State;
pub use survey::{Row, survey};

/// What the core cluster says of Secrets.
#[derive(Debug)]
pub struct Core {
    /// Secrets that may be copied.
    pub sources: Sources,
    /// The copies that are declared.
    pub intents: Vec<Intent>,
    /// Declarations that two Applications or Kustomizations apply, each over the other.
    shared: BTreeMap<ObjectName, Vec<ObjectName>>,
    /// The cluster's own identity: the UID of its namespace `kube-system`.
    pub id: Option<String>,
    /// Objects that hold values of a Secret in the clear.
    pub plain: Vec<ObjectName>,
    /// How much of the declarations was read.
    pub declarations: DeclarationsRead,
    /// Whose declarations count.
    authority: Authority,
    /// Why an app cluster, by its place in the inventory, receives no Secrets.
    objections: Vec<Option<String>>,
}

impl Core {
    /// Takes stock of a core cluster.
    pub fn of(state: &ClusterState, inventory: &Inventory, comparer: &Comparer) -> Self {
        let clusters = Clusters::of(inventory, state);
        let intents = intent::all(state, &clusters);
        let shared = collision::shared(state, &intents);
        let system = state.resources.iter().find(|resource| resource.is("", "Namespace", None, "kube-system"));
        Self {
            sources: Sources::of(state, comparer),
            shared,
            declarations: DeclarationsRead::new(state, &intents),
            authority: Authority::new(state, &inventory.homes),
            objections: inventory
                .clusters
                .iter()
                .map(|cluster| established::objection(inventory, cluster, state))
                .collect(),
            intents,
            id: system.map(|namespace| namespace.metadata.uid.to_string()).filter(|uid| !uid.is_empty()),
            plain: intent::plain_copies(state).iter().map(|resource| resource.name()).collect(),
        }
    }
}

/// What to read of a kind of the core cluster, beside what tells its app clusters.
pub fn want(kind: &ResourceKind) -> Option<Want> {
    let whole = |shape| Some(Want::whole(shape));
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Secret") => return whole(Shape::Secret),
        ("", "Namespace") => return Some(Want::all(Shape::Metadata)),
        _ => {}
    }
    if let Some(want) = intent::want(kind) {
        return Some(want);
    }
    match role(kind) {
        Some(Role::ProviderConfig) => whole(Shape::Conditions),
        // What is a cluster itself is read as one.
        Some(Role::Managed | Role::Composite | Role::Claim) if !crate::adopt::provisioner::is_cluster(kind) => {
            Some(Want::all(Shape::Crossplane))
        }
        _ => None,
    }
}

/// The same, and what tells that nothing else declares copies: for deletions.
pub fn want_for_deletion(kind: &ResourceKind) -> Option<Want> {
    let is_definition = (kind.group.as_str(), kind.kind.as_str()) == grounds::DEFINITIONS;
    if is_definition { Some(Want::all(Shape::Metadata)) } else { want(kind) }
}

/// What applies objects from Git, and which.
fn applied(resource: &crate::model::resource::Resource) -> Vec<ObjectName> {
    match &resource.body {
        Body::Application(application) => {
            let live = application.status.resources.iter().filter(|one| !one.requires_pruning);
            live.map(crate::model::body::argocd::Deployed::object).collect()
        }
        _ => Vec::new(),
    }
}
