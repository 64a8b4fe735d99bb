//! `history --watch`: new occurrences are appended, until an interrupt.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::support::command::ucp_on;
use crate::support::{self, Cluster, Options};

/// A running `history --watch`, and its lines as they come.
struct Following {
    process: Child,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Following {
    fn start(cluster: &Cluster) -> Self {
        let mut command = ucp_on(cluster, ["history", "--watch", "--utc", "--all"]);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { process, lines, seen: Vec::new() }
    }

    /// Waits for a line with these words.
    fn until(&mut self, words: &str) -> String {
        let deadline = Instant::now() + Duration::from_secs(60);
        while let Ok(line) = self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            self.seen.push(line.clone());
            if line.contains(words) {
                return line;
            }
        }
        panic!("no line has '{words}': {:#?}", self.seen);
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
#[cfg(unix)]
fn watch_appends_each_change_and_deletion_once_until_ctrl_c() {
    use std::os::unix::process::ExitStatusExt as _;
    let Some(cluster) = support::start(Options::named("following")) else { return };
    let kubectl = |words: &str| {
        let output = cluster.kubectl(words.split_whitespace()).output().unwrap();
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    };
    kubectl("create deployment first --image=example.org/web:v1");
    let mut following = Following::start(&cluster);
    following.until("History of the control plane");
    kubectl("create deployment second --image=example.org/web:v1");
    following.until("second -n default was created");
    // The same within a moment is the same occurrence of two objects.
    kubectl("create deployment third --image=example.org/web:v1");
    following.until("third -n default was created");
    kubectl("delete deployment first");
    let deleted = following.until("first -n default was deleted");
    assert!(deleted.starts_with('≤'), "{deleted}");
    kubectl("delete deployment third");
    following.until("third -n default was deleted");
    kubectl("create deployment last --image=example.org/web:v1");
    following.until("last -n default was created");
    let times = |words: &str| following.seen.iter().filter(|line| line.contains(words)).count();
    assert_eq!(times("deployment.apps/first -n default was deleted"), 1, "{:#?}", following.seen);
    assert_eq!(times("History of"), 1, "{:#?}", following.seen);
    let killed = Command::new("kill").args(["-INT", &following.process.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let status = following.process.wait().unwrap();
    assert_eq!(status.signal(), Some(2), "{status:?}");
    let mut words = String::new();
    std::io::Read::read_to_string(&mut following.process.stderr.take().unwrap(), &mut words).unwrap();
    assert!(!words.contains("panic") && !words.contains("error"), "{words}");
}
