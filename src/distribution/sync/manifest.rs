//! The copy as it is applied: values, type and our own marks, and nothing else of the source. Owner references would have the
//! app cluster's garbage collector delete it, `last-applied-configuration` holds the values once more, and tracking marks
//! would have Argo CD or Flux take it for theirs.

use serde_json::{Map, Value, json};

use super::{SeenCopy, Write};
use crate::adopt::names::MANAGED_BY;
use crate::model::secrecy::HIDDEN;

/// What is sent. `source` is the source as the core cluster has it now.
///
/// # Errors
/// When the source lacks a key that is declared.
pub fn manifest(write: &Write, source: &Value) -> Result<Value, String> {
    let values = source.get("data").and_then(Value::as_object).cloned().unwrap_or_default();
    let data = match &write.keys {
        None => values,
        Some(keys) => {
            let mut data = Map::new();
            for (to, from) in keys {
                let value = values.get(from).ok_or_else(|| format!("{} has no key {from}", write.mark.source))?;
                data.insert(to.clone(), value.clone());
            }
            data
        }
    };
    Ok(json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": write.target.name,
            "namespace": write.target.namespace,
            "labels": {MANAGED_BY.0: MANAGED_BY.1},
            "annotations": write.mark.annotations(),
        },
        "type": write.kind,
        "data": data,
    }))
}

/// The fields of a copy that exists, as a merge patch: what we wrote into it before and is not copied any more goes, and
/// what others wrote stays.
pub fn patch(seen: &SeenCopy, mut object: Value) -> Value {
    let mut data = object["data"].take();
    if let Some(data) = data.as_object_mut() {
        for key in &seen.our_keys {
            data.entry(key.clone()).or_insert(Value::Null);
        }
    }
    let metadata = &object["metadata"];
    let annotations = &metadata["annotations"];
    json!({"metadata": {"labels": metadata["labels"], "annotations": annotations}, "data": data})
}

/// The same without its values, for a person.
pub fn shown(write: &Write, keys: impl IntoIterator<Item = String>) -> Value {
    let hidden: Map<String, Value> = keys.into_iter().map(|key| (key, json!(HIDDEN))).collect();
    let write = Write { keys: None, seen: None, ..write.clone() };
    manifest(&write, &json!({ "data": hidden })).unwrap_or_default()
}
