//! `kubectl ucp drift --repo`.

use std::process::{Command, Stdio};

use serde_json::json;

use super::{BASE, Repository, application, apply, create, document, stdout};
use crate::support::{self, Options};

#[test]
fn drift_compares_with_a_checkout_instead_of_what_the_engine_says() {
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
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-ucp"));
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
