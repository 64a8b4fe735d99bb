//! From the desired state of functions to the objects that core applies: names, metadata, and deletions.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::composition::claim::{CLAIM_NAME, CLAIM_NAMESPACE};
use crate::composition::definition::{escape_pointer_segment, set_field};
use crate::composition::identity::child_name;
use ucp_client::prediction::cluster::text_at;
use ucp_core::engine::crossplane::COMPOSITE_LABEL;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::object::group_of;

/// Annotation of a composed resource: its resource name in the pipeline.
pub const RESOURCE_NAME: &str = "crossplane.io/composition-resource-name";

/// Objects by their resource names in the pipeline.
pub type ObjectsByName = BTreeMap<String, Value>;

/// Returns the resource name of a composed resource.
pub fn resource_name(object: &Value) -> Option<&str> {
    object.pointer("/metadata/annotations")?.get(RESOURCE_NAME)?.as_str().filter(|name| !name.is_empty())
}

/// Returns the object that core applies for each desired resource.
///
/// # Errors
/// Fails where core would: an object without kind or valid metadata, or with another controller.
pub fn complete_objects(
    wanted: &ObjectsByName,
    composite: &Value,
    observed: &ObjectsByName,
) -> Result<ObjectsByName, Failure> {
    wanted.iter().map(|(key, object)| Ok((key.clone(), complete(key, object, composite, observed.get(key))?))).collect()
}

fn complete(key: &str, object: &Value, composite: &Value, observed: Option<&Value>) -> Result<Value, Failure> {
    let mut object = object.clone();
    for field in ["apiVersion", "kind"] {
        if object.get(field).and_then(Value::as_str).is_none_or(str::is_empty) {
            return fail!("composed resource {key:?} has no {field}");
        }
    }
    if object.get("metadata").is_some_and(|metadata| !metadata.is_object()) {
        return fail!("composed resource {key:?} has no valid metadata");
    }
    // An existing object keeps its name, regardless of the function's response.
    if let Some(observed) = observed {
        for field in ["name", "namespace", "generateName"] {
            match observed.pointer(&format!("/metadata/{field}")) {
                Some(value) => set_field(&mut object, &format!("/metadata/{field}"), value.clone()),
                None => drop_metadata(&mut object, field),
            }
        }
    }
    let label = |name: &str| composite.pointer("/metadata/labels").and_then(|labels| labels.get(name)?.as_str());
    let prefix = label(COMPOSITE_LABEL).unwrap_or_else(|| text_at(composite, "/metadata/name"));
    if text_at(&object, "/metadata/name").is_empty() && text_at(&object, "/metadata/generateName").is_empty() {
        set_field(&mut object, "/metadata/generateName", json!(format!("{prefix}-")));
    }
    if let Some(namespace) = namespace_of(composite) {
        set_field(&mut object, "/metadata/namespace", json!(namespace));
    }
    set_field(&mut object, &format!("/metadata/annotations/{}", escape_pointer_segment(RESOURCE_NAME)), json!(key));
    set_field(&mut object, &format!("/metadata/labels/{}", escape_pointer_segment(COMPOSITE_LABEL)), json!(prefix));
    if let (Some(name), Some(namespace)) = (label(CLAIM_NAME), label(CLAIM_NAMESPACE)) {
        set_field(&mut object, &format!("/metadata/labels/{}", escape_pointer_segment(CLAIM_NAME)), json!(name));
        set_field(
            &mut object,
            &format!("/metadata/labels/{}", escape_pointer_segment(CLAIM_NAMESPACE)),
            json!(namespace),
        );
    }
    set_controller(&mut object, composite, key)?;
    if text_at(&object, "/metadata/name").is_empty() {
        let begins = text_at(&object, "/metadata/generateName").to_owned();
        set_field(&mut object, "/metadata/name", json!(child_name(&begins, text_at(composite, "/metadata/uid"), key)));
    }
    Ok(object)
}

fn namespace_of(object: &Value) -> Option<&str> {
    object.pointer("/metadata/namespace").and_then(Value::as_str).filter(|namespace| !namespace.is_empty())
}

fn drop_metadata(object: &mut Value, field: &str) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove(field);
    }
}

/// Makes the composite the controller of an object.
fn set_controller(object: &mut Value, composite: &Value, key: &str) -> Result<(), Failure> {
    let uid = text_at(composite, "/metadata/uid");
    let mut owners: Vec<Value> =
        object.pointer("/metadata/ownerReferences").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_controller = |owner: &Value| owner.get("controller").and_then(Value::as_bool) == Some(true);
    if owners.iter().any(|owner| is_controller(owner) && text_at(owner, "/uid") != uid) {
        return fail!("composed resource {key:?} already has another controller");
    }
    owners.retain(|owner| text_at(owner, "/uid") != uid);
    owners.push(json!({
        "apiVersion": text_at(composite, "/apiVersion"), "kind": text_at(composite, "/kind"),
        "name": text_at(composite, "/metadata/name"), "uid": uid,
        "controller": true, "blockOwnerDeletion": true,
    }));
    set_field(object, "/metadata/ownerReferences", Value::Array(owners));
    Ok(())
}

/// Returns the existing resources that are no longer desired; core deletes them.
pub fn removed_objects<'objects>(
    observed: &'objects ObjectsByName,
    wanted: &ObjectsByName,
) -> Vec<(&'objects str, &'objects Value)> {
    let gone = observed.iter().filter(|(key, _)| !wanted.contains_key(*key));
    gone.map(|(key, object)| (key.as_str(), object)).collect()
}

