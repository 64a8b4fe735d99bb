//! Stakater's `sync.stakater.com/v1alpha1` ManifestSync: `docs/cr.md` of stakater/Replicator.

use serde_json::Value;

use super::cluster_resolver::ClusterResolver;
use super::copy_intent::{ClusterReference, CopiedPart, CopyIntent, DeclarationKind, declarer};
use crate::adopt::names::NamespacedName;
use ucp_core::model::body::consumer::{list_field, text_field};
use ucp_core::model::resource::Resource;

pub(super) const GROUP: &str = "sync.stakater.com";

pub(super) fn read(resource: &Resource, whole: &Value, clusters: &ClusterResolver<'_>) -> Vec<CopyIntent> {
    let own = resource.metadata.namespace.as_deref().unwrap_or_default();
    let Some(name) = text_field(whole, "/spec/sourceRef/name") else { return Vec::new() };
    if text_field(whole, "/spec/sourceRef/kind") != Some("Secret") {
        return Vec::new();
    }
    let namespace = text_field(whole, "/spec/sourceRef/namespace").unwrap_or(own).to_owned();
    let source = NamespacedName { namespace, name: name.to_owned() };
    let target = |remote: &Value| {
        Some(CopyIntent {
            declarer: declarer(DeclarationKind::ManifestSync, resource),
            source: Some(source.clone()),
            cluster: cluster(remote, own, clusters),
            target: NamespacedName {
                namespace: text_field(remote, "/targetNamespace")?.to_owned(),
                name: name.to_owned(),
            },
            part: CopiedPart::Whole,
        })
    };
    list_field(whole, "/spec/targets/remoteClusters").iter().filter_map(target).collect()
}

/// Returns the cluster of a remote. The kubeconfig identifies the cluster; `clusterName` is only the author's name for
/// it.
fn cluster(remote: &Value, own: &str, clusters: &ClusterResolver<'_>) -> ClusterReference {
    let secret = text_field(remote, "/connection/kubeconfigSecretRef/name").map(|name| NamespacedName {
        namespace: text_field(remote, "/connection/kubeconfigSecretRef/namespace").unwrap_or(own).to_owned(),
        name: name.to_owned(),
    });
    let by_secret = secret.map(|secret| clusters.by_kubeconfig(&secret, None));
    match (by_secret, text_field(remote, "/clusterName")) {
        (Some(ClusterReference::Known(position)), _) => ClusterReference::Known(position),
        (_, Some(name)) => clusters.by_name(name),
        (unknown, None) => unknown.unwrap_or_else(|| ClusterReference::Unknown("a cluster without a name".to_owned())),
    }
}
