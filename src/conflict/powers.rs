//! The external operations that an engine may perform for one object: write, delete, or only observe.

use serde::Serialize;
use serde_json::Value;

use crate::engine;
use crate::engine::crossplane::policies::{Action, Declared};
use crate::engine::outside::Outside;
use crate::model::kind::ResourceKind;

/// The effect on the external resource when the object is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Deletion {
    /// It is deleted too.
    Deletes,
    /// It remains.
    Orphans,
}

/// The external operations that an engine may perform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Powers {
    /// True if it creates or updates.
    pub writes: bool,
    /// The effect of a deletion.
    pub deletion: Deletion,
    /// True if the object is paused.
    pub is_paused: bool,
    /// The policies, in the engine's own terms.
    pub policies: String,
}

/// Returns the operations that an engine may perform for an object.
pub(super) fn of(kind: &ResourceKind, object: &Value) -> Powers {
    match engine::outside(kind) {
        Some(outside) => marked(outside, object),
        None => crossplane(kind, object),
    }
}

/// Returns the powers of engines that are configured by marks.
fn marked(outside: &Outside, object: &Value) -> Powers {
    let said = outside.said(object);
    Powers {
        writes: outside.held(object).is_none(),
        deletion: if outside.kept(object).is_some() { Deletion::Orphans } else { Deletion::Deletes },
        is_paused: false,
        policies: if said.is_empty() { "default".to_owned() } else { said.join(", ") },
    }
}

fn crossplane(kind: &ResourceKind, object: &Value) -> Powers {
    let declared = Declared::of(kind, object);
    let (policies, is_paused) = (declared.policies(), declared.is_paused());
    let mut said = policies.text();
    if let Some(policy) = declared.deletion_policy() {
        said.push_str(&format!(", deletionPolicy {policy}"));
    }
    if is_paused {
        said.push_str(", paused");
    }
    Powers {
        writes: policies.allow(Action::Create) || policies.allow(Action::Update),
        deletion: if declared.deletes() { Deletion::Deletes } else { Deletion::Orphans },
        is_paused,
        policies: said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::kind::Scope;
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
            (&cluster, json!({"deletionPolicy": "Orphan", "managementPolicies": ["*", "Observe"]}), Deletion::Orphans),
            (&cluster, json!({"deletionPolicy": "Orphan", "managementPolicies": ["*", "Delete"]}), Deletion::Deletes),
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
