//! Objects of another cluster, as provider-kubernetes has them in `manifest`.

use serde_json::{Map, Value};

use ucp_repo::yaml::ordered::OrderedValue;

/// Returns an object of another cluster without the fields that its server writes: status, and undeclared metadata.
pub fn without_servers_fields(object: &Map<String, Value>) -> Map<String, Value> {
    let fields = object.iter().filter(|(name, _)| name.as_str() != "status");
    fields
        .map(|(name, value)| match (name.as_str(), value) {
            ("metadata", Value::Object(metadata)) => (name.clone(), Value::Object(declared_metadata(metadata))),
            _ => (name.clone(), value.clone()),
        })
        .collect()
}

const METADATA: [&str; 4] = ["name", "namespace", "labels", "annotations"];

fn declared_metadata(metadata: &Map<String, Value>) -> Map<String, Value> {
    let mut declared = metadata.clone();
    declared.retain(|name, _| METADATA.contains(&name.as_str()));
    if let Some(Value::Object(annotations)) = declared.get_mut("annotations") {
        annotations.retain(|key, _| {
            key != "kubectl.kubernetes.io/last-applied-configuration" && !key.starts_with("deployment.kubernetes.io/")
        });
        if annotations.is_empty() {
            declared.remove("annotations");
        }
    }
    declared
}

/// Sorts the fields of an object in the customary order.
pub fn in_order(mut object: OrderedValue) -> OrderedValue {
    object.order_by(&["apiVersion", "kind", "metadata"]);
    if let Some(metadata) = object.get_mut("metadata") {
        metadata.order_by(&METADATA);
    }
    object
}
