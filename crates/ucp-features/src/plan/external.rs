//! The effect of a change on external resources, by the rules of crossplane-runtime or by the marks that another engine
//! declares.

use serde::Serialize;
use serde_json::Value;

use crate::plan::admission::changed_admission_effects;
use crate::plan::kind_list::{KindList, has_kind};
use crate::teardown::removal;
use ucp_client::prediction::difference::FieldChange;
use ucp_core::engine;
use ucp_core::engine::crossplane::policies::{ExternalAction, ManagedResourceSettings};
use ucp_core::engine::crossplane::{CrossplaneRole, EXTERNAL_NAME, role};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::path::FieldPathStep;
use ucp_core::model::variant_words::variant_words;

/// The effect on the external resource of a managed resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExternalEffect {
    /// Its external name; absent before it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The effect.
    pub effect: ExternalEffectKind,
    /// The reason, if the effect is not the expected one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl ExternalEffect {
    /// Returns the effect, or `Keep` if there is a reason to keep the external resource as it is.
    fn kept_or(kept: Option<String>, effect: ExternalEffectKind, name: Option<String>) -> Self {
        let effect = if kept.is_some() { ExternalEffectKind::Keep } else { effect };
        Self { name, effect, reason: kept }
    }
}

/// An effect on an external resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExternalEffectKind {
    /// It would be deleted.
    Delete,
    /// It would be changed.
    Update,
    /// It would be created.
    Create,
    /// It exists already and would be imported.
    Import,
    /// It would remain as it is.
    Keep,
}

variant_words!(ExternalEffectKind {
    Delete = "delete", Update = "update", Create = "create", Import = "import", Keep = "keep",
});

/// Effects that are known once the Compositions are run.
pub(super) const FUNCTION_EFFECTS: [&str; 2] = [
    "its Composition is not run, so changes of composed resources are not known",
    "the composites that use it are not run, so changes of composed resources are not known",
];

/// Kinds of programs other than the engines whose objects deploy or change others.
const DEPLOYING: &KindList = &[
    ("addons.cluster.x-k8s.io", &["ClusterResourceSet", "HelmChartProxy"]),
    ("app.terraform.io", &["Module", "Workspace"]),
    ("apps.kubeblocks.io", &[]),
    ("config.projectsveltos.io", &[]),
    ("core.oam.dev", &[]),
    ("fleet.cattle.io", &["Bundle", "GitRepo", "HelmOp"]),
    ("fluxcd.controlplane.io", &[]),
    ("helm.cattle.io", &[]),
    ("infra.contrib.fluxcd.io", &["Terraform"]),
    ("kapp.k14s.io", &["App"]),
    ("pulumi.com", &["Program", "Stack"]),
    ("work.open-cluster-management.io", &["ManifestWork", "ManifestWorkReplicaSet"]),
];
/// Fields of Flux's sources that decide their content.
const SOURCE_FIELDS: [&str; 11] = [
    "bucketName",
    "chart",
    "endpoint",
    "ignore",
    "include",
    "prefix",
    "ref",
    "sourceRef",
    "sparseCheckout",
    "url",
    "version",
];

/// Returns the effects of a changed object on other objects, which its own change does not show; `None` if its kind is not
/// known to have any.
pub(super) fn further_effects(kind: &ResourceKind, found: &[FieldChange]) -> Option<&'static str> {
    if has_kind(DEPLOYING, &kind.group, &kind.kind) {
        return Some("the objects that it deploys or changes are not known");
    }
    if kind.group == "source.toolkit.fluxcd.io" {
        let decides = |change: &FieldChange| match change.path.0.as_slice() {
            [FieldPathStep::Field(spec), FieldPathStep::Field(field), ..] => {
                spec == "spec" && SOURCE_FIELDS.contains(&field.as_str())
            }
            _ => false,
        };
        return found.iter().any(decides).then_some("its new content, and what is deployed from it, are not known");
    }
    let is_environment = kind.group == "apiextensions.crossplane.io" && kind.kind == "EnvironmentConfig";
    match role(kind) {
        Some(CrossplaneRole::Composite | CrossplaneRole::Claim) => Some(FUNCTION_EFFECTS[0]),
        Some(CrossplaneRole::Composition) => Some(FUNCTION_EFFECTS[1]),
        _ if is_environment => Some(FUNCTION_EFFECTS[1]),
        Some(CrossplaneRole::Package | CrossplaneRole::ProviderConfig) => {
            Some("its effects on the objects that use it are not evaluated")
        }
        _ if kind.group == "kro.run" => Some("its effects on the objects that it composes are not evaluated"),
        _ => changed_admission_effects(&kind.group, &kind.kind, found),
    }
}

