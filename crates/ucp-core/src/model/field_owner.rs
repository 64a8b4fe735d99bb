//! Origin of the fields of `spec.forProvider`: users and Git, or late initialization, which copies observed values into
//! fields that were not set. Read from `metadata.managedFields`, in the `FieldsV1` format of structured-merge-diff.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::metadata::lenient_time;
use crate::model::path::FieldPathStep;

/// Owner of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldOwner {
    /// Name of the field manager.
    pub manager: String,
    /// Origin of the value.
    pub origin: Origin,
}

/// Origin of a value in a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Set by a user, Git, or a composition.
    Declared,
    /// Set by the provider: by late initialization, or by resolving a reference.
    LateInitialized,
}

/// `metadata.managedFields`, limited to declarations and observations.
#[derive(Debug, Default)]
pub(crate) struct ManagedFields(pub(crate) Vec<ManagedFieldsEntry>);

/// One of `metadata.managedFields`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ManagedFieldsEntry {
    manager: String,
    #[serde(deserialize_with = "lenient_time")]
    time: Option<Timestamp>,
    fields_v1: ManagedFieldSet,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ManagedFieldSet {
    #[serde(rename = "f:spec")]
    spec: ManagedFieldsSpec,
    #[serde(rename = "f:status")]
    status: ManagedFieldsStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ManagedFieldsSpec {
    #[serde(rename = "f:forProvider")]
    for_provider: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ManagedFieldsStatus {
    #[serde(rename = "f:atProvider")]
    at_provider: Option<serde::de::IgnoredAny>,
}

/// Prefix of crossplane-runtime's own managers, such as `managed.crossplane.io/api-simple-reference-resolver`.
const RUNTIME: &str = "managed.crossplane.io/";

/// Times of the last writes of `spec.forProvider`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeclarationWriteTimes {
    /// Last write by the provider of the resource.
    pub by_provider: Option<Timestamp>,
    /// Last write by any other manager.
    pub by_others: Option<Timestamp>,
}

impl ManagedFields {
    /// Returns the times of the last writes of the declaration.
    pub(crate) fn write_times(&self) -> DeclarationWriteTimes {
        let writers = self.0.iter().filter(|writer| !writer.fields_v1.spec.for_provider.is_empty());
        writers.fold(DeclarationWriteTimes::default(), |mut written, writer| {
            let last =
                if self.is_provider(&writer.manager) { &mut written.by_provider } else { &mut written.by_others };
            *last = (*last).max(writer.time);
            written
        })
    }

    /// Returns true if a manager is the provider: the one that writes the observation.
    fn is_provider(&self, manager: &str) -> bool {
        let observes =
            |writer: &ManagedFieldsEntry| writer.manager == manager && writer.fields_v1.status.at_provider.is_some();
        manager.starts_with(RUNTIME) || self.0.iter().any(observes)
    }

    /// Returns the owner of a field, given by its path below `spec.forProvider`. A field that both a user and the
    /// provider own belongs to the user. Late initialization owns atomic lists as a whole.
    pub(crate) fn owner(&self, way: &[FieldPathStep], for_provider: &Value) -> Option<FieldOwner> {
        let owners = self.0.iter().filter(|writer| owns(&writer.fields_v1.spec.for_provider, way, for_provider));
        let owners = owners.map(|writer| FieldOwner {
            manager: writer.manager.clone(),
            origin: if self.is_provider(&writer.manager) { Origin::LateInitialized } else { Origin::Declared },
        });
        owners.min_by_key(|owner| owner.origin == Origin::LateInitialized)
    }
}

/// Returns true if a set of fields contains the end of the path, or an atomic value on it.
fn owns(set: &Map<String, Value>, way: &[FieldPathStep], value: &Value) -> bool {
    let Some((step, rest)) = way.split_first() else { return true };
    let below = match step {
        FieldPathStep::Field(name) => set.get(&format!("f:{name}")).zip(value.get(name)),
        FieldPathStep::Element(index) => value.get(index).and_then(|element| {
            let found = set.iter().find(|(key, _)| is_element(key, *index, element))?;
            Some((found.1, element))
        }),
    };
    match below {
        Some((Value::Object(fields), value)) => fields.is_empty() || owns(fields, rest, value),
        _ => false,
    }
}

/// Returns true if a key of `FieldsV1` identifies a list element: `k:` by key fields, `v:` by value, `i:` by index.
pub(crate) fn is_element(key: &str, index: usize, element: &Value) -> bool {
    let json = |text: &str| serde_json::from_str::<Value>(text).ok();
    match key.split_once(':') {
        Some(("k", keys)) => json(keys).is_some_and(|keys| {
            keys.as_object().is_some_and(|keys| keys.iter().all(|(name, value)| element.get(name) == Some(value)))
        }),
        Some(("v", value)) => json(value).as_ref() == Some(element),
        Some(("i", place)) => place.parse() == Ok(index),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::path::FieldPath;
    use serde_json::json;

    #[test]
    fn declared_and_late_initialized_fields_are_distinguished() {
        let writers = ManagedFields(serde_json::from_value(json!([
            {"manager": "argocd-controller", "fieldsV1": {"f:spec": {"f:forProvider": {
                "f:region": {}, "f:tags": {".": {}, "f:owner": {}}, "f:rules": {"k:{\"id\":1}": {"f:id": {}, "f:port": {}}},
            }}}},
            {"manager": "provider", "fieldsV1": {"f:spec": {"f:forProvider": {
                "f:region": {}, "f:zones": {}, "f:tags": {"f:added": {}}, "f:set": {"v:\"a\"": {}},
            }}}},
            {"manager": "provider", "subresource": "status", "fieldsV1": {"f:status": {"f:atProvider": {"f:x": {}}}}},
            {"manager": "managed.crossplane.io/api-simple-reference-resolver",
             "fieldsV1": {"f:spec": {"f:forProvider": {"f:network": {}}}}},
        ]))
        .unwrap());
        let declared = json!({
            "region": "a", "tags": {"owner": "b", "added": "c"}, "zones": ["x", {"y": 1}], "network": "n",
            "rules": [{"id": 2, "port": 1}, {"id": 1, "port": 2}], "set": ["b", "a"], "other": 1,
        });
        let element = |fields: &[&str], index: usize, rest: &[&str]| {
            let mut path = FieldPath::from_fields(fields);
            path.0.push(FieldPathStep::Element(index));
            path.0.extend(FieldPath::from_fields(rest).0);
            path
        };
        let declared_by = |manager: &str| Some((manager.to_owned(), Origin::Declared));
        let filled_in_by = |manager: &str| Some((manager.to_owned(), Origin::LateInitialized));
        for (path, expected) in [
            (FieldPath::from_fields(&["region"]), declared_by("argocd-controller")),
            (FieldPath::from_fields(&["tags", "owner"]), declared_by("argocd-controller")),
            (FieldPath::from_fields(&["tags", "added"]), filled_in_by("provider")),
            (element(&["zones"], 1, &["y"]), filled_in_by("provider")),
            (element(&["rules"], 1, &["port"]), declared_by("argocd-controller")),
            (element(&["rules"], 0, &["port"]), None),
            (element(&["set"], 1, &[]), filled_in_by("provider")),
            (FieldPath::from_fields(&["network"]), filled_in_by("managed.crossplane.io/api-simple-reference-resolver")),
            (FieldPath::from_fields(&["other"]), None),
        ] {
            let found = writers.owner(&path.0, &declared);
            assert_eq!(found.map(|owner| (owner.manager, owner.origin)), expected, "{path}");
        }
    }
}
