//! What a claim or composite is made of, and what its removal would take along.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use crate::engine::{Purpose, purpose};
use crate::model::object::ObjectName;
use crate::plan::external::{self, External};
use crate::plan::prepare::name;
use crate::prediction::cluster::{Cluster, path_of};

/// Nobody nests composites deeper, and references may be circular.
const DEEPEST: usize = 8;

/// An object that is part of a claim or composite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Composed {
    /// The object.
    pub object: ObjectName,
    /// What its removal would do outside; absent where nothing is removed, and for what is not a managed resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<External>,
}

/// Everything below a claim or composite, from its own references downwards, and what could not be read of it.
pub async fn composed(cluster: &Cluster, live: &Value) -> (Vec<Composed>, Vec<(ObjectName, String)>) {
    let (mut found, mut unreadable, mut seen) = (Vec::new(), Vec::new(), BTreeSet::from([name(live)]));
    let mut open = vec![live.clone()];
    for _ in 0..DEEPEST {
        let mut next = Vec::new();
        for reference in open.iter().flat_map(references) {
            let Some(kind) = cluster.kind_of(&reference.api_version, &reference.kind) else {
                unreadable.push((reference, "the cluster does not serve its kind".to_owned()));
                continue;
            };
            if !seen.insert(reference.clone()) {
                continue;
            }
            let path = path_of(&kind, reference.namespace.as_deref(), &reference.name);
            match cluster.api.read_object(&path).await {
                Ok(Some(object)) => {
                    let external =
                        (purpose(&kind) == Some(Purpose::External)).then(|| external::of_removal(&kind, &object));
                    found.push(Composed { object: reference, external });
                    next.push(object);
                }
                Ok(None) => {}
                Err(error) => unreadable.push((reference, error.to_string())),
            }
        }
        open = next;
    }
    found.sort_by(|left, right| left.object.cmp(&right.object));
    (found, unreadable)
}

/// The references of one object: `spec.resourceRef` of a claim, `spec.crossplane.resourceRefs` or `spec.resourceRefs`
/// of a composite. The parts of a namespaced composite are in its namespace.
fn references(object: &Value) -> Vec<ObjectName> {
    let own_namespace = object.pointer("/metadata/namespace").and_then(Value::as_str);
    let lists = ["/spec/crossplane/resourceRefs", "/spec/resourceRefs"];
    let many = lists.iter().filter_map(|list| object.pointer(list)?.as_array()).flatten();
    let composed = many.map(|reference| (reference, own_namespace));
    let composite = object.pointer("/spec/resourceRef").map(|reference| (reference, None));
    let name = |(reference, namespace): (&Value, Option<&str>)| {
        let text = |key: &str| reference.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        Some(ObjectName {
            api_version: text("apiVersion")?.to_owned(),
            kind: text("kind")?.to_owned(),
            namespace: text("namespace").or(namespace).map(str::to_owned),
            name: text("name")?.to_owned(),
        })
    };
    composed.chain(composite).filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_are_found_in_every_generation_of_crossplane() {
        let names = |object: Value| -> Vec<String> { references(&object).iter().map(ToString::to_string).collect() };
        let reference = json!({"apiVersion": "a.b/v1", "kind": "Bucket", "name": "x"});
        assert_eq!(
            names(json!({"spec": {"resourceRef": reference}, "metadata": {"namespace": "n"}})),
            ["bucket.a.b/x"]
        );
        assert_eq!(names(json!({"spec": {"resourceRefs": [reference, {"kind": "unnamed"}]}})), ["bucket.a.b/x"]);
        let namespaced = json!({"metadata": {"namespace": "n"}, "spec": {"crossplane": {"resourceRefs": [reference]}}});
        assert_eq!(names(namespaced), ["bucket.a.b/x -n n"]);
    }
}
