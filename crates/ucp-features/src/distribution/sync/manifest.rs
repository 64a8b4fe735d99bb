//! Manifest of a copy: values, type, and our annotations, and nothing else of the source. With owner references, the
//! app cluster's garbage collector would delete it; `last-applied-configuration` contains the values; with tracking
//! labels, Argo CD or Flux would treat it as their own.

use serde_json::{Map, Value, json};

use super::{CopyWrite, SeenCopy};
use crate::adopt::names::MANAGED_BY;
use ucp_core::failure::Failure;
use ucp_core::model::secrecy::HIDDEN;

/// Returns the manifest of a copy. `source` is the current source on the core cluster.
///
/// # Errors
/// Fails when the source does not have a declared key.
pub fn manifest(write: &CopyWrite, source: &Value) -> Result<Value, Failure> {
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

/// Returns a merge patch for an existing copy: keys that we wrote before and that are no longer copied are removed,
/// keys of other writers are kept.
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

/// Returns the manifest without values, for display.
pub fn redacted(write: &CopyWrite, keys: impl IntoIterator<Item = String>) -> Value {
    let hidden: Map<String, Value> = keys.into_iter().map(|key| (key, json!(HIDDEN))).collect();
    let write = CopyWrite { keys: None, seen: None, ..write.clone() };
    manifest(&write, &json!({ "data": hidden })).unwrap_or_default()
}
