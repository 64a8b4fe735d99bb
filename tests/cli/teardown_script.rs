//! `teardown -o commands`: the script is run, stopped in the middle, and run again on a real API server.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::command::{directory, run, ucp};
use crate::support::objects::{object, whole_snapshot};
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Cluster, Controller, Options};

fn definition(group: &str, plural: &str, kind: &str, scope: &str, categories: &[&str]) -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let names = json!({"kind": kind, "plural": plural, "singular": kind.to_lowercase(), "categories": categories});
    let version = if group == "argoproj.io" { "v1alpha1" } else { "v1beta1" };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}"), "annotations": {"api-approved.kubernetes.io": "unapproved, test"}},
        "spec": {"group": group, "scope": scope, "names": names,
            "versions": [{"name": version, "served": true, "storage": true, "schema": schema}]},
    })
}

/// A bucket, and an Application that would apply it again.
fn hub() -> Vec<Value> {
    vec![
        definition("s3.aws.upbound.io", "buckets", "Bucket", "Cluster", &["managed"]),
        definition("argoproj.io", "applications", "Application", "Namespaced", &[]),
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "argocd"}}),
        json!({
            "apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket",
            "metadata": {"name": "logs", "annotations": {"crossplane.io/external-name": "acme-logs"}},
            "spec": {"forProvider": {"region": "eu-west-1"}},
        }),
        json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {"namespace": "argocd", "name": "shop", "finalizers": ["resources-finalizer.argocd.argoproj.io"]},
            "spec": {"project": "default", "destination": {"server": "https://kubernetes.default.svc"},
                "source": {"repoURL": "https://git.example.org/a"}, "syncPolicy": {"automated": {}}},
        }),
    ]
}

/// A kubectl that once refuses a request with these words, and the plugin next to it.
struct Programs(tempfile::TempDir);

impl Programs {
    fn refusing(words: &str) -> Self {
        let bin = tempfile::tempdir().unwrap();
        let real = Command::new("sh").args(["-c", "command -v kubectl"]).output().unwrap();
        let real = String::from_utf8(real.stdout).unwrap();
        let refused = bin.path().join("refused");
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *'{words}'*) [ -e {refused} ] || {{ : >{refused}; exit 7; }} ;; esac\nexec {} \"$@\"\n",
            real.trim(),
            refused = refused.display(),
        );
        let kubectl = bin.path().join("kubectl");
        std::fs::write(&kubectl, script).unwrap();
        std::fs::set_permissions(kubectl, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        Self(bin)
    }

    /// Runs a script as a user would. Returns its exit code and output.
    fn run(&self, script: &str, kubeconfig: &Path) -> (Option<i32>, String) {
        let path = self.0.path().join("teardown.sh");
        std::fs::write(&path, script).unwrap();
        let paths = [self.0.path().to_owned(), directory()];
        let rest = std::env::var_os("PATH").unwrap();
        let paths = std::env::join_paths(paths.into_iter().chain(std::env::split_paths(&rest))).unwrap();
        let mut bash = Command::new("bash");
        bash.arg(path).env_clear().env("PATH", paths).env("KUBECONFIG", kubeconfig).env("HOME", self.0.path());
        // Objects without a provider would be orphaned, which is a decision.
        for step in 1..9 {
            bash.env(format!("STEP_{step}_DONE"), "yes");
        }
        let output = bash.stdin(std::process::Stdio::null()).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (output.status.code(), text.concat())
    }
}

fn script(kubeconfig: &Path) -> String {
    let mut command = ucp(["teardown", "--all", "-o", "commands"]);
    command.env("KUBECONFIG", kubeconfig);
    run(command).expect(1).stdout
}

fn has(cluster: &Cluster, object: &[&str]) -> bool {
    let found = cluster.kubectl(["get", "--ignore-not-found", "-o", "name"]).args(object).output().unwrap();
    assert!(found.status.success(), "{found:?}");
    !found.stdout.is_empty()
}

