//! Fields of Crossplane's objects, for v2 and earlier, cluster-scoped and namespaced.

use std::cell::RefCell;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::narrowed::{BodyFields, NarrowedFields, StatusConditions};
use crate::model::condition::{Condition, ConditionStatus};
use crate::model::metadata::{Metadata, map_or_empty, null_as_default};
use crate::model::shared::SharedValues;

/// A managed resource, composite, or claim.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct CrossplaneObject {
    /// `spec.providerConfigRef`.
    pub provider_config: Option<CrossplaneReference>,
    /// `spec.managementPolicies`; absent is full control, empty is paused.
    pub management_policies: Option<Vec<String>>,
    /// `spec.deletionPolicy`.
    pub deletion_policy: Option<String>,
    /// Composed resources: `spec.crossplane.resourceRefs` or `spec.resourceRefs` of a composite, `spec.resourceRef` of
    /// a claim.
    pub composed: Vec<CrossplaneReference>,
    /// The claim of a composite: `spec.claimRef`.
    pub claim: Option<CrossplaneReference>,
    /// `spec.writeConnectionSecretToRef`; the default namespace is the object's own.
    pub connection_secret: Option<CrossplaneReference>,
    /// The Composition of a composite or claim: `spec.crossplane.compositionRef` or `spec.compositionRef`.
    pub composition: Option<String>,
    /// Pending deletion of the object in another cluster that this one represents.
    pub external_deletion: Option<ExternalDeletion>,
    /// The last handled request to reconcile: the value of its annotation.
    pub last_handled_reconcile_at: Option<String>,
    /// The fields of `status` that the author of a composite defined; null if there are none.
    pub own_status: Value,
    /// States of the external resource: the fields `status`, `state`, and `phase` of `status.atProvider`, without those
    /// that are as `spec.forProvider` sets them.
    pub external_states: Vec<(&'static str, String)>,
}

/// Number of values cached per thread.
const REMEMBERED: usize = 256;

thread_local! {
    static KNOWN: RefCell<SharedValues<Arc<CrossplaneObject>>> = RefCell::new(SharedValues::new(REMEMBERED));
}

impl CrossplaneObject {
    /// Reads a complete object, such as a manifest.
    ///
    /// # Errors
    /// Fails when the object does not have the structure of its kind.
    pub fn read(object: &Value) -> Result<(Metadata, Self), serde_json::Error> {
        let decoded = super::narrowed::read::<Self, _>(object)?;
        Ok((decoded.metadata, decoded.rest.body))
    }

    /// Returns the value that other objects share, if there is an equal one.
    pub(super) fn shared(self) -> Arc<Self> {
        KNOWN.with_borrow_mut(|known| known.share(self))
    }
}

/// An object of another cluster that is being deleted, as observed by provider-kubernetes in
/// `status.atProvider.manifest`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ExternalDeletion {
    /// Its finalizers.
    pub finalizers: Vec<String>,
    /// Messages of its conditions, such as `NamespaceFinalizersRemaining` of a namespace.
    pub messages: Vec<String>,
}

impl ExternalDeletion {
    fn from_manifest(manifest: &Value) -> Option<Self> {
        manifest.pointer("/metadata/deletionTimestamp")?;
        let list = |pointer: &str| manifest.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
        let finalizers = list("/metadata/finalizers").chain(list("/spec/finalizers"));
        let conditions = list("/status/conditions").filter_map(|condition| Condition::deserialize(condition).ok());
        let told =
            conditions.filter(|condition| condition.status == ConditionStatus::True && !condition.message.is_empty());
        Some(Self {
            finalizers: finalizers.filter_map(|name| name.as_str().map(str::to_owned)).collect(),
            messages: told.map(|condition| condition.message.clone()).collect(),
        })
    }
}

/// A reference to another object. Each kind of reference sets different fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CrossplaneReference {
    /// Group and version.
    pub api_version: Option<String>,
    /// Kind.
    pub kind: Option<String>,
    /// Namespace.
    pub namespace: Option<String>,
    /// Name; empty until the object has one.
    pub name: String,
}

