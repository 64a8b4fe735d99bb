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
    assert_eq!(
        stdout(&markdown),
        stdout(&plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "markdown"]))
    );

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

/// A managed resource whose CRD says what may not change, and a composite with its claim.
fn platform_crds() -> Vec<Value> {
    let crd = |kind: &str, scope: &str, category: &str, spec: Value| {
        let plural = format!("{}s", kind.to_lowercase());
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.plan.example.org")},
            "spec": {
                "group": "plan.example.org", "scope": scope,
                "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase(), "categories": [category]},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                    "type": "object", "properties": {"spec": spec},
                }}}],
            },
        })
    };
    let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let bucket = json!({"type": "object", "properties": {
        "deletionPolicy": {"type": "string"},
        "managementPolicies": {"type": "array", "items": {"type": "string"}},
        "forProvider": {"type": "object", "properties": {
            "location": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "location stays"}]},
            "storageClass": {"type": "string", "description": "The class. Changing this forces a new resource to be created."},
            "size": {"type": "integer", "maximum": 10},
            "password": {"type": "string"},
        }},
    }});
    vec![
        crd("Bucket", "Cluster", "managed", bucket),
        crd("XStore", "Cluster", "composite", free.clone()),
        crd("Store", "Namespaced", "claim", free),
    ]
}

fn bucket(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: plan.example.org/v1\nkind: Bucket\nmetadata: {{name: {name}, annotations: {{crossplane.io/external-name: ext-{name}}}}}\nspec: {spec}\n---\n"
    )
}

fn buckets(entries: &[(&str, &str)]) -> String {
    entries.iter().map(|(name, spec)| bucket(name, spec)).collect()
}

const CLAIM: &str = "apiVersion: plan.example.org/v1\nkind: Store\nmetadata: {name: shop, namespace: quotes}\nspec: {size: small, resourceRef: {apiVersion: plan.example.org/v1, kind: XStore, name: shop-x}}\n";

#[test]
fn it_says_what_would_happen_outside() {
    let Some(cluster) = support::start(Options::named("plan-outside")) else { return };
    let before = buckets(&[
        ("size", "{forProvider: {size: 1}}"),
        ("located", "{forProvider: {location: EU}}"),
        ("classed", "{forProvider: {storageClass: A}}"),
        ("observed", "{managementPolicies: [Observe], forProvider: {size: 1}}"),
        ("too-big", "{forProvider: {size: 1}}"),
        ("deleted", "{forProvider: {size: 1}}"),
        ("orphaned", "{deletionPolicy: Orphan, forProvider: {size: 1}}"),
        ("sized", "{forProvider: {size: 1, password: canary-old}}"),
    ]);
    let after = buckets(&[
        ("size", "{forProvider: {size: 2}}"),
        ("located", "{forProvider: {location: US}}"),
        ("classed", "{forProvider: {storageClass: B}}"),
        ("observed", "{managementPolicies: [Observe], forProvider: {size: 2}}"),
        ("too-big", "{forProvider: {size: 11}}"),
        ("sized", "{forProvider: {size: 1, password: canary-new}}"),
        ("made", "{forProvider: {size: 3}}"),
    ]);
    let repository = Repository::new(&[("infra/buckets.yaml", &before), ("infra/claim.yaml", CLAIM)]);
    let parts = [
        json!({"apiVersion": "plan.example.org/v1", "kind": "XStore", "metadata": {"name": "shop-x"}, "spec": {
            "resourceRefs": [{"apiVersion": "plan.example.org/v1", "kind": "Bucket", "name": "shop-b"}],
        }}),
        json!({"apiVersion": "plan.example.org/v1", "kind": "Bucket", "metadata": {"name": "shop-b"}, "spec": {"forProvider": {"size": 1}}}),
    ];
    let quotes = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "quotes"}});
    create(&cluster, [platform_crds(), vec![quotes, application("infra", "infra", json!({}))]].concat());
    create(&cluster, [platform_crds(), parts.to_vec()].concat());
    let applied = cluster
        .kubectl(["apply", "--server-side", "--field-manager=argocd-controller", "-f"])
        .arg(repository.path().join("infra"))
        .output()
        .unwrap();
    assert!(applied.status.success(), "{}", stderr(&applied));
    repository.branch("feature", &[("infra/buckets.yaml", &after)], &["infra/claim.yaml"]);

    let output = plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "json"]);
    let (plan_document, code) = document(&output);
    assert_eq!((code, &plan_document["unreadable"]), (1, &json!([])), "{plan_document:#}");
    let outside = |name: &str| {
        let external = &item(&plan_document, "Bucket", name)["external"];
        format!("{} {}", external["name"].as_str().unwrap_or("-"), external["effect"].as_str().unwrap_or("-"))
    };
    assert_eq!(outside("size"), "ext-size update");
    assert_eq!(outside("observed"), "ext-observed keep");
    assert_eq!(outside("deleted"), "ext-deleted delete");
    assert_eq!(outside("orphaned"), "ext-orphaned keep");
    assert_eq!(outside("made"), "ext-made import");
    let immutable = |name: &str| {
        let difference = &item(&plan_document, "Bucket", name)["differences"][0];
        (difference["path"].clone(), difference["external"].clone(), difference["immutable"]["by"].clone())
    };
    assert_eq!(immutable("size"), (json!("spec.forProvider.size"), json!(true), Value::Null));
    assert_eq!(immutable("classed"), (json!("spec.forProvider.storageClass"), json!(true), json!("description")));
    assert_eq!(immutable("located").2, json!("validation"));
    for (name, words) in [("located", "location stays"), ("too-big", "less than or equal to 10")] {
        let rejected = item(&plan_document, "Bucket", name);
        assert_eq!(rejected["check"], json!("rejected"));
        assert!(rejected["message"].as_str().unwrap().contains(words), "{rejected:#}");
    }
    let claim = item(&plan_document, "Store", "shop");
    assert_eq!(claim["action"], json!("remove"));
    let part = claim["composed"].as_array().unwrap().iter().find(|part| part["object"]["name"] == "shop-b").unwrap();
    assert_eq!(part["external"]["effect"], json!("delete"));
    assert!(!stdout(&output).contains("canary"));
    // What goes comes last.
    let order = names(&plan_document);
    let first_removal = order.iter().position(|name| name.starts_with("remove")).unwrap();
    assert!(order[first_removal..].iter().all(|name| name.starts_with("remove")), "{order:?}");
    let markdown = stdout(&plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "markdown"]));
    assert!(markdown.contains("outside, ext-deleted would be deleted") && markdown.contains("<details"), "{markdown}");
}

