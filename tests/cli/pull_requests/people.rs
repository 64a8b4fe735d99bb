//! People at a pull request: those who are asked to review it, and those who update its branch.

use serde_json::{Value, json};

use super::gitea::{USER, gitea};
use super::proposed_branch::ProposedBranch;
use super::{OnGitea, commit, services};

#[test]
fn an_invalid_reviewer_does_not_prevent_requests_to_others() {
    let Some(server) = gitea() else { return };
    let repository = services(&["echo"]);
    repository.write(".ucp.yaml", "pr: {reviewers: [reviewer, absent]}\n");
    commit(&repository, "Settings");
    let on = OnGitea::new(server, "reviewed", repository);
    server.account("reviewer", "reviewed");
    on.promote(&["echo"]).exits(4).prints("Opened pull request #1").prints("reviewer absent: ");
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
    on.promote(&["echo"]).exits(0).prints("Updated pull request #1");
    assert_eq!(on.open()[0]["title"], "Promote echo to prod: v3");
}

#[test]
fn a_merge_that_adds_something_is_a_commit_of_a_person() {
    let proposed = ProposedBranch::cloned();
    proposed.person(&["fetch", "--quiet", "origin"]);
    let merge = ["merge", "--quiet", "--no-ff", "--no-edit", "origin/main"];
    proposed.person(&merge);
    std::fs::write(proposed.clone.join("extra.yaml"), "{}").unwrap();
    proposed.person(&["add", "extra.yaml"]);
    proposed.person(&["commit", "--quiet", "--amend", "--no-edit"]);
    proposed.person(&["push", "--quiet"]);
    proposed.promote().exits(1).prints("not overwritten");
    proposed.person(&["reset", "--quiet", "--hard", &proposed.own]);
    proposed.person(&merge);
    proposed.person(&["push", "--quiet", "--force"]);
    proposed.promote().exits(4).prints("Pushed");
    assert!(proposed.in_remote(&["show", &proposed.name]).contains("v3"));
}
