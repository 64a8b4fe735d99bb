//! The role of the page about permissions is enough, and without it the missing right is named.

use std::io::Write as _;
use std::process::Stdio;

use super::platform::with_argo_cd;
use crate::support::command::{run, ucp};
use crate::support::{self, Options};

#[test]
fn the_printed_role_is_enough_and_without_it_nothing_is_written() {
    let Some(cluster) = support::start(Options::named("first-rights")) else { return };
    let platform = with_argo_cd();
    let jane = cluster.kubeconfig_for("jane", None);
    let bootstrap = || {
        let mut command =
            ucp(["bootstrap", "--timeout", "0", "--yes", "--secret-env", "crossplane-system/gcp-creds=C"]);
        command.current_dir(platform.path()).env("KUBECONFIG", &jane).env("C", "x");
        command
    };
    let denied = run(bootstrap()).expect(4);
    assert!(
        denied.stderr.contains("'kubectl ucp bootstrap --print-rbac' prints the required rights"),
        "{}",
        denied.stderr
    );
    assert!(denied.stderr.contains("Nothing was written"), "{}", denied.stderr);
    let role = run(ucp(["bootstrap", "--print-rbac"])).expect(0).stdout;
    let mut kubectl = cluster.kubectl(["apply", "-f", "-"]);
    let mut kubectl = kubectl.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    kubectl.stdin.take().unwrap().write_all(role.as_bytes()).unwrap();
    assert!(kubectl.wait().unwrap().success());
    let bind = ["create", "clusterrolebinding", "jane", "--clusterrole", "kubectl-ucp-bootstrap", "--user=jane"];
    assert!(cluster.kubectl(bind).status().unwrap().success());
    let ran = run(bootstrap()).expect(4);
    assert!(ran.stderr.contains("Root objects: 2 written."), "{}", ran.stderr);
}
