//! `cargo bench --bench hub`: a large hub on a real API server, read by kubectl, by us, and with the bare requests.
//! Every figure is of the same run; what counts are the ratios.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench talks to a person")]

mod bare;
#[path = "../measure.rs"]
mod measure;
mod seed;
#[path = "../../support/mod.rs"]
mod support;

use std::path::Path;
use std::process::Command;

use clap::Parser;
use comfy_table::{Table, presets};
use measure::{Cost, median, run};
use support::Cluster;

/// Reads a large hub with kubectl, with kubectl-ucp, and with bare requests
#[derive(Parser)]
struct Arguments {
    /// Kinds in category managed
    #[arg(long, default_value_t = 1_800)]
    kinds: usize,
    /// Managed resources, in five of those kinds
    #[arg(long, default_value_t = 10_000)]
    resources: usize,
    /// How often each command but the first is run; the median counts
    #[arg(long, default_value_t = 9)]
    runs: usize,
    /// Leave out 'kubectl get managed', which takes minutes
    #[arg(long)]
    without_kubectl: bool,
    /// Only load the hub and stay until Ctrl-C, to measure by hand
    #[arg(long)]
    hold: bool,
    /// As cargo passes it
    #[arg(long, hide = true)]
    bench: bool,
    /// The bare requests, which a child of this program makes
    #[arg(long, hide = true)]
    bare: Option<std::path::PathBuf>,
    /// The loading, in a child too: peak memory is inherited from whoever starts a program
    #[arg(long, hide = true)]
    seed: bool,
}

const UCP: &str = env!("CARGO_BIN_EXE_kubectl-ucp");

fn main() {
    let arguments = Arguments::parse();
    if let Some(paths) = &arguments.bare {
        return bare::request_all(paths);
    }
    if arguments.seed {
        return seed::fill(arguments.kinds, arguments.resources);
    }
    let Some(cluster) = support::start(support::Options::named("hub")) else { return };
    eprintln!("loading {} kinds and {} resources …", arguments.kinds, arguments.resources);
    let [kinds, resources] = [arguments.kinds, arguments.resources].map(|number| number.to_string());
    run(this_program(&cluster).args(["--seed", "--kinds", &kinds, "--resources", &resources]), 0);

    if arguments.hold {
        println!("export KUBECONFIG={}", cluster.kubeconfig().display());
        loop {
            std::thread::park();
        }
    }
    let ucp = |subcommand: &str| {
        let mut command = Command::new(UCP);
        command.args([subcommand, "--kubeconfig"]).arg(cluster.kubeconfig());
        command
    };
    let mut rows = Vec::new();
    if !arguments.without_kubectl {
        eprintln!("kubectl get managed …");
        let mark = cluster.audit_mark();
        let cost = run(&mut cluster.kubectl(["get", "managed"]), 0);
        rows.push(("kubectl get managed", cost, cluster.requests_since(mark).len()));
    }
    eprintln!("kubectl ucp …");
    let mark = cluster.audit_mark();
    run(&mut ucp("resources"), 0);
    let requests = cluster.requests_since(mark);
    let paths = cluster.directory().join("paths");
    std::fs::write(&paths, requests.iter().map(|request| request.uri.as_str()).collect::<Vec<_>>().join("\n"))
        .expect("written");
    let mut costs: [Vec<Cost>; 4] = Default::default();
    // Interleaved, so that a slow phase of the machine strikes all alike, and each time in another order, there and back,
    // so that the API server's collection of its garbage, which comes every few commands, does so too.
    let bare = || {
        let mut command = this_program(&cluster);
        command.arg("--bare").arg(&paths);
        command
    };
    let commands: [&dyn Fn() -> Command; 4] = [&bare, &|| ucp("resources"), &|| ucp("status"), &|| ucp("drift")];
    for round in 0..arguments.runs {
        for turn in 0..commands.len() {
            let step = if round.is_multiple_of(2) { turn } else { commands.len() - 1 - turn };
            let which = (round / 2 + step) % commands.len();
            costs[which].push(run(&mut commands[which](), 0));
        }
    }
    let [bare, resources, status, drift] = costs.map(median);
    let mark = cluster.audit_mark();
    run(&mut ucp("status"), 0);
    let status_requests = cluster.requests_since(mark).len();
    rows.push(("bare requests", bare, requests.len()));
    rows.push(("kubectl ucp resources", resources, requests.len()));
    rows.push(("kubectl ucp status", status, status_requests));
    let mark = cluster.audit_mark();
    run(&mut ucp("drift"), 0);
    rows.push(("kubectl ucp drift", drift, cluster.requests_since(mark).len()));
    let help = median((0..9).map(|_| run(Command::new(UCP).arg("--help"), 0)).collect());
    rows.push(("kubectl ucp --help", help, 0));
    let quotes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/quotes");
    let snapshot = median((0..9).map(|_| run(Command::new(UCP).args(["status", "--from"]).arg(&quotes), 0)).collect());
    rows.push(("kubectl ucp status --from quotes", snapshot, 0));
    print(&rows, bare);
}

fn this_program(cluster: &Cluster) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.env("KUBECONFIG", cluster.kubeconfig());
    command
}

fn print(rows: &[(&str, Cost, usize)], bare: Cost) {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(["command", "wall", "CPU", "peak memory", "requests", "wall ÷ bare"]);
    for (name, cost, requests) in rows {
        table.add_row([
            (*name).to_owned(),
            format!("{:.3} s", cost.wall.as_secs_f64()),
            format!("{:.3} s", cost.cpu.as_secs_f64()),
            format!("{:.1} MB", cost.memory as f64 / 1e6),
            requests.to_string(),
            format!("{:.2}", cost.wall.as_secs_f64() / bare.wall.as_secs_f64()),
        ]);
    }
    println!("{table}");
    let wall = |name: &str| rows.iter().find(|(row, ..)| *row == name).map(|(_, cost, _)| cost.wall.as_secs_f64());
    if let (Some(drift), Some(resources)) = (wall("kubectl ucp drift"), wall("kubectl ucp resources")) {
        println!("\nkubectl ucp drift takes {:.2} times as long as kubectl ucp resources", drift / resources);
    }
    if let (Some(kubectl), Some(ucp)) = (wall("kubectl get managed"), wall("kubectl ucp resources")) {
        println!("\nkubectl get managed takes {:.0} times as long as kubectl ucp resources", kubectl / ucp);
    }
}
