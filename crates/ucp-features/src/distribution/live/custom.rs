//! Objects of an app cluster that use a Secret in other ways than workloads do: custom resources, volumes and storage classes,
//! and annotations. Their fields are not known, so the name of the Secret as a word of any field counts as a use. Checked
//! before a copy is deleted.

use std::collections::BTreeSet;

use futures::StreamExt as _;
use serde_json::Value;

use super::query::kinds as known_kinds;
use crate::adopt::names::NamespacedName;
use crate::distribution::app::{AppClusterReading, SecretDemand};
use ucp_client::source::live;
use ucp_client::source::live::api::{Api, ReadError};
use ucp_client::source::live::definition::{not_compared, unlisted_kinds};
use ucp_client::source::live::freshness::Freshness;
use ucp_client::source::live::list::{ListScope, list};
use ucp_core::engine::ListedNames;
use ucp_core::model::body::consumer::{SecretUse, SecretUseKind};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::Unreadable;

/// Maximum number of concurrent lists.
const CONCURRENT: usize = 8;
/// Groups of Kubernetes itself, and groups of metrics. All others have definitions, also those that end in `k8s.io`, such as
/// the Gateway API.
const BUILT_IN: [&str; 27] = [
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "custom.metrics.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
    "external.metrics.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "metrics.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];
/// Kinds of Kubernetes itself that name Secrets, and are no workloads: of volumes, in parameters, and in annotations.
const NAMING: [(&str, &str); 4] = [
    ("", "PersistentVolume"),
    ("", "Service"),
    ("storage.k8s.io", "StorageClass"),
    ("storage.k8s.io", "VolumeAttachment"),
];

/// Adds the uses of some Secrets by custom resources, by volumes, and by annotations of the given objects.
pub(super) async fn add_users(
    api: &Api,
    secrets: &BTreeSet<NamespacedName>,
    workloads: &[Resource],
    reading: &mut AppClusterReading,
) {
    for resource in workloads {
        reading.demands.extend(demands(resource, secrets, mentions));
    }
    let kinds = match live::kinds(api).await {
        Ok(found) => {
            let is_custom =
                |entry: &Unreadable| !entry.what.split('/').next().is_some_and(|group| BUILT_IN.contains(&group));
            reading.unread_customs.extend(found.unreadable.into_iter().filter(is_custom));
            found.kinds
        }
        Err(error) => {
            let gap = Unreadable { what: "the kinds of the app cluster".to_owned(), reason: error.to_string() };
            reading.unread_customs.push(gap);
            return;
        }
    };
    let listed: ListedNames = kinds.iter().map(AsRef::as_ref).collect();
    match unlisted_kinds(api, &listed).await {
        Ok(unlisted) => {
            let hidden = unlisted.iter().filter_map(|kind| kind.entry_if(is_custom));
            reading.unread_customs.extend(hidden.cloned());
        }
        Err(ReadError::Denied { code: 403, .. }) => {
            reading.unchecked.insert("kinds that the server does not list".to_owned());
        }
        Err(error) => reading.unread_customs.push(not_compared(&error).into_entry()),
    }
    let customs = kinds.iter().filter(|kind| is_custom(kind));
    let mut answers = futures::stream::iter(customs)
        .map(|kind| async move {
            let want = KindRequest::whole(BodyShape::Conditions);
            (kind, list(api, kind, want, ListScope::default(), &Freshness::newest()).await)
        })
        .buffered(CONCURRENT);
    while let Some((kind, listed)) = answers.next().await {
        for resource in &listed.resources {
            reading.demands.extend(demands(resource, secrets, uses));
        }
        reading.unread_customs.extend(listed.broken);
        match listed.error {
            None => {}
            Some(ReadError::Denied { code: 403, .. }) => drop(reading.unchecked.insert(kind.qualified_plural())),
            Some(error) => {
                reading.unread_customs.push(Unreadable { what: kind.qualified_plural(), reason: error.to_string() });
            }
        }
    }
}

/// Returns the uses of some Secrets by an object.
fn demands<'a>(
    resource: &'a Resource,
    secrets: &'a BTreeSet<NamespacedName>,
    is_user: impl Fn(&Resource, &NamespacedName) -> bool + 'a,
) -> impl Iterator<Item = SecretDemand> + 'a {
    secrets.iter().filter(move |secret| is_user(resource, secret)).map(|secret| SecretDemand {
        workload: resource.name(),
        secret: secret.clone(),
        usage: SecretUse {
            name: secret.name.clone(),
            keys: Vec::new(),
            way: SecretUseKind::Volume,
            is_optional: false,
            fixed_since: None,
        },
    })
}

