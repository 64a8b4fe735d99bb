//! Objects of another cluster, as provider-kubernetes has them in `manifest`.

use serde_json::{Map, Value};

use super::ordered::Ordered;

/// An object of another cluster without what its server wrote: its status, and metadata that nobody declares.
pub fn without_servers_fields(object: &Map<String, Value>) -> Ordered {
    let mut fields: Vec<(String, Ordered)> = Vec::new();
    let known = ["apiVersion", "kind", "metadata"];
    for name in known {
        let Some(value) = object.get(name) else { continue };
        let value = if name == "metadata" { declared_metadata(value) } else { value.clone().into() };
        fields.push((name.to_owned(), value));
    }
    let others = object.iter().filter(|(name, _)| !known.contains(&name.as_str()) && name.as_str() != "status");
    fields.extend(others.map(|(name, value)| (name.clone(), value.clone().into())));
    Ordered::Fields(fields)
}

fn declared_metadata(metadata: &Value) -> Ordered {
    let mut fields: Vec<(String, Ordered)> = Vec::new();
    for name in ["name", "namespace", "labels", "annotations"] {
        let Some(value) = metadata.get(name) else { continue };
        let mut value = value.clone();
        if let Value::Object(annotations) = &mut value
            && name == "annotations"
        {
            annotations.retain(|key, _| {
                key != "kubectl.kubernetes.io/last-applied-configuration"
                    && !key.starts_with("deployment.kubernetes.io/")
            });
            if annotations.is_empty() {
                continue;
            }
        }
        fields.push((name.to_owned(), value.into()));
    }
    Ordered::Fields(fields)
}
