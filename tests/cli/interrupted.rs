//! Every writing command, killed at each of its writes, and twice at a time: a plain run afterwards ends as if nothing had
//! happened, and one more writes nothing. `.ci/tables trials` repeats it 100 times, and prints the table.

#![allow(clippy::print_stderr, reason = "the table is the purpose of the test")]

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, ListParams};

use crate::adopted::belongings;
use crate::fleet::{Corner, Fleet, fleet};
use crate::gitops::Gitops;
use crate::support;
use crate::support::cluster::TOKEN;
use crate::support::command::{Ran, run};
use crate::support::kubeconfig::Credential;
use crate::support::proxy::{Fault, Proxy, Rule};

/// How often each command is killed, and how often it runs twice at a time.
pub(crate) fn trials() -> usize {
    given_trials().unwrap_or(4)
}

/// How often each command runs twice at a time. Such runs are all alike, but for their timing.
pub(crate) fn races() -> usize {
    given_trials().unwrap_or(2)
}

/// The distance between the writes at which a command with many of them is interrupted. With `UCP_TRIALS`, it is each of them.
pub(crate) fn stride() -> usize {
    if given_trials().is_some() { 1 } else { 3 }
}

fn given_trials() -> Option<usize> {
    std::env::var("UCP_TRIALS").ok().and_then(|text| text.parse().ok())
}

/// How long a write is held back, so that a command can be killed before and after it.
const WRITE: Duration = Duration::from_millis(40);

/// One place where a command changes something.
pub(crate) trait Trial {
    /// The command.
    fn command(&self) -> Command;
    /// The proxies through which it writes.
    fn proxies(&self) -> Vec<&Proxy>;
    /// Everything that it changed, without parts that differ between trials.
    fn state(&self) -> Vec<String>;

    fn writes(&self) -> usize {
        self.proxies().iter().map(|proxy| proxy.writes()).sum()
    }

