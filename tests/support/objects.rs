//! Objects from a few fields, and snapshots of them.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;
use ucp_core::model::kind::ResourceKind;

/// When these objects were made; the newest time in a snapshot is its moment.
pub const MADE: &str = "2026-11-01T09:00:00Z";

/// An object from a few fields; omitted fields are absent.
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

/// An Application of Argo CD, with the repository and path of its source on `main`, and more in its `spec`.
pub fn application(namespace: &str, name: &str, (url, path): (&str, &str), spec: &Value) -> Value {
    let object = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"source": {"repoURL": url, "path": path, "targetRevision": "main"}},
    });
    with(object, &[json!({"spec": spec})])
}

/// A snapshot of some objects in a file of its own.
pub fn snapshot(directory: &TempDir, name: &str, objects: &[Value]) -> io::Result<PathBuf> {
    let path = directory.path().join(name);
    fs::write(&path, json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string())?;
    Ok(path)
}

/// A snapshot of a whole cluster: the objects, with an index of the kinds, a provider config for each family that has none, and
/// the controllers of all engines if it has no workloads.
pub fn whole_snapshot(directory: &TempDir, name: &str, objects: &[Value]) -> io::Result<PathBuf> {
    let mut objects = objects.to_vec();
    objects.extend(missing_configs(&objects));
    objects.extend(missing_controllers(&objects));
    objects.extend(missing_provider(&objects));
    indexed_snapshot(directory, name, &objects)
}

/// A snapshot of these objects alone, with an index of their kinds.
pub fn indexed_snapshot(directory: &TempDir, name: &str, objects: &[Value]) -> io::Result<PathBuf> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let times = objects.iter().map(|one| text(&one["metadata"]["creationTimestamp"]));
    let newest = times.max().filter(|time| !time.is_empty()).unwrap_or_else(|| jiff::Timestamp::now().to_string());
    let definitions = objects.iter().filter(|one| one["kind"] == "CustomResourceDefinition");
    let kinds = definitions.map(|one| {
        let (spec, names) = (&one["spec"], &one["spec"]["names"]);
        let is_of = |other: &&Value| {
            let version = text(&other["apiVersion"]);
            other["kind"] == names["kind"] && version.split('/').next() == spec["group"].as_str()
        };
        json!({
            "group": spec["group"], "version": spec["versions"][0]["name"], "kind": names["kind"], "plural": names["plural"],
            "namespaced": spec["scope"] == "Namespaced", "categories": names["categories"].as_array().cloned().unwrap_or_default(),
            "objects": objects.iter().filter(is_of).count(),
        })
    });
    let runs = |name: &str| objects.iter().any(|one| one["metadata"]["name"] == name);
    let served = SERVED.iter().filter(|(controller, _)| runs(controller));
    let served = served.map(|(_, [group, version, name, plural])| kind(group, version, name, plural));
    let kinds = kinds.chain(served).map(|kind| format!("- {kind}\n")).collect::<String>();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    let path = directory.path().join(name).with_extension("yaml");
    fs::write(&path, format!("{}\n---\n{list}\n", index(&newest, &kinds)))?;
    Ok(path)
}

/// A kind without objects in an index.
fn kind(group: &str, version: &str, kind: &str, plural: &str) -> Value {
    json!({"group": group, "version": version, "kind": kind, "plural": plural, "objects": 0})
}

/// Controllers, by name, and a kind that each serves or reconciles: group, version, kind, and plural.
const SERVED: [(&str, [&str; 4]); 4] = [
    ("source-controller", ["source.toolkit.fluxcd.io", "v1", "GitRepository", "gitrepositories"]),
    ("kustomize-controller", ["kustomize.toolkit.fluxcd.io", "v1", "Kustomization", "kustomizations"]),
    ("helm-controller", ["helm.toolkit.fluxcd.io", "v2", "HelmRelease", "helmreleases"]),
    ("notification-controller", ["notification.toolkit.fluxcd.io", "v1beta3", "Alert", "alerts"]),
];

/// The index of a snapshot that was taken at a time, with kinds as the items of a list.
pub fn index(taken: &str, kinds: &str) -> String {
    // With kinds that every server has.
    let definitions = kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions");
    let settings = kind("", "v1", "ConfigMap", "configmaps");
    format!(
        "apiVersion: ucp/v1\nkind: Snapshot\ntool: test\nserver: https://core.example.org\ntakenAt: {taken:?}\nkinds:\n- {definitions}\n- {settings}\n{kinds}"
    )
}

