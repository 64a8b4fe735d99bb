//! `cargo bench --bench renderers`: what `plan` takes for many Applications, HelmReleases and ApplicationSets, compared with
//! what helm and kustomize alone take for the same directories and charts, as many at a time as there are cores.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench talks to a person")]

mod measure;
#[path = "../support/mod.rs"]
mod support;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser;
use comfy_table::{Table, presets};
use measure::{Cost, median, run};
use serde_json::{Value, json};
use support::{helm, load};

/// Plans a repository of many deployers, and renders the same without this program
#[derive(Parser)]
struct Arguments {
    #[arg(long, default_value_t = 1_000)]
    applications: usize,
    #[arg(long, default_value_t = 500)]
    releases: usize,
    #[arg(long, default_value_t = 200)]
    sets: usize,
    /// How often each is run; the median counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Another build of the plugin to measure
    #[arg(long, default_value = env!("CARGO_BIN_EXE_kubectl-ucp"))]
    plugin: PathBuf,
    /// As cargo passes it
    #[arg(long, hide = true)]
    bench: bool,
}

const URL: &str = "https://git.example.org/platform/estate.git";
/// What `plan` may take, in multiples of what the renderers take alone.
const ALLOWED: f64 = 1.3;
/// One deployer in so many changes.
const CHANGED: usize = 10;

const TEMPLATE: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {number: {{ .Values.number | quote }}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'web:{{ .Chart.Version }}'}]}
";

/// What the deployers of a repository are.
struct Estate<'a> {
    top: &'a Path,
    arguments: &'a Arguments,
}

impl Estate<'_> {
    fn write(&self, path: &str, text: &str) {
        let path = self.top.join(path);
        std::fs::create_dir_all(path.parent().expect("below the top")).expect("a directory can be made");
        std::fs::write(path, text).expect("a file can be written");
    }

    fn directories(&self) -> impl Iterator<Item = String> {
        let applications = (0..self.arguments.applications).map(|number| format!("apps/app-{number:04}"));
        applications.chain((0..self.arguments.sets).map(|number| format!("sets/set-{number:04}/one")))
    }

    /// Writes what changes from commit to commit: one deployer in so many has another version.
    fn write_versions(&self, version: &str) {
        for (number, directory) in self.directories().enumerate() {
            let tag = if number % CHANGED == 0 { version } else { "v1" };
            let text = format!("resources: [all.yaml]\nimages: [{{name: web, newTag: {tag}}}]\n");
            self.write(&format!("{directory}/kustomization.yaml"), &text);
        }
        let mut releases = String::new();
        for number in 0..self.arguments.releases {
            let value = if number % CHANGED == 0 { version } else { "v1" };
            let release = json!({
                "apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
                "metadata": {"name": format!("release-{number:04}"), "namespace": "flux-system"},
                "spec": {
                    "interval": "5m", "targetNamespace": "shop", "releaseName": format!("release-{number:04}"),
                    "chart": {"spec": {"chart": "./charts/web", "sourceRef": {"kind": "GitRepository", "name": "estate"}}},
                    "values": {"number": value},
                },
            });
            let _ = writeln!(releases, "---\n{release}");
        }
        self.write("releases/all.yaml", &releases);
    }

    fn write_all(&self) {
        for directory in self.directories() {
            let name = directory.replace('/', "-");
            let map =
                json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"level": "info"}});
            let labels = json!({"app": name});
            let workload = json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
                "spec": {"selector": {"matchLabels": labels}, "template": {
                    "metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "web"}]},
                }},
            });
            self.write(&format!("{directory}/all.yaml"), &format!("{map}\n---\n{workload}\n"));
        }
        let mut sets = String::new();
        for number in 0..self.arguments.sets {
            let set = json!({
                "apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet",
                "metadata": {"name": format!("set-{number:04}"), "namespace": "argocd"},
                "spec": {
                    "goTemplate": true,
                    "generators": [{"git": {"repoURL": URL, "directories": [{"path": format!("sets/set-{number:04}/*")}]}}],
                    "template": {
                        "metadata": {"name": format!("set-{number:04}-{{{{ .path.basename }}}}")},
                        "spec": application_spec("{{ .path.path }}"),
                    },
                },
            });
            let _ = writeln!(sets, "---\n{set}");
        }
        self.write("declared/sets.yaml", &sets);
        self.write("charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n");
        self.write("charts/web/templates/web.yaml", TEMPLATE);
        self.write_versions("v1");
        let identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false"];
        let git = |arguments: &[&str]| {
            run(Command::new("git").arg("-C").arg(self.top).args(identity).args(arguments), 0);
        };
        git(&["init", "--quiet", "--initial-branch=main"]);
        git(&["remote", "add", "origin", URL]);
        git(&["add", "--all"]);
        git(&["commit", "--quiet", "--message", "what runs"]);
        self.write_versions("v2");
    }

    /// The deployers that the cluster has, and the namespaces of their objects.
    fn objects(&self) -> Vec<Value> {
        let namespaces = ["argocd", "flux-system", "shop"]
            .map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
        let application = |name: String, path: &str| {
            json!({
                "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
                "metadata": {"name": name, "namespace": "argocd"}, "spec": application_spec(path),
            })
        };
        let applications = (0..self.arguments.applications)
            .map(|number| application(format!("app-{number:04}"), &format!("apps/app-{number:04}")));
        let flux = [
            json!({
                "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
                "metadata": {"name": "estate", "namespace": "flux-system"}, "spec": {"interval": "5m", "url": URL},
            }),
            json!({
                "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
                "metadata": {"name": "releases", "namespace": "flux-system"},
                "spec": {
                    "interval": "5m", "path": "./releases", "prune": true,
                    "sourceRef": {"kind": "GitRepository", "name": "estate"},
                },
            }),
        ];
        let declared = application("declared".to_owned(), "declared");
        namespaces.into_iter().chain(applications).chain(flux).chain([declared]).collect()
    }

    /// The same renderings without this program, for both sides of the change: one command in each line.
    fn renderings(&self) -> String {
        let mut commands = String::new();
        for _side in 0..2 {
            for directory in self.directories() {
                let _ = writeln!(commands, "kubectl kustomize {directory}");
            }
            for number in 0..self.arguments.releases {
                let _ = writeln!(
                    commands,
                    "helm template --namespace=shop --include-crds --set=number={number} release-{number:04} charts/web"
                );
            }
        }
        commands
    }
}

