//! Field ownership of an object by manager: `metadata.managedFields`, in the `FieldsV1` format of
//! structured-merge-diff.

use serde_json::{Map, Value};

/// A set of fields: `f:` a field, `k:` a list element by its keys, `v:` one by its value, `i:` one by its index, `.`
/// the field or element itself.
pub type FieldSet = Map<String, Value>;

/// One entry of `managedFields`.
#[derive(Debug, Clone, Copy)]
pub struct FieldManagerEntry<'object> {
    /// Name of the manager; empty if the request had none.
    pub manager: &'object str,
    /// The version that it wrote.
    pub api_version: &'object str,
    /// Time of its last write.
    pub time: Option<&'object str>,
    /// The operation of the write.
    pub operation: WriteOperation,
    /// `status`, or empty for the object itself.
    pub subresource: &'object str,
    /// The fields that it owns.
    pub fields: &'object FieldSet,
}

impl FieldManagerEntry<'_> {
    /// Returns true if it owns the field at a JSON pointer, or anything below.
    pub fn owns_pointer(&self, pointer: &str) -> bool {
        let mut names = pointer.split('/').skip(1).map(|name| name.replace("~1", "/").replace("~0", "~"));
        names.try_fold(self.fields, |fields, name| fields.get(&format!("f:{name}"))?.as_object()).is_some()
    }
}

/// The operation of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteOperation {
    /// Server-side apply.
    Apply,
    /// All other operations.
    Update,
}

/// Returns all field owners of an object.
pub fn field_managers(object: &Value) -> impl Iterator<Item = FieldManagerEntry<'_>> {
    let entries = object.pointer("/metadata/managedFields").and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(|entry| {
        Some(FieldManagerEntry {
            manager: text(entry, "manager").unwrap_or_default(),
            api_version: text(entry, "apiVersion").unwrap_or_default(),
            time: text(entry, "time"),
            operation: match text(entry, "operation") {
                Some("Apply") => WriteOperation::Apply,
                _ => WriteOperation::Update,
            },
            subresource: text(entry, "subresource").unwrap_or_default(),
            fields: entry.get("fieldsV1")?.as_object()?,
        })
    })
}

fn text<'object>(entry: &'object Value, key: &str) -> Option<&'object str> {
    entry.get(key).and_then(Value::as_str)
}

/// Removes the fields of a set that are in none of the sets to keep. Returns true if there were any.
pub fn remove_fields(object: &mut Value, fields: &FieldSet, keep: &[&FieldSet]) -> bool {
    let mut removed = false;
    for (key, below) in fields {
        let empty = Map::new();
        let below = below.as_object().unwrap_or(&empty);
        let keepers: Vec<&FieldSet> = keep.iter().filter_map(|set| set.get(key)?.as_object()).collect();
        let is_whole = below.is_empty() || below.contains_key(".");
        if keepers.is_empty() && is_whole && key != "." {
            removed |= take_child(object, key).is_some();
        } else if let Some(child) = find_child(object, key) {
            removed |= remove_fields(child, below, &keepers);
            // A parent that becomes empty is removed too.
            if keepers.is_empty() && is_empty(child) {
                take_child(object, key);
            }
        }
    }
    removed
}

/// Returns the part of a set that an object has.
pub fn intersect(fields: &FieldSet, object: &Value) -> FieldSet {
    let mut part = FieldSet::new();
    for (key, below) in fields {
        if let Some(child) = get_child(object, key) {
            let itself = below.get(".").filter(|_| key.starts_with("k:")).cloned();
            let mut below = below.as_object().map(|below| intersect(below, child)).unwrap_or_default();
            // A list element is removed as a whole, including fields that a server added to it.
            below.extend(itself.map(|itself| (".".to_owned(), itself)));
            part.insert(key.clone(), Value::Object(below));
        }
    }
    // A field is removed as a whole only if nothing else remains in it.
    if let Some(itself) = fields.get(".").filter(|_| part.len() + 1 == fields.len()) {
        part.insert(".".to_owned(), itself.clone());
    }
    part
}

fn get_child<'object>(object: &'object Value, key: &str) -> Option<&'object Value> {
    match (key.split_at_checked(2)?, object) {
        (("f:", name), Value::Object(fields)) => fields.get(name),
        (_, Value::Array(items)) => items.get(position(items, key)?),
        _ => None,
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

fn find_child<'object>(object: &'object mut Value, key: &str) -> Option<&'object mut Value> {
    match (key.split_at_checked(2)?, object) {
        (("f:", name), Value::Object(fields)) => fields.get_mut(name),
        (_, Value::Array(items)) => {
            let index = position(items, key)?;
            items.get_mut(index)
        }
        _ => None,
    }
}

fn take_child(object: &mut Value, key: &str) -> Option<Value> {
    match (key.split_at_checked(2)?, object) {
        (("f:", name), Value::Object(fields)) => fields.remove(name),
        (_, Value::Array(items)) => {
            let index = position(items, key)?;
            Some(items.remove(index))
        }
        _ => None,
    }
}

