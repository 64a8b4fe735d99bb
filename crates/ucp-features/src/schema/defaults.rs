//! Defaults of absent fields, as the server fills them in.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::SchemaNode;
use super::walk::SchemaWalk;

impl SchemaNode<'_> {
    /// Fills in the defaults of absent fields in existing objects, and returns them as `path = value`. A null that the
    /// schema does not allow counts as absent, and is removed.
    pub fn fill_in_defaults(self, value: &mut Value) -> BTreeSet<String> {
        let mut walk = SchemaWalk::default();
        self.fill_in_value(value, &mut walk);
        walk.into_entries()
    }

    fn fill_in_value(self, value: &mut Value, walk: &mut SchemaWalk) {
        match value {
            Value::Object(fields) => self.fill_in_fields(fields, walk),
            Value::Array(items) => {
                if let Some(schema) = self.items() {
                    items.iter_mut().for_each(|item| walk.in_list(|walk| schema.fill_in_value(item, walk)));
                }
            }
            _ => {}
        }
    }

    fn fill_in_fields(self, fields: &mut Map<String, Value>, walk: &mut SchemaWalk) {
        fields.retain(|name, value| !value.is_null() || self.field(name).is_none_or(SchemaNode::is_nullable));
        for (name, schema) in self.fields() {
            if let Some(default) = schema.default_value().filter(|_| !fields.contains_key(name)) {
                walk.in_field(name, |walk| walk.add(&format!("= {default}")));
                fields.insert(name.to_owned(), default.clone());
            }
        }
        for (name, value) in fields {
            match (self.declared_field(name), self.map_values()) {
                (Some(schema), _) => walk.in_field(name, |walk| schema.fill_in_value(value, walk)),
                (None, Some(schema)) => walk.in_map(|walk| schema.fill_in_value(value, walk)),
                (None, None) => {}
            }
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
        }});
        let mut value = json!({"list": [{}, {"c": "y"}], "map": {"k": {}}, "free": null, "strict": null, "none": null});
        let filled_in = SchemaNode::new(&schema).fill_in_defaults(&mut value);
        assert_eq!(
            value,
            json!({"list": [{"c": "x"}, {"c": "y"}], "map": {"k": {"e": true}}, "whole": {"d": 1}, "free": null, "strict": 2})
        );
        let expected = ["list[].c = \"x\"", "map.*.e = true", "strict = 2", "whole = {\"d\":1}"];
        assert_eq!(filled_in, expected.map(str::to_owned).into());
    }
}
