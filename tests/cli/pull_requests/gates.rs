//! Gates of pull requests: freezes and automatic merges, environments in flight, and requirements of the forge.

use jiff::{Timestamp, ToSpan as _};
use serde_json::{Value, json};

use super::stub::StubForge;
use super::{commit, publish_by_ssh, services};
use crate::gitops::{Gitops, Run};

/// A repository with two services at a remote, and its forge.
pub(super) struct Gated {
    pub(super) repository: Gitops,
    pub(super) forge: StubForge,
}

impl Gated {
    pub(super) fn new() -> Self {
        Self::with(services(&["echo", "web"]))
    }

    pub(super) fn with(repository: Gitops) -> Self {
        publish_by_ssh(&repository);
        Self { repository, forge: StubForge::start() }
    }

    /// Sets `.ucp.yaml`, at the remote, too.
    pub(super) fn settings(&self, text: &str) {
        self.repository.write(".ucp.yaml", text);
        self.publish();
    }

    /// Commits the files, and pushes them.
    pub(super) fn publish(&self) {
        commit(&self.repository, "Settings");
        self.repository.git([
            "push",
            "--quiet",
            self.repository.outside().join("origin.git").to_str().unwrap(),
            "main",
        ]);
    }

    pub(super) fn promote(&self, more: &[&str]) -> Run {
        self.forge.run(&self.repository, &[&["promote", "stage", "prod", "echo"], more].concat())
    }

    /// The branches of pull requests at the remote.
    pub(super) fn branches(&self) -> String {
        let bare = self.repository.outside().join("origin.git");
        self.repository.git(["-C", bare.to_str().unwrap(), "for-each-ref", "--format=%(refname)", "refs/heads/ucp/pr"])
    }

    /// The gates that hold each service back.
    pub(super) fn held(&self) -> (Option<i32>, Vec<(String, Vec<String>)>) {
        let run = self.forge.run(&self.repository, &["promote", "stage", "prod", "--check", "-o", "json"]);
        let code = run.code;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let gates =
            |item: &Value| item["heldBackBy"].as_array().unwrap().iter().map(|held| text(&held["gate"])).collect();
        let document = run.json();
        let items = document["items"].as_array().unwrap().iter();
        (code, items.map(|item| (text(&item["service"]), gates(item))).collect())
    }
}

pub(super) const PR: [&str; 2] = ["--pr", "--yes"];

/// A window around a time, in hours from now.
pub(super) fn window(from: i64, to: i64) -> String {
    let at = |hours: i64| Timestamp::now().checked_add(hours.hours()).unwrap().strftime("%Y-%m-%dT%H:%M").to_string();
    format!("{}/{}", at(from), at(to))
}

#[test]
fn no_merge_is_scheduled_into_a_freeze() {
    let gated = Gated::new();
    let merges = || gated.forge.sent("/merge").into_iter().map(|(method, _)| method).collect::<Vec<_>>();
    // Another environment is frozen, and the window is far away.
    let far = format!("pr: {{automerge: true}}\nfreeze: {{stage: [{}], prod: [{}]}}\n", window(-1, 9), window(48, 50));
    gated.settings(&far);
    gated.promote(&PR).exits(0).prints("Opened pull request #1");
    assert_eq!(merges(), ["POST"]);
    // The merge that an earlier run scheduled is canceled before a window.
    let near = format!("automerge: true, mergeWithin: MERGE}}\nfreeze: [{}]\n", window(5, 9));
    gated.settings(&format!("pr: {{{}", near.replace("mergeWithin: MERGE", "labels: []")));
    gated.promote(&PR).exits(4).prints("pull request #1: automerge: the freeze").prints("is expected within");
    assert_eq!(merges(), ["POST", "DELETE"]);
    gated.settings(&format!("pr: {{{}", near.replace("MERGE", "6h")));
    gated.promote(&PR).exits(4);
    assert_eq!(merges(), ["POST", "DELETE", "DELETE"]);
    // A merge is expected before the window.
    gated.settings(&format!("pr: {{{}", near.replace("MERGE", "2h")));
    gated.promote(&PR).exits(0);
    assert_eq!(merges().last().unwrap(), "POST");
    // A merge that is allowed in spite of a window is done by a person.
    gated.settings(&format!("pr: {{automerge: true}}\nfreeze: [{}]\n", window(-1, 9)));
    let scheduled = merges().len();
    gated.forge.run(&gated.repository, &["promote", "stage", "prod", "echo", "--pr", "--dry-run"]).exits(1);
    assert_eq!(merges().len(), scheduled, "a dry run cancels nothing");
    gated.promote(&PR).exits(1).prints("frozen until").prints("the scheduled merge of #1 was canceled");
    assert_eq!((merges().len(), merges().last().unwrap().as_str()), (scheduled + 1, "DELETE"));
    gated
        .promote(&[&PR[..], &["--override-freeze", "an incident"]].concat())
        .exits(4)
        .prints("automerge: frozen until");
    assert_eq!(merges().last().unwrap(), "DELETE");
    gated.settings("pr: {automerge: true, mergeWithin: soon}\n");
    gated.promote(&PR).exits(2).prints("mergeWithin");
}

