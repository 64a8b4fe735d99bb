//! Requests and responses of each forge, as the pages at the top of each adapter document them.

mod merging;
mod requirements;
mod states;

use serde_json::{Value, json};

use super::ForgeKind;
use super::adapter::{Forge, ReviewRequest};
use super::address::RemoteAddress;
use super::pull_request::{PullRequest, PullRequestDraft, PullRequestQuery, PullRequestState};
use super::request::ApiRequest;

fn repository(kind: ForgeKind, url: &str) -> Box<dyn Forge> {
    kind.repository(&RemoteAddress::parse(url).unwrap()).unwrap()
}

fn draft() -> PullRequestDraft {
    PullRequestDraft { source: "ucp/pr/prod/echo-1".into(), target: "main".into(), title: "T".into(), body: "B".into() }
}

/// Method, path, and body.
fn shape(request: &ApiRequest) -> (String, String, Value) {
    (request.method.to_string(), request.path.clone(), request.body.clone().unwrap_or_default())
}

#[track_caller]
fn is(request: &ApiRequest, method: &str, path: &str, body: Value) {
    assert_eq!(shape(request), (method.to_owned(), path.to_owned(), body));
}

fn lists(forge: &dyn Forge) -> [String; 2] {
    let closed = PullRequestQuery::Closed { target: "main", source: "ucp/pr/x" };
    [forge.list(PullRequestQuery::Open { target: "a&b" }, 2).path, forge.list(closed, 1).path]
}

/// Reads an item, whose fork is not of the repository.
#[track_caller]
fn reads(forge: &dyn Forge, item: &Value, fork: &[(&str, Value)]) -> PullRequest {
    let read = forge.read(item).unwrap();
    assert_eq!((read.number, read.source.as_str(), read.target.as_str()), (7, "ucp/pr/x", "main"), "{read:?}");
    assert_eq!((read.body.as_str(), read.head.as_deref()), ("B", Some("c0ffee0")), "{read:?}");
    assert!(read.is_own_repository && read.state == PullRequestState::Closed, "{read:?}");
    let opened = "2026-01-02T03:04:05Z".parse().unwrap();
    assert_eq!((read.author.as_deref(), read.opened_at), (Some("ci"), Some(opened)), "{read:?}");
    let mut other = item.clone();
    for (pointer, value) in fork {
        *other.pointer_mut(pointer).unwrap() = value.clone();
    }
    assert!(!forge.read(&other).unwrap().is_own_repository);
    assert_eq!(forge.read(&json!({})), None);
    read
}

#[test]
fn github() {
    let forge = repository(ForgeKind::Github, "git@github.com:o/r.git");
    is(
        &forge.create(&draft(), &["l".into()], &[json!("u")]),
        "POST",
        "/repos/o/r/pulls",
        json!({"title": "T", "body": "B", "head": "ucp/pr/prod/echo-1", "base": "main"}),
    );
    is(&forge.update(7, &draft()), "PATCH", "/repos/o/r/pulls/7", json!({"title": "T", "body": "B"}));
    is(&forge.close(7), "PATCH", "/repos/o/r/pulls/7", json!({"state": "closed"}));
    is(&forge.comment(7, "C"), "POST", "/repos/o/r/issues/7/comments", json!({"body": "C"}));
    is(&forge.label(7, &["l".into()]).unwrap()[0], "POST", "/repos/o/r/issues/7/labels", json!({"labels": ["l"]}));
    for (reviewer, body) in [("u", json!({"reviewers": ["u"]})), ("o/team", json!({"team_reviewers": ["team"]}))] {
        let ReviewRequest::AfterCreation(request) = forge.review_request(7, &json!(reviewer)) else { panic!() };
        is(&request, "POST", "/repos/o/r/pulls/7/requested_reviewers", body);
    }
    assert_eq!(
        lists(&*forge),
        [
            "/repos/o/r/pulls?state=open&base=a%26b&per_page=50&page=2",
            "/repos/o/r/pulls?state=closed&base=main&head=o:ucp%2Fpr%2Fx&per_page=50&page=1",
        ]
    );
    let item = json!({
        "user": {"login": "ci"}, "created_at": "2026-01-02T03:04:05Z", "number": 7, "html_url": "https://github.com/o/r/pull/7", "title": "T", "body": "B", "state": "closed",
        "merged_at": null, "node_id": "PR_1", "labels": [{"name": "l"}],
        "head": {"ref": "ucp/pr/x", "sha": "c0ffee0", "repo": {"full_name": "o/r"}},
        "base": {"ref": "main", "repo": {"full_name": "o/r"}},
    });
    let read = reads(&*forge, &item, &[("/head/repo/full_name", json!("evil/r"))]);
    reads(&*forge, &item, &[("/head/repo", Value::Null)]);
    let merge = forge.merge_when_ready(&read, None).unwrap();
    assert_eq!(
        (merge.path.as_str(), &merge.body.unwrap()["variables"]),
        ("/graphql", &json!({"id": "PR_1", "method": "MERGE"}))
    );
}