/// Returns the existing resources whose desired kind differs. Core creates the new object and leaves the old one behind
/// without a reference to it, with `Synced` True.
pub fn left_behind_objects<'objects>(
    observed: &'objects ObjectsByName,
    wanted: &ObjectsByName,
) -> Vec<(&'objects str, &'objects Value)> {
    let kind = |object: &'_ Value| -> (String, String) {
        (group_of(text_at(object, "/apiVersion")).to_owned(), text_at(object, "/kind").to_owned())
    };
    let is_other = |old: &Value, new: &Value| kind(old) != kind(new);
    let pairs = observed.iter().filter_map(|(key, old)| Some((key, old, wanted.get(key)?)));
    pairs.filter(|(_, old, new)| is_other(old, new)).map(|(key, old, _)| (key.as_str(), old)).collect()
}

/// Returns the references that core writes to a composite, in its order.
pub fn resource_references(objects: &ObjectsByName, composite: &Value) -> Value {
    let is_namespaced = namespace_of(composite).is_some();
    let mut references: Vec<(String, Value)> = objects
        .values()
        .map(|object| {
            let field = |pointer: &str| text_at(object, pointer).to_owned();
            let (version, kind, name) = (field("/apiVersion"), field("/kind"), field("/metadata/name"));
            let mut reference = json!({"apiVersion": version, "kind": kind, "name": name});
            let namespace = namespace_of(object).filter(|_| !is_namespaced);
            if let Some(namespace) = namespace {
                reference["namespace"] = json!(namespace);
            }
            (format!("{version}{kind}{name}{}", namespace.unwrap_or_default()), reference)
        })
        .collect();
    references.sort_by(|left, right| left.0.cmp(&right.0));
    Value::Array(references.into_iter().map(|(_, reference)| reference).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn composite(namespace: Option<&str>) -> Value {
        let mut composite = json!({
            "apiVersion": "a.b/v1", "kind": "XStore",
            "metadata": {"name": "shop-x", "uid": "u1", "labels": {COMPOSITE_LABEL: "shop-x", CLAIM_NAME: "shop", CLAIM_NAMESPACE: "quotes"}},
        });
        if let Some(namespace) = namespace {
            composite["metadata"]["namespace"] = json!(namespace);
        }
        composite
    }

    fn wanted(metadata: Value) -> ObjectsByName {
        ObjectsByName::from([(
            "bucket".to_owned(),
            json!({"apiVersion": "s.b/v1", "kind": "Bucket", "metadata": metadata}),
        )])
    }

    fn one(metadata: Value, composite: &Value, observed: &ObjectsByName) -> Value {
        complete_objects(&wanted(metadata), composite, observed).unwrap()["bucket"].clone()
    }

    #[test]
    fn a_new_object_gets_cores_name_and_marks() {
        let found = one(json!({"labels": {"mine": "1"}}), &composite(None), &ObjectsByName::new());
        assert_eq!(found["metadata"]["name"], child_name("shop-x-", "u1", "bucket"));
        assert_eq!(
            found["metadata"]["labels"],
            json!({"mine": "1", COMPOSITE_LABEL: "shop-x", CLAIM_NAME: "shop", CLAIM_NAMESPACE: "quotes"})
        );
        assert_eq!(found["metadata"]["annotations"], json!({RESOURCE_NAME: "bucket"}));
        assert_eq!(found["metadata"]["ownerReferences"][0]["uid"], "u1");
        assert_eq!(found["metadata"]["ownerReferences"][0]["blockOwnerDeletion"], true);
    }

    #[test]
    fn names_are_kept_and_namespaces_forced() {
        let observed = wanted(json!({"name": "old", "generateName": "g-"}));
        let found = one(json!({"name": "new"}), &composite(None), &observed);
        assert_eq!((&found["metadata"]["name"], &found["metadata"]["generateName"]), (&json!("old"), &json!("g-")));
        let found = one(json!({"namespace": "elsewhere"}), &composite(Some("team")), &ObjectsByName::new());
        assert_eq!(found["metadata"]["namespace"], "team");
    }

    #[test]
    fn an_invalid_desired_object_is_an_error() {
        let bad = ObjectsByName::from([("x".to_owned(), json!({"kind": "A"}))]);
        let error = complete_objects(&bad, &composite(None), &ObjectsByName::new()).unwrap_err();
        assert!(error.as_str().contains("apiVersion"), "{error}");
        let owned = wanted(json!({"ownerReferences": [{"uid": "other", "controller": true}]}));
        let error = complete_objects(&owned, &composite(None), &ObjectsByName::new()).unwrap_err();
        assert!(error.as_str().contains("controller"), "{error}");
    }

    #[test]
    fn another_kind_leaves_the_old_object_behind() {
        let old = ObjectsByName::from([
            ("a".to_owned(), json!({"apiVersion": "x.aws.upbound.io/v1", "kind": "Bucket"})),
            ("b".to_owned(), json!({"apiVersion": "x.io/v1", "kind": "B"})),
            ("c".to_owned(), json!({"apiVersion": "x.io/v1", "kind": "C"})),
        ]);
        let new = ObjectsByName::from([
            ("a".to_owned(), json!({"apiVersion": "x.aws.m.upbound.io/v1", "kind": "Bucket"})),
            ("b".to_owned(), json!({"apiVersion": "x.io/v2", "kind": "B"})),
        ]);
        let names = |found: Vec<(&str, &Value)>| found.iter().map(|(key, _)| (*key).to_owned()).collect::<Vec<_>>();
        assert_eq!(names(left_behind_objects(&old, &new)), ["a"]);
        assert_eq!(names(removed_objects(&old, &new)), ["c"]);
    }
}
