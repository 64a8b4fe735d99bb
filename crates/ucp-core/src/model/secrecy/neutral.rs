//! Secrets under neutral names: in kinds that hold or make secrets, such as the `value` of a cloud's secret, and in groups of
//! settings, such as `jwt: {key: …}`. Snapshots hide them, and so do commands that print whole objects.

use serde_json::{Map, Value};

use super::innocuous::is_innocuous;
use super::names::{has_secret_word, meaning};
use super::text::{FieldRole, replace_all, role};

/// Length of the shortest number that is a secret under such a name: a PIN.
const SHORTEST: usize = 4;
/// Groups whose kinds make Secrets from templates and literals.
const MAKERS: [&str; 3] = ["external-secrets.io", "generators.external-secrets.io", "bitnami.com"];
/// Fields of kinds that hold secrets with literals at any depth.
const LITERALS: [&str; 4] = ["stringData", "literal", "literals", "fake"];
/// Fields of kinds that hold secrets with a document or a map of values. A list there has references.
const DOCUMENTS: [&str; 11] = [
    "data",
    "dataWo",
    "dataJson",
    "dataJsonWo",
    "dataJSON",
    "payload",
    "secretData",
    "secretString",
    "secretBinary",
    "plaintextValue",
    "valueWo",
];

/// Returns true for a kind whose literal values are secrets, whatever their names: those that make Secrets, and those of a
/// cloud that are called like one. The core Secret has rules of its own.
pub fn holds_secrets(group: &str, kind: &str) -> bool {
    MAKERS.contains(&group) || !group.is_empty() && has_secret_word(kind)
}

/// Returns true if a field of this name may hold such a secret, or a field below it.
pub fn may_be_neutral(name: &str) -> bool {
    let meaning = meaning(name);
    meaning.is_area || meaning.is_neutral
}

/// Replaces the secrets under neutral names of a whole object.
pub(super) fn replace_neutral(object: &mut Value, replacement: &mut dyn FnMut(&str) -> String) {
    let text = |field: &str| object.get(field).and_then(Value::as_str).unwrap_or_default();
    let group = text("apiVersion").split_once('/').map_or("", |(group, _)| group);
    let is_holder = holds_secrets(group, text("kind"));
    let Some(fields) = object.as_object_mut() else { return };
    for (name, value) in fields.iter_mut().filter(|(name, _)| *name != "metadata") {
        replace_below(name, value, is_holder, replacement);
    }
}

fn replace_below(parent: &str, value: &mut Value, is_holder: bool, replacement: &mut dyn FnMut(&str) -> String) {
    match value {
        Value::Object(fields) => replace_in_fields(parent, fields, is_holder, replacement),
        Value::Array(items) => {
            items.iter_mut().for_each(|item| replace_below(parent, item, is_holder, replacement));
        }
        _ => {}
    }
}

fn replace_in_fields(
    parent: &str,
    fields: &mut Map<String, Value>,
    is_holder: bool,
    replacement: &mut dyn FnMut(&str) -> String,
) {
    let is_area = meaning(parent).is_area;
    // `{name: …, key: …}` refers to a key of a Secret, and `{key: …, operator: …}` selects labels.
    let refers = fields.keys().any(|name| {
        let name = name.to_ascii_lowercase();
        name == "operator" || name.ends_with("name") || name.ends_with("ref") || name.ends_with("secret")
    });
    let names_neutral = |text: &str| meaning(text).is_neutral;
    let is_label = |name: &str| role(name).is_some_and(|(role, _)| role == FieldRole::Label);
    let is_labelled = fields.iter().any(|(name, text)| is_label(name) && text.as_str().is_some_and(names_neutral));
    // A schema describes fields, and has no values.
    for (name, value) in fields.iter_mut().filter(|(name, _)| *name != "openAPIV3Schema") {
        let is_literal = is_holder && (LITERALS.contains(&name.as_str()) || is_held(name, value, refers));
        let is_key = || is_area && !refers && matches!(name.as_str(), "key" | "keys");
        let is_neutral = meaning(name).is_neutral || (is_labelled || meaning(parent).is_neutral) && is_value(name);
        let is_text = || match &*value {
            Value::String(text) => !is_innocuous(text) || is_neutral && text.len() >= SHORTEST,
            Value::Array(items) => !items.is_empty() && items.iter().all(Value::is_string),
            _ => false,
        };
        if is_literal || (is_neutral || is_key()) && is_text() {
            replace_all(value, replacement);
        } else {
            replace_below(name, value, is_holder, replacement);
        }
    }
}