/// Serialized form of `spec`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct CrossplaneSpec {
    provider_config_ref: Option<CrossplaneReference>,
    management_policies: Option<Vec<String>>,
    deletion_policy: Option<String>,
    resource_ref: Option<CrossplaneReference>,
    #[serde(deserialize_with = "null_as_default")]
    resource_refs: Vec<CrossplaneReference>,
    claim_ref: Option<CrossplaneReference>,
    write_connection_secret_to_ref: Option<CrossplaneReference>,
    composition_ref: Option<CrossplaneReference>,
    crossplane: Option<CrossplaneMachinery>,
    #[serde(deserialize_with = "map_or_empty")]
    for_provider: Option<ForProvider>,
}

/// The fields of `spec.forProvider` with the name of a state. Composites may have any other value there.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ForProvider {
    #[serde(deserialize_with = "word")]
    status: Option<String>,
    #[serde(deserialize_with = "word")]
    state: Option<String>,
    #[serde(deserialize_with = "word")]
    phase: Option<String>,
}

/// `spec.crossplane` of a composite, since v2.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CrossplaneMachinery {
    composition_ref: Option<CrossplaneReference>,
    #[serde(deserialize_with = "null_as_default")]
    resource_refs: Vec<CrossplaneReference>,
}

/// Serialized form of `status`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct CrossplaneStatus {
    #[serde(deserialize_with = "null_as_default")]
    conditions: Vec<Condition>,
    observed_generation: Option<i64>,
    last_handled_reconcile_at: Option<String>,
    #[serde(deserialize_with = "null_as_default")]
    at_provider: AtProvider,
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// `status.atProvider`; only the field of provider-kubernetes and common states are used here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AtProvider {
    #[serde(deserialize_with = "external_deletion")]
    manifest: Option<ExternalDeletion>,
    #[serde(deserialize_with = "word")]
    status: Option<String>,
    #[serde(deserialize_with = "word")]
    state: Option<String>,
    #[serde(deserialize_with = "word")]
    phase: Option<String>,
}

/// Reads a text; other values count as absent.
fn word<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => Some(text),
        _ => None,
    })
}

fn external_deletion<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<ExternalDeletion>, D::Error> {
    Ok(ExternalDeletion::from_manifest(&Value::deserialize(deserializer)?))
}

impl BodyFields for CrossplaneObject {
    type Spec = CrossplaneSpec;
    type Status = CrossplaneStatus;

    fn narrow(spec: CrossplaneSpec, status: CrossplaneStatus) -> NarrowedFields<Self> {
        let machinery = spec.crossplane.unwrap_or_default();
        let composition = machinery.composition_ref.or(spec.composition_ref);
        let mut composed = machinery.resource_refs;
        composed.extend(spec.resource_refs);
        composed.extend(spec.resource_ref);
        composed.retain(|reference| !reference.name.is_empty());
        composed.shrink_to_fit();
        let at_provider = status.at_provider;
        let set = spec.for_provider.unwrap_or_default();
        let states = [
            ("status", at_provider.status, set.status),
            ("state", at_provider.state, set.state),
            ("phase", at_provider.phase, set.phase),
        ];
        // What is as it was set is no state.
        let states = states.into_iter().filter(|(_, word, set)| word != set);
        let body = Self {
            provider_config: spec.provider_config_ref,
            management_policies: spec.management_policies,
            deletion_policy: spec.deletion_policy,
            composed,
            claim: spec.claim_ref,
            connection_secret: spec.write_connection_secret_to_ref,
            composition: composition.map(|reference| reference.name).filter(|name| !name.is_empty()),
            external_deletion: at_provider.manifest,
            last_handled_reconcile_at: status.last_handled_reconcile_at,
            own_status: if status.others.is_empty() { Value::Null } else { Value::Object(status.others) },
            external_states: states.filter_map(|(field, word, _)| Some((field, word?))).collect(),
        };
        NarrowedFields { conditions: status.conditions, observed_generation: status.observed_generation, body }
    }
}

/// A provider, configuration, or function, or a revision of one.
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
    /// `status.currentIdentifier` of a package: the `spec.package` of which it has a revision.
    pub current_identifier: Option<String>,
    /// CRDs and ManagedResourceDefinitions that a revision installed, as `plural.group`: `status.objectRefs`.
    pub definitions: Vec<String>,
    /// The CRDs among them. A server that serves them all lists their kinds.
    pub served: Vec<String>,
}