    fn start(&self) -> Child {
        self.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Runs it to its end, and once more, which writes nothing. Returns the resulting state.
    fn settle(&self) -> Result<Vec<String>, String> {
        self.proxies().iter().for_each(|proxy| proxy.clear());
        let first = run(self.command());
        if first.code != Some(0) {
            return Err(format!("a plain run: {first:#?}"));
        }
        let (state, before) = (self.state(), self.writes());
        let again: Ran = run(self.command());
        match again.code == Some(0) && self.writes() == before {
            true => Ok(state),
            false => Err(format!("one more run wrote {}: {again:#?}", self.writes() - before)),
        }
    }
}

/// Kills a command at one of its writes, before or after it landed. Returns whether it was still running.
fn kill_at(trial: &dyn Trial, write: usize, is_landed: bool) -> bool {
    trial.proxies().iter().for_each(|proxy| proxy.add(Rule::of_writes(Fault::Delay(WRITE))));
    let before = trial.writes();
    let mut child = trial.start();
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut was_running = false;
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "it hangs");
        if trial.writes() - before >= write {
            std::thread::sleep(if is_landed { WRITE + WRITE / 4 } else { Duration::ZERO });
            was_running = child.try_wait().unwrap().is_none();
            child.kill().unwrap();
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.wait().unwrap();
    was_running
}

/// Kills a command, and runs it twice at a time, and prints the results.
pub(crate) fn try_all<T: Trial>(name: &str, make: impl Fn() -> T) {
    let expected = make();
    let count = expected.writes();
    let wanted = expected.settle().unwrap_or_else(|why| panic!("{name}: {why}"));
    let count = expected.writes() - count;
    assert!(count > 0, "{name} writes nothing");
    let mut broken = Vec::new();
    let mut killed: BTreeMap<usize, usize> = BTreeMap::new();
    // Without a number of trials, each moment once at most.
    let kills = given_trials().unwrap_or(trials().min(2 * count));
    for index in 0..kills {
        let (write, is_landed) = (index % count + 1, index / count % 2 == 1);
        let trial = make();
        *killed.entry(write).or_default() += usize::from(kill_at(&trial, write, is_landed));
        match trial.settle() {
            Ok(state) if state == wanted => {}
            Ok(state) => broken.push(format!("killed at write {write}, landed: {is_landed}: {state:?}")),
            Err(why) => broken.push(format!("killed at write {write}, landed: {is_landed}: {why}")),
        }
    }
    let mut codes: BTreeMap<[Option<i32>; 2], usize> = BTreeMap::new();
    for index in 0..races() {
        let trial = make();
        let (mut one, mut other) = (trial.start(), trial.start());
        let mut ended = [one.wait().unwrap().code(), other.wait().unwrap().code()];
        ended.sort_unstable();
        *codes.entry(ended).or_default() += 1;
        match trial.settle() {
            Ok(state) if state == wanted => {}
            Ok(state) => broken.push(format!("race {index}, {ended:?}: {state:?}")),
            Err(why) => broken.push(format!("race {index}, {ended:?}: {why}")),
        }
    }
    eprintln!(
        "{name}: {count} writes; killed at write: times {killed:?}; races, by exit codes: {codes:?}; {} of {} end the same",
        kills + races() - broken.len(),
        kills + races()
    );
    assert!(broken.is_empty(), "{name}, expected {wanted:?}:\n{}", broken.join("\n"));
}

/// An app cluster of its own behind a proxy, to be adopted or released.
struct Cluster {
    corner: Corner,
    core: Proxy,
    app: Proxy,
    verb: &'static str,
}

impl Cluster {
    fn start(fleet: &'static Fleet, verb: &'static str) -> Self {
        let corner = Corner::of(fleet, "stopped");
        let (core, app) = (Proxy::start(&fleet.core).unwrap(), Proxy::start(&fleet.app).unwrap());
        corner.provision(&corner.namespace, &app.server(), &Credential::Token(TOKEN.to_owned()));
        let cluster = Self { corner, core, app, verb };
        if verb == "release-cluster" {
            run(Self::command_of(&cluster, "adopt-cluster")).expect(0);
        }
        cluster
    }

    fn command_of(&self, verb: &str) -> Command {
        let name = &self.corner.namespace;
        let arguments = [verb, name, "--yes", "--engine", "argocd"];
        let mut command = self.corner.ucp_with(self.core.kubeconfig().to_owned(), &arguments);
        if verb == "adopt-cluster" {
            command.args(["--service-account", &format!("kube-system/{name}")]);
        }
        command
    }
}

impl Trial for Cluster {
    fn command(&self) -> Command {
        self.command_of(self.verb)
    }

    fn proxies(&self) -> Vec<&Proxy> {
        vec![&self.core, &self.app]
    }

