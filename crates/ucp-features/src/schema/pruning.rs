//! Removal of undeclared fields, as the server does when it stores an object and when it reads it from its storage.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::node::SchemaNode;
use super::walk::SchemaWalk;

/// Fields that every Kubernetes object has.
const OBJECT_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

impl SchemaNode<'_> {
    /// Removes the undeclared fields of an object, and returns their paths.
    pub fn prune(self, object: &mut Value) -> BTreeSet<String> {
        let mut walk = SchemaWalk::default();
        if let Value::Object(fields) = object {
            self.prune_fields(fields, &OBJECT_FIELDS, &mut walk);
        }
        walk.into_entries()
    }

    fn prune_value(self, value: &mut Value, walk: &mut SchemaWalk) {
        match value {
            Value::Object(fields) => {
                let kept: &[&str] = if self.is_embedded_object() { &OBJECT_FIELDS } else { &[] };
                self.prune_fields(fields, kept, walk);
            }
            Value::Array(items) => {
                if let Some(schema) = self.items() {
                    items.iter_mut().for_each(|item| walk.in_list(|walk| schema.prune_value(item, walk)));
                }
            }
            _ => {}
        }
    }

    fn prune_fields(self, fields: &mut Map<String, Value>, kept: &[&str], walk: &mut SchemaWalk) {
        // A map of anything: its keys are kept, and its values have no declared fields.
        let is_map = self.0.get("additionalProperties") == Some(&Value::Bool(true));
        fields.retain(|name, value| {
            if kept.contains(&name.as_str()) {
                return true;
            }
            let is_declared = walk.in_declared(self, name, |schema, walk| schema.prune_value(value, walk)).is_some();
            if is_declared || self.keeps_unknown_fields() {
                return true;
            }
            match is_map {
                true => walk.in_map(|walk| SchemaNode::ANY.prune_value(value, walk)),
                false => walk.in_field(name, SchemaWalk::add_place),
            }
            is_map
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn undeclared_fields_are_removed_where_the_schema_is_closed() {
        let schema = json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": {
                "kept": {"type": "string"},
                "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
                         "properties": {"closed": {"type": "object", "properties": {}}}},
                "any": {"type": "object", "additionalProperties": true},
                "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {}}}},
                "list": {"type": "array", "items": {"type": "object", "properties": {"a": {}}}},
                "embedded": {"type": "object", "x-kubernetes-embedded-resource": true,
                             "properties": {"spec": {"type": "object"}}},
            }},
        }});
        let mut object = json!({"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "a"}, "other": 1, "spec": {
            "kept": "x", "gone": 1,
            "open": {"free": 1, "closed": {"gone": 1}},
            "any": {"b": {"c": 1}, "d": 1},
            "map": {"k": {"a": 1, "b": 1}},
            "list": [{"a": 1, "b": 1}, {"b": 2}],
            "embedded": {"apiVersion": "v1", "kind": "B", "metadata": {"name": "b"}, "spec": {}, "other": 1},
        }});
        let removed = SchemaNode::new(&schema).prune(&mut object);
        let expected = [
            "other",
            "spec.gone",
            "spec.open.closed.gone",
            "spec.map.*.b",
            "spec.list[].b",
            "spec.embedded.other",
            "spec.any.*.c",
        ];
        assert_eq!(removed, expected.map(str::to_owned).into());
        assert_eq!(
            object,
            json!({"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "a"}, "spec": {
                "kept": "x", "open": {"free": 1, "closed": {}}, "any": {"b": {}, "d": 1}, "map": {"k": {"a": 1}},
                "list": [{"a": 1}, {}],
                "embedded": {"apiVersion": "v1", "kind": "B", "metadata": {"name": "b"}, "spec": {}},
            }})
        );
    }
}