/// Returns true if a Usage protects the object, by the label that Crossplane's webhook selects objects by.
pub(crate) fn is_in_use(live: &Value) -> bool {
    live.pointer("/metadata/labels/crossplane.io~1in-use").and_then(Value::as_str) == Some("true")
}

/// Returns the external effect of removing an object.
pub fn removal_effect(kind: &ResourceKind, live: &Value) -> ExternalEffect {
    let removal = removal::external_removal(kind, live);
    ExternalEffect::kept_or(removal.reason_kept().map(str::to_owned), ExternalEffectKind::Delete, removal.name)
}

/// Returns the external effect of a new object.
pub fn addition_effect(kind: &ResourceKind, object: &Value) -> ExternalEffect {
    let Some(outside) = engine::outside(kind) else { return managed_addition(kind, object) };
    ExternalEffect::kept_or(outside.inactive_reason(object), ExternalEffectKind::Create, outside.name(object))
}

fn managed_addition(kind: &ResourceKind, object: &Value) -> ExternalEffect {
    let declared = ManagedResourceSettings::from_object(kind, object);
    let (effect, reason) = if declared.is_paused() {
        (ExternalEffectKind::Keep, Some("it is paused".to_owned()))
    } else if !declared.policies().allows(ExternalAction::Create) {
        (
            ExternalEffectKind::Import,
            Some(format!("managementPolicies {} do not allow Create", declared.policies().text())),
        )
    } else if declared.name().is_some() {
        (
            ExternalEffectKind::Import,
            Some(format!("the resource that {EXTERNAL_NAME} names is imported if it exists, and created otherwise")),
        )
    } else {
        (ExternalEffectKind::Create, None)
    };
    ExternalEffect { name: declared.name(), effect, reason }
}

/// Returns the external effect of changing an object; `None` if no field of an external resource changes.
pub fn change_effect(
    kind: &ResourceKind,
    live: &Value,
    after: &Value,
    differences: &[FieldChange],
) -> Option<ExternalEffect> {
    let reaches_out = differences.iter().any(|difference| is_external(difference, after));
    let Some(outside) = engine::outside(kind) else { return managed_change(kind, live, after, reaches_out) };
    reaches_out.then(|| {
        ExternalEffect::kept_or(outside.inactive_reason(after), ExternalEffectKind::Update, outside.name(live))
    })
}

fn managed_change(kind: &ResourceKind, live: &Value, after: &Value, reaches_out: bool) -> Option<ExternalEffect> {
    let declared = ManagedResourceSettings::from_object(kind, after);
    let (effect, reason) = if !reaches_out {
        return None;
    } else if declared.is_paused() {
        (ExternalEffectKind::Keep, Some("it is paused: nothing changes until it is resumed".to_owned()))
    } else if !declared.policies().allows(ExternalAction::Update) {
        (
            ExternalEffectKind::Keep,
            Some(format!("managementPolicies {} do not allow Update", declared.policies().text())),
        )
    } else {
        (ExternalEffectKind::Update, None)
    };
    Some(ExternalEffect { name: ManagedResourceSettings::from_object(kind, live).name(), effect, reason })
}

