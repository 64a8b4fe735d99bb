//! `--wait`: until a pull request is merged and its versions run, or it is known that this does not happen.

use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::gates::{Gated, PR, window};
use super::gitea::{USER, gitea};
use super::stub::StubForge;
use super::{CANARY, OnGitea, publish_by_ssh, services, with_ssh};
use crate::gitops::Run;
use crate::support::{self, Cluster, objects};

const NAMESPACE: &str = "waiting-argocd";

/// A command that waits.
struct Waiting {
    child: Child,
}

impl Waiting {
    fn start(mut command: Command) -> Self {
        Self { child: command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap() }
    }

    #[track_caller]
    fn is_waiting(&mut self) {
        if self.child.try_wait().unwrap().is_some() {
            let mut printed = String::new();
            self.child.stderr.as_mut().unwrap().read_to_string(&mut printed).unwrap();
            panic!("it does not wait: {printed}");
        }
    }

    fn end(self) -> Run {
        let run = Run::of(self.child.wait_with_output().unwrap());
        assert!(!run.stdout.contains(CANARY) && !run.stderr.contains(CANARY), "{run:?}");
        run
    }
}

/// A command that waits for a promotion of `echo`, whose pull request is open.
fn promoting(on: &OnGitea, more: &[&str]) -> Waiting {
    opening(on, &["promote", "stage", "prod", "echo"], more)
}

/// A command that waits for its pull request, which is open.
fn opening(on: &OnGitea, command: &[&str], more: &[&str]) -> Waiting {
    let arguments = [command, &["--pr", "--yes"], more].concat();
    let mut waiting = Waiting::start(on.command(&arguments));
    let begun = Instant::now();
    let is_pushed = || !on.checkout.git(["ls-remote", "origin", "refs/heads/ucp/pr/*"]).is_empty();
    // A server does not list pull requests of a repository that was empty a moment ago.
    while !is_pushed() || on.open().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no pull request was opened");
        waiting.is_waiting();
        std::thread::sleep(Duration::from_millis(100));
    }
    // It has looked at least once.
    std::thread::sleep(Duration::from_secs(1));
    waiting.is_waiting();
    waiting
}

fn merge(on: &OnGitea, style: &str) {
    let path = format!("/repos/{USER}/{}/pulls/1/merge", on.name);
    on.server.api("POST", &path, &json!({"Do": style}));
}

/// Requires a check of the branch.
fn require_check(on: &OnGitea) {
    let rule = json!({
        "rule_name": "main", "enable_push": true, "enable_status_check": true, "status_check_contexts": ["ci/*"],
        "required_approvals": 1,
    });
    on.server.api("POST", &format!("/repos/{USER}/{}/branch_protections", on.name), &rule);
}

/// Sets the state of the check on the pull request.
fn check(on: &OnGitea, state: &str) {
    let head = on.open()[0]["head"]["sha"].as_str().unwrap().to_owned();
    let status = json!({"state": state, "context": "ci/test"});
    on.server.api("POST", &format!("/repos/{USER}/{}/statuses/{head}", on.name), &status);
}

#[test]
fn a_merge_ends_the_wait() {
    let Some(server) = gitea() else { return };
    for style in ["merge", "squash", "rebase"] {
        let on = OnGitea::new(server, &format!("wait-{style}"), services(&["echo"]));
        let waiting = promoting(&on, &["--wait=merged", "--timeout", "2m", "-o", "json"]);
        merge(&on, style);
        let run = waiting.end().exits(0);
        let plan = run.json();
        assert_eq!(plan["awaited"], json!({"outcome": "reached", "merged": on.tip("main")}), "{style}: {plan}");
    }
}

#[test]
fn a_merge_of_another_version_is_a_failure() {
    let Some(server) = gitea() else { return };
    let on = OnGitea::new(server, "wait-other", services(&["echo"]));
    another_version_is_merged(&on, &["promote", "stage", "prod", "echo"]);
    // A change of a file that belongs to no environment.
    let repository = services(&["echo"]);
    repository.write(
        "web/Chart.yaml",
        "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: db, version: v1}]\n",
    );
    super::commit(&repository, "Chart");
    let on = OnGitea::new(server, "wait-other-file", repository);
    another_version_is_merged(&on, &["set-version", "db=v2"]);
}

