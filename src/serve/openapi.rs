//! `/openapi/v3`, for `kubectl explain`: the schema of each kind.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::object_meta::common_schemas;
use super::objects::ServedCluster;
use ucp_core::model::kind::ResourceScope;

/// Returns the groups and versions, each with the path of its document.
pub(super) fn index(cluster: &ServedCluster) -> Value {
    let versions: BTreeSet<_> = cluster.kinds.keys().map(|(group, version, _)| (group, version)).collect();
    let entry = |(group, version): (&String, &String)| {
        let path = path_of_version(group, version);
        let url = json!({"serverRelativeURL": format!("/openapi/v3/{path}")});
        (path, url)
    };
    json!({"paths": versions.into_iter().map(entry).collect::<Map<_, _>>()})
}

/// Returns the document of a group and version; `None` if no kind is in it.
pub(super) fn document(cluster: &ServedCluster, group: &str, version: &str) -> Option<Value> {
    let (mut schemas, mut paths) = (common_schemas(), Map::new());
    let kinds =
        cluster.kinds.iter().filter(|((of_group, of_version, _), _)| of_group == group && of_version == version);
    for (_, served) in kinds {
        let kind = &served.kind;
        let identity = json!({"group": group, "version": version, "kind": kind.kind});
        let mut schema = cluster.schema_of_kind(served);
        schema["x-kubernetes-group-version-kind"] = json!([identity]);
        schemas.insert(format!("{group}.{version}.{}", kind.kind).trim_start_matches('.').to_owned(), schema);
        let below = if kind.scope == ResourceScope::Namespaced { "namespaces/{namespace}/" } else { "" };
        let path = format!("/{}/{below}{}", path_of_version(group, version), kind.plural);
        // Clients find the schema of a kind by the operation that lists it.
        let operation = json!({"x-kubernetes-action": "list", "x-kubernetes-group-version-kind": identity});
        paths.insert(path, json!({"get": operation}));
    }
    let info = json!({"title": "Kubernetes", "version": cluster.server_version});
    let is_empty = paths.is_empty();
    let document = json!({"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": schemas}});
    (!is_empty).then_some(document)
}

fn path_of_version(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}
