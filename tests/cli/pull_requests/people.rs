//! People at a pull request: those who are asked to review it, and those who update its branch.

use serde_json::{Value, json};

use super::gitea::{USER, gitea};
use super::{OnGitea, PROMOTE, by_ssh, commit, services};
use crate::gitops::Run;

#[test]
fn one_who_cannot_review_keeps_no_other_from_being_asked() {
    let Some(server) = gitea() else { return };
    let repository = services(&["echo"]);
    repository.write(".ucp.yaml", "pr: {reviewers: [reviewer, absent]}\n");
    commit(&repository, "Settings");
    let on = OnGitea::new(server, "reviewed", repository);
    server.account("reviewer", "reviewed");
    on.promote(&["echo"]).exits(4).says("Opened pull request #1").says("reviewer absent: ");
    let asked = &on.open()[0]["requested_reviewers"];
    assert_eq!((asked.as_array().map(Vec::len), &asked[0]["login"]), (Some(1), &json!("reviewer")), "{asked}");
}

/// The button "Update branch" of a forge.
#[test]
fn an_updated_branch_has_no_commit_of_a_person() {
    let Some(server) = gitea() else { return };
    let on = OnGitea::new(server, "updated", services(&["echo"]));
    on.promote(&["echo"]).exits(0);
    on.stage("echo", "v3");
    server.api("POST", &format!("/repos/{USER}/updated/pulls/1/update?style=merge"), &Value::Null);
    on.promote(&["echo"]).exits(0).says("Updated pull request #1");
    assert_eq!(on.open()[0]["title"], "Promote echo to prod: v3");
}

#[test]
fn a_merge_that_adds_something_is_a_commit_of_a_person() {
    let repository = services(&["echo"]);
    let command = by_ssh(&repository);
    let bare = repository.outside().join("origin.git");
    let bare = bare.to_str().unwrap();
    let promote = || Run::of(command(&[&PROMOTE[..], &["--forge", "gitea"]].concat()).output().unwrap());
    promote().exits(4).says("Pushed");
    let branch = repository.git(["-C", bare, "for-each-ref", "--format=%(refname:short)", "refs/heads/ucp/pr"]);
    let own = repository.git(["-C", bare, "rev-parse", &branch]);
    repository.write(
        "echo/overlays/stage/kustomization.yaml",
        &repository.read("echo/overlays/stage/kustomization.yaml").replace("v2", "v3"),
    );
    commit(&repository, "Bump");
    repository.git(["push", "--quiet", bare, "main"]);
    let clone = repository.outside().join("person");
    repository.git(["clone", "--quiet", "--branch", &branch, bare, clone.to_str().unwrap()]);
    let person = |arguments: &[&str]| repository.git([&["-C", clone.to_str().unwrap()], arguments].concat());
    let merge = ["merge", "--quiet", "--no-ff", "--no-edit", "origin/main"];
    person(&merge);
    std::fs::write(clone.join("extra.yaml"), "{}").unwrap();
    person(&["add", "extra.yaml"]);
    person(&["commit", "--quiet", "--amend", "--no-edit"]);
    person(&["push", "--quiet"]);
    promote().exits(1).says("not overwritten");
    person(&["reset", "--quiet", "--hard", &own]);
    person(&merge);
    person(&["push", "--quiet", "--force"]);
    promote().exits(4).says("Pushed");
    assert!(repository.git(["-C", bare, "show", &branch]).contains("v3"));
}
