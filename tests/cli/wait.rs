//! `wait`: on real API servers, with objects whose controllers are the tests.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::command::{Ran, interruptible, run, run_with_input, signal, ucp, ucp_from};
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Cluster, Options, load};

const GROUP: &str = "wait.example.org";

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
    kind: &'static str,
    name: String,
    namespace: Option<&'static str>,
    group: &'static str,
    version: &'static str,
}

impl Object {
    fn new(group: &'static str, version: &'static str, kind: &'static str, namespace: Option<&'static str>) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("w{}", COUNT.fetch_add(1, Ordering::Relaxed));
        Self { kind, name, namespace, group, version }
    }

    fn bucket() -> Self {
        Self::new(GROUP, "v1", "Bucket", None)
    }

    fn application() -> Self {
        Self::new("argoproj.io", "v1alpha1", "Application", Some("default"))
    }

    fn kustomization() -> Self {
        Self::new("kustomize.toolkit.fluxcd.io", "v1", "Kustomization", Some("default"))
    }

    fn shown(&self) -> String {
        format!("{}/{}", self.kind.to_lowercase(), self.name)
    }

    fn api(&self, cluster: &Cluster) -> Api<DynamicObject> {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(self.group, self.version, self.kind));
        match self.namespace {
            Some(namespace) => Api::namespaced_with(cluster.client(), namespace, &resource),
            None => Api::all_with(cluster.client(), &resource),
        }
    }

    fn whole(&self, fields: Value) -> Value {
        let mut object = fields;
        object["apiVersion"] = format!("{}/{}", self.group, self.version).into();
        object["kind"] = self.kind.into();
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

/// A wait that goes on.
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

    /// Begins to wait, and returns when it has told this much.
    fn until_it_says(cluster: &Cluster, arguments: &[&str], words: &str) -> Self {
        let mut command = command(cluster, &[arguments, &["--timeout", "90s"]].concat());
        let mut waiting = Self(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
        let mut told = BufReader::new(waiting.0.stderr.take().unwrap());
        let (mut line, mut all) = (String::new(), String::new());
        while !line.contains(words) {
            line.clear();
            assert!(told.read_line(&mut line).unwrap() > 0, "it ended without '{words}':\n{all}");
            all.push_str(&line);
        }
        // Whatever else it tells goes somewhere, or it would wait for a reader.
        std::thread::spawn(move || told.read_to_end(&mut Vec::new()));
        waiting
    }

    fn end(self) -> Ran {
        let output = self.0.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

#[test]
fn what_is_well_is_reached_and_an_older_generation_is_not_well() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    bucket.write(cluster, spec("a")).report(cluster, well(1));
    let ran = look(cluster, &[&bucket.shown(), "-o", "json"]).expect(0);
    let document = ran.json();
    assert_eq!((&document["kind"], &document["outcome"]), (&json!("WaitResult"), &json!("reached")));
    let item = &document["items"][0];
    assert_eq!((&item["wanted"], &item["verdict"], &item["reached"]), (&json!("ok"), &json!("OK"), &json!(true)));

    bucket.write(cluster, spec("b"));
    let ran = look(cluster, &[&bucket.shown()]).expect(4);
    assert!(ran.stderr.contains("timed out"), "{}", ran.stderr);
    let waiting = Waiting::begin(cluster, &[&bucket.shown()]);
    // One condition of the two is not enough.
    let half = json!({"conditions": [
        condition("Ready", "True", "Available", "", Some(1)),
        condition("Synced", "True", "ReconcileSuccess", "", Some(2)),
    ]});
    bucket.report(cluster, half);
    look(cluster, &[&bucket.shown()]).expect(4);
    bucket.report(cluster, well(2));
    waiting.end().expect(0);
}

#[test]
fn a_failure_ends_it_with_the_cause_and_an_older_failure_does_not() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    bucket.write(cluster, spec("a")).report(cluster, creating());
    let waiting = Waiting::begin(cluster, &[&bucket.shown()]);
    bucket.report(cluster, failed("no permission to create the bucket", Some(1)));
    let ran = waiting.end().expect(1);
    assert!(ran.stdout.contains("no permission to create the bucket"), "{}", ran.stdout);
    assert!(ran.stdout.contains("UCP"), "{}", ran.stdout);
    assert!(ran.stderr.contains("will not be ok"), "{}", ran.stderr);
    // It is so from the beginning, too.
    wait(cluster, &[&bucket.shown()]).expect(1);
    wait(cluster, &[&bucket.shown(), "--keep-waiting", "--timeout", "1s"]).expect(4);
    wait(cluster, &[&bucket.shown(), "--for", "failed"]).expect(0);

    bucket.write(cluster, spec("b"));
    let ran = look(cluster, &[&bucket.shown()]).expect(4);
    assert!(ran.stdout.contains("newest change"), "{}", ran.stdout);
    let waiting = Waiting::begin(cluster, &[&bucket.shown()]);
    bucket.report(cluster, well(2));
    waiting.end().expect(0);
}

#[test]
fn a_failure_that_does_not_say_of_which_generation_it_is_gets_a_moment() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    let mut old = failed("exceeded quota: small", None);
    old["conditions"][1]["lastTransitionTime"] = "2026-01-01T00:00:00Z".into();
    bucket.write(cluster, spec("a")).report(cluster, old.clone());
    // Nobody has changed it since it was made.
    wait(cluster, &[&bucket.shown()]).expect(1);
    bucket.write(cluster, spec("b"));
    let waiting = Waiting::begin(cluster, &[&bucket.shown()]);
    let mut mended = well(2);
    for condition in mended["conditions"].as_array_mut().unwrap() {
        condition.as_object_mut().unwrap().remove("observedGeneration");
    }
    bucket.report(cluster, mended);
    waiting.end().expect(0);
    bucket.report(cluster, old);
    let ran = wait(cluster, &[&bucket.shown(), "--timeout", "60s"]).expect(1);
    assert!(ran.stdout.contains("quota"), "{}", ran.stdout);
}

