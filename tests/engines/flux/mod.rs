//! Flux's source-controller, kustomize-controller and helm-controller.

mod checks;
mod failing;
mod nobody;
mod releases;
mod waiting;

use serde_json::{Value, json};

use crate::binaries::Build;
use crate::support::servers::free_ports;
use crate::world::{self, Shared, Turn, World, apply_all, condition, get, namespace, workload};

/// The module and the programs of the engine.
pub const BUILD: Build = Build {
    module: "flux",
    version_of: Some("github.com/fluxcd/kustomize-controller"),
    programs: &[
        ("kustomize-controller", "github.com/fluxcd/kustomize-controller"),
        ("source-controller", "github.com/fluxcd/source-controller"),
        ("helm-controller", "github.com/fluxcd/helm-controller"),
    ],
    manifests: &[
        ("crds-of-sources", "github.com/fluxcd/source-controller", "config/crd/bases"),
        ("crds-of-kustomizations", "github.com/fluxcd/kustomize-controller", "config/crd/bases"),
        ("crds-of-releases", "github.com/fluxcd/helm-controller", "config/crd/bases"),
    ],
};

/// The kinds that a scenario may record.
pub const RESOURCES: &str = "gitrepositories.source.toolkit.fluxcd.io,helmcharts.source.toolkit.fluxcd.io,\
    kustomizations.kustomize.toolkit.fluxcd.io,helmreleases.helm.toolkit.fluxcd.io,deployments.apps";

/// The world of Flux; a scenario has it alone.
pub fn world() -> Turn<'static> {
    static WORLD: Shared = Shared::of(start);
    WORLD.take()
}

fn start() -> World {
    let mut world = World::start("flux");
    install(&mut world);
    world.forge.commit("apps", &[("shop/config.yaml", CONFIG)]);
    world.hub.apply(&repository("apps", &world.forge.url("apps")));
    world.hub.apply(&kustomization("shop", "apps", "./shop", json!({})));
    world.until("Flux applies a Kustomization", |world| ready(world, "kustomization/shop -n flux-system", "True"));
    world
}

/// Its programs.
const CONTROLLERS: [&str; 3] = ["source-controller", "kustomize-controller", "helm-controller"];

/// Installs and starts Flux in a world.
pub fn install(world: &mut World) {
    apply_all(&world.hub, &manifests());
    start_programs(world);
}

/// The installation: definitions, and the workloads of its programs.
pub fn manifests() -> Vec<Value> {
    let binaries = BUILD.directory();
    let crds = ["crds-of-sources", "crds-of-kustomizations", "crds-of-releases"];
    let mut objects: Vec<Value> = crds.iter().flat_map(|crds| world::directory(&binaries.join(crds))).collect();
    objects.push(namespace("flux-system"));
    for name in CONTROLLERS {
        let labels = [
            ("app", name),
            ("app.kubernetes.io/component", name),
            ("app.kubernetes.io/part-of", "flux"),
            ("app.kubernetes.io/instance", "flux-system"),
            ("app.kubernetes.io/version", "v2.9.4"),
        ];
        let image = format!("ghcr.io/fluxcd/{name}:v1.9.1");
        objects.push(workload("Deployment", "flux-system", name, &image, &labels));
    }
    objects
}

/// Starts its programs, as nodes would once its workloads are there.
pub fn start_programs(world: &mut World) {
    // A controller that starts before its kinds are served ends, and a node would start it again.
    world.until("its kinds are served", |world| {
        let kinds = "kustomizations.kustomize.toolkit.fluxcd.io,gitrepositories.source.toolkit.fluxcd.io,\
            ocirepositories.source.toolkit.fluxcd.io,helmreleases.helm.toolkit.fluxcd.io";
        let output = world.hub.kubectl(["get", "-A", kinds]).output().expect("kubectl");
        output.status.success().then_some(())
    });
    let binaries = BUILD.directory();
    let storage = world.hub.directory().join("flux-storage");
    std::fs::create_dir_all(&storage).expect("a directory");
    for name in CONTROLLERS {
        let [metrics, health, files] = free_ports().expect("ports");
        let address = |port: u16| format!("127.0.0.1:{port}");
        let mut arguments = vec![
            format!("--metrics-addr={}", address(metrics)),
            format!("--health-addr={}", address(health)),
            "--events-addr=".to_owned(),
            "--enable-leader-election=false".to_owned(),
            "--watch-all-namespaces=true".to_owned(),
            "--requeue-dependency=5s".to_owned(),
        ];
        if name == "source-controller" {
            arguments.push(format!("--storage-path={}", storage.display()));
            arguments.push(format!("--storage-addr={}", address(files)));
            arguments.push(format!("--storage-adv-addr={}", address(files)));
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        world.run(name, &binaries.join(name), &arguments, &[("RUNTIME_NAMESPACE", "flux-system")]);
    }
}

/// The ConfigMap that the Kustomization `shop` deploys.
pub const CONFIG: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: shop, namespace: default}
data: {greeting: hello}
";

/// A GitRepository in Flux's namespace.
pub fn repository(name: &str, url: &str) -> Value {
    json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
        "metadata": {"namespace": "flux-system", "name": name},
        "spec": {"interval": "10s", "url": url, "ref": {"branch": "main"}, "timeout": "20s"},
    })
}

/// A Kustomization there, with more in its `spec`.
pub fn kustomization(name: &str, source: &str, path: &str, more: Value) -> Value {
    let mut object = json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"namespace": "flux-system", "name": name},
        "spec": {
            "interval": "10s", "retryInterval": "10s", "timeout": "10s", "prune": true, "path": path,
            "sourceRef": {"kind": "GitRepository", "name": source},
        },
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        object["spec"][field] = value.clone();
    }
    object
}

/// The condition Ready of an object, once it has this status.
pub fn ready(world: &World, object: &str, status: &str) -> Option<String> {
    condition(&get(&world.hub, object)?, "Ready").filter(|reported| reported.starts_with(status))
}
