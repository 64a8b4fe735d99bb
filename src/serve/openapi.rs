//! `/openapi/v3`, for `kubectl explain`: the schemas of definitions that have one.

use serde_json::{Map, Value, json};

use super::objects::{ServedCluster, ServedKind};
use ucp_core::model::kind::ResourceScope;

/// Returns the groups and versions with a document.
pub(super) fn index(cluster: &ServedCluster) -> Value {
    let paths: Map<_, _> = cluster
        .kinds
        .iter()
        .filter(|(_, served)| schema_of(served).is_some())
        .map(|((group, version, _), _)| {
            let path = format!("apis/{group}/{version}");
            let url = json!({"serverRelativeURL": format!("/openapi/v3/{path}")});
            (path, url)
        })
        .collect();
    json!({"paths": paths})
}

/// Returns the document of a group and version; `None` if no kind of it has a schema.
pub(super) fn document(cluster: &ServedCluster, group: &str, version: &str) -> Option<Value> {
    let (mut schemas, mut paths) = (Map::new(), Map::new());
    let kinds =
        cluster.kinds.iter().filter(|((of_group, of_version, _), _)| of_group == group && of_version == version);
    for (_, served) in kinds {
        let Some(schema) = schema_of(served) else { continue };
        let kind = &served.kind;
        let identity = json!({"group": group, "version": version, "kind": kind.kind});
        let name = format!("{group}.{version}.{}", kind.kind);
        let mut schema = schema.clone();
        schema["x-kubernetes-group-version-kind"] = json!([identity]);
        describe_head(&mut schema);
        schemas.insert(name, schema);
        let below = if kind.scope == ResourceScope::Namespaced { "namespaces/{namespace}/" } else { "" };
        let path = format!("/apis/{group}/{version}/{below}{}", kind.plural);
        let operation = json!({"x-kubernetes-action": "list", "x-kubernetes-group-version-kind": identity});
        paths.insert(path, json!({"get": operation}));
    }
    let info = json!({"title": "Kubernetes CRD Swagger", "version": "v0.1.0"});
    let document = json!({"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": schemas}});
    (!document["paths"].as_object()?.is_empty()).then_some(document)
}

fn schema_of(served: &ServedKind) -> Option<&Value> {
    served.custom.as_ref().and_then(|custom| custom.schema.as_ref())
}

/// Adds the fields that every object has, as a server does.
fn describe_head(schema: &mut Value) {
    let head = [
        ("apiVersion", "string", "APIVersion defines the versioned schema of this representation of an object."),
        ("kind", "string", "Kind is a string value representing the REST resource this object represents."),
        ("metadata", "object", "Standard object's metadata."),
    ];
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (name, of, description) in head {
        let property = properties.entry(name).or_insert_with(|| json!({"type": of}));
        if property.get("description").is_none() {
            property["description"] = json!(description);
        }
    }
}
