//! The least RBAC that `adopt-cluster --watch` needs in the core cluster.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::adopt::engine::Engine;
use crate::adopt::inventory::View;
use crate::adopt::provisioner;
use crate::adopt::{argocd, flux};

const NAME: &str = "kubectl-ucp-adopt";
const GROUP: &str = "rbac.authorization.k8s.io";

/// The ServiceAccount, Roles and bindings. With a namespace in the view, connection Secrets are read there only;
/// without one, Secrets are read in the whole core cluster.
pub fn manifests(view: &View, engines: &[Engine]) -> Vec<Value> {
    let is_meant = |engine| engines.is_empty() || engines.contains(&engine);
    let argocd = view.argocd_namespace.as_deref().unwrap_or(argocd::DEFAULT_NAMESPACE);
    let flux = view.flux_namespace.as_deref().unwrap_or(flux::DEFAULT_NAMESPACE);
    let homes: Vec<&str> = [(Engine::ArgoCd, argocd), (Engine::Flux, flux)]
        .into_iter()
        .filter_map(|(engine, namespace)| is_meant(engine).then_some(namespace))
        .collect();
    let home = homes.first().copied().unwrap_or(argocd);
    let mut rules = vec![
        read("argoproj.io", &["applications", "appprojects"]),
        read("kustomize.toolkit.fluxcd.io", &["kustomizations"]),
        read("helm.toolkit.fluxcd.io", &["helmreleases"]),
    ];
    let mut provisioners: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (group, resource) in provisioner::resources() {
        provisioners.entry(resource).or_default().push(group);
    }
    rules.extend(
        provisioners.into_iter().map(
            |(resource, groups)| json!({ "apiGroups": groups, "resources": [resource], "verbs": ["get", "list"] }),
        ),
    );
    let private = || read("", &["secrets", "configmaps"]);
    if view.namespace.is_none() {
        rules.push(private());
    }
    let mut all = vec![
        json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": NAME, "namespace": home } }),
        json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "ClusterRole", "metadata": { "name": NAME }, "rules": rules }),
        binding("ClusterRoleBinding", "ClusterRole", None, home),
    ];
    let mut namespaces: Vec<&str> = homes.clone();
    namespaces.extend(view.namespace.as_deref());
    // `-n` looks into both engines' namespaces, wherever it writes.
    namespaces.extend(view.namespace.is_some().then_some([argocd, flux]).into_iter().flatten());
    namespaces.sort_unstable();
    namespaces.dedup();
    for namespace in namespaces {
        let mut rules = vec![private()];
        if homes.contains(&namespace) {
            rules.push(json!({
                "apiGroups": [""], "resources": ["secrets", "configmaps"], "verbs": ["create", "patch"],
            }));
        }
        all.push(json!({
            "apiVersion": format!("{GROUP}/v1"),
            "kind": "Role",
            "metadata": { "name": NAME, "namespace": namespace },
            "rules": rules,
        }));
        all.push(binding("RoleBinding", "Role", Some(namespace), home));
    }
    all
}

fn read(group: &str, resources: &[&str]) -> Value {
    json!({ "apiGroups": [group], "resources": resources, "verbs": ["get", "list"] })
}

fn binding(kind: &str, role: &str, namespace: Option<&str>, home: &str) -> Value {
    let mut metadata = json!({ "name": NAME });
    if let Some(namespace) = namespace {
        metadata["namespace"] = json!(namespace);
    }
    json!({
        "apiVersion": format!("{GROUP}/v1"),
        "kind": kind,
        "metadata": metadata,
        "roleRef": { "apiGroup": GROUP, "kind": role, "name": NAME },
        "subjects": [{ "kind": "ServiceAccount", "name": NAME, "namespace": home }],
    })
}