    fn state(&self) -> Vec<String> {
        let registrations = support::run(async || {
            let api = Api::<Secret>::namespaced(self.corner.fleet.core.client(), &self.corner.namespace);
            let ours = ListParams::default().labels("app.kubernetes.io/managed-by=kubectl-ucp");
            api.list(&ours)
                .await
                .unwrap()
                .items
                .into_iter()
                .filter_map(|secret| secret.metadata.name)
                .collect::<Vec<_>>()
        });
        let all = belongings(&self.corner).into_iter().chain(registrations);
        all.map(|name| name.replace(&self.corner.namespace, "NAME")).collect()
    }
}

#[test]
fn an_adoption_has_the_same_result_after_any_interruption() {
    let Some(fleet) = fleet() else { return };
    try_all("adopt-cluster", || Cluster::start(fleet, "adopt-cluster"));
}

#[test]
fn a_release_has_the_same_result_after_any_interruption() {
    let Some(fleet) = fleet() else { return };
    try_all("release-cluster", || Cluster::start(fleet, "release-cluster"));
}

/// A command that writes files of a work tree, killed before its writes, after each of them, and after all. `again` are the exit
/// codes, besides 0, of a run that finds everything done.
pub(crate) fn try_files(name: &str, make: &dyn Fn() -> Gitops, command: &dyn Fn(&Gitops) -> Command, again: &[i32]) {
    let command = |repository: &Gitops| {
        let mut command = command(repository);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let expected = make();
    let before = files(&expected);
    let begin = Instant::now();
    assert!(command(&expected).status().unwrap().success(), "{name}");
    let (took, after) = (begin.elapsed(), files(&expected));
    let written: Vec<&String> =
        after.iter().filter(|(path, text)| before.get(*path) != Some(text)).map(|(path, _)| path).collect();
    assert!(!written.is_empty(), "{name} writes nothing");
    let (mut broken, mut moments) = (Vec::new(), BTreeMap::new());
    let settle = |repository: &Gitops, what: &str, broken: &mut Vec<String>| {
        let code = command(repository).status().unwrap().code();
        if files(repository) != after || !code.is_some_and(|code| code == 0 || again.contains(&code)) {
            broken.push(format!("{what}: {code:?} {:?}", files(repository)));
        }
    };
    for index in 0..trials() {
        let repository = make();
        let old: Vec<Option<FileIdentity>> = written.iter().map(|path| identity(&repository, path)).collect();
        let mut child = command(&repository).spawn().unwrap();
        match index % (written.len() + 1) {
            0 => std::thread::sleep(took * u32::try_from(index).unwrap() / u32::try_from(trials()).unwrap()),
            // Once so many files are others than before.
            count => {
                let is_new = |(path, old): (&&String, &Option<FileIdentity>)| identity(&repository, path) != *old;
                while written.iter().zip(&old).filter(|pair| is_new(*pair)).count() < count
                    && child.try_wait().unwrap().is_none()
                {
                    std::hint::spin_loop();
                }
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let mut left = files(&repository);
        // A file that was not put in its place yet; the next run removes it.
        left.retain(|path, _| !path.contains("/.kubectl-ucp-"));
        let is_whole =
            |(path, text): (&String, &String)| before.get(path) == Some(text) || after.get(path) == Some(text);
        if !left.iter().all(is_whole) {
            broken.push(format!("killed, a file is neither old nor new: {left:?}"));
        }
        let count = written.iter().filter(|path| left.get(**path) == after.get(**path)).count();
        *moments.entry(count).or_insert(0) += 1;
        settle(&repository, "killed", &mut broken);
    }
    for _ in 0..races() {
        let repository = make();
        let mut both = [command(&repository).spawn().unwrap(), command(&repository).spawn().unwrap()];
        for child in &mut both {
            child.wait().unwrap();
        }
        settle(&repository, "race", &mut broken);
    }
    eprintln!(
        "{name}: {} files; killed after so many of them: times {moments:?}; {} of {} end the same",
        written.len(),
        trials() + races() - broken.len(),
        trials() + races()
    );
    assert!(broken.is_empty(), "{name}:\n{}", broken.join("\n"));
    assert!(moments.keys().any(|count| *count > 0), "{name} was never killed after a write: {moments:?}");
}

/// Distinguishes contents of a file: files are replaced, not written to.
type FileIdentity = (u64, std::time::SystemTime);

fn identity(repository: &Gitops, path: &str) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = std::fs::metadata(repository.top().join(path)).ok()?;
    Some((metadata.ino(), metadata.modified().ok()?))
}

/// Every file of a work tree, without Git's own files.
fn files(repository: &Gitops) -> BTreeMap<String, String> {
    let listed = repository.git(["ls-files", "--cached", "--others", "--exclude-standard"]);
    let read = |file: &str| Some((file.to_owned(), std::fs::read_to_string(repository.top().join(file)).ok()?));
    listed.lines().filter_map(read).collect()
}

/// Three services in the layout of the paper: stage runs newer versions.
fn three_services() -> Gitops {
    let names = ["echo", "orders", "quotes"];
    let files = names.into_iter().flat_map(|name| {
        let overlay = |tag: &str| format!("resources:\n- ../../base\nimages:\n- name: acme/{name}\n  newTag: {tag}\n");
        [
            (format!("{name}/base/kustomization.yaml"), "resources:\n- deployment.yaml\n".to_owned()),
            (format!("{name}/base/deployment.yaml"), crate::gitops::deployment(name, &format!("acme/{name}"))),
            (format!("{name}/overlays/stage/kustomization.yaml"), overlay("v2")),
            (format!("{name}/overlays/prod/kustomization.yaml"), overlay("v1")),
        ]
    });
    let files: Vec<(String, String)> = files.collect();
    let borrowed: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Gitops::with(&borrowed)
}

#[test]
fn a_promotion_has_the_same_result_after_any_interruption() {
    let promote = |repository: &Gitops| repository.ucp_command(["promote", "stage", "prod", "--all", "--yes"]);
    try_files("promote", &three_services, &promote, &[]);
}

#[test]
fn a_bump_has_the_same_result_after_any_interruption() {
    let bump = ["set-image", "prod", "echo=v7", "orders=v8", "quotes=v9", "--yes"];
    try_files("set-image", &three_services, &|repository| repository.ucp_command(bump), &[]);
}

#[test]
fn set_version_has_the_same_result_after_any_interruption() {
    let set = ["set-version", "prod", "echo=v7", "orders=v8", "quotes=v9", "--yes"];
    try_files("set-version", &three_services, &|repository| repository.ucp_command(set), &[]);
}

/// A command that pushes, killed at moments of its run, and twice at a time: one commit lands, and nothing else remains.
fn try_push(name: &str, arguments: &[&str]) {
    let command = |repository: &Gitops| {
        let mut command = repository.ucp_command(arguments);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let landed = |repository: &Gitops, bare: &std::path::Path| {
        let bare = bare.to_str().unwrap();
        let read = |words: &[&str]| repository.git([&["-C", bare], words].concat());
        [read(&["rev-parse", "main^{tree}"]), read(&["rev-list", "--count", "main"]), read(&["branch", "--list"])]
    };
    let expected = three_services();
    let bare = expected.publish();
    let begin = Instant::now();
    assert!(command(&expected).status().unwrap().success(), "{name}");
    let (took, wanted) = (begin.elapsed(), landed(&expected, &bare));
    assert_eq!(wanted[1], "2", "{name}");
    let (mut broken, mut was_running) = (Vec::new(), 0);
    for index in 0..trials() + races() {
        let repository = three_services();
        let bare = repository.publish();
        let mut children = vec![command(&repository).spawn().unwrap()];
        if index < trials() {
            std::thread::sleep(took * u32::try_from(index + 1).unwrap() / u32::try_from(trials() + 1).unwrap());
            was_running += usize::from(children[0].try_wait().unwrap().is_none());
            children[0].kill().unwrap();
        } else {
            children.push(command(&repository).spawn().unwrap());
        }
        for child in &mut children {
            child.wait().unwrap();
        }
        let code = command(&repository).status().unwrap().code();
        let state = landed(&repository, &bare);
        if code != Some(0) || state != wanted || !repository.git(["status", "--porcelain"]).is_empty() {
            broken.push(format!("trial {index}: {code:?} {state:?}"));
        }
    }
    let all = trials() + races();
    eprintln!(
        "{name}: killed {was_running} times, raced {} times; {} of {all} end the same",
        races(),
        all - broken.len()
    );
    assert!(broken.is_empty(), "{name}, expected {wanted:?}:\n{}", broken.join("\n"));
    assert!(was_running > 0, "{name} was never killed");
}

#[test]
fn a_push_has_the_same_result_after_any_interruption() {
    try_push("promote --push", &["promote", "stage", "prod", "--all", "--push", "--yes"]);
    try_push("set-image --push", &["set-image", "prod", "echo=v7", "orders=v8", "--push", "--yes"]);
}