#[test]
fn a_pause_ends_it_and_an_operation_under_way_does_not() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    let mut status = well(1);
    status["conditions"].as_array_mut().unwrap().push(condition("AsyncOperation", "False", "Ongoing", "", None));
    bucket.write(cluster, spec("a")).report(cluster, status);
    let ran = look(cluster, &[&bucket.shown()]).expect(4);
    assert!(ran.stdout.contains("an operation on the external resource"), "{}", ran.stdout);
    let waiting = Waiting::begin(cluster, &[&bucket.shown()]);
    bucket.report(cluster, well(1));
    waiting.end().expect(0);

    let mut paused = spec("a");
    paused["metadata"] = json!({"annotations": {"crossplane.io/paused": "true"}});
    bucket.write(cluster, paused);
    let ran = wait(cluster, &[&bucket.shown()]).expect(1);
    assert!(ran.stdout.contains("crossplane.io/paused"), "{}", ran.stdout);
    wait(cluster, &[&bucket.shown(), "--for", "paused"]).expect(0);
    bucket.report(cluster, failed("cannot resolve references: mg.Spec.ForProvider.Key: not ready", Some(1)));
    bucket.write(cluster, spec("a"));
    look(cluster, &[&bucket.shown()]).expect(4);
}

#[test]
fn what_does_not_exist_is_waited_for_and_so_is_its_kind() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    let ran = look(cluster, &[&bucket.shown(), "-o", "json"]).expect(4);
    let item = ran.json()["items"][0].clone();
    assert_eq!((&item["message"], item.get("verdict")), (&json!("it does not exist yet"), None));
    let waiting = Waiting::begin(cluster, &[&bucket.shown()]);
    bucket.write(cluster, spec("a")).report(cluster, well(1));
    waiting.end().expect(0);

    let late = Object { kind: "Latecomer", ..Object::bucket() };
    let waiting = Waiting::until_it_says(cluster, &["latecomers", &late.name], "no kind is called 'latecomers' yet");
    let kind = crd("Latecomer", "managed", "Cluster");
    support::run(async || {
        let api = Api::<CustomResourceDefinition>::all(cluster.client());
        let made = api.patch("latecomers.wait.example.org", &PatchParams::apply("author"), &Patch::Apply(&kind)).await;
        made.unwrap();
        support::eventually(async || {
            let conditions = api.get("latecomers.wait.example.org").await.ok()?.status?.conditions?;
            conditions.iter().any(|one| one.type_ == "Established" && one.status == "True").then_some(())
        })
        .await;
    });
    late.write(cluster, spec("a")).report(cluster, well(1));
    waiting.end().expect(0);
    let ran = look(cluster, &["bukcet/x", "--for", "gone"]).expect(2);
    assert!(ran.stderr.contains("did you mean 'bucket'"), "{}", ran.stderr);
}

