//! The first day: an empty cluster, a repository, and one command. Nodes are played here: they start the programs of a
//! workload as soon as it is there.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};

use serde_json::{Value, json};

use crate::crossplane::{self, PROVIDER};
use crate::scenario::row;
use crate::support::certificates::Validity;
use crate::support::command::{run, ucp, ucp_on};
use crate::world::{World, get};
use crate::{argocd, flux};

/// The app cluster, under the name that the deployments to it use.
const CLUSTER: &str = "prod";

/// `bootstrap` of a checkout, as it runs.
struct Run {
    child: Child,
    output: PathBuf,
}

impl Run {
    fn start(world: &World, arguments: &[&str]) -> Self {
        let output = world.hub.directory().join("bootstrap.log");
        let log = File::create(&output).unwrap();
        let url = world.forge.url("platform");
        let mut command: Command = ucp_on(&world.hub, ["bootstrap"]);
        command.args(arguments).args(["--yes", "--allow-localhost", "--timeout", "10m", "--repo-url", &url]);
        command.current_dir(world.hub.directory().join("trees/platform"));
        let child = command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap();
        Self { child, output }
    }

    fn reported(&self) -> String {
        fs::read_to_string(&self.output).unwrap()
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// Waits for an object that comes of it.
    fn until(&mut self, world: &mut World, object: &str) {
        world.until(object, |world| {
            let found = get(&world.hub, object);
            assert!(found.is_some() || self.ended().is_none(), "it ended before {object}: {}", self.reported());
            found
        });
    }

    /// Waits for its end, and returns its output.
    fn end(mut self, world: &mut World) -> String {
        let status = world.until("bootstrap ends", |_| self.ended());
        let reported = self.reported();
        assert!(status.success(), "{status}: {reported}");
        reported
    }
}

/// The contents of a cloud: a cluster, with the credentials of its administrator. Here that is the app cluster itself.
fn found_cloud(world: &World) {
    let admin = world.app.identity("provisioner", Some("system:masters"), Validity::Valid).unwrap();
    let kubeconfig = world.app.kubeconfig_with(&world.app.server(), &admin);
    world.app.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "default", "name": "administrator"},
        "stringData": {"kubeconfig": kubeconfig.to_string()},
    }));
}

/// The objects that both engines deploy: Crossplane, its provider, its login, a cluster, and its workload.
fn platform(world: &World) -> Vec<(String, String)> {
    let login = json!({
        "apiVersion": "kubernetes.crossplane.io/v1alpha1", "kind": "ProviderConfig", "metadata": {"name": "cloud"},
        "spec": {"credentials": {"source": "Secret", "secretRef":
            {"namespace": "crossplane-system", "name": "cloud", "key": "kubeconfig"}}},
    });
    let of =
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "default", "name": "administrator"}});
    let mut detail = json!({
        "apiVersion": "v1", "kind": "Secret", "fieldPath": "data.kubeconfig", "toConnectionSecretKey": "kubeconfig",
    });
    for field in ["namespace", "name"] {
        detail[field] = of["metadata"][field].clone();
    }
    let cluster = json!({
        "apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object", "metadata": {"name": CLUSTER},
        "spec": {
            "managementPolicies": ["Observe"], "providerConfigRef": {"name": "cloud"},
            "forProvider": {"manifest": of}, "connectionDetails": [detail],
            "writeConnectionSecretToRef": {"namespace": "crossplane-system", "name": CLUSTER},
        },
    });
    let file = |path: &str, objects: &[Value]| (path.to_owned(), yaml(objects));
    vec![
        file("crossplane/crossplane.yaml", &crossplane::manifests()),
        file("providers/provider.yaml", &[crossplane::package(world, "Provider", PROVIDER)]),
        file("configs/cloud.yaml", &[login]),
        file("clusters/prod.yaml", &[cluster]),
        (
            "shop/config.yaml".to_owned(),
            argocd::config("shop").replace("{name: shop}", "{name: shop, namespace: default}"),
        ),
    ]
}

fn yaml(objects: &[Value]) -> String {
    objects.iter().map(|object| format!("---\n{object}\n")).collect()
}

fn application(world: &World, name: &str, destination: Value) -> Value {
    let url = world.forge.url("platform");
    let policy = json!({
        "automated": {"selfHeal": true}, "syncOptions": ["SkipDryRunOnMissingResource=true"],
        "retry": {"limit": 100, "backoff": {"duration": "3s", "factor": 1, "maxDuration": "5s"}},
    });
    argocd::application(name, &url, name, &json!({"destination": destination, "syncPolicy": policy}))
}

/// Starts the programs of Crossplane, as its workload and its package appear.
fn run_crossplane(world: &mut World, bootstrap: &mut Run) {
    bootstrap.until(world, "deployment/crossplane -n crossplane-system");
    crossplane::start_core(world);
    bootstrap.until(world, "provider.pkg.crossplane.io/provider-kubernetes");
    crossplane::start_provider(world);
}

fn credentials(world: &World) -> String {
    // A person has it from the cloud's console.
    format!("crossplane-system/cloud={}", world.app.kubeconfig().display())
}

