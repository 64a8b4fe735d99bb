//! Verification of references: the referenced object exists, or another object writes it.

use std::collections::BTreeSet;

use serde_json::Value;

use ucp_core::model::body::consumer;
use ucp_core::model::object::group_of;

/// A reference to an object by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedReference {
    /// `Secret`, `ConfigMap`, `Service`, `PersistentVolumeClaim` or `ServiceAccount`.
    pub kind: &'static str,
    /// The name of the referenced object.
    pub name: String,
    /// Kind and name of the referring object.
    pub by: String,
}

/// A declared object, or an object that a controller will write.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeclaredWriter {
    /// The kind of the written object.
    pub kind: String,
    /// The name of the written object.
    pub name: String,
    /// Kind and name of the object that writes it; a declared object writes itself.
    pub by: String,
}

/// Kinds of the core group that are referenced.
const CORE: [&str; 5] = ["Secret", "ConfigMap", "Service", "ServiceAccount", "PersistentVolumeClaim"];

/// Keys that contain the name of a referenced object; those of Secrets are in [`consumer`].
const BELOW: [(&str, &str, &str); 4] = [
    ("configMapRef", "name", "ConfigMap"),
    ("configMapKeyRef", "name", "ConfigMap"),
    ("configMap", "name", "ConfigMap"),
    ("persistentVolumeClaim", "claimName", "PersistentVolumeClaim"),
];

/// Returns all references of workloads, Ingresses and ServiceAccounts.
pub fn references(objects: &[Value]) -> BTreeSet<NamedReference> {
    const ASKING: [&str; 9] =
        ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod", "ReplicaSet", "Ingress", "ServiceAccount"];
    let mut found = BTreeSet::new();
    for object in objects.iter().filter(|object| ASKING.contains(&text(object, "/kind"))) {
        let by = named(object);
        let mut add = |kind, name: &str| {
            found.insert(NamedReference { kind, name: name.to_owned(), by: by.clone() });
        };
        consumer::secret_uses(object).iter().filter(|one| !one.is_optional).for_each(|one| add("Secret", &one.name));
        walk(object, &mut add);
    }
    found
}

