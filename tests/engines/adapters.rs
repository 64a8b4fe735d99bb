//! Engines that are declared in `crates/ucp-core/src/engine/adapters`, all on one core cluster, as on a platform with several of them.

use serde_json::Value;

use crate::support::Controller;
use crate::support::servers::free_ports;
use crate::world::{Shared, Turn, World, apply_all, manifests, namespace, workload};
use crate::{cert_manager, kro, rollouts};

/// The namespace of the scenarios' objects.
pub const HOME: &str = "shop";

/// Their world; a scenario has it alone.
pub fn world() -> Turn<'static> {
    static WORLD: Shared = Shared::of(start);
    WORLD.take()
}

fn start() -> World {
    let mut world = World::with("adapters", &[&Controller::ALL[..], &Controller::WORKLOADS].concat());
    let mut objects: Vec<Value> = Vec::new();
    for build in [&cert_manager::BUILD, &kro::BUILD, &rollouts::BUILD] {
        let entries = std::fs::read_dir(build.directory().join("crds")).expect("definitions");
        let files = entries.map(|entry| entry.expect("an entry").path());
        let is_definition = |file: &std::path::PathBuf| {
            file.extension().is_some_and(|ending| ending == "yaml") && !file.ends_with("kustomization.yaml")
        };
        objects.extend(manifests(files.filter(is_definition)));
    }
    objects.extend([HOME, "cert-manager", "kro-system", "argo-rollouts"].map(namespace));
    for (space, name) in [("cert-manager", "cert-manager"), ("kro-system", "kro"), ("argo-rollouts", "argo-rollouts")] {
        let labels = [("app.kubernetes.io/name", name)];
        objects.push(workload("Deployment", space, name, &format!("registry.example.org/{name}:v1"), &labels));
    }
    apply_all(&world.hub, &objects);
    world.run("cert-manager", &cert_manager::BUILD.directory().join("cert-manager"), &[], &[]);
    let [metrics, health, more_metrics, more_health] = free_ports().expect("ports");
    let address = |flag: &str, port: u16| format!("--{flag}=127.0.0.1:{port}");
    let flags = [address("metrics-bind-address", metrics), address("health-probe-bind-address", health)];
    world.run("kro", &kro::BUILD.directory().join("kro"), &flags.each_ref().map(String::as_str), &[]);
    let kubeconfig = world.hub.kubeconfig().display().to_string();
    let flags = [
        format!("--kubeconfig={kubeconfig}"),
        "--leader-elect=false".to_owned(),
        format!("--metricsPort={more_metrics}"),
        format!("--healthzPort={more_health}"),
    ];
    let binary = rollouts::BUILD.directory().join("argo-rollouts");
    world.run("argo-rollouts", &binary, &flags.each_ref().map(String::as_str), &[]);
    world
}
