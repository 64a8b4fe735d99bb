//! A Secret as it is compared: everything but its values.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;
use serde_json::Value;

use super::fingerprint::{Comparer, Fingerprint};
use super::protected::{Protection, protection};
use crate::adopt::names::Namespaced;
use crate::model::metadata::Metadata;
use crate::model::resource::Resource;

/// Everything of a Secret but its values.
#[derive(Clone)]
pub struct SecretFacts {
    /// Namespace and name.
    pub key: Namespaced,
    /// Its metadata.
    pub metadata: Metadata,
    /// `type`; it can never change.
    pub kind: String,
    /// What tells each value from others.
    pub values: BTreeMap<String, Fingerprint>,
    /// Whether it can never change.
    pub is_immutable: bool,
    /// When anybody last wrote a value, where `managedFields` say so.
    pub changed: Option<Timestamp>,
    /// Who wrote each key, as field managers.
    pub writers: BTreeMap<String, BTreeSet<String>>,
    /// `metadata.resourceVersion`.
    pub version: String,
    /// What it is, if it is never copied.
    pub protection: Option<Protection>,
}

impl fmt::Debug for SecretFacts {
    /// The names alone: annotations may hold values, and a panic prints what it met.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SecretFacts({}: {:?})", self.key, self.values.keys().collect::<Vec<_>>())
    }
}

impl SecretFacts {
    /// Of a Secret that was read whole.
    pub fn of(resource: &Resource, comparer: &Comparer, snapshot: usize) -> Option<Self> {
        let metadata = &resource.metadata;
        let key = Namespaced { namespace: metadata.namespace.clone()?, name: metadata.name.clone() };
        let whole = resource.whole.as_deref()?;
        let (changed, writers) = written(whole);
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

    /// Whether it has anything in it.
    pub fn is_empty(&self) -> bool {
        self.values.values().all(Fingerprint::is_empty)
    }
}

/// The type of a Secret that says none.
pub const OPAQUE: &str = "Opaque";

/// A manifest may have plain values, which stand over the others; of a snapshot of ours these are not the values.
fn values(whole: &Value, comparer: &Comparer, snapshot: usize) -> BTreeMap<String, Fingerprint> {
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

/// When values were last written, and by whom, of `managedFields`.
fn written(whole: &Value) -> (Option<Timestamp>, BTreeMap<String, BTreeSet<String>>) {
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

/// How the values of a copy differ from what they should be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// Keys whose values are others, or which only one of the two has.
    pub differing: BTreeSet<String>,
    /// Of these, what the copy has and the source has not, or has empty.
    pub only_in_copy: BTreeSet<String>,
    /// Keys whose values cannot be compared.
    pub incomparable: BTreeSet<String>,
}

/// Compares a copy with the values that it should have.
pub fn compare(wanted: &BTreeMap<String, Fingerprint>, copy: &BTreeMap<String, Fingerprint>) -> Difference {
    let mut difference = Difference::default();
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
    use crate::distribution::app::{App, Reading};
    use crate::model::body::Shape;
    use crate::model::kind::ResourceKind;
    use crate::model::seed::ResourceSeed;

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
        let seed = ResourceSeed { kind: &kind, shape: Shape::Secret };
        let resource = seed.deserialize(&whole).unwrap().with_whole(Some(Arc::new(whole.clone())));
        let facts = SecretFacts::of(&resource, &Comparer::new().unwrap(), 0).unwrap();
        let reading = Reading { secrets: BTreeMap::from([(facts.key.clone(), facts.clone())]), ..Reading::default() };
        let app = App { name: "prod".to_owned(), reading: Ok(reading) };
        for text in [format!("{resource:?}"), format!("{facts:?}"), format!("{app:#?}"), format!("{:?}", resource.body)]
        {
            assert!(!text.contains(CANARY) && !text.contains(ENCODED), "{text}");
            assert!(!text.contains("[1") && !text.contains("Clear"), "no fingerprint either: {text}");
        }
    }
}
