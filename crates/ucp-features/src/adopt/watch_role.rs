//! The minimal RBAC for `adopt-cluster --watch` in the core cluster.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::adopt::holder::AccountHolder;
use crate::adopt::inventory::InventoryOptions;
use crate::adopt::provisioner;
use crate::adopt::{argocd, flux};
use ucp_core::model::git_ops::GitOps;

const NAME: &str = "kubectl-ucp-adopt";
const GROUP: &str = "rbac.authorization.k8s.io";

/// Returns the ServiceAccount, roles and bindings for some holders; without an engine among them, for all engines. With
/// a namespace in `view`, connection Secrets are only read there; without one, Secrets are read in the whole core
/// cluster.
pub fn manifests(view: &InventoryOptions, holders: &[AccountHolder]) -> Vec<Value> {
    let names_none = holders.iter().all(|holder| holder.engine().is_none());
    let is_meant = |engine: GitOps| names_none || holders.iter().any(|holder| *holder == engine);
    // Registrations with `kubectl ucp secrets` are in Argo CD's namespace if it is installed, for each engine.
    let for_secrets = holders.contains(&AccountHolder::Secrets);
    let argocd = view.argocd_namespace.as_deref().unwrap_or(argocd::DEFAULT_NAMESPACE);
    let flux = view.flux_namespace.as_deref().unwrap_or(flux::DEFAULT_NAMESPACE);
    let homes: Vec<&str> = [(GitOps::ArgoCd, argocd), (GitOps::Flux, flux)]
        .into_iter()
        .filter_map(|(engine, namespace)| (for_secrets || is_meant(engine)).then_some(namespace))
        .collect();
    let home = homes.first().copied().unwrap_or(argocd);
    let mut rules = vec![
        rule(&["argoproj.io"], &["applications", "appprojects"], &["list"]),
        rule(&["kustomize.toolkit.fluxcd.io"], &["kustomizations"], &["list"]),
        rule(&["helm.toolkit.fluxcd.io"], &["helmreleases"], &["list"]),
    ];
    let mut provisioners: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (group, resource) in provisioner::resources() {
        provisioners.entry(resource).or_default().push(group);
    }
    rules.extend(provisioners.into_iter().map(|(resource, groups)| rule(&groups, &[resource], &["list"])));
    let private = || rule(&[""], &["secrets", "configmaps"], &["list"]);
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
    // With `-n`, both engines' namespaces are read.
    namespaces.extend(view.namespace.is_some().then_some([argocd, flux]).into_iter().flatten());
    namespaces.sort_unstable();
    namespaces.dedup();
    for namespace in namespaces {
        let mut rules = Vec::new();
        if view.namespace.is_some() {
            rules.push(private());
        }
        if homes.contains(&namespace) {
            // Flux reads cloud identities from ConfigMaps.
            let is_flux = is_meant(GitOps::Flux) && namespace == flux;
            let written: &[&str] = if is_flux { &["secrets", "configmaps"] } else { &["secrets"] };
            rules.push(rule(&[""], written, &["get", "create", "patch"]));
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

fn rule(groups: &[&str], resources: &[&str], verbs: &[&str]) -> Value {
    json!({ "apiGroups": groups, "resources": resources, "verbs": verbs })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registrations_for_secrets_are_written_for_either_engine() {
        let written = |holders: &[AccountHolder]| -> Vec<String> {
            let roles =
                manifests(&InventoryOptions::default(), holders).into_iter().filter(|one| one["kind"] == "Role");
            roles.map(|role| role["metadata"]["namespace"].as_str().unwrap().to_owned()).collect()
        };
        let flux = AccountHolder::Engine(GitOps::Flux);
        assert_eq!(written(&[flux]), ["flux-system"]);
        assert_eq!(written(&[flux, AccountHolder::Secrets]), ["argocd", "flux-system"]);
        assert_eq!(written(&[]), written(&[AccountHolder::Secrets]));
    }
}