fn walk(value: &Value, found: &mut dyn FnMut(&'static str, &str)) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let is_optional = value.get("optional").and_then(Value::as_bool) == Some(true);
                for (_, below, kind) in BELOW.iter().filter(|(name, ..)| name == key && !is_optional) {
                    if let Some(name) = value.get(*below).and_then(Value::as_str) {
                        found(kind, name);
                    }
                }
                match key.as_str() {
                    "serviceAccountName" if value.as_str() != Some("default") => {
                        value.as_str().into_iter().for_each(|name| found("ServiceAccount", name));
                    }
                    "backend" => {
                        if let Some(name) = value.pointer("/service/name").and_then(Value::as_str) {
                            found("Service", name);
                        }
                    }
                    _ => {}
                }
                walk(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
        _ => {}
    }
}

/// Returns all declared objects, and the Secrets that engines write for them.
pub fn writers(objects: &[Value]) -> BTreeSet<DeclaredWriter> {
    let mut found = BTreeSet::new();
    for object in objects {
        let (kind, name, by) = (text(object, "/kind"), text(object, "/metadata/name"), named(object));
        let mut add = |kind: &str, name: &str| {
            if !name.is_empty() {
                found.insert(DeclaredWriter { kind: kind.to_owned(), name: name.to_owned(), by: by.clone() });
            }
        };
        // Kinds of other groups may have the name of a core kind.
        if !CORE.contains(&kind) || group_of(text(object, "/apiVersion")).is_empty() {
            add(kind, name);
        }
        secrets_of(object).iter().for_each(|(_, name)| add("Secret", name));
        match kind {
            "Syncer" => {
                for entry in object.pointer("/spec/data").and_then(Value::as_array).into_iter().flatten() {
                    add("Secret", text(entry, "/sourceName"));
                }
            }
            "PushSecret" => {
                for entry in object.pointer("/spec/data").and_then(Value::as_array).into_iter().flatten() {
                    add("Secret", text(entry, "/match/remoteRef/remoteKey"));
                }
            }
            "Object" => add(
                text(object, "/spec/forProvider/manifest/kind"),
                text(object, "/spec/forProvider/manifest/metadata/name"),
            ),
            _ => {}
        }
    }
    found
}

/// Returns the Secrets that result from an object, with their namespaces: the object itself, or those its controller
/// writes.
pub fn secrets_of(object: &Value) -> Vec<(&str, &str)> {
    let (own, name) = (text(object, "/metadata/namespace"), text(object, "/metadata/name"));
    match text(object, "/kind") {
        "Secret" if group_of(text(object, "/apiVersion")).is_empty() => vec![(own, name)],
        "SealedSecret" => vec![(own, name)],
        "ExternalSecret" => match text(object, "/spec/target/name") {
            "" => vec![(own, name)],
            target => vec![(own, target)],
        },
        "Certificate" => vec![(own, text(object, "/spec/secretName"))],
        "SopsSecret" => {
            let templates = object.pointer("/spec/secretTemplates").and_then(Value::as_array).into_iter().flatten();
            templates.map(|template| (own, text(template, "/name"))).collect()
        }
        _ => {
            let written = object.pointer("/spec/writeConnectionSecretToRef").into_iter();
            let namespace = |one| Some(text(one, "/namespace")).filter(|text| !text.is_empty()).unwrap_or(own);
            written.map(|one| (namespace(one), text(one, "/name"))).collect()
        }
    }
}

/// Returns the source Secrets that are copied to the clusters of workloads, with the objects that copy them.
pub fn copied(objects: &[Value]) -> BTreeSet<NamedReference> {
    let mut found = BTreeSet::new();
    for object in objects {
        let entries = match text(object, "/kind") {
            "Syncer" => object.pointer("/spec/data").and_then(Value::as_array).cloned().unwrap_or_default(),
            "PushSecret" => vec![object.pointer("/spec/selector/secret").cloned().unwrap_or_default()],
            "Object" => object.pointer("/spec/references").and_then(Value::as_array).cloned().unwrap_or_default(),
            _ => continue,
        };
        for entry in entries {
            let of_object = text(&entry, "/patchesFrom/kind") == "Secret";
            let names = [
                text(&entry, "/sourceName"),
                text(&entry, "/name"),
                if of_object { text(&entry, "/patchesFrom/name") } else { "" },
            ];
            for name in names.into_iter().filter(|name| !name.is_empty()) {
                found.insert(NamedReference { kind: "Secret", name: name.to_owned(), by: named(object) });
            }
        }
    }
    found
}

/// Returns the references without a writer. `except` are kinds of writers that only distribute Secrets written by
/// others.
pub fn missing<'r>(
    references: &'r BTreeSet<NamedReference>,
    writers: &BTreeSet<DeclaredWriter>,
    except: &[&str],
) -> Vec<&'r NamedReference> {
    let is_written = |reference: &&NamedReference| {
        writers.iter().any(|writer| {
            writer.kind == reference.kind
                && writer.name == reference.name
                && !except.iter().any(|kind| writer.by.starts_with(&format!("{kind} ")))
        })
    };
    references.iter().filter(|reference| !is_written(reference)).collect()
}

fn named(object: &Value) -> String {
    format!("{} {}", text(object, "/kind"), text(object, "/metadata/name"))
}

fn text<'o>(object: &'o Value, pointer: &str) -> &'o str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_secret_without_a_writer_is_found_for_users_and_copies() {
        let workload = json!({"kind": "Deployment", "metadata": {"name": "orders"}, "spec": {"template": {"spec": {"containers": [
            {"envFrom": [{"secretRef": {"name": "orders-conn"}}, {"secretRef": {"name": "maybe", "optional": true}}]},
        ]}}}});
        let syncer =
            json!({"kind": "Syncer", "metadata": {"name": "s"}, "spec": {"data": [{"sourceName": "orders-conn"}]}});
        let claim = |secret: &str| {
            json!({
                "kind": "Database", "metadata": {"name": "orders"}, "spec": {"writeConnectionSecretToRef": {"name": secret}},
            })
        };
        let tls = json!({"kind": "Ingress", "metadata": {"name": "i"}, "spec": {"tls": [{"secretName": "cert"}]}});
        assert_eq!(references(&[tls]).len(), 1);
        let other = json!({"apiVersion": "other.io/v1", "kind": "Secret", "metadata": {"name": "orders-conn"}});
        assert!(writers(&[other]).is_empty());
        let asked = references(&[workload]);
        assert_eq!(asked.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["orders-conn"]);
        assert_eq!(missing(&asked, &writers(&[claim("x")]), &[]).len(), 1);
        let core = [syncer, claim("orders-conn-2")];
        assert!(missing(&asked, &writers(&core), &[]).is_empty(), "another object copies it");
        // The source of a copy is missing too: the Syncer does not count as its writer.
        let copies = copied(&core);
        assert_eq!(missing(&copies, &writers(&core), &["Syncer", "PushSecret", "Object"]).len(), 1);
    }
}
