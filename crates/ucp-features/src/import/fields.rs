//! Merges observed and declared fields to a complete declaration: in the customary order, without default values.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::embedded::{in_order, without_servers_fields};
use super::takeover::ImportMethod;
use crate::schema::SchemaNode;
use ucp_core::model::comparison::{ExcludedFields, find_partners, is_empty};
use ucp_repo::yaml::ordered::OrderedValue;

/// The meaning of a zero in an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZeroMeaning {
    /// Not set, unless the field's description states another default: Terraform's providers cannot express it
    /// otherwise, and upjet does not late-initialize it.
    Unset,
    /// An actual zero.
    Meant,
}

/// The interpretation of an observation.
#[derive(Debug, Clone, Copy)]
pub struct ObservationReading {
    /// The meaning of zeros.
    pub zeros: ZeroMeaning,
    /// Fields to leave out.
    pub leave: ExcludedFields,
}

impl ObservationReading {
    /// Returns the interpretation for an engine. ACK and Config Connector observe in the spec, including references.
    pub fn for_takeover(takeover: ImportMethod) -> Self {
        match takeover {
            ImportMethod::Crossplane => Self { zeros: ZeroMeaning::Unset, leave: ExcludedFields::References },
            ImportMethod::Ack | ImportMethod::ConfigConnector => {
                Self { zeros: ZeroMeaning::Meant, leave: ExcludedFields::Nothing }
            }
        }
    }
}

/// Returns all declared fields, and the observed fields that the declaration's schema has: required ones first, each
/// group by name.
pub fn merge_declaration(
    schema: SchemaNode<'_>,
    observed: &Map<String, Value>,
    declared: &Map<String, Value>,
    reading: ObservationReading,
) -> OrderedValue {
    let required = schema.required();
    let mut fields = Vec::new();
    let known: BTreeSet<&str> = schema.fields().map(|(name, _)| name).collect();
    let is_known = |name: &&String| known.contains(name.as_str());
    let open = observed.keys().filter(|_| schema.is_open()).chain(declared.keys()).filter(|name| !is_known(name));
    let open: BTreeSet<&str> = open.map(String::as_str).collect();
    for name in known.iter().chain(&open).copied() {
        let field = schema.field(name).unwrap_or(SchemaNode::ANY);
        let seen = observed.get(name).filter(|value| !value.is_null() && !reading.leave.covers(name));
        let value = match (declared.get(name).filter(|value| !value.is_null()), seen) {
            (Some(declared), seen) => Some(merge_value(field, declared, seen, reading)),
            (None, Some(seen)) => observed_value(field, seen, required.contains(name) || open.contains(name), reading),
            (None, None) => None,
        };
        fields.extend(value.map(|value| (name.to_owned(), value)));
    }
    fields.sort_by_key(|(name, _)| (!required.contains(name.as_str()), open.contains(name.as_str())));
    OrderedValue::Fields(fields)
}

/// Merges a declared and an observed value. The declared value takes precedence, however small the difference, so that
/// every difference is shown.
fn merge_value(
    schema: SchemaNode<'_>,
    declared: &Value,
    observed: Option<&Value>,
    reading: ObservationReading,
) -> OrderedValue {
    let Some(observed) = observed.filter(|observed| !observed.is_null()) else { return declared.clone().into() };
    match (declared, observed) {
        (Value::Object(declared), Value::Object(observed)) if schema.is_embedded_object() => {
            // Crossplane's references are ordinary fields in an embedded object.
            let reading = ObservationReading { leave: ExcludedFields::Nothing, ..reading };
            in_order(self::merge_declaration(SchemaNode::ANY, &without_servers_fields(observed), declared, reading))
        }
        (Value::Object(declared), Value::Object(observed)) => {
            self::merge_declaration(schema, observed, declared, reading)
        }
        (Value::Array(declared), Value::Array(observed)) => {
            let items = schema.items().unwrap_or(SchemaNode::ANY);
            let pairs = declared.iter().zip(find_partners(declared, observed, reading.leave));
            let item = |(declared, partner): (&Value, Option<usize>)| {
                merge_value(items, declared, partner.map(|partner| &observed[partner]), reading)
            };
            OrderedValue::Items(pairs.map(item).collect())
        }
        // Many APIs treat a list of one element and the element itself as the same.
        (Value::Object(_), Value::Array(one)) if one.len() == 1 => merge_value(schema, declared, one.first(), reading),
        (Value::Array(one), Value::Object(_)) if one.len() == 1 => {
            let items = schema.items().unwrap_or(SchemaNode::ANY);
            OrderedValue::Items(vec![merge_value(items, &one[0], Some(observed), reading)])
        }
        _ => declared.clone().into(),
    }
}