#[test]
fn what_is_held_by_a_finalizer_is_not_gone() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    look(cluster, &[&bucket.shown(), "--for", "gone"]).expect(0);
    let mut held = spec("a");
    held["metadata"] = json!({"finalizers": ["example.org/keeper"]});
    bucket.write(cluster, held).report(cluster, well(1));
    let ran = look(cluster, &[&bucket.shown(), "--for=delete"]).expect(4);
    assert!(ran.stdout.contains("it has not been deleted"), "{}", ran.stdout);
    bucket.delete(cluster);
    let ran = wait(cluster, &[&bucket.shown(), "--for", "gone", "--timeout", "1s"]).expect(4);
    assert!(ran.stdout.contains("example.org/keeper"), "{}", ran.stdout);
    // An object that goes is not well.
    look(cluster, &[&bucket.shown()]).expect(4);
    let waiting = Waiting::begin(cluster, &[&bucket.shown(), "--for", "gone", "-o", "json"]);
    bucket.write(cluster, json!({"metadata": {"finalizers": []}, "spec": {"forProvider": {"value": "a"}}}));
    // A new one of the same name is another.
    support::run(async || {
        support::eventually(async || bucket.api(cluster).get_opt(&bucket.name).await.ok()?.is_none().then_some(()))
            .await;
    });
    bucket.write(cluster, spec("a"));
    let ran = waiting.end().expect(0);
    assert_eq!(ran.json()["items"][0]["reached"], true);
}

/// A request by name finds what a list that another program answered does not contain.
#[test]
fn an_object_that_only_a_list_misses_is_not_gone() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    bucket.write(cluster, spec("a"));
    let proxy = Proxy::start(cluster).unwrap();
    proxy.add(Rule::at(&format!("/apis/{GROUP}/v1/buckets"), Fault::emptied()));
    let look = |timeout: &str| {
        let mut asked = command(cluster, &[&bucket.shown(), "--for", "gone", "--timeout", timeout]);
        asked.env("KUBECONFIG", proxy.kubeconfig());
        run(asked)
    };
    let ran = look("0").expect(4);
    assert!(ran.stderr.contains("it exists, but no list contains it"), "{ran:?}");
    proxy.add(Rule::at(&format!("/apis/{GROUP}/v1/buckets/{}", bucket.name), Fault::internal_error()));
    let ran = look("0").expect(4);
    assert!(ran.stderr.contains("it is unknown whether it exists"), "{ran:?}");
    bucket.delete(cluster);
    proxy.clear();
    look("10s").expect(0);
    // Neither is there, and a server reports only that the namespace is missing.
    self::wait(cluster, &["namespace/nowhere", "--for", "gone", "--timeout", "10s"]).expect(0);
    self::wait(cluster, &["configmap/a", "-n", "nowhere", "--for", "gone", "--timeout", "10s"]).expect(0);
}