fn another_version_is_merged(on: &OnGitea, command: &[&str]) {
    let waiting = opening(on, command, &["--wait=merged", "--timeout", "2m", "-o", "json"]);
    let branch = on.open()[0]["head"]["ref"].as_str().unwrap().to_owned();
    on.checkout.git(["fetch", "--quiet", "origin", &branch]);
    on.checkout.git(["switch", "--quiet", "--detach", "FETCH_HEAD"]);
    let file = on.checkout.git(["diff", "--name-only", "HEAD^", "HEAD"]);
    on.checkout.write(&file, &on.checkout.read(&file).replace(" v2", " v0"));
    super::commit(&on.checkout, "By hand");
    on.checkout.git(["push", "--quiet", "origin", &format!("HEAD:refs/heads/{branch}")]);
    merge(on, "merge");
    let run = waiting.end().exits(1);
    run.prints("main does not declare v2");
    assert_eq!(run.json()["awaited"]["outcome"], "failed");
}

#[test]
fn a_pull_request_that_is_closed_ends_the_wait() {
    let Some(server) = gitea() else { return };
    let on = OnGitea::new(server, "wait-closed", services(&["echo"]));
    let waiting = promoting(&on, &["--wait=merged", "--timeout", "2m"]);
    on.edit(&json!(1), &json!({"state": "closed"}));
    waiting.end().exits(1).prints("pull request #1 was closed without a merge: http");
}

#[test]
fn a_required_check_that_fails_ends_the_wait() {
    let Some(server) = gitea() else { return };
    let on = OnGitea::new(server, "wait-check", services(&["echo"]));
    require_check(&on);
    let open = ["promote", "stage", "prod", "echo", "--pr", "--yes", "--wait=merged"];
    let at_once = [&open[..], &["--timeout", "0"]].concat();
    on.ucp(&at_once).exits(4).prints("timed out after 0s: pull request #1 is not merged: 0 of 1 required approvals");
    let mut waiting = promoting(&on, &["--wait=merged", "--timeout", "2m"]);
    check(&on, "pending");
    std::thread::sleep(Duration::from_secs(3));
    waiting.is_waiting();
    check(&on, "failure");
    waiting.end().exits(1).prints("a required check of pull request #1 has failed: \"ci/*\" has failed");
    // A check that runs again may succeed.
    check(&on, "success");
    on.ucp(&at_once).exits(4).prints("0 of 1 required approvals");
}

#[test]
fn a_retry_after_of_the_forge_is_respected() {
    let repository = services(&["echo"]);
    publish_by_ssh(&repository);
    let forge = StubForge::start();
    forge.known.lock().unwrap().pause = Some(600);
    let promote = ["promote", "stage", "prod", "echo", "--pr", "--yes", "--wait=merged", "--timeout", "3s", "-v", "6"];
    let run = forge.run(&repository, &promote).exits(4);
    run.prints("timed out after 3s: pull request #1 is not merged: the forge asks to wait for 600 seconds");
    assert!(!run.stderr.contains(CANARY), "{run:?}");
    assert_eq!(forge.sent("/pulls/1").iter().filter(|(method, _)| method == "GET").count(), 1);
    // A short pause is made within the command.
    forge.known.lock().unwrap().pause = Some(1);
    forge.run(&repository, &promote).exits(4).prints("timed out after 3s");
    let sent = forge.sent("/pulls/1").iter().filter(|(method, _)| method == "GET").count();
    assert!((2..6).contains(&sent), "{sent} requests");
}

/// The Application of prod, as Argo CD reports it.
fn application(version: &str, health: &str) -> Value {
    let source = ("https://example.org/apps.git", "./echo/overlays/prod");
    let destination = json!({"name": "gcp-k8s-prod", "namespace": "default"});
    let spec = json!({"project": "applications", "destination": destination});
    let object = objects::application(NAMESPACE, "prod-echo", source, &spec);
    objects::with(
        object,
        &[json!({
            "status": {
                "sync": {"status": "Synced"}, "health": {"status": health}, "reconciledAt": "2026-11-20T09:00:00Z",
                "summary": {"images": [format!("r/echo:{version}")]},
            },
        })],
    )
}

