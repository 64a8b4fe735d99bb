//! Defaults of absent fields, as the server fills them in.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::node::SchemaNode;
use super::walk::SchemaWalk;

/// The changes that defaults make to an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilledInDefaults {
    /// Fields that were set, as `path = value`.
    pub set: BTreeSet<String>,
    /// Paths of fields that were null, and were removed.
    pub removed: BTreeSet<String>,
}

impl SchemaNode<'_> {
    /// Fills in the defaults of absent fields in existing objects. A null that the schema does not allow counts as absent:
    /// it becomes the default, or is removed.
    pub fn fill_in_defaults(self, value: &mut Value) -> FilledInDefaults {
        let mut walk = SchemaWalk::default();
        self.fill_in_value(value, &mut walk);
        let (set, removed) = walk.into_entries_and_doubts();
        FilledInDefaults { set, removed }
    }

    fn fill_in_value(self, value: &mut Value, walk: &mut SchemaWalk) {
        match value {
            Value::Object(fields) => self.fill_in_fields(fields, walk),
            Value::Array(items) => {
                let Some(schema) = self.items() else { return };
                for item in items {
                    walk.in_list(|walk| {
                        schema.replace_null(item, walk);
                        schema.fill_in_value(item, walk);
                    });
                }
            }
            _ => {}
        }
    }

    fn fill_in_fields(self, fields: &mut Map<String, Value>, walk: &mut SchemaWalk) {
        fields.retain(|name, value| {
            walk.in_declared(self, name, |schema, walk| schema.keeps_null(value, walk)).unwrap_or(true)
        });
        for (name, schema) in self.fields() {
            if let Some(default) = schema.default_value().filter(|_| !fields.contains_key(name)) {
                walk.in_field(name, |walk| walk.add(&format!("= {default}")));
                fields.insert(name.to_owned(), default.clone());
            }
        }
        for (name, value) in fields {
            walk.in_declared(self, name, |schema, walk| schema.fill_in_value(value, walk));
        }
    }

    /// Replaces a null by the default. Returns false for one that is neither allowed nor has a default.
    fn keeps_null(self, value: &mut Value, walk: &mut SchemaWalk) -> bool {
        self.replace_null(value, walk);
        let is_kept = !value.is_null() || self.is_nullable();
        if !is_kept {
            walk.add_place_of_doubt();
        }
        is_kept
    }

    fn replace_null(self, value: &mut Value, walk: &mut SchemaWalk) {
        if let Some(default) = self.default_value().filter(|_| value.is_null() && !self.is_nullable()) {
            walk.add(&format!("= {default}"));
            *value = default.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn defaults_are_filled_in_where_something_is() {
        let schema = json!({"properties": {
            "a": {"properties": {"b": {"default": 1}}},
            "list": {"items": {"properties": {"c": {"default": "x"}}}},
            "map": {"additionalProperties": {"properties": {"e": {"default": true}}}},
            "whole": {"default": {"d": 1}},
            "free": {"nullable": true, "default": 1},
            "strict": {"default": 2},
            "none": {},
            "byKey": {"additionalProperties": {"type": "string", "default": "d"}},
            "items": {"items": {"type": "string", "default": "i"}},
        }});
        let mut value = json!({"list": [{}, {"c": "y"}], "map": {"k": {}}, "free": null, "strict": null, "none": null,
                               "byKey": {"k": null}, "items": [null]});
        let filled_in = SchemaNode::new(&schema).fill_in_defaults(&mut value);
        assert_eq!(
            value,
            json!({"list": [{"c": "x"}, {"c": "y"}], "map": {"k": {"e": true}}, "whole": {"d": 1}, "free": null, "strict": 2,
                   "byKey": {"k": "d"}, "items": ["i"]})
        );
        let expected = [
            "byKey.* = \"d\"",
            "items[] = \"i\"",
            "list[].c = \"x\"",
            "map.*.e = true",
            "strict = 2",
            "whole = {\"d\":1}",
        ];
        assert_eq!(filled_in.set, expected.map(str::to_owned).into());
        assert_eq!(filled_in.removed, ["none".to_owned()].into());
    }
}
