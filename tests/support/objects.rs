//! Objects from a few fields, and snapshots of them.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

/// When these objects were made; the newest time in a snapshot is its moment.
pub const MADE: &str = "2026-11-01T09:00:00Z";

/// An object from a few fields; what is left out is not there.
pub fn object(version: &str, kind: &str, name: &str, rest: Value) -> Value {
    let mut object =
        json!({"apiVersion": version, "kind": kind, "metadata": {"name": name, "creationTimestamp": MADE}});
    merge(&mut object, rest);
    object
}

/// Puts fields into an object, over those that it has.
pub fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from,
    }
}

/// An object with more fields.
pub fn with(mut object: Value, more: &[Value]) -> Value {
    more.iter().for_each(|more| merge(&mut object, more.clone()));
    object
}

/// A snapshot of some objects in a file of its own.
pub fn snapshot(directory: &TempDir, name: &str, objects: &[Value]) -> io::Result<PathBuf> {
    let path = directory.path().join(name);
    fs::write(&path, json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string())?;
    Ok(path)
}

/// Crossplane itself, which runs.
pub fn crossplane() -> Value {
    let labels = json!({"app": "crossplane"});
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"namespace": "crossplane-system", "name": "crossplane", "labels": labels},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [
                {"name": "crossplane", "image": "xpkg.crossplane.io/crossplane/crossplane:v2.3.4"},
            ]}},
        },
        "status": {
            "observedGeneration": 1, "replicas": 1, "readyReplicas": 1, "updatedReplicas": 1, "availableReplicas": 1,
        },
    })
}

/// A healthy provider that installed a definition: its package, its active revision, and its workload with these replicas.
pub fn provider_of(name: &str, definition: &str, ready: u32) -> Vec<Value> {
    let (revision, image) = (format!("{name}-1"), format!("xpkg.example.org/upbound/provider-aws-{name}:v1"));
    let owner = |kind: &str, name: &str, uid: &str| json!([{"apiVersion": "pkg.crossplane.io/v1", "kind": kind, "name": name, "uid": uid, "controller": true}]);
    let package = json!({
        "metadata": {"uid": "p"}, "spec": {"package": image},
        "status": {"currentRevision": revision, "conditions": [
            {"type": "Installed", "status": "True", "lastTransitionTime": "2026-11-01T09:00:00Z"},
            {"type": "Healthy", "status": "True", "lastTransitionTime": "2026-11-01T09:00:00Z"},
        ]},
    });
    let active = json!({
        "metadata": {"uid": "r", "labels": {"pkg.crossplane.io/package": name}, "ownerReferences": owner("Provider", name, "p")},
        "spec": {"desiredState": "Active", "image": image, "revision": 1},
        "status": {"objectRefs": [
            {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "name": definition},
        ]},
    });
    let workload = json!({
        "metadata": {"namespace": "crossplane-system", "ownerReferences": owner("ProviderRevision", &revision, "r")},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"pkg.crossplane.io/revision": revision}},
            "template": {
                "metadata": {"labels": {"pkg.crossplane.io/revision": revision}},
                "spec": {"containers": [{"name": "package-runtime", "image": image}]},
            }},
        "status": {"replicas": 1, "readyReplicas": ready},
    });
    vec![
        object("pkg.crossplane.io/v1", "Provider", name, package),
        object("pkg.crossplane.io/v1", "ProviderRevision", &revision, active),
        object("apps/v1", "Deployment", &revision, workload),
    ]
}
