//! `wait`: on real API servers, with objects whose controllers are the tests.

mod objects;
mod servers;
mod steps;

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use serde_json::{Value, json};

use crate::support::command::{Ran, interruptible, run, run_with_input, signal, ucp, ucp_from};
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Cluster, Options, load};

const GROUP: &str = "wait.example.org";
/// A revision that is asked for.
const NEW: &str = "4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c";

/// A kind of Crossplane's, of which all fields are kept.
fn crd(kind: &str, category: &str, scope: &str) -> Value {
    let singular = kind.to_lowercase();
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{singular}s.{GROUP}")},
        "spec": {
            "group": GROUP, "scope": scope,
            "names": {"kind": kind, "singular": singular, "plural": format!("{singular}s"), "categories": [category]},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    })
}

/// A server with a managed kind, a composite, and those of Argo CD and Flux.
fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER
        .get_or_init(|| {
            let cluster = support::start(Options::named("waiting"))?;
            load::install_all_crds(&cluster).unwrap();
            let kinds = vec![crd("Bucket", "managed", "Cluster"), crd("XStore", "composite", "Cluster")];
            support::run(async || load::load_objects(&cluster.client(), kinds).await).unwrap();
            Some(cluster)
        })
        .as_ref()
}

fn condition(kind: &str, status: &str, reason: &str, message: &str, generation: Option<i64>) -> Value {
    let mut condition =
        json!({"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": now()});
    if let Some(generation) = generation {
        condition["observedGeneration"] = generation.into();
    }
    condition
}

fn now() -> String {
    jiff::Timestamp::now().to_string()
}

/// The status of a managed resource that is well, at a generation.
fn well(generation: i64) -> Value {
    json!({"conditions": [
        condition("Ready", "True", "Available", "", Some(generation)),
        condition("Synced", "True", "ReconcileSuccess", "", Some(generation)),
    ]})
}

fn creating() -> Value {
    json!({"conditions": [
        condition("Ready", "False", "Creating", "", Some(1)),
        condition("Synced", "True", "ReconcileSuccess", "", Some(1)),
    ]})
}

fn failed(message: &str, generation: Option<i64>) -> Value {
    json!({"conditions": [
        condition("Ready", "False", "Creating", "", generation),
        condition("Synced", "False", "ReconcileError", message, generation),
    ]})
}

/// An object that a test writes as its author and as its controller.
#[derive(Clone)]
struct Object {
    kind: String,
    name: String,
    namespace: Option<String>,
    group: String,
    version: String,
}

impl Object {
    fn new(group: &str, version: &str, kind: &str, namespace: Option<&str>) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("w{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let (group, version, kind) = (group.to_owned(), version.to_owned(), kind.to_owned());
        Self { kind, name, namespace: namespace.map(str::to_owned), group, version }
    }

    fn bucket() -> Self {
        Self::new(GROUP, "v1", "Bucket", None)
    }

    fn application() -> Self {
        Self::new("argoproj.io", "v1alpha1", "Application", Some("default"))
    }

    fn shown(&self) -> String {
        format!("{}/{}", self.kind.to_lowercase(), self.name)
    }

    fn api(&self, cluster: &Cluster) -> Api<DynamicObject> {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(&self.group, &self.version, &self.kind));
        match &self.namespace {
            Some(namespace) => Api::namespaced_with(cluster.client(), namespace, &resource),
            None => Api::all_with(cluster.client(), &resource),
        }
    }

    fn whole(&self, fields: Value) -> Value {
        let mut object = fields;
        object["apiVersion"] = format!("{}/{}", self.group, self.version).into();
        object["kind"] = self.kind.as_str().into();
        object["metadata"]["name"] = self.name.as_str().into();
        object
    }

    /// Writes it as its author, who owns spec and metadata.
    fn write(&self, cluster: &Cluster, fields: Value) -> &Self {
        let object = self.whole(fields);
        let apply = PatchParams::apply("author").force();
        support::run(async || self.api(cluster).patch(&self.name, &apply, &Patch::Apply(&object)).await.map(drop))
            .unwrap();
        self
    }

    /// Writes its status as its controller.
    fn report(&self, cluster: &Cluster, status: Value) -> &Self {
        let patch = json!({"status": status});
        let parameters = PatchParams::default();
        support::run(async || {
            let api = self.api(cluster);
            let patch = Patch::Merge(&patch);
            match api.patch_status(&self.name, &parameters, &patch).await {
                // Argo CD's kinds have no such subresource.
                Err(kube::Error::Api(error)) if error.code == 404 => api.patch(&self.name, &parameters, &patch).await,
                written => written,
            }
            .map(drop)
        })
        .unwrap();
        self
    }

    fn delete(&self, cluster: &Cluster) {
        support::run(async || self.api(cluster).delete(&self.name, &DeleteParams::default()).await.map(drop)).unwrap();
    }
}

