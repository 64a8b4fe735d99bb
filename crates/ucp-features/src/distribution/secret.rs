//! Facts about a Secret for comparison: everything except its values.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;
use serde_json::Value;

use super::fingerprint::{Fingerprint, Fingerprinter};
use super::protected::{Protection, protection};
use crate::adopt::names::NamespacedName;
use ucp_core::model::metadata::Metadata;
use ucp_core::model::resource::Resource;
use ucp_core::model::secrecy::register_secrets_of;

/// Facts about a Secret, with fingerprints in place of its values.
#[derive(Clone)]
pub struct SecretFacts {
    /// Namespace and name.
    pub key: NamespacedName,
    /// Metadata of the Secret.
    pub metadata: Metadata,
    /// `type`; immutable.
    pub kind: String,
    /// Fingerprint of each value.
    pub values: BTreeMap<String, Fingerprint>,
    /// True if the Secret is immutable.
    pub is_immutable: bool,
    /// Time of the last write of a value, from `managedFields`.
    pub changed: Option<Timestamp>,
    /// Field managers that wrote each key.
    pub writers: BTreeMap<String, BTreeSet<String>>,
    /// `metadata.resourceVersion`.
    pub version: String,
    /// Description of the Secret if it is never copied.
    pub protection: Option<Protection>,
}

impl fmt::Debug for SecretFacts {
    /// Prints the keys only: annotations may contain values, and panics print their context.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SecretFacts({}: {:?})", self.key, self.values.keys().collect::<Vec<_>>())
    }
}

impl SecretFacts {
    /// Reads a Secret; returns `None` if it was not read whole.
    pub fn from_resource(resource: &Resource, comparer: &Fingerprinter, snapshot: usize) -> Option<Self> {
        let metadata = &resource.metadata;
        let key = NamespacedName { namespace: metadata.namespace.clone()?, name: metadata.name.clone() };
        let whole = resource.whole.as_deref()?;
        let (changed, writers) = written_keys(whole);
        let text = |path: &str| whole.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(Self {
            key,
            metadata: metadata.clone(),
            kind: Some(text("/type")).filter(|kind| !kind.is_empty()).unwrap_or_else(|| OPAQUE.to_owned()),
            values: values(whole, comparer, snapshot),
            is_immutable: whole.get("immutable") == Some(&Value::Bool(true)),
            changed,
            writers,
            version: text("/metadata/resourceVersion"),
            protection: protection(metadata, whole),
        })
    }

    /// Returns true if all values are empty.
    pub fn is_empty(&self) -> bool {
        self.values.values().all(Fingerprint::is_empty)
    }
}

/// Default type of a Secret.
pub const OPAQUE: &str = "Opaque";

/// Returns the fingerprints of all values. A manifest may have plain values, which override the encoded ones; in our
/// own snapshots these are not the values.
fn values(whole: &Value, comparer: &Fingerprinter, snapshot: usize) -> BTreeMap<String, Fingerprint> {
    register_secrets_of(whole);
    let fields = |name: &str| whole.get(name).and_then(Value::as_object).into_iter().flatten();
    let mut values: BTreeMap<String, Fingerprint> =
        fields("data").map(|(key, value)| (key.clone(), comparer.encoded(value, snapshot))).collect();
    for (key, value) in fields("stringData") {
        let plain = value.as_str().map(|text| comparer.plain(text.as_bytes()));
        if let (Some(plain), false) = (plain, values.contains_key(key)) {
            values.insert(key.clone(), plain);
        }
    }
    values
}

