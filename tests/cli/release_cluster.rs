//! `kubectl ucp release-cluster`, on a real core cluster and a real app cluster.

use std::time::Duration;

use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, ListParams};
use serde_json::{Value, json};

use crate::adopted::belongings;
use crate::fleet::{Corner, check_adoptable, document, fleet, kubeconfig_of, text};
use crate::support;
use crate::support::address::Addresses;
use crate::support::kubeconfig::Credential;
use crate::support::proxy::{Fault, Proxy, Rule};

fn registrations(corner: &Corner) -> Vec<String> {
    support::run(async || {
        let api = Api::<Secret>::namespaced(corner.fleet.core.client(), &corner.namespace);
        let ours = ListParams::default().labels("app.kubernetes.io/managed-by=kubectl-ucp");
        api.list(&ours).await.unwrap().items.into_iter().filter_map(|secret| secret.metadata.name).collect()
    })
}

fn adopted(corner: &Corner, name: &str, arguments: &[&str]) {
    let account = format!("kube-system/{}", corner.namespace);
    let arguments = [&["adopt-cluster", name, "--yes", "--service-account", &account], arguments].concat();
    let output = corner.output(&arguments);
    assert!(output.status.success(), "{}", text(&output));
}

fn release(corner: &Corner, arguments: &[&str]) -> (Value, Option<i32>, String) {
    let output = corner.output(&[&["release-cluster", "--yes", "-o", "json"], arguments].concat());
    assert!(!output.stdout.is_empty(), "{}", text(&output));
    (document(&output)["items"].take(), output.status.code(), text(&output))
}

#[test]
fn a_release_leaves_nothing_and_the_cluster_can_be_adopted_again() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "released");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    adopted(&corner, "prod", &["--engine", "argocd"]);
    assert_eq!((belongings(&corner).len(), registrations(&corner).len()), (4, 1));

    let output = corner.output(&["release-cluster", "prod", "--dry-run"]);
    assert!(text(&output).contains("planned"), "{}", text(&output));
    assert_eq!((belongings(&corner).len(), registrations(&corner).len()), (4, 1));

    let (items, code, printed) = release(&corner, &["prod"]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("released"), Some(0)), "{printed}");
    assert_eq!((belongings(&corner), registrations(&corner)), (vec![], vec![]));
    check_adoptable(&corner.clusters(&[])["prod"]);
    let output = corner.output(&["release-cluster", "prod", "--yes"]);
    assert!(output.status.success() && text(&output).contains("is not registered"), "{}", text(&output));

    adopted(&corner, "prod", &["--engine", "argocd"]);
    assert_eq!((belongings(&corner).len(), registrations(&corner).len()), (4, 1));
}

/// Two registrations may have the same name; their Secrets are unique.
#[test]
fn a_cluster_is_selected_by_its_secret() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "twins");
    corner.register("twin", "https://10.0.0.1", &json!({}));
    corner.put(json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {
            "name": "second", "namespace": corner.namespace, "labels": {"argocd.argoproj.io/secret-type": "cluster"},
        },
        "stringData": {"name": "twin", "server": "https://10.0.0.2", "config": "{}"},
    }));
    let output = corner.output(&["release-cluster", "twin", "--dry-run"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let secrets = ["registered-twin", "second"].map(|name| format!("{}/{name}", corner.namespace));
    let hint = format!("pass its Secret in place of the name: {}", secrets.join(" or "));
    assert!(text(&output).contains(&hint), "{}", text(&output));
    let output = corner.output(&["release-cluster", &secrets[1], "--dry-run"]);
    assert_ne!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("second") && !text(&output).contains("registered-twin"), "{}", text(&output));
}

#[test]
fn a_cluster_in_use_is_not_released() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "used");
    let addresses = Addresses::of(&fleet.app, 1, Duration::ZERO);
    let server = &addresses.servers()[0];
    corner.provision("busy", server, &corner.admin());
    adopted(&corner, "busy", &["--engine", "argocd"]);
    let app = |name: &str, destination: Value| {
        corner.put(json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {"name": name, "namespace": corner.namespace},
            "spec": {"project": "default", "destination": destination, "source": {"repoURL": "https://git.example.org/a"}},
        }));
    };
    app("by-name", json!({"name": "busy", "namespace": "a"}));
    app("by-server", json!({"server": format!("{server}/"), "namespace": "a"}));
    let (items, code, printed) = release(&corner, &["busy"]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("refused"), Some(1)), "{printed}");
    let reason = items[0]["reason"].as_str().unwrap();
    assert!(reason.contains("/by-name") && reason.contains("/by-server"), "{printed}");
    assert_eq!((belongings(&corner).len(), registrations(&corner).len()), (4, 1));

    let (items, _, printed) = release(&corner, &["busy", "--force"]);
    assert_eq!(items[0]["state"], "released", "{printed}");
    assert_eq!((belongings(&corner), registrations(&corner)), (vec![], vec![]));

    // The same for Flux.
    adopted(&corner, "busy", &["--engine", "flux"]);
    corner.put(json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"name": "apps", "namespace": corner.namespace},
        "spec": {"interval": "1m", "prune": true, "sourceRef": {"kind": "GitRepository", "name": "a"},
                 "kubeConfig": {"secretRef": {"name": "busy-kubeconfig"}}},
    }));
    let (items, _, printed) = release(&corner, &["busy"]);
    assert!(items[0]["reason"].as_str().unwrap_or_default().contains("/apps"), "{printed}");
}

