//! Declarations that a Secret should exist in an app cluster; one file per declaring kind.

mod elsewhere;
mod flux;
mod manifest_sync;
mod object;
mod push_secret;
mod syncer;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use crate::adopt::access::AppClusterAccess;
use crate::adopt::cluster::AppCluster;
use crate::adopt::inventory::AppClusterInventory;
use crate::adopt::names::NamespacedName;
use crate::distribution::provider_config::ProviderCredentials;
use ucp_core::model::body::consumer::{list_field, text_field};
use ucp_core::model::body::{Body, BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::server::canonical_url;
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_core::model::variant_words::variant_words;

pub use elsewhere::{declared, want as want_elsewhere};

/// Kind of declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub enum DeclarationKind {
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

variant_words!(DeclarationKind {
    Syncer = "Syncer", PushSecret = "PushSecret", Object = "Object", Substitution = "Flux substitution",
    ManifestSync = "ManifestSync", ClusterExternalSecret = "ClusterExternalSecret", ExternalSecret = "ExternalSecret",
    SealedSecret = "SealedSecret",
});

impl DeclarationKind {
    /// Returns true if the Secret is created in the app cluster from another source than a Secret of the core cluster.
    pub const fn is_elsewhere(self) -> bool {
        matches!(self, Self::ExternalSecret | Self::ClusterExternalSecret | Self::SealedSecret)
    }
}

/// Object that declares a copy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct Declarer {
    /// Kind of declaration.
    pub by: DeclarationKind,
    /// The declaring object.
    pub object: ObjectName,
}

/// Declared copy.
#[derive(Debug, Clone)]
pub struct CopyIntent {
    /// Object that declares the copy.
    pub declarer: Declarer,
    /// Source Secret on the core cluster.
    pub source: Option<NamespacedName>,
    /// App cluster, by its index in the inventory or by the name in the declaration.
    pub cluster: ClusterReference,
    /// Target Secret in the app cluster. The namespace is empty if the store that would define it does not exist.
    pub target: NamespacedName,
    /// Copied part of the source.
    pub part: CopiedPart,
}

impl CopyIntent {
    /// Returns true if the copy can be at this Secret of an app cluster.
    pub fn can_be_at(&self, target: &NamespacedName) -> bool {
        self.target.name == target.name
            && (self.target.namespace == target.namespace || self.target.namespace.is_empty())
    }
}

/// App cluster referenced by a declarer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClusterReference {
    /// Index of the cluster in the inventory.
    Known(usize),
    /// Name, address, or Secret that matches no known cluster.
    Unknown(String),
    /// Name that matches several clusters. Any tenant can give their cluster the name of another one.
    Several(String),
}

/// Copied part of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopiedPart {
    /// The whole Secret.
    Whole,
    /// Some keys: a map from the key of the copy to the key of the source.
    Keys(BTreeMap<String, String>),
    /// Rendered text that contains values of the source.
    Rendered,
}

/// Group, kind, and plural of the kinds on the core cluster that declare copies or their destinations. If one of them
/// was not read completely, the declarations are unknown.
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

/// Returns the query for a kind of the core cluster that declares copies or their destinations.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let whole = |shape| Some(KindRequest::whole(shape));
    match (kind.group.as_str(), kind.kind.as_str()) {
        (syncer::GROUP, "Syncer") | (manifest_sync::GROUP, "ManifestSync") => whole(BodyShape::Conditions),
        (push_secret::GROUP, "PushSecret" | "SecretStore" | "ClusterSecretStore") => whole(BodyShape::Conditions),
        (object::GROUP | object::NAMESPACED_GROUP, "Object") => whole(BodyShape::Crossplane),
        (flux::GROUP, "Kustomization") => Some(KindRequest::all(BodyShape::Flux)),
        _ => None,
    }
}

