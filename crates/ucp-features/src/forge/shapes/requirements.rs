//! What each forge requires before a merge, as the pages at the top of each adapter document it.

use serde_json::{Value, json};

use super::{is, repository};
use crate::forge::ForgeKind;
use crate::forge::adapter::Forge;
use crate::forge::pull_request::PullRequest;

/// What a forge requires: the requests, and for each list of responses the reasons for approvals and for checks.
#[track_caller]
fn requires(forge: &dyn Forge, opened: &PullRequest, paths: &[&str], cases: &[(&[Value], [&str; 2])]) {
    let requests = forge.requirements(opened).unwrap();
    assert_eq!(requests.iter().map(|one| one.request.path.as_str()).collect::<Vec<_>>(), paths);
    for (responses, expected) in cases {
        let unmet = forge.unmet(opened, responses).unwrap();
        let found = [&unmet.approvals, &unmet.checks].map(|reason| reason.clone().unwrap_or_default());
        assert_eq!(found, *expected, "{responses:?}");
        // A check that has failed is not met.
        assert!(unmet.failed.is_none() || unmet.checks.is_some(), "{unmet:?}");
    }
    assert_eq!(forge.unmet(opened, &vec![json!({}); paths.len()]), None, "an incomplete response");
}

fn numbered(text: &str) -> PullRequest {
    let id = Some(text.to_owned());
    PullRequest {
        head: Some("c0ffee0".into()),
        merge_id: id.clone(),
        project_id: id,
        ..PullRequest::opened(7, "s", String::new())
    }
}

#[test]
fn requirements_of_github() {
    let forge = repository(ForgeKind::Github, "git@github.com:o/r.git");
    let opened = numbered("PR_1");
    let node = |review: &str, state: &str, rollup: Value| {
        [json!({"data": {"node": {
            "reviewDecision": review, "mergeStateStatus": state,
            "commits": {"nodes": [{"commit": {"statusCheckRollup": rollup}}]},
        }}})]
    };
    let state = |state: &str| json!({"state": state});
    requires(
        &*forge,
        &opened,
        &["/graphql"],
        &[
            (&node("APPROVED", "CLEAN", state("SUCCESS")), ["", ""]),
            // Checks that are not required.
            (&node("APPROVED", "UNSTABLE", state("FAILURE")), ["", ""]),
            (&node("REVIEW_REQUIRED", "BLOCKED", Value::Null), ["required approvals are missing", ""]),
            (&node("CHANGES_REQUESTED", "BLOCKED", state("SUCCESS")), ["changes are requested", ""]),
            (
                &node("REVIEW_REQUIRED", "BLOCKED", state("PENDING")),
                [
                    "required approvals are missing",
                    "GitHub reports the pull request as BLOCKED, and the checks as PENDING",
                ],
            ),
            (&node("APPROVED", "BEHIND", Value::Null), ["", "GitHub reports the pull request as BEHIND"]),
        ],
    );
    let cancel = forge.cancel_merge(&opened).unwrap();
    assert!(cancel.body.unwrap()["query"].as_str().unwrap().contains("disablePullRequestAutoMerge"));
}

#[test]
fn requirements_of_gitlab() {
    let forge = repository(ForgeKind::Gitlab, "https://gitlab.com/g/r.git");
    let status = |status: &str, left: u64| [json!({"detailed_merge_status": status}), json!({"approvals_left": left})];
    requires(
        &*forge,
        &numbered("x"),
        &["/projects/g%2Fr/merge_requests/7", "/projects/g%2Fr/merge_requests/7/approvals"],
        &[
            (&status("mergeable", 0), ["", ""]),
            (&status("not_approved", 2), ["2 more approvals are required", ""]),
            (&status("requested_changes", 0), ["GitLab reports requested_changes", ""]),
            (&status("ci_still_running", 1), ["1 more approvals are required", "GitLab reports ci_still_running"]),
        ],
    );
    let path = "/projects/g%2Fr/merge_requests/7/cancel_merge_when_pipeline_succeeds";
    is(&forge.cancel_merge(&numbered("x")).unwrap(), "POST", path, Value::Null);
}

