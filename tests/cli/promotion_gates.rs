//! `freeze`, `soak` and `promote --check`.

use serde_json::json;

use crate::gitops::{Gitops, Run};

const STAGE: &str = "echo/overlays/stage/kustomization.yaml";
/// A freeze that holds at any time.
const ALWAYS: &str = "freeze: [\"00:00-12:00\", \"12:00-00:00\"]\n";
const NEVER: &str = "freeze: [2001-01-01/2001-01-02]\n";

/// The paper's repository, with a configuration, and stage's version committed at a time.
fn repository(config: &str, since: &str) -> Gitops {
    let repository = Gitops::paper("v1", "v1");
    commit_at(&repository, &["--amend", "--no-edit"], &ago(1000));
    repository.write(".ucp.yaml", config);
    repository.write(STAGE, &repository.read(STAGE).replace("v1", "v2"));
    repository.git(["add", "--all"]);
    commit_at(&repository, &["-m", "v2"], since);
    repository
}

fn commit_at(repository: &Gitops, arguments: &[&str], time: &str) {
    let mut commit = repository.command("git");
    commit.args(["commit", "--quiet"]).args(arguments).env("GIT_COMMITTER_DATE", time);
    Run::of(commit.output().unwrap()).exits(0);
}

fn ago(hours: i64) -> String {
    format!("{} +0000", jiff::Timestamp::now().as_second() - hours * 3600)
}

fn promote(repository: &Gitops, more: &[&str]) -> Run {
    repository.ucp([&["promote", "stage", "prod", "echo"], more].concat())
}

#[test]
fn a_pipeline_shows_commits_and_gates() {
    let place = |repository: &Gitops, version: usize, place: usize| {
        let document = repository.ucp(["pipeline", "echo", "-o", "json"]).exits(0).json();
        document["versions"][version]["places"][place].clone()
    };
    for (config, state, gate) in [
        ("soak: 24h\n", "held", json!("soak")),
        (ALWAYS, "held", json!("freeze")),
        ("soak: 30m\n", "ready", json!(null)),
        ("verify: {context: core}\n", "held", json!("verify")),
    ] {
        let repository = repository(config, &ago(1));
        let stage = place(&repository, 0, 0);
        assert_eq!((&stage["environment"], &stage["state"]), (&json!("stage"), &json!("declared")), "{stage}");
        assert_eq!(stage["by"]["subject"], "v2", "{stage}");
        let prod = place(&repository, 0, 1);
        assert_eq!((&prod["environment"], &prod["state"]), (&json!("prod"), &json!(state)), "{config}: {prod}");
        assert_eq!(prod["heldBackBy"][0]["gate"], gate, "{config}: {prod}");
        let old = place(&repository, 1, 0);
        assert_eq!((&old["environment"], &old["state"]), (&json!("prod"), &json!("declared")), "{old}");
    }
    let frozen = repository(ALWAYS, &ago(1));
    frozen.ucp(["pipeline", "echo"]).exits(0).prints("freeze: frozen by");
    frozen.ucp(["pipeline", "ecko"]).exits(2).prints("no service is called \"ecko\"; did you mean 'echo'?");
    // The other direction is no promotion.
    let backwards = repository("flow: {prod: [stage]}\n", &ago(1));
    let document = backwards.ucp(["pipeline", "echo", "-o", "json"]).exits(0).json();
    assert_eq!(document["versions"][0]["places"].as_array().unwrap().len(), 1, "{document}");
    // A forge that is not known may have pull requests.
    backwards.git(["remote", "add", "origin", "https://forge.invalid/a/b.git"]);
    backwards.ucp(["pipeline", "echo"]).exits(4).prints("open pull requests: ").prints("--no-pull-requests omits them");
    backwards.ucp(["pipeline", "echo", "--no-pull-requests"]).exits(0);
}

#[test]
fn nothing_is_written_into_a_frozen_environment() {
    let repository = repository(ALWAYS, &ago(1));
    let before = repository.git(["status", "--porcelain", "--branch"]);
    for more in [&["--yes"][..], &["--commit", "--yes"], &["--branch", "x", "--yes"], &["--dry-run"]] {
        let run = promote(&repository, more).exits(1);
        run.prints("prod is held back: frozen by \"").prints("--override-freeze REASON");
    }
    for command in
        [&["set-version", "prod", "echo=v3"][..], &["set-image", "stage", "echo=v3"], &["set-version", "echo=v3"]]
    {
        repository.ucp([command, &["--yes"]].concat()).exits(1).prints("is held back");
    }
    // What is set already needs no edit.
    repository.ucp(["set-version", "prod", "echo=v1", "--yes"]).exits(0).prints("Nothing to do");
    assert_eq!(repository.git(["status", "--porcelain", "--branch"]), before);
}