#[test]
fn a_change_waits_for_environments_in_flight() {
    let gated = Gated::new();
    gated.settings("pr: {inFlight: 1}\n");
    let elsewhere = |services: &[&str]| json!({"environment": "eu", "services": services});
    gated.forge.add("eu", &elsewhere(&["echo"]));
    gated.promote(&PR).exits(1).prints("echo is in flight to eu (#1), and inFlight in .ucp.yaml is 1");
    assert_eq!(gated.branches(), "", "nothing is pushed");
    let held = vec![("echo".to_owned(), vec!["inFlight".to_owned()]), ("web".to_owned(), vec![])];
    assert_eq!(gated.held(), (Some(1), held));
    gated.settings("pr: {inFlight: 2}\n");
    gated.promote(&PR).exits(0).prints("Opened pull request #2");
    // An update needs no more room.
    gated.settings("pr: {inFlight: 1}\n");
    gated.promote(&PR).exits(0).prints("Pull request #2 is open");
    assert_eq!(gated.held().0, Some(0));
    gated.settings("pr: {inFlight: 0}\n");
    gated.promote(&PR).exits(2).prints("expected a nonzero");
}

#[test]
fn unreadable_pull_requests_block_the_in_flight_gate() {
    let gated = Gated::new();
    gated.settings("pr: {inFlight: 1}\n");
    let arguments = ["promote", "stage", "prod", "echo", "--pr", "--yes", "--forge", "gitea"];
    let without_token = Run::of(super::with_ssh(&gated.repository, &arguments).output().unwrap());
    without_token.exits(1).prints("inFlight in .ucp.yaml holds").prints("nothing was pushed");
    assert_eq!(gated.branches(), "");
    // A pipeline does not call it ready either.
    let state = |run: Run| {
        let pipeline = run.json();
        let places = pipeline["versions"].as_array().unwrap().iter().flat_map(|one| one["places"].as_array().unwrap());
        let prod = places.filter(|place| place["environment"] == "prod" && place["state"] != "declared");
        let states: Vec<Value> = prod.map(|place| json!([place["state"], place["heldBackBy"][0]["gate"]])).collect();
        Value::Array(states)
    };
    let pipeline = ["pipeline", "echo", "-o", "json"];
    let held = json!([["held", "inFlight"]]);
    assert_eq!(state(Run::of(super::with_ssh(&gated.repository, &pipeline).output().unwrap())), held);
    assert_eq!(state(gated.forge.run(&gated.repository, &pipeline)), json!([["ready", null]]));
    gated.forge.add("eu", &json!({"environment": "eu", "services": ["echo"]}));
    assert_eq!(state(gated.forge.run(&gated.repository, &pipeline)), held);
    let unread = [&pipeline[..], &["--no-pull-requests"]].concat();
    assert_eq!(state(gated.forge.run(&gated.repository, &unread)), held);
}