fn report(cluster: &Cluster, version: &str, health: &str) {
    let patch = json!({"status": application(version, health)["status"]}).to_string();
    let arguments = ["--namespace", NAMESPACE, "patch", "application", "prod-echo", "--type=merge", "--patch", &patch];
    Run::of(cluster.kubectl(arguments).output().unwrap()).exits(0);
}

#[test]
fn wait_ends_when_the_merged_version_runs() {
    let (Some(server), Some(cluster)) = (gitea(), support::core_cluster()) else { return };
    support::run(async || support::load::load_objects(&cluster.client(), vec![application("v1", "Healthy")]).await)
        .unwrap();
    let on = OnGitea::new(server, "wait-running", services(&["echo"]));
    let kubeconfig = cluster.kubeconfig().to_str().unwrap();
    let there = ["--kubeconfig", kubeconfig, "-n", NAMESPACE, "--external-controllers", "argocd"];
    let mut waiting = promoting(&on, &[&["--wait", "--timeout", "2m", "-o", "json"][..], &there].concat());
    merge(&on, "merge");
    // It is merged, and the previous version runs.
    std::thread::sleep(Duration::from_secs(4));
    waiting.is_waiting();
    report(cluster, "v2", "Progressing");
    std::thread::sleep(Duration::from_secs(4));
    waiting.is_waiting();
    report(cluster, "v2", "Healthy");
    let plan = waiting.end().exits(0).json();
    assert_eq!(plan["awaited"], json!({"outcome": "reached", "merged": on.tip("main")}), "{plan}");

    // Once it is merged, the same command waits for the versions that are declared.
    on.checkout.git(["pull", "--quiet"]);
    let again = [
        &["promote", "stage", "prod", "echo", "--pr", "--yes", "--wait", "-o", "json", "--timeout"][..],
        &["0s"],
        &there,
    ];
    let plan = on.ucp(&again.concat()).exits(0).json();
    assert_eq!(plan["awaited"], json!({"outcome": "reached"}), "{plan}");
    report(cluster, "v1", "Healthy");
    let late = on.ucp(&again.concat()).exits(4);
    late.prints("echo does not run v2: Application waiting-argocd/prod-echo runs v1");
    report(cluster, "v2", "Healthy");

    // A version that does not run in time.
    let bump =
        [&["set-version", "prod", "echo=v3", "--pr", "--yes", "--wait", "--timeout", "30s"][..], &there].concat();
    let waiting = Waiting::start(on.command(&bump));
    let begun = Instant::now();
    while on.open().is_empty() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(100));
    }
    let number = on.open()[0]["number"].clone();
    let path = format!("/repos/{USER}/{}/pulls/{number}/merge", on.name);
    on.server.api("POST", &path, &json!({"Do": "merge"}));
    waiting.end().exits(4).prints("echo does not run v3: Application waiting-argocd/prod-echo runs v2, not");
    // Without a cluster, nothing is pushed.
    on.checkout.git(["pull", "--quiet"]);
    let nowhere = ["set-version", "prod", "echo=v4", "--pr", "--yes", "--wait", "--kubeconfig", "/nowhere"];
    on.ucp(&nowhere).prints("--wait=merged waits for the merge only");
    assert!(on.open().is_empty());
}

#[test]
fn flags_for_waiting_require_each_other() {
    let repository = services(&["echo"]);
    let run = |more: &[&str]| repository.ucp([&["promote", "stage", "prod", "echo"], more].concat());
    run(&["--push", "--wait"]).exits(2);
    run(&["--pr", "--timeout", "5m"]).exits(2).prints("does not support --timeout without --wait");
    repository.ucp(["set-version", "prod", "echo=v3", "--context", "core"]).exits(2).prints("without --pr");
    publish_by_ssh(&repository);
    let snapshot = repository.outside().join("snapshot.yaml");
    std::fs::write(&snapshot, application("v1", "Healthy").to_string()).unwrap();
    let from = ["--pr", "--yes", "--wait", "--verify", "--from", snapshot.to_str().unwrap()];
    assert_ne!(run(&from).code, Some(0));
}

