//! Kinds that are defined by other objects than their CRDs: KRO creates a CRD for each ResourceGraphDefinition, in the
//! group in `spec.schema`, and discovery does not identify its objects as KRO's.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::kind::ResourceKind;

/// Category that is added to such kinds during discovery. No CRD can have it: slashes are not allowed.
pub const INSTANCE: &str = "kro.run/instance";

/// Default group of instances: `api/v1alpha1` of KRO.
const DEFAULT_GROUP: &str = "kro.run";

/// Returns true if objects of a kind define other kinds.
pub fn is_defining_kind(group: &str, kind: &str) -> bool {
    group == "kro.run" && kind == "ResourceGraphDefinition"
}

/// Returns the group and kind that an object of such a kind defines.
pub fn defined_kind(object: &Value) -> Option<(String, String)> {
    let schema = object.pointer("/spec/schema")?;
    let group = schema.get("group").and_then(Value::as_str).filter(|group| !group.is_empty());
    Some((group.unwrap_or(DEFAULT_GROUP).to_owned(), schema.get("kind")?.as_str()?.to_owned()))
}

/// Adds the category to a kind if it is one of those defined.
pub fn add_instance_category(kind: &mut Arc<ResourceKind>, defined: &BTreeSet<(String, String)>) {
    if defined.contains(&(kind.group.clone(), kind.kind.clone())) {
        Arc::make_mut(kind).categories.insert(INSTANCE.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_definition_names_a_group_or_gets_kros() {
        let of = |schema: Value| defined_kind(&json!({"spec": {"schema": schema}}));
        let pair = |group: &str| Some((group.to_owned(), "Shop".to_owned()));
        assert_eq!(of(json!({"apiVersion": "v1alpha1", "kind": "Shop"})), pair("kro.run"));
        assert_eq!(of(json!({"group": "shops.example.org", "kind": "Shop"})), pair("shops.example.org"));
        assert_eq!(of(json!({"group": "shops.example.org"})), None);
    }
}
