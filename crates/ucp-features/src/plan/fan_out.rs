//! The composed objects of a claim or composite, and the effect of its removal on them.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeSeed as _;
use serde_json::Value;

use crate::plan::external::{self, ExternalEffect};
use crate::plan::prepare::object_name_of;
use ucp_client::prediction::cluster::{ConnectedCluster, path_of};
use ucp_core::engine::{self, ExternalRole, purpose};
use ucp_core::graph::link::{LinkEnd, Relation};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::object::ObjectName;
use ucp_core::model::seed::{ResourceSeed, describe_decode_error};

/// Maximum depth, since references may be circular.
const DEEPEST: usize = 8;

/// An object that is part of a claim or composite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComposedObject {
    /// The object.
    pub object: ObjectName,
    /// The external effect of its removal; absent if nothing is removed, or if it is not a managed resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalEffect>,
}

/// Returns all objects below a claim or composite, following its references, and those that could not be read.
pub async fn composed_objects(
    cluster: &ConnectedCluster,
    kind: &ResourceKind,
    live: &Value,
) -> (Vec<ComposedObject>, Vec<(ObjectName, String)>) {
    let (mut found, mut unreadable, mut seen) = (Vec::new(), Vec::new(), BTreeSet::from([object_name_of(live)]));
    let mut open = vec![(Arc::new(kind.clone()), live.clone())];
    for _ in 0..DEEPEST {
        let mut next = Vec::new();
        let mut parts = Vec::new();
        for (kind, object) in &open {
            match composed_references(kind, object) {
                Ok(more) => parts.extend(more),
                Err(error) => unreadable.push((object_name_of(object), describe_decode_error(&error))),
            }
        }
        for (reference, near) in parts {
            let kind = match cluster.find_kind(&reference.api_version, &reference.kind).await {
                Ok(Some(kind)) => kind,
                Ok(None) => {
                    unreadable.push((reference, "the cluster does not serve its kind".to_owned()));
                    continue;
                }
                Err(reason) => {
                    unreadable.push((reference, reason.to_string()));
                    continue;
                }
            };
            // The parts of a namespaced composite are in its namespace.
            let namespace = reference.namespace.clone().or(near).filter(|_| kind.scope == ResourceScope::Namespaced);
            let reference = ObjectName { namespace, ..reference };
            if !seen.insert(reference.clone()) {
                continue;
            }
            let path = path_of(&kind, reference.namespace.as_deref(), &reference.name);
            match cluster.api.read_object(&path).await {
                Ok(Some(object)) => {
                    let external = (purpose(&kind) == Some(ExternalRole::External))
                        .then(|| external::removal_effect(&kind, &object));
                    found.push(ComposedObject { object: reference, external });
                    next.push((Arc::new(kind), object));
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

/// Returns the references of an object to its parts, and its own namespace.
fn composed_references(
    kind: &Arc<ResourceKind>,
    object: &Value,
) -> Result<Vec<(ObjectName, Option<String>)>, serde_json::Error> {
    let Some(want) = engine::want(kind) else { return Ok(Vec::new()) };
    let resource = ResourceSeed { kind, shape: want.shape }.deserialize(object)?;
    let parts = engine::links(&resource).into_iter().filter_map(|link| match (link.from, link.relation, link.to) {
        (LinkEnd::Itself, Relation::Composes, LinkEnd::Object(part)) => {
            Some((part, resource.metadata.namespace.clone()))
        }
        _ => None,
    });
    Ok(parts.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_are_found_in_every_generation_of_crossplane() {
        let mut kind = ResourceKind::guess("a.b", "App");
        kind.categories.insert("composite".to_owned());
        let kind = Arc::new(kind);
        let names = |object: Value| -> Vec<(String, Option<String>)> {
            composed_references(&kind, &object)
                .unwrap()
                .iter()
                .map(|(part, near)| (part.to_string(), near.clone()))
                .collect()
        };
        let reference = json!({"apiVersion": "a.b/v1", "kind": "Bucket", "name": "x"});
        let (bucket, near) = ("bucket.a.b/x".to_owned(), Some("n".to_owned()));
        assert_eq!(
            names(json!({"spec": {"resourceRef": reference}, "metadata": {"namespace": "n"}})),
            [(bucket.clone(), near.clone())]
        );
        assert_eq!(
            names(json!({"spec": {"resourceRefs": [reference, {"kind": "unnamed"}]}})),
            [(bucket.clone(), None)]
        );
        let namespaced = json!({"metadata": {"namespace": "n"}, "spec": {"crossplane": {"resourceRefs": [reference]}}});
        assert_eq!(names(namespaced), [(bucket, near)]);
    }
}