/// A short name selects the kind that is left while a server does not list that of the object.
#[test]
fn an_object_of_a_kind_that_is_not_listed_is_not_gone() {
    let Some(cluster) = cluster() else { return };
    let own = crd("Vault", "managed", "Cluster");
    let twin = own.to_string().replace(GROUP, "twin.example.org");
    let kinds = vec![own, serde_json::from_str(&twin).unwrap()];
    support::run(async || load::load_objects(&cluster.client(), kinds).await).unwrap();
    let vault = Object::new(GROUP, "v1", "Vault", None);
    vault.write(cluster, spec("a"));
    let proxy = Proxy::start(cluster).unwrap();
    proxy.add(Rule::at("/apis", Fault::Unlisted(GROUP.to_owned())));
    let ran = run({
        let mut asked = command(cluster, &[&format!("vault/{}", vault.name), "--for", "gone", "--timeout", "0"]);
        asked.env("KUBECONFIG", proxy.kubeconfig());
        asked
    });
    let ran = ran.expect(4);
    assert!(ran.stderr.contains(&format!("vaults.{GROUP}: the server does not list this kind")), "{}", ran.stderr);
}

#[test]
fn a_composite_is_as_well_as_what_it_is_made_of() {
    let Some(cluster) = cluster() else { return };
    let (store, part) = (Object::new(GROUP, "v1", "XStore", None), Object::bucket());
    let refs = json!({"spec": {"crossplane": {"resourceRefs": [
        {"apiVersion": format!("{GROUP}/v1"), "kind": "Bucket", "name": part.name},
    ]}}});
    store.write(cluster, refs).report(cluster, well(1));
    let ran = look(cluster, &[&store.shown()]).expect(4);
    assert!(ran.stdout.contains(&part.name), "{}", ran.stdout);
    let waiting = Waiting::begin(cluster, &[&store.shown()]);
    part.write(cluster, spec("a")).report(cluster, creating());
    look(cluster, &[&store.shown()]).expect(4);
    part.report(cluster, well(1));
    waiting.end().expect(0);
    part.report(cluster, failed("InvalidParameterValue: no such region", Some(1)));
    let ran = wait(cluster, &[&store.shown(), "-o", "json"]).expect(1);
    assert_eq!(ran.json()["outcome"], "failed");
    // Its own state is another matter.
    wait(cluster, &["--owner", &store.shown()]).expect(1);
    part.report(cluster, well(1));
    // `tree` agrees on how it is, and on who looks after it.
    let mut tree = ucp(["tree", &store.shown(), "-o", "json"]);
    tree.env("KUBECONFIG", cluster.kubeconfig()).env("KUBECTL_UCP_EXTERNAL_CONTROLLERS", "crossplane");
    let nodes = run(tree).json()["nodes"].clone();
    for name in [&store.name, &part.name] {
        let node = nodes.as_array().unwrap().iter().find(|node| node["object"]["name"] == **name).unwrap();
        assert_eq!(node["verdict"], "OK", "{nodes}");
    }
    let ran = wait(cluster, &["--owner", &store.shown(), "-o", "name"]).expect(0);
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.stdout);
}