#[test]
fn requirements_of_gitea() {
    let forge = repository(ForgeKind::Gitea, "https://tea.example/o/r.git");
    let ruled = |required: u64, contexts: Value, reviews: Value, statuses: Value, rules: Value| {
        let branch = json!({
            "name": "main", "protected": true, "required_approvals": required,
            "enable_status_check": contexts.is_array(), "status_check_contexts": contexts,
            "effective_branch_protection_name": if rules.is_null() { "" } else { "ma*" },
        });
        [branch, reviews, json!({"state": "pending", "statuses": statuses}), rules]
    };
    let known = |required, contexts, reviews, statuses| ruled(required, contexts, reviews, statuses, Value::Null);
    let stale = |ignored: Value| {
        let reviews = json!([{"state": "APPROVED", "official": true, "dismissed": false, "stale": true}]);
        let other = json!({"rule_name": "other", "ignore_stale_approvals": true});
        let rules = json!([other, {"rule_name": "ma*", "ignore_stale_approvals": ignored}]);
        ruled(1, Value::Null, reviews, json!([]), if ignored.is_null() { Value::Null } else { rules })
    };
    let review = |state: &str, dismissed: bool| json!({"state": state, "official": true, "dismissed": dismissed});
    let ci = |status: &str| json!([{"context": "ci/test", "status": status}]);
    requires(
        &*forge,
        &numbered("x"),
        &[
            "/repos/o/r/branches/main",
            "/repos/o/r/pulls/7/reviews?limit=50",
            "/repos/o/r/commits/c0ffee0/status?limit=50",
            "/repos/o/r/branch_protections",
        ],
        &[
            (&stale(json!(false)), ["", ""]),
            (&stale(json!(true)), ["0 of 1 required approvals", ""]),
            (
                &stale(Value::Null),
                ["0 of 1 required approvals of the newest commit, and it is not known whether older ones count", ""],
            ),
            (&known(0, Value::Null, json!([]), json!([])), ["", ""]),
            (&known(1, Value::Null, json!([review("APPROVED", true)]), json!([])), ["0 of 1 required approvals", ""]),
            (&known(1, json!(["ci/*"]), json!([review("APPROVED", false)]), ci("success")), ["", ""]),
            (
                &known(0, json!(["ci/*"]), json!([review("REQUEST_CHANGES", false)]), ci("failure")),
                ["changes are requested", "\"ci/*\" has not succeeded"],
            ),
            (&known(0, json!(["build"]), json!([]), ci("success")), ["", "\"build\" has not succeeded"]),
            (&known(0, json!([]), json!([]), ci("pending")), ["", "\"*\" has not succeeded"]),
        ],
    );
    is(&forge.cancel_merge(&numbered("x")).unwrap(), "DELETE", "/repos/o/r/pulls/7/merge", Value::Null);
}

#[test]
fn requirements_of_bitbucket() {
    let forge = repository(ForgeKind::Bitbucket, "git@bitbucket.org:o/r.git");
    let known = |participants: Value, states: &[&str], rules: Value| {
        let states: Vec<Value> = states.iter().map(|state| json!({"state": state})).collect();
        [json!({"participants": participants}), json!({"values": states}), json!({"values": rules})]
    };
    let rule = |kind: &str, value: u64| {
        json!([
            {"kind": kind, "branch_match_kind": "glob", "pattern": "m*", "value": value},
            {"kind": "require_approvals_to_merge", "branch_match_kind": "glob", "pattern": "release/*", "value": 9},
        ])
    };
    let person = |approved: bool, state: Value| json!([{"role": "REVIEWER", "approved": approved, "state": state}]);
    let base = "/repositories/o/r";
    requires(
        &*forge,
        &numbered("x"),
        &[
            &format!("{base}/pullrequests/7"),
            &format!("{base}/pullrequests/7/statuses?pagelen=100"),
            &format!("{base}/branch-restrictions?pagelen=100"),
        ],
        &[
            (&known(json!([]), &["FAILED"], rule("push", 0)), ["", ""]),
            (
                &known(person(true, json!("approved")), &[], rule("require_approvals_to_merge", 2)),
                ["1 of 2 required approvals", ""],
            ),
            (
                &known(person(true, json!("approved")), &[], rule("require_default_reviewer_approvals_to_merge", 1)),
                ["", ""],
            ),
            (
                &known(person(false, json!("changes_requested")), &[], rule("require_no_changes_requested", 0)),
                ["changes are requested", ""],
            ),
            (
                &known(json!([]), &["SUCCESSFUL", "INPROGRESS"], rule("require_passing_builds_to_merge", 1)),
                ["", "1 of 2 builds passed"],
            ),
            (&known(json!([]), &["SUCCESSFUL"], rule("require_passing_builds_to_merge", 1)), ["", ""]),
        ],
    );
}

#[test]
fn requirements_of_azure() {
    let forge = repository(ForgeKind::Azure, "https://dev.azure.com/o/p/_git/r");
    let known = |kind: &str, name: &str, status: &str, blocks: bool| {
        [json!({"value": [{"status": status, "configuration": {
            "isBlocking": blocks, "isEnabled": true, "type": {"id": kind, "displayName": name},
        }}]})]
    };
    let reviews = "fa4e907d-c16b-4a4c-9dfa-4906e5d171dd";
    let path = "/o/p/_apis/policy/evaluations?artifactId=vstfs%3A%2F%2F%2FCodeReview%2FCodeReviewId%2Fproject%2F7\
                &api-version=7.1-preview.1";
    requires(
        &*forge,
        &numbered("project"),
        &[path],
        &[
            (&known(reviews, "Minimum number of reviewers", "approved", true), ["", ""]),
            (
                &known(reviews, "Minimum number of reviewers", "running", true),
                ["\"Minimum number of reviewers\" is running", ""],
            ),
            (&known("0609b952-1397-4640-95ec-e00a01b2c241", "Build", "rejected", true), ["", "\"Build\" is rejected"]),
            (&known("0609b952-1397-4640-95ec-e00a01b2c241", "Build", "rejected", false), ["", ""]),
        ],
    );
    let cancel = forge.cancel_merge(&numbered("project")).unwrap();
    assert!(cancel.body.unwrap()["autoCompleteSetBy"]["id"].as_str().unwrap().starts_with("00000000-"));
}
