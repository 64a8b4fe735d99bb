//! `kubectl ucp plan`, with real Git, real kustomize and real API servers.

mod application_charts;
mod application_sets;
mod bad_input;
mod blocked;
mod charts;
mod clusters;
mod compositions;
mod definitions;
mod drift;
mod encrypted;
mod failing;
mod hostile;
mod hostile_cases;
mod hydrated;
mod merge;
mod new_service;
mod outside;
mod packages;
mod permissions;
mod policies;
mod prediction;
#[cfg(unix)]
mod programs;
mod projects;
mod readable;
mod releases;
mod rights;
mod unrendered;
mod value_patterns;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{self, Cluster, load};

const URL: &str = "https://git.example.org/platform/quotes.git";

/// A repository with one commit on `main`.
struct Repository(TempDir);

impl Repository {
    fn new(files: &[(&str, &str)]) -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.git(&["remote", "add", "origin", "git@git.example.org:platform/quotes"]);
        repository.commit(files);
        repository
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn git(&self, arguments: &[&str]) -> String {
        let identity = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").arg("-C").arg(self.path()).args(identity).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn write(&self, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = self.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    fn commit(&self, files: &[(&str, &str)]) {
        self.write(files);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "change"]);
    }

    /// A branch with a change on it; `main` stays checked out.
    fn branch(&self, name: &str, files: &[(&str, &str)], removed: &[&str]) {
        self.git(&["switch", "--quiet", "--create", name]);
        for file in removed {
            std::fs::remove_file(self.path().join(file)).unwrap();
        }
        self.commit(files);
        self.git(&["switch", "--quiet", "main"]);
    }
}

fn plan_as(kubeconfig: &Path, repository: &Repository, arguments: &[&str]) -> Output {
    let mut command = Command::new(crate::support::command::program());
    command.arg("plan").arg("--kubeconfig").arg(kubeconfig).arg(repository.path()).args(arguments);
    command.env("COLUMNS", "200").env_remove("KUBECONFIG").output().unwrap()
}

fn plan(cluster: &Cluster, repository: &Repository, arguments: &[&str]) -> Output {
    plan_as(cluster.kubeconfig(), repository, arguments)
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The plan as JSON, and the exit code.
fn document(output: &Output) -> (Value, i32) {
    let document = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(output)));
    (document, output.status.code().unwrap())
}

fn item<'plan>(plan: &'plan Value, kind: &str, name: &str) -> &'plan Value {
    let items = plan["items"].as_array().unwrap();
    let found = items.iter().find(|item| item["object"]["kind"] == kind && item["object"]["name"] == name);
    found.unwrap_or_else(|| panic!("no {kind} {name} in {plan:#}"))
}

fn names(plan: &Value) -> Vec<String> {
    let items = plan["items"].as_array().unwrap();
    items
        .iter()
        .map(|item| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            format!("{} {}/{}", text(&item["action"]), text(&item["object"]["kind"]), text(&item["object"]["name"]))
        })
        .collect()
}

fn application(name: &str, path: &str, spec: Value) -> Value {
    let mut object = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"namespace": "argocd", "name": name},
        "spec": {
            "project": "default",
            "source": {"repoURL": URL, "path": path},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "quotes"},
            "syncPolicy": {"automated": {"prune": true}},
        },
    });
    for (key, value) in spec.as_object().unwrap() {
        object["spec"][key] = value.clone();
    }
    object
}

fn create(cluster: &Cluster, objects: Vec<Value>) {
    support::run(async || load::load_objects(&cluster.client(), objects).await).unwrap();
}

/// Applies the output of `kubectl kustomize`, as an engine would.
fn apply(cluster: &Cluster, directory: &Path, flags: &[&str]) {
    let built = Command::new("kubectl").arg("kustomize").arg(directory).output().unwrap();
    assert!(built.status.success(), "{}", stderr(&built));
    let mut kubectl = cluster.kubectl(["apply", "-f", "-"]);
    let mut kubectl = kubectl.args(flags).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    kubectl.stdin.take().unwrap().write_all(&built.stdout).unwrap();
    assert!(kubectl.wait().unwrap().success());
}

