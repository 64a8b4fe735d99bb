//! Composites that are deleted with another object, and so are no longer reconciled.

use std::collections::BTreeSet;

use serde_json::Value;

use ucp_client::prediction::cluster::text_at;
use ucp_core::model::object::{ObjectKey, ObjectName, group_of};

/// Returns the deleted objects: those that are removed, and every composite whose controller or claim is deleted.
pub(super) fn deleted_objects<'a>(
    removed: BTreeSet<ObjectKey>,
    composites: impl Iterator<Item = &'a Value> + Clone,
) -> BTreeSet<ObjectKey> {
    let mut going = removed;
    loop {
        let more: Vec<ObjectKey> = composites
            .clone()
            .map(|composite| (ObjectKey::from(&ObjectName::from_manifest(composite)), composite))
            .filter(|(key, composite)| {
                !going.contains(key) && owners_of(composite).iter().any(|one| going.contains(one))
            })
            .map(|(key, _)| key)
            .collect();
        if more.is_empty() {
            return going;
        }
        going.extend(more);
    }
}

/// Returns the controller of a composite and its claim. A namespaced composite's controller is in its namespace.
fn owners_of(composite: &Value) -> Vec<ObjectKey> {
    let key = |of: &Value, namespace: &str| ObjectKey {
        group: group_of(text_at(of, "/apiVersion")).to_owned(),
        kind: text_at(of, "/kind").to_owned(),
        namespace: Some(namespace.to_owned()).filter(|namespace| !namespace.is_empty()),
        name: text_at(of, "/name").to_owned(),
    };
    let owners = composite.pointer("/metadata/ownerReferences").and_then(Value::as_array).into_iter().flatten();
    let controller = owners.filter(|owner| owner.get("controller").and_then(Value::as_bool) == Some(true));
    let controller = controller.map(|owner| key(owner, text_at(composite, "/metadata/namespace")));
    let claim = composite.pointer("/spec/claimRef").map(|claim| key(claim, text_at(claim, "/namespace")));
    controller.chain(claim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn objects_below_a_deleted_object_are_deleted() {
        let composite = |name: &str, owner: Value, claim: Value| {
            json!({
                "apiVersion": "a.b/v1", "kind": "Part", "spec": {"claimRef": claim},
                "metadata": {"name": name, "namespace": "n", "ownerReferences": [owner]},
            })
        };
        let owner =
            |kind: &str, name: &str| json!({"apiVersion": "a.b/v1", "kind": kind, "name": name, "controller": true});
        let composites = [
            composite("deep", owner("Part", "near"), json!(null)),
            composite("near", owner("Top", "top"), json!(null)),
            composite("other", owner("Top", "else"), json!(null)),
            composite(
                "claimed",
                json!({}),
                json!({"apiVersion": "a.b/v1", "kind": "Claim", "namespace": "m", "name": "c"}),
            ),
        ];
        let key = |kind: &str, namespace: &str, name: &str| ObjectKey {
            group: "a.b".into(),
            kind: kind.into(),
            namespace: Some(namespace.into()),
            name: name.into(),
        };
        let removed = BTreeSet::from([key("Top", "n", "top"), key("Claim", "m", "c")]);
        let going = deleted_objects(removed.clone(), composites.iter());
        let more: Vec<&str> = going.difference(&removed).map(|key| key.name.as_str()).collect();
        assert_eq!(more, ["claimed", "deep", "near"]);
    }
}
