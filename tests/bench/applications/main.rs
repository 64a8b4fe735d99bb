//! `cargo bench --bench applications`: a repository from which a thousand Applications deploy, and its core cluster, live
//! and as a snapshot. Every command that reads all of them is run at several sizes: twice as many may
//! take no more than about twice as long.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench talks to a person")]

#[path = "../measure.rs"]
mod measure;
mod repository;
#[path = "../../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::Parser;
use comfy_table::{Table, presets};
use measure::{Cost, median, run};
use support::load;

/// Plans and compares a repository of many Applications
#[derive(Parser)]
struct Arguments {
    /// Applications, in ascending order
    #[arg(long, value_delimiter = ',', default_values_t = [250, 500, 1_000, 2_000])]
    applications: Vec<usize>,
    /// One in so many Applications has a newer image in the working tree
    #[arg(long, default_value_t = 10)]
    changed: usize,
    /// How often each command is run; the median counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Another build of the plugin to measure, such as the one before a change
    #[arg(long, default_value = env!("CARGO_BIN_EXE_kubectl-ucp"))]
    plugin: PathBuf,
    /// Leave out what needs an API server
    #[arg(long)]
    offline: bool,
    /// Keep the repository, the snapshot and the cluster of the last size until Ctrl-C, to measure by hand
    #[arg(long)]
    hold: bool,
    /// As cargo passes it
    #[arg(long, hide = true)]
    bench: bool,
    /// A child process writes and loads everything: a process inherits the peak memory of its parent
    #[arg(long, hide = true)]
    fill: Option<PathBuf>,
}

const REPOSITORY: &str = "repository";
const SNAPSHOT: &str = "snapshot.json";
/// The allowed growth of CPU time when the number doubles. Sorting and page faults grow a little faster.
const ALLOWED: f64 = 2.8;
/// Below this, nothing can be distinguished from the start of a program.
const TOO_SHORT: f64 = 0.1;

/// A repository with its cluster.
struct World {
    directory: tempfile::TempDir,
    cluster: Option<support::Cluster>,
    applications: usize,
}

impl World {
    fn new(arguments: &Arguments, applications: usize) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let cluster = match arguments.offline {
            true => None,
            false => support::start(support::Options::named("applications")),
        };
        eprintln!("preparing {applications} Applications …");
        let mut fill = Command::new(std::env::current_exe().expect("this program has a path"));
        fill.arg("--fill").arg(directory.path());
        fill.args(["--applications", &applications.to_string(), "--changed", &arguments.changed.to_string()]);
        match &cluster {
            Some(cluster) => fill.env("KUBECONFIG", cluster.kubeconfig()),
            None => fill.arg("--offline"),
        };
        run(&mut fill, 0);
        Self { directory, cluster, applications }
    }

    fn repository(&self) -> PathBuf {
        self.directory.path().join(REPOSITORY)
    }

    fn snapshot(&self) -> PathBuf {
        self.directory.path().join(SNAPSHOT)
    }

    /// Every command, by its name, with its expected exit code.
    fn commands(&self, plugin: &Path) -> Vec<(&'static str, i32, Command)> {
        let ucp = |arguments: &[&str]| {
            let mut command = Command::new(plugin);
            command.current_dir(self.repository()).args(arguments).env_remove("KUBECONFIG");
            command
        };
        let offline = |arguments: &[&str]| {
            let mut command = ucp(arguments);
            command.arg("--from").arg(self.snapshot());
            command
        };
        let application = format!("application/{}", repository::some_application(self.applications));
        let mut commands = Vec::new();
        if let Some(cluster) = &self.cluster {
            let live = |arguments: &[&str]| {
                let mut command = ucp(arguments);
                command.env("KUBECONFIG", cluster.kubeconfig());
                command
            };
            commands.extend([
                // Some Applications have a newer image in the working tree, and some differ in the cluster: a difference is 1,
                // and takes precedence over unreadable parts.
                ("plan .", 1, live(&["plan", "."])),
                ("plan --base main .", 1, live(&["plan", "--base", "main", "."])),
                ("drift --repo .", 1, live(&["drift", "--repo", "."])),
            ]);
        }
        commands.extend([
            // Problems are reported, and are no failure without --exit-code.
            ("status --from", 0, offline(&["status"])),
            ("resources --from", 0, offline(&["resources"])),
            // One in ten Applications is out of sync.
            ("drift --from", 1, offline(&["drift"])),
            // No controller is in the snapshot: running versions are as Argo CD last saw them, and so unknown.
            ("images --from", 4, offline(&["images"])),
            ("tree APPLICATION --from", 0, offline(&["tree", &application])),
            ("conflicts --from", 0, offline(&["conflicts"])),
            ("promote stage prod --all --dry-run", 0, ucp(&["promote", "stage", "prod", "--all", "--dry-run"])),
        ]);
        commands
    }
}