#[test]
fn the_later_of_two_concurrent_pull_requests_is_closed() {
    let gated = Gated::new();
    gated.settings("pr: {inFlight: 1}\n");
    // Another run opens its pull request after this one has read the open ones.
    gated.forge.known.lock().unwrap().rival = Some(json!({"environment": "eu", "services": ["echo"]}));
    gated.promote(&PR).exits(1).prints("the pull request was closed again: echo is in flight to eu (#1)");
    let open: Vec<_> = gated.forge.open().iter().map(|pull| pull["number"].clone()).collect();
    assert_eq!((open, gated.branches()), (vec![json!(1)], String::new()));
    // The pull request that was closed does not keep the next run from opening one.
    gated.forge.known.lock().unwrap().pulls[0]["state"] = json!("closed");
    gated.promote(&PR).exits(0).prints("Opened pull request #3");
}

#[test]
fn requirements_of_the_forge_block_a_promotion() {
    let gated = Gated::new();
    gated.settings("pr: {requires: [approvals, checks]}\n");
    assert_eq!(gated.held().0, Some(0), "there is no pull request yet");
    gated.promote(&PR).exits(0).prints("Opened pull request #1");
    let know = |reviews: Value, statuses: Value| {
        gated.forge.known.lock().unwrap().others = vec![
            (
                "branches/main".to_owned(),
                json!({"required_approvals": 1, "enable_status_check": true, "status_check_contexts": ["ci/*"]}),
            ),
            ("pulls/1/reviews".to_owned(), reviews),
            ("commits/0123456789abcdef/status".to_owned(), json!({"statuses": statuses})),
        ];
    };
    let held = |gates: &[&str]| {
        let gates = gates.iter().map(|gate| (*gate).to_owned()).collect();
        vec![("echo".to_owned(), gates), ("web".to_owned(), vec![])]
    };
    let approved = json!([{"state": "APPROVED", "official": true, "dismissed": false}]);
    let status = |state: &str| json!([{"context": "ci/test", "status": state}]);
    know(json!([]), json!([]));
    assert_eq!(gated.held(), (Some(1), held(&["approvals", "checks"])));
    know(approved.clone(), status("pending"));
    assert_eq!(gated.held(), (Some(1), held(&["checks"])));
    know(json!([{"state": "APPROVED", "official": false}]), status("success"));
    assert_eq!(gated.held(), (Some(1), held(&["approvals"])));
    know(approved, status("success"));
    assert_eq!(gated.held(), (Some(0), held(&[])));
    // A requirement that cannot be read blocks.
    gated.forge.known.lock().unwrap().others.clear();
    assert_eq!(gated.held(), (Some(1), held(&["approvals", "checks"])));
    let check = ["promote", "stage", "prod", "--check", "--forge", "gitea"];
    let without_token = Run::of(super::with_ssh(&gated.repository, &check).output().unwrap());
    without_token.exits(1).prints("the forge cannot be read: no token");
    gated.repository.ucp(["promote", "stage", "prod", "echo", "--forge", "gitea"]).exits(2);
}

#[test]
fn a_pipeline_shows_the_gates_of_an_open_pull_request() {
    let gated = Gated::new();
    gated.settings("pr: {}\n");
    gated.promote(&PR).exits(0).prints("Opened pull request #1");
    let know = |statuses: Value| {
        gated.forge.known.lock().unwrap().others = vec![
            (
                "branches/main".to_owned(),
                json!({"required_approvals": 2, "enable_status_check": true, "status_check_contexts": ["ci/*"]}),
            ),
            ("pulls/1/reviews".to_owned(), json!([])),
            ("commits/0123456789abcdef/status".to_owned(), json!({"statuses": statuses})),
        ];
    };
    let pipeline =
        |code: i32| gated.forge.run(&gated.repository, &["pipeline", "echo", "-o", "json"]).exits(code).json();
    let gates = |pipeline: &Value| -> Vec<(String, String)> {
        let places = pipeline["versions"][0]["places"].as_array().unwrap();
        let prod = places.iter().find(|place| place["environment"] == "prod").unwrap();
        assert_eq!(prod["pullRequest"]["number"], 1, "{pipeline}");
        assert_eq!(
            (&prod["pullRequest"]["author"], &prod["pullRequest"]["since"]),
            (&json!("bot"), &json!("2026-01-01T00:00:00Z"))
        );
        let held = prod["heldBackBy"].as_array().into_iter().flatten();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        held.map(|held| (text(&held["gate"]), text(&held["reason"]))).collect()
    };
    let gate = |gate: &str, reason: &str| (gate.to_owned(), reason.to_owned());
    know(json!([{"context": "ci/test", "status": "pending"}]));
    let approvals = gate("approvals", "0 of 2 required approvals");
    assert_eq!(gates(&pipeline(0)), [approvals.clone(), gate("checks", "\"ci/*\" has not succeeded")]);
    know(json!([{"context": "ci/test", "status": "success"}]));
    assert_eq!(gates(&pipeline(0)), std::slice::from_ref(&approvals));
    let table = gated.forge.run(&gated.repository, &["pipeline", "echo"]).exits(0);
    table.prints("approvals: 0 of 2 required approvals").prints("#1 http://127.0.0.1/o/r/pulls/1 (bot)");
    // What `.ucp.yaml` requires is what the forge requires, once.
    gated.settings("pr: {requires: [approvals, checks]}\n");
    assert_eq!(gates(&pipeline(0)), std::slice::from_ref(&approvals));
    // A freeze of the environment, once.
    gated.settings(&format!("freeze: {{prod: [{}]}}\n", window(-1, 9)));
    let found = gates(&pipeline(0));
    assert!(found.len() == 2 && found[0].0 == "freeze" && found[1] == approvals, "{found:?}");
    // A requirement that cannot be read is not met.
    gated.forge.known.lock().unwrap().others.clear();
    let unread = pipeline(4);
    assert_eq!(unread["unreadable"][0]["what"], "the requirements of pull request #1", "{unread}");
}

