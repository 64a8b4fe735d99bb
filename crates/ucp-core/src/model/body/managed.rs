//! A managed resource whose declaration and observation are compared during deserialization: only differences are kept,
//! not the declarations.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, IntoDeserializer as _, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::narrowed::{DecodedObject, NarrowedFields};
use crate::model::comparison::{ExcludedFields, FieldComparison, compare, is_empty};
use crate::model::condition::Condition;
use crate::model::field_owner::{DeclarationWriteTimes, FieldOwner, ManagedFields, ManagedFieldsEntry};
use crate::model::metadata::{Metadata, null_as_default};
use crate::model::path::FieldPath;
use crate::model::uncompared::UncomparedFields;

/// Drift-related fields of a managed resource.
#[derive(Debug, Clone)]
pub struct ManagedResource {
    /// `spec.managementPolicies`; absent is full control, empty is paused.
    pub management_policies: Option<Vec<String>>,
    /// Result of comparing `spec.forProvider` with `status.atProvider`.
    pub observation: Observation,
    /// The fields of `spec.forProvider` and the observed tags that were not compared.
    pub uncompared: Arc<UncomparedFields>,
    /// Times of the last writes of the declaration, from managed fields.
    pub written: DeclarationWriteTimes,
}

/// Result of comparing a provider's observation with a declaration.
#[derive(Debug, Clone)]
pub enum Observation {
    /// There is no `spec.forProvider`: the kind declares its fields elsewhere.
    Undeclared,
    /// `status.atProvider` is absent or empty.
    Missing,
    /// None of the declared fields was observed.
    Incomparable,
    /// All compared fields agree.
    Agrees,
    /// Some fields differ.
    Differs(Box<DeclarationDifferences>),
}

/// Differences and their context.
#[derive(Debug, Clone)]
pub struct DeclarationDifferences {
    /// Differences, each with the owner of the declared value if `managedFields` contain it.
    pub differences: Vec<(crate::model::comparison::ObservedDifference, Option<FieldOwner>)>,
    /// The declaration: an object with only `spec.forProvider`.
    pub declaration: Value,
}

const FOR_PROVIDER: [&str; 2] = ["spec", "forProvider"];
/// provider-kubernetes wraps whole objects of other clusters in this field.
const MANIFEST: &str = "manifest";

/// Serialized form of `spec`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ManagedSpec {
    management_policies: Option<Vec<String>>,
    for_provider: Option<Map<String, Value>>,
}

/// Serialized form of `status`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ManagedStatus {
    #[serde(deserialize_with = "null_as_default")]
    conditions: Vec<Condition>,
    observed_generation: Option<i64>,
    at_provider: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SerializedManagedResource {
    metadata: WithManagedFields,
    #[serde(deserialize_with = "null_as_default")]
    spec: ManagedSpec,
    #[serde(deserialize_with = "null_as_default")]
    status: ManagedStatus,
}

/// Reads a managed resource and compares its fields.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DecodedObject<ManagedResource>, D::Error> {
    let SerializedManagedResource { metadata, spec, status } = SerializedManagedResource::deserialize(deserializer)?;
    let uncompared = uncompared_fields(spec.for_provider.as_ref(), status.at_provider.as_ref()).shared();
    let observation = observe(spec.for_provider, status.at_provider.as_ref(), &metadata.managed_fields);
    let written = metadata.managed_fields.write_times();
    let body = ManagedResource { management_policies: spec.management_policies, observation, uncompared, written };
    let rest = NarrowedFields { conditions: status.conditions, observed_generation: status.observed_generation, body };
    Ok(DecodedObject { metadata: metadata.metadata, rest })
}

