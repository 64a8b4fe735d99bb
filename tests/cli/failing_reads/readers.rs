//! Commands that answer: never a clean answer.

use super::{Matrix, Place, Promise, holds};
use crate::support::command::{run, ucp};
use crate::support::hub;
use crate::support::proxy::Proxy;

/// Commands whose answer is clean on a healthy hub.
const COMMANDS: [&[&str]; 7] = [
    &["teardown", "rdsinstance/aws-database-postgres-instance"],
    &["teardown", "namespace/kube-public"],
    &["conflicts"],
    &["doctor", "--severity", "error", "--only", "packages"],
    &["drift", "rdsinstances"],
    &["wait", "--all", "--timeout", "3s"],
    &["wait", "rdsinstance/gone", "--for", "gone", "--timeout", "3s"],
];
/// Where the lists begin that a command reads and does not need for this answer: packages depend on nothing of these.
const NOT_NEEDED: [(&str, &str); 4] = [
    ("doctor", "/api/v1/"),
    ("doctor", "/apis/discovery.k8s.io/"),
    ("doctor", "/apis/admissionregistration.k8s.io/"),
    ("doctor", "/apis/rbac.authorization.k8s.io/"),
];
/// Namespaced kinds that only Kubernetes itself writes, and that a server may not have.
const NOT_CHECKED: [&str; 7] = [
    "/endpoints",
    "/podtemplates",
    "/controllerrevisions",
    "/leases",
    "/endpointslices",
    "/csistoragecapacities",
    "/horizontalpodautoscalers",
];
/// The definitions of custom resources, with which discovery is compared. Most tenants may not read them.
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// Runs at the same time: most of a run is waiting.
const PLACES: usize = 6;

#[test]
fn a_list_that_fails_is_never_a_clean_answer() {
    let Some(cluster) = hub::quotes() else { return };
    let mut broken = Vec::new();
    for arguments in COMMANDS {
        let title = arguments.join(" ");
        // That an object is gone is in the list of its kind alone.
        let is_gone = arguments.contains(&"gone");
        let leave_out = |path: &str| {
            NOT_NEEDED.iter().any(|(command, start)| *command == arguments[0] && path.starts_with(start))
                || is_gone && path.starts_with("/api") && path.len() > 5 && !path.ends_with("/rdsinstances")
                || NOT_CHECKED.iter().any(|plural| path.ends_with(plural))
        };
        let place = |_| {
            let proxy = Proxy::start(cluster).unwrap();
            let kubeconfig = proxy.kubeconfig().to_owned();
            Place::new("", vec![("core", proxy)], move |timeout| {
                let mut command = ucp(arguments.iter().copied().chain(["--request-timeout", timeout]));
                command.env("KUBECONFIG", &kubeconfig);
                command
            })
        };
        // A namespace is asked for every kind in it.
        let per_read = if title.contains("namespace/") { 1 } else { 2 };
        let warned = |path: &str, fault: &str| path == DEFINITIONS && fault == "403" && !title.contains("namespace/");
        let matrix = Matrix {
            leave_out: &leave_out,
            warned: &warned,
            per_read,
            ..Matrix::new(&title, Promise::AnswerIsNotClean)
        };
        broken.extend(matrix.run((0..PLACES).map(place).collect()).1);
    }
    holds(&broken);
}

#[test]
fn a_cluster_without_an_engine_is_not_checked() {
    let directory = tempfile::tempdir().unwrap();
    let config =
        serde_json::json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "b"}});
    let path = crate::support::objects::snapshot(&directory, "app.json", &[config]).unwrap();
    for arguments in [&["status", "--exit-code"][..], &["drift"], &["doctor"], &["conflicts"]] {
        let mut command = ucp(arguments.iter().copied());
        command.arg("--from").arg(&path);
        let ran = run(command).expect(4);
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains("core cluster?"), "{arguments:?}: {ran:?}");
    }
}
