//! Whether an object stands for something outside.

use serde_json::Value;

use super::address::{external_name, located, manifest};
use super::takeover::Takeover;
use crate::engine::crossplane::EXTERNAL_NAME;

/// Whether an object, of a cluster or of Git, stands for what has this name or id outside. `given` tells where that is.
pub fn stands_for(takeover: Takeover, object: &Value, external: &str, given: &[(String, String)]) -> bool {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let annotation = |key: &str| object.get("metadata")?.get("annotations")?.get(key)?.as_str();
    let names = [external, external_name(external)];
    match takeover {
        Takeover::Crossplane => {
            if let Some(declared) = object.pointer("/spec/forProvider/manifest") {
                return manifest(external).is_ok_and(|wanted| is_same_object(declared, &wanted));
            }
            annotation(EXTERNAL_NAME).is_some_and(|name| names.contains(&name)) && is_there(object, external, given)
        }
        Takeover::Ack => {
            let adopted = annotation("services.k8s.aws/adoption-fields")
                .and_then(|fields| serde_json::from_str::<Value>(fields).ok());
            let mut values = adopted.iter().filter_map(Value::as_object).flat_map(|fields| fields.values());
            values.any(|value| value.as_str() == Some(external))
                || text("/status/ackResourceMetadata/arn") == Some(external)
                || text("/spec/name") == Some(external)
        }
        Takeover::ConfigConnector => {
            text("/spec/resourceID").or_else(|| text("/metadata/name")).is_some_and(|name| names.contains(&name))
        }
    }
}

/// Two things of one name may be in two regions: what is said of where one is must not contradict the object.
fn is_there(object: &Value, external: &str, given: &[(String, String)]) -> bool {
    const PLACES: [&str; 5] = ["region", "location", "zone", "project", "resourceGroupName"];
    let declared = |field: &str| object.pointer(&format!("/spec/forProvider/{field}")).and_then(Value::as_str);
    let told = located(external).into_iter().map(|(field, value)| (field.to_owned(), value));
    let mut told = told.chain(given.iter().filter(|(field, _)| PLACES.contains(&field.as_str())).cloned());
    told.all(|(field, value)| declared(&field).is_none_or(|is| is == value))
}

fn is_same_object(left: &Value, right: &Value) -> bool {
    let part =
        |object: &Value, pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    ["/apiVersion", "/kind", "/metadata/namespace", "/metadata/name"]
        .iter()
        .all(|pointer| part(left, pointer) == part(right, pointer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn objects_are_known_by_what_they_stand_for() {
        let bucket = json!({
            "metadata": {"annotations": {EXTERNAL_NAME: "logs"}}, "spec": {"forProvider": {"region": "eu"}},
        });
        let region = |region: &str| vec![("region".to_owned(), region.to_owned())];
        assert!(stands_for(Takeover::Crossplane, &bucket, "logs", &region("eu")));
        assert!(!stands_for(Takeover::Crossplane, &bucket, "logs", &region("us")), "one of that name elsewhere");
        assert!(!stands_for(Takeover::Crossplane, &bucket, "log", &[]));
        let network = json!({"metadata": {"annotations": {EXTERNAL_NAME: "main"}}, "spec": {"forProvider": {}}});
        assert!(stands_for(Takeover::Crossplane, &network, "projects/p/global/networks/main", &[]));
        let object = json!({"spec": {"forProvider": {"manifest": manifest("v1/ConfigMap/a/b").unwrap()}}});
        assert!(stands_for(Takeover::Crossplane, &object, "v1/ConfigMap/a/b", &[]));
        assert!(!stands_for(Takeover::Crossplane, &object, "v1/ConfigMap/a/c", &[]));
        let vpc = json!({"metadata": {"annotations": {"services.k8s.aws/adoption-fields": "{\"vpcID\":\"vpc-1\"}"}}});
        assert!(stands_for(Takeover::Ack, &vpc, "vpc-1", &[]));
    }
}