/// Applies the manifests in a directory, as Argo CD would.
fn apply_manifests(cluster: &Cluster, directory: &Path) {
    let mut kubectl = cluster.kubectl(["apply", "--server-side", "--field-manager=argocd-controller", "-f"]);
    let applied = kubectl.arg(directory).output().unwrap();
    assert!(applied.status.success(), "{}", stderr(&applied));
}

fn get(cluster: &Cluster, kind: &str, name: &str, namespace: &str) -> Value {
    let output = cluster.kubectl(["get", kind, name, "-n", namespace, "-o", "json"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Every object of the cluster that a test may have to do with, and its version.
fn versions(cluster: &Cluster) -> String {
    let kinds = "namespaces,deployments,services,configmaps,secrets,applications,crds";
    let columns = "custom-columns=K:.kind,NS:.metadata.namespace,N:.metadata.name,V:.metadata.resourceVersion";
    let output = cluster.kubectl(["get", kinds, "-A", "-o", columns]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
}

const BASE: &[(&str, &str)] = &[
    ("bases/quotes/kustomization.yaml", "resources: [deployment.yaml, service.yaml, settings.yaml, secret.yaml]\n"),
    (
        "bases/quotes/deployment.yaml",
        "apiVersion: apps/v1
kind: Deployment
metadata: {name: quotes, labels: {app: quotes, tier: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: quotes}}
  template:
    metadata: {labels: {app: quotes}}
    spec:
      containers:
      - name: app
        image: quotes
        env: [{name: LEVEL, value: info}, {name: OLD, value: 'yes'}]
        resources: {limits: {memory: 64Mi}}
      - {name: side, image: 'envoy:1'}
",
    ),
    (
        "bases/quotes/service.yaml",
        "apiVersion: v1
kind: Service
metadata: {name: quotes}
spec: {selector: {app: quotes}, ports: [{name: http, port: 80, targetPort: 8080}]}
",
    ),
    (
        "bases/quotes/settings.yaml",
        "apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {color: green, gone: soon}
",
    ),
    (
        "bases/quotes/secret.yaml",
        "apiVersion: v1
kind: Secret
metadata: {name: login}
data: {user: Y2FuYXJ5LXVzZXI=, password: Y2FuYXJ5LW9sZA==}
",
    ),
    (
        "overlays/prod/kustomization.yaml",
        "namespace: quotes
resources: [../../bases/quotes]
images: [{name: quotes, newName: ghcr.io/example/quotes, newTag: v1}]
",
    ),
];

const CHANGE: &[(&str, &str)] = &[
    (
        "bases/quotes/deployment.yaml",
        "apiVersion: apps/v1
kind: Deployment
metadata: {name: quotes, labels: {app: quotes}}
spec:
  selector: {matchLabels: {app: quotes}}
  template:
    metadata: {labels: {app: quotes}}
    spec:
      containers:
      - name: app
        image: quotes
        env: [{name: LEVEL, value: debug}]
        resources: {limits: {memory: 64Mi, cpu: 1000m}}
",
    ),
    (
        "bases/quotes/settings.yaml",
        "apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {color: blue}
",
    ),
    (
        "bases/quotes/secret.yaml",
        "apiVersion: v1
kind: Secret
metadata: {name: login}
data: {user: Y2FuYXJ5LXVzZXI=, password: Y2FuYXJ5LW5ldw==}
",
    ),
    (
        "overlays/prod/kustomization.yaml",
        "namespace: quotes
resources: [../../bases/quotes]
images: [{name: quotes, newName: ghcr.io/example/quotes, newTag: v2}]
",
    ),
];

const OBJECTS: [(&str, &str); 4] =
    [("Deployment", "quotes"), ("Service", "quotes"), ("ConfigMap", "settings"), ("Secret", "login")];
