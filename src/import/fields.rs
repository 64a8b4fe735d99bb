//! From what was observed to what is declared: fields in the order in which a person would write them, without those that
//! are so anyway.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::embedded::without_servers_fields;
use super::ordered::Ordered;
use super::schema::Schema;
use crate::model::comparison::{Leave, is_empty};

/// What a number of nothing means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zeros {
    /// That nobody set it, unless its description states another default: Terraform's providers have no other word for it,
    /// and upjet does not late-initialise it.
    Unset,
    /// Itself.
    Meant,
}

/// What was observed, as far as the schema of the declaration has its fields: required ones first, each
/// side by name. References are left out: a provider resolves them, and observes the value.
pub fn declared(schema: Schema<'_>, observed: &Map<String, Value>, zeros: Zeros) -> Ordered {
    let required = schema.required();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for (name, field) in schema.fields() {
        let Some(value) = observed.get(name).filter(|_| !Leave::References.covers(name)) else { continue };
        let is_required = required.contains(name);
        if let Some(value) = value_of(field, value, is_required, zeros) {
            let side = if is_required { &mut first } else { &mut rest };
            side.push((name.to_owned(), value));
        }
    }
    if schema.is_open() {
        let known: BTreeSet<&str> = schema.fields().map(|(name, _)| name).collect();
        let open = observed.iter().filter(|(name, value)| !known.contains(name.as_str()) && !value.is_null());
        rest.extend(open.map(|(name, value)| (name.clone(), Ordered::from(value.clone()))));
    }
    first.extend(rest);
    Ordered::Fields(first)
}

/// A value; `None` where nobody needs to write it.
fn value_of(schema: Schema<'_>, value: &Value, is_required: bool, zeros: Zeros) -> Option<Ordered> {
    let is_so_anyway =
        || is_empty(value) || schema.is_default(value) || zeros == Zeros::Unset && schema.is_unset(value);
    if value.is_null() || !is_required && is_so_anyway() {
        return None;
    }
    match value {
        Value::Object(fields) if schema.is_embedded_object() => Some(without_servers_fields(fields)),
        Value::Object(fields) => match declared(schema, fields, zeros) {
            Ordered::Fields(fields) if fields.is_empty() && !is_required => None,
            fields => Some(fields),
        },
        Value::Array(items) => {
            let item = |item: &Value| match schema.items() {
                // An element that holds nothing but defaults counts all the same.
                Some(schema) => value_of(schema, item, true, zeros),
                None => Some(Ordered::from(item.clone())),
            };
            Some(Ordered::Items(items.iter().filter_map(item).collect()))
        }
        scalar => Some(Ordered::Scalar(scalar.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(schema: &Value, observed: &Value) -> Ordered {
        declared(Schema::new(schema), observed.as_object().unwrap(), Zeros::Unset)
    }

    #[test]
    fn required_fields_come_first_and_what_is_so_anyway_is_left_out() {
        let schema = json!({"required": ["region"], "properties": {
            "acl": {"type": "string", "default": "private"},
            "arnRef": {"type": "object"},
            "days": {"type": "number", "description": "Defaults to `7`."},
            "empty": {"type": "array", "items": {"type": "string"}},
            "enabled": {"type": "boolean"},
            "region": {"type": "string"},
            "rule": {"type": "array", "items": {"required": ["id"], "properties": {
                "age": {"type": "number"}, "id": {"type": "string"},
            }}},
            "mask": {"type": "number"},
            "wait": {"type": "number", "description": "Defaults to `30`."},
            "tags": {"type": "object", "additionalProperties": {"type": "string"}},
        }});
        let observed = json!({
            "acl": "private", "arn": "arn:…", "arnRef": {"name": "x"}, "days": 7, "empty": [], "enabled": false, "mask": 0, "wait": 0,
            "region": "eu", "rule": [{"age": 3, "id": "a", "computed": 1}, {"id": ""}], "tags": {"team": "a"},
        });
        let Ordered::Fields(fields) = of(&schema, &observed) else { panic!("fields") };
        let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["region", "enabled", "rule", "tags", "wait"]);
        let value = of(&schema, &observed).to_value();
        assert_eq!(value["rule"], json!([{"id": "a", "age": 3}, {"id": ""}]));
        assert_eq!(value["tags"], json!({"team": "a"}));
        assert_eq!(value["enabled"], json!(false), "what is not said to be the default is written");
    }

    /// A schema, and something that was observed by it, with more beside.
    fn observed() -> impl proptest::strategy::Strategy<Value = (Value, Value)> {
        use proptest::prelude::*;
        let leaf = prop_oneof![
            any::<bool>().prop_map(|value| (json!({"type": "boolean"}), json!(value))),
            any::<i32>().prop_map(|value| (json!({"type": "integer", "default": 3}), json!(value))),
            "[a-c]{0,2}".prop_map(|value| (json!({"type": "string", "description": "Defaults to `a`."}), json!(value))),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(|fields| {
                    let mut schema = json!({"type": "object", "properties": {}, "required": []});
                    let mut value = json!({"computed": 1});
                    for (index, (of, is)) in fields.into_iter().enumerate() {
                        schema["properties"][format!("f{index}")] = of;
                        value[format!("f{index}")] = is;
                        if index == 0 {
                            schema["required"] = json!(["f0"]);
                        }
                    }
                    (schema, value)
                }),
                (inner, 0..3_usize).prop_map(|((of, is), count)| {
                    (json!({"type": "array", "items": of}), Value::Array(vec![is; count]))
                }),
            ]
        })
    }

    /// Every leaf of an observation that the schema declares is written, or is so anyway.
    fn check(schema: Schema<'_>, observed: &Value, written: Option<&Value>) {
        match (observed, written) {
            (observed, None) => assert!(is_so_anyway(schema, observed), "{observed} was forgotten"),
            (Value::Object(fields), Some(Value::Object(written))) => {
                for (name, field) in schema.fields() {
                    if let Some(value) = fields.get(name) {
                        check(field, value, written.get(name));
                    }
                }
                assert!(written.keys().all(|name| fields.contains_key(name) && schema.field(name).is_some()));
            }
            (Value::Array(items), Some(Value::Array(written))) => {
                assert_eq!(items.len(), written.len());
                items
                    .iter()
                    .zip(written)
                    .for_each(|(item, written)| check(schema.items().unwrap(), item, Some(written)));
            }
            (observed, Some(written)) => assert_eq!(observed, written),
        }
    }

    fn is_so_anyway(schema: Schema<'_>, observed: &Value) -> bool {
        match observed {
            Value::Object(fields) => {
                schema.fields().all(|(name, field)| fields.get(name).is_none_or(|value| is_so_anyway(field, value)))
            }
            value => is_empty(value) || schema.is_default(value) || schema.is_unset(value),
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_that_was_observed_is_forgotten((schema, observed) in observed()) {
            if let Some(fields) = observed.as_object() {
                let written = declared(Schema::new(&schema), fields, Zeros::Unset).to_value();
                check(Schema::new(&schema), &observed, Some(&written));
            }
        }
    }
}
