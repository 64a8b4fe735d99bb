//! Ignored differences: fields that servers and engines write themselves, and those that users configured with Argo
//! CD's `ignoreDifferences` and Flux's `spec.ignore`.

use serde_json::Value;

use crate::prediction::{fields, jq};
use ucp_core::failure::{Failure, FailureClass};
use ucp_core::model::body::argocd::IgnoreDifferences;
use ucp_core::model::glob;

/// Fields of `metadata` that the API server writes.
const SERVER_FIELDS: [&str; 7] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];
/// Annotations that engines and kubectl use for tracking.
const BOOKKEEPING: [&str; 3] = [
    "argocd.argoproj.io/installation-id",
    "argocd.argoproj.io/tracking-id",
    "kubectl.kubernetes.io/last-applied-configuration",
];

/// A rule that ignores fields of matching objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IgnoreRule {
    /// API group, as a glob; any if absent.
    pub group: Option<String>,
    /// Kind, as a glob; any if absent.
    pub kind: Option<String>,
    /// Name; any if absent.
    pub name: Option<String>,
    /// Namespace; any if absent.
    pub namespace: Option<String>,
    /// The ignored fields.
    pub fields: Vec<IgnoredFields>,
}

/// A selector of ignored fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IgnoredFields {
    /// An RFC 6901 pointer.
    Pointer(String),
    /// A `jq` expression.
    Jq(String),
    /// Everything that this field manager owns.
    Manager(String),
}

impl From<&IgnoreDifferences> for IgnoreRule {
    fn from(rule: &IgnoreDifferences) -> Self {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let pointers = rule.json_pointers.iter().cloned().map(IgnoredFields::Pointer);
        let expressions = rule.jq_path_expressions.iter().cloned().map(IgnoredFields::Jq);
        let managers = rule.managed_fields_managers.iter().cloned().map(IgnoredFields::Manager);
        Self {
            // Here, an empty group is the core group.
            group: Some(rule.group.clone()),
            kind: Some(rule.kind.clone()),
            name: given(&rule.name),
            namespace: given(&rule.namespace),
            fields: pointers.chain(expressions).chain(managers).collect(),
        }
    }
}

/// Returns the rules of a Flux Kustomization: `spec.ignore[]` of `{paths, target}`.
pub fn flux_rules(ignore: &Value) -> Vec<IgnoreRule> {
    let rules = ignore.as_array().into_iter().flatten();
    let rule = |rule: &Value| {
        let target = |key: &str| rule.pointer(&format!("/target/{key}")).and_then(Value::as_str).map(str::to_owned);
        let paths = rule.get("paths").and_then(Value::as_array).into_iter().flatten();
        IgnoreRule {
            group: target("group"),
            kind: target("kind"),
            name: target("name"),
            namespace: target("namespace"),
            fields: paths.filter_map(Value::as_str).map(|path| IgnoredFields::Pointer(path.to_owned())).collect(),
        }
    };
    rules.map(rule).collect()
}

impl IgnoreRule {
    fn matches(&self, object: &Value) -> bool {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let group = text("/apiVersion").split_once('/').map_or("", |(group, _)| group);
        let fits = |pattern: &Option<String>, value: &str| {
            pattern.as_deref().is_none_or(|pattern| glob::matches_with_braces(pattern, value))
        };
        fits(&self.group, group)
            && fits(&self.kind, text("/kind"))
            && fits(&self.name, text("/metadata/name"))
            && fits(&self.namespace, text("/metadata/namespace"))
    }
}

