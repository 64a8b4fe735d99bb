//! Effects of a new definition on a live object.

use std::collections::BTreeSet;

use serde_json::Value;

use ucp_core::failure::Failure;
use ucp_core::model::expression::RulePatience;

use super::definition::NewDefinition;
use crate::schema::SchemaNode;

/// What a schema does to an object, without values of the object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SchemaEffects {
    /// Paths of the fields that the server removes.
    pub removed: BTreeSet<String>,
    /// Fields that the server sets to their default, as `path = value`.
    pub defaulted: BTreeSet<String>,
    /// Clauses of the schema that the object does not satisfy.
    pub invalid: BTreeSet<String>,
    /// Clauses that could not be evaluated.
    pub unchecked: BTreeSet<String>,
}

impl SchemaEffects {
    /// Returns the effects of a schema on an object.
    pub fn of_schema(schema: SchemaNode<'_>, object: &Value, patience: &RulePatience) -> Self {
        let mut stored = object.clone();
        let mut removed = schema.prune(&mut stored);
        let filled_in = schema.fill_in_defaults(&mut stored);
        removed.extend(filled_in.removed);
        let report = schema.validate(&stored, patience);
        Self { removed, defaulted: filled_in.set, invalid: report.invalid, unchecked: report.unchecked }
    }

    /// Returns the effects of the new definition on an object, without those that the installed one has.
    ///
    /// # Errors
    /// Fails when a webhook converts the object.
    pub fn of_upgrade(
        new: &NewDefinition,
        installed: Option<SchemaNode<'_>>,
        object: &Value,
        patience: &RulePatience,
    ) -> Result<Self, Failure> {
        let read_in = object["apiVersion"].as_str().and_then(|version| version.rsplit('/').next()).unwrap_or_default();
        let (served, stored) = new.versions_for(read_in)?;
        let mut effects = Self::of_schema(served.schema(), object, patience);
        if let Some(stored) = stored {
            // It is validated in the version of the request, and pruned in that of the storage as well.
            effects.removed.append(&mut stored.schema().prune(&mut object.clone()));
        }
        if let Some(installed) = installed {
            effects.subtract(&Self::of_schema(installed, object, patience));
        }
        Ok(effects)
    }

    fn subtract(&mut self, earlier: &Self) {
        self.removed.retain(|entry| !earlier.removed.contains(entry));
        self.defaulted.retain(|entry| !earlier.defaulted.contains(entry));
        self.invalid.retain(|entry| !earlier.invalid.contains(entry));
        self.unchecked.retain(|entry| !earlier.unchecked.contains(entry));
    }
}

/// Returns true if an entry is about the object's status, which its controller writes again.
pub fn is_about_status(entry: &str) -> bool {
    entry.strip_prefix("status").is_some_and(|rest| rest.starts_with(['.', ' ', '[']) || rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_effects_that_the_upgrade_brings_are_reported() {
        let schema =
            |fields: Value| json!({"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}});
        let manifest = |fields: Value| {
            json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {
                "group": "example.org", "names": {"kind": "Gadget", "plural": "gadgets"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema(fields)}}],
            }})
        };
        let installed = schema(
            json!({"size": {"type": "integer", "maximum": 3}, "color": {"type": "string"}, "mode": {"type": "string"}}),
        );
        let new = manifest(json!({
            "size": {"type": "integer", "maximum": 3}, "mode": {"type": "string", "enum": ["a"]}, "zone": {"type": "string", "default": "z"},
        }));
        let new = NewDefinition::list_from(&new).remove(0);
        let object = json!({"apiVersion": "example.org/v1", "spec": {"size": 5, "color": "red", "mode": "b"}});
        let effects =
            SchemaEffects::of_upgrade(&new, Some(SchemaNode::new(&installed)), &object, &RulePatience::default())
                .unwrap();
        assert_eq!(effects.removed, ["spec.color".to_owned()].into());
        assert_eq!(effects.defaulted, ["spec.zone = \"z\"".to_owned()].into());
        assert_eq!(
            effects.invalid,
            ["spec.mode is none of the allowed values".to_owned()].into(),
            "size is invalid today"
        );
        let alone = SchemaEffects::of_upgrade(&new, None, &object, &RulePatience::default()).unwrap();
        assert!(alone.invalid.contains("spec.size must be at most 3"), "{alone:?}");
    }

    #[test]
    fn the_status_is_distinguished_from_fields_with_a_similar_name() {
        for (entry, expected) in [
            ("status.phase", true),
            ("status must be an object", true),
            ("statusCode is required", false),
            ("spec.status", false),
        ] {
            assert_eq!(is_about_status(entry), expected, "{entry}");
        }
    }
}
