//! What an engine may do outside for one object: write, delete, or only look.

use serde::Serialize;
use serde_json::Value;

use super::identity::Family;
use crate::model::kind::{ResourceKind, Scope};

/// What becomes of the external resource when the object is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Deletion {
    /// It is deleted, too.
    Deletes,
    /// It stays.
    Orphans,
}

/// What an engine may do outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Powers {
    /// Whether it creates or updates.
    pub writes: bool,
    /// What it does on deletion.
    pub deletion: Deletion,
    /// Whether somebody told it to leave it alone for now.
    pub is_paused: bool,
    /// The policies, in the engine's own words.
    pub policies: String,
}

/// What an engine may do for an object.
pub(super) fn of(kind: &ResourceKind, object: &Value) -> Powers {
    match Family::of(kind) {
        Some(Family::Ack) => {
            annotated(object, "services.k8s.aws/read-only", "true", "services.k8s.aws/deletion-policy", &["retain"])
        }
        Some(Family::ConfigConnector) => annotated(
            object,
            "cnrm.cloud.google.com/reconcile-interval-in-seconds",
            "0",
            "cnrm.cloud.google.com/deletion-policy",
            &["abandon"],
        ),
        Some(Family::Aso) => {
            let policy = "serviceoperator.azure.com/reconcile-policy";
            annotated(object, policy, "skip", policy, &["skip", "detach-on-delete"])
        }
        None => crossplane(kind, object),
    }
}

fn annotation<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get("metadata")?.get("annotations")?.get(key)?.as_str()
}

/// Engines that are told by annotations.
fn annotated(object: &Value, read_only: &str, value: &str, deletion: &str, keeps: &[&str]) -> Powers {
    let only_reads = annotation(object, read_only) == Some(value);
    let keeps = only_reads || annotation(object, deletion).is_some_and(|policy| keeps.contains(&policy));
    let mut said: Vec<String> = Vec::new();
    for key in [read_only, deletion] {
        let text = annotation(object, key).map(|value| format!("{key}={value}"));
        said.extend(text.filter(|text| !said.contains(text)));
    }
    Powers {
        writes: !only_reads,
        deletion: if keeps { Deletion::Orphans } else { Deletion::Deletes },
        is_paused: false,
        policies: if said.is_empty() { "default".to_owned() } else { said.join(", ") },
    }
}

/// crossplane-runtime's `ManagementPoliciesResolver` (`pkg/reconciler/managed/policies.go`).
fn crossplane(kind: &ResourceKind, object: &Value) -> Powers {
    let list = object.pointer("/spec/managementPolicies").and_then(Value::as_array);
    let policies: Option<Vec<&str>> = list.map(|list| list.iter().filter_map(Value::as_str).collect());
    let has = |policy: &str| policies.as_ref().is_none_or(|list| list.contains(&"*") || list.contains(&policy));
    let is_all = policies.as_ref().is_none_or(|list| list.contains(&"*"));
    // Namespaced managed resources have no deletionPolicy.
    let policy =
        object.pointer("/spec/deletionPolicy").and_then(Value::as_str).filter(|_| kind.scope == Scope::Cluster);
    let deletes = if is_all { policy != Some("Orphan") } else { has("Delete") };
    let is_paused =
        annotation(object, "crossplane.io/paused") == Some("true") || policies.as_ref().is_some_and(Vec::is_empty);
    let mut said = policies.as_ref().map_or_else(|| "[*]".to_owned(), |list| format!("[{}]", list.join(", ")));
    if let Some(policy) = policy {
        said.push_str(&format!(", deletionPolicy {policy}"));
    }
    if is_paused {
        said.push_str(", paused");
    }
    Powers {
        writes: has("Create") || has("Update"),
        deletion: if deletes && !policies.is_some_and(|list| list.is_empty()) {
            Deletion::Deletes
        } else {
            Deletion::Orphans
        },
        is_paused,
        policies: said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The table of crossplane-runtime.
    #[test]
    fn deletion_is_as_the_runtime_has_it() {
        let cluster = ResourceKind { version: "v1".into(), ..ResourceKind::guess("s3.aws.upbound.io", "Bucket") };
        let namespaced =
            ResourceKind { scope: Scope::Namespaced, ..ResourceKind::guess("s3.aws.m.upbound.io", "Bucket") };
        for (kind, spec, expected) in [
            (&cluster, json!({"deletionPolicy": "Delete", "managementPolicies": ["*"]}), Deletion::Deletes),
            (
                &cluster,
                json!({"deletionPolicy": "Delete", "managementPolicies": ["Observe", "Create"]}),
                Deletion::Orphans,
            ),
            (
                &cluster,
                json!({"deletionPolicy": "Delete", "managementPolicies": ["Observe", "Delete"]}),
                Deletion::Deletes,
            ),
            (&cluster, json!({"deletionPolicy": "Orphan", "managementPolicies": ["*"]}), Deletion::Orphans),
            (&cluster, json!({"deletionPolicy": "Orphan", "managementPolicies": ["Observe"]}), Deletion::Orphans),
            (
                &cluster,
                json!({"deletionPolicy": "Orphan", "managementPolicies": ["Create", "Delete"]}),
                Deletion::Deletes,
            ),
            (&cluster, json!({}), Deletion::Deletes),
            (&namespaced, json!({}), Deletion::Deletes),
            (&namespaced, json!({"deletionPolicy": "Orphan"}), Deletion::Deletes),
            (&namespaced, json!({"managementPolicies": ["Observe"]}), Deletion::Orphans),
        ] {
            assert_eq!(of(kind, &json!({"spec": spec})).deletion, expected, "{} {spec}", kind.group);
        }
    }

    #[test]
    fn who_only_looks_writes_nothing() {
        let kind = ResourceKind::guess("s3.aws.upbound.io", "Bucket");
        let of_spec = |spec: Value| of(&kind, &json!({"spec": spec}));
        assert!(!of_spec(json!({"managementPolicies": ["Observe"]})).writes);
        assert!(of_spec(json!({"managementPolicies": ["Observe", "Update"]})).writes);
        assert!(of_spec(json!({"managementPolicies": []})).is_paused);
        let ack = ResourceKind::guess("s3.services.k8s.aws", "Bucket");
        let object = json!({"metadata": {"annotations": {"services.k8s.aws/read-only": "true"}}});
        assert!(!of(&ack, &object).writes);
    }
}
