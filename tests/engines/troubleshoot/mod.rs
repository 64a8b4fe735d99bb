//! The real `support-bundle` of troubleshoot.sh: the output for its archive is the same as for the cluster.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::binaries::Build;
use crate::support::command::{run, ucp_from, ucp_on};
use crate::support::{Cluster, hub};

pub const BUILD: Build = Build {
    module: "troubleshoot",
    version_of: Some("github.com/replicatedhq/troubleshoot"),
    programs: &[("support-bundle", "github.com/replicatedhq/troubleshoot/cmd/troubleshoot")],
    manifests: &[],
};

/// Commands. Bundles contain no Secrets, and of a list without items it is unknown whether it is of all namespaces.
const COMPARED: [&[&str]; 7] = [
    &["status"],
    &["resources"],
    &["drift"],
    &["conflicts"],
    &["tree", "application/quotes"],
    &["doctor", "--skip", "rights,credentials,webhooks"],
    &["doctor", "--for", "2.9", "--only", "upgrade"],
];

/// Has a bundle made of everything that a user may see.
fn collect(kubeconfig: &Path, directory: &Path) -> PathBuf {
    let specification = directory.join("specification.yaml");
    let collectors = json!([{"clusterInfo": {}}, {"clusterResources": {}}]);
    let text = json!({
        "apiVersion": "troubleshoot.sh/v1beta2", "kind": "SupportBundle", "metadata": {"name": "core"},
        "spec": {"collectors": collectors},
    });
    fs::write(&specification, text.to_string()).unwrap();
    let bundle = directory.join("bundle.tar.gz");
    let output = Command::new(BUILD.directory().join("support-bundle"))
        .args(["--interactive=false", "--auto-update=false", "--output"])
        .args([&bundle, &specification])
        .env("KUBECONFIG", kubeconfig)
        .env("HOME", directory)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    bundle
}

#[test]
fn a_bundle_is_read_as_the_cluster() {
    for cluster in [hub::quotes(), hub::bad_day()].map(|cluster| cluster.expect("there are server binaries")) {
        let directory = tempfile::tempdir().unwrap();
        let lines = || COMPARED.into_iter().map(|arguments| [arguments, &["-o", "json"]].concat());
        let live = || lines().map(|arguments| run(ucp_on(cluster, arguments))).collect::<Vec<_>>();
        // An object may exceed its time while a slow machine collects.
        let before = live();
        let bundle = collect(cluster.kubeconfig(), directory.path()).display().to_string();
        for ((arguments, before), live) in lines().zip(before).zip(live()) {
            // Not every hub has every object.
            if live.code == Some(3) {
                continue;
            }
            let read = run(ucp_from(&bundle, arguments.iter().copied()));
            let live = if read.comparable() == before.comparable() { before } else { live };
            assert_eq!(read.comparable(), live.comparable(), "{arguments:?}");
            assert_eq!(read.code, live.code, "{arguments:?}: {}", read.stderr);
        }
        // Bundles contain no Secrets, so the objects that a provider can delete are unknown.
        let plan = run(ucp_from(&bundle, ["teardown", "--all", "-o", "json"]));
        assert!(matches!(plan.code, Some(1 | 4)), "{plan:?}");
        let plan = plan.json();
        let items = plan["items"].as_array().unwrap();
        assert!(!items.is_empty() && items.iter().all(|item| item["fate"] != "deleted"), "{plan:#}");
        let checks = run(ucp_from(&bundle, ["doctor", "--only", "credentials", "-o", "json"])).json()["checks"].take();
        let unknown = json!(["no Secret was read"]);
        assert!(checks.as_array().unwrap().iter().all(|check| check["unknown"] == unknown), "{checks}");
    }
}

/// Refusals that troubleshoot got are written into its bundle.
#[test]
fn kinds_missing_in_a_bundle_are_unknown() {
    let cluster: &Cluster = hub::governed_bad_day().expect("there are server binaries");
    let group = "rbac.authorization.k8s.io";
    let metadata = json!({"name": "sees-workloads"});
    cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": format!("{group}/v1"), "kind": "ClusterRole", "metadata": metadata, "rules": [
            {"apiGroups": ["", "apps", "apiextensions.k8s.io"], "resources": ["*"], "verbs": ["get", "list"]},
            {"apiGroups": ["pkg.crossplane.io"], "resources": ["*"], "verbs": ["get", "list"]},
        ]},
        {"apiVersion": format!("{group}/v1"), "kind": "ClusterRoleBinding", "metadata": metadata,
         "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "sees-workloads"},
         "subjects": [{"apiGroup": group, "kind": "User", "name": "sees-workloads"}]},
    ]}));
    let directory = tempfile::tempdir().unwrap();
    let kubeconfig = cluster.kubeconfig_for("sees-workloads", None);
    let bundle = collect(&kubeconfig, directory.path()).display().to_string();
    let ran = run(ucp_from(&bundle, ["status", "-o", "json"])).expect(4);
    let unknown = ran.unknown();
    for kind in ["applications.argoproj.io", "kustomizations.kustomize.toolkit.fluxcd.io"] {
        assert!(unknown.iter().any(|what| what == kind), "{kind}: {unknown:?}");
    }
    assert!(!unknown.iter().any(|what| what == "providers.pkg.crossplane.io"), "{unknown:?}");
}
