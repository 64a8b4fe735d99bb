//! The automatic merge of a pull request, as the pages at the top of each adapter document it.

use serde_json::{Value, json};

use super::repository;
use crate::forge::ForgeKind;
use crate::forge::adapter::Forge;
use crate::forge::merging::ScheduleState;
use crate::forge::pull_request::PullRequest;

fn opened() -> PullRequest {
    PullRequest { merge_id: Some("PR_1".into()), ..PullRequest::opened(7, "s", String::new()) }
}

fn reads(forge: &dyn Forge, response: &Value) -> (ScheduleState, Option<String>) {
    let schedule = forge.read_schedule(response);
    (schedule.state, schedule.method)
}

#[test]
fn github_merges_by_a_method_of_the_repository() {
    let forge = repository(ForgeKind::Github, "git@github.com:o/r.git");
    assert_eq!(forge.merge_settings(&opened()).unwrap().path, "/graphql");
    let settings = |scheduled: Value, methods: [bool; 3], preferred: &str| {
        let [merge, squash, rebase] = methods;
        let repository = json!({
            "mergeCommitAllowed": merge, "squashMergeAllowed": squash, "rebaseMergeAllowed": rebase,
            "viewerDefaultMergeMethod": preferred,
        });
        json!({"data": {"node": {"autoMergeRequest": scheduled, "repository": repository}}})
    };
    for (methods, preferred, method) in [
        ([true, true, true], "SQUASH", "SQUASH"),
        ([true, true, true], "MERGE", "MERGE"),
        ([false, false, true], "MERGE", "REBASE"),
        ([false, true, false], "", "SQUASH"),
    ] {
        let read = reads(&*forge, &settings(Value::Null, methods, preferred));
        assert_eq!(read, (ScheduleState::Unscheduled, Some(method.to_owned())));
        let body = forge.merge_when_ready(&opened(), read.1.as_deref()).unwrap().body.unwrap();
        assert_eq!(body["variables"], json!({"id": "PR_1", "method": method}));
    }
    let scheduled = settings(json!({"enabledAt": "2026-01-01T00:00:00Z"}), [true; 3], "MERGE");
    assert_eq!(reads(&*forge, &scheduled).0, ScheduleState::Scheduled);
    assert_eq!(reads(&*forge, &json!({"data": {"node": null}})), (ScheduleState::Unknown, None));
    assert!(!forge.is_none_to_cancel(422), "it is read instead");
}

#[test]
fn gitea_merges_by_a_method_of_the_repository() {
    let forge = repository(ForgeKind::Gitea, "https://tea.example/o/r.git");
    assert_eq!(forge.merge_settings(&opened()).unwrap().path, "/repos/o/r");
    let squash = json!({"allow_merge_commits": false, "allow_squash_merge": true, "default_merge_style": "merge"});
    let (state, method) = reads(&*forge, &squash);
    assert_eq!((state, method.as_deref()), (ScheduleState::Unknown, Some("squash")));
    assert_eq!(forge.merge_when_ready(&opened(), method.as_deref()).unwrap().body.unwrap()["Do"], "squash");
    let rebase = json!({"allow_merge_commits": true, "allow_rebase": true, "default_merge_style": "rebase"});
    assert_eq!(reads(&*forge, &rebase).1.as_deref(), Some("rebase"));
    assert!(forge.is_scheduled_before(409, "pull request is already scheduled to auto merge when checks succeed"));
    assert!(!forge.is_scheduled_before(409, "head out of date") && !forge.is_scheduled_before(500, ""));
    assert!(forge.is_none_to_cancel(404) && ![200, 403, 409, 422, 500].iter().any(|one| forge.is_none_to_cancel(*one)));
}

#[test]
fn gitlab_and_azure_report_whether_a_merge_is_scheduled() {
    let gitlab = repository(ForgeKind::Gitlab, "https://gitlab.com/g/r.git");
    assert_eq!(gitlab.merge_settings(&opened()).unwrap().path, "/projects/g%2Fr/merge_requests/7");
    for (scheduled, status, state) in [
        (json!(true), "ci_still_running", ScheduleState::Scheduled),
        (json!(false), "checking", ScheduleState::Examined),
        (json!(false), "preparing", ScheduleState::Examined),
        (json!(false), "mergeable", ScheduleState::Unscheduled),
        (Value::Null, "checking", ScheduleState::Unknown),
    ] {
        let response = json!({"merge_when_pipeline_succeeds": scheduled, "detailed_merge_status": status});
        assert_eq!(reads(&*gitlab, &response), (state, None), "{response}");
    }
    let azure = repository(ForgeKind::Azure, "https://dev.azure.com/o/p/_git/r");
    let by = |id: &str| json!({"autoCompleteSetBy": {"id": id}});
    assert_eq!(reads(&*azure, &by("me")).0, ScheduleState::Scheduled);
    for none in [json!({}), by("00000000-0000-0000-0000-000000000000")] {
        assert_eq!(reads(&*azure, &none).0, ScheduleState::Unscheduled);
    }
    let bitbucket = repository(ForgeKind::Bitbucket, "git@bitbucket.org:o/r.git");
    assert_eq!(bitbucket.merge_settings(&opened()), None);
}
