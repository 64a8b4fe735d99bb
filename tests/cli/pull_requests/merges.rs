//! Automatic merges on a real Gitea: none passes a closed gate.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::gates::window;
use super::gitea::{USER, gitea};
use super::{OnGitea, commit, services};
use crate::gitops::Run;

/// Waits until the server has merged into main.
fn merged_after(on: &OnGitea, main: &str) -> String {
    let begun = Instant::now();
    loop {
        let tip = on.tip("main");
        if tip != main {
            return tip;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "it is not merged after the approval");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn approve(on: &OnGitea, approver: &str, pull: &Value) {
    let review = json!({"event": "APPROVED", "commit_id": pull["head"]["sha"], "body": "ok"});
    let path = format!("/repos/{USER}/{}/pulls/{}/reviews", on.name, pull["number"]);
    on.server.api_as(approver, "POST", &path, &review);
}

#[test]
fn no_merge_passes_a_closed_gate() {
    let Some(server) = gitea() else { return };
    let repository = services(&["echo"]);
    repository.write(".ucp.yaml", "pr: {automerge: true}\n");
    commit(&repository, "Settings");
    let on = OnGitea::new(server, "gates", repository);
    let approver = server.account("approver", "gates");
    let rule = json!({"rule_name": "main", "enable_push": false, "required_approvals": 1});
    server.api("POST", &format!("/repos/{USER}/gates/branch_protections"), &rule);
    let main = on.tip("main");
    on.promote(&["echo"]).exits(0).prints("Opened pull request #1");
    on.promote(&["echo"]).exits(0);
    // It is scheduled, and waits for the approval.
    assert!(on.tip("main") == main && on.open().len() == 1);
    approve(&on, &approver, &on.open()[0]);
    merged_after(&on, &main);
    on.promote(&["echo"]).exits(0).prints("Nothing to do");
}

/// The gate closes while several runs schedule merges; the method of the merges is not the usual one.
#[test]
fn many_merges_race_against_a_closing_gate() {
    let Some(server) = gitea() else { return };
    let names = ["s0", "s1", "s2", "s3", "s4", "s5"];
    let repository = services(&names);
    repository.write(".ucp.yaml", "pr: {automerge: true}\n");
    commit(&repository, "Settings");
    let on = OnGitea::new(server, "closing", repository);
    let approver = server.account("closer", "closing");
    server.api("PATCH", &format!("/repos/{USER}/closing"), &json!({
        "has_pull_requests": true, "allow_merge_commits": false, "allow_rebase": false, "allow_rebase_explicit": false,
        "allow_squash_merge": true, "allow_fast_forward_only_merge": false, "default_merge_style": "squash",
    }));
    let rule = json!({
        "rule_name": "main", "enable_push": true, "enable_push_whitelist": true, "push_whitelist_usernames": [USER],
        "required_approvals": 1,
    });
    server.api("POST", &format!("/repos/{USER}/closing/branch_protections"), &rule);
    let start = |name: &&str| -> Child {
        let mut command = on.command(&["promote", "stage", "prod", name, "--pr", "--yes"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<Child> = names.iter().map(start).collect();
    on.checkout.write(".ucp.yaml", &format!("pr: {{automerge: true}}\nfreeze: {{prod: [{}]}}\n", window(-1, 9)));
    commit(&on.checkout, "Freeze");
    on.checkout.git(["push", "--quiet"]);
    for child in children {
        let run = Run::of(child.wait_with_output().unwrap());
        assert!(matches!(run.code, Some(0 | 1 | 4)), "{run:?}");
    }
    // Each later run cancels scheduled merges.
    on.promote(&["s0"]).exits(1).prints("frozen until");
    on.ucp(&["set-version", "stage", "s0=v3", "--pr", "--yes"]).exits(0);
    let (main, open) = (on.tip("main"), on.open());
    let is_stage = |pull: &&Value| pull["title"] == "Set s0 in stage to v3";
    open.iter().filter(|pull| !is_stage(pull)).for_each(|pull| approve(&on, &approver, pull));
    // The merge that is not frozen comes last.
    approve(&on, &approver, open.iter().find(is_stage).unwrap());
    let merged = merged_after(&on, &main);
    // The server moves the branch before it closes the pull request.
    let begun = Instant::now();
    while on.open().iter().any(|pull| is_stage(&pull)) {
        assert!(begun.elapsed() < Duration::from_secs(60), "the pull request stays open after its merge");
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(on.open().len(), open.len() - 1, "only one is merged");
    on.checkout.git(["fetch", "--quiet", "origin"]);
    assert_eq!(on.checkout.git(["rev-parse", &format!("{merged}^")]), main, "one commit, and no commit of a merge");
}
