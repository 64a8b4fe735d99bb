//! Who declares that a Secret is to be in an app cluster: one file a declarer.

mod elsewhere;
mod flux;
mod manifest_sync;
mod object;
mod push_secret;
mod syncer;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::adopt::access::Access;
use crate::adopt::inventory::Inventory;
use crate::adopt::names::Namespaced;
use crate::model::body::consumer::{list, text};
use crate::model::body::{Body, Keep, Shape, Want};
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::secrecy::scrub;
use crate::model::server::canonical;
use crate::model::state::ClusterState;

pub use elsewhere::{declared, want as want_elsewhere};

/// What sort of declaration it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub enum DeclaredBy {
    /// `dagandersen.com` Syncer.
    Syncer,
    /// External Secrets' PushSecret.
    PushSecret,
    /// provider-kubernetes' Object.
    Object,
    /// `postBuild.substituteFrom` of a Kustomization.
    #[serde(rename = "FluxSubstitution")]
    Substitution,
    /// Stakater's ManifestSync.
    ManifestSync,
    /// External Secrets' ClusterExternalSecret, in the app cluster.
    ClusterExternalSecret,
    /// External Secrets' ExternalSecret, in the app cluster.
    ExternalSecret,
    /// A SealedSecret, in the app cluster.
    SealedSecret,
}

impl DeclaredBy {
    /// The word for it in tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Syncer => "Syncer",
            Self::PushSecret => "PushSecret",
            Self::Object => "Object",
            Self::Substitution => "Flux substitution",
            Self::ManifestSync => "ManifestSync",
            Self::ClusterExternalSecret => "ClusterExternalSecret",
            Self::ExternalSecret => "ExternalSecret",
            Self::SealedSecret => "SealedSecret",
        }
    }
}

/// Who declares a copy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct Declarer {
    /// What sort of declaration it is.
    pub by: DeclaredBy,
    /// The object.
    pub object: ObjectName,
}

/// A copy that is declared.
#[derive(Debug, Clone)]
pub struct Intent {
    /// Who declares it.
    pub declarer: Declarer,
    /// The Secret of the core cluster that it is copied from.
    pub source: Option<Namespaced>,
    /// The app cluster, by its place in the inventory, or by what its declarer calls it.
    pub cluster: Place,
    /// Where it is to be there.
    pub target: Namespaced,
    /// What of the source.
    pub part: Part,
}

/// An app cluster as a declarer names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// That of the inventory.
    Known(usize),
    /// A name, address or Secret that leads to no cluster that is known.
    Unknown(String),
}

/// What of a source is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// Some keys: from the copy's key to the source's.
    Keys(BTreeMap<String, String>),
    /// Its values stand somewhere in what is rendered.
    Rendered,
}

/// What to read of a kind of the core cluster that declares copies, or leads to where they go.
pub fn want(kind: &ResourceKind) -> Option<Want> {
    let whole = |shape| Some(Want { keep: Keep::Whole, ..Want::all(shape) });
    match (kind.group.as_str(), kind.kind.as_str()) {
        (syncer::GROUP, "Syncer") | (manifest_sync::GROUP, "ManifestSync") => whole(Shape::Conditions),
        (push_secret::GROUP, "PushSecret" | "SecretStore" | "ClusterSecretStore") => whole(Shape::Conditions),
        (object::GROUP | object::NAMESPACED_GROUP, "Object") => whole(Shape::Crossplane),
        (flux::GROUP, "Kustomization") => whole(Shape::Flux),
        _ => None,
    }
}

/// What leads from a name to an app cluster.
pub struct Clusters<'a> {
    inventory: &'a Inventory,
    state: &'a ClusterState,
}

impl<'a> Clusters<'a> {
    /// Of a core cluster.
    pub fn of(inventory: &'a Inventory, state: &'a ClusterState) -> Self {
        Self { inventory, state }
    }

