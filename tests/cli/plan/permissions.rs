//! The roles of docs/permissions.md for `plan`.

use std::process::Command;

use serde_json::{Value, json};

use super::outside::{CLAIM, buckets, platform_crds};
use super::{Repository, application, apply_manifests, create};
use crate::granted::{check, cluster_role, page};
use crate::support::command::ucp_on;
use crate::support::{self, Cluster, Options, load};

fn config_map(name: &str, color: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: quotes}}\ndata: {{color: {color}}}\n---\n"
    )
}

fn deployment(name: &str, image: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: quotes}}\nspec:\n  \
         selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    \
         spec: {{containers: [{{name: app, image: '{image}'}}]}}\n---\n"
    )
}

fn store(name: &str, size: &str) -> String {
    CLAIM.replace("shop,", &format!("{name},")).replace("small", size) + "---\n"
}

/// The same, as a replacement of the existing object: that needs another right than applying it.
fn replaced(manifest: &str) -> String {
    let annotations = "metadata: {annotations: {argocd.argoproj.io/sync-options: Replace=true}, ";
    // A bucket has annotations.
    let merged =
        manifest.replace("annotations: {cross", "annotations: {argocd.argoproj.io/sync-options: Replace=true, cross");
    if merged == manifest { manifest.replacen("metadata: {", annotations, 1) } else { merged }
}

/// An app that adds, changes, replaces and removes an object of each kind.
fn scene(core: &Cluster) -> Repository {
    let one_size = "{forProvider: {size: 1}}";
    let before = [
        config_map("changed", "red"),
        replaced(&config_map("replaced", "red")),
        config_map("removed", "red"),
        deployment("changed", "a:1"),
        replaced(&deployment("replaced", "a:1")),
        deployment("removed", "a:1"),
        buckets(&[("changed", one_size), ("removed", one_size)]),
        replaced(&buckets(&[("replaced", one_size)])),
        store("shop", "small"),
        replaced(&store("replaced", "small")),
        store("removed", "small"),
    ];
    let after = [
        config_map("changed", "blue"),
        replaced(&config_map("replaced", "blue")),
        config_map("added", "red"),
        deployment("changed", "a:2"),
        replaced(&deployment("replaced", "a:2")),
        deployment("added", "a:1"),
        buckets(&[("changed", "{forProvider: {size: 2}}"), ("added", one_size)]),
        replaced(&buckets(&[("replaced", "{forProvider: {size: 2}}")])),
        store("shop", "large"),
        replaced(&store("replaced", "large")),
        store("added", "small"),
    ];
    let repository = Repository::new(&[("app/all.yaml", &before.concat())]);
    let quotes = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "quotes"}});
    create(core, [platform_crds(), vec![quotes, application("app", "app", json!({}))]].concat());
    create(core, composed());
    apply_manifests(core, &repository.path().join("app"));
    repository.branch("feature", &[("app/all.yaml", &after.concat())], &[]);
    repository
}

fn composed() -> Vec<Value> {
    let composite =
        json!({"apiVersion": "plan.example.org/v1", "kind": "XStore", "metadata": {"name": "shop-x"}, "spec": {}});
    [platform_crds(), vec![composite]].concat()
}

#[test]
fn plan_needs_every_entry_of_its_roles() {
    let Some(core) = support::start(Options::named("plan-governed")) else { return };
    load::install_all_crds(&core).unwrap();
    let repository = scene(&core);
    let make = |user: Option<&str>| -> Command {
        let mut command = ucp_on(&core, ["plan", "--base", "main", "--head", "feature", "-o", "json"]);
        command.arg(repository.path()).args(user.iter().flat_map(|user| ["--as", user]));
        command
    };
    let accounts = page("kubectl-ucp-plan-accounts", &[Some("argocd")]);
    let role = [cluster_role("kubectl-ucp-plan"), cluster_role("kubectl-ucp-plan-destination"), accounts].concat();
    check(&core, "plan", &role, &[], "", &make);
}

#[test]
fn plan_needs_the_secrets_of_app_clusters() {
    let Some(core) = support::start(Options::named("plan-ways")) else { return };
    let Some(app) = support::start(Options::named("plan-away")) else { return };
    load::install_all_crds(&core).unwrap();
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME, namespace: default}\ndata: {color: red}\n";
    let argo = map.replace("NAME", "argo");
    let flux = map.replace("NAME", "flux").replace("red", "'${color}'");
    let repository = Repository::new(&[("argo/m.yaml", &argo), ("flux/m.yaml", &flux)]);
    let kubeconfig = serde_json::to_string(&app.admin_kubeconfig().unwrap()).unwrap();
    let in_flux = |kind: &str, name: &str, field: &str, value: Value| json!({"apiVersion": "v1", "kind": kind, "metadata": {"namespace": "flux-system", "name": name}, field: value});
    create(
        &core,
        vec![
            super::clusters::registration("prod", &app.server(), &app),
            application("argo", "argo", json!({"destination": {"name": "prod", "namespace": "default"}})),
            in_flux("Secret", "prod-kubeconfig", "stringData", json!({"value": kubeconfig})),
            in_flux("ConfigMap", "variables", "data", json!({"color": "blue"})),
            json!({
                "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
                "metadata": {"namespace": "flux-system", "name": "quotes"},
                "spec": {"url": super::URL},
            }),
            json!({
                "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
                "metadata": {"namespace": "flux-system", "name": "quotes"},
                "spec": {
                    "sourceRef": {"kind": "GitRepository", "name": "quotes"}, "path": "./flux", "prune": true,
                    "kubeConfig": {"secretRef": {"name": "prod-kubeconfig"}},
                    "postBuild": {"substituteFrom": [{"kind": "ConfigMap", "name": "variables"}]},
                },
            }),
        ],
    );
    let make = |user: Option<&str>| -> Command {
        let mut command = ucp_on(&core, ["plan", "-o", "json"]);
        command.arg(repository.path()).args(user.iter().flat_map(|user| ["--as", user]));
        command
    };
    let accounts = page("kubectl-ucp-plan-accounts", &[Some("flux-system")]);
    let role = [page("kubectl-ucp-plan", &[None, Some("argocd"), Some("flux-system")]), accounts].concat();
    // Only ApplicationSets need it.
    let (given, role): (Vec<_>, Vec<_>) =
        role.into_iter().partition(|entry| entry.name.as_deref() == Some("argocd-cmd-params-cm"));
    check(&core, "plan of app clusters", &role, &given, "", &make);
}