/// Provider configs for the managed resources among some objects whose family has none.
fn missing_configs(objects: &[Value]) -> Vec<Value> {
    let group = |one: &Value| {
        let version = one["apiVersion"].as_str().unwrap_or_default();
        version.split('/').next().unwrap_or_default().to_owned()
    };
    let is_config = |one: &&Value| one["kind"].as_str().is_some_and(|kind| kind.ends_with("ProviderConfig"));
    let configured: Vec<String> = objects.iter().filter(is_config).map(group).collect();
    let families = objects.iter().filter(|one| one["spec"].get("forProvider").is_some()).map(|one| {
        let group = group(one);
        group.split_once('.').map_or(group.clone(), |(_, family)| family.to_owned())
    });
    let families: std::collections::BTreeSet<String> = families.filter(|one| !configured.contains(one)).collect();
    let config = |family: &String, kind: &str| {
        let spec = json!({"spec": {"credentials": {"source": "InjectedIdentity"}}});
        object(&format!("{family}/v1beta1"), kind, "default", spec)
    };
    let kinds = ["ProviderConfig", "ClusterProviderConfig"];
    families.iter().flat_map(|family| kinds.map(|kind| config(family, kind))).collect()
}

/// The controllers that run, of the engines of some objects without any workload.
fn missing_controllers(objects: &[Value]) -> Vec<Value> {
    let is_workload = |one: &Value| ["Deployment", "StatefulSet"].iter().any(|kind| one["kind"] == *kind);
    if objects.iter().any(is_workload) {
        return Vec::new();
    }
    let has = |end: &str| objects.iter().any(|one| group_of(one).ends_with(end));
    let mut controllers = vec![crossplane()];
    if has("argoproj.io") {
        controllers.push(controller("StatefulSet", ("argocd", "argocd-application-controller"), "argocd"));
        controllers.push(controller("Deployment", ("argocd", "argocd-applicationset-controller"), "argocd"));
        controllers.push(controller("Deployment", ("argocd", "argocd-repo-server"), "argocd"));
    }
    if has("toolkit.fluxcd.io") {
        let names = ["source-controller", "kustomize-controller", "helm-controller"];
        controllers.extend(names.map(|name| controller("Deployment", ("flux-system", name), "flux")));
    }
    controllers
}

fn group_of(object: &Value) -> String {
    let version = object["apiVersion"].as_str().unwrap_or_default();
    version.rsplit_once('/').map_or("", |(group, _)| group).to_owned()
}

/// A provider of all managed resources among some objects without any.
fn missing_provider(objects: &[Value]) -> Vec<Value> {
    let managed = objects.iter().filter(|one| one["spec"].get("forProvider").is_some());
    let definition =
        |one: &Value| ResourceKind::guess(&group_of(one), one["kind"].as_str().unwrap_or_default()).qualified_plural();
    let definitions: std::collections::BTreeSet<String> = managed.map(definition).collect();
    let Some(first) = definitions.first().filter(|_| !objects.iter().any(|one| one["kind"] == "Provider")) else {
        return Vec::new();
    };
    let mut provider = provider_of("all", first, 1);
    let reference = |name: &String| json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "name": name});
    provider[1]["status"]["objectRefs"] = definitions.iter().map(reference).collect();
    provider
}

/// Crossplane itself, which runs.
pub fn crossplane() -> Value {
    let mut crossplane = controller("Deployment", ("crossplane-system", "crossplane"), "crossplane");
    crossplane["metadata"]["labels"] = json!({"app": "crossplane"});
    let image = json!("xpkg.crossplane.io/crossplane/crossplane:v2.3.4");
    crossplane["spec"]["template"]["spec"]["containers"][0]["image"] = image;
    crossplane
}

/// A controller that runs, in a namespace, of an engine.
pub fn controller(kind: &str, (namespace, name): (&str, &str), engine: &str) -> Value {
    let labels = json!({"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": engine});
    // Without a version, which decides how Argo CD tracks.
    let image = format!("registry.example.org/{engine}/{name}");
    json!({
        "apiVersion": "apps/v1", "kind": kind, "metadata": {"namespace": namespace, "name": name, "labels": labels},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": name, "image": image}]}},
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