    /// The cluster that engines, its provisioner or its Secret call so.
    pub(crate) fn called(&self, name: &str) -> Place {
        let clusters = &self.inventory.clusters;
        let place = |is: &dyn Fn(&crate::adopt::cluster::AppCluster) -> bool| clusters.iter().position(is);
        place(&|cluster| cluster.registrations.iter().any(|registration| registration.name == name))
            .or_else(|| place(&|cluster| cluster.name == name))
            .or_else(|| place(&|cluster| cluster.provisioner.as_ref().is_some_and(|made| made.object.name == name)))
            .or_else(|| {
                place(&|cluster| cluster.candidates.iter().any(|one| one.name == name || one.source.name == name))
            })
            .map_or_else(|| Place::Unknown(name.to_owned()), Place::Known)
    }

    /// The cluster that a kubeconfig in a Secret leads to.
    pub(crate) fn of_kubeconfig(&self, secret: &Namespaced, key: Option<&str>) -> Place {
        let is_it = |cluster: &crate::adopt::cluster::AppCluster| {
            let candidates = cluster.candidates.iter().map(|one| (&one.source.namespace, &one.source.name));
            let registered =
                cluster.registrations.iter().filter_map(|one| Some((one.object.namespace.as_ref()?, &one.object.name)));
            candidates.chain(registered).any(|(namespace, name)| *namespace == secret.namespace && *name == secret.name)
        };
        if let Some(position) = self.inventory.clusters.iter().position(is_it) {
            return Place::Known(position);
        }
        let server = self.kubeconfig(secret, key).map(|access| access.endpoint.server);
        let place = server.map(|server| self.at(&server));
        place.unwrap_or_else(|| Place::Unknown(format!("Secret {secret}")))
    }

    /// The cluster at an address.
    pub(crate) fn at(&self, server: &str) -> Place {
        let server = canonical(server);
        let is_it = |cluster: &crate::adopt::cluster::AppCluster| {
            let provided = cluster.access().map(|access| canonical(&access.endpoint.server));
            cluster.server().map(|known| canonical(&known)).as_ref() == Some(&server)
                || provided.as_ref() == Some(&server)
        };
        self.inventory
            .clusters
            .iter()
            .position(is_it)
            .map_or_else(|| Place::Unknown(scrub(&server).into_owned()), Place::Known)
    }

    fn kubeconfig(&self, secret: &Namespaced, key: Option<&str>) -> Option<Access> {
        let is_it = |resource: &&Resource| resource.is("", "Secret", Some(&secret.namespace), &secret.name);
        let found = self.state.resources.iter().find(is_it)?;
        let Body::Secret(body) = &found.body else { return None };
        let keys = ["kubeconfig", "value", "config"];
        let mut keys = key.into_iter().chain(keys.into_iter().filter(|_| key.is_none()));
        let text = keys.find_map(|key| body.values.get(key)?.as_ref())?;
        Access::from_kubeconfig(secrecy::ExposeSecret::expose_secret(text), None).ok()
    }
}

/// Every copy that objects of the core cluster declare.
pub fn all(state: &ClusterState, clusters: &Clusters<'_>) -> Vec<Intent> {
    let mut intents = Vec::new();
    for resource in &state.resources {
        let Some(whole) = resource.whole.as_deref() else { continue };
        match (resource.kind.group.as_str(), resource.kind.kind.as_str()) {
            (syncer::GROUP, "Syncer") => intents.extend(syncer::read(resource, whole, clusters)),
            (push_secret::GROUP, "PushSecret") => intents.extend(push_secret::read(resource, whole, state, clusters)),
            (manifest_sync::GROUP, "ManifestSync") => intents.extend(manifest_sync::read(resource, whole, clusters)),
            (object::GROUP | object::NAMESPACED_GROUP, "Object") => {
                intents.extend(object::read(resource, whole, state, clusters));
            }
            (flux::GROUP, "Kustomization") => intents.extend(flux::read(resource, whole, clusters)),
            _ => {}
        }
    }
    intents
}

/// Objects that hold a Secret's values in the clear: provider-kubernetes keeps what it observed, unless it runs with
/// `--sanitize-secrets`.
pub fn plain_copies(state: &ClusterState) -> Vec<&Resource> {
    state.resources.iter().filter(|resource| object::holds_values(resource)).collect()
}

fn declarer(by: DeclaredBy, resource: &Resource) -> Declarer {
    Declarer { by, object: resource.name() }
}
