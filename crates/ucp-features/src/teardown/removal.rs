//! The effect of deleting an object on its external resource: by the rules of crossplane-runtime
//! (`ManagementPoliciesResolver.ShouldDelete`), or by the marks that another engine declares.

use serde_json::Value;

use super::safeguard::Safeguard;
use super::safeguards::safeguards;
use ucp_core::engine;
use ucp_core::engine::crossplane::policies::{ExternalAction, ManagedResourceSettings};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;

/// The effect of a deletion on an external resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalRemoval {
    /// External name; absent before it has one.
    pub name: Option<String>,
    /// The effect.
    pub end: RemovalEffect,
}

/// The effect of deleting an object on its external resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovalEffect {
    /// It is deleted.
    Deleted,
    /// It remains, for this reason, and is no longer managed.
    Orphaned(String),
    /// It remains, for this reason, as it was before: its object only observed it.
    Left(String),
    /// Both remain, for this reason: the object is paused, and its finalizer keeps it.
    Held(String),
    /// Both remain, for this reason: the provider does not reconcile the object as it is declared.
    Refused(String),
}

impl ExternalRemoval {
    /// Returns the reason why it remains, if it does.
    pub fn reason_kept(&self) -> Option<&str> {
        match &self.end {
            RemovalEffect::Deleted => None,
            RemovalEffect::Orphaned(why)
            | RemovalEffect::Left(why)
            | RemovalEffect::Held(why)
            | RemovalEffect::Refused(why) => Some(why),
        }
    }
}

/// Returns the external effect of deleting an object of a kind.
pub fn external_removal(kind: &ResourceKind, object: &Value) -> ExternalRemoval {
    if kind.kind == "ObservedObjectCollection" && engine::outside(kind).is_none() {
        return ExternalRemoval { name: None, end: RemovalEffect::Left("it only observes objects".to_owned()) };
    }
    let Some(outside) = engine::outside(kind) else { return managed_removal(kind, object) };
    let end = if let Some(mark) = outside.pause_reason(object) {
        RemovalEffect::Held(mark)
    } else if let Some(mark) = outside.inactive_reason(object) {
        RemovalEffect::Left(mark)
    } else {
        outside.keep_reason(object).map_or(RemovalEffect::Deleted, RemovalEffect::Orphaned)
    };
    ExternalRemoval { name: outside.name(object), end }
}

/// Returns true if the provider of a managed resource deletes its external resource with it. Otherwise it needs no access.
pub(super) fn deletes_outside(resource: &Resource) -> bool {
    let whole = resource.whole.as_deref();
    whole.is_none_or(|whole| external_removal(&resource.kind, whole).end == RemovalEffect::Deleted)
}