/// Returns true if a provider config of this kind gives access to an app cluster.
pub fn gives_access(kind: &ResourceKind) -> bool {
    matches!(kind.group.as_str(), object::GROUP | object::NAMESPACED_GROUP)
}

/// Returns the Secrets with kubeconfigs that declarers use to reach app clusters.
pub fn kubeconfig_secrets(state: &ClusterState) -> BTreeSet<NamespacedName> {
    state.resources.iter().flat_map(kubeconfig_secrets_of).collect()
}

/// Returns the declarations that select Secrets by label, which are not supported when Secrets are read only by name.
pub fn label_selected(resources: &[Resource]) -> Vec<Unreadable> {
    let is_meant = |resource: &&Resource| {
        (resource.kind.group.as_str(), resource.kind.kind.as_str()) == (push_secret::GROUP, "PushSecret")
            && resource.whole.as_deref().is_some_and(push_secret::selects_by_labels)
    };
    let unread = |resource: &Resource| Unreadable {
        what: resource.name().to_string(),
        reason: "it selects Secrets by labels, but only Secrets with known names are read".to_owned(),
    };
    resources.iter().filter(is_meant).map(unread).collect()
}

fn kubeconfig_secrets_of(resource: &Resource) -> Vec<NamespacedName> {
    let own = resource.metadata.namespace.as_deref();
    let named = |namespace: Option<&str>, name: Option<&str>| {
        Some(NamespacedName { namespace: namespace.or(own)?.to_owned(), name: name?.to_owned() })
    };
    if let Body::Flux(flux) = &resource.body {
        let kubeconfig = flux.spec.kube_config.as_ref().and_then(|config| config.secret_ref.as_ref());
        return kubeconfig.and_then(|reference| named(None, Some(&reference.name))).into_iter().collect();
    }
    let Some(whole) = resource.whole.as_deref() else { return Vec::new() };
    let reference = |at: &Value, path: &str| {
        named(text_field(at, &format!("{path}/namespace")), text_field(at, &format!("{path}/name")))
    };
    match (resource.kind.group.as_str(), resource.kind.kind.as_str()) {
        (push_secret::GROUP, "SecretStore" | "ClusterSecretStore") => {
            reference(whole, "/spec/provider/kubernetes/authRef").into_iter().collect()
        }
        (manifest_sync::GROUP, "ManifestSync") => {
            let remotes = list_field(whole, "/spec/targets/remoteClusters").iter();
            remotes.filter_map(|remote| reference(remote, "/connection/kubeconfigSecretRef")).collect()
        }
        _ if gives_access(&resource.kind) => match ProviderCredentials::from_provider_config(resource) {
            Some(ProviderCredentials::Secret { secret, .. }) => vec![secret],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Resolves references in declarations to app clusters.
pub struct ClusterResolver<'a> {
    inventory: &'a AppClusterInventory,
    state: &'a ClusterState,
}

impl<'a> ClusterResolver<'a> {
    /// Creates a resolver for a core cluster.
    pub fn new(inventory: &'a AppClusterInventory, state: &'a ClusterState) -> Self {
        Self { inventory, state }
    }

    /// Finds the cluster by its name in an engine, its provisioner, or its Secret.
    pub(crate) fn by_name(&self, name: &str) -> ClusterReference {
        let clusters = &self.inventory.clusters;
        let is_registered = |cluster: &AppCluster| {
            let mut named = cluster.registrations.iter().filter(|registration| registration.name == name);
            named.any(|registration| self.inventory.homes.keeps(registration))
        };
        if let Some(position) = clusters.iter().position(is_registered) {
            return ClusterReference::Known(position);
        }
        let is_called = |cluster: &AppCluster| {
            cluster.name == name
                || cluster.registrations.iter().any(|registration| registration.name == name)
                || cluster.provisioner.as_ref().is_some_and(|made| made.object.name == name)
                || cluster.candidates.iter().any(|one| one.name == name || one.source.name == name)
        };
        let mut found = clusters.iter().enumerate().filter(|(_, cluster)| is_called(cluster));
        match (found.next(), found.next()) {
            (Some((position, _)), None) => ClusterReference::Known(position),
            (None, _) => ClusterReference::Unknown(name.to_owned()),
            (Some(_), Some(_)) => ClusterReference::Several(name.to_owned()),
        }
    }

    /// Finds the cluster that the kubeconfig in a Secret points to.
    pub(crate) fn by_kubeconfig(&self, secret: &NamespacedName, key: Option<&str>) -> ClusterReference {
        let is_it = |cluster: &AppCluster| {
            let candidates = cluster.candidates.iter().map(|one| (&one.source.namespace, &one.source.name));
            let registered =
                cluster.registrations.iter().filter_map(|one| Some((one.object.namespace.as_ref()?, &one.object.name)));
            candidates.chain(registered).any(|(namespace, name)| *namespace == secret.namespace && *name == secret.name)
        };
        if let Some(position) = self.inventory.clusters.iter().position(is_it) {
            return ClusterReference::Known(position);
        }
        let server = self.kubeconfig(secret, key).map(|access| access.endpoint().server.clone());
        let place = server.map(|server| self.by_server(&server));
        place.unwrap_or_else(|| ClusterReference::Unknown(format!("Secret {secret}")))
    }

    /// Finds the cluster with a server address.
    pub(crate) fn by_server(&self, server: &str) -> ClusterReference {
        let server = canonical_url(server);
        let is_it = |cluster: &AppCluster| {
            let provided = cluster.access().map(|access| canonical_url(&access.endpoint().server));
            cluster.server().map(|known| canonical_url(&known)).as_ref() == Some(&server)
                || provided.as_ref() == Some(&server)
        };
        self.inventory
            .clusters
            .iter()
            .position(is_it)
            .map_or_else(|| ClusterReference::Unknown(scrub(&server).into_owned()), ClusterReference::Known)
    }

    fn kubeconfig(&self, secret: &NamespacedName, key: Option<&str>) -> Option<AppClusterAccess> {
        let is_it = |resource: &&Resource| resource.is("", "Secret", Some(&secret.namespace), &secret.name);
        let found = self.state.resources.iter().find(is_it)?;
        let Body::Secret(body) = &found.body else { return None };
        let keys = ["kubeconfig", "value", "config"];
        let mut keys = key.into_iter().chain(keys.into_iter().filter(|_| key.is_none()));
        let text = keys.find_map(|key| body.values.get(key)?.as_ref())?;
        AppClusterAccess::from_kubeconfig(secrecy::ExposeSecret::expose_secret(text), None).ok()
    }
}

/// Returns all copies that objects of the core cluster declare.
pub fn declared_copies(state: &ClusterState, clusters: &ClusterResolver<'_>) -> Vec<CopyIntent> {
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

/// Returns objects that contain values of a Secret in plain text: provider-kubernetes stores the observed object,
/// unless it runs with `--sanitize-secrets`.
pub fn with_plain_values(state: &ClusterState) -> Vec<&Resource> {
    state.resources.iter().filter(|resource| object::holds_values(resource)).collect()
}

fn declarer(by: DeclarationKind, resource: &Resource) -> Declarer {
    Declarer { by, object: resource.name() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde::de::DeserializeSeed as _;
    use serde_json::json;

    use super::*;
    use ucp_core::model::seed::ResourceSeed;

    fn resource(group: &str, kind: &str, whole: Value) -> Resource {
        let kind = Arc::new(ResourceKind::guess(group, kind));
        let seed = ResourceSeed { kind: &kind, shape: BodyShape::Conditions };
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
        let told: Vec<String> = label_selected(&all).into_iter().map(|entry| entry.what).collect();
        assert_eq!(told, ["pushsecret.external-secrets.io/selected -n shop"]);
    }
}