#[test]
fn of_several_one_failure_is_enough_and_the_rest_is_told() {
    let Some(cluster) = cluster() else { return };
    let (good, bad, slow) = (Object::bucket(), Object::bucket(), Object::bucket());
    good.write(cluster, spec("a")).report(cluster, well(1));
    slow.write(cluster, spec("a")).report(cluster, creating());
    bad.write(cluster, spec("a")).report(cluster, creating());
    let waiting = Waiting::begin(cluster, &["bucket", &good.name, &slow.name, &bad.name, "-o", "json"]);
    bad.report(cluster, failed("access denied", Some(1)));
    let document = waiting.end().expect(1).json();
    let reached: Vec<(&str, bool)> = document["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["object"]["name"].as_str().unwrap(), item["reached"].as_bool().unwrap()))
        .collect();
    assert_eq!(reached, [(bad.name.as_str(), false), (slow.name.as_str(), false), (good.name.as_str(), true)]);
}

#[test]
fn labels_choose_and_nothing_is_not_enough() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    let label = format!("team={}", bucket.name);
    let ran = look(cluster, &["-l", &label]).expect(4);
    assert!(ran.stderr.contains("nothing matches"), "{}", ran.stderr);
    look(cluster, &["buckets", "-l", &label, "--for", "gone"]).expect(0);
    for arguments in [&["-l", label.as_str()][..], &["buckets", "-l", &label]] {
        let waiting = Waiting::begin(cluster, &[arguments, &["-o", "name"]].concat());
        let mut labelled = spec("a");
        labelled["metadata"] = json!({"labels": {"team": bucket.name}});
        bucket.write(cluster, labelled).report(cluster, well(1));
        // An empty kind of which all may be meant is woken by a usage; this one is not empty for long.
        let ran = waiting.end().expect(0);
        assert_eq!(ran.stdout, format!("bucket.{GROUP}/{}\n", bucket.name));
        bucket.delete(cluster);
    }
}

fn application_status(revision: &str, sync: &str, health: &str) -> Value {
    json!({
        "sync": {"status": sync, "revision": revision}, "health": {"status": health},
        "reconciledAt": now(),
        "operationState": {"phase": "Succeeded", "finishedAt": "2026-01-01T00:00:00Z", "startedAt": "2026-01-01T00:00:00Z",
            "syncResult": {"revision": revision}, "operation": {"sync": {"revision": revision}}, "message": ""},
    })
}

fn application_spec() -> Value {
    json!({"spec": {
        "project": "default", "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
        "source": {"repoURL": "https://git.example.org/shop.git", "path": "prod", "targetRevision": "main"},
    }})
}

const OLD: &str = "0000000000000000000000000000000000000001";
const NEW: &str = "4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c";

#[test]
fn an_application_is_well_only_at_the_revision_that_is_asked_for() {
    let Some(cluster) = cluster() else { return };
    let application = Object::application();
    let shown = application.shown();
    application.write(cluster, application_spec()).report(cluster, application_status(OLD, "Synced", "Healthy"));
    look(cluster, &[&shown]).expect(0);
    let ran = look(cluster, &[&shown, "--revision", NEW]).expect(4);
    assert!(ran.stdout.contains(&format!("it is at {OLD}, not at {NEW}")), "{}", ran.stdout);
    // That the old one is ill says nothing of the new one.
    application.report(cluster, application_status(OLD, "Synced", "Degraded"));
    // Degraded health may recover, so the wait goes on until its timeout.
    look(cluster, &[&shown]).expect(4);
    look(cluster, &[&shown, "--for", "synced"]).expect(0);
    look(cluster, &[&shown, "--revision", NEW]).expect(4);
    let waiting = Waiting::begin(cluster, &[&shown, "--revision", &NEW[..9]]);
    application.report(cluster, application_status(NEW, "OutOfSync", "Healthy"));
    look(cluster, &[&shown, "--revision", NEW]).expect(4);
    application.report(cluster, application_status(NEW, "Synced", "Healthy"));
    waiting.end().expect(0);
    // A sync that failed for the revision that is asked for will not be mended by waiting.
    let mut broken = application_status(OLD, "OutOfSync", "Healthy");
    broken["operationState"]["phase"] = "Failed".into();
    broken["operationState"]["message"] = "one or more objects failed to apply".into();
    broken["operationState"]["operation"]["sync"]["revision"] = NEW.into();
    application.report(cluster, broken);
    let ran = wait(cluster, &[&shown, "--revision", NEW]).expect(1);
    assert!(ran.stdout.contains("failed to apply"), "{}", ran.stdout);
    look(cluster, &[&shown, "--revision", "abc"]).expect(2);
}

