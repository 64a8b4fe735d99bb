//! Writes: nothing is lost or done twice, however the command ends.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;

use super::platform::{Platform, with_argo_cd, with_flux};
use crate::interrupted::{races, stride, trials};
use crate::support::command::{CANARY, Ran, interruptible, run, run_with_input, signal, ucp};
use crate::support::proxy::{Fault, Proxy, Rule};
use crate::support::{self, Cluster, Options};

pub(super) fn bootstrap(cluster: &Cluster, platform: &Platform, arguments: &[&str]) -> Command {
    let mut command = ucp(["bootstrap", "--timeout", "0"]);
    command.args(arguments).current_dir(platform.path()).env("KUBECONFIG", cluster.kubeconfig());
    command
}

const SECRET: &str = "crossplane-system/gcp-creds=CREDENTIALS";

pub(super) fn whole(cluster: &Cluster, platform: &Platform) -> Command {
    let mut command = bootstrap(cluster, platform, &["--yes", "--secret-env", SECRET]);
    // Flux logs in to the repository.
    if platform.path().join("clusters/core").exists() {
        command.args(["--secret-env", "flux-system/flux-system:identity=CREDENTIALS"]);
    }
    command.env("CREDENTIALS", CANARY);
    command
}

pub(super) fn get(cluster: &Cluster, arguments: &str) -> Value {
    let words = ["get"].into_iter().chain(arguments.split(' ')).chain(["-o", "json"]);
    let output = cluster.kubectl(words).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// Everything that was written, with its version.
fn versions(cluster: &Cluster) -> Vec<String> {
    let roots = match get(cluster, "crd applications.argoproj.io") {
        Value::Null => "gitrepositories,kustomizations",
        _ => "applications,appprojects",
    };
    let kinds = "namespaces,customresourcedefinitions,clusterroles,deployments,statefulsets,secrets";
    let list = get(cluster, &format!("{kinds},{roots} -A"));
    let line = |object: &Value| {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        format!("{} {} {}", text("/kind"), text("/metadata/name"), text("/metadata/resourceVersion"))
    };
    list["items"].as_array().into_iter().flatten().map(line).collect()
}

fn steps(cluster: &Cluster, platform: &Platform) -> Vec<String> {
    let plan = run(bootstrap_dry(cluster, platform)).json();
    let steps = plan["steps"].as_array().unwrap().clone();
    let open = steps.iter().filter(|step| ["create", "update", "ask"].contains(&step["action"].as_str().unwrap()));
    open.map(|step| format!("{} {}", step["action"].as_str().unwrap(), step["object"]["name"].as_str().unwrap()))
        .collect()
}

fn bootstrap_dry(cluster: &Cluster, platform: &Platform) -> Command {
    let mut command = ucp(["bootstrap", "--dry-run", "-o", "json"]);
    command.current_dir(platform.path()).env("KUBECONFIG", cluster.kubeconfig());
    command
}

fn value(cluster: &Cluster, key: &str) -> String {
    use base64::Engine as _;
    let secret = get(cluster, "secret gcp-creds -n crossplane-system");
    let bytes = base64::engine::general_purpose::STANDARD.decode(secret["data"][key].as_str().unwrap()).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_second_run_writes_nothing() {
    let Some(cluster) = support::start(Options::named("first-run")) else { return };
    let platform = with_argo_cd();
    // Nothing is written before every value has a place that it comes from.
    let refused = run(bootstrap(&cluster, &platform, &["--yes"])).expect(2);
    assert!(
        refused.stderr.contains("no value for Secret crossplane-system/gcp-creds:credentials"),
        "{}",
        refused.stderr
    );
    assert!(refused.stderr.contains("--secret-file NAMESPACE/NAME:KEY=PATH"), "{}", refused.stderr);
    let stranger = bootstrap(&cluster, &platform, &["--yes", "--secret-env", "crossplane-system/aws-creds=X"]);
    assert!(run(stranger).expect(2).stderr.contains("Secret crossplane-system/aws-creds is not required"));
    let unset = bootstrap(&cluster, &platform, &["--yes", "--secret-env", SECRET]);
    let unset = run(unset).expect(2);
    let missing = "the environment variable for Secret crossplane-system/gcp-creds:credentials is not set";
    assert!(unset.stderr.contains(missing), "{}", unset.stderr);
    assert_eq!(get(&cluster, "namespace argocd"), Value::Null);

    // No engine runs here, so that its objects are not created.
    let first = run(whole(&cluster, &platform)).expect(4);
    assert!(first.stderr.contains("Root objects: 2 written."), "{}", first.stderr);
    assert!(first.stderr.contains("are not OK; run the command again to continue waiting"), "{}", first.stderr);
    first.hides_secrets();
    assert_eq!(value(&cluster, "credentials"), CANARY);
    assert_eq!(get(&cluster, "application root -n argocd")["spec"]["source"]["path"], "apps");
    assert!(steps(&cluster, &platform).is_empty());

    let before = versions(&cluster);
    // A cluster is still to be adopted, which was not confirmed.
    let unasked = run(bootstrap(&cluster, &platform, &[])).expect(2);
    assert!(unasked.stderr.contains("--yes"), "{}", unasked.stderr);
    let second = run(bootstrap(&cluster, &platform, &["--yes"])).expect(4);
    assert!(second.stderr.contains("Nothing to write."), "{}", second.stderr);
    let document = run(bootstrap(&cluster, &platform, &["--yes", "-o", "json"])).expect(4).json();
    assert_eq!((&document["kind"], document["steps"].as_array().unwrap().len()), (&"BootstrapPlan".into(), 21));
    assert_eq!(versions(&cluster), before);

    // Fields of other managers are kept, unless conflicts are forced.
    let scale = cluster.kubectl(["scale", "deployment/argocd-repo-server", "-n", "argocd", "--replicas=3"]).status();
    assert!(scale.unwrap().success());
    assert!(steps(&cluster, &platform).is_empty());
    run(bootstrap(&cluster, &platform, &["--yes"])).expect(4);
    assert_eq!(get(&cluster, "deployment argocd-repo-server -n argocd")["spec"]["replicas"], 3);
    run(bootstrap(&cluster, &platform, &["--yes", "--force-conflicts"])).expect(4);
    assert_eq!(get(&cluster, "deployment argocd-repo-server -n argocd")["spec"]["replicas"], 1);
}

#[test]
fn secrets_are_read_from_files_and_stdin_and_existing_keys_are_kept() {
    let Some(cluster) = support::start(Options::named("first-secrets")) else { return };
    let flux = with_flux();
    let file = flux.path().join("key");
    std::fs::write(&file, CANARY).unwrap();
    let key = format!("flux-system/flux-system:identity={}", file.display());
    // Nothing declares the key of a Secret for Git.
    let nameless =
        ["--yes", "--secret-file", "flux-system/flux-system=x", "--secret-file", "crossplane-system/gcp-creds=-"];
    let refused = run(bootstrap(&cluster, &flux, &nameless)).expect(2);
    assert!(refused.stderr.contains("flux-system/flux-system needs a key"), "{}", refused.stderr);
    let both = ["--yes", "--secret-file", &key, "--secret-file", "crossplane-system/gcp-creds=-"];
    let ran: Ran = run_with_input(bootstrap(&cluster, &flux, &both), CANARY).expect(4);
    ran.hides_secrets();
    assert_eq!(value(&cluster, "credentials"), CANARY);
    let secret = get(&cluster, "secret flux-system -n flux-system");
    assert_eq!(secret["data"].as_object().unwrap().keys().collect::<Vec<_>>(), ["identity"]);

    // If a Secret has no such key, its other keys are kept, and so is a Secret that has all.
    let patch = r#"{"data": {"credentials": null, "mine": "YQ=="}}"#;
    let mut patched =
        cluster.kubectl(["patch", "secret", "gcp-creds", "-n", "crossplane-system", "--type=merge", "-p", patch]);
    assert!(patched.status().unwrap().success());
    run_with_input(bootstrap(&cluster, &flux, &["--yes", "--secret-file", "crossplane-system/gcp-creds=-"]), "new")
        .expect(4);
    assert_eq!((value(&cluster, "credentials"), value(&cluster, "mine")), ("new".to_owned(), "a".to_owned()));
    run_with_input(bootstrap(&cluster, &flux, &["--yes", "--secret-file", "crossplane-system/gcp-creds=-"]), "other")
        .expect(4);
    assert_eq!(value(&cluster, "credentials"), "new");
}

#[test]
fn killed_at_each_write_a_second_run_does_the_rest() {
    let Some(cluster) = support::start(Options::named("first-killed")) else { return };
    let platform = with_argo_cd();
    let written = |mark| {
        let requests = cluster.requests_since(mark).into_iter();
        requests
            .filter(|request| ["create", "patch"].contains(&request.verb.as_str()) && !request.uri.contains("dryRun"))
            .count()
    };
    let mut open = steps(&cluster, &platform).len();
    let mut kills = 0;
    while open > 0 {
        let mark = cluster.audit_mark();
        let command = whole(&cluster, &platform);
        let mut child = interruptible(&command).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() && written(mark) < stride() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        signal(&child, "KILL");
        child.wait().unwrap();
        let left = steps(&cluster, &platform).len();
        assert!(left < open, "nothing was done: {open} before, {left} after");
        open = left;
        kills += 1;
    }
    assert!(kills > 1, "it was never killed in the middle");
    assert_eq!(value(&cluster, "credentials"), CANARY);
    let before = versions(&cluster);
    run(bootstrap(&cluster, &platform, &["--yes"])).expect(4);
    assert_eq!(versions(&cluster), before);
}

/// Runs once more. The hub is as if nothing had interrupted it, and a further run writes nothing.
fn ends_as_without_interruption(cluster: &Cluster, platform: &Platform) {
    run(whole(cluster, platform)).expect(4);
    assert!(steps(cluster, platform).is_empty());
    assert_eq!(value(cluster, "credentials"), CANARY);
    let before = versions(cluster);
    run(bootstrap(cluster, platform, &["--yes"])).expect(4);
    assert_eq!(versions(cluster), before);
}

/// Two people begin the same hub at the same time.
#[test]
fn two_concurrent_runs_have_the_result_of_a_single_run() {
    let mut codes = BTreeMap::new();
    for number in 0..races().div_ceil(5) {
        let Some(cluster) = support::start(Options::named(&format!("first-raced-{number}"))) else { return };
        let platform = with_argo_cd();
        let start = || whole(&cluster, &platform).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut both = [start(), start()];
        let mut ended = both.each_mut().map(|child| child.wait().unwrap().code());
        ended.sort_unstable();
        *codes.entry(ended).or_insert(0) += 1;
        ends_as_without_interruption(&cluster, &platform);
    }
    println!("bootstrap, races by exit codes: {codes:?}; all end the same");
}

/// Whether the write at which a command is interrupted has landed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Interruption {
    Before,
    After,
}

/// Interrupts the command at its writes in turn, from the one with the number `first` on, and returns how often.
fn interrupt_at_writes(cluster: &Cluster, platform: &Platform, interruption: Interruption, first: usize) -> usize {
    let proxy = Proxy::start(cluster).unwrap();
    // Dry runs begin otherwise.
    let writes = "?fieldManager";
    let all = steps(cluster, platform).len();
    let (mut landed, mut count) = (0, 0);
    for done in (first..all).step_by(stride()) {
        let signals = ["KILL", "INT", "TERM"];
        let has_landed = Arc::new(AtomicBool::new(false));
        // The writes before it land, so that each run gets further.
        let passed = done - landed;
        proxy.add(Rule::on(writes, Fault::Delay(Duration::ZERO)).times(passed));
        let fault = match interruption {
            Interruption::Before => Fault::Hang,
            Interruption::After => Fault::Unanswered(Arc::clone(&has_landed)),
        };
        proxy.add(Rule::on(writes, fault).times(1));
        let seen = proxy.count(writes);
        let mut command = whole(cluster, platform);
        command.env("KUBECONFIG", proxy.kubeconfig());
        let mut child = interruptible(&command).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let is_reached = || match interruption {
            Interruption::Before => proxy.count(writes) > seen + passed,
            Interruption::After => has_landed.load(Ordering::SeqCst),
        };
        while !is_reached() {
            assert!(child.try_wait().unwrap().is_none(), "it ended before write {done} of {all}");
            std::thread::sleep(Duration::from_millis(5));
        }
        signal(&child, signals[count % signals.len()]);
        child.wait().unwrap();
        count += 1;
        landed = done + usize::from(interruption == Interruption::After);
        assert_eq!(steps(cluster, platform).len(), all - landed, "{interruption:?} write {done} of {all}");
    }
    count
}

/// Every write, or without `UCP_TRIALS` every third, is the one at which the command is interrupted, before and after it
/// landed. `UCP_TRIALS=100` repeats it for so many interruptions.
#[test]
fn a_run_after_an_interrupted_write_continues_from_there() {
    let mut interrupted: BTreeMap<String, usize> = BTreeMap::new();
    for number in 0.. {
        let total: usize = interrupted.values().sum();
        if number >= 2 && total >= trials() {
            break;
        }
        let Some(cluster) = support::start(Options::named(&format!("first-interrupted-{number}"))) else { return };
        let interruption = if matches!(number % 4, 0 | 3) { Interruption::After } else { Interruption::Before };
        let is_flux = number % 2 == 1;
        let platform = if is_flux { with_flux() } else { with_argo_cd() };
        let count = interrupt_at_writes(&cluster, &platform, interruption, number % stride());
        let engine = if is_flux { "Flux" } else { "Argo CD" };
        *interrupted.entry(format!("{engine}, {interruption:?}")).or_default() += count;
        ends_as_without_interruption(&cluster, &platform);
    }
    println!("bootstrap was interrupted at its writes, and ended the same: {interrupted:?}");
}
