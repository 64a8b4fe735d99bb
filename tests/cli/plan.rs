//! `kubectl ucp plan`, with real Git, real kustomize and real API servers.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use ucp::prediction::difference::differences;
use ucp::prediction::ignore::strip;

use crate::support::{self, Cluster, Options, load};

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
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-ucp"));
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

/// Plans a change to an overlay, applies it as the engine would, and compares.
fn matches_what_comes_of_it(name: &str, apply_flags: &[&str]) {
    let Some(cluster) = support::start(Options::named(name)) else { return };
    let repository = Repository::new(BASE);
    create(&cluster, vec![application("quotes", "overlays/prod", json!({}))]);
    assert!(cluster.kubectl(["create", "namespace", "quotes"]).status().unwrap().success());
    apply(&cluster, &repository.path().join("overlays/prod"), apply_flags);
    repository.branch("feature", CHANGE, &[]);
    let status = repository.git(&["status", "--porcelain"]);
    let before: Vec<Value> = OBJECTS.map(|(kind, name)| get(&cluster, kind, name, "quotes")).into();
    let (versions_before, mark) = (versions(&cluster), cluster.audit_mark());

    let output = plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "json"]);
    let markdown = plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "markdown"]);
    let table = plan(&cluster, &repository, &["--base", "main", "--head", "feature"]);

    // Nothing was written: not to the cluster, by its own log and by the versions of its objects, nor to the checkout.
    let writes: Vec<_> = cluster
        .requests_since(mark)
        .into_iter()
        .filter(|request| !["get", "list", "watch"].contains(&request.verb.as_str()))
        .collect();
    assert!(!writes.is_empty());
    for request in writes {
        assert!(request.uri.contains("dryRun=All"), "{request:?}");
    }
    assert_eq!(versions(&cluster), versions_before);
    assert_eq!(repository.git(&["status", "--porcelain"]), status);
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);

    let (document, code) = document(&output);
    assert_eq!(code, 1, "{}", stderr(&output));
    assert_eq!(document["unreadable"], json!([]));
    let checks: Vec<_> = document["items"].as_array().unwrap().iter().map(|item| &item["message"]).collect();
    assert!(checks.iter().all(|message| message.is_null()), "{checks:?}");
    assert_eq!(names(&document), ["change Secret/login", "change ConfigMap/settings", "change Deployment/quotes"]);
    for output in [&output, &markdown, &table] {
        for secret in ["Y2FuYXJ5", "canary"] {
            assert!(!stdout(output).contains(secret) && !stderr(output).contains(secret), "{}", stdout(output));
        }
    }
    assert_eq!(stdout(&markdown), stdout(&plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "markdown"])));

    repository.git(&["switch", "--quiet", "feature"]);
    apply(&cluster, &repository.path().join("overlays/prod"), apply_flags);
    for ((kind, name), mut before) in OBJECTS.into_iter().zip(before) {
        let mut after = get(&cluster, kind, name, "quotes");
        strip(&mut before);
        strip(&mut after);
        let real = serde_json::to_value(differences(&before, &after)).unwrap();
        if kind == "Service" {
            assert_eq!(real, json!([]));
            continue;
        }
        let planned = item(&document, kind, name)["differences"].as_array().unwrap().iter();
        let planned: Vec<Value> = planned
            .map(|entry| {
                let mut entry = entry.clone();
                assert_eq!(entry.as_object_mut().unwrap().remove("external"), Some(json!(false)));
                entry
            })
            .collect();
        if kind == "Secret" {
            assert_eq!(planned.len(), 1);
            assert_eq!(planned[0]["path"], real[0]["path"]);
            assert_ne!(planned[0]["before"], planned[0]["after"]);
            continue;
        }
        assert_eq!(json!(planned), real, "{kind}");
        assert!(!planned.is_empty());
    }
    // What is planned once it is there is nothing.
    let again = plan(&cluster, &repository, &["-o", "json"]);
    assert_eq!(document_names(&again), (Vec::new(), 0), "{}", stdout(&again));
}

fn document_names(output: &Output) -> (Vec<String>, i32) {
    let (document, code) = document(output);
    (names(&document), code)
}

#[test]
fn a_plan_is_what_comes_of_it_by_server_side_apply() {
    matches_what_comes_of_it("plan-server-side", &["--server-side", "--field-manager=argocd-controller"]);
}

#[test]
fn a_plan_is_what_comes_of_it_by_client_side_apply() {
    matches_what_comes_of_it("plan-client-side", &["--field-manager=argocd-controller"]);
}
