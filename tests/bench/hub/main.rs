//! `cargo bench --bench hub`: a large hub on a real API server, near and far, read by kubectl, by us, by h2load and with
//! the bare requests. Every figure is of the same run; the ratios count.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench talks to a person")]

mod bare;
mod cold;
mod distance;
#[path = "../measure.rs"]
mod measure;
mod neighbour;
mod past;
mod screen;
mod seed;
#[path = "../../support/mod.rs"]
mod support;
mod table;
mod watching;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use clap::Parser;
use measure::{median, run};
use support::Cluster;
use table::Row;

/// Reads a large hub with kubectl, with kubectl-ucp, with h2load and with bare requests
#[derive(Parser)]
struct Arguments {
    /// Kinds in category managed
    #[arg(long, default_value_t = 1_800)]
    kinds: usize,
    /// Managed resources, in five of those kinds; one table for each number
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 50_000])]
    resources: Vec<usize>,
    /// Milliseconds of a round trip to the server; one table for each number
    #[arg(long, value_delimiter = ',', default_values_t = [0, 50, 100])]
    away: Vec<u64>,
    /// How often each command but the first is run; the median counts
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Another build of the plugin to measure, such as the one before a change
    #[arg(long, default_value = env!("CARGO_BIN_EXE_kubectl-ucp"))]
    plugin: PathBuf,
    /// Leave out 'kubectl get managed', which takes minutes
    #[arg(long)]
    without_kubectl: bool,
    /// Only load the hub and stay until Ctrl-C, to measure by hand
    #[arg(long)]
    hold: bool,
    /// Only measure `history` and nightly snapshots
    #[arg(long, conflicts_with = "only_screen")]
    only_past: bool,
    /// Only measure `ui`
    #[arg(long)]
    only_screen: bool,
    /// As cargo passes it
    #[arg(long, hide = true)]
    bench: bool,
    /// The bare requests, which a child of this program makes
    #[arg(long, hide = true)]
    bare: Option<PathBuf>,
    /// A child process loads the objects, too: a process inherits the peak memory of its parent
    #[arg(long, hide = true)]
    seed_from: Option<usize>,
}

/// The build that is measured.
static PLUGIN: OnceLock<PathBuf> = OnceLock::new();

fn main() {
    let arguments = Arguments::parse();
    PLUGIN.get_or_init(|| arguments.plugin.clone());
    if let Some(paths) = &arguments.bare {
        return bare::request_all(paths);
    }
    if let (Some(first), [resources]) = (arguments.seed_from, &arguments.resources[..]) {
        return seed::fill(arguments.kinds, first..*resources);
    }
    let Some(mut cluster) = support::start(support::Options::named("hub")) else { return };
    let (mut loaded, mut above) = (0, Vec::new());
    for resources in arguments.resources.iter().copied() {
        eprintln!("loading {} kinds and {resources} resources …", arguments.kinds);
        let [kinds, first, number] = [arguments.kinds, loaded, resources].map(|number| number.to_string());
        run(this_program(&cluster).args(["--seed-from", &first, "--kinds", &kinds, "--resources", &number]), 0);
        loaded = resources;
        // Every kind's storage is made when it is first asked for: see `cold`.
        let first = run(ucp(cluster.kubeconfig()).arg("resources"), 0);
        println!("\nThe first 'kubectl ucp resources' after that took {:.1} s.", first.wall.as_secs_f64());
        if arguments.hold {
            println!("export KUBECONFIG={}", cluster.kubeconfig().display());
            loop {
                std::thread::park();
            }
        }
        if !arguments.only_past {
            above.extend(screen::measure(&cluster, resources));
        }
        if resources <= 10_000 && !arguments.only_screen {
            above.extend(past::measure(&cluster, arguments.runs));
        }
        if arguments.only_past || arguments.only_screen {
            continue;
        }
        for away in arguments.away.iter().map(|milliseconds| Duration::from_millis(*milliseconds)) {
            println!("\n{resources} resources, {} ms away\n", away.as_millis());
            let (runs, with_kubectl) = (arguments.runs, !arguments.without_kubectl);
            above.extend(distance::measure(&cluster, &distance::Ask { resources, away, runs, with_kubectl }));
            watching::measure(&cluster, away);
        }
    }
    if arguments.only_past || arguments.only_screen {
        assert!(above.is_empty(), "more than promised: {}", above.join("; "));
        return;
    }
    neighbour::measure(&cluster);
    cold::measure(&mut cluster);
    println!("\nWithout a cluster\n");
    let help = median((0..9).map(|_| run(plugin().arg("--help"), 0)).collect());
    let quotes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/quotes");
    let snapshot = median((0..9).map(|_| run(plugin().args(["status", "--from"]).arg(&quotes), 0)).collect());
    table::print(&[Row::new("kubectl ucp --help", help, 0), Row::new("kubectl ucp status --from quotes", snapshot, 0)]);
    assert!(above.is_empty(), "more than promised: {}", above.join("; "));
}

/// The plugin, with its kubeconfig.
fn ucp(kubeconfig: &Path) -> Command {
    let mut command = plugin();
    command.env("KUBECONFIG", kubeconfig);
    command
}

fn plugin() -> Command {
    Command::new(PLUGIN.get().expect("set at the beginning"))
}

fn this_program(cluster: &Cluster) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.env("KUBECONFIG", cluster.kubeconfig());
    command
}