#[test]
fn an_application_that_was_not_compared_since_is_not_well() {
    let Some(cluster) = cluster() else { return };
    let application = Object::application();
    let shown = application.shown();
    let mut status = application_status(NEW, "Synced", "Healthy");
    status["operationState"]["finishedAt"] = "2100-01-01T00:00:00Z".into();
    application.write(cluster, application_spec()).report(cluster, status);
    let ran = look(cluster, &[&shown]).expect(4);
    assert!(ran.stdout.contains("has not been compared yet"), "{}", ran.stdout);
    let mut status = application_status(NEW, "Synced", "Healthy");
    let source = application_spec()["spec"]["source"].clone();
    status["sync"]["comparedTo"] = json!({"source": source});
    application.report(cluster, status.clone());
    look(cluster, &[&shown]).expect(0);
    status["sync"]["comparedTo"]["source"]["targetRevision"] = "v1".into();
    application.report(cluster, status.clone());
    let ran = look(cluster, &[&shown]).expect(4);
    assert!(ran.stdout.contains("its sources were changed"), "{}", ran.stdout);
    status["sync"]["comparedTo"]["source"]["targetRevision"] = "main".into();
    application.report(cluster, status);
    let mut refreshed = application_spec();
    refreshed["metadata"] = json!({"annotations": {"argocd.argoproj.io/refresh": "normal"}});
    application.write(cluster, refreshed);
    let ran = look(cluster, &[&shown]).expect(4);
    assert!(ran.stdout.contains("a requested comparison"), "{}", ran.stdout);
    // One that was never synced has not failed.
    let fresh = Object::application();
    fresh.write(cluster, application_spec());
    fresh.report(cluster, json!({"sync": {"status": "OutOfSync", "revision": NEW}, "health": {"status": "Missing"}, "reconciledAt": now()}));
    look(cluster, &[&fresh.shown()]).expect(4);
}

#[test]
fn a_kustomization_answers_requests_and_tells_its_revision() {
    let Some(cluster) = cluster() else { return };
    let kustomization = Object::kustomization();
    let shown = kustomization.shown();
    let spec = json!({"spec": {"interval": "1m", "path": "./prod", "prune": true, "sourceRef": {"kind": "GitRepository", "name": "shop"}}});
    let status = |revision: &str| {
        json!({
            "observedGeneration": 1, "lastAppliedRevision": format!("main@sha1:{revision}"),
            "lastAttemptedRevision": format!("main@sha1:{revision}"),
            "conditions": [condition("Ready", "True", "ReconciliationSucceeded", "Applied", Some(1))],
        })
    };
    kustomization.write(cluster, spec.clone()).report(cluster, status(OLD));
    look(cluster, &[&shown]).expect(0);
    look(cluster, &[&shown, "--revision", NEW]).expect(4);
    look(cluster, &[&shown, "--revision", "main"]).expect(4);
    let mut requested = spec;
    requested["metadata"] = json!({"annotations": {"reconcile.fluxcd.io/requestedAt": "now"}});
    kustomization.write(cluster, requested);
    let ran = look(cluster, &[&shown]).expect(4);
    assert!(ran.stdout.contains("a requested reconciliation"), "{}", ran.stdout);
    let waiting = Waiting::begin(cluster, &[&shown, "--revision", NEW]);
    let mut status = status(NEW);
    status["lastHandledReconcileAt"] = "now".into();
    kustomization.report(cluster, status);
    waiting.end().expect(0);
}

#[test]
fn what_comes_from_an_application_is_held_to_its_revision() {
    let Some(cluster) = cluster() else { return };
    let (application, bucket) = (Object::application(), Object::bucket());
    let mut applied = spec("a");
    let id = format!("{}:{GROUP}/Bucket:/{}", application.name, bucket.name);
    applied["metadata"] = json!({"annotations": {"argocd.argoproj.io/tracking-id": id}});
    bucket.write(cluster, applied).report(cluster, well(1));
    application.write(cluster, application_spec()).report(cluster, application_status(OLD, "Synced", "Healthy"));
    look(cluster, &[&bucket.shown()]).expect(0);
    look(cluster, &[&bucket.shown(), "--revision", OLD]).expect(0);
    look(cluster, &[&bucket.shown(), "--revision", NEW]).expect(4);
    let alone = Object::bucket();
    alone.write(cluster, spec("a")).report(cluster, well(1));
    let ran = look(cluster, &[&alone.shown(), "--revision", NEW]).expect(4);
    assert!(ran.stdout.contains("it is unknown whether it comes from revision"), "{}", ran.stdout);
}