#[test]
fn a_file_is_frozen_with_its_environment() {
    let windows = ALWAYS.replace("freeze: ", "freeze: {stage: ").replace("]\n", "]}\n");
    let repository = repository(&windows, &ago(1));
    let before = repository.read(STAGE);
    let set = |file: &str, more: &[&str]| {
        repository.ucp([&["set-version", "--file", file, "echo-server=v3", "--yes"], more].concat())
    };
    set(STAGE, &[]).exits(1).prints("stage is held back: frozen by").prints("pass --override-freeze REASON");
    let dry = ["set-version", "--file", STAGE, "echo-server=v3", "--dry-run"];
    repository.ucp(dry).exits(1).prints("is held back");
    let image = ["set-image", "--file", "echo/overlays/stage", "dagandersen/echo-server:v3", "--yes"];
    repository.ucp(image).exits(1).prints("is held back");
    assert_eq!(repository.read(STAGE), before);
    // Another environment is not frozen; a value without one may be in the frozen one.
    set("echo/overlays/prod/kustomization.yaml", &[]).exits(0);
    repository.write("notes.yaml", "image: dagandersen/echo-server:v2\n");
    set("notes.yaml", &[]).exits(1).prints("an environment that may be changed is held back");
    set("notes.yaml", &["--override-freeze", "an incident"])
        .exits(0)
        .prints("Record in the message of the commit: Freeze-Override: an incident");
    // A version that is set already changes nothing.
    set("notes.yaml", &[]).exits(0);
    repository.write(".ucp.yaml", "{}\n");
    set(STAGE, &[]).exits(0);
}

#[test]
fn an_override_is_recorded_in_the_commit() {
    let repository = repository(ALWAYS, &ago(1));
    promote(&repository, &["--override-freeze", "outage 4711", "--yes"]).exits(2).prints("without --commit");
    promote(&repository, &["--override-freeze", "  ", "--commit", "--yes"]).exits(2).prints("a reason is required");
    promote(&repository, &["--override-freeze", "outage\n4711", "--commit", "--yes"]).exits(0);
    let message = repository.git(["log", "-1", "--format=%B"]);
    assert!(
        message.starts_with("Promote echo to prod: v2\n") && message.ends_with("\n\nFreeze-Override: outage 4711"),
        "{message}"
    );
    let own =
        ["set-version", "prod", "echo=v3", "--override-freeze", "again", "--message", "Mine", "--commit", "--yes"];
    repository.ucp(own).exits(0);
    assert_eq!(repository.git(["log", "-1", "--format=%B"]), "Mine\n\nFreeze-Override: again");
}

#[test]
fn a_freeze_only_blocks_its_own_environment() {
    let windows = ALWAYS.replace("freeze: ", "freeze: {stage: ").replace("]\n", "]}\n");
    let repository = repository(&windows, &ago(1));
    repository.ucp(["set-version", "stage", "echo=v3", "--dry-run"]).exits(1).prints("stage is held back");
    // Without an environment, it may be the frozen one.
    repository.ucp(["set-version", "echo=v3", "--dry-run"]).exits(1).prints("is held back");
    promote(&repository, &["--yes"]).exits(0);
}

#[test]
fn a_gate_for_an_environment_that_does_not_exist_is_an_error() {
    for (config, name) in [("freeze: {production: [\"00:00-12:00\"]}\n", "production"), ("soak: {Prod: 24h}\n", "Prod")]
    {
        let repository = repository(config, &ago(72));
        for arguments in [
            &["promote", "stage", "prod", "echo", "--commit", "--yes"][..],
            &["promote", "stage", "prod", "--check"],
            &["set-version", "prod", "echo=v3"],
            &["pipeline", "echo"],
        ] {
            let run = repository.ucp(arguments);
            run.exits(2)
                .prints(&format!("names {name:?}, which is no environment of this repository"))
                .prints("known: stage, prod");
        }
    }
}

#[test]
fn in_a_shallow_clone_the_time_of_a_version_is_unknown() {
    let repository = repository("soak: 24h\n", &ago(72));
    let shallow = repository.outside().join("shallow");
    let url = format!("file://{}", repository.git(["rev-parse", "--show-toplevel"]));
    let clone = |depth: &str| {
        std::fs::remove_dir_all(&shallow).unwrap_or_default();
        repository.git(["clone", "--quiet", &format!("--depth={depth}"), &url, shallow.to_str().unwrap()]);
        repository.ucp(["promote", "stage", "prod", "--check", "-C", shallow.to_str().unwrap()])
    };
    clone("1").exits(1).prints("the clone is shallow");
    clone("2").exits(0);
}

#[test]
fn a_check_of_another_state_than_that_of_the_remote_is_reported() {
    let repository = repository("soak: 24h\n", &ago(72));
    let origin = repository.outside().join("origin");
    repository.git(["clone", "--quiet", "--bare", ".", origin.to_str().unwrap()]);
    repository.git(["remote", "add", "origin", origin.to_str().unwrap()]);
    repository.git(["push", "--quiet", "--set-upstream", "origin", "main"]);
    let check = || repository.ucp(["promote", "stage", "prod", "--check"]);
    assert!(!check().exits(0).stderr.contains("warning"));
    repository.write(".ucp.yaml", "");
    check().exits(0).prints("the checkout has uncommitted changes");
    repository.git(["commit", "--quiet", "--all", "-m", "Settings"]);
    check().exits(0).prints("the checkout and its upstream differ (+1 -0 commits)");
}

