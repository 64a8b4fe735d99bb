//! Who set a field of `spec.forProvider`: a person or Git, or late-initialisation, which copies what a provider
//! observed into fields that nobody had set. Read from `metadata.managedFields`, in the form `FieldsV1` of
//! structured-merge-diff.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::metadata::lenient_time;
use crate::model::path::Step;

/// Whose a field is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldOwner {
    /// Name of the field manager.
    pub manager: String,
    /// How the value came there.
    pub origin: Origin,
}

/// How a value came into a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A person, Git or a composition set it.
    Declared,
    /// The provider itself filled it in: late-initialisation, or a reference that it resolved.
    LateInitialized,
}

/// `metadata.managedFields`, as far as it speaks of declarations and observations.
#[derive(Debug, Default)]
pub(crate) struct ManagedFields(pub(crate) Vec<Writer>);

/// One of `metadata.managedFields`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Writer {
    manager: String,
    #[serde(deserialize_with = "lenient_time")]
    time: Option<Timestamp>,
    fields_v1: Fields,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Fields {
    #[serde(rename = "f:spec")]
    spec: Spec,
    #[serde(rename = "f:status")]
    status: Status,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Spec {
    #[serde(rename = "f:forProvider")]
    for_provider: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Status {
    #[serde(rename = "f:atProvider")]
    at_provider: Option<serde::de::IgnoredAny>,
}

/// crossplane-runtime's own managers, such as `managed.crossplane.io/api-simple-reference-resolver`.
const RUNTIME: &str = "managed.crossplane.io/";

/// When `spec.forProvider` was last written, and by whom.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// By its own provider.
    pub by_provider: Option<Timestamp>,
    /// By anybody else.
    pub by_others: Option<Timestamp>,
}

impl ManagedFields {
    /// When the declaration was last written.
    pub(crate) fn written(&self) -> Written {
        let writers = self.0.iter().filter(|writer| !writer.fields_v1.spec.for_provider.is_empty());
        writers.fold(Written::default(), |mut written, writer| {
            let last =
                if self.is_provider(&writer.manager) { &mut written.by_provider } else { &mut written.by_others };
            *last = (*last).max(writer.time);
            written
        })
    }

    /// Whoever writes the observation is the provider.
    fn is_provider(&self, manager: &str) -> bool {
        let observes = |writer: &Writer| writer.manager == manager && writer.fields_v1.status.at_provider.is_some();
        manager.starts_with(RUNTIME) || self.0.iter().any(observes)
    }

    /// The owner of a field, by its way from `spec.forProvider`. A field that a person and the provider own is the
    /// person's. Late-initialisation owns lists that are atomic as a whole.
    pub(crate) fn owner(&self, way: &[Step], for_provider: &Value) -> Option<FieldOwner> {
        let owners = self.0.iter().filter(|writer| owns(&writer.fields_v1.spec.for_provider, way, for_provider));
        let owners = owners.map(|writer| FieldOwner {
            manager: writer.manager.clone(),
            origin: if self.is_provider(&writer.manager) { Origin::LateInitialized } else { Origin::Declared },
        });
        owners.min_by_key(|owner| owner.origin == Origin::LateInitialized)
    }
}

/// Whether a set of fields holds what is at the end of the way, or an atomic value on it.
fn owns(set: &Map<String, Value>, way: &[Step], value: &Value) -> bool {
    let Some((step, rest)) = way.split_first() else { return true };
    let below = match step {
        Step::Field(name) => set.get(&format!("f:{name}")).zip(value.get(name)),
        Step::Element(index) => value.get(index).and_then(|element| {
            let found = set.iter().find(|(key, _)| is_element(key, *index, element))?;
            Some((found.1, element))
        }),
    };
    match below {
        Some((Value::Object(fields), value)) => fields.is_empty() || owns(fields, rest, value),
        _ => false,
    }
}

/// Whether a key of `FieldsV1` means a list element: `k:` by some of its fields, `v:` by its value, `i:` by its place.
fn is_element(key: &str, index: usize, element: &Value) -> bool {
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
    use crate::model::path::Path;
    use serde_json::json;

    #[test]
    fn tells_declared_from_late_initialised_fields() {
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
            let mut path = Path::of(fields);
            path.0.push(Step::Element(index));
            path.0.extend(Path::of(rest).0);
            path
        };
        let declared_by = |manager: &str| Some((manager.to_owned(), Origin::Declared));
        let filled_in_by = |manager: &str| Some((manager.to_owned(), Origin::LateInitialized));
        for (path, expected) in [
            (Path::of(&["region"]), declared_by("argocd-controller")),
            (Path::of(&["tags", "owner"]), declared_by("argocd-controller")),
            (Path::of(&["tags", "added"]), filled_in_by("provider")),
            (element(&["zones"], 1, &["y"]), filled_in_by("provider")),
            (element(&["rules"], 1, &["port"]), declared_by("argocd-controller")),
            (element(&["rules"], 0, &["port"]), None),
            (element(&["set"], 1, &[]), filled_in_by("provider")),
            (Path::of(&["network"]), filled_in_by("managed.crossplane.io/api-simple-reference-resolver")),
            (Path::of(&["other"]), None),
        ] {
            let found = writers.owner(&path.0, &declared);
            assert_eq!(found.map(|owner| (owner.manager, owner.origin)), expected, "{path}");
        }
    }
}