#[test]
fn what_needs_what_is_ordered_and_planned_as_new() {
    let Some(cluster) = support::start(Options::named("plan-new")) else { return };
    let crd = serde_json::to_string(&platform_crds()[0]).unwrap();
    let child = application("child", "child", json!({"destination": {"name": "in-cluster", "namespace": "fresh"}}));
    let repository = Repository::new(&[("apps/empty.yaml", "# nothing yet\n")]);
    create(
        &cluster,
        vec![application("parent", "apps", json!({"destination": {"name": "in-cluster", "namespace": "argocd"}}))],
    );
    repository.branch(
        "feature",
        &[
            ("apps/child.yaml", &child.to_string()),
            ("child/crd.yaml", &crd),
            ("child/bucket.yaml", &bucket("new", "{forProvider: {size: 1}}")),
            ("child/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: b}\n"),
            ("child/namespace.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: fresh}\n"),
        ],
        &[],
    );
    let (plan_document, code) =
        document(&plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "json"]));
    assert_eq!((code, &plan_document["unreadable"]), (1, &json!([])));
    assert_eq!(
        names(&plan_document),
        [
            "add Namespace/fresh",
            "add CustomResourceDefinition/buckets.plan.example.org",
            "add ConfigMap/m",
            "add Application/child",
            "add Bucket/new",
        ]
    );
    let check = |kind: &str, name: &str| item(&plan_document, kind, name)["check"].clone();
    assert_eq!(check("Bucket", "new"), json!("unchecked"));
    assert_eq!(check("ConfigMap", "m"), json!("unchecked"));
    assert_eq!(item(&plan_document, "ConfigMap", "m")["object"]["namespace"], json!("fresh"));
    assert_eq!(check("Application", "child"), json!("accepted"));
}

/// The registration of a cluster with Argo CD, by client certificate.
fn registration(name: &str, server: &str, cluster: &Cluster) -> Value {
    let kubeconfig = cluster.admin_kubeconfig().unwrap();
    let user = &kubeconfig["users"][0]["user"];
    let config = json!({"tlsClientConfig": {
        "caData": kubeconfig["clusters"][0]["cluster"]["certificate-authority-data"],
        "certData": user["client-certificate-data"], "keyData": user["client-key-data"],
    }});
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"namespace": "argocd", "name": name, "labels": {"argocd.argoproj.io/secret-type": "cluster"}},
        "stringData": {"name": name, "server": server, "config": config.to_string()},
    })
}