#[test]
fn gitea() {
    let forge = repository(ForgeKind::Gitea, "https://tea.example/below/o/r.git");
    is(
        &forge.create(&draft(), &["l".into()], &[json!("u")]),
        "POST",
        "/repos/o/r/pulls",
        json!({"title": "T", "body": "B", "head": "ucp/pr/prod/echo-1", "base": "main", "reviewers": ["u"]}),
    );
    let ReviewRequest::Again(request) = forge.review_request(7, &json!("u")) else { panic!() };
    is(&request, "POST", "/repos/o/r/pulls/7/requested_reviewers", json!({"reviewers": ["u"]}));
    is(&forge.close(7), "PATCH", "/repos/o/r/pulls/7", json!({"state": "closed"}));
    is(&forge.label(7, &["l".into()]).unwrap()[0], "POST", "/repos/o/r/issues/7/labels", json!({"labels": ["l"]}));
    assert_eq!(lists(&*forge)[0], "/repos/o/r/pulls?state=open&base_branch=a%26b&sort=oldest&limit=50&page=2");
    let item = json!({
        "user": {"login": "ci"}, "created_at": "2026-01-02T04:04:05+01:00", "number": 7, "html_url": "https://tea.example/o/r/pulls/7", "title": "T", "body": "B", "state": "closed",
        "merged": false, "labels": [{"name": "l"}],
        "head": {"label": "ucp/pr/x", "ref": "ucp/pr/x", "sha": "c0ffee0", "repo_id": 1},
        "base": {"ref": "main", "repo_id": 1},
    });
    let read = reads(&*forge, &item, &[("/head/repo_id", json!(2))]);
    is(
        &forge.merge_when_ready(&read, None).unwrap(),
        "POST",
        "/repos/o/r/pulls/7/merge",
        json!({"Do": "merge", "merge_when_checks_succeed": true, "head_commit_id": "c0ffee0"}),
    );
}

#[test]
fn gitlab() {
    let forge = repository(ForgeKind::Gitlab, "https://gitlab.com/group/sub/r.git");
    let base = "/projects/group%2Fsub%2Fr/merge_requests";
    is(
        &forge.create(&draft(), &["a".into(), "b".into()], &[json!(5)]),
        "POST",
        base,
        json!({
            "title": "T", "description": "B", "source_branch": "ucp/pr/prod/echo-1", "target_branch": "main",
            "remove_source_branch": true, "labels": "a,b", "reviewer_ids": [5],
        }),
    );
    is(&forge.update(7, &draft()), "PUT", &format!("{base}/7"), json!({"title": "T", "description": "B"}));
    is(&forge.close(7), "PUT", &format!("{base}/7"), json!({"state_event": "close"}));
    is(&forge.comment(7, "C"), "POST", &format!("{base}/7/notes"), json!({"body": "C"}));
    is(&forge.search_reviewer("a b").unwrap(), "GET", "/users?username=a%20b", Value::Null);
    assert_eq!(forge.reviewer("a", Some(&json!([{"id": 5}]))), Some(json!(5)));
    assert_eq!(forge.reviewer("a", Some(&json!([]))), None);
    assert_eq!(lists(&*forge)[0], format!("{base}?state=opened&target_branch=a%26b&per_page=50&page=2"));
    let item = json!({
        "author": {"username": "ci"}, "created_at": "2026-01-02T03:04:05.000Z", "iid": 7, "web_url": "https://gitlab.com/group/sub/r/-/merge_requests/7", "title": "T", "description": "B",
        "state": "closed", "source_branch": "ucp/pr/x", "target_branch": "main", "sha": "c0ffee0", "labels": ["l"],
        "source_project_id": 1, "target_project_id": 1,
    });
    let read = reads(&*forge, &item, &[("/source_project_id", json!(2))]);
    assert_eq!(read.labels, ["l"]);
    let merge = forge.merge_when_ready(&read, None).unwrap();
    assert_eq!((merge.method.as_str(), merge.path), ("PUT", format!("{base}/7/merge")));
}