fn is_value(name: &str) -> bool {
    role(name).is_some_and(|(role, _)| role == FieldRole::Value)
}

/// Returns true if a field of a kind that holds secrets is one.
fn is_held(name: &str, value: &Value, refers: bool) -> bool {
    match value {
        Value::String(text) => (DOCUMENTS.contains(&name) || !refers && is_value(name)) && !is_innocuous(text),
        Value::Object(_) => DOCUMENTS.contains(&name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::SecretHider;
    use serde_json::{Value, json};

    fn hidden(object: &Value) -> String {
        let mut shown = object.clone();
        SecretHider::new().unwrap().hide_whole(&mut shown);
        shown.to_string()
    }

    #[test]
    fn kinds_that_contain_secrets_show_no_literal() {
        for object in [
            json!({"apiVersion": "keyvault.azure.upbound.io/v1beta1", "kind": "Secret", "spec": {"forProvider": {"value": "canary"}},
                "status": {"atProvider": {"value": "canary"}}}),
            json!({"apiVersion": "secret.scaleway.upbound.io/v1alpha1", "kind": "SecretVersion", "spec": {"forProvider": {"payload": "canary", "valueWo": "canary"}}}),
            json!({"apiVersion": "kv.vault.upbound.io/v1alpha1", "kind": "SecretV2", "spec": {"forProvider": {"dataJson": "{\"a\":\"canary\"}", "data": {"a": "canary"}}}}),
            json!({"apiVersion": "actions.github.upbound.io/v1alpha1", "kind": "ActionsSecret", "spec": {"forProvider": {"plaintextValue": "canary"}}}),
            json!({"apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret", "spec": {"target": {"template": {"data": {"a": "canary"}}}}}),
            json!({"apiVersion": "bitnami.com/v1alpha1", "kind": "SealedSecret", "spec": {"template": {"stringData": {"a": "canary"}}}}),
            json!({"apiVersion": "external-secrets.io/v1", "kind": "SecretStore", "spec": {"provider": {"fake": {"data": [{"key": "a", "value": "canary"}]}}}}),
            json!({"apiVersion": "generators.external-secrets.io/v1alpha1", "kind": "Fake", "spec": {"data": {"a": "canary"}}}),
        ] {
            let text = hidden(&object);
            assert!(!text.contains("canary"), "{text}");
        }
        let kept = json!({"apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret", "spec": {
            "data": [{"secretKey": "a", "remoteRef": {"key": "shop/canary", "property": "canary"}}],
            "secretStoreRef": {"name": "canary"},
        }});
        assert_eq!(hidden(&kept), kept.to_string());
    }

    #[test]
    fn groups_of_settings_show_no_key() {
        for spec in [
            json!({"jwt": {"key": "canary"}}),
            json!({"app": {"encryption": {"keys": ["canary"]}}}),
            json!({"erlangCookie": "canary"}),
            json!({"unlock": {"pin": "4711"}}),
            json!({"grafana": {"license": "canary-canary"}}),
            json!({"grafana": {"license": {"value": "canary-canary"}}}),
            json!({"parameter": [{"name": "pin", "value": "4711"}, {"name": "license", "value": "canary"}]}),
        ] {
            let text = hidden(&json!({"apiVersion": "example.org/v1", "kind": "Thing", "spec": spec}));
            assert!(!text.contains("canary") && !text.contains("4711"), "{text}");
        }
        let kept = json!({"apiVersion": "example.org/v1", "kind": "Thing", "spec": {
            "auth": {"key": "password", "secretName": "shop"}, "app": {"key": "team"}, "selector": {"key": "jwt"},
            "seed": 42, "tls": [{"hosts": ["a"], "secretName": "b"}],
        }});
        assert_eq!(hidden(&kept), kept.to_string());
    }
}
