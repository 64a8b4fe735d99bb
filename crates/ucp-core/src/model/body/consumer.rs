//! References from pods to Secrets: in a Pod, the template of a workload, an Ingress, and a ServiceAccount. Fields are
//! those of `core/v1` `PodSpec`; all others are dropped during deserialization.

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::Value;

use super::narrowed::{DecodedObject, NarrowedFields};
use crate::model::metadata::Metadata;

/// An object that uses Secrets, directly or through its pods.
#[derive(Debug, Clone, Default)]
pub struct SecretConsumer {
    /// References to Secrets.
    pub uses: Vec<SecretUse>,
}

/// One reference to a Secret of the same namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretUse {
    /// Name of the Secret.
    pub name: String,
    /// The keys in use; empty means all.
    pub keys: Vec<String>,
    /// Kind of use.
    pub way: SecretUseKind,
    /// True if pods start without it.
    pub is_optional: bool,
    /// For a Pod, start time of the running container that keeps the value read at its start.
    pub fixed_since: Option<Timestamp>,
}

/// Kind of use of a Secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecretUseKind {
    /// Environment variables, which keep the value from the start of the container.
    Environment,
    /// A file that the kubelet updates.
    Volume,
    /// A file that the kubelet does not update: a mount with `subPath`.
    SubPath,
    /// Credentials for mounting a volume.
    Storage,
    /// Credentials for pulling images.
    Pull,
    /// A certificate for serving TLS.
    Tls,
}