#[test]
fn it_watches_and_does_not_poll() {
    let Some(cluster) = support::start(Options::named("unpolled")) else { return };
    let kinds = vec![crd("Bucket", "managed", "Cluster")];
    support::run(async || load::load_objects(&cluster.client(), kinds).await).unwrap();
    let bucket = Object::bucket();
    bucket.write(&cluster, spec("a")).report(&cluster, creating());
    let waiting = Waiting::begin(&cluster, &[&bucket.shown()]);
    let mark = cluster.audit_mark();
    for number in 0..5 {
        bucket.write(&cluster, spec(&number.to_string()));
    }
    bucket.report(&cluster, well(6));
    waiting.end().expect(0);
    let asked: Vec<String> = cluster
        .requests_since(mark)
        .into_iter()
        .filter(|request| request.user.starts_with("waiter-") && request.verb != "watch")
        // At the end, discovery is compared with the definitions.
        .filter(|request| !request.uri.starts_with("/apis/apiextensions.k8s.io/v1/customresourcedefinitions?"))
        .map(|request| format!("{} {}", request.verb, request.uri))
        .collect();
    assert_eq!(asked, Vec::<String>::new(), "a change is learnt from a watch");
}

#[test]
fn a_server_that_goes_away_is_waited_for() {
    let Some(mut cluster) = support::start(Options::named("wait-restarted")) else { return };
    let kinds = vec![crd("Bucket", "managed", "Cluster")];
    support::run(async || load::load_objects(&cluster.client(), kinds).await).unwrap();
    let bucket = Object::bucket();
    bucket.write(&cluster, spec("a")).report(&cluster, creating());
    let waiting = Waiting::begin(&cluster, &[&bucket.shown()]);
    cluster.stop();
    std::thread::sleep(Duration::from_secs(1));
    cluster.restart().unwrap();
    bucket.report(&cluster, well(1));
    waiting.end().expect(0);
    cluster.stop();
    // Nobody is there from the beginning.
    let ran = wait(&cluster, &[&bucket.shown()]).expect(3);
    assert!(ran.stderr.contains("cannot reach"), "{}", ran.stderr);
}