fn position(items: &[Value], key: &str) -> Option<usize> {
    let (form, text) = key.split_at_checked(2)?;
    match form {
        "k:" => {
            let keys: Map<String, Value> = serde_json::from_str(text).ok()?;
            items.iter().position(|item| keys.iter().all(|(name, value)| item.get(name) == Some(value)))
        }
        "v:" => {
            let wanted: Value = serde_json::from_str(text).ok()?;
            items.iter().position(|item| *item == wanted)
        }
        "i:" => text.parse().ok().filter(|index| *index < items.len()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn removed(object: Value, fields: Value, keep: &[Value]) -> Value {
        let mut object = object;
        let keep: Vec<_> = keep.iter().map(|set| set.as_object().unwrap()).collect();
        remove_fields(&mut object, fields.as_object().unwrap(), &keep);
        object
    }

    #[test]
    fn the_manager_of_a_field_is_found_by_its_pointer() {
        let object = json!({"metadata": {"managedFields": [
            {"manager": "a", "time": "2026-01-01T00:00:00Z", "apiVersion": "v1",
                "fieldsV1": {"f:metadata": {"f:annotations": {"f:example.org/x": {}}}}},
            {"operation": "Apply", "fieldsV1": {"f:data": {"f:key": {}}}},
        ]}});
        let by = |pointer: &str| {
            field_managers(&object)
                .filter(|owner| owner.owns_pointer(pointer))
                .map(|one| one.manager)
                .collect::<Vec<_>>()
        };
        assert_eq!(by("/metadata/annotations/example.org~1x"), ["a"]);
        assert_eq!(by("/metadata/annotations"), ["a"]);
        assert_eq!(by("/data/key"), [""]);
        let operations: Vec<_> = field_managers(&object).map(|owner| owner.operation).collect();
        assert_eq!(operations, [WriteOperation::Update, WriteOperation::Apply]);
        assert!(by("/metadata/annotations/example.org").is_empty() && by("/data/other").is_empty());
    }

    #[test]
    fn owned_fields_without_another_owner_are_removed() {
        let object = json!({
            "metadata": {"labels": {"a": "1", "b": "2"}, "finalizers": ["x", "y"]},
            "spec": {
                "replicas": 2,
                "containers": [
                    {"name": "app", "image": "i", "env": [{"name": "A", "value": "1"}]},
                    {"name": "side", "image": "s"},
                ],
            },
        });
        let owned = json!({
            "f:metadata": {"f:labels": {".": {}, "f:a": {}, "f:b": {}}, "f:finalizers": {"v:\"x\"": {}}},
            "f:spec": {
                "f:replicas": {},
                "f:containers": {
                    "k:{\"name\":\"app\"}": {".": {}, "f:name": {}, "f:image": {}, "f:env": {".": {}, "k:{\"name\":\"A\"}": {".": {}, "f:name": {}, "f:value": {}}}},
                    "k:{\"name\":\"side\"}": {".": {}, "f:name": {}, "f:image": {}},
                },
            },
        });
        let applied = json!({
            "f:metadata": {"f:labels": {"f:a": {}}},
            "f:spec": {"f:containers": {"k:{\"name\":\"app\"}": {".": {}, "f:name": {}, "f:image": {}}}},
        });
        let other = json!({"f:spec": {"f:replicas": {}}});
        assert_eq!(
            removed(object, owned, &[applied, other]),
            json!({
                "metadata": {"labels": {"a": "1"}, "finalizers": ["y"]},
                "spec": {"replicas": 2, "containers": [{"name": "app", "image": "i"}]},
            })
        );
    }

    #[test]
    fn fields_added_by_a_server_are_removed_only_with_their_element() {
        let owned = json!({"f:labels": {".": {}, "f:a": {}, "f:b": {}}, "f:list": {"k:{\"name\":\"x\"}": {".": {}, "f:name": {}, "f:added": {}}}});
        let last = json!({"labels": {"a": "1"}, "list": [{"name": "x"}]});
        let part = intersect(owned.as_object().unwrap(), &last);
        let mut object = json!({"labels": {"a": "1", "b": "2"}, "list": [{"name": "x", "added": 1}, {"name": "y"}]});
        assert!(remove_fields(&mut object, &part, &[]));
        assert_eq!(object, json!({"labels": {"b": "2"}, "list": [{"name": "y"}]}));
    }

    #[test]
    fn a_parent_is_kept_while_it_has_other_fields() {
        let object = json!({"spec": {"a": {"mine": 1, "theirs": 2}, "b": {"mine": 1}}});
        let owned = json!({"f:spec": {"f:a": {"f:mine": {}}, "f:b": {"f:mine": {}}}});
        assert_eq!(removed(object, owned, &[]), json!({"spec": {"a": {"theirs": 2}}}));
    }

    #[test]
    fn elements_are_found_by_index_and_a_kept_field_keeps_its_parent() {
        let object = json!({"list": ["a", "b"], "map": {"x": {"mine": 1}}});
        let owned = json!({"f:list": {"i:1": {}, "i:7": {}}, "f:map": {"f:x": {"f:mine": {}}}});
        let kept = json!({"f:map": {"f:x": {}}});
        assert_eq!(removed(object, owned, &[kept]), json!({"list": ["a"], "map": {"x": {}}}));
    }

    proptest::proptest! {
        #[test]
        fn kept_fields_are_never_removed(names in proptest::collection::btree_set("[a-d]", 1..4), kept in "[a-d]") {
            let object: Value = names.iter().map(|name| (name.clone(), json!(1))).collect();
            let owned: Value = names.iter().map(|name| (format!("f:{name}"), json!({}))).collect();
            let result = removed(object, owned, &[json!({format!("f:{kept}"): {}})]);
            let left: Vec<_> = result.as_object().unwrap().keys().cloned().collect();
            let expected: Vec<_> = names.into_iter().filter(|name| *name == kept).collect();
            proptest::prop_assert_eq!(left, expected);
        }
    }
}
