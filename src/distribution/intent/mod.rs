//! Who declares that a Secret is to be in an app cluster: one file a declarer.

mod elsewhere;
mod flux;
mod manifest_sync;
mod object;
mod push_secret;
mod syncer;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use crate::adopt::access::Access;
use crate::adopt::cluster::AppCluster;
use crate::adopt::inventory::Inventory;
use crate::adopt::names::Namespaced;
use crate::distribution::provider_config::Login;
use crate::model::body::consumer::{list, text};
use crate::model::body::{Body, Shape, Want};
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::secrecy::scrub;
use crate::model::server::canonical;
use crate::model::state::{ClusterState, Unreadable};

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
    /// Whether it makes the Secret in the app cluster itself, from something else than a Secret of the core cluster.
    pub const fn is_elsewhere(self) -> bool {
        matches!(self, Self::ExternalSecret | Self::ClusterExternalSecret | Self::SealedSecret)
    }

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
    /// Where it is to be there. Its namespace is empty where what leads to the cluster would name it, and does not exist.
    pub target: Namespaced,
    /// What of the source.
    pub part: Part,
}

impl Intent {
    /// Whether this Secret of an app cluster can be its copy.
    pub fn can_be_at(&self, target: &Namespaced) -> bool {
        self.target.name == target.name
            && (self.target.namespace == target.namespace || self.target.namespace.is_empty())
    }
}

/// An app cluster as a declarer names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// That of the inventory.
    Known(usize),
    /// A name, address or Secret that leads to no cluster that is known.
    Unknown(String),
    /// A name that more than one goes by. Any tenant may give a cluster of his the name of another.
    Several(String),
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

/// The kinds of the core cluster that declare copies, or tell where these go, by group, kind and plural. Where one of them
/// was not read completely, nobody knows what is declared.
pub const DECLARING: [(&str, &str, &str); 11] = [
    (syncer::GROUP, "Syncer", "syncers"),
    (manifest_sync::GROUP, "ManifestSync", "manifestsyncs"),
    (push_secret::GROUP, "PushSecret", "pushsecrets"),
    (push_secret::GROUP, "SecretStore", "secretstores"),
    (push_secret::GROUP, "ClusterSecretStore", "clustersecretstores"),
    (object::GROUP, "Object", "objects"),
    (object::GROUP, "ProviderConfig", "providerconfigs"),
    (object::NAMESPACED_GROUP, "Object", "objects"),
    (object::NAMESPACED_GROUP, "ProviderConfig", "providerconfigs"),
    (object::NAMESPACED_GROUP, "ClusterProviderConfig", "clusterproviderconfigs"),
    (flux::GROUP, "Kustomization", "kustomizations"),
];

/// What to read of a kind of the core cluster that declares copies, or leads to where they go.
pub fn want(kind: &ResourceKind) -> Option<Want> {
    let whole = |shape| Some(Want::whole(shape));
    match (kind.group.as_str(), kind.kind.as_str()) {
        (syncer::GROUP, "Syncer") | (manifest_sync::GROUP, "ManifestSync") => whole(Shape::Conditions),
        (push_secret::GROUP, "PushSecret" | "SecretStore" | "ClusterSecretStore") => whole(Shape::Conditions),
        (object::GROUP | object::NAMESPACED_GROUP, "Object") => whole(Shape::Crossplane),
        (flux::GROUP, "Kustomization") => Some(Want::all(Shape::Flux)),
        _ => None,
    }
}

/// Whether a provider config of this kind leads to an app cluster.
pub fn goes_by(kind: &ResourceKind) -> bool {
    matches!(kind.group.as_str(), object::GROUP | object::NAMESPACED_GROUP)
}

/// The Secrets with kubeconfigs by which declarers reach app clusters.
pub fn ways(state: &ClusterState) -> BTreeSet<Namespaced> {
    state.resources.iter().flat_map(ways_of).collect()
}

/// Declarations that take their Secrets by labels, for those who read Secrets by name alone.
pub fn by_labels(resources: &[Resource]) -> Vec<Unreadable> {
    let is_meant = |resource: &&Resource| {
        (resource.kind.group.as_str(), resource.kind.kind.as_str()) == (push_secret::GROUP, "PushSecret")
            && resource.whole.as_deref().is_some_and(push_secret::goes_by_labels)
    };
    let unread = |resource: &Resource| Unreadable {
        what: resource.name().to_string(),
        reason: "it takes Secrets by labels, and only those are read that are known by name".to_owned(),
    };
    resources.iter().filter(is_meant).map(unread).collect()
}

