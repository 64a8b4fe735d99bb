//! Kinds that are defined by objects other than their CRDs: KRO makes a CRD of each ResourceGraphDefinition, in the group that
//! `spec.schema` names, and nothing in discovery tells that its objects are KRO's.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::kind::ResourceKind;

/// The category that such a kind is given as it is discovered. No CRD can have it: a slash is not allowed there.
pub const INSTANCE: &str = "kro.run/instance";

/// The group of instances where a definition names none: `api/v1alpha1` of KRO.
const DEFAULT_GROUP: &str = "kro.run";

/// Whether objects of a kind define others.
pub fn defines(group: &str, kind: &str) -> bool {
    group == "kro.run" && kind == "ResourceGraphDefinition"
}

/// Group and kind that an object of such a kind defines.
pub fn defined(object: &Value) -> Option<(String, String)> {
    let schema = object.pointer("/spec/schema")?;
    let group = schema.get("group").and_then(Value::as_str).filter(|group| !group.is_empty());
    Some((group.unwrap_or(DEFAULT_GROUP).to_owned(), schema.get("kind")?.as_str()?.to_owned()))
}

/// Gives a kind the category, where it is one of those that are defined.
pub fn mark(kind: &mut Arc<ResourceKind>, defined: &BTreeSet<(String, String)>) {
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
        let of = |schema: Value| defined(&json!({"spec": {"schema": schema}}));
        let pair = |group: &str| Some((group.to_owned(), "Shop".to_owned()));
        assert_eq!(of(json!({"apiVersion": "v1alpha1", "kind": "Shop"})), pair("kro.run"));
        assert_eq!(of(json!({"group": "shops.example.org", "kind": "Shop"})), pair("shops.example.org"));
        assert_eq!(of(json!({"group": "shops.example.org"})), None);
    }
}