#[test]
fn a_check_reports_pull_requests_that_were_closed() {
    let gated = Gated::new();
    gated.settings("pr: {target: main}\n");
    let set_state = |state: &str| {
        gated.forge.known.lock().unwrap().pulls.iter_mut().for_each(|pull| pull["state"] = json!(state));
    };
    let held = |echo: &[&str], web: &[&str]| {
        let gates = |gates: &[&str]| gates.iter().map(|&gate| gate.to_owned()).collect::<Vec<_>>();
        vec![("echo".to_owned(), gates(echo)), ("web".to_owned(), gates(web))]
    };
    let all =
        |more: &[&str]| gated.forge.run(&gated.repository, &[&["promote", "stage", "prod", "--all"], more].concat());
    gated.promote(&PR).exits(0);
    assert_eq!(gated.held(), (Some(0), held(&[], &[])));
    set_state("closed");
    assert_eq!(gated.held(), (Some(1), held(&["closed"], &[])));
    gated.promote(&["--check"]).exits(1).prints("pull request #1 with this change was closed without a merge: http");
    let pipeline = gated.forge.run(&gated.repository, &["pipeline", "echo", "-o", "json"]).exits(0).json();
    let places = pipeline["versions"][0]["places"].as_array().unwrap();
    let prod = places.iter().find(|place| place["environment"] == "prod").unwrap();
    assert_eq!((&prod["state"], &prod["heldBackBy"][0]["gate"]), (&json!("held"), &json!("closed")), "{pipeline}");
    // The one of all services would be another one.
    all(&["--check"]).exits(0);
    // Closed pull requests that cannot be read may hold it back.
    gated.forge.known.lock().unwrap().rejected = Some(("GET", "pulls", 403, "no access"));
    gated.promote(&["--check"]).exits(4).prints("--pr may hold back a change that was closed before: no access");
    gated.forge.known.lock().unwrap().rejected = None;
    // Without pull requests in .ucp.yaml, the forge is not asked.
    gated.settings("{}\n");
    assert_eq!(gated.held(), (Some(0), held(&[], &[])));
    gated.settings("pr: {target: main}\n");
    // Without its branch, it is proposed again.
    let bare = gated.repository.outside().join("origin.git");
    gated.repository.git(["-C", bare.to_str().unwrap(), "update-ref", "-d", &gated.branches()]);
    assert_eq!(gated.held(), (Some(0), held(&[], &[])));
    all(&PR).exits(0).prints("Opened pull request #2");
    set_state("closed");
    let document = all(&["--check", "-o", "json"]).exits(1).json();
    let gates = |item: usize| document["items"][item]["heldBackBy"][0]["gate"].clone();
    assert_eq!((gates(0), gates(1)), (json!("closed"), json!("closed")), "{document}");
    gated.promote(&["--check"]).exits(0);
}