#[test]
fn a_script_is_run_again_after_it_stopped_and_after_it_ended() {
    let options = Options::named("teardown-script").with_controllers(&[Controller::Namespace]);
    let Some(cluster) = support::start(options) else { return };
    support::run(async || support::load::load_objects(&cluster.client(), hub()).await).unwrap();
    let script = script(cluster.kubeconfig());
    let programs = Programs::refusing("namespace argocd");

    let (code, printed) = programs.run(&script, cluster.kubeconfig());
    assert_eq!(code, Some(7), "{printed}\n{script}");
    assert!(!has(&cluster, &["buckets.s3.aws.upbound.io"]), "{printed}");
    assert!(has(&cluster, &["namespace", "argocd"]), "it stopped: {printed}");

    // By now, the kinds of a provider are gone.
    let deleted =
        cluster.kubectl(["delete", "customresourcedefinition", "buckets.s3.aws.upbound.io"]).output().unwrap();
    assert!(deleted.status.success(), "{deleted:?}");
    let (code, printed) = programs.run(&script, cluster.kubeconfig());
    assert_eq!(code, Some(0), "{printed}\n{script}");
    assert!(!has(&cluster, &["namespace", "argocd"]), "{printed}");

    let deleted = cluster.kubectl(["delete", "customresourcedefinition", "applications.argoproj.io"]).output().unwrap();
    assert!(deleted.status.success(), "{deleted:?}");
    let (code, printed) = programs.run(&script, cluster.kubeconfig());
    assert_eq!(code, Some(0), "{printed}\n{script}");
}

/// A kind that discovery omits for a moment is not gone, and its objects are not left behind.
#[test]
fn a_script_stops_at_a_kind_that_the_server_does_not_list() {
    let Some(cluster) = support::start(Options::named("teardown-unlisted")) else { return };
    support::run(async || support::load::load_objects(&cluster.client(), hub()).await).unwrap();
    let proxy = Proxy::start(&cluster).unwrap();
    let script = script(proxy.kubeconfig());
    let missing = || Fault::failure(404, "NotFound", "the server could not find the requested resource");
    let (group, plural) = ("s3.aws.upbound.io".to_owned(), "buckets".to_owned());
    proxy.add(Rule::on("/buckets", missing()));
    proxy.add(Rule::at("/apis", Fault::Undiscovered { group, plural }));
    let (code, printed) = Programs::refusing("nothing").run(&script, proxy.kubeconfig());
    assert_eq!(code, Some(1), "{printed}\n{script}");
    assert!(
        has(&cluster, &["namespace", "argocd"]) && has(&cluster, &["buckets.s3.aws.upbound.io", "logs"]),
        "{printed}"
    );
}

#[test]
fn a_script_never_opens_an_editor_and_waits_for_decisions() {
    let directory = tempfile::tempdir().unwrap();
    let bucket = object(
        "s3.aws.upbound.io/v1beta1",
        "Bucket",
        "logs",
        json!({
            "metadata": {"uid": "a", "finalizers": ["finalizer.managedresource.crossplane.io"]},
            "spec": {"forProvider": {"settings": [{"deletionProtection": true}]}},
        }),
    );
    let path = whole_snapshot(&directory, "core.json", &[bucket]).unwrap();
    let mut command = ucp(["teardown", "bucket/logs", "-o", "commands"]);
    command.arg("--from").arg(path);
    let script = run(command).expect(1).stdout;
    let edits: Vec<&str> = script.lines().filter(|line| line.contains("kubectl edit")).collect();
    assert!(!edits.is_empty() && edits.iter().all(|line| line.starts_with("# ")), "{script}");
    // It stops before anything is deleted.
    let gate = script.find("_DONE:-").expect("a gate");
    assert!(script.find("kubectl delete").is_some_and(|delete| gate < delete), "{script}");
    let checked = Command::new("bash").args(["-c", &script]).env_clear().env("PATH", "/usr/bin:/bin").output().unwrap();
    assert_eq!(checked.status.code(), Some(1), "{checked:?}");
    assert!(String::from_utf8_lossy(&checked.stderr).contains("_DONE=yes"), "{checked:?}");
}