/// Types of volumes with credentials in a Secret, and the field with its name.
const STORAGE: [(&str, &str); 10] = [
    ("azureFile", "/secretName"),
    ("cephfs", "/secretRef/name"),
    ("cinder", "/secretRef/name"),
    ("csi", "/nodePublishSecretRef/name"),
    ("flexVolume", "/secretRef/name"),
    ("iscsi", "/secretRef/name"),
    ("rbd", "/secretRef/name"),
    ("scaleIO", "/secretRef/name"),
    ("storageos", "/secretRef/name"),
    ("glusterfs", "/secretRef/name"),
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SerializedConsumer {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    spec: Value,
    #[serde(default)]
    status: Value,
    #[serde(default)]
    image_pull_secrets: Value,
}

pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DecodedObject<SecretConsumer>, D::Error> {
    let wire = SerializedConsumer::deserialize(deserializer)?;
    let mut uses = Vec::new();
    if !is_finished(&wire) {
        let pod = ["/jobTemplate/spec/template/spec", "/template/spec"].iter().find_map(|path| wire.spec.pointer(path));
        collect_pod_uses(pod.unwrap_or(&wire.spec), &wire.status, &mut uses);
        for entry in list_field(&wire.spec, "/tls") {
            uses.extend(text_field(entry, "/secretName").map(|name| use_of_all_keys(name, SecretUseKind::Tls, false)));
        }
        let pulls = list_field(&wire.image_pull_secrets, "").iter().filter_map(|entry| text_field(entry, "/name"));
        uses.extend(pulls.map(|name| use_of_all_keys(name, SecretUseKind::Pull, false)));
    }
    Ok(DecodedObject { metadata: wire.metadata, rest: NarrowedFields::from_body(SecretConsumer { uses }) })
}

/// Returns the references of an object to Secrets; empty if it cannot be parsed.
pub fn secret_uses(object: &Value) -> Vec<SecretUse> {
    read(object).map(|decoded| decoded.rest.body.uses).unwrap_or_default()
}

/// Returns true for Pods and Jobs that have ended, and for ReplicaSets of previous templates: they use no Secrets.
fn is_finished(wire: &SerializedConsumer) -> bool {
    let ended = matches!(text_field(&wire.status, "/phase"), Some("Succeeded" | "Failed"))
        || list_field(&wire.status, "/conditions").iter().any(|condition| {
            matches!(text_field(condition, "/type"), Some("Complete" | "Failed"))
                && text_field(condition, "/status") == Some("True")
                && wire.spec.get("template").is_some()
        });
    let is_scaled_down = wire.metadata.controller().is_some() && wire.spec.get("replicas") == Some(&Value::from(0));
    ended || is_scaled_down
}

fn collect_pod_uses(pod: &Value, status: &Value, uses: &mut Vec<SecretUse>) {
    let containers = [
        ("/initContainers", "/initContainerStatuses"),
        ("/containers", "/containerStatuses"),
        ("/ephemeralContainers", "/ephemeralContainerStatuses"),
    ];
    let all: Vec<(&Value, Option<Timestamp>)> = containers
        .iter()
        .flat_map(|(path, statuses)| {
            list_field(pod, path).iter().map(move |one| (one, container_start(one, list_field(status, statuses))))
        })
        .collect();
    for (container, since) in &all {
        for variable in list_field(container, "/env") {
            let Some(reference) = variable.pointer("/valueFrom/secretKeyRef") else { continue };
            let key = text_field(reference, "/key").map(str::to_owned);
            uses.extend(text_field(reference, "/name").map(|name| SecretUse {
                keys: key.into_iter().collect(),
                fixed_since: *since,
                ..use_of_all_keys(name, SecretUseKind::Environment, is_optional(reference))
            }));
        }
        for source in list_field(container, "/envFrom") {
            let Some(reference) = source.get("secretRef") else { continue };
            uses.extend(text_field(reference, "/name").map(|name| SecretUse {
                fixed_since: *since,
                ..use_of_all_keys(name, SecretUseKind::Environment, is_optional(reference))
            }));
        }
    }
    for volume in list_field(pod, "/volumes") {
        collect_volume_uses(volume, &all, uses);
    }
    let pulls = list_field(pod, "/imagePullSecrets").iter().filter_map(|entry| text_field(entry, "/name"));
    uses.extend(pulls.map(|name| use_of_all_keys(name, SecretUseKind::Pull, false)));
}

fn collect_volume_uses(volume: &Value, containers: &[(&Value, Option<Timestamp>)], uses: &mut Vec<SecretUse>) {
    let name = text_field(volume, "/name");
    let below = containers.iter().filter(|(container, _)| {
        list_field(container, "/volumeMounts").iter().any(|mount| {
            text_field(mount, "/name") == name && (mount.get("subPath").is_some() || mount.get("subPathExpr").is_some())
        })
    });
    let below: Vec<Option<Timestamp>> = below.map(|(_, since)| *since).collect();
    let mut mounted = |source: &Value, name: &str| {
        let keys = list_field(source, "/items")
            .iter()
            .filter_map(|item| text_field(item, "/key").map(str::to_owned))
            .collect();
        let one = SecretUse { keys, ..use_of_all_keys(name, SecretUseKind::Volume, is_optional(source)) };
        match below.as_slice() {
            [] => uses.push(one),
            several => uses.extend(several.iter().map(|since| SecretUse {
                way: SecretUseKind::SubPath,
                fixed_since: *since,
                ..one.clone()
            })),
        }
    };
    if let Some(source) = volume.get("secret")
        && let Some(name) = text_field(source, "/secretName")
    {
        mounted(source, name);
    }
    for source in list_field(volume, "/projected/sources").iter().filter_map(|source| source.get("secret")) {
        if let Some(name) = text_field(source, "/name") {
            mounted(source, name);
        }
    }
    for (kind, path) in STORAGE {
        let found = volume.get(kind).and_then(|source| text_field(source, path));
        uses.extend(found.map(|name| use_of_all_keys(name, SecretUseKind::Storage, false)));
    }
}

fn use_of_all_keys(name: &str, way: SecretUseKind, is_optional: bool) -> SecretUse {
    SecretUse { name: name.to_owned(), keys: Vec::new(), way, is_optional, fixed_since: None }
}

fn is_optional(reference: &Value) -> bool {
    reference.get("optional").and_then(Value::as_bool).unwrap_or(false)
}

/// Returns the start time of a container, if it is running.
fn container_start(container: &Value, statuses: &[Value]) -> Option<Timestamp> {
    let name = text_field(container, "/name")?;
    let status = statuses.iter().find(|status| text_field(status, "/name") == Some(name))?;
    text_field(status, "/state/running/startedAt")?.parse().ok()
}

/// Returns a non-empty text field of an object.
pub fn text_field<'object>(object: &'object Value, path: &str) -> Option<&'object str> {
    object.pointer(path)?.as_str().filter(|text| !text.is_empty())
}

