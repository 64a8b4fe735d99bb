//! External Secrets' PushSecret to a store that is a Kubernetes cluster: `providers/v1/kubernetes/client.go`. Other
//! stores are not app clusters.

use std::collections::BTreeMap;

use serde_json::Value;

use super::cluster_resolver::ClusterResolver;
use super::copy_intent::{ClusterReference, CopiedPart, CopyIntent, DeclarationKind, declarer};
use crate::adopt::names::NamespacedName;
use ucp_core::model::body::consumer::{list_field, text_field};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

pub(super) const GROUP: &str = "external-secrets.io";

/// Store that is a cluster, or that could not be resolved.
struct KubernetesStore {
    cluster: ClusterReference,
    /// Default namespace of pushed Secrets; empty if unknown.
    namespace: String,
}

pub(super) fn read(
    resource: &Resource,
    whole: &Value,
    state: &ClusterState,
    clusters: &ClusterResolver<'_>,
) -> Vec<CopyIntent> {
    let own = resource.metadata.namespace.clone().unwrap_or_default();
    let sources = sources(whole, &own, state);
    let mut intents = Vec::new();
    for store in stores(whole, &own, state, clusters) {
        for source in &sources {
            intents.extend(targets(whole, &store.namespace).into_iter().map(|(target, part)| CopyIntent {
                declarer: declarer(DeclarationKind::PushSecret, resource),
                source: Some(source.clone()),
                cluster: store.cluster.clone(),
                target,
                part,
            }));
        }
    }
    intents
}

/// Returns the source Secrets: a named one, or those that match a selector. The output of a generator is not a copy.
fn sources(whole: &Value, own: &str, state: &ClusterState) -> Vec<NamespacedName> {
    if let Some(name) = text_field(whole, "/spec/selector/secret/name") {
        return vec![NamespacedName { namespace: own.to_owned(), name: name.to_owned() }];
    }
    let Some(labels) = whole.pointer("/spec/selector/secret/selector/matchLabels").and_then(Value::as_object) else {
        return Vec::new();
    };
    let is_meant = |resource: &&Resource| {
        let metadata = &resource.metadata;
        resource.kind.group.is_empty()
            && resource.kind.kind == "Secret"
            && metadata.namespace.as_deref() == Some(own)
            && labels.iter().all(|(key, value)| metadata.label(key) == value.as_str())
    };
    let named =
        |resource: &Resource| NamespacedName { namespace: own.to_owned(), name: resource.metadata.name.clone() };
    state.resources.iter().filter(is_meant).map(named).collect()
}

/// Returns true if the Secrets are selected by label, so that their names are unknown.
pub(super) fn selects_by_labels(whole: &Value) -> bool {
    text_field(whole, "/spec/selector/secret/name").is_none()
        && whole.pointer("/spec/selector/secret/selector/matchLabels").is_some()
}

/// Returns the target of each entry. Entries without `property` replace the whole Secret; entries with it set one key.
fn targets(whole: &Value, namespace: &str) -> Vec<(NamespacedName, CopiedPart)> {
    let mut targets: BTreeMap<NamespacedName, CopiedPart> = BTreeMap::new();
    for entry in list_field(whole, "/spec/data") {
        let Some(name) = text_field(entry, "/match/remoteRef/remoteKey") else { continue };
        let namespace = text_field(entry, "/metadata/spec/remoteNamespace").unwrap_or(namespace).to_owned();
        let target = NamespacedName { namespace, name: name.to_owned() };
        match (text_field(entry, "/match/remoteRef/property"), text_field(entry, "/match/secretKey")) {
            (Some(property), Some(key)) => {
                if let CopiedPart::Keys(keys) =
                    targets.entry(target).or_insert_with(|| CopiedPart::Keys(BTreeMap::new()))
                {
                    keys.insert(property.to_owned(), key.to_owned());
                }
            }
            // The whole Secret as one JSON value: not comparable by key.
            (Some(_), None) => {
                targets.insert(target, CopiedPart::Rendered);
            }
            (None, _) if whole.pointer("/spec/template/data").is_some() => {
                targets.insert(target, CopiedPart::Rendered);
            }
            (None, _) => {
                targets.insert(target, CopiedPart::Whole);
            }
        }
    }
    targets.into_iter().collect()
}

fn stores(whole: &Value, own: &str, state: &ClusterState, clusters: &ClusterResolver<'_>) -> Vec<KubernetesStore> {
    let references = list_field(whole, "/spec/secretStoreRefs");
    let all = state.resources.iter().filter(|resource| {
        resource.kind.group == GROUP && matches!(resource.kind.kind.as_str(), "SecretStore" | "ClusterSecretStore")
    });
    let near: Vec<&Resource> = all
        .filter(|resource| {
            resource.kind.kind == "ClusterSecretStore" || resource.metadata.namespace.as_deref() == Some(own)
        })
        .collect();
    let is_meant = |store: &&&Resource| references.iter().any(|reference| refers_to(reference, store));
    let known = near.iter().filter(is_meant).filter_map(|store| read_store(store, own, clusters));
    // Its copies remain when their store is deleted: the declaration still exists.
    let is_lost = |reference: &&Value| !near.iter().any(|store| refers_to(reference, store));
    let lost = references.iter().filter(is_lost).map(|reference| KubernetesStore {
        cluster: ClusterReference::Unknown(named(reference)),
        namespace: String::new(),
    });
    known.chain(lost).collect()
}

/// Describes the store of a reference.
fn named(reference: &Value) -> String {
    let kind = text_field(reference, "/kind").unwrap_or("SecretStore");
    text_field(reference, "/name").map_or_else(|| format!("{kind} by labels"), |name| format!("{kind} {name}"))
}

fn refers_to(reference: &Value, store: &Resource) -> bool {
    if text_field(reference, "/kind").unwrap_or("SecretStore") != store.kind.kind {
        return false;
    }
    match (text_field(reference, "/name"), reference.pointer("/labelSelector/matchLabels").and_then(Value::as_object)) {
        (Some(name), _) => store.metadata.name == name,
        (None, Some(labels)) => labels.iter().all(|(key, value)| store.metadata.label(key) == value.as_str()),
        (None, None) => false,
    }
}

fn read_store(store: &Resource, own: &str, clusters: &ClusterResolver<'_>) -> Option<KubernetesStore> {
    let kubernetes = store.whole.as_deref()?.pointer("/spec/provider/kubernetes")?;
    let namespace = text_field(kubernetes, "/remoteNamespace").unwrap_or("default").to_owned();
    let kubeconfig = text_field(kubernetes, "/authRef/name").map(|name| NamespacedName {
        namespace: text_field(kubernetes, "/authRef/namespace").unwrap_or(own).to_owned(),
        name: name.to_owned(),
    });
    let cluster = match (kubeconfig, text_field(kubernetes, "/server/url")) {
        (Some(secret), _) => clusters.by_kubeconfig(&secret, text_field(kubernetes, "/authRef/key")),
        // Without an address it is the cluster in which the controller runs.
        (None, None | Some("kubernetes.default" | "https://kubernetes.default.svc")) => return None,
        (None, Some(server)) => clusters.by_server(server),
    };
    Some(KubernetesStore { cluster, namespace })
}
