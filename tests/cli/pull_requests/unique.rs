//! A change has one pull request, a closed one is not opened again, and an automatic merge that is missing is reported by each run.

use serde_json::json;

use super::gates::{Gated, PR, window};
use super::services;

#[test]
fn a_pull_request_that_is_listed_on_two_pages_stays_open() {
    let gated = Gated::new();
    gated.promote(&PR).exits(0).prints("Opened pull request #1");
    gated.forge.known.lock().unwrap().repeats = true;
    gated.promote(&PR).exits(0).prints("Pull request #1 is open");
    assert_eq!(gated.forge.open().len(), 1);
    assert!(gated.forge.sent("/comments").is_empty());
}

/// A list without the pull request that was opened may be without those of others, too.
#[test]
fn a_list_without_the_new_pull_request_is_not_believed() {
    for (unlisted, code) in [(2, 0), (1000, 4)] {
        let gated = Gated::new();
        gated.forge.known.lock().unwrap().unlisted = unlisted;
        let run = gated.promote(&PR).exits(code);
        run.prints("Opened pull request #1");
        let is_unknown = run.stderr.contains("whether another one changes the same is unknown: #1 is not listed");
        assert_eq!(is_unknown, code == 4, "{}", run.stderr);
    }
}

#[test]
fn a_request_for_an_unknown_branch_is_retried() {
    let gated = Gated::new();
    gated.forge.known.lock().unwrap().unknown_branch = 2;
    gated.promote(&PR).exits(0).prints("Opened pull request #1");
    assert_eq!(gated.forge.open().len(), 1);
}

#[test]
fn a_closed_pull_request_is_not_reopened_on_another_base() {
    let repository = services(&["echo"]);
    let overlay = "echo/overlays/prod/kustomization.yaml";
    let text = repository.read(overlay);
    let with_api = |tag: &str| format!("{text}- name: r/api\n  newTag: {tag}\n");
    repository.write(overlay, &with_api("v1"));
    let gated = Gated::with(repository);
    gated.settings("{}\n");
    gated.promote(&PR).exits(0).prints("Opened pull request #1");
    let close = |number: usize, merged: bool| {
        let pull = &mut gated.forge.known.lock().unwrap().pulls[number - 1];
        (pull["state"], pull["merged"]) = (json!("closed"), json!(merged));
    };
    close(1, false);
    let branches = gated.branches();
    let tip = || {
        let bare = gated.repository.outside().join("origin.git");
        gated.repository.git(["-C", bare.to_str().unwrap(), "rev-parse", &branches])
    };
    let before = tip();
    // Another value of the same file changes in the meantime.
    gated.repository.write(overlay, &with_api("v2"));
    gated.publish();
    for _ in 0..2 {
        let closed = gated.promote(&PR).exits(1);
        closed
            .prints("pull request #1 with this change was closed without a merge")
            .prints("or delete the branch ucp/pr/");
    }
    assert!(gated.forge.open().is_empty() && tip() == before, "nothing is pushed");
    // Without its branch, it is proposed again.
    let bare = gated.repository.outside().join("origin.git");
    gated.repository.git(["-C", bare.to_str().unwrap(), "update-ref", "-d", &branches]);
    gated.promote(&PR).exits(0).prints("Opened pull request #2");
    // One that was merged since, and reverted, was not refused.
    close(2, true);
    gated.promote(&PR).exits(0).prints("Opened pull request #3");
}

#[test]
fn a_pull_request_with_replaced_text_blocks_others() {
    let gated = Gated::new();
    gated.settings("pr: {inFlight: 1}\n");
    gated.promote(&PR).exits(0).prints("Opened pull request #1");
    // A pull request of a person is left alone.
    gated.forge.known.lock().unwrap().pulls[0]["body"] = json!("Look at the graphs first.");
    let mut person = gated.forge.open().remove(0);
    person["number"] = json!(2);
    (person["head"]["label"], person["head"]["ref"]) = (json!("feature/x"), json!("feature/x"));
    gated.forge.known.lock().unwrap().pulls.push(person);
    let all = || gated.forge.run(&gated.repository, &["promote", "stage", "prod", "--all", "--pr", "--yes"]);
    let refused = all().exits(1);
    refused
        .prints("pull request #1 is open on ucp/pr/prod/echo-")
        .prints("its text no longer says which services it changes");
    refused.prints("run the command that opened it again, which restores its text");
    assert_eq!(gated.branches().lines().count(), 1, "nothing is pushed");
    let (code, held) = gated.held();
    assert!(code == Some(1) && held.iter().all(|(_, gates)| gates == &["inFlight"]), "{held:?}");
    let pipeline = gated.forge.run(&gated.repository, &["pipeline", "web", "-o", "json"]).exits(4).json();
    assert_eq!(pipeline["unreadable"][0]["what"], "pull request #1", "{pipeline}");
    // The same change restores it, and the text of the person remains.
    gated.promote(&PR).exits(0).prints("Updated pull request #1");
    let body = gated.forge.open()[0]["body"].as_str().unwrap().to_owned();
    assert!(body.starts_with("Look at the graphs first.") && body.contains("| echo | r/echo | v1 | v2 |"), "{body}");
    all().exits(0).prints("Closed pull request #1, which it replaces.");
    assert_eq!(gated.forge.open().len(), 2);
}

#[test]
fn an_automatic_merge_that_is_missing_is_reported_by_each_run() {
    let gated = Gated::new();
    gated.settings("pr: {automerge: true}\n");
    let reject = |rejected| gated.forge.known.lock().unwrap().rejected = rejected;
    reject(Some(("POST", "/merge", 405, "automatic merges are disabled")));
    for _ in 0..2 {
        gated.promote(&PR).exits(4).prints("pull request #1: automerge: automatic merges are disabled");
    }
    let scheduled = "pull request is already scheduled to auto merge when checks succeed [pull_id: 1]";
    reject(Some(("POST", "/merge", 409, scheduled)));
    gated.promote(&PR).exits(0).prints("Pull request #1 is open");
    // The method is one that the repository allows.
    reject(None);
    let settings = json!({"allow_merge_commits": false, "allow_squash_merge": true, "default_merge_style": "merge"});
    gated.forge.known.lock().unwrap().others = vec![("/api/v1/repos/o/r".to_owned(), settings)];
    gated.promote(&PR).exits(0);
    assert_eq!(gated.forge.sent("/merge").last().unwrap().1["Do"], "squash");
}

#[test]
fn a_merge_that_may_still_be_scheduled_is_reported() {
    let gated = Gated::new();
    gated.settings("pr: {automerge: true}\n");
    gated.promote(&PR).exits(0);
    let reject = |status: u16| {
        gated.forge.known.lock().unwrap().rejected = Some(("DELETE", "/merge", status, "no"));
    };
    gated.settings(&format!("pr: {{automerge: true}}\nfreeze: [{}]\n", window(5, 9)));
    for status in [403, 409, 422] {
        reject(status);
        gated.promote(&PR).exits(4).prints("automerge of an earlier run: no");
    }
    gated.settings(&format!("pr: {{automerge: true}}\nfreeze: [{}]\n", window(-1, 9)));
    gated.promote(&PR).exits(1).prints("#1 may still be merged in the freeze: no");
    // None was scheduled.
    reject(404);
    let none = gated.promote(&PR).exits(1);
    assert!(!none.stderr.contains("may still be merged"), "{none:?}");
}