#[test]
fn bitbucket() {
    let forge = repository(ForgeKind::Bitbucket, "git@bitbucket.org:o/r.git");
    let base = "/repositories/o/r/pullrequests";
    is(
        &forge.create(&draft(), &[], &[forge.reviewer("{u}", None).unwrap()]),
        "POST",
        base,
        json!({
            "title": "T", "description": "B", "close_source_branch": true, "reviewers": [{"uuid": "{u}"}],
            "source": {"branch": {"name": "ucp/pr/prod/echo-1"}}, "destination": {"branch": {"name": "main"}},
        }),
    );
    is(&forge.update(7, &draft()), "PUT", &format!("{base}/7"), json!({"title": "T", "description": "B"}));
    is(&forge.close(7), "POST", &format!("{base}/7/decline"), Value::Null);
    is(&forge.comment(7, "C"), "POST", &format!("{base}/7/comments"), json!({"content": {"raw": "C"}}));
    assert!(forge.label(7, &["l".into()]).is_err());
    let query = "state%3D%22OPEN%22%20AND%20destination.branch.name%3D%22a%26b%22";
    assert_eq!(lists(&*forge)[0], format!("{base}?q={query}&pagelen=50&page=2"));
    let item = json!({
        "author": {"display_name": "ci"}, "created_on": "2026-01-02T03:04:05.000000+00:00", "id": 7, "title": "T", "summary": {"raw": "B"}, "state": "DECLINED",
        "links": {"html": {"href": "https://bitbucket.org/o/r/pull-requests/7"}},
        "source": {"branch": {"name": "ucp/pr/x"}, "commit": {"hash": "c0ffee0"}, "repository": {"full_name": "o/r"}},
        "destination": {"branch": {"name": "main"}, "repository": {"full_name": "o/r"}},
    });
    let read = reads(&*forge, &item, &[("/source/repository/full_name", json!("evil/r"))]);
    assert!(forge.merge_when_ready(&read, None).is_err());
    assert_eq!(forge.items(&json!({"values": [1]})).map(Vec::len), Some(1));
}

#[test]
fn azure() {
    let base = "/o/p/_apis/git/repositories/r/pullrequests";
    for url in [
        "https://o@dev.azure.com/o/p/_git/r",
        "git@ssh.dev.azure.com:v3/o/p/r",
        "https://o.visualstudio.com/DefaultCollection/p/_git/r",
        "https://o.visualstudio.com/p/_git/r",
    ] {
        let path = repository(ForgeKind::Azure, url).close(7).path;
        assert_eq!(path, format!("{base}/7?api-version=7.1"), "{url}");
    }
    let forge = repository(ForgeKind::Azure, "https://dev.azure.com/o/p/_git/r");
    is(
        &forge.create(&draft(), &["l".into()], &[forge.reviewer("id-1", None).unwrap()]),
        "POST",
        &format!("{base}?api-version=7.1"),
        json!({
            "title": "T", "description": "B", "labels": [{"name": "l"}], "reviewers": [{"id": "id-1"}],
            "sourceRefName": "refs/heads/ucp/pr/prod/echo-1", "targetRefName": "refs/heads/main",
        }),
    );
    is(&forge.close(7), "PATCH", &format!("{base}/7?api-version=7.1"), json!({"status": "abandoned"}));
    is(
        &forge.comment(7, "C"),
        "POST",
        &format!("{base}/7/threads?api-version=7.1"),
        json!({"comments": [{"parentCommentId": 0, "content": "C", "commentType": 1}], "status": "closed"}),
    );
    assert_eq!(
        lists(&*forge)[0],
        format!(
            "{base}?searchCriteria.status=active&searchCriteria.targetRefName=refs%2Fheads%2Fa%26b&$top=50&$skip=50&api-version=7.1"
        )
    );
    let item = json!({
        "creationDate": "2026-01-02T03:04:05.0000000Z", "pullRequestId": 7, "title": "T", "description": "B", "status": "abandoned",
        "sourceRefName": "refs/heads/ucp/pr/x", "targetRefName": "refs/heads/main", "forkSource": null,
        "lastMergeSourceCommit": {"commitId": "c0ffee0"}, "createdBy": {"id": "me", "displayName": "ci"}, "labels": [{"name": "l"}],
    });
    let read = reads(&*forge, &item, &[("/forkSource", json!({"name": "refs/heads/x"}))]);
    assert_eq!(read.url, "https://dev.azure.com/o/p/_git/r/pullrequest/7");
    let merge = forge.merge_when_ready(&read, None).unwrap();
    assert_eq!(merge.body.unwrap()["autoCompleteSetBy"], json!({"id": "me"}));
}

#[test]
fn no_part_of_a_remote_leaves_its_segment() {
    let forge = repository(ForgeKind::Github, "https://github.com/o%20x/r+%3Cy");
    assert_eq!(forge.close(7).path, "/repos/o%20x/r%2B%3Cy/pulls/7");
    let wrong = RemoteAddress::parse("https://github.com/o/r/extra").unwrap();
    assert!(ForgeKind::Github.repository(&wrong).is_err() && ForgeKind::Azure.repository(&wrong).is_err());
}