/// Rehearses the loss of the cluster: only values that were also typed on the first day would be lost.
fn rehearse(world: &World, fetched: &[&str]) {
    let url = world.forge.url("platform");
    let rehearsed = |mut command: Command| {
        command.args(["bootstrap", "--rehearse", "--repo-url", &url, "-o", "json"]);
        command.current_dir(world.hub.directory().join("trees/platform"));
        run(command).expect(0).json()
    };
    let document = rehearsed(ucp_on(&world.hub, []));
    let archive = world.hub.directory().join("tonight.tar.gz").display().to_string();
    run(ucp_on(&world.hub, ["snapshot", &archive])).expect(0);
    let taken = rehearsed(ucp(["--from", &archive]));
    assert_eq!((&taken["items"], &taken["returning"]), (&document["items"], &document["returning"]), "{taken:#}");
    let items = document["items"].as_array().unwrap().iter();
    let outcomes: Vec<String> = items.map(|item| format!("{} {}", item["outcome"], item["object"]["name"])).collect();
    let fetched = fetched.iter().map(|name| format!("\"fetched\" \"{name}\""));
    assert_eq!(
        outcomes,
        ["\"asked\" \"cloud\"".to_owned()].into_iter().chain(fetched).collect::<Vec<_>>(),
        "{document:#}"
    );
}

/// The expected result of the first run, and that a second one writes nothing.
fn check(world: &mut World, name: &str, run: Run, versions: &str, fetched: &[&str]) {
    let reported = run.end(world);
    assert!(reported.contains("Adopted app cluster prod."), "{reported}");
    assert!(reported.contains("objects are OK."), "{reported}");
    assert!(get(&world.app, "configmap/shop -n default").is_some(), "{reported}");
    // Not by the generation: Argo CD's Applications have no subresource for their status, so each status counts.
    let spec = |world: &World| {
        let all = get(&world.hub, versions).unwrap();
        let items = all["items"].as_array().unwrap().iter();
        items
            .map(|item| json!([item["metadata"]["name"], item["metadata"]["labels"], item["spec"], item["data"]]))
            .collect::<Vec<_>>()
    };
    let before = spec(world);
    let again = Run::start(world, &[]).end(world);
    assert!(again.contains("Nothing to write."), "{again}");
    assert!(!again.contains("Adopted"), "{again}");
    assert_eq!(spec(world), before);
    rehearse(world, fetched);
    let last =
        reported.lines().find(|line| line.starts_with("All ") && line.ends_with("objects are OK.")).unwrap_or_default();
    row(name, "an empty cluster", last);
}

#[test]
fn with_argo_cd() {
    let mut world = World::start("first-argocd");
    crossplane::serve_packages(&mut world);
    found_cloud(&world);
    let here = || json!({"server": "https://kubernetes.default.svc", "namespace": "argocd"});
    let away = json!({"name": CLUSTER, "namespace": "default"});
    let apps: Vec<Value> = ["crossplane", "providers", "configs", "clusters"]
        .into_iter()
        .map(|name| application(&world, name, here()))
        .chain([application(&world, "shop", away)])
        .collect();
    let mut root = application(&world, "root", here());
    root["spec"]["source"]["path"] = json!("apps");
    let mut files = platform(&world);
    files.extend([
        ("argocd/install.yaml".to_owned(), yaml(&argocd::manifests())),
        ("root.yaml".to_owned(), yaml(&[root])),
        ("apps/apps.yaml".to_owned(), yaml(&apps)),
    ]);
    world.forge.commit("platform", &files);
    let mut run = Run::start(&world, &["--secret-file", &credentials(&world)]);
    run.until(&mut world, "statefulset/argocd-application-controller -n argocd");
    argocd::start_programs(&mut world);
    run_crossplane(&mut world, &mut run);
    check(&mut world, "first day: Argo CD", run, "applications,secrets -n argocd", &["cluster-prod", "prod"]);
}

#[test]
fn with_flux() {
    let mut world = World::start("first-flux");
    crossplane::serve_packages(&mut world);
    found_cloud(&world);
    let kustomization = |name: &str, path: &str, more: Value| flux::kustomization(name, "flux-system", path, more);
    let after = |name: &str| json!({"dependsOn": [{"name": name}]});
    let apps = [
        kustomization("crossplane", "./crossplane", json!({"wait": true, "timeout": "30s"})),
        kustomization("providers", "./providers", after("crossplane")),
        kustomization("configs", "./configs", after("providers")),
        kustomization("clusters", "./clusters", after("configs")),
        kustomization(
            "shop",
            "./shop",
            json!({"kubeConfig": {"secretRef": {"name": format!("{CLUSTER}-kubeconfig")}}}),
        ),
    ];
    let start = [
        flux::repository("flux-system", &world.forge.url("platform")),
        kustomization("flux-system", "./cores/first", json!({})),
    ];
    let mut files = platform(&world);
    files.extend([
        ("cores/first/flux-system/gotk-components.yaml".to_owned(), yaml(&flux::manifests())),
        ("cores/first/flux-system/gotk-sync.yaml".to_owned(), yaml(&start)),
        (
            "cores/first/flux-system/kustomization.yaml".to_owned(),
            "resources: [gotk-components.yaml, gotk-sync.yaml]\n".to_owned(),
        ),
        ("cores/first/apps.yaml".to_owned(), yaml(&apps)),
    ]);
    world.forge.commit("platform", &files);
    let mut run = Run::start(&world, &["cores/first", "--secret-file", &credentials(&world)]);
    run.until(&mut world, "deployment/kustomize-controller -n flux-system");
    flux::start_programs(&mut world);
    run_crossplane(&mut world, &mut run);
    check(
        &mut world,
        "first day: Flux",
        run,
        "kustomizations.kustomize.toolkit.fluxcd.io,secrets -n flux-system",
        &["prod", "prod-kubeconfig"],
    );
}
