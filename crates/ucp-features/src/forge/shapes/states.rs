//! A pull request after its end, and the checks that have failed, as the pages at the top of each adapter document them.

use serde_json::{Value, json};

use super::repository;
use crate::forge::ForgeKind;
use crate::forge::adapter::Forge;
use crate::forge::pull_request::{PullRequest, PullRequestState};

/// A pull request of a forge.
struct KnownPullRequest {
    forge: Box<dyn Forge>,
    path: &'static str,
    open: Value,
    merged: Value,
    closed: Value,
}

/// The forges with a pull request, open, and the fields of one that was merged and of one that was closed.
fn pull_requests() -> Vec<KnownPullRequest> {
    let known = vec![
        (
            repository(ForgeKind::Github, "git@github.com:o/r.git"),
            "/repos/o/r/pulls/7",
            json!({
                "number": 7, "html_url": "u", "state": "open", "merged_at": null, "merge_commit_sha": "7e57",
                "head": {"ref": "s"}, "base": {"ref": "main"},
            }),
            json!({"state": "closed", "merged_at": "2026-01-01T00:00:00Z", "merge_commit_sha": "c0ffee0"}),
            json!({"state": "closed"}),
        ),
        (
            repository(ForgeKind::Gitlab, "https://gitlab.com/g/r.git"),
            "/projects/g%2Fr/merge_requests/7",
            json!({"iid": 7, "web_url": "u", "state": "opened", "source_branch": "s", "target_branch": "main"}),
            json!({"state": "merged", "squash_commit_sha": "c0ffee0", "merge_commit_sha": null, "sha": "5eed"}),
            json!({"state": "closed"}),
        ),
        (
            repository(ForgeKind::Gitea, "https://tea.example/o/r.git"),
            "/repos/o/r/pulls/7",
            json!({
                "number": 7, "html_url": "u", "state": "open", "merged": false, "head": {"label": "s", "ref": "s"},
                "base": {"ref": "main"},
            }),
            json!({"state": "closed", "merged": true, "merge_commit_sha": "c0ffee0"}),
            json!({"state": "closed"}),
        ),
        (
            repository(ForgeKind::Bitbucket, "git@bitbucket.org:o/r.git"),
            "/repositories/o/r/pullrequests/7",
            json!({
                "id": 7, "links": {"html": {"href": "u"}}, "state": "OPEN", "source": {"branch": {"name": "s"}},
                "destination": {"branch": {"name": "main"}},
            }),
            json!({"state": "MERGED", "merge_commit": {"hash": "c0ffee0"}}),
            json!({"state": "SUPERSEDED"}),
        ),
        (
            repository(ForgeKind::Azure, "https://dev.azure.com/o/p/_git/r"),
            "/o/p/_apis/git/repositories/r/pullrequests/7?api-version=7.1",
            json!({
                "pullRequestId": 7, "status": "active", "sourceRefName": "refs/heads/s",
                "targetRefName": "refs/heads/main", "lastMergeCommit": {"commitId": "7e57"},
            }),
            json!({"status": "completed", "lastMergeCommit": {"commitId": "c0ffee0"}}),
            json!({"status": "abandoned"}),
        ),
    ];
    let known = known.into_iter();
    known.map(|(forge, path, open, merged, closed)| KnownPullRequest { forge, path, open, merged, closed }).collect()
}

#[test]
fn the_final_state_of_a_pull_request_is_read() {
    for KnownPullRequest { forge, path, open, merged, closed } in pull_requests() {
        assert_eq!((forge.show(7).method.as_str(), forge.show(7).path.as_str()), ("GET", path));
        let read = |more: &Value| {
            let mut item = open.clone();
            more.as_object().unwrap().iter().for_each(|(field, value)| item[field] = value.clone());
            forge.read(&item).unwrap()
        };
        let still = read(&json!({}));
        assert_eq!((still.number, still.state, still.merge_commit), (7, PullRequestState::Open, None), "{path}");
        let merged = read(&merged);
        assert_eq!(
            (merged.state, merged.merge_commit.as_deref()),
            (PullRequestState::Merged, Some("c0ffee0")),
            "{path}"
        );
        assert_eq!(read(&closed).state, PullRequestState::Closed, "{path}");
    }
}

/// The checks that a forge reports as failed.
fn failed(kind: ForgeKind, url: &str, responses: &[Value]) -> Option<String> {
    let opened = PullRequest::opened(7, "s", String::new());
    repository(kind, url).unmet(&opened, responses).unwrap().failed
}

#[test]
fn a_required_check_that_has_failed_is_named() {
    let gitea = |state: &str, is_required: bool| {
        let branch = json!({
            "required_approvals": 0, "enable_status_check": is_required, "status_check_contexts": ["ci/*"],
        });
        let statuses = json!({"statuses": [{"context": "ci/test", "status": state}]});
        failed(ForgeKind::Gitea, "https://tea.example/o/r.git", &[branch, json!([]), statuses, Value::Null])
    };
    assert_eq!(gitea("failure", true).as_deref(), Some("\"ci/*\" has failed"));
    assert_eq!([gitea("pending", true), gitea("success", true), gitea("failure", false)], [None, None, None]);

    let github = |state: &str, rollup: &str| {
        let commits = json!({"nodes": [{"commit": {"statusCheckRollup": {"state": rollup}}}]});
        let node = json!({"data": {"node": {"mergeStateStatus": state, "commits": commits}}});
        failed(ForgeKind::Github, "git@github.com:o/r.git", &[node])
    };
    assert!(github("BLOCKED", "FAILURE").is_some());
    // A check that is not required.
    assert_eq!([github("BLOCKED", "PENDING"), github("UNSTABLE", "FAILURE")], [None, None]);

    let gitlab = |status: &str, pipeline: &str| {
        let request = json!({"detailed_merge_status": status, "head_pipeline": {"status": pipeline}});
        failed(ForgeKind::Gitlab, "https://gitlab.com/g/r.git", &[request, json!({})])
    };
    assert_eq!(gitlab("ci_must_pass", "failed").as_deref(), Some("the pipeline has failed"));
    assert_eq!([gitlab("ci_must_pass", "running"), gitlab("mergeable", "failed")], [None, None]);

    let bitbucket = |state: &str| {
        let rule = json!({
            "kind": "require_passing_builds_to_merge", "branch_match_kind": "glob", "pattern": "main", "value": 1,
        });
        let responses = [json!({"participants": []}), json!({"values": [{"state": state}]}), json!({"values": [rule]})];
        failed(ForgeKind::Bitbucket, "git@bitbucket.org:o/r.git", &responses)
    };
    assert_eq!((bitbucket("FAILED").as_deref(), bitbucket("INPROGRESS")), (Some("1 of 1 builds failed"), None));

    let azure = |kind: &str, status: &str| {
        let configuration =
            json!({"isBlocking": true, "isEnabled": true, "type": {"id": kind, "displayName": "Build"}});
        let answer = json!({"value": [{"status": status, "configuration": configuration}]});
        failed(ForgeKind::Azure, "https://dev.azure.com/o/p/_git/r", &[answer])
    };
    let build = "0609b952-1397-4640-95ec-e00a01b2c241";
    assert_eq!((azure(build, "rejected").as_deref(), azure(build, "running")), (Some("\"Build\" is rejected"), None));
    // A person who rejects may change their mind.
    assert_eq!(azure("fa4e907d-c16b-4a4c-9dfa-4906e5d171dd", "rejected"), None);
}