#[test]
fn a_malformed_gate_is_an_error_with_file_line_and_form() {
    for (config, reason) in [
        (
            "flow: {stage: [prod]}\nfreeze: [\"Fri 16:00\"]\n",
            "freeze: \"Fri 16:00\" is not a window such as \"Fri 16:00-Mon 08:00",
        ),
        ("# gates\nfreeze:\n  prod: [2026-13-01/2026-12-31]\n", "is not a window"),
        ("# gates\nsoak: soon\n", "soak: 'soon' is not a duration"),
        ("# gates\nfreeze: 3\n", "a list of windows"),
    ] {
        let repository = repository(config, &ago(1));
        let run = promote(&repository, &["--yes"]).exits(2);
        run.prints(".ucp.yaml").prints(reason).prints("line ");
        assert!(repository.git(["status", "--porcelain"]).is_empty());
    }
    let unknown = repository("freeze: [\"Fri 16:00-Mon 08:00 Mars/Olympus\"]\n", &ago(1));
    promote(&unknown, &["--yes"]).exits(1).prints("cannot be evaluated, so it holds").prints("Mars/Olympus");
}

#[test]
fn a_version_is_promoted_after_its_time_in_the_source() {
    let fresh = repository("soak: 24h\n", &ago(2));
    promote(&fresh, &["--yes"]).exits(1).prints("v2 has been in stage for 120m of 24h");
    let ripe = repository("soak: {prod: 24h}\n", &ago(25));
    promote(&ripe, &["--yes"]).exits(0);
    let other = repository("soak: {stage: 24h}\n", &ago(2));
    promote(&other, &["--yes"]).exits(0);
    // An edit of something else in the file does not restart the time.
    let touched = repository("soak: 24h\n", &ago(25));
    touched.write(STAGE, &format!("{}\nreplicas: [{{name: echo, count: 2}}]\n", touched.read(STAGE)));
    commit_at(&touched, &["--all", "-m", "Replicas"], &ago(22));
    promote(&touched, &["--dry-run"]).exits(0);
    // A version that came back is new again.
    for (version, hours) in [("v1", 20), ("v2", 10)] {
        let text = touched.read(STAGE);
        let old = if version == "v1" { "v2" } else { "v1" };
        touched.write(STAGE, &text.replace(old, version));
        commit_at(&touched, &["--all", "-m", version], &ago(hours));
    }
    promote(&touched, &["--dry-run"]).exits(1).prints("v2 has been in stage for 10h of 24h");
    // A version that is not committed has not begun.
    let dirty = repository("soak: 1h\n", &ago(25));
    dirty.write(STAGE, &dirty.read(STAGE).replace("v2", "v3"));
    promote(&dirty, &["--yes"]).exits(1).prints("is not committed in stage");
    // A commit is not older than its parent, whatever its date.
    let backdated = repository("soak: 24h\n", &ago(2));
    backdated.write(STAGE, &backdated.read(STAGE).replace("v2", "v3"));
    commit_at(&backdated, &["--all", "-m", "v3"], &ago(30));
    promote(&backdated, &["--yes"]).exits(1).prints("v3 has been in stage for 120m of 24h");
    // A time in the future is not in the past.
    let future = repository("soak: 1h\n", &ago(-48));
    promote(&future, &["--yes"]).exits(1);
}

#[test]
fn a_check_reports_every_gate_and_writes_nothing() {
    let held = repository(&format!("{ALWAYS}soak: 24h\n"), &ago(2));
    let run = held.ucp(["promote", "stage", "prod", "--check", "-o", "json"]).exits(1);
    let document = run.json();
    assert_eq!(document["kind"], "PromotionCheck");
    let item = &document["items"][0];
    assert_eq!((&item["service"], &item["before"], &item["after"]), (&json!("echo"), &json!("v1"), &json!("v2")));
    let gates: Vec<&str> =
        item["heldBackBy"].as_array().unwrap().iter().filter_map(|held| held["gate"].as_str()).collect();
    assert_eq!(gates, ["freeze", "soak"]);
    let until: jiff::Timestamp = item["heldBackBy"][1]["until"].as_str().unwrap().parse().unwrap();
    let left = until.as_second() - jiff::Timestamp::now().as_second();
    assert!((21 * 3600..=22 * 3600).contains(&left), "{left}");
    held.ucp(["promote", "stage", "prod", "--check"]).exits(1).prints("1 of 1 is held back");
    let free = repository(NEVER, &ago(2));
    free.ucp(["promote", "stage", "prod", "--check"])
        .exits(0)
        .prints("This version may be promoted now")
        .prints("ready");
    promote(&free, &["--check", "-o", "markdown"]).exits(0).prints("| echo |");
    promote(&free, &["--check", "--push"]).exits(2);
    assert_eq!(free.git(["status", "--porcelain"]), "");
    // A rule is a gate, too.
    free.ucp(["promote", "prod", "stage", "--check"]).exits(1).prints("rule").prints("v1 is older than v2");
    promote(&free, &["--yes"]).exits(0);
    promote(&free, &["--check"]).exits(0).prints("Nothing to promote");
}
