//! Fields of Crossplane's objects, at crossplane v2 and before, cluster-scoped and namespaced.

use serde::Deserialize;

use super::{Body, Fields, Narrowed, StatusConditions};
use crate::model::condition::Condition;
use crate::model::metadata::null_as_default;

/// A managed resource, composite or claim.
#[derive(Debug, Clone, Default)]
pub struct Crossplane {
    /// `spec.providerConfigRef`.
    pub provider_config: Option<Reference>,
    /// `spec.managementPolicies`; absent is full control, empty is paused.
    pub management_policies: Option<Vec<String>>,
    /// What it is made of: `spec.crossplane.resourceRefs` or `spec.resourceRefs` of a composite, `spec.resourceRef`
    /// of a claim.
    pub composed: Vec<Reference>,
    /// The claim of a composite: `spec.claimRef`.
    pub claim: Option<Reference>,
    /// `spec.writeConnectionSecretToRef`; without a namespace, it is the object's own.
    pub connection_secret: Option<Reference>,
}

/// A reference to another object. Each kind of reference fills in its own part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Reference {
    /// Group and version.
    pub api_version: Option<String>,
    /// Kind.
    pub kind: Option<String>,
    /// Namespace.
    pub namespace: Option<String>,
    /// Name; empty until the object has one.
    pub name: String,
}

/// `spec` on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Spec {
    provider_config_ref: Option<Reference>,
    management_policies: Option<Vec<String>>,
    resource_ref: Option<Reference>,
    #[serde(deserialize_with = "null_as_default")]
    resource_refs: Vec<Reference>,
    claim_ref: Option<Reference>,
    write_connection_secret_to_ref: Option<Reference>,
    crossplane: Option<Composition>,
}

/// `spec.crossplane` of a composite, since v2.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Composition {
    #[serde(deserialize_with = "null_as_default")]
    resource_refs: Vec<Reference>,
}

impl Fields for Crossplane {
    type Spec = Spec;
    type Status = StatusConditions;

    fn narrow(spec: Spec, status: StatusConditions) -> Narrowed {
        let mut composed = spec.crossplane.map(|composition| composition.resource_refs).unwrap_or_default();
        composed.extend(spec.resource_refs);
        composed.extend(spec.resource_ref);
        composed.retain(|reference| !reference.name.is_empty());
        Narrowed {
            conditions: status.conditions,
            observed_generation: status.observed_generation,
            body: Body::Crossplane(Box::new(Self {
                provider_config: spec.provider_config_ref,
                management_policies: spec.management_policies,
                composed,
                claim: spec.claim_ref,
                connection_secret: spec.write_connection_secret_to_ref,
            })),
        }
    }
}

/// A provider, configuration or function, or a revision of one.
#[derive(Debug, Clone, Default)]
pub struct Package {
    /// `spec.package` of a package, `spec.image` of a revision.
    pub image: Option<String>,
    /// `spec.desiredState` of a revision.
    pub desired_state: Option<String>,
    /// `spec.revisionActivationPolicy` of a package.
    pub activation_policy: Option<String>,
    /// `status.currentRevision` of a package.
    pub current_revision: Option<String>,
    /// CRDs that a revision installed, `plural.group`: `status.objectRefs`.
    pub definitions: Vec<String>,
}

/// `spec` of a package on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PackageSpec {
    package: Option<String>,
    image: Option<String>,
    desired_state: Option<String>,
    revision_activation_policy: Option<String>,
}

/// `status` of a package on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PackageStatus {
    #[serde(deserialize_with = "null_as_default")]
    conditions: Vec<Condition>,
    observed_generation: Option<i64>,
    current_revision: Option<String>,
    #[serde(deserialize_with = "null_as_default")]
    object_refs: Vec<Reference>,
}

impl Fields for Package {
    type Spec = PackageSpec;
    type Status = PackageStatus;

    fn narrow(spec: PackageSpec, status: PackageStatus) -> Narrowed {
        let is_definition = |kind: &str| matches!(kind, "CustomResourceDefinition" | "ManagedResourceDefinition");
        let definitions = status
            .object_refs
            .into_iter()
            .filter(|reference| reference.kind.as_deref().is_some_and(is_definition))
            .map(|reference| reference.name)
            .collect();
        Narrowed {
            conditions: status.conditions,
            observed_generation: status.observed_generation,
            body: Body::Package(Box::new(Self {
                image: spec.package.or(spec.image),
                desired_state: spec.desired_state,
                activation_policy: spec.revision_activation_policy,
                current_revision: status.current_revision,
                definitions,
            })),
        }
    }
}
