//! The cost of the past: `history` next to `status`, and nightly snapshots in one directory.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::measure::{Cost, median, run};
use crate::support::Cluster;
use crate::table::{self, Row};
use crate::ucp;

/// Nights in the directory.
const NIGHTS: usize = 14;
/// Objects that change every night.
const CHANGED: usize = 100;
/// `history` takes at most so many times as long as `status`, with so much peak memory in MB.
const MOST_TIME: f64 = 2.0;
const MOST_MEMORY: u64 = 80;
/// All nights take less than so many times the room of one.
const MOST_ROOM: f64 = 2.0;

/// Measures and prints. Returns the figures above their limits.
pub(crate) fn measure(cluster: &Cluster, runs: usize) -> Vec<String> {
    let kubeconfig = cluster.kubeconfig();
    let command = |arguments: &[&str]| {
        let mut command = ucp(kubeconfig);
        command.args(arguments);
        command
    };
    let (mut status, mut history): (Vec<Cost>, Vec<Cost>) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        status.push(run(&mut command(&["status"]), 0));
        history.push(run(&mut command(&["history"]), 0));
    }
    let requests = |arguments: &[&str]| {
        let mark = cluster.audit_mark();
        run(&mut command(arguments), 0);
        cluster.requests_since(mark).len()
    };
    let status = Row::new("kubectl ucp status", median(status), requests(&["status"]));
    let history = Row::new("kubectl ucp history", median(history), requests(&["history"]));
    let directory = cluster.directory().join("nights");
    let path = directory.display().to_string();
    let (mut one, mut nights) = (0, Vec::new());
    for night in 0..NIGHTS {
        change(cluster, night);
        nights.push(run(&mut command(&["snapshot", "--keep", &NIGHTS.to_string(), &path]), 0));
        one = if night == 0 { size(&directory) } else { one };
        // The names have seconds.
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
    let all = size(&directory);
    let read = |arguments: &[&str]| median((0..runs).map(|_| run(&mut command(arguments), 0)).collect());
    let rows = [
        status,
        history,
        Row::new("kubectl ucp snapshot --keep 14", median(nights), 0),
        Row::new("kubectl ucp status --from 14 nights", read(&["status", "--from", &path]), 0),
        Row::new("kubectl ucp history --from 14 nights", read(&["history", "--from", &path]), 0),
    ];
    println!("\nThe past\n");
    table::print(&rows);
    let room = all as f64 / one as f64;
    println!("\n{NIGHTS} nights take {all} bytes, {room:.2} times the {one} of the first one");
    let ratio = rows[1].wall().as_secs_f64() / rows[0].wall().as_secs_f64();
    let mut above: Vec<String> = rows[1].is_above(MOST_MEMORY).into_iter().collect();
    if ratio > MOST_TIME {
        above.push(format!("history: {ratio:.2} times as long as status, promised {MOST_TIME}"));
    }
    if room >= MOST_ROOM {
        above.push(format!("{NIGHTS} nights: {room:.2} times the room of one, promised less than {MOST_ROOM}"));
    }
    above
}

/// Changes some objects, other ones each night.
fn change(cluster: &Cluster, night: usize) {
    let object = |number: usize| {
        let number = (night * CHANGED + number) * 5;
        json!({"apiVersion": "family0.cloud.example.org/v1beta1", "kind": "Thing0", "metadata": {"name": format!("thing-{number}")},
            "spec": {"forProvider": {"night": format!("night {night}")}}})
    };
    let list = json!({"apiVersion": "v1", "kind": "List", "items": (0..CHANGED).map(object).collect::<Vec<_>>()});
    let path = cluster.directory().join("changes.json");
    std::fs::write(&path, list.to_string()).expect("written");
    let mut kubectl: Command = cluster.kubectl(["apply", "--server-side", "-f"]);
    let changed = kubectl.arg(&path).stdout(Stdio::null()).status().expect("kubectl runs");
    assert!(changed.success());
}

fn size(directory: &Path) -> u64 {
    let files = std::fs::read_dir(directory).expect("a directory");
    files.map(|file| file.expect("a file").metadata().expect("its size").len()).sum()
}