#[test]
fn without_a_credential_of_its_own_a_release_uses_the_engines() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "itself");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    adopted(&corner, "prod", &["--engine", "argocd", "--grant", "everything"]);
    // As with GKE: the Secret's own credential is of no use.
    let empty = kubeconfig_of(&fleet.app.server(), fleet.app.ca_pem(), json!({}));
    corner.put(corner.connection_secret("prod", &empty));
    let (items, code, printed) = release(&corner, &["prod"]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("released"), Some(0)), "{printed}");
    support::run(async || support::eventually(async || belongings(&corner).is_empty().then_some(())).await);
    assert_eq!(registrations(&corner), Vec::<String>::new());
}

#[test]
fn force_releases_an_unreachable_cluster_and_lists_the_remaining_objects() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "gone");
    let addresses = Addresses::of(&fleet.app, 1, Duration::ZERO);
    corner.provision("prod", &addresses.servers()[0], &corner.admin());
    adopted(&corner, "prod", &["--engine", "argocd"]);
    drop(addresses);
    // One failed connection does not show that it no longer exists.
    let (items, code, printed) = release(&corner, &["prod", "--request-timeout", "2s"]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("refused"), Some(1)), "{printed}");
    assert!(!registrations(&corner).is_empty(), "{printed}");
    let (items, code, printed) = release(&corner, &["prod", "--request-timeout", "2s", "--force"]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("released"), Some(4)), "{printed}");
    assert!(items[0]["reason"].as_str().unwrap().contains("does not answer"), "{printed}");
    let left: Vec<_> =
        items[0]["left"].as_array().unwrap().iter().map(|object| object["kind"].as_str().unwrap()).collect();
    assert_eq!(left, ["ClusterRoleBinding", "ClusterRole", "Secret", "ServiceAccount"]);
    assert_eq!(registrations(&corner), Vec::<String>::new());
}

/// A gateway that finds no object is not a cluster without the account.
#[test]
fn an_account_that_is_listed_and_not_found_stops_the_release() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "unfound");
    let proxy = Proxy::start(&fleet.app).unwrap();
    let token = Credential::Token(fleet.app.admin_token().to_owned());
    corner.provision("prod", &proxy.server(), &token);
    adopted(&corner, "prod", &["--engine", "argocd"]);
    for plural in ["serviceaccounts", "secrets", "clusterroles", "clusterrolebindings"] {
        let missing = Fault::failure(404, "NotFound", "the server could not find the requested resource");
        proxy.add(Rule::on(&format!("/{plural}/"), missing));
    }
    let (items, code, printed) = release(&corner, &["prod"]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("refused"), Some(1)), "{printed}");
    assert!(!registrations(&corner).is_empty() && !belongings(&corner).is_empty(), "{printed}");
    proxy.clear();
    release(&corner, &["prod"]);
    assert_eq!(belongings(&corner), Vec::<String>::new());
}

#[test]
fn registrations_of_others_are_only_released_with_force() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "theirs");
    corner.put(json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {
            "name": "by-hand", "namespace": corner.namespace,
            "labels": {"argocd.argoproj.io/secret-type": "cluster"},
        },
        "stringData": {"name": "hand-made", "server": "https://hand.example.org", "config": "{}"},
    }));
    let (items, code, printed) = release(&corner, &["hand-made"]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("refused"), Some(1)), "{printed}");
    let (items, _, printed) = release(&corner, &["hand-made", "--force"]);
    assert_eq!(items[0]["state"], "released", "{printed}");
    support::run(async || {
        let api = Api::<Secret>::namespaced(fleet.core.client(), &corner.namespace);
        assert!(api.get_opt("by-hand").await.unwrap().is_none());
    });
}

#[test]
fn releasing_narrow_rights_needs_another_credential() {
    let Some(fleet) = fleet() else { return };
    let corner = Corner::of(fleet, "narrow-release");
    corner.provision("prod", &fleet.app.server(), &corner.admin());
    adopted(&corner, "prod", &["--engine", "argocd", "--namespaces", "default"]);
    let empty = kubeconfig_of(&fleet.app.server(), fleet.app.ca_pem(), json!({}));
    corner.put(corner.connection_secret("prod", &empty));
    let (items, code, printed) = release(&corner, &["prod"]);
    assert_eq!((items[0]["state"].as_str(), code), (Some("refused"), Some(1)), "{printed}");
    assert!(items[0]["hint"].as_str().unwrap().contains("--bootstrap-context"), "{printed}");
    let kubeconfig = fleet.app.kubeconfig().display().to_string();
    let (items, _, printed) = release(&corner, &["prod", "--bootstrap-kubeconfig", &kubeconfig]);
    assert_eq!(items[0]["state"], "released", "{printed}");
    assert_eq!(belongings(&corner), Vec::<String>::new());
}
