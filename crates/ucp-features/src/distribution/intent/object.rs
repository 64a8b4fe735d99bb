//! provider-kubernetes' Object: a Secret of another cluster, with `data` patched from one of the core cluster.

use std::collections::BTreeMap;

use serde_json::Value;

use super::cluster_resolver::ClusterResolver;
use super::copy_intent::{ClusterReference, CopiedPart, CopyIntent, DeclarationKind, declarer};
use crate::adopt::names::NamespacedName;
use crate::distribution::provider_config::ProviderCredentials;
use ucp_core::model::body::consumer::{list_field, text_field};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

pub(super) const GROUP: &str = "kubernetes.crossplane.io";
pub(super) const NAMESPACED_GROUP: &str = "kubernetes.m.crossplane.io";
const MANIFEST: &str = "/spec/forProvider/manifest";

pub(super) fn read(
    resource: &Resource,
    whole: &Value,
    state: &ClusterState,
    clusters: &ClusterResolver<'_>,
) -> Option<CopyIntent> {
    let manifest = whole.pointer(MANIFEST)?;
    if text_field(manifest, "/kind") != Some("Secret") || text_field(manifest, "/apiVersion") != Some("v1") {
        return None;
    }
    let name = text_field(manifest, "/metadata/name").unwrap_or(&resource.metadata.name).to_owned();
    let namespace = text_field(manifest, "/metadata/namespace").unwrap_or("default").to_owned();
    let (source, part) = source(resource, whole)?;
    Some(CopyIntent {
        declarer: declarer(DeclarationKind::Object, resource),
        source: Some(source),
        cluster: cluster(resource, whole, state, clusters)?,
        target: NamespacedName { namespace, name },
        part,
    })
}

/// Returns the source Secret of `references[].patchesFrom`, and the part that is copied: all of its `data`, or single
/// keys.
fn source(resource: &Resource, whole: &Value) -> Option<(NamespacedName, CopiedPart)> {
    let (mut source, mut keys) = (None, BTreeMap::new());
    for reference in list_field(whole, "/spec/references") {
        let Some(from) = reference.get("patchesFrom").filter(|from| text_field(from, "/kind") == Some("Secret")) else {
            continue;
        };
        let namespace = text_field(from, "/namespace").or(resource.metadata.namespace.as_deref()).unwrap_or("default");
        let named = NamespacedName { namespace: namespace.to_owned(), name: text_field(from, "/name")?.to_owned() };
        let path = text_field(from, "/fieldPath").unwrap_or("data");
        let to = text_field(reference, "/toFieldPath").unwrap_or(path);
        if path == "data" {
            return Some((named, CopiedPart::Whole));
        }
        keys.extend(key(to).zip(key(path)));
        source.get_or_insert(named);
    }
    Some((source?, CopiedPart::Keys(keys)))
}

/// Returns the key in `data.KEY` or `data[KEY]`.
fn key(path: &str) -> Option<String> {
    let rest = path.strip_prefix("data")?;
    let bracketed = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let key = rest.strip_prefix('.').or(bracketed)?;
    Some(key.trim_matches(['"', '\'']).to_owned())
}

/// Returns the cluster of the provider config, or `None` if it is the core cluster itself.
fn cluster(
    resource: &Resource,
    whole: &Value,
    state: &ClusterState,
    clusters: &ClusterResolver<'_>,
) -> Option<ClusterReference> {
    let name = text_field(whole, "/spec/providerConfigRef/name").unwrap_or("default");
    let kind = text_field(whole, "/spec/providerConfigRef/kind").unwrap_or("ProviderConfig");
    let is_it = |config: &&Resource| {
        config.kind.group == resource.kind.group
            && config.kind.kind == kind
            && config.metadata.name == name
            && (config.metadata.namespace.is_none() || config.metadata.namespace == resource.metadata.namespace)
    };
    match state.resources.iter().find(is_it).and_then(ProviderCredentials::from_provider_config) {
        Some(ProviderCredentials::Secret { secret, key }) => Some(clusters.by_kubeconfig(&secret, key.as_deref())),
        Some(ProviderCredentials::Injected) => None,
        Some(ProviderCredentials::Other) | None => Some(ClusterReference::Unknown(format!("{kind} {name}"))),
    }
}

/// Returns true if the status contains values of a Secret, which are then visible to all readers of Objects.
pub(super) fn holds_values(resource: &Resource) -> bool {
    let is_object = matches!(resource.kind.group.as_str(), GROUP | NAMESPACED_GROUP) && resource.kind.kind == "Object";
    let observed = resource.whole.as_deref().and_then(|whole| whole.pointer("/status/atProvider/manifest"));
    is_object
        && observed.is_some_and(|manifest| {
            let values = ["/data", "/stringData"].iter().filter_map(|path| manifest.pointer(path)?.as_object());
            text_field(manifest, "/kind") == Some("Secret")
                && values
                    .flat_map(|values| values.values())
                    .any(|value| text_field(value, "").is_some_and(|text| !is_masked(text)))
        })
}

/// Returns true for values masked by `--sanitize-secrets` or in snapshots of other tools.
fn is_masked(value: &str) -> bool {
    value.contains("redacted") || value.contains("***")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_data_are_distinguished_from_other_fields() {
        assert_eq!(key("data.password").as_deref(), Some("password"));
        assert_eq!(key("data[tls.crt]").as_deref(), Some("tls.crt"));
        assert_eq!(key("metadata.name"), None);
        assert_eq!(key("data"), None);
    }
}