/// Returns a list field of an object; empty if it is absent.
pub fn list_field<'object>(object: &'object Value, path: &str) -> &'object [Value] {
    object.pointer(path).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn uses(object: &Value) -> Vec<(String, SecretUseKind, Vec<String>, bool)> {
        read(object)
            .unwrap()
            .rest
            .body
            .uses
            .into_iter()
            .map(|one| (one.name, one.way, one.keys, one.is_optional))
            .collect()
    }

    #[test]
    fn every_reference_of_a_pod_is_found() {
        let spec = json!({
            "initContainers": [{"name": "i", "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "env-init", "key": "a"}}}]}],
            "containers": [{
                "name": "c",
                "env": [
                    {"name": "B", "valueFrom": {"secretKeyRef": {"name": "env", "key": "b", "optional": true}}},
                    {"name": "C", "valueFrom": {"configMapKeyRef": {"name": "no-secret", "key": "c"}}},
                ],
                "envFrom": [{"secretRef": {"name": "all"}}, {"configMapRef": {"name": "no-secret"}}],
                "volumeMounts": [{"name": "below", "subPath": "x", "mountPath": "/x"}, {"name": "files", "mountPath": "/f"}],
            }],
            "ephemeralContainers": [{"name": "e", "envFrom": [{"secretRef": {"name": "late"}}]}],
            "volumes": [
                {"name": "files", "secret": {"secretName": "files", "items": [{"key": "k", "path": "k"}]}},
                {"name": "below", "secret": {"secretName": "below"}},
                {"name": "mix", "projected": {"sources": [{"secret": {"name": "mixed", "optional": true}}, {"configMap": {"name": "no-secret"}}]}},
                {"name": "csi", "csi": {"driver": "d", "nodePublishSecretRef": {"name": "login"}}},
                {"name": "azure", "azureFile": {"secretName": "share"}},
            ],
            "imagePullSecrets": [{"name": "pull"}],
        });
        let all = |name: &str, way| (name.to_owned(), way, Vec::new(), false);
        let expected = vec![
            ("env-init".to_owned(), SecretUseKind::Environment, vec!["a".to_owned()], false),
            ("env".to_owned(), SecretUseKind::Environment, vec!["b".to_owned()], true),
            all("all", SecretUseKind::Environment),
            all("late", SecretUseKind::Environment),
            ("files".to_owned(), SecretUseKind::Volume, vec!["k".to_owned()], false),
            all("below", SecretUseKind::SubPath),
            ("mixed".to_owned(), SecretUseKind::Volume, Vec::new(), true),
            all("login", SecretUseKind::Storage),
            all("share", SecretUseKind::Storage),
            all("pull", SecretUseKind::Pull),
        ];
        assert_eq!(uses(&json!({"spec": spec})), expected);
        assert_eq!(uses(&json!({"spec": {"template": {"spec": spec}}})), expected);
        assert_eq!(uses(&json!({"spec": {"jobTemplate": {"spec": {"template": {"spec": spec}}}}})), expected);
        assert_eq!(uses(&json!({"spec": spec, "status": {"phase": "Succeeded"}})), []);
        assert_eq!(
            uses(&json!({"spec": {"tls": [{"secretName": "tls"}, {"hosts": []}]}})),
            [all("tls", SecretUseKind::Tls)]
        );
        assert_eq!(uses(&json!({"imagePullSecrets": [{"name": "pull"}]})), [all("pull", SecretUseKind::Pull)]);
    }

    #[test]
    fn finished_and_scaled_down_workloads_use_no_secrets() {
        let template = json!({"spec": {"containers": [{"name": "c", "envFrom": [{"secretRef": {"name": "s"}}]}]}});
        let owned = json!([{"kind": "Deployment", "name": "d", "uid": "u", "controller": true}]);
        let old = json!({"metadata": {"ownerReferences": owned}, "spec": {"replicas": 0, "template": template}});
        assert_eq!(uses(&old), []);
        assert_eq!(uses(&json!({"spec": {"replicas": 0, "template": template}})).len(), 1, "it may be scaled up");
        let done = json!({"conditions": [{"type": "Complete", "status": "True"}]});
        assert_eq!(uses(&json!({"spec": {"template": template}, "status": done})), []);
    }
}