#[test]
fn a_version_that_the_server_has_forgotten_is_listed_again() {
    let Some(mut cluster) = support::start(Options::named("wait-expired")) else { return };
    let kinds = vec![crd("Bucket", "managed", "Cluster")];
    support::run(async || load::load_objects(&cluster.client(), kinds).await).unwrap();
    let bucket = Object::bucket();
    bucket.write(&cluster, spec("a")).report(&cluster, creating());
    let proxy = Proxy::start(&cluster).unwrap();
    let release = Arc::new(Notify::new());
    proxy.add(Rule::on("&watch=true", Fault::Held(Arc::clone(&release))).times(1));
    let mut command = command(&cluster, &[&bucket.shown(), "--timeout", "90s"]);
    command.env("KUBECONFIG", proxy.kubeconfig()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let waiting = Waiting(command.spawn().unwrap());
    let watches = || {
        proxy.seen().into_iter().map(|seen| seen.uri).find(|uri| uri.contains("buckets?") && uri.contains("watch=true"))
    };
    let held = support::run(async || support::eventually(async || watches()).await);
    // A server that starts knows nothing of what was before it.
    bucket.report(&cluster, well(1));
    cluster.stop();
    cluster.restart().unwrap();
    let said = cluster.kubectl(["get", "--raw", &held]).output().unwrap();
    assert!(String::from_utf8_lossy(&said.stdout).contains(r#""code":410"#), "it still knows: {said:?}");
    release.notify_one();
    waiting.end().expect(0);
}

#[test]
fn a_server_that_cannot_watch_is_not_asked_without_end() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    bucket.write(cluster, spec("a")).report(cluster, creating());
    // What it forgot at once, and what it cannot do.
    for code in [410, 500] {
        let proxy = Proxy::start(cluster).unwrap();
        proxy.add(Rule::on("watch=", Fault::broken_watch(code)));
        let mut command = command(cluster, &[&bucket.shown(), "--timeout", "5s"]);
        command.env("KUBECONFIG", proxy.kubeconfig());
        run(command).expect(4);
        let of_buckets = |uri: &str| uri.contains("buckets?") && uri.contains("watch=");
        let watches = proxy.seen().iter().filter(|seen| of_buckets(&seen.uri)).count();
        assert!((2..=30).contains(&watches), "{watches} watches in five seconds at {code}");
    }
}

#[test]
fn what_may_not_be_read_is_not_waited_for() {
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    bucket.write(cluster, spec("a")).report(cluster, creating());
    let kubeconfig = cluster.kubeconfig_for("nobody-in-particular", None);
    let mut asked = command(cluster, &[&bucket.shown(), "-o", "json"]);
    let ran = run({
        asked.env("KUBECONFIG", &kubeconfig);
        asked
    });
    let document = ran.clone().expect(4).json();
    assert_eq!(document["outcome"], "unreadable");
    assert!(ran.stderr.contains("error: cannot be read, so it is unknown: buckets."), "{}", ran.stderr);
    assert!(ran.stderr.contains("wait --print-rbac"), "{}", ran.stderr);
    // Who may list and not watch is told so as well, instead of at the timeout.
    let name = json!({"name": "lister-of-buckets"});
    cluster.apply(&json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": name,
            "rules": [{"apiGroups": [GROUP], "resources": ["buckets"], "verbs": ["list"]}]},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": name,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "lister-of-buckets"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "lister"}]},
    ]}));
    let kubeconfig = cluster.kubeconfig_for("lister", None);
    let ran = support::run(async || {
        support::eventually(async || {
            let mut asked = command(cluster, &[&bucket.shown()]);
            asked.env("KUBECONFIG", &kubeconfig);
            let ran = run(asked);
            ran.stderr.contains("cannot watch").then_some(ran)
        })
        .await
    });
    ran.expect(4);
}

#[test]
fn any_kind_can_be_waited_for() {
    let Some(cluster) = cluster() else { return };
    let job = Object::new("batch", "v1", "Job", Some("default"));
    let pods = json!({"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}});
    let waiting = Waiting::begin(cluster, &[&job.shown(), "-n", "default"]);
    job.write(cluster, json!({"spec": pods}));
    let done = json!({
        "startTime": now(), "completionTime": now(), "succeeded": 1,
        "conditions": [
            {"type": "SuccessCriteriaMet", "status": "True", "lastTransitionTime": now(), "lastProbeTime": now()},
            {"type": "Complete", "status": "True", "lastTransitionTime": now(), "lastProbeTime": now()},
        ],
    });
    job.report(cluster, done);
    waiting.end().expect(0);
    look(cluster, &["namespace/default", "configmap/kube-root-ca.crt-not-there", "-n", "default"]).expect(4);
    look(cluster, &["namespace/default"]).expect(0);
}

#[test]
fn what_makes_no_sense_is_refused() {
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
fn an_interrupt_ends_it_at_once() {
    use std::os::unix::process::ExitStatusExt as _;
    let Some(cluster) = cluster() else { return };
    let bucket = Object::bucket();
    let mut waiting = Waiting::begin(cluster, &[&bucket.shown()]);
    let began = Instant::now();
    signal(&waiting.0, "INT");
    let status = waiting.0.wait().unwrap();
    assert_eq!(status.signal(), Some(2));
    assert!(began.elapsed() < Duration::from_secs(60), "it waited on");
}
