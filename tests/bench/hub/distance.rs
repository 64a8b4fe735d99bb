//! The cost of commands at a distance, compared with h2load with the same requests.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::measure::{Cost, median, run};
use crate::support::Cluster;
use crate::support::wire::{Door, Wire};
use crate::table::{self, Row};
use crate::{this_program, ucp};

/// No controller runs in this cluster, by which drift would otherwise be unknown.
const DRIFT: [&str; 3] = ["drift", "--external-controllers", "crossplane"];
const NAMES: &str = "kubectl ucp resources thing1/<TAB>";
const NAMES_KNOWN: &str = "the same, where kubectl knows the kinds";

/// Peak memory that is promised with so many resources, in MB.
const MEMORY: [(&str, usize, u64); 3] =
    [("kubectl ucp resources", 10_000, 45), ("kubectl ucp resources", 50_000, 150), ("kubectl ucp status", 50_000, 80)];

type Measured<'a> = (&'a str, &'a dyn Fn() -> Command);

/// A measurement.
pub(crate) struct Ask {
    pub(crate) resources: usize,
    pub(crate) away: Duration,
    pub(crate) runs: usize,
    pub(crate) with_kubectl: bool,
}

/// Measures and prints. The first row is h2load where it is installed, else the bare requests of our own client. Returns
/// the rows that take more memory than is promised.
pub(crate) fn measure(cluster: &Cluster, ask: &Ask) -> Vec<String> {
    let Ask { resources: number, away, runs, with_kubectl } = *ask;
    let wire = Wire::start(cluster, Door::Open, away);
    let kubeconfig = wire.kubeconfig(cluster);
    let requests_of = |command: &mut Command| {
        let mark = cluster.audit_mark();
        run(command, 0);
        cluster.requests_since(mark)
    };
    let paths = cluster.directory().join("paths");
    // Continue tokens expire after minutes, and such a response is no baseline: they are requested again each time.
    let record = || {
        let requests = requests_of(ucp(cluster.kubeconfig()).arg("resources"));
        let uris: Vec<&str> = requests.iter().map(|request| request.uri.as_str()).collect();
        std::fs::write(&paths, uris.join("\n")).expect("written");
        requests.len()
    };
    let server = format!("https://{}", wire.address());
    let h2load = || h2load(&server, cluster.admin_token(), &paths, record());
    let bare = || {
        record();
        let mut command = this_program(cluster);
        command.arg("--bare").arg(&paths).env("KUBECONFIG", &kubeconfig);
        command
    };
    let one = |arguments: &'static [&str]| {
        let kubeconfig = kubeconfig.clone();
        move || {
            let mut command = ucp(&kubeconfig);
            command.args(arguments);
            command
        }
    };
    let [resources, status, drift] = [&["resources"][..], &["status"], &DRIFT].map(one);
    let [nothing, known] = ["no-cache", "kubectl-cache"].map(|name| cluster.directory().join(name));
    let complete = |cache: &Path| {
        let mut command = ucp(&kubeconfig);
        command.args(["__complete", "--cache-dir"]).arg(cache).args(["resources", "thing1/"]);
        command
    };
    let (complete_unknown, complete_known) = (|| complete(&nothing), || complete(&known));
    // It remembers the kinds, as it does for everybody who used it today.
    let mut kubectl = Command::new("kubectl");
    kubectl.args(["api-resources", "--cache-dir"]).arg(&known).env("KUBECONFIG", &kubeconfig);
    run(&mut kubectl, 0);
    let archive = cluster.directory().join("snapshot.tar.gz");
    let snapshot = || {
        let mut command = ucp(&kubeconfig);
        command.args(["snapshot", "--overwrite"]).arg(&archive);
        command
    };
    let mut measured: Vec<Measured<'_>> = Vec::new();
    if has_h2load() {
        measured.push(("h2load -c 1 -m 100", &h2load));
    }
    measured.extend([
        ("bare requests", &bare as &dyn Fn() -> Command),
        ("kubectl ucp resources", &resources),
        ("kubectl ucp status", &status),
        ("kubectl ucp drift", &drift),
        ("kubectl ucp snapshot", &snapshot),
        (NAMES, &complete_unknown),
        (NAMES_KNOWN, &complete_known),
    ]);
    let mut costs: Vec<Vec<Cost>> = measured.iter().map(|_| Vec::new()).collect();
    // Interleaved, so that a slow phase of the machine strikes all alike, and each time in another order, there and back,
    // so that the API server's collection of its garbage, which comes every few commands, does so too.
    for round in 0..runs {
        for turn in 0..measured.len() {
            let step = if round.is_multiple_of(2) { turn } else { measured.len() - 1 - turn };
            let which = (round / 2 + step) % measured.len();
            costs[which].push(run(&mut measured[which].1(), 0));
        }
    }
    let mut rows: Vec<Row> = measured
        .iter()
        .zip(costs)
        .map(|((name, command), costs)| {
            let requests = requests_of(&mut command());
            let refused = requests.iter().filter(|request| request.code.is_some_and(|code| code >= 400)).count();
            assert_eq!(refused, 0, "{name}: of {} requests some were refused", requests.len());
            Row::new(*name, median(costs), requests.len())
        })
        .collect();
    if with_kubectl {
        let mut kubectl = Command::new("kubectl");
        kubectl.args(["get", "managed"]).env("KUBECONFIG", &kubeconfig);
        let mark = cluster.audit_mark();
        rows.push(Row::new("kubectl get managed, once", run(&mut kubectl, 0), cluster.requests_since(mark).len()));
    }
    table::print(&rows);
    let [offered, offered_known] = [complete(&nothing), complete(&known)].map(|mut command| {
        let output = command.output().expect("the command runs").stdout;
        output.split(|byte| *byte == b'\n').filter(|line| line.contains(&b'/')).count()
    });
    println!("{NAMES} offers {offered} names");
    assert!(offered > 0 && offered == offered_known, "{NAMES_KNOWN}: {offered_known}");
    let wall = |name: &str| rows.iter().find(|row| row.is_of(name)).map(|row| row.wall().as_secs_f64());
    if let (Some(snapshot), Some(resources)) = (wall("kubectl ucp snapshot"), wall("kubectl ucp resources")) {
        println!("\nA snapshot takes {:.2} times as long as 'kubectl ucp resources'.", snapshot / resources);
    }
    let promised = MEMORY.iter().filter(|(_, resources, _)| *resources == number);
    let above = promised
        .flat_map(|(name, _, most)| rows.iter().filter(|row| row.is_of(name)).filter_map(|row| row.is_above(*most)));
    above.map(|row| format!("{row} with {number} resources, {} ms away", away.as_millis())).collect()
}

/// Whether h2load is installed.
pub(crate) fn has_h2load() -> bool {
    Command::new("h2load").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The requests of a file, a hundred at a time over one connection.
pub(crate) fn h2load(server: &str, token: &str, paths: &Path, requests: usize) -> Command {
    let mut command = Command::new("h2load");
    command
        .args(["-c", "1", "-m", "100", "-n", &requests.to_string(), "--base-uri", server])
        .arg(format!("--input-file={}", paths.display()))
        .arg(format!("--header=Authorization: Bearer {token}"))
        .arg("--header=Accept-Encoding: gzip");
    command
}