#[test]
fn app_clusters_are_reached_as_their_engines_reach_them() {
    let Some(core) = support::start(Options::named("plan-core")) else { return };
    let Some(app) = support::start(Options::named("plan-app")) else { return };
    let map = |color: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m, namespace: default}}\ndata: {{color: {color}}}\n"
        )
    };
    let repository =
        Repository::new(&[("argo/m.yaml", &map("red")), ("flux/m.yaml", &map("red").replace("name: m", "name: f"))]);
    let kubeconfig = serde_json::to_string(&app.admin_kubeconfig().unwrap()).unwrap();
    let git = json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository", "metadata": {"namespace": "flux-system", "name": "quotes"},
        "spec": {"url": "ssh://git@git.example.org/platform/quotes.git"},
    });
    let kustomization = json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"namespace": "flux-system", "name": "quotes"},
        "spec": {
            "sourceRef": {"kind": "GitRepository", "name": "quotes"}, "path": "./flux", "prune": true, "namePrefix": "pre-",
            "kubeConfig": {"secretRef": {"name": "app", "key": "kubeconfig"}},
            "postBuild": {"substitute": {"env": "prod"}}, "ignore": [{"paths": ["/data/ignored"]}],
        },
        "status": {"inventory": {"entries": [{"id": "default_old__ConfigMap", "v": "v1"}, {"id": "default_kept__ConfigMap", "v": "v1"}]}},
    });
    create(
        &core,
        vec![
            registration("prod", &app.server(), &app),
            registration("away", "https://127.0.0.1:1", &app),
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "flux-system", "name": "app"}, "stringData": {"kubeconfig": kubeconfig}}),
            application("prod", "argo", json!({"destination": {"name": "prod", "namespace": "default"}})),
            application(
                "away",
                "argo",
                json!({"destination": {"server": "https://127.0.0.1:1", "namespace": "default"}}),
            ),
            application("nowhere", "argo", json!({"destination": {"name": "nowhere", "namespace": "default"}})),
            git,
            kustomization,
        ],
    );
    create(
        &app,
        vec![
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "default", "name": "old"}}),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "default", "name": "kept", "annotations": {"kustomize.toolkit.fluxcd.io/prune": "disabled"}}}),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "default", "name": "pre-f"}, "data": {"color": "red", "ignored": "x", "mine": "y"}}),
        ],
    );
    repository.write(&[("flux/m.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: f, namespace: default}\ndata: {color: '${env}', ignored: z}\n")]);
    let mark = core.audit_mark();
    let (plan_document, code) = document(&plan(&core, &repository, &["-o", "json"]));
    assert_eq!(code, 1);
    assert_eq!(
        names(&plan_document),
        ["change ConfigMap/pre-f", "abandon ConfigMap/kept", "remove ConfigMap/old", "add ConfigMap/m"]
    );
    let flux = item(&plan_document, "ConfigMap", "pre-f");
    assert_eq!((&flux["cluster"], &flux["deployedBy"]["kind"]), (&json!("app"), &json!("Kustomization")));
    let differences = flux["differences"].as_array().unwrap();
    assert!(
        differences.iter().any(|entry| entry["path"] == "data.color" && entry["after"] == "prod"),
        "{differences:?}"
    );
    assert!(!differences.iter().any(|entry| entry["path"].as_str().unwrap().contains("ignored")), "{differences:?}");
    // Flux takes over what kubectl and its like wrote.
    assert!(
        differences.iter().any(|entry| entry["path"] == "data.mine" && entry["after"].is_null()),
        "{differences:?}"
    );
    assert_eq!(item(&plan_document, "ConfigMap", "m")["cluster"], json!("prod"));
    let unreadable = plan_document["unreadable"].to_string();
    assert!(unreadable.contains("away") && unreadable.contains("cannot be reached"), "{unreadable}");
    assert!(unreadable.contains("no cluster of that name is registered"), "{unreadable}");
    // Not one object of theirs was looked for in the core cluster.
    assert!(core.requests_since(mark).iter().all(|request| !request.uri.contains("/configmaps/m")));
    let kubeconfig = support_merged(&core, &app);
    let through = plan_as(
        &kubeconfig,
        &repository,
        &["--destination", "nowhere=plan-app", "--context", "plan-core", "-o", "json"],
    );
    assert!(!document(&through).0["unreadable"].to_string().contains("nowhere"), "{}", stdout(&through));
}