#[test]
fn the_pull_request_of_an_earlier_run_is_awaited_in_a_freeze() {
    let gated = Gated::new();
    gated.settings("{}\n");
    gated.promote(&PR).exits(0).prints("Opened pull request #1");
    let frozen = format!("freeze: [{}]\n", window(-1, 9));
    gated.settings(&frozen);
    let bare = gated.repository.outside().join("origin.git");
    let branch = gated.branches();
    let tip = |name: &str| gated.repository.git(["-C", bare.to_str().unwrap(), "rev-parse", name]);
    let pushed = tip(&branch);
    let wait = |limit: &'static str| [&PR[..], &["--wait=merged", "--timeout", limit, "-o", "json"]].concat();
    let late = gated.promote(&wait("0")).exits(4);
    late.prints("Nothing is pushed: prod is held back: frozen until").prints("#1 is not merged");
    let document = late.json();
    assert_eq!((&document["proposal"]["number"], &document["proposal"]["state"]), (&json!(1), &json!("unchanged")));
    // It does not run anywhere.
    let nowhere = [&PR[..], &["--wait", "--kubeconfig", "/nowhere"]].concat();
    gated.promote(&nowhere).prints("--wait=merged waits for the merge only");
    // Without a wait, and without its pull request, nothing is to be done in a freeze.
    gated.promote(&PR).exits(1).prints("prod is held back");
    gated
        .promote(
            &[&wait("0")[..], &["--dry-run"]].concat().into_iter().filter(|flag| *flag != "--yes").collect::<Vec<_>>(),
        )
        .exits(1);
    let web = ["promote", "stage", "prod", "web"];
    gated.forge.run(&gated.repository, &[&web[..], &wait("0")].concat()).exits(1).prints("prod is held back");
    assert_eq!((gated.branches(), tip(&branch)), (branch.clone(), pushed.clone()), "nothing is pushed");
    // It is merged while a run waits.
    let mut command = with_ssh(&gated.repository, &[&["promote", "stage", "prod", "echo"][..], &wait("2m")].concat());
    command.env("GITEA_TOKEN", CANARY).env("GITEA_SERVER_URL", gated.forge.server.url());
    let looks = || gated.forge.sent("/pulls/1").len();
    let before = looks();
    let waiting = Waiting::start(command);
    let begun = Instant::now();
    while looks() == before {
        assert!(begun.elapsed() < Duration::from_secs(60), "it does not look at the pull request");
        std::thread::sleep(Duration::from_millis(100));
    }
    gated.repository.git(["fetch", "--quiet", bare.to_str().unwrap(), &branch]);
    gated.repository.git(["merge", "--quiet", "--no-edit", "FETCH_HEAD"]);
    gated.repository.git(["push", "--quiet", bare.to_str().unwrap(), "main"]);
    let merged = tip("main");
    {
        let pull = &mut gated.forge.known.lock().unwrap().pulls[0];
        (pull["state"], pull["merged"], pull["merge_commit_sha"]) = (json!("closed"), json!(true), json!(merged));
    }
    let document = waiting.end().exits(0).json();
    assert_eq!(document["awaited"], json!({"outcome": "reached", "merged": merged}), "{document}");
    // Nothing is left to be written.
    gated.promote(&PR).exits(0).prints("Nothing to do");
    // Another version than that of the pull request is held back.
    let stage = "web/overlays/stage/kustomization.yaml";
    gated.settings("{}\n");
    gated.forge.run(&gated.repository, &[&web[..], &PR].concat()).exits(0).prints("Opened pull request #2");
    gated.repository.write(stage, &gated.repository.read(stage).replace("v2", "v3"));
    gated.settings(&frozen);
    gated.forge.run(&gated.repository, &[&web[..], &wait("0")].concat()).exits(1).prints("prod is held back");
}