fn managed_removal(kind: &ResourceKind, object: &Value) -> ExternalRemoval {
    let declared = ManagedResourceSettings::from_object(kind, object);
    let policies = declared.policies();
    let text = policies.text();
    let end = if declared.is_paused() {
        RemovalEffect::Held(
            "it is paused: until it is resumed, its finalizer keeps it, and nothing is deleted".to_owned(),
        )
    } else if policies.is_refused() {
        RemovalEffect::Refused(format!("managementPolicies {text} are no set that Crossplane supports"))
    } else if declared.deletes() {
        let mut safeguards = safeguards(kind, object).into_iter();
        let kept = safeguards.find_map(|one| match one {
            Safeguard::Keeps(why) => Some(why),
            Safeguard::Doubtful(_) | Safeguard::Refuses { .. } => None,
        });
        kept.map_or(RemovalEffect::Deleted, RemovalEffect::Orphaned)
    } else if ![ExternalAction::Create, ExternalAction::Update, ExternalAction::Delete]
        .into_iter()
        .any(|action| policies.allows(action))
    {
        RemovalEffect::Left(format!("managementPolicies {text} do not allow Delete"))
    } else if !policies.allows(ExternalAction::Delete) {
        RemovalEffect::Orphaned(format!("managementPolicies {text} do not allow Delete"))
    } else {
        RemovalEffect::Orphaned("deletionPolicy is Orphan".to_owned())
    };
    ExternalRemoval { name: declared.name(), end }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use ucp_core::model::kind::ResourceScope;

    /// The table of crossplane-runtime, cluster-scoped and namespaced.
    #[test]
    fn removal_follows_the_policies() {
        let cluster = ResourceKind::guess("s3.aws.upbound.io", "Bucket");
        let namespaced =
            ResourceKind { scope: ResourceScope::Namespaced, ..ResourceKind::guess("s3.aws.m.upbound.io", "Bucket") };
        let end =
            |kind: &ResourceKind, spec: Value| match external_removal(kind, &json!({"metadata": {}, "spec": spec})).end
            {
                RemovalEffect::Deleted => "deleted",
                RemovalEffect::Orphaned(_) => "orphaned",
                RemovalEffect::Left(_) => "left",
                RemovalEffect::Held(_) => "held",
                RemovalEffect::Refused(_) => "refused",
            };
        for (deletion, policies, expected) in [
            ("Delete", json!(["*"]), "deleted"),
            ("Delete", json!(["Observe", "Create", "Update"]), "orphaned"),
            ("Delete", json!(["Observe", "Delete"]), "deleted"),
            ("Orphan", json!(["*"]), "orphaned"),
            ("Orphan", json!(["Observe", "Create"]), "orphaned"),
            ("Orphan", json!(["Observe", "Create", "Delete"]), "deleted"),
            // Its reconciler refuses sets that it does not know, in any order and with repeated actions.
            ("Delete", json!(["Delete", "Observe", "Delete"]), "deleted"),
            ("Delete", json!(["Delete"]), "refused"),
            ("Delete", json!(["Create"]), "refused"),
            ("Delete", json!(["*", "Observe"]), "refused"),
            ("Orphan", json!(["Create", "Delete"]), "refused"),
            ("Delete", json!(["Observe", "Update", "Delete"]), "refused"),
            ("Delete", json!(["Observe"]), "left"),
            ("Delete", json!(["Observe", "LateInitialize"]), "left"),
            ("Delete", json!([]), "held"),
        ] {
            let spec = json!({"deletionPolicy": deletion, "managementPolicies": policies});
            assert_eq!(end(&cluster, spec), expected, "{deletion} {policies}");
        }
        assert_eq!(end(&cluster, json!({})), "deleted");
        assert_eq!(end(&cluster, json!({"deletionPolicy": "Orphan"})), "orphaned");
        assert_eq!(end(&namespaced, json!({"deletionPolicy": "Orphan"})), "deleted");
        assert_eq!(end(&namespaced, json!({"managementPolicies": ["Observe", "Update"]})), "orphaned");
    }

    #[test]
    fn a_kept_resource_has_a_reason() {
        let kind = ResourceKind::guess("s3.aws.upbound.io", "Bucket");
        let why = |object: Value| external_removal(&kind, &object).reason_kept().map(str::to_owned);
        assert_eq!(why(json!({"spec": {}})), None);
        assert_eq!(why(json!({"spec": {"deletionPolicy": "Orphan"}})).as_deref(), Some("deletionPolicy is Orphan"));
        let policies = why(json!({"spec": {"managementPolicies": ["Observe", "Update"]}})).unwrap();
        assert!(policies.ends_with("do not allow Delete"), "{policies}");
        let paused = why(json!({"metadata": {"annotations": {"crossplane.io/paused": "true"}}, "spec": {}})).unwrap();
        assert!(paused.starts_with("it is paused"), "{paused}");
    }

    #[test]
    fn other_engines_have_their_own_marks() {
        let end =
            |group: &str, kind: &str, object: Value| external_removal(&ResourceKind::guess(group, kind), &object).end;
        let marked = |key: &str, value: &str| json!({"metadata": {"annotations": {key: value}}});
        let ack = |key, value| end("s3.services.k8s.aws", "Bucket", marked(key, value));
        assert!(matches!(ack("services.k8s.aws/deletion-policy", "retain"), RemovalEffect::Orphaned(_)));
        assert!(matches!(ack("services.k8s.aws/read-only", "true"), RemovalEffect::Left(_)));
        assert_eq!(ack("other", "x"), RemovalEffect::Deleted);
        let google = end(
            "storage.cnrm.cloud.google.com",
            "StorageBucket",
            marked("cnrm.cloud.google.com/deletion-policy", "abandon"),
        );
        assert!(matches!(google, RemovalEffect::Orphaned(_)));
        // Without the periodic comparison, the deletion is still carried out.
        let unwatched = marked("cnrm.cloud.google.com/reconcile-interval-in-seconds", "0");
        assert_eq!(end("storage.cnrm.cloud.google.com", "StorageBucket", unwatched), RemovalEffect::Deleted);
        let azure = marked("serviceoperator.azure.com/reconcile-policy", "detach-on-delete");
        assert!(matches!(end("storage.azure.com", "StorageAccount", azure), RemovalEffect::Orphaned(_)));
        assert!(matches!(
            end("cluster.x-k8s.io", "Cluster", json!({"spec": {"paused": true}})),
            RemovalEffect::Held(_)
        ));
        assert!(matches!(end("infra.contrib.fluxcd.io", "Terraform", json!({"spec": {}})), RemovalEffect::Orphaned(_)));
        let destroys = json!({"spec": {"destroyResourcesOnDeletion": true}});
        assert_eq!(end("infra.contrib.fluxcd.io", "Terraform", destroys), RemovalEffect::Deleted);
    }
}
