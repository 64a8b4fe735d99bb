//! CompositeResourceDefinitions (XRDs).

use serde::Deserialize;
use serde_json::Value;

/// The fields that are read from a CompositeResourceDefinition.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct CompositeDefinition {
    spec: CompositeDefinitionSpec,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct CompositeDefinitionSpec {
    group: String,
    names: CompositeDefinitionNames,
    claim_names: Option<CompositeDefinitionNames>,
    scope: Option<String>,
    versions: Vec<CompositeDefinitionVersion>,
    default_composition_ref: Option<CompositionRef>,
    enforced_composition_ref: Option<CompositionRef>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct CompositeDefinitionNames {
    kind: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct CompositeDefinitionVersion {
    name: String,
    referenceable: bool,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct CompositionRef {
    name: String,
}

impl CompositeDefinition {
    /// Reads a definition; `None` if the object is not one.
    pub fn from_object(object: &Value) -> Option<Self> {
        let definition = Self::deserialize(object).ok()?;
        (!definition.spec.group.is_empty() && !definition.spec.names.kind.is_empty()).then_some(definition)
    }

    /// Finds the definition of a composite kind.
    pub fn find_by_kind<'a>(definitions: &'a [Self], group: &str, kind: &str) -> Option<&'a Self> {
        definitions.iter().find(|found| found.group() == group && found.kind() == kind)
    }

    /// Returns the API group of its composites and claims.
    pub fn group(&self) -> &str {
        &self.spec.group
    }

    /// Returns the kind of its composites.
    pub fn kind(&self) -> &str {
        &self.spec.names.kind
    }

    /// Returns the kind of its claims.
    pub fn claim_kind(&self) -> Option<&str> {
        self.spec.claim_names.as_ref().map(|names| names.kind.as_str())
    }

    /// Returns the version that Crossplane uses: the referenceable one.
    pub fn version(&self) -> &str {
        let referenceable = self.spec.versions.iter().find(|version| version.referenceable);
        referenceable.or(self.spec.versions.first()).map_or("", |version| version.name.as_str())
    }

    /// Returns the JSON pointer to the fields of a composite that Crossplane itself owns: `spec.crossplane` since
    /// version 2, else `spec`.
    pub fn machinery_pointer(&self) -> &'static str {
        match self.spec.scope.as_deref() {
            None | Some("LegacyCluster") => "/spec",
            Some(_) => "/spec/crossplane",
        }
    }

    /// Returns the Composition that all composites use, regardless of their spec.
    pub fn enforced_composition(&self) -> Option<&str> {
        self.spec.enforced_composition_ref.as_ref().map(|composition| composition.name.as_str())
    }

    /// Returns the Composition of composites that select none.
    pub fn default_composition(&self) -> Option<&str> {
        self.spec.default_composition_ref.as_ref().map(|composition| composition.name.as_str())
    }
}

/// Sets a field of an object, creating missing parents. Does nothing if a parent is not an object.
pub fn set_field(object: &mut Value, pointer: &str, value: Value) {
    let mut at = object;
    let mut steps = pointer.split('/').skip(1).peekable();
    while let Some(step) = steps.next() {
        let Some(fields) = at.as_object_mut() else { return };
        let name = step.replace("~1", "/").replace("~0", "~");
        if steps.peek().is_none() {
            fields.insert(name, value);
            return;
        }
        at = fields.entry(name).or_insert_with(|| Value::Object(serde_json::Map::new()));
    }
}

/// Escapes a name as a segment of a JSON pointer.
pub fn escape_pointer_segment(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn definitions_of_both_generations_are_read() {
        let legacy = json!({"spec": {"group": "a.b", "names": {"kind": "XStore"}, "claimNames": {"kind": "Store"},
            "versions": [{"name": "v1"}, {"name": "v2", "referenceable": true}], "enforcedCompositionRef": {"name": "e"}}});
        let legacy = CompositeDefinition::from_object(&legacy).unwrap();
        assert_eq!((legacy.machinery_pointer(), legacy.claim_kind(), legacy.version()), ("/spec", Some("Store"), "v2"));
        assert_eq!((legacy.enforced_composition(), legacy.default_composition()), (Some("e"), None));
        let modern = json!({"spec": {"group": "a.b", "names": {"kind": "Box"}, "scope": "Namespaced"}});
        assert_eq!(CompositeDefinition::from_object(&modern).unwrap().machinery_pointer(), "/spec/crossplane");
        assert!(CompositeDefinition::from_object(&json!({"spec": "none"})).is_none());
    }

    #[test]
    fn a_missing_field_is_set() {
        let mut object = json!({"metadata": {"name": "x"}});
        set_field(&mut object, &format!("/metadata/labels/{}", escape_pointer_segment("a.b/c")), json!("1"));
        set_field(&mut object, "/metadata/name/below", json!("lost"));
        assert_eq!(object, json!({"metadata": {"name": "x", "labels": {"a.b/c": "1"}}}));
    }
}