fn ways_of(resource: &Resource) -> Vec<Namespaced> {
    let own = resource.metadata.namespace.as_deref();
    let named = |namespace: Option<&str>, name: Option<&str>| {
        Some(Namespaced { namespace: namespace.or(own)?.to_owned(), name: name?.to_owned() })
    };
    if let Body::Flux(flux) = &resource.body {
        let kubeconfig = flux.spec.kube_config.as_ref().and_then(|config| config.secret_ref.as_ref());
        return kubeconfig.and_then(|reference| named(None, Some(&reference.name))).into_iter().collect();
    }
    let Some(whole) = resource.whole.as_deref() else { return Vec::new() };
    let reference =
        |at: &Value, path: &str| named(text(at, &format!("{path}/namespace")), text(at, &format!("{path}/name")));
    match (resource.kind.group.as_str(), resource.kind.kind.as_str()) {
        (push_secret::GROUP, "SecretStore" | "ClusterSecretStore") => {
            reference(whole, "/spec/provider/kubernetes/authRef").into_iter().collect()
        }
        (manifest_sync::GROUP, "ManifestSync") => {
            let remotes = list(whole, "/spec/targets/remoteClusters").iter();
            remotes.filter_map(|remote| reference(remote, "/connection/kubeconfigSecretRef")).collect()
        }
        _ if goes_by(&resource.kind) => match Login::of(resource) {
            Some(Login::Secret { secret, .. }) => vec![secret],
            _ => Vec::new(),
        },
        _ => Vec::new(),
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
        let is_registered = |cluster: &AppCluster| {
            let mut named = cluster.registrations.iter().filter(|registration| registration.name == name);
            named.any(|registration| self.inventory.homes.keeps(registration))
        };
        if let Some(position) = clusters.iter().position(is_registered) {
            return Place::Known(position);
        }
        let is_called = |cluster: &AppCluster| {
            cluster.name == name
                || cluster.registrations.iter().any(|registration| registration.name == name)
                || cluster.provisioner.as_ref().is_some_and(|made| made.object.name == name)
                || cluster.candidates.iter().any(|one| one.name == name || one.source.name == name)
        };
        let mut found = clusters.iter().enumerate().filter(|(_, cluster)| is_called(cluster));
        match (found.next(), found.next()) {
            (Some((position, _)), None) => Place::Known(position),
            (None, _) => Place::Unknown(name.to_owned()),
            (Some(_), Some(_)) => Place::Several(name.to_owned()),
        }
    }

    /// The cluster that a kubeconfig in a Secret leads to.
    pub(crate) fn of_kubeconfig(&self, secret: &Namespaced, key: Option<&str>) -> Place {
        let is_it = |cluster: &AppCluster| {
            let candidates = cluster.candidates.iter().map(|one| (&one.source.namespace, &one.source.name));
            let registered =
                cluster.registrations.iter().filter_map(|one| Some((one.object.namespace.as_ref()?, &one.object.name)));
            candidates.chain(registered).any(|(namespace, name)| *namespace == secret.namespace && *name == secret.name)
        };
        if let Some(position) = self.inventory.clusters.iter().position(is_it) {
            return Place::Known(position);
        }
        let server = self.kubeconfig(secret, key).map(|access| access.endpoint().server.clone());
        let place = server.map(|server| self.at(&server));
        place.unwrap_or_else(|| Place::Unknown(format!("Secret {secret}")))
    }

    /// The cluster at an address.
    pub(crate) fn at(&self, server: &str) -> Place {
        let server = canonical(server);
        let is_it = |cluster: &AppCluster| {
            let provided = cluster.access().map(|access| canonical(&access.endpoint().server));
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
        if let (flux::GROUP, "Kustomization", Body::Flux(flux)) =
            (resource.kind.group.as_str(), resource.kind.kind.as_str(), &resource.body)
        {
            intents.extend(flux::read(resource, flux, clusters));
        }
        let Some(whole) = resource.whole.as_deref() else { continue };
        match (resource.kind.group.as_str(), resource.kind.kind.as_str()) {
            (syncer::GROUP, "Syncer") => intents.extend(syncer::read(resource, whole, clusters)),
            (push_secret::GROUP, "PushSecret") => intents.extend(push_secret::read(resource, whole, state, clusters)),
            (manifest_sync::GROUP, "ManifestSync") => intents.extend(manifest_sync::read(resource, whole, clusters)),
            (object::GROUP | object::NAMESPACED_GROUP, "Object") => {
                intents.extend(object::read(resource, whole, state, clusters));
            }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde::de::DeserializeSeed as _;
    use serde_json::json;

    use super::*;
    use crate::model::seed::ResourceSeed;

    fn resource(group: &str, kind: &str, whole: Value) -> Resource {
        let kind = Arc::new(ResourceKind::guess(group, kind));
        let seed = ResourceSeed { kind: &kind, shape: Shape::Conditions };
        seed.deserialize(&whole).unwrap().with_whole(Some(Arc::new(whole.clone())))
    }

    #[test]
    fn what_takes_secrets_by_labels_is_told_where_they_are_read_by_name() {
        let push = |name: &str, selector: Value| {
            let metadata = json!({"name": name, "namespace": "shop", "uid": name, "resourceVersion": "1"});
            let spec = json!({"selector": {"secret": selector}});
            let whole = json!({"apiVersion": "external-secrets.io/v1alpha1", "kind": "PushSecret", "metadata": metadata, "spec": spec});
            resource(push_secret::GROUP, "PushSecret", whole)
        };
        let labels = json!({"selector": {"matchLabels": {"app": "shop"}}});
        let all = [push("named", json!({"name": "db"})), push("selected", labels)];
        let told: Vec<String> = by_labels(&all).into_iter().map(|entry| entry.what).collect();
        assert_eq!(told, ["pushsecret.external-secrets.io/selected -n shop"]);
    }
}