/// Writes the repository and the snapshot, and loads the cluster of `KUBECONFIG`.
fn fill(directory: &Path, arguments: &Arguments) {
    let applications = arguments.applications.first().copied().expect("a number");
    let repository = directory.join(REPOSITORY);
    std::fs::create_dir(&repository).expect("a directory can be made");
    repository::write(&repository, applications, arguments.changed);
    let items = repository::objects(applications);
    let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": items});
    std::fs::write(directory.join(SNAPSHOT), list.to_string()).expect("a file can be written");
    if !arguments.offline {
        support::run(async || {
            let client = kube::Client::try_default().await.expect("KUBECONFIG names the cluster");
            load::load_objects(&client, items).await.expect("the objects are loaded");
        });
    }
}

fn measure(world: &World, arguments: &Arguments) -> Vec<(&'static str, Cost)> {
    let commands = world.commands(&arguments.plugin).into_iter();
    commands
        .map(|(name, code, mut command)| (name, median((0..arguments.runs).map(|_| run(&mut command, code)).collect())))
        .collect()
}

/// How long kustomize alone takes for the same directories, from a sample of them, two at a time as cores are.
fn kustomize(world: &World) -> f64 {
    const SAMPLE: usize = 20;
    let overlays = repository::overlays(world.applications);
    let started = Instant::now();
    let sample = overlays.iter().take(SAMPLE);
    let number = sample.clone().count();
    sample.for_each(|path| {
        run(Command::new("kubectl").arg("kustomize").arg(world.repository().join(path)), 0);
    });
    started.elapsed().as_secs_f64() * overlays.len() as f64 / number.max(1) as f64
}

fn main() {
    let arguments = Arguments::parse();
    if let Some(directory) = &arguments.fill {
        return fill(directory, &arguments);
    }
    let mut sizes: Vec<(usize, Vec<(&'static str, Cost)>)> = Vec::new();
    for applications in arguments.applications.iter().copied() {
        let world = World::new(&arguments, applications);
        if arguments.hold {
            println!("cd {}\n# snapshot: {}", world.repository().display(), world.snapshot().display());
            if let Some(cluster) = &world.cluster {
                println!("export KUBECONFIG={}", cluster.kubeconfig().display());
            }
            loop {
                std::thread::park();
            }
        }
        let costs = measure(&world, &arguments);
        print(applications, &costs, &world);
        sizes.push((applications, costs));
    }
    grows_with_the_number(&sizes);
}

fn print(applications: usize, costs: &[(&'static str, Cost)], world: &World) {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(["command", "wall", "CPU", "peak memory"]);
    for (name, cost) in costs {
        table.add_row([
            (*name).to_owned(),
            format!("{:.2} s", cost.wall.as_secs_f64()),
            format!("{:.2} s", cost.cpu.as_secs_f64()),
            format!("{:.1} MB", cost.memory as f64 / 1e6),
        ]);
    }
    println!(
        "\n{applications} Applications; kubectl kustomize alone takes {:.1} s, one after another\n\n{table}",
        kustomize(world)
    );
}

/// Fails where something takes much more than twice as long for twice as many.
fn grows_with_the_number(sizes: &[(usize, Vec<(&'static str, Cost)>)]) {
    let mut worst = Vec::new();
    for pair in sizes.windows(2) {
        let [(few, before), (many, after)] = pair else { continue };
        let doublings = (*many as f64 / *few as f64).log2();
        for ((name, before), (_, after)) in before.iter().zip(after) {
            let (before, after) = (before.cpu.as_secs_f64().max(TOO_SHORT), after.cpu.as_secs_f64());
            let growth = (after / before).powf(1.0 / doublings);
            println!("{name}: {growth:.2} times the CPU for twice as many, from {few} to {many}");
            if growth > ALLOWED {
                worst.push(format!("{name} from {few} to {many}: {growth:.2}"));
            }
        }
    }
    assert!(worst.is_empty(), "it grows faster than the number: {}", worst.join("; "));
}