fn application_spec(path: &str) -> Value {
    json!({
        "project": "default", "source": {"repoURL": URL, "path": path, "targetRevision": "main"},
        "destination": {"server": "https://kubernetes.default.svc", "namespace": "shop"},
        "syncPolicy": {"automated": {"prune": true}},
    })
}

fn main() {
    let arguments = Arguments::parse();
    let Some(cluster) = support::start(support::Options::named("renderers")) else { return };
    let directory = tempfile::tempdir().expect("a temporary directory");
    let top = directory.path().join("estate");
    let estate = Estate { top: &top, arguments: &arguments };
    estate.write_all();
    support::run(async || load::load_objects(&cluster.client(), estate.objects()).await)
        .expect("the objects are loaded");
    let commands = directory.path().join("commands");
    std::fs::write(&commands, estate.renderings()).expect("a file can be written");
    let cores = std::thread::available_parallelism().map_or(2, usize::from).to_string();
    let alone = || {
        let mut command = Command::new("xargs");
        command.args(["--delimiter=\\n", "-n1", "-P", &cores, "-a"]).arg(&commands);
        command.args(["sh", "-c", "$0 > /dev/null"]);
        run(command.current_dir(&top).env("PATH", helm::path()), 0)
    };
    let plan = || {
        let mut command = Command::new(&arguments.plugin);
        command.args(["plan", "--base", "main", "."]).current_dir(&top);
        run(command.env("PATH", helm::path()).env("KUBECONFIG", cluster.kubeconfig()), 1)
    };
    // In turns, so that the machine is the same for both.
    let (alone, plan): (Vec<Cost>, Vec<Cost>) = (0..arguments.runs).map(|_| (alone(), plan())).unzip();
    print(&arguments, median(alone), median(plan));
}

fn print(arguments: &Arguments, alone: Cost, plan: Cost) {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(["", "wall", "CPU", "peak memory of a program"]);
    for (name, cost) in [("helm and kustomize alone", alone), ("plan --base main .", plan)] {
        table.add_row([
            name.to_owned(),
            format!("{:.2} s", cost.wall.as_secs_f64()),
            format!("{:.2} s", cost.cpu.as_secs_f64()),
            format!("{:.1} MB", cost.memory as f64 / 1e6),
        ]);
    }
    let Arguments { applications, releases, sets, .. } = arguments;
    println!("\n{applications} Applications, {releases} HelmReleases, {sets} ApplicationSets\n\n{table}");
    let times = plan.wall.as_secs_f64() / alone.wall.as_secs_f64();
    println!("plan takes {times:.2} times as long");
    assert!(times <= ALLOWED, "more than {ALLOWED} times");
}
