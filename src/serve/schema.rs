//! The schema of a kind: that of its definition, or what its CompositeResourceDefinition and its objects show.

use serde_json::{Value, json};

use super::object_meta::add_common_fields;
use super::objects::{ServedCluster, ServedKind};
use super::observed::ObservedValues;
use crate::render::words::count;

impl ServedCluster {
    /// Returns the schema of a kind, with its description.
    pub(super) fn schema_of_kind(&self, served: &ServedKind) -> Value {
        let defined = served.custom.as_ref().and_then(|custom| custom.schema.as_ref());
        if let Some(schema) = defined.filter(|schema| schema.get("properties").is_some()) {
            let mut schema = schema.clone();
            add_common_fields(&mut schema);
            return schema;
        }
        let objects = count(served.objects.len(), "objects");
        let observed = ObservedValues::from_objects(&served.objects).schema();
        let (mut schema, description) = match (self.composite_schema(served), &served.unreadable) {
            (Some(schema), _) => (
                schema,
                format!(
                    "The schema of the CompositeResourceDefinition. Fields that Crossplane adds are those of {objects} in the \
                     snapshot."
                ),
            ),
            (None, Some(reason)) => {
                (json!({}), format!("The snapshot has neither the schema of this kind nor its objects: {reason}"))
            }
            (None, None) => (
                json!({}),
                format!(
                    "The snapshot does not have the schema of this kind. The fields are those of {objects} in the \
                     snapshot; the kind may have more."
                ),
            ),
        };
        schema["type"] = json!("object");
        schema["description"] = json!(description);
        if schema.get("properties").is_none() {
            schema["properties"] = json!({});
        }
        add_common_fields(&mut schema);
        add_missing_fields(&mut schema, observed);
        schema
    }

    /// Returns the schema by which a CompositeResourceDefinition offers a kind of composites or claims.
    fn composite_schema(&self, served: &ServedKind) -> Option<Value> {
        let kind = &served.kind;
        let definitions = self.kinds.iter().filter(|((group, _, plural), _)| {
            group == "apiextensions.crossplane.io" && plural == "compositeresourcedefinitions"
        });
        let text = |value: &Value, pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let is_of_kind = |definition: &&Value| {
            text(definition, "/spec/group").as_ref() == Some(&kind.group)
                && ["/spec/names/plural", "/spec/claimNames/plural"]
                    .iter()
                    .any(|pointer| text(definition, pointer).as_ref() == Some(&kind.plural))
        };
        let definition = definitions.flat_map(|(_, served)| &served.objects).find(is_of_kind)?;
        let versions = definition.pointer("/spec/versions")?.as_array()?;
        let version = versions.iter().find(|version| text(version, "/name").as_ref() == Some(&kind.version))?;
        version.pointer("/schema/openAPIV3Schema").filter(|schema| schema.is_object()).cloned()
    }
}

/// Adds fields that a schema does not have.
fn add_missing_fields(schema: &mut Value, observed: Value) {
    let (Value::Object(schema), Value::Object(observed)) = (schema, observed) else { return };
    if schema.contains_key("allOf") {
        // Another schema has the fields.
        return;
    }
    for (key, value) in observed {
        match (key.as_str(), schema.get_mut(&key)) {
            (_, None) => _ = schema.insert(key, value),
            ("properties", Some(Value::Object(known))) => {
                let Value::Object(fields) = value else { continue };
                for (name, field) in fields {
                    match known.get_mut(&name) {
                        Some(known) => add_missing_fields(known, field),
                        None => _ = known.insert(name, field),
                    }
                }
            }
            ("items" | "additionalProperties", Some(known)) => add_missing_fields(known, value),
            _ => {}
        }
    }
}