fn observe(
    for_provider: Option<Map<String, Value>>,
    at_provider: Option<&Value>,
    writers: &ManagedFields,
) -> Observation {
    let Some(for_provider) = for_provider else { return Observation::Undeclared };
    let Some(at_provider) = at_provider.filter(|observed| !is_empty(observed)) else { return Observation::Missing };
    let comparison = compare_fields(&for_provider, at_provider);
    if comparison.differences.is_empty() {
        return match (comparison.compared, comparison.not_observed) {
            (0, 1..) => Observation::Incomparable,
            _ => Observation::Agrees,
        };
    }
    let for_provider = Value::Object(for_provider);
    let root = FieldPath::from_fields(&FOR_PROVIDER);
    let owned = comparison.differences.into_iter().map(|difference| {
        let owner = writers.owner(&difference.path.0[root.0.len()..], &for_provider);
        (difference, owner)
    });
    let differences = owned.collect();
    let mut declaration = Value::Null;
    root.set(&mut declaration, for_provider);
    Observation::Differs(Box::new(DeclarationDifferences { differences, declaration }))
}

/// Compares the fields of `spec.forProvider` with those of `status.atProvider`.
pub fn compare_fields(for_provider: &Map<String, Value>, at_provider: &Value) -> FieldComparison {
    let mut comparison = FieldComparison::default();
    for (name, declared) in for_provider {
        let Some(leave) = excluded_below(name, declared) else { continue };
        let path = FieldPath::from_fields(&[FOR_PROVIDER[0], FOR_PROVIDER[1], name]);
        let part = compare(&path, declared, at_provider.get(name), leave);
        comparison.compared += part.compared;
        comparison.not_observed += part.not_observed;
        comparison.differences.extend(part.differences);
    }
    comparison
}

/// Returns the fields to exclude below a field of `spec.forProvider`; `None` if it is excluded itself.
pub fn excluded_below(name: &str, declared: &Value) -> Option<ExcludedFields> {
    let is_manifest = name == MANIFEST && declared.get("apiVersion").is_some() && declared.get("kind").is_some();
    match is_manifest {
        // The provider may report a Secret without its data.
        true if declared["kind"] == "Secret" => Some(ExcludedFields::Nothing),
        true => Some(ExcludedFields::NothingOfLive),
        false => Some(ExcludedFields::References).filter(|excluded| !excluded.covers(name)),
    }
}

/// Returns the fields that a comparison of a declaration with an observation says nothing about.
fn uncompared_fields(for_provider: Option<&Map<String, Value>>, at_provider: Option<&Value>) -> UncomparedFields {
    let mut fields = UncomparedFields::default();
    let Some(at_provider) = at_provider.filter(|observed| !is_empty(observed)) else { return fields };
    for (name, declared) in for_provider.into_iter().flatten() {
        if let Some(leave) = excluded_below(name, declared) {
            let mut path = FieldPath::from_fields(&[FOR_PROVIDER[0], FOR_PROVIDER[1], name]);
            fields.add(&mut path, declared, at_provider.get(name), leave);
        }
    }
    fields
}

/// Metadata together with `managedFields`, which no other body needs.
#[derive(Default)]
struct WithManagedFields {
    metadata: Metadata,
    managed_fields: ManagedFields,
}

impl<'de> Deserialize<'de> for WithManagedFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MetadataVisitor;
        impl<'de> Visitor<'de> for MetadataVisitor {
            type Value = WithManagedFields;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("metadata")
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<WithManagedFields, M::Error> {
                let mut writers = Vec::new();
                let rest = MetadataFields { map, writers: &mut writers };
                let metadata = Metadata::deserialize(serde::de::value::MapAccessDeserializer::new(rest))?;
                Ok(WithManagedFields { metadata, managed_fields: ManagedFields(writers) })
            }
        }
        deserializer.deserialize_map(MetadataVisitor)
    }
}

/// The fields of metadata other than `managedFields`, which are collected while reading.
struct MetadataFields<'kept, M> {
    map: M,
    writers: &'kept mut Vec<ManagedFieldsEntry>,
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for MetadataFields<'_, M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, M::Error> {
        while let Some(key) = self.map.next_key::<String>()? {
            match key.as_str() {
                "managedFields" => {
                    let writers: Option<Vec<ManagedFieldsEntry>> = self.map.next_value()?;
                    self.writers.extend(writers.into_iter().flatten());
                }
                "selfLink" | "resourceVersion" => {
                    self.map.next_value::<IgnoredAny>()?;
                }
                _ => return seed.deserialize(key.into_deserializer()).map(Some),
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        self.map.next_value_seed(seed)
    }
}