/// Serialized form of the `spec` of a package.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PackageSpec {
    package: Option<String>,
    image: Option<String>,
    desired_state: Option<String>,
    revision_activation_policy: Option<String>,
}

/// Serialized form of the `status` of a package.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PackageStatus {
    #[serde(deserialize_with = "null_as_default")]
    conditions: Vec<Condition>,
    observed_generation: Option<i64>,
    current_revision: Option<String>,
    current_identifier: Option<String>,
    #[serde(deserialize_with = "null_as_default")]
    object_refs: Vec<CrossplaneReference>,
}

impl BodyFields for Package {
    type Spec = PackageSpec;
    type Status = PackageStatus;

    fn narrow(spec: PackageSpec, status: PackageStatus) -> NarrowedFields<Self> {
        let (mut definitions, mut served) = (Vec::new(), Vec::new());
        for reference in status.object_refs {
            match reference.kind.as_deref() {
                Some("CustomResourceDefinition") => {
                    served.push(reference.name.clone());
                    definitions.push(reference.name);
                }
                Some("ManagedResourceDefinition") => definitions.push(reference.name),
                _ => {}
            }
        }
        NarrowedFields {
            conditions: status.conditions,
            observed_generation: status.observed_generation,
            body: Self {
                image: spec.package.or(spec.image),
                desired_state: spec.desired_state,
                activation_policy: spec.revision_activation_policy,
                current_revision: status.current_revision,
                current_identifier: status.current_identifier,
                definitions,
                served,
            },
        }
    }
}

/// A ProviderConfig or ClusterProviderConfig: the source of its credentials.
#[derive(Debug, Clone, Default)]
pub struct ProviderConfig {
    /// Secrets that its spec refers to, such as `spec.credentials.secretRef`.
    pub secrets: Vec<SecretKeyReference>,
}

/// A reference to a key of a Secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SecretKeyReference {
    /// Namespace; `None` means that of the config.
    pub namespace: Option<String>,
    /// Name.
    pub name: String,
    /// Key, if specified.
    pub key: Option<String>,
}

impl BodyFields for ProviderConfig {
    type Spec = Value;
    type Status = StatusConditions;

    fn narrow(spec: Value, status: StatusConditions) -> NarrowedFields<Self> {
        let mut secrets = Vec::new();
        collect_secrets(&spec, &mut secrets);
        secrets.sort();
        secrets.dedup();
        NarrowedFields {
            conditions: status.conditions,
            observed_generation: status.observed_generation,
            body: Self { secrets },
        }
    }
}

/// Collects references to Secrets. Providers differ in structure, but all name such references alike.
fn collect_secrets(value: &Value, found: &mut Vec<SecretKeyReference>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
                match text("name").filter(|_| key.to_ascii_lowercase().ends_with("secretref")) {
                    Some(name) => {
                        found.push(SecretKeyReference { namespace: text("namespace"), name, key: text("key") });
                    }
                    None => collect_secrets(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_secrets(item, found)),
        _ => {}
    }
}

/// A Composition: the functions of its pipeline.
#[derive(Debug, Clone, Default)]
pub struct Composition {
    /// Names of functions: `spec.pipeline[].functionRef.name`.
    pub functions: Vec<String>,
}

/// Serialized form of the `spec` of a Composition.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct CompositionSpec {
    #[serde(deserialize_with = "null_as_default")]
    pipeline: Vec<PipelineStep>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PipelineStep {
    function_ref: CrossplaneReference,
}

impl BodyFields for Composition {
    type Spec = CompositionSpec;
    type Status = StatusConditions;

    fn narrow(spec: CompositionSpec, status: StatusConditions) -> NarrowedFields<Self> {
        NarrowedFields {
            conditions: status.conditions,
            observed_generation: status.observed_generation,
            body: Self { functions: spec.pipeline.into_iter().map(|step| step.function_ref.name).collect() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::body::{Body, BodyShape, decode};

    #[test]
    fn equal_objects_share_their_fields() {
        let object = serde_json::json!({"spec": {"deletionPolicy": "Orphan"}});
        let read = || match decode(BodyShape::Crossplane, &object).unwrap().rest.body {
            Body::Crossplane(body) => body,
            other => panic!("{other:?}"),
        };
        assert!(Arc::ptr_eq(&read(), &read()));
    }
}