/// Returns an observed value; `None` if it does not have to be written.
fn observed_value(
    schema: SchemaNode<'_>,
    value: &Value,
    is_required: bool,
    reading: ObservationReading,
) -> Option<OrderedValue> {
    let is_so_anyway =
        || is_empty(value) || schema.is_default(value) || reading.zeros == ZeroMeaning::Unset && schema.is_unset(value);
    if value.is_null() || !is_required && is_so_anyway() {
        return None;
    }
    match value {
        Value::Object(fields) if schema.is_embedded_object() => {
            Some(in_order(Value::Object(without_servers_fields(fields)).into()))
        }
        Value::Object(_) if schema.is_any() => Some(value.clone().into()),
        Value::Object(fields) => match merge_declaration(schema, fields, &Map::new(), reading) {
            OrderedValue::Fields(fields) if fields.is_empty() && !is_required => None,
            fields => Some(fields),
        },
        Value::Array(items) => {
            let item = |item: &Value| match schema.items() {
                // An element with only default values is still an element.
                Some(schema) => observed_value(schema, item, true, reading),
                None => Some(OrderedValue::from(item.clone())),
            };
            Some(OrderedValue::Items(items.iter().filter_map(item).collect()))
        }
        scalar => Some(OrderedValue::Scalar(scalar.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn declared_from(schema: &Value, observed: &Value) -> OrderedValue {
        merge_declaration(
            SchemaNode::new(schema),
            observed.as_object().unwrap(),
            &Map::new(),
            ObservationReading::for_takeover(ImportMethod::Crossplane),
        )
    }

    #[test]
    fn declared_fields_override_observed_fields_at_every_depth() {
        let schema = json!({"required": ["region"], "properties": {
            "region": {"type": "string"},
            "size": {"type": "number", "default": 3},
            "rule": {"type": "array", "items": {"properties": {"age": {}, "id": {}, "kind": {}}}},
            "tags": {"type": "object", "additionalProperties": {"type": "string"}},
            "vpcIdRef": {"properties": {"name": {}}},
            "zones": {"type": "array", "items": {"type": "string"}},
            "manifest": {"x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
        }});
        let manifest = |data: Value, more: Value| {
            let mut manifest = json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data, "roleRef": {"name": "r"},
            });
            manifest["metadata"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            manifest
        };
        let observed = json!({
            "region": "eu", "size": 3, "tags": {"team": "a", "cost": "1"}, "zones": ["a", "b"],
            "rule": [{"id": "x", "age": 1, "kind": "k"}, {"id": "y", "age": 2}, {"id": "z"}],
            "manifest": manifest(json!({"a": "1", "b": "2"}), json!({"uid": "7", "labels": {"x": "y"}})),
        });
        let git = json!({
            "size": 3, "tags": {"team": "b", "none": ""}, "vpcIdRef": {"name": "v"}, "zones": ["c"],
            "rule": [{"id": "y", "age": 5}, {"id": "new", "age": 9}, {"id": "x"}],
            "manifest": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "3"}},
        });
        let (seen, reported) = (observed.as_object().unwrap(), git.as_object().unwrap());
        let whole = merge_declaration(
            SchemaNode::new(&schema),
            seen,
            reported,
            ObservationReading::for_takeover(ImportMethod::Crossplane),
        )
        .to_value();
        assert_eq!(
            whole,
            json!({
                "region": "eu", "size": 3, "tags": {"team": "b", "cost": "1", "none": ""}, "vpcIdRef": {"name": "v"},
                "zones": ["c"],
                "rule": [{"id": "y", "age": 5}, {"id": "new", "age": 9}, {"id": "x", "age": 1, "kind": "k"}],
                "manifest": manifest(json!({"a": "3", "b": "2"}), json!({"labels": {"x": "y"}})),
            })
        );
        // Engines that observe in the spec observe references, too.
        let live = json!({"region": "eu", "vpcIdRef": {"name": "live"}});
        let reading = ObservationReading::for_takeover(ImportMethod::ConfigConnector);
        let whole =
            merge_declaration(SchemaNode::new(&schema), live.as_object().unwrap(), &Map::new(), reading).to_value();
        assert_eq!(whole, live);
    }

    #[test]
    fn required_fields_come_first_and_defaults_are_omitted() {
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
        let OrderedValue::Fields(fields) = declared_from(&schema, &observed) else { panic!("fields") };
        let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["region", "enabled", "rule", "tags", "wait"]);
        let value = declared_from(&schema, &observed).to_value();
        assert_eq!(value["rule"], json!([{"id": "a", "age": 3}, {"id": ""}]));
        assert_eq!(value["tags"], json!({"team": "a"}));
        assert_eq!(value["enabled"], json!(false), "a value that is not a declared default is written");
    }

    /// Generates a schema, and an observation that has further fields.
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

    /// Checks that every observed leaf that the schema declares is either written or has its default value.
    fn check(schema: SchemaNode<'_>, observed: &Value, written: Option<&Value>) {
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

    fn is_so_anyway(schema: SchemaNode<'_>, observed: &Value) -> bool {
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
                let written = declared_from(&schema, &observed).to_value();
                check(SchemaNode::new(&schema), &observed, Some(&written));
                // Merging a declaration again does not change it.
                let once = written.as_object().unwrap();
                let again = merge_declaration(SchemaNode::new(&schema), fields, once, ObservationReading::for_takeover(ImportMethod::Crossplane)).to_value();
                proptest::prop_assert_eq!(again, written);
            }
        }
    }
}
