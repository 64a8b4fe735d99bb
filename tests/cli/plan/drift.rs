//! `kubectl ucp drift --repo`.

use std::process::{Command, Stdio};

use serde_json::json;

use super::{BASE, Repository, application, apply, create, document, stdout};
use crate::support::{self, Options};

#[test]
fn drift_compares_with_a_checkout_instead_of_the_engines_status() {
    let Some(cluster) = support::start(Options::named("plan-drift")) else { return };
    let repository = Repository::new(BASE);
    let mut quotes = application("quotes", "overlays/prod", json!({}));
    quotes["spec"]["ignoreDifferences"] =
        json!([{"group": "apps", "kind": "Deployment", "jqPathExpressions": [".spec.replicas"]}]);
    // Argo CD has not looked since.
    quotes["status"] = json!({"sync": {"status": "Synced"}, "health": {"status": "Healthy"}, "resources": [
        {"version": "v1", "kind": "ConfigMap", "namespace": "quotes", "name": "settings", "status": "Synced"},
        {"version": "v1", "kind": "ConfigMap", "namespace": "quotes", "name": "leftover", "status": "Synced"},
    ]});
    create(&cluster, vec![quotes]);
    assert!(cluster.kubectl(["create", "namespace", "quotes"]).status().unwrap().success());
    apply(&cluster, &repository.path().join("overlays/prod"), &["--server-side", "--field-manager=argocd-controller"]);
    for change in [
        &["scale", "deployment/quotes", "--replicas=7", "-n", "quotes"][..],
        &["patch", "configmap/settings", "-n", "quotes", "-p", r#"{"data":{"color":"pink"}}"#],
        &["patch", "secret/login", "-n", "quotes", "-p", r#"{"data":{"password":"Y2FuYXJ5LWh1bWFu"}}"#],
        &["delete", "service/quotes", "-n", "quotes"],
        &["create", "configmap", "leftover", "-n", "quotes"],
    ] {
        assert!(cluster.kubectl(change).stdout(Stdio::null()).status().unwrap().success(), "{change:?}");
    }
    let drift = |arguments: &[&str]| {
        let mut command = Command::new(crate::support::command::program());
        command.arg("drift").arg("--kubeconfig").arg(cluster.kubeconfig()).arg("--repo").arg(repository.path());
        command.args(arguments).env_remove("KUBECONFIG").output().unwrap()
    };
    let (report, code) = document(&drift(&["-o", "json"]));
    assert_eq!((code, &report["unreadable"]), (1, &json!([])), "{report:#}");
    let items = report["items"].as_array().unwrap();
    let mut found: Vec<String> = items
        .iter()
        .map(|item| {
            let paths = item["differences"].as_array().unwrap().iter();
            let paths: Vec<_> = paths.map(|entry| entry["path"].as_str().unwrap()).collect();
            format!(
                "{} {} {}",
                item["object"]["name"].as_str().unwrap(),
                item["code"].as_str().unwrap(),
                paths.join(" ")
            )
        })
        .collect();
    found.sort();
    assert_eq!(
        found,
        ["leftover UCP512 ", "login UCP511 data.password", "quotes UCP513 ", "settings UCP511 data.color"]
    );
    let table = stdout(&drift(&[]));
    assert!(table.contains("+  color: green") && table.contains("-  color: pink"), "{table}");
    assert!(!table.contains("Y2FuYXJ5") && !report.to_string().contains("Y2FuYXJ5"));
    let ignored = document(&drift(&["--ignore-path", "data", "-o", "json"])).0;
    assert_eq!(ignored["items"].as_array().unwrap().len(), 2, "{ignored:#}");
}

/// A kind of Flux's image automation.
fn image_kind(kind: &str, plural: &str) -> serde_json::Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.image.toolkit.fluxcd.io")},
        "spec": {
            "group": "image.toolkit.fluxcd.io", "scope": "Namespaced", "names": {"kind": kind, "plural": plural},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    })
}

#[test]
fn a_marker_for_a_missing_image_policy_is_reported() {
    let Some(cluster) = support::start(Options::named("plan-markers")) else { return };
    let marked = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  \
                  front: v1 # {\"$imagepolicy\": \"flux-system:front:tag\"}\n  \
                  cart: v1 # {\"$imagepolicy\": \"flux-system:cart:tag\"}\n";
    let mut files = BASE.to_vec();
    files.push(("overlays/prod/marked.yaml", marked));
    files.push(("docs/example.yaml", "image: v1 # {\"$imagepolicy\": \"flux-system:example\"}\n"));
    let repository = Repository::new(&files);
    // No file that anything writes to, so nothing is unknown for it.
    std::fs::write(repository.path().join("docs/latin.yaml"), b"name: caf\xe9\n").unwrap();
    let policy = json!({
        "apiVersion": "image.toolkit.fluxcd.io/v1", "kind": "ImagePolicy",
        "metadata": {"name": "front", "namespace": "flux-system"}, "spec": {},
    });
    let kinds =
        vec![image_kind("ImagePolicy", "imagepolicies"), image_kind("ImageUpdateAutomation", "imageupdateautomations")];
    let argo = application("quotes", "overlays/prod", json!({}));
    create(&cluster, vec![argo]);
    create(&cluster, [vec![policy], kinds.clone()].concat());
    assert!(cluster.kubectl(["create", "namespace", "quotes"]).status().unwrap().success());
    apply(&cluster, &repository.path().join("overlays/prod"), &["--server-side", "--field-manager=argocd-controller"]);
    let drift = |arguments: &[&str]| {
        let mut command = Command::new(crate::support::command::program());
        command.arg("drift").arg("--kubeconfig").arg(cluster.kubeconfig()).arg("--repo").arg(repository.path());
        let (report, _) =
            document(&command.args(arguments).args(["-o", "json"]).env_remove("KUBECONFIG").output().unwrap());
        assert!(!report.to_string().contains("latin.yaml"), "{report:#}");
        report
    };
    let reported = |report: &serde_json::Value| -> Vec<String> {
        let items = report["items"].as_array().unwrap().iter().filter(|item| item["code"] == "UCP742");
        items.map(|item| item["object"]["name"].as_str().unwrap().to_owned()).collect()
    };
    // Nothing here writes to Git, so the markers are for another cluster.
    assert_eq!(reported(&drift(&[])), Vec::<String>::new());
    let automation = json!({
        "apiVersion": "image.toolkit.fluxcd.io/v1", "kind": "ImageUpdateAutomation",
        "metadata": {"name": "apps", "namespace": "flux-system"},
        "spec": {"sourceRef": {"kind": "GitRepository", "name": "apps"}, "update": {"path": "./overlays"}},
    });
    create(&cluster, [vec![automation], kinds].concat());
    let report = drift(&[]);
    assert_eq!(reported(&report), ["cart"], "{report:#}");
    let item = report["items"].as_array().unwrap().iter().find(|item| item["code"] == "UCP742").unwrap();
    let message = item["message"].as_str().unwrap();
    assert!(message.starts_with("overlays/prod/marked.yaml:6 is marked for it, but it does not exist"), "{message}");
    assert_eq!((&item["layer"], &item["object"]["namespace"]), (&json!("gitops"), &json!("flux-system")));
    assert_eq!(reported(&drift(&["-n", "argocd"])), Vec::<String>::new(), "of other namespaces nothing was read");
}
