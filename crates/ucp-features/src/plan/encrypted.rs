//! Objects that Flux decrypts with SOPS. They are not decrypted here: the author of a change chooses the service that is
//! asked for the key, and the place that a value is written to. Encrypted files show which keys change.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::plan::prepare::{ApplyTime, PreparedObject};
use crate::plan::sops::has_hashed_name;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::state::Unreadable;
use ucp_core::model::text::join_limited;

/// Maximum number of keys in a message.
const NAMED: usize = 10;

/// Marks the objects that name a generated Secret by a hash of its content: Flux decrypts the content before kustomize
/// computes it.
pub(super) fn mark_users(prepared: &mut BTreeMap<ObjectKey, PreparedObject>) {
    let encrypted = prepared.values().filter(|object| object.when == ApplyTime::Encrypted);
    let names: Vec<String> = encrypted
        .filter(|object| has_hashed_name(&object.manifest))
        .map(|object| format!("\"{}\"", object.object.name))
        .collect();
    if names.is_empty() {
        return;
    }
    for object in prepared.values_mut().filter(|object| object.when == ApplyTime::Always) {
        let text = object.manifest.to_string();
        if names.iter().any(|name| text.contains(name)) {
            object.when = ApplyTime::Unknown;
        }
    }
}

/// Returns the changes of a merge to encrypted objects, as far as encrypted files show it. With other variables, the content
/// may change although the files do not.
pub(super) fn encrypted_changes(
    by: &ObjectName,
    before: Option<&BTreeMap<ObjectKey, PreparedObject>>,
    after: &BTreeMap<ObjectKey, PreparedObject>,
    has_same_variables: bool,
) -> Vec<Unreadable> {
    let encrypted = after.iter().filter(|(_, object)| object.when == ApplyTime::Encrypted);
    let changes = encrypted.filter_map(|(key, object)| {
        let old = before.map(|before| before.get(key));
        let change = match old {
            Some(Some(old)) if old.manifest == object.manifest && has_same_variables => return None,
            Some(Some(old)) if old.manifest == object.manifest => "; its variables change".to_owned(),
            Some(Some(old)) => describe(&old.manifest, &object.manifest),
            Some(None) => describe(&Value::Null, &object.manifest),
            None => String::new(),
        };
        let name =
            if has_hashed_name(&object.manifest) { ", and its name has a hash of the decrypted content" } else { "" };
        let reason = format!("it is encrypted, and only Flux can decrypt it{name}{change}");
        Some(Unreadable { what: format!("{} of {by}", object.object), reason })
    });
    changes.collect()
}

/// Describes the changed keys of an encrypted object.
fn describe(before: &Value, after: &Value) -> String {
    let (before, after) = (fields(before), fields(after));
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let (mut added, mut removed, mut written) = (Vec::new(), Vec::new(), Vec::new());
    for key in keys {
        match (before.get(key), after.get(key)) {
            (None, _) => added.push(key.clone()),
            (_, None) => removed.push(key.clone()),
            (Some(old), Some(new)) if old != new => written.push(key.clone()),
            _ => {}
        }
    }
    [("added", added), ("removed", removed), ("encrypted again, perhaps with another value", written)]
        .into_iter()
        .filter(|(_, keys)| !keys.is_empty())
        .map(|(what, keys)| format!("; {what}: {}", join_limited(&keys, NAMED)))
        .collect()
}

/// Returns the fields of a manifest, and the keys of its data, with their values.
fn fields(manifest: &Value) -> BTreeMap<String, &Value> {
    let fields = manifest.as_object().into_iter().flatten();
    let own = fields.filter(|(name, _)| !["apiVersion", "kind", "sops"].contains(&name.as_str()));
    own.flat_map(|(name, value)| match (name.as_str(), value) {
        ("data" | "stringData", Value::Object(entries)) => {
            entries.iter().map(|(key, value)| (format!("{name}.{key}"), value)).collect()
        }
        _ => vec![(name.clone(), value)],
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::sops::is_encrypted;
    use serde_json::json;

    fn secret(name: &str, data: &Value) -> Value {
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "shop"}, "data": data})
    }

    fn prepared(manifests: Vec<Value>) -> BTreeMap<ObjectKey, PreparedObject> {
        let mut prepared: BTreeMap<_, _> = manifests
            .into_iter()
            .map(|manifest| {
                let object = ObjectName::from_manifest(&manifest);
                let when = if is_encrypted(&manifest) { ApplyTime::Encrypted } else { ApplyTime::Always };
                (ObjectKey::from(&object), PreparedObject { object, manifest, when })
            })
            .collect();
        mark_users(&mut prepared);
        prepared
    }

    #[test]
    fn only_changed_objects_are_listed_with_their_keys_and_without_values() {
        let encrypted = |name: &str, data: &Value| {
            let mut manifest = secret(name, data);
            manifest["sops"] = json!({"mac": "ENC[m]"});
            manifest
        };
        let same = encrypted("same", &json!({"key": "ENC[1]"}));
        let before =
            prepared(vec![same.clone(), encrypted("login", &json!({"a": "ENC[1]", "b": "ENC[2]", "d": "ENC[3]"}))]);
        let after = prepared(vec![same, encrypted("login", &json!({"a": "ENC[1]", "b": "ENC[9]", "c": "ENC[4]"}))]);
        let by =
            ObjectName { api_version: "v1".into(), kind: "Kustomization".into(), namespace: None, name: "shop".into() };
        let found = encrypted_changes(&by, Some(&before), &after, true);
        assert_eq!(found.len(), 1, "{found:?}");
        let reason = &found[0].reason;
        for part in ["added: data.c", "removed: data.d", "encrypted again, perhaps with another value: data.b"] {
            assert!(reason.contains(part), "{part}: {reason}");
        }
        assert!(!reason.contains("ENC[") && !reason.contains("data.a"), "{reason}");
        assert_eq!(encrypted_changes(&by, Some(&before), &after, false).len(), 2, "variables change");
        assert_eq!(encrypted_changes(&by, None, &after, true).len(), 2, "their former content is not known");
    }

    #[test]
    fn users_of_a_name_with_a_hash_are_unknown() {
        let data = json!({"KEY": "RU5DW3hd", "sops_mac": "RU5DW3ld"});
        let web = |secret: &str| json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": secret}, "spec": {"secret": secret}});
        let objects = prepared(vec![
            secret("login-5b8c7h2fkt", &data),
            secret("plain", &data),
            web("login-5b8c7h2fkt"),
            web("plain"),
        ]);
        let unknown = objects.values().filter(|object| object.when == ApplyTime::Unknown);
        let names: Vec<&str> = unknown.map(|object| object.object.name.as_str()).collect();
        assert_eq!(names, ["login-5b8c7h2fkt"]);
    }
}