/// Returns true for kinds whose objects may use a Secret, and are not read as workloads.
fn is_custom(kind: &ResourceKind) -> bool {
    let group = kind.group.as_str();
    let is_known = known_kinds().any(|(known, _, plural, _)| known == group && plural == kind.plural);
    let is_naming = NAMING.iter().any(|(known, name)| *known == group && *name == kind.kind);
    is_naming || !is_known && !BUILT_IN.contains(&group)
}

/// Returns true if an object names a Secret: in its own namespace, or together with the namespace of the Secret.
fn uses(resource: &Resource, secret: &NamespacedName) -> bool {
    let Some(whole) = resource.whole.as_deref() else { return false };
    let parts = || whole.as_object().into_iter().flatten().filter(|(key, _)| *key != "metadata" && *key != "status");
    let has = |word: &str| parts().any(|(_, part)| contains(part, word));
    is_near(resource, secret, has) && has(&secret.name) || mentions(resource, secret)
}

/// Returns true if an annotation of an object names a Secret, as those of ingress controllers do.
fn mentions(resource: &Resource, secret: &NamespacedName) -> bool {
    let has = |word: &str| resource.metadata.annotations.iter().any(|(_, value)| has_word(value, word));
    is_near(resource, secret, has) && has(&secret.name)
}

fn is_near(resource: &Resource, secret: &NamespacedName, has: impl Fn(&str) -> bool) -> bool {
    resource.metadata.namespace.as_ref().is_none_or(|own| *own == secret.namespace || has(&secret.namespace))
}

fn contains(value: &Value, word: &str) -> bool {
    match value {
        Value::String(text) => has_word(text, word),
        Value::Array(items) => items.iter().any(|item| contains(item, word)),
        Value::Object(fields) => fields.values().any(|field| contains(field, word)),
        _ => false,
    }
}

/// Returns true if a text has a name as a word, as in `NAME`, `NAMESPACE/NAME`, `k8s://NAMESPACE/NAME`, or JSON.
fn has_word(text: &str, name: &str) -> bool {
    let is_of_name = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '.');
    text.split(|character| !is_of_name(character)).any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde::de::DeserializeSeed as _;
    use serde_json::json;

    use super::*;
    use ucp_core::model::seed::ResourceSeed;

    fn resource((group, kind): (&str, &str), whole: &Value) -> Resource {
        let kind = Arc::new(ResourceKind::guess(group, kind));
        let seed = ResourceSeed { kind: &kind, shape: BodyShape::Conditions };
        seed.deserialize(whole).unwrap().with_whole(Some(Arc::new(whole.clone())))
    }

    #[test]
    fn groups_with_definitions_are_custom_despite_their_suffix() {
        for (group, kind, is_expected) in [
            ("gateway.networking.k8s.io", "Gateway", true),
            ("snapshot.storage.k8s.io", "VolumeSnapshotClass", true),
            ("secrets-store.csi.x-k8s.io", "SecretProviderClass", true),
            ("storage.k8s.io", "StorageClass", true),
            ("", "PersistentVolume", true),
            ("networking.k8s.io", "NetworkPolicy", false),
            ("metrics.k8s.io", "PodMetrics", false),
            ("", "ConfigMap", false),
        ] {
            assert_eq!(is_custom(&ResourceKind::guess(group, kind)), is_expected, "{group} {kind}");
        }
    }

    #[test]
    fn a_secret_is_used_where_its_name_is_a_word() {
        let secret = NamespacedName { namespace: "shop".to_owned(), name: "orders".to_owned() };
        let gateway = ("gateway.networking.k8s.io", "Gateway");
        let at = |namespace: &str, name: &str, own: Option<&str>| {
            let reference = json!({"name": name, "namespace": namespace});
            json!({"metadata": {"name": "x", "namespace": own}, "spec": {"certificateRefs": [reference]}})
        };
        let annotated = |key: &str, value: &str, own: &str| {
            let annotations = json!({key: value});
            json!({"metadata": {"name": "x", "namespace": own, "annotations": annotations}})
        };
        for (kind, whole, is_expected) in [
            (gateway, at("shop", "orders", Some("edge")), true),
            (gateway, at("other", "orders", Some("edge")), false),
            (gateway, at("shop", "orders-2", Some("shop")), false),
            (("", "PersistentVolume"), at("shop", "orders", None), true),
            (("networking.k8s.io", "Ingress"), annotated("nginx/auth-secret", "shop/orders", "edge"), true),
            (("networking.k8s.io", "Ingress"), annotated("nginx/auth-secret", "orders", "shop"), true),
            (("networking.k8s.io", "Ingress"), annotated("alb/oidc", r#"{"secretName":"orders"}"#, "shop"), true),
            (("networking.k8s.io", "Ingress"), annotated("nginx/auth-secret", "orders", "edge"), false),
            (("networking.k8s.io", "Ingress"), annotated("host", "orders.example.org", "shop"), false),
        ] {
            assert_eq!(uses(&resource(kind, &whole), &secret), is_expected, "{whole}");
        }
    }
}
