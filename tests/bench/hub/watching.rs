//! How soon `status --watch` shows a change, and over how many connections.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::Cluster;
use crate::support::wire::{Door, Wire};
use crate::ucp;

/// Measures and prints.
pub(crate) fn measure(cluster: &Cluster, away: Duration) {
    let wire = Wire::start(cluster, Door::Open, away);
    let mut command = ucp(&wire.kubeconfig(cluster));
    command.args(["status", "--watch", "-o", "jsonpath={.counts}{\"\\n\"}"]).stdout(Stdio::piped());
    let mut watching = command.spawn().expect("the command starts");
    let mut lines = BufReader::new(watching.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let is_paused = |line: &String| line.contains("Paused");
    let _first = lines.next().expect("a document");
    let mut took = Vec::new();
    for (annotation, should_be) in [("crossplane.io/paused=true", true), ("crossplane.io/paused-", false)].repeat(2) {
        // Changes that arrive together are shown together, and a new watch may have initial changes.
        std::thread::sleep(Duration::from_secs(1));
        let object = ["annotate", "things0.family0.cloud.example.org/thing-0", annotation];
        let status = cluster.kubectl(object).stdout(Stdio::null()).status().expect("kubectl runs");
        assert!(status.success());
        let changed = Instant::now();
        lines.find(|line| is_paused(line) == should_be).expect("the change is shown");
        took.push(changed.elapsed());
    }
    took.sort_unstable();
    println!(
        "\nkubectl ucp status --watch holds {} connections and shows a change after {} ms ({} ms at most)",
        wire.open(),
        took[took.len() / 2].as_millis(),
        took[took.len() - 1].as_millis(),
    );
    watching.kill().expect("it runs");
    watching.wait().expect("it ends");
}
