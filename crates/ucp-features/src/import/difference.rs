//! The external changes that would follow if an object that only observes became one that owns. Fields that were not
//! observed may change, too.

use serde_json::{Map, Value};

use super::address::PLACES;
use super::own::{declared_fields, observed_fields};
use super::takeover::ImportMethod;
use crate::schema::SchemaNode;
use ucp_core::model::body::managed::{compare_fields, excluded_below};
use ucp_core::model::comparison::{Certainty, ExcludedFields, ObservedDifference, compare};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::path::{FieldPath, FieldPathStep};

/// Returns the external changes that would follow if an object became `after`: declared fields that were observed with
/// a different value, fields that are declared or defaulted by the server and were not observed, and fields that the
/// provider adds.
pub fn external_changes(
    takeover: ImportMethod,
    kind: &ResourceKind,
    after: &Value,
    live: &Value,
    schema: SchemaNode<'_>,
) -> Vec<ObservedDifference> {
    match takeover {
        ImportMethod::Crossplane => crossplane_changes(kind, after, live, schema),
        // The observed state is in the spec, and changes to the spec are applied to the external resource.
        ImportMethod::Ack | ImportMethod::ConfigConnector => {
            let spec = |object: &Value| object.get("spec").cloned().unwrap_or_default();
            let (mut before, after) = (spec(live), spec(after));
            // Fields that may not be written to the spec are observed in the status.
            let seen = observed_fields(takeover, live).unwrap_or_default();
            if let (Some(before), Some(fields)) = (before.as_object_mut(), after.as_object()) {
                for (name, value) in fields {
                    if let Some(seen) = seen.get(name).filter(|_| !before.contains_key(name)) {
                        before.insert(name.clone(), restrict_to(value, seen));
                    }
                }
            }
            let found = ucp_client::prediction::difference::field_changes(&before, &after);
            let difference = |found: ucp_client::prediction::difference::FieldChange| ObservedDifference {
                path: FieldPath([FieldPath::from_fields(&["spec"]).0, found.path.0].concat()),
                declared: found.after,
                observed: found.before,
                certainty: Certainty::Certain,
            };
            found.into_iter().map(difference).collect()
        }
    }
}

/// Returns the observed values of the declared fields only.
fn restrict_to(declared: &Value, observed: &Value) -> Value {
    match (declared, observed) {
        (Value::Object(declared), Value::Object(observed)) => declared
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), restrict_to(value, observed.get(name)?))))
            .collect(),
        (Value::Array(declared), Value::Array(observed)) if declared.len() == observed.len() => {
            declared.iter().zip(observed).map(|(declared, observed)| restrict_to(declared, observed)).collect()
        }
        _ => observed.clone(),
    }
}

fn crossplane_changes(
    kind: &ResourceKind,
    after: &Value,
    live: &Value,
    schema: SchemaNode<'_>,
) -> Vec<ObservedDifference> {
    let nothing = Map::new();
    let fields = declared_fields(ImportMethod::Crossplane, after).unwrap_or(&nothing);
    let was = declared_fields(ImportMethod::Crossplane, live).unwrap_or(&nothing);
    let seen = observed_fields(ImportMethod::Crossplane, live).unwrap_or_default();
    let mut found = compare_fields(fields, &Value::Object(seen.as_ref().clone())).differences;
    let node = schema.field_at(ImportMethod::Crossplane.declaration_path()).unwrap_or(SchemaNode::ANY);
    let observable = schema.field_at(&["status", "atProvider"]).unwrap_or(SchemaNode::ANY);
    let required = node.required();
    for (name, value) in fields {
        // The resource was found by this field, so its value is right.
        let finds = required.contains(name.as_str()) || PLACES.contains(&name.as_str());
        if finds && was.get(name) == Some(value) {
            continue;
        }
        let sides = FieldSchemas { declared: node.field(name), observed: observable.field(name) };
        let is_manifest = node.field(name).is_some_and(SchemaNode::is_embedded_object);
        let leave = match excluded_below(name, value) {
            Some(ExcludedFields::References) if is_manifest => ExcludedFields::Nothing,
            Some(leave) => leave,
            None => continue,
        };
        add_unobserved(
            &FieldPath::from_fields(&["spec", "forProvider", name]),
            (value, seen.get(name)),
            sides,
            leave,
            &mut found,
        );
    }
    found.extend(provider_tags(kind, after, &seen, node));
    found
}

/// The schemas of a field, as declared and as observed.
#[derive(Clone, Copy)]
struct FieldSchemas<'a> {
    declared: Option<SchemaNode<'a>>,
    observed: Option<SchemaNode<'a>>,
}

/// Adds the fields below a path that are declared and were not observed.
fn add_unobserved(
    path: &FieldPath,
    (declared, observed): (&Value, Option<&Value>),
    sides: FieldSchemas<'_>,
    leave: ExcludedFields,
    found: &mut Vec<ObservedDifference>,
) {
    if compare(path, declared, observed, leave).not_observed == 0 {
        return;
    }
    // A setting of the provider itself, such as its deletion behavior, has a default and is never observed.
    let is_default = || sides.declared.is_some_and(|schema| schema.default_value() == Some(declared));
    match (declared, observed) {
        (Value::Object(fields), Some(Value::Object(seen))) => {
            for (name, value) in fields.iter().filter(|(name, _)| !leave.covers(name)) {
                let sides = FieldSchemas {
                    declared: sides.declared.and_then(|schema| schema.field(name)),
                    observed: sides.observed.and_then(|schema| schema.field(name)),
                };
                add_unobserved(
                    &path.with_step(FieldPathStep::Field(name.clone())),
                    (value, seen.get(name)),
                    sides,
                    leave,
                    found,
                );
            }
        }
        _ if sides.observed.is_none() && is_default() => {}
        _ => found.push(ObservedDifference {
            path: path.clone(),
            declared: Some(declared.clone()),
            observed: observed.cloned(),
            certainty: Certainty::Unknown,
        }),
    }
}

/// Returns the tags that upjet's provider for AWS adds to the resources that it owns: kind, name and provider config of
/// the object (its initializer `Tagger`).
fn provider_tags(
    kind: &ResourceKind,
    after: &Value,
    observed: &Map<String, Value>,
    node: SchemaNode<'_>,
) -> Vec<ObservedDifference> {
    let is_aws = ["aws.upbound.io", "aws.m.upbound.io"].iter().any(|family| kind.group.ends_with(family));
    let has_tags = node.field("tags").is_some_and(|tags| tags.type_name() == "object");
    if !is_aws || !has_tags {
        return Vec::new();
    }
    let text = |pointer: &str| after.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let tags = [
        ("crossplane-kind", Some(format!("{}.{}", kind.kind.to_ascii_lowercase(), kind.group))),
        ("crossplane-name", text("/metadata/name")),
        ("crossplane-namespace", text("/metadata/namespace")),
        ("crossplane-providerconfig", text("/spec/providerConfigRef/name")),
    ];
    let is_there =
        |tag: &str, value: &str| observed.get("tags").and_then(|tags| tags.get(tag)?.as_str()) == Some(value);
    tags.into_iter()
        .filter_map(|(tag, value)| Some((tag, value?)))
        .filter(|(tag, value)| !is_there(tag, value))
        .map(|(tag, value)| ObservedDifference {
            path: FieldPath::from_fields(&["spec", "forProvider", "tags", tag]),
            declared: Some(Value::String(value)),
            observed: observed.get("tags").and_then(|tags| tags.get(tag)).cloned(),
            certainty: Certainty::Certain,
        })
        .collect()
}
