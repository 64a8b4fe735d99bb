//! `cargo bench --bench promote`: a repository of 1,000 services in three environments.
//!
//! `promote --all --dry-run` against one run of kustomize a changed overlay (`kustomize edit set image`, or where there is no
//! `kustomize`, `kubectl kustomize`), and `images` against `kubectl kustomize` over the same overlays. Fails where the
//! promises are not kept.

#![allow(clippy::print_stdout, reason = "a bench talks to a person")]

#[path = "measure.rs"]
mod measure;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use measure::{Cost, median, run};

const SERVICES: usize = 1000;
const ENVIRONMENTS: [(&str, &str); 3] = [("dev", "v1.3.0"), ("stage", "v1.2.0"), ("prod", "v1.1.0")];
/// How many overlays the comparison runs, of which the time of all is computed.
const SAMPLE: usize = 20;
const RUNS: usize = 5;

fn write(top: &Path, path: &str, text: &str) {
    let path = top.join(path);
    std::fs::create_dir_all(path.parent().expect("below the top")).expect("a directory can be made");
    std::fs::write(path, text).expect("a file can be written");
}

fn generate(top: &Path) {
    for index in 0..SERVICES {
        let service = format!("service-{index:04}");
        let deployment = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {service}\nspec:\n  replicas: 1\n  selector:\n    matchLabels:\n      \
             app: {service}\n  template:\n    metadata:\n      labels:\n        app: {service}\n    spec:\n      containers:\n      - name: app\n        \
             image: registry.example.org/team/{service}\n        ports:\n        - containerPort: 8080\n"
        );
        write(top, &format!("{service}/base/deployment.yaml"), &deployment);
        write(top, &format!("{service}/base/kustomization.yaml"), "resources:\n- deployment.yaml\n");
        for (environment, tag) in ENVIRONMENTS {
            let text = format!(
                "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- ../../base\n\nimages:\n\
                 - name: registry.example.org/team/{service}\n  newTag: {tag} # set by the pipeline\n"
            );
            write(top, &format!("{service}/overlays/{environment}/kustomization.yaml"), &text);
        }
    }
}

fn ucp(top: &Path, arguments: &[&str]) -> Cost {
    let once = || run(Command::new(env!("CARGO_BIN_EXE_kubectl-ucp")).current_dir(top).args(arguments), 0);
    median((0..RUNS).map(|_| once()).collect())
}

/// One run of kustomize for one overlay, and its name.
fn kustomize(overlay: &Path, service: &str) -> (Command, &'static str) {
    if Command::new("kustomize").arg("version").output().is_ok_and(|output| output.status.success()) {
        let mut command = Command::new("kustomize");
        command
            .args(["edit", "set", "image", &format!("registry.example.org/team/{service}:v1.2.0")])
            .current_dir(overlay);
        return (command, "kustomize edit set image");
    }
    let mut command = Command::new("kubectl");
    command.arg("kustomize").arg(overlay);
    (command, "kubectl kustomize")
}

fn main() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let top = directory.path();
    generate(top);
    let mut git = Command::new("git");
    run(git.args(["init", "--quiet"]).current_dir(top), 0);

    let promote = ucp(top, &["promote", "stage", "prod", "--all", "--dry-run", "-o", "name"]);
    let images = ucp(top, &["images", "-o", "json"]);

    let started = Instant::now();
    let mut name = "";
    for index in 0..SAMPLE {
        let service = format!("service-{index:04}");
        let (mut command, called) = kustomize(&top.join(&service).join("overlays/prod"), &service);
        name = called;
        run(&mut command, 0);
    }
    let all = started.elapsed().mul_f64(SERVICES as f64 / SAMPLE as f64);

    // A build of every overlay, as `images` does: one process each.
    let started = Instant::now();
    for index in 0..SAMPLE {
        for (environment, _) in ENVIRONMENTS {
            let overlay = top.join(format!("service-{index:04}/overlays/{environment}"));
            run(Command::new("kubectl").arg("kustomize").arg(overlay), 0);
        }
    }
    let built = started.elapsed().mul_f64(SERVICES as f64 / SAMPLE as f64);

    let ratio = all.as_secs_f64() / promote.wall.as_secs_f64();
    let report = |name: &str, cost: Cost| {
        let (wall, cpu) = (cost.wall.as_secs_f64(), cost.cpu.as_secs_f64());
        println!("{name:34} {wall:8.3} s wall {cpu:8.3} s CPU {:6} MiB", cost.memory >> 20);
    };
    println!("{SERVICES} services in {} environments", ENVIRONMENTS.len());
    report("promote stage prod --all --dry-run", promote);
    report("images", images);
    println!("{name:34} {:8.3} s wall for {SERVICES} overlays, from {SAMPLE} of them", all.as_secs_f64());
    let overlays = SERVICES * ENVIRONMENTS.len();
    println!(
        "{:34} {:8.3} s wall for {overlays} overlays, from a part of them",
        "kubectl kustomize",
        built.as_secs_f64()
    );
    println!("promote is {ratio:.0} times faster");
    println!("images is {:.0} times faster than kubectl kustomize", built.as_secs_f64() / images.wall.as_secs_f64());
    assert!(ratio >= 50.0, "promised: at least 50 times");
    assert!(images.cpu < Duration::from_secs(1), "promised: under a second of CPU");
}