/// Returns the time of the last write of a value and the writers of each key, from `managedFields`.
fn written_keys(whole: &Value) -> (Option<Timestamp>, BTreeMap<String, BTreeSet<String>>) {
    let (mut changed, mut writers) = (None, BTreeMap::<String, BTreeSet<String>>::new());
    let entries = whole.pointer("/metadata/managedFields").and_then(Value::as_array);
    for entry in entries.into_iter().flatten() {
        let Some(keys) = entry.pointer("/fieldsV1/f:data").and_then(Value::as_object) else { continue };
        let text = |field: &str| entry.get(field).and_then(Value::as_str);
        changed = changed.max(text("time").and_then(|time| time.parse().ok()));
        for key in keys.keys().filter_map(|key| key.strip_prefix("f:")) {
            writers.entry(key.to_owned()).or_default().extend(text("manager").map(str::to_owned));
        }
    }
    (changed, writers)
}

/// Difference between a copy and its expected values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValueDifference {
    /// Keys with different values, or that only one of the two has.
    pub differing: BTreeSet<String>,
    /// Differing keys that the source does not have, or has with an empty value.
    pub only_in_copy: BTreeSet<String>,
    /// Keys whose values cannot be compared.
    pub incomparable: BTreeSet<String>,
}

/// Compares a copy with its expected values.
pub fn compare(wanted: &BTreeMap<String, Fingerprint>, copy: &BTreeMap<String, Fingerprint>) -> ValueDifference {
    let mut difference = ValueDifference::default();
    for key in wanted.keys().chain(copy.keys()) {
        match (wanted.get(key), copy.get(key)) {
            (Some(one), Some(other)) => match one.is_same_as(other) {
                Some(true) => {}
                _ if one.is_empty() && other.is_empty() => {}
                _ if one.is_empty() => {
                    difference.differing.insert(key.clone());
                    difference.only_in_copy.insert(key.clone());
                }
                Some(false) => {
                    difference.differing.insert(key.clone());
                }
                None if other.is_empty() => {
                    difference.differing.insert(key.clone());
                }
                None => {
                    difference.incomparable.insert(key.clone());
                }
            },
            (None, Some(other)) => {
                difference.differing.insert(key.clone());
                if !other.is_empty() {
                    difference.only_in_copy.insert(key.clone());
                }
            }
            (Some(_), None) => {
                difference.differing.insert(key.clone());
            }
            (None, None) => {}
        }
    }
    difference
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde::de::DeserializeSeed as _;
    use serde_json::json;

    use super::*;
    use crate::distribution::app::{AppClusterReading, SurveyedCluster};
    use ucp_core::model::body::BodyShape;
    use ucp_core::model::kind::ResourceKind;
    use ucp_core::model::seed::ResourceSeed;

    #[test]
    fn a_panic_has_no_value_to_print() {
        const CANARY: &str = "canary-of-this-test";
        // `canary-of-this-test` in base64.
        const ENCODED: &str = "Y2FuYXJ5LW9mLXRoaXMtdGVzdA==";
        let whole = json!({
            "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {
                "name": "db", "namespace": "shop", "resourceVersion": "1",
                "annotations": {"kubectl.kubernetes.io/last-applied-configuration": format!("{{\"data\":\"{ENCODED}\"}}")},
            },
            "data": {"password": ENCODED}, "stringData": {"plain": CANARY},
        });
        let kind = Arc::new(ResourceKind::guess("", "Secret"));
        let seed = ResourceSeed { kind: &kind, shape: BodyShape::Secret };
        let resource = seed.deserialize(&whole).unwrap().with_whole(Some(Arc::new(whole.clone())));
        let facts = SecretFacts::from_resource(&resource, &Fingerprinter::new().unwrap(), 0).unwrap();
        let reading = AppClusterReading {
            secrets: BTreeMap::from([(facts.key.clone(), facts.clone())]),
            ..AppClusterReading::default()
        };
        let app = SurveyedCluster { name: "prod".to_owned(), reading: Ok(reading) };
        for text in [format!("{resource:?}"), format!("{facts:?}"), format!("{app:#?}"), format!("{:?}", resource.body)]
        {
            assert!(!text.contains(CANARY) && !text.contains(ENCODED), "{text}");
            assert!(!text.contains("[1") && !text.contains("Clear"), "no fingerprint either: {text}");
        }
    }
}
