//! Questions to a person, and the effect of answers while the command waits.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use serde_json::json;

use super::platform::{application, crd, with_argo_cd, yaml};
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
fn objects_without_a_definition_are_applied_once_it_exists() {
    let Some(cluster) = support::start(Options::named("first-later")) else { return };
    let platform = with_argo_cd();
    let monitor = json!({
        "apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor", "metadata": {"name": "argocd"}, "spec": {},
    });
    platform.write("argocd/monitor.yaml", &yaml(&[monitor]));
    // Nothing declares its namespace, and it is not known yet whether it needs one.
    platform.write("argocd/kustomization.yaml", "resources: [install.yaml, monitor.yaml]\n");
    // There is no question for values that the repository declares.
    platform
        .write(".ucp.yaml", "bootstrap: {secrets: [{name: argocd/said, values: {url: https://git.example.org}}]}\n");
    platform.without_app_clusters();
    // Its kind comes with a chart.
    let mut monitoring = application("monitoring", "", json!({"server": "https://kubernetes.default.svc"}));
    monitoring["spec"]["source"] =
        json!({"repoURL": "https://charts.example.org", "chart": "kube-prometheus-stack", "targetRevision": "1.0.0"});
    platform.write("apps/monitoring.yaml", &yaml(&[monitoring]));
    let mut manifests = ucp(["bootstrap", "--dry-run", "-o", "yaml"]);
    manifests.current_dir(platform.path()).env("KUBECONFIG", cluster.kubeconfig());
    let manifests = run(manifests).expect(0).stdout;
    let hint =
        "# from argocd\n# in namespace argocd, if its kind has namespaces\napiVersion: monitoring.coreos.com/v1\n";
    assert!(manifests.contains(hint) && manifests.matches("# in namespace").count() == 1, "{manifests}");
    let first = run(whole(&cluster, &platform)).expect(4);
    let warned = "servicemonitor.monitoring.coreos.com/argocd was not applied: the cluster does not have its kind";
    assert!(first.stderr.contains(warned), "{}", first.stderr);
    let stored_url = |cluster: &Cluster| get(cluster, "secret said -n argocd")["data"]["url"].clone();
    assert_eq!(stored_url(&cluster), "aHR0cHM6Ly9naXQuZXhhbXBsZS5vcmc=");

    // That is written, too, and was not confirmed.
    let unasked = run(bootstrap(&cluster, &platform, &[])).expect(2);
    assert!(unasked.stderr.contains("--yes") && !unasked.stderr.contains("Nothing to write"), "{}", unasked.stderr);
    let patch = ["patch", "secret", "said", "-n", "argocd", "--type=merge", "-p", r#"{"data": {"url": null}}"#];
    assert!(cluster.kubectl(patch).status().unwrap().success());

    let mut command = ucp(["bootstrap", "--yes", "--timeout", "2m"]);
    command.current_dir(platform.path()).env("KUBECONFIG", cluster.kubeconfig());
    let mut child = interruptible(&command).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut until = |wanted: &str| {
        let found = lines.by_ref().map(Result::unwrap).any(|line| line == wanted);
        assert!(found, "it never printed: {wanted}");
    };
    until("Secrets that are not in Git: 1 written.");
    until("1 object will be applied as soon as the cluster has the kind.");
    apply(&cluster, &yaml(&[crd("monitoring.coreos.com", "ServiceMonitor", "servicemonitors")]));
    until("Applied servicemonitor.monitoring.coreos.com/argocd -n argocd.");
    signal(&child, "INT");
    child.wait().unwrap();
    assert!(!get(&cluster, "servicemonitor argocd -n argocd").is_null() && !stored_url(&cluster).is_null());
    let settled = run(bootstrap(&cluster, &platform, &[])).expect(4);
    assert!(settled.stderr.contains("Nothing to write."), "{}", settled.stderr);
}