/// Removes the ignored fields from an object before and after a change.
///
/// # Errors
/// Fails when an expression of a rule is invalid; the fields that it would ignore remain.
pub fn remove_ignored(before: &mut Value, after: &mut Value, rules: &[IgnoreRule]) -> Result<(), Failure> {
    let mut outcome = Ok(());
    let matching: Vec<&IgnoreRule> = rules.iter().filter(|rule| rule.matches(after)).collect();
    for rule in matching {
        for ignored in &rule.fields {
            match ignored {
                IgnoredFields::Pointer(pointer) => {
                    remove_pointer(before, pointer);
                    remove_pointer(after, pointer);
                }
                IgnoredFields::Jq(expression) => {
                    for object in [&mut *before, &mut *after] {
                        match jq::delete_matching(object, expression) {
                            Ok(rest) => *object = rest,
                            // Argo CD skips an expression that does not match this object.
                            Err(failure) if failure.is(FailureClass::Misfit) => {}
                            Err(failure) => outcome = Err(failure),
                        }
                    }
                }
                IgnoredFields::Manager(manager) => {
                    let held = before.clone();
                    for owner in fields::field_managers(&held).filter(|owner| owner.manager == *manager) {
                        fields::remove_fields(before, owner.fields, &[]);
                        fields::remove_fields(after, owner.fields, &[]);
                    }
                }
            }
        }
    }
    for object in [before, after] {
        strip_server_fields(object);
    }
    outcome
}

/// Removes the fields that the API server and the engines write themselves.
pub fn strip_server_fields(object: &mut Value) {
    let Some(fields) = object.as_object_mut() else { return };
    fields.remove("status");
    let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    for name in SERVER_FIELDS {
        metadata.remove(name);
    }
    if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
        for name in BOOKKEEPING {
            annotations.remove(name);
        }
        if annotations.is_empty() {
            metadata.remove("annotations");
        }
    }
}

fn remove_pointer(object: &mut Value, pointer: &str) {
    let Some((parent, last)) = pointer.rsplit_once('/') else { return };
    let name = last.replace("~1", "/").replace("~0", "~");
    match object.pointer_mut(parent) {
        Some(Value::Object(fields)) => drop(fields.remove(&name)),
        Some(Value::Array(items)) => {
            if let Ok(index) = name.parse::<usize>()
                && index < items.len()
            {
                items.remove(index);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rule(rule: Value) -> IgnoreRule {
        IgnoreRule::from(&serde_json::from_value::<IgnoreDifferences>(rule).unwrap())
    }

    #[test]
    fn every_kind_of_ignore_rule_is_applied() {
        let object = |replicas: u32, image: &str| {
            json!({
                "apiVersion": "apps/v1", "kind": "Deployment",
                "metadata": {
                    "name": "a", "uid": "1", "resourceVersion": replicas.to_string(),
                    "annotations": {"argocd.argoproj.io/tracking-id": image},
                    "managedFields": [{"manager": "hpa", "operation": "Update", "fieldsV1": {"f:spec": {"f:replicas": {}}}}],
                },
                "spec": {"replicas": replicas, "containers": [{"name": "c", "image": image}]},
                "status": {"replicas": replicas},
            })
        };
        for (fields, is_equal) in [
            (json!({"jsonPointers": ["/spec/replicas"]}), true),
            (json!({"jqPathExpressions": [".spec.replicas"]}), true),
            (json!({"managedFieldsManagers": ["hpa"]}), true),
            (json!({"managedFieldsManagers": ["other"]}), false),
            (json!({"jsonPointers": ["/spec/none"]}), false),
        ] {
            let mut ignore = fields;
            ignore["group"] = json!("apps");
            ignore["kind"] = json!("Deploy*");
            let (mut before, mut after) = (object(1, "i"), object(2, "i"));
            remove_ignored(&mut before, &mut after, &[rule(ignore.clone())]).unwrap();
            assert_eq!(before == after, is_equal, "{ignore}");
            let mut elsewhere = ignore.clone();
            elsewhere["name"] = json!("b");
            let (mut before, mut after) = (object(1, "i"), object(2, "i"));
            remove_ignored(&mut before, &mut after, &[rule(elsewhere)]).unwrap();
            assert_ne!(before, after, "{ignore}");
        }
    }

    #[test]
    fn fluxs_rules_are_read() {
        let rules = flux_rules(&json!([{"paths": ["/spec/replicas"], "target": {"kind": "Deployment"}}]));
        assert_eq!(rules[0].fields, [IgnoredFields::Pointer("/spec/replicas".into())]);
        assert!(rules[0].matches(&json!({"apiVersion": "apps/v1", "kind": "Deployment"})));
        assert!(!rules[0].matches(&json!({"apiVersion": "v1", "kind": "Service"})));
        // In a source, it is a text in the format of .gitignore.
        assert!(flux_rules(&json!("/*")).is_empty());
    }
}