/// A kubeconfig with a context for each of two clusters.
fn support_merged(core: &Cluster, app: &Cluster) -> std::path::PathBuf {
    let kubeconfigs = [core.admin_kubeconfig().unwrap(), app.admin_kubeconfig().unwrap()];
    core.save(&support::kubeconfig::merged(&kubeconfigs))
}

#[test]
fn bad_input_costs_its_own_row() {
    let Some(cluster) = support::start(Options::named("plan-bad")) else { return };
    let repository = Repository::new(&[
        ("good/m.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: default}\n"),
        ("broken/kustomization.yaml", "resources: [missing.yaml]\n"),
        ("garbled/x.yaml", "apiVersion: v1\nkind: [\n"),
        ("unknown/x.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: u, namespace: default}\ndatum: {a: b}\n"),
    ]);
    let apps = ["good", "broken", "garbled", "absent", "unknown"].map(|path| application(path, path, json!({})));
    create(&cluster, apps.into());

    let output = plan(&cluster, &repository, &["-o", "json"]);
    let (plan_document, code) = document(&output);
    assert_eq!(code, 1);
    assert_eq!(names(&plan_document), ["add ConfigMap/m", "add ConfigMap/u"]);
    assert!(item(&plan_document, "ConfigMap", "u")["message"].as_str().unwrap().contains("datum"));
    let reason = |name: &str| {
        let entries = plan_document["unreadable"].as_array().unwrap();
        let entry = entries.iter().find(|entry| entry["what"].as_str().unwrap().contains(&format!("/{name} ")));
        entry.unwrap()["reason"].as_str().unwrap().to_owned()
    };
    // kustomize's own words, all of them, with the file's path in the repository.
    let alone = Command::new("kubectl").args(["kustomize", "broken"]).current_dir(repository.path()).output().unwrap();
    let top = std::fs::canonicalize(repository.path()).unwrap();
    let words = stderr(&alone).replace(&format!("{}/", top.display()), "");
    // A log's header, which some builds of kubectl print, has the time in it.
    assert!(words.trim().ends_with(&reason("broken")) && reason("broken").len() > 100, "{}", reason("broken"));
    assert!(reason("broken").contains("missing.yaml") && !reason("broken").contains("/tmp"), "{}", reason("broken"));
    assert!(reason("garbled").starts_with("garbled/x.yaml:"), "{}", reason("garbled"));
    assert_eq!(reason("absent"), "there is no 'absent' in the working tree");
    let table = stdout(&plan(&cluster, &repository, &[]));
    assert!(
        table.contains("could not be checked: application.argoproj.io/broken") && table.contains("missing.yaml"),
        "{table}"
    );

    // Where nothing at all builds, the work failed.
    let failed = plan(&cluster, &repository, &["--head", "main", "-o", "json"]);
    assert_eq!(failed.status.code(), Some(1));
    let broken = Repository::new(&[("broken/kustomization.yaml", "resources: [missing.yaml]\n")]);
    let output = plan(&cluster, &broken, &[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("missing.yaml") && stdout(&output).is_empty(), "{}", stderr(&output));
    assert_eq!(plan(&cluster, &repository, &["--base", "nonsense"]).status.code(), Some(2));
    assert_eq!(plan(&cluster, &repository, &["--from", "."]).status.code(), Some(2));
    let elsewhere = Repository::new(&[("else/m.yaml", "a: b\n")]);
    let output = plan(&cluster, &elsewhere, &["--repo-url", "https://other.example.org/x"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("no Application or Kustomization deploys from there"));

    // Somebody who may look, and not try.
    let user = "reader";
    let bound =
        cluster.kubectl(["create", "clusterrolebinding", "reader", "--clusterrole=reads", "--user=reader"]).status();
    let role = cluster
        .kubectl([
            "create",
            "clusterrole",
            "reads",
            "--verb=get,list",
            "--resource=configmaps,applications.argoproj.io",
        ])
        .status();
    assert!(bound.unwrap().success() && role.unwrap().success());
    let denied = plan_as(&cluster.kubeconfig_for(user, None), &repository, &["-o", "json"]);
    let (denied_document, code) = document(&denied);
    assert_eq!((code, names(&denied_document).len()), (4, 0), "{denied_document:#}");
    assert!(denied_document["unreadable"].to_string().contains("cannot patch"), "{denied_document:#}");
}

#[test]
fn two_thousand_applications_are_planned() {
    let Some(cluster) = support::start(Options::named("plan-many")) else { return };
    let map = |number: usize, color: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m-{number}, namespace: default}}\ndata: {{color: {color}}}\n"
        )
    };
    let files: Vec<(String, String)> =
        (0..2000).map(|number| (format!("apps/{number}/m.yaml"), map(number, "red"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let repository = Repository::new(&files);
    let apps = (0..2000).map(|number| application(&format!("app-{number}"), &format!("apps/{number}"), json!({})));
    create(&cluster, apps.collect());
    repository.branch("feature", &[("apps/7/m.yaml", &map(7, "blue"))], &["apps/9/m.yaml"]);
    let mark = cluster.audit_mark();
    let output = plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "json"]);
    let (plan_document, code) = document(&output);
    assert_eq!((code, names(&plan_document)), (1, vec!["add ConfigMap/m-7".to_owned()]));
    assert_eq!(plan_document["deployments"].as_array().unwrap().len(), 1999);
    let unreadable = plan_document["unreadable"].as_array().unwrap();
    assert_eq!(unreadable.len(), 1);
    assert!(unreadable[0]["reason"].as_str().unwrap().contains("there is no 'apps/9'"), "{unreadable:?}");
    // Only what changes in Git is asked about.
    let writes = cluster.requests_since(mark).into_iter().filter(|request| request.uri.contains("dryRun"));
    assert_eq!(writes.count(), 1);
    let output = plan(&cluster, &repository, &["-o", "markdown"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.len() <= 65_536 && stdout(&output).contains("2000 to add"), "{}", output.stdout.len());
}

#[test]
fn drift_compares_with_a_checkout_instead_of_what_the_engine_says() {
    let Some(cluster) = support::start(Options::named("plan-drift")) else { return };
    let repository = Repository::new(BASE);
    let mut quotes = application("quotes", "overlays/prod", json!({}));
    quotes["spec"]["ignoreDifferences"] =
        json!([{"group": "apps", "kind": "Deployment", "jqPathExpressions": [".spec.replicas"]}]);
    // Argo CD has not looked since.
    quotes["status"] = json!({"sync": {"status": "Synced"}, "health": {"status": "Healthy"}, "resources": [
        {"version": "v1", "kind": "ConfigMap", "namespace": "quotes", "name": "settings", "status": "Synced"},
        {"version": "v1", "kind": "ConfigMap", "namespace": "quotes", "name": "leftover", "status": "Synced"},
    ]});
    create(&cluster, vec![quotes]);
    assert!(cluster.kubectl(["create", "namespace", "quotes"]).status().unwrap().success());
    apply(&cluster, &repository.path().join("overlays/prod"), &["--server-side", "--field-manager=argocd-controller"]);
    for change in [
        &["scale", "deployment/quotes", "--replicas=7", "-n", "quotes"][..],
        &["patch", "configmap/settings", "-n", "quotes", "-p", r#"{"data":{"color":"pink"}}"#],
        &["patch", "secret/login", "-n", "quotes", "-p", r#"{"data":{"password":"Y2FuYXJ5LWh1bWFu"}}"#],
        &["delete", "service/quotes", "-n", "quotes"],
        &["create", "configmap", "leftover", "-n", "quotes"],
    ] {
        assert!(cluster.kubectl(change).stdout(Stdio::null()).status().unwrap().success(), "{change:?}");
    }
    let drift = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-ucp"));
        command.arg("drift").arg("--kubeconfig").arg(cluster.kubeconfig()).arg("--repo").arg(repository.path());
        command.args(arguments).env_remove("KUBECONFIG").output().unwrap()
    };
    let (report, code) = document(&drift(&["-o", "json"]));
    assert_eq!((code, &report["unreadable"]), (1, &json!([])), "{report:#}");
    let items = report["items"].as_array().unwrap();
    let mut found: Vec<String> = items
        .iter()
        .map(|item| {
            let paths = item["differences"].as_array().unwrap().iter();
            let paths: Vec<_> = paths.map(|entry| entry["path"].as_str().unwrap()).collect();
            format!(
                "{} {} {}",
                item["object"]["name"].as_str().unwrap(),
                item["code"].as_str().unwrap(),
                paths.join(" ")
            )
        })
        .collect();
    found.sort();
    assert_eq!(
        found,
        ["leftover UCP512 ", "login UCP511 data.password", "quotes UCP513 ", "settings UCP511 data.color"]
    );
    let table = stdout(&drift(&[]));
    assert!(table.contains("+  color: green") && table.contains("-  color: pink"), "{table}");
    assert!(!table.contains("Y2FuYXJ5") && !report.to_string().contains("Y2FuYXJ5"));
    let ignored = document(&drift(&["--ignore-path", "data", "-o", "json"])).0;
    assert_eq!(ignored["items"].as_array().unwrap().len(), 2, "{ignored:#}");
}
