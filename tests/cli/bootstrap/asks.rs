//! What a person is asked, and what comes of it while the command waits.

use std::process::{Command, Stdio};

use super::platform::{crd, with_argo_cd, yaml};
use super::run::{bootstrap, get, whole};
use crate::support::command::{CANARY, interruptible, run, signal, ucp};
use crate::support::{self, Cluster, Options};
use crate::terminal::{Terminal, line};

#[test]
fn a_secret_is_typed_and_not_shown() {
    let Some(cluster) = support::start(Options::named("first-asks")) else { return };
    let platform = with_argo_cd();
    let Some(terminal) = Terminal::plain(Command::new("tmux"), (110, 50)) else { return };
    let mut command = bootstrap(&cluster, &platform, &[]);
    command.arg(platform.path()).arg("--kubeconfig").arg(cluster.kubeconfig());
    terminal.run(&line(&command));
    terminal.until("Write 11 objects, and adopt 1 app cluster? [y/N]");
    terminal.enter("y");
    terminal.until("Secret crossplane-system/gcp-creds:credentials:");
    terminal.enter(CANARY);
    let screen = terminal.until("ended=4");
    assert!(!screen.contains(CANARY), "{screen}");
    assert!(!get(&cluster, "secret gcp-creds -n crossplane-system").is_null());
}

fn apply(cluster: &Cluster, manifests: &str) {
    let path = cluster.directory().join("applied.yaml");
    std::fs::write(&path, manifests).unwrap();
    assert!(cluster.kubectl(["apply", "-f", path.to_str().unwrap()]).status().unwrap().success());
}

#[test]
fn what_has_no_kind_yet_is_applied_when_it_has() {
    let Some(cluster) = support::start(Options::named("first-later")) else { return };
    let platform = with_argo_cd();
    let monitor = serde_json::json!({
        "apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor", "metadata": {"name": "argocd"}, "spec": {},
    });
    platform.write("argocd/monitor.yaml", &yaml(&[monitor]));
    platform.write("argocd/kustomization.yaml", "namespace: argocd\nresources: [install.yaml, monitor.yaml]\n");
    let first = run(whole(&cluster, &platform)).expect(4);
    let warned =
        "servicemonitor.monitoring.coreos.com/argocd -n argocd was not applied: the cluster does not have its kind";
    assert!(first.stderr.contains(warned), "{}", first.stderr);

    let mut command = ucp(["bootstrap", "--yes", "--timeout", "2m"]);
    command.current_dir(platform.path()).env("KUBECONFIG", cluster.kubeconfig());
    let mut child = interruptible(&command).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // It has looked, and waits for the kind.
    std::thread::sleep(std::time::Duration::from_secs(2));
    apply(&cluster, &yaml(&[crd("monitoring.coreos.com", "ServiceMonitor", "servicemonitors")]));
    while get(&cluster, "servicemonitor argocd -n argocd").is_null() {
        assert!(child.try_wait().unwrap().is_none(), "it waits");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    signal(&child, "INT");
    child.wait().unwrap();
}
