//! The external operations that an engine may perform for one object: write, delete, or only observe.

use serde::Serialize;
use serde_json::Value;

use ucp_core::engine;
use ucp_core::engine::crossplane::policies::{ExternalAction, ManagedResourceSettings};
use ucp_core::engine::outside::ExternalPolicy;
use ucp_core::model::kind::ResourceKind;

/// The effect on the external resource when the object is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DeletionEffect {
    /// It is deleted too.
    Deletes,
    /// It remains.
    Orphans,
}

/// The external operations that an engine may perform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnginePowers {
    /// True if it creates or updates.
    pub writes: bool,
    /// The effect of a deletion.
    pub deletion: DeletionEffect,
    /// True if the object is paused.
    pub is_paused: bool,
    /// The policies, in the engine's own terms.
    pub policies: String,
}

/// Returns the operations that an engine may perform for an object.
pub(super) fn powers_of(kind: &ResourceKind, object: &Value) -> EnginePowers {
    match engine::outside(kind) {
        Some(outside) => marked_powers(outside, object),
        None => crossplane_powers(kind, object),
    }
}

/// Returns the powers of engines that are configured by marks.
fn marked_powers(outside: &ExternalPolicy, object: &Value) -> EnginePowers {
    let said = outside.mark_values(object);
    EnginePowers {
        writes: outside.inactive_reason(object).is_none(),
        deletion: if outside.keep_reason(object).is_some() { DeletionEffect::Orphans } else { DeletionEffect::Deletes },
        is_paused: false,
        policies: if said.is_empty() { "default".to_owned() } else { said.join(", ") },
    }
}

fn crossplane_powers(kind: &ResourceKind, object: &Value) -> EnginePowers {
    let declared = ManagedResourceSettings::from_object(kind, object);
    let (policies, is_paused) = (declared.policies(), declared.is_paused());
    let mut said = policies.text();
    if let Some(policy) = declared.deletion_policy() {
        said.push_str(&format!(", deletionPolicy {policy}"));
    }
    if is_paused {
        said.push_str(", paused");
    }
    EnginePowers {
        writes: policies.allows(ExternalAction::Create) || policies.allows(ExternalAction::Update),
        deletion: if declared.deletes() { DeletionEffect::Deletes } else { DeletionEffect::Orphans },
        is_paused,
        policies: said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use ucp_core::model::kind::ResourceScope;

    /// The table of crossplane-runtime.
    #[test]
    fn deletion_follows_the_policies_as_in_the_runtime() {
        let cluster = ResourceKind { version: "v1".into(), ..ResourceKind::guess("s3.aws.upbound.io", "Bucket") };
        let namespaced =
            ResourceKind { scope: ResourceScope::Namespaced, ..ResourceKind::guess("s3.aws.m.upbound.io", "Bucket") };
        for (kind, spec, expected) in [
            (&cluster, json!({"deletionPolicy": "Delete", "managementPolicies": ["*"]}), DeletionEffect::Deletes),
            (
                &cluster,
                json!({"deletionPolicy": "Delete", "managementPolicies": ["Observe", "Create"]}),
                DeletionEffect::Orphans,
            ),
            (
                &cluster,
                json!({"deletionPolicy": "Delete", "managementPolicies": ["Observe", "Delete"]}),
                DeletionEffect::Deletes,
            ),
            (&cluster, json!({"deletionPolicy": "Orphan", "managementPolicies": ["*"]}), DeletionEffect::Orphans),
            (&cluster, json!({"deletionPolicy": "Orphan", "managementPolicies": ["Observe"]}), DeletionEffect::Orphans),
            (
                &cluster,
                json!({"deletionPolicy": "Orphan", "managementPolicies": ["Create", "Delete"]}),
                DeletionEffect::Deletes,
            ),
            (
                &cluster,
                json!({"deletionPolicy": "Orphan", "managementPolicies": ["*", "Observe"]}),
                DeletionEffect::Orphans,
            ),
            (
                &cluster,
                json!({"deletionPolicy": "Orphan", "managementPolicies": ["*", "Delete"]}),
                DeletionEffect::Deletes,
            ),
            (&cluster, json!({}), DeletionEffect::Deletes),
            (&namespaced, json!({}), DeletionEffect::Deletes),
            (&namespaced, json!({"deletionPolicy": "Orphan"}), DeletionEffect::Deletes),
            (&namespaced, json!({"managementPolicies": ["Observe"]}), DeletionEffect::Orphans),
        ] {
            assert_eq!(powers_of(kind, &json!({"spec": spec})).deletion, expected, "{} {spec}", kind.group);
        }
    }

    #[test]
    fn observing_objects_write_nothing() {
        let kind = ResourceKind::guess("s3.aws.upbound.io", "Bucket");
        let of_spec = |spec: Value| powers_of(&kind, &json!({"spec": spec}));
        assert!(!of_spec(json!({"managementPolicies": ["Observe"]})).writes);
        assert!(of_spec(json!({"managementPolicies": ["Observe", "Update"]})).writes);
        assert!(of_spec(json!({"managementPolicies": []})).is_paused);
        let ack = ResourceKind::guess("s3.services.k8s.aws", "Bucket");
        let object = json!({"metadata": {"annotations": {"services.k8s.aws/read-only": "true"}}});
        assert!(!powers_of(&ack, &object).writes);
    }
}