/// Returns true if the field describes the external resource: all of `spec.forProvider`, or in a flat spec all fields
/// except Crossplane's own.
pub fn is_external(difference: &FieldChange, object: &Value) -> bool {
    const OWN: [&str; 8] = [
        "deletionPolicy",
        "initProvider",
        "managementPolicies",
        "providerConfigRef",
        "providerRef",
        "publishConnectionDetailsTo",
        "writeConnectionSecretToRef",
        "forProvider",
    ];
    if object.pointer("/spec/forProvider").is_some() {
        return difference.path.starts_with(&["spec", "forProvider"]);
    }
    difference.path.starts_with(&["spec"]) && !OWN.iter().any(|own| difference.path.starts_with(&["spec", own]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use ucp_client::prediction::difference::field_changes;

    fn kind() -> ResourceKind {
        ResourceKind::guess("example.org", "Thing")
    }

    #[test]
    fn other_engines_have_their_own_marks() {
        let bucket = ResourceKind::guess("s3.services.k8s.aws", "Bucket");
        let marked =
            |key: &str, value: &str| json!({"metadata": {"annotations": {key: value}}, "spec": {"name": "logs"}});
        let plain = removal_effect(&bucket, &json!({"metadata": {}, "spec": {"name": "logs"}}));
        assert_eq!((plain.effect, plain.name.as_deref()), (ExternalEffectKind::Delete, Some("logs")));
        let kept = removal_effect(&bucket, &marked("services.k8s.aws/deletion-policy", "retain"));
        assert_eq!(
            (kept.effect, kept.reason.as_deref()),
            (ExternalEffectKind::Keep, Some("services.k8s.aws/deletion-policy is retain"))
        );
        let watched = marked("services.k8s.aws/read-only", "true");
        assert_eq!(addition_effect(&bucket, &watched).effect, ExternalEffectKind::Keep);
        let terraform = ResourceKind::guess("infra.contrib.fluxcd.io", "Terraform");
        assert_eq!(removal_effect(&terraform, &json!({"spec": {}})).effect, ExternalEffectKind::Keep);
        let destroys = json!({"spec": {"destroyResourcesOnDeletion": true}});
        assert_eq!(removal_effect(&terraform, &destroys).effect, ExternalEffectKind::Delete);
        let google = ResourceKind::guess("storage.cnrm.cloud.google.com", "StorageBucket");
        let unwatched = marked("cnrm.cloud.google.com/reconcile-interval-in-seconds", "0");
        assert_eq!(removal_effect(&google, &unwatched).effect, ExternalEffectKind::Delete);
        assert_eq!(addition_effect(&google, &unwatched).effect, ExternalEffectKind::Create);
        let (before, after) = (json!({"spec": {"name": "a"}}), json!({"spec": {"name": "b"}}));
        let changed = change_effect(&bucket, &before, &after, &field_changes(&before, &after)).unwrap();
        assert_eq!(changed.effect, ExternalEffectKind::Update);
    }

    #[test]
    fn changes_have_external_effects_only_if_policies_permit() {
        let object = |size: u32, policy: &str| json!({"metadata": {"annotations": {EXTERNAL_NAME: "n"}}, "spec": {"forProvider": {"size": size}, "managementPolicies": [policy]}});
        let of = |before: &Value, after: &Value| change_effect(&kind(), before, after, &field_changes(before, after));
        assert_eq!(of(&object(1, "*"), &object(2, "*")).unwrap().effect, ExternalEffectKind::Update);
        assert_eq!(of(&object(1, "Observe"), &object(2, "Observe")).unwrap().effect, ExternalEffectKind::Keep);
        assert_eq!(of(&object(1, "Observe"), &object(1, "*")), None);
        let flat = |region: &str| json!({"spec": {"region": region, "providerConfigRef": {"name": region}}});
        assert_eq!(of(&flat("a"), &flat("b")).unwrap().effect, ExternalEffectKind::Update);
        assert_eq!(managed_addition(&kind(), &json!({"spec": {}})).effect, ExternalEffectKind::Create);
        assert_eq!(managed_addition(&kind(), &object(1, "Observe")).effect, ExternalEffectKind::Import);
        assert_eq!(of(&object(1, "Update"), &object(2, "Update")).unwrap().effect, ExternalEffectKind::Update);
        assert_eq!(of(&object(1, "Create"), &object(2, "Create")).unwrap().effect, ExternalEffectKind::Keep);
        let watched = json!({"spec": {"managementPolicies": ["Observe"]}});
        assert_eq!(managed_addition(&kind(), &watched).effect, ExternalEffectKind::Import);
        let named = managed_addition(&kind(), &object(1, "*"));
        assert_eq!((named.effect, named.name.as_deref()), (ExternalEffectKind::Import, Some("n")));
        let other_config = json!({"spec": {"region": "a", "providerConfigRef": {"name": "b"}}});
        assert_eq!(of(&flat("a"), &other_config), None);
    }

    #[test]
    fn paused_resources_are_neither_created_nor_changed() {
        let paused = |size: u32| json!({"metadata": {"annotations": {"crossplane.io/paused": "true"}}, "spec": {"forProvider": {"size": size}}});
        assert_eq!(managed_addition(&kind(), &paused(1)).effect, ExternalEffectKind::Keep);
        let change = change_effect(&kind(), &paused(1), &paused(2), &field_changes(&paused(1), &paused(2))).unwrap();
        assert_eq!(change.effect, ExternalEffectKind::Keep);
        // The state after the change counts, not the one before.
        let bucket = ResourceKind::guess("s3.services.k8s.aws", "Bucket");
        let object = |annotation: &str, name: &str| json!({"metadata": {"annotations": {annotation: "true"}}, "spec": {"name": name}});
        let (open, shut) = (object("x", "a"), object("services.k8s.aws/read-only", "b"));
        let effect = |before: &Value, after: &Value| {
            change_effect(&bucket, before, after, &field_changes(before, after)).unwrap().effect
        };
        assert_eq!(
            (effect(&open, &shut), effect(&shut, &open)),
            (ExternalEffectKind::Keep, ExternalEffectKind::Update)
        );
    }

    #[test]
    fn an_object_is_in_use_if_its_label_is_true() {
        let labelled = |text: &str| json!({"metadata": {"labels": {"crossplane.io/in-use": text}}});
        assert!(is_in_use(&labelled("true")) && !is_in_use(&labelled("false")) && !is_in_use(&json!({})));
    }
}