fn spec(value: &str) -> Value {
    json!({"spec": {"forProvider": {"value": value}}})
}

fn command(cluster: &Cluster, arguments: &[&str]) -> std::process::Command {
    let mut command = ucp(["wait"].iter().chain(arguments));
    command.env("KUBECONFIG", cluster.kubeconfig());
    command.env("KUBECTL_UCP_EXTERNAL_CONTROLLERS", "crossplane,argocd,flux");
    command
}

fn wait(cluster: &Cluster, arguments: &[&str]) -> Ran {
    run(command(cluster, arguments))
}

/// One look.
fn look(cluster: &Cluster, arguments: &[&str]) -> Ran {
    wait(cluster, &[arguments, &["--timeout", "0"]].concat())
}

/// A running `wait`.
struct Waiting(Child);

impl Waiting {
    /// Begins to wait, and returns when a watch is open.
    fn begin(cluster: &Cluster, arguments: &[&str]) -> Self {
        // Other tests watch the same server.
        static WAITERS: AtomicUsize = AtomicUsize::new(0);
        let user = format!("waiter-{}", WAITERS.fetch_add(1, Ordering::Relaxed));
        let mark = cluster.audit_mark();
        let mut command = interruptible(&command(cluster, &[arguments, &["--timeout", "90s"]].concat()));
        command.env("KUBECONFIG", cluster.kubeconfig_for(&user, Some("system:masters")));
        let waiting = Self(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
        support::run(async || {
            support::eventually(async || {
                let requests = cluster.requests_since(mark);
                requests.iter().any(|request| request.verb == "watch" && request.user == user).then_some(())
            })
            .await;
        });
        waiting
    }

    /// Begins to wait, and returns when these words were printed.
    fn until_it_prints(cluster: &Cluster, arguments: &[&str], words: &str) -> Self {
        let mut command = command(cluster, &[arguments, &["--timeout", "90s"]].concat());
        let mut waiting = Self(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
        let mut printed = BufReader::new(waiting.0.stderr.take().unwrap());
        let (mut line, mut all) = (String::new(), String::new());
        while !line.contains(words) {
            line.clear();
            assert!(printed.read_line(&mut line).unwrap() > 0, "it ended without '{words}':\n{all}");
            all.push_str(&line);
        }
        // The rest of the output is read, or the program would block.
        std::thread::spawn(move || printed.read_to_end(&mut Vec::new()));
        waiting
    }

    fn end(self) -> Ran {
        let output = self.0.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// Cases in which an author and a controller change one object step by step.
#[test]
fn each_case_ends_as_its_file_expects() {
    let Some(cluster) = cluster() else { return };
    steps::run_all(cluster, "tests/cases/wait");
}

#[test]
fn invalid_combinations_of_arguments_are_refused() {
    let refused = |arguments: &[&str], hint: &str| {
        let ran = run(ucp(["wait"].iter().chain(arguments))).expect(2);
        assert!(ran.stderr.contains(hint), "{arguments:?}: {}", ran.stderr);
    };
    refused(&[], "nothing to wait for");
    refused(&["bucket"], "add --all for every bucket");
    refused(&["bucket/a", "--all"], "name only kinds");
    refused(&["bucket/a", "--for", "condition=Ready=False"], "--for ok");
    refused(&["bucket/a", "--for", "condition=Available"], "--for ok");
    refused(&["bucket/a", "--for", "jsonpath={.status.phase}=Running"], "a verdict");
    refused(&["bucket/a", "--for", "gone", "--revision", NEW], "--revision requires");
    refused(&["secret/a", "--for", "current", "--revision", NEW], "--revision requires");
    refused(&["bucket/a", "--timeout", "soon"], "is not a duration");
    run(ucp_from("tests/fixtures/quotes", ["wait", "--all"])).expect(2);
    let ran = run_with_input(ucp(["wait", "bucket/a", "--kubeconfig", "/nonexistent/config"]), "");
    ran.expect(3);
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_ends_the_wait_at_once() {
    use std::os::unix::process::ExitStatusExt as _;
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    let mut waiting = Waiting::begin(cluster, &[&bucket.shown()]);
    signal(&waiting.0, "INT");
    let status = waiting.0.wait().unwrap();
    assert_eq!(status.signal(), Some(2));
}
