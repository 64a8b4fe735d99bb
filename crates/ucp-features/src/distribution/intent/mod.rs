//! Declarations that a Secret should exist in an app cluster; one file per declaring kind.

mod cluster_resolver;
mod copy_intent;
mod elsewhere;
mod flux;
mod manifest_sync;
mod object;
mod push_secret;
mod syncer;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::adopt::names::NamespacedName;
use crate::distribution::provider_config::ProviderCredentials;
use ucp_core::model::body::consumer::{list_field, text_field};
use ucp_core::model::body::{Body, BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Unreadable};

pub use cluster_resolver::ClusterResolver;
pub use copy_intent::{ClusterReference, CopiedPart, CopyIntent, DeclarationKind, Declarer};
pub use elsewhere::{declared, want as want_elsewhere};

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
    fn objects_that_select_secrets_by_labels_are_reported() {
        let push = |name: &str, selector: Value| {
            let metadata = json!({"name": name, "namespace": "shop", "uid": name, "resourceVersion": "1"});
            let spec = json!({"selector": {"secret": selector}});
            let whole = json!({"apiVersion": "external-secrets.io/v1alpha1", "kind": "PushSecret", "metadata": metadata, "spec": spec});
            resource(push_secret::GROUP, "PushSecret", whole)
        };
        let labels = json!({"selector": {"matchLabels": {"app": "shop"}}});
        let all = [push("named", json!({"name": "db"})), push("selected", labels)];
        let reported: Vec<String> = label_selected(&all).into_iter().map(|entry| entry.what).collect();
        assert_eq!(reported, ["pushsecret.external-secrets.io/selected -n shop"]);
    }
}
