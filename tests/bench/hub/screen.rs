//! What `ui` costs while it shows a hub: the time to its first frame, its CPU time while nothing happens, and its memory
//! next to that of `status --watch`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::Cluster;
use crate::{plugin, ucp};

/// Memory is at most this many times that of `status --watch`, and the CPU time of an idle screen this part of the time.
const MOST_MEMORY: f64 = 1.5;
const MOST_IDLE: f64 = 0.01;
/// After this time, what was read is in place.
const SETTLED: Duration = Duration::from_secs(10);
const IDLE: Duration = Duration::from_secs(30);
/// `sysconf(_SC_CLK_TCK)`, on every platform of Linux.
const TICKS_PER_SECOND: f64 = 100.0;

/// Measures and prints, where `script` can make a terminal. Returns what is above its limit.
pub(crate) fn measure(cluster: &Cluster, resources: usize) -> Vec<String> {
    let program = plugin().get_program().to_string_lossy().into_owned();
    let program = shlex::try_quote(&program).expect("a path").into_owned();
    let mut script = Command::new("script");
    script.args(["-qfec", &format!("stty cols 120 rows 40; exec {program} ui"), "/dev/null"]);
    script.env("KUBECONFIG", cluster.kubeconfig()).env("TERM", "xterm-256color");
    let started = Instant::now();
    let Ok(mut screen) = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
        println!("\n'script' is not installed: 'ui' was not measured");
        return Vec::new();
    };
    let mut output = screen.stdout.take().expect("a pipe");
    read_until(&mut output, &resources.to_string());
    let first = started.elapsed();
    // A full pipe would stop the program.
    std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
    let process = child_of(&screen);
    std::thread::sleep(SETTLED);
    let before = ticks(process);
    std::thread::sleep(IDLE);
    let idle = (ticks(process) - before) / TICKS_PER_SECOND / IDLE.as_secs_f64();
    let memory = peak_memory(process);
    screen.stdin.take().expect("a pipe").write_all(b"q").expect("it reads keys");
    screen.wait().expect("it ends");
    let watched = memory_of_watch(cluster);
    let ratio = memory / watched;
    println!(
        "\nkubectl ucp ui shows {resources} resources after {} ms, takes {:.2} % of a CPU while nothing happens, and {memory:.1} MB, \
         {ratio:.2} times the {watched:.1} MB of status --watch",
        first.as_millis(),
        idle * 100.0,
    );
    let mut above = Vec::new();
    if idle > MOST_IDLE {
        above.push(format!("ui: {:.2} % of a CPU while nothing happens, promised {}", idle * 100.0, MOST_IDLE * 100.0));
    }
    if ratio > MOST_MEMORY {
        above.push(format!("ui: {ratio:.2} times the memory of status --watch, promised {MOST_MEMORY}"));
    }
    above
}

fn memory_of_watch(cluster: &Cluster) -> f64 {
    let mut command = ucp(cluster.kubeconfig());
    command.args(["status", "--watch", "-o", "jsonpath={.counts}{\"\\n\"}"]).stdout(Stdio::piped());
    let mut watching = command.spawn().expect("the command starts");
    let mut lines = BufReader::new(watching.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let _first = lines.next().expect("a document");
    std::thread::sleep(SETTLED);
    let memory = peak_memory(watching.id());
    watching.kill().expect("it runs");
    watching.wait().expect("it ends");
    memory
}

/// Reads until the output contains a text.
fn read_until(output: &mut impl std::io::Read, text: &str) {
    let mut shown = Vec::new();
    let mut part = [0; 65_536];
    while !String::from_utf8_lossy(&shown).contains(text) {
        let read = output.read(&mut part).expect("it writes");
        assert!(read > 0, "it ended before it showed {text}:\n{}", String::from_utf8_lossy(&shown));
        shown.extend_from_slice(&part[..read]);
    }
}

/// The program that `script` runs.
fn child_of(parent: &Child) -> u32 {
    let found = Command::new("pgrep").args(["-P", &parent.id().to_string()]).output().expect("pgrep runs");
    String::from_utf8_lossy(&found.stdout).trim().parse().expect("one child")
}

/// User and system time of a process.
fn ticks(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    // Fields after the name, which may contain spaces.
    let fields: Vec<&str> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
    fields[11..13].iter().map(|field| field.parse::<f64>().expect("a number")).sum()
}

/// Peak resident memory of a process, in MB.
fn peak_memory(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    peak.trim().trim_end_matches(" kB").parse::<f64>().expect("a number") * 1024.0 / 1e6
}
