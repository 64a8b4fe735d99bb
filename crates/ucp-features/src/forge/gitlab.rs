//! GitLab's REST API, version 4.
//!
//! - <https://docs.gitlab.com/api/merge_requests/>: list, create, update, close, merge
//! - <https://docs.gitlab.com/api/merge_requests/#merge-status>, <https://docs.gitlab.com/api/merge_request_approvals/>
//! - <https://docs.gitlab.com/api/notes/#merge-requests>, <https://docs.gitlab.com/api/users/#list-users>

use http::Method;
use serde_json::{Value, json};

use super::adapter::{Forge, PAGE, Supported};
use super::address::RemoteAddress;
use super::merging::{MergeSchedule, ScheduleState};
use super::pull_request::{PullRequest, PullRequestDraft, PullRequestQuery, PullRequestState};
use super::request::ApiRequest;
use super::requirements::{RequirementRequest, UnmetRequirements};
use super::response::{text_at, time_at};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::request_path::encode;

/// A project on GitLab.
pub(super) struct GitlabProject {
    base: String,
}

impl GitlabProject {
    pub(super) fn new(remote: &RemoteAddress) -> Result<Self, Failure> {
        match remote.path.len() {
            2.. => Ok(Self { base: format!("/projects/{}/merge_requests", encode(&remote.path.join("/"))) }),
            _ => fail!("{} is not GROUP/PROJECT", remote.path.join("/")),
        }
    }

    fn request(&self, number: u64) -> String {
        format!("{}/{number}", self.base)
    }
}

impl Forge for GitlabProject {
    fn list(&self, query: PullRequestQuery<'_>, page: usize) -> ApiRequest {
        let selection = match query {
            PullRequestQuery::Open { target } => format!("state=opened&target_branch={}", encode(target)),
            PullRequestQuery::Closed { target, source } => {
                format!("state=closed&target_branch={}&source_branch={}", encode(target), encode(source))
            }
        };
        ApiRequest::get(format!("{}?{selection}&per_page={PAGE}&page={page}", self.base))
    }

    fn show(&self, number: u64) -> ApiRequest {
        ApiRequest::get(self.request(number))
    }

    fn read(&self, item: &Value) -> Option<PullRequest> {
        let project = item.get("source_project_id").and_then(Value::as_i64);
        let labels = item.get("labels").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        Some(PullRequest {
            number: item.get("iid")?.as_u64()?,
            url: text_at(item, "/web_url")?,
            title: text_at(item, "/title").unwrap_or_default(),
            body: text_at(item, "/description").unwrap_or_default(),
            author: text_at(item, "/author/username"),
            opened_at: time_at(item, "/created_at"),
            source: text_at(item, "/source_branch")?,
            target: text_at(item, "/target_branch")?,
            head: text_at(item, "/sha"),
            is_own_repository: project.is_some() && project == item.get("target_project_id").and_then(Value::as_i64),
            state: match text_at(item, "/state")?.as_str() {
                "merged" => PullRequestState::Merged,
                "closed" => PullRequestState::Closed,
                // While it is merged, it is locked.
                _ => PullRequestState::Open,
            },
            // Without a merge commit, the branch was fast-forwarded to the commits of the request.
            merge_commit: ["/merge_commit_sha", "/squash_commit_sha", "/sha"]
                .iter()
                .find_map(|at| text_at(item, at))
                .filter(|_| text_at(item, "/state").as_deref() == Some("merged")),
            labels: labels.iter().filter_map(|label| label.as_str().map(str::to_owned)).collect(),
            merge_id: None,
            project_id: None,
        })
    }

    fn create(&self, draft: &PullRequestDraft, labels: &[String], reviewers: &[Value]) -> ApiRequest {
        let PullRequestDraft { source, target, title, body } = draft;
        let mut body = json!({
            "title": title, "description": body, "source_branch": source, "target_branch": target,
            "remove_source_branch": true,
        });
        if !labels.is_empty() {
            body["labels"] = labels.join(",").into();
        }
        if !reviewers.is_empty() {
            body["reviewer_ids"] = reviewers.into();
        }
        ApiRequest::post(self.base.clone(), body)
    }

    fn update(&self, number: u64, draft: &PullRequestDraft) -> ApiRequest {
        let body = json!({"title": draft.title, "description": draft.body});
        ApiRequest::with_body(Method::PUT, self.request(number), body)
    }

    fn close(&self, number: u64) -> ApiRequest {
        ApiRequest::with_body(Method::PUT, self.request(number), json!({"state_event": "close"}))
    }

    fn comment(&self, number: u64, text: &str) -> ApiRequest {
        ApiRequest::post(format!("{}/notes", self.request(number)), json!({"body": text}))
    }

    fn label(&self, number: u64, labels: &[String]) -> Result<Vec<ApiRequest>, &'static str> {
        let body = json!({"add_labels": labels.join(",")});
        Ok(vec![ApiRequest::with_body(Method::PUT, self.request(number), body)])
    }

    fn search_reviewer(&self, name: &str) -> Option<ApiRequest> {
        Some(ApiRequest::get(format!("/users?username={}", encode(name))))
    }

    fn reviewer(&self, _name: &str, found: Option<&Value>) -> Option<Value> {
        found?.pointer("/0/id").filter(|id| id.is_u64()).cloned()
    }

    fn cancel_merge(&self, opened: &PullRequest) -> Supported {
        let path = format!("{}/cancel_merge_when_pipeline_succeeds", self.request(opened.number));
        Ok(ApiRequest { method: Method::POST, path, body: None })
    }

    fn requirements(&self, opened: &PullRequest) -> Result<Vec<RequirementRequest>, &'static str> {
        let request = self.request(opened.number);
        Ok([request.clone(), format!("{request}/approvals")].map(RequirementRequest::whole).to_vec())
    }

    /// GitLab reports the first condition that is not met, and the number of approvals besides.
    fn unmet(&self, _opened: &PullRequest, responses: &[Value]) -> Option<UnmetRequirements> {
        let [request, approvals] = responses else { return None };
        let status = text_at(request, "/detailed_merge_status")?;
        let reported = format!("GitLab reports {status}");
        let left = approvals.get("approvals_left").and_then(Value::as_u64).unwrap_or_default();
        let left = (left > 0).then(|| format!("{left} more approvals are required"));
        let failed = (status == "ci_must_pass"
            && text_at(request, "/head_pipeline/status").as_deref() == Some("failed"))
        .then(|| "the pipeline has failed".to_owned());
        Some(match status.as_str() {
            "mergeable" => UnmetRequirements { approvals: left, checks: None, failed },
            "not_approved" | "requested_changes" | "approvals_syncing" => {
                UnmetRequirements { approvals: Some(left.unwrap_or(reported)), checks: None, failed }
            }
            _ => UnmetRequirements { approvals: left, checks: Some(reported), failed },
        })
    }

    /// The project determines the method.
    fn merge_settings(&self, opened: &PullRequest) -> Option<ApiRequest> {
        Some(self.show(opened.number))
    }

    fn read_schedule(&self, response: &Value) -> MergeSchedule {
        let is_scheduled = response.get("merge_when_pipeline_succeeds").and_then(Value::as_bool);
        let state = match (is_scheduled, text_at(response, "/detailed_merge_status").as_deref()) {
            (Some(true), _) => ScheduleState::Scheduled,
            (Some(false), Some("unchecked" | "checking" | "preparing")) => ScheduleState::Examined,
            (Some(false), _) => ScheduleState::Unscheduled,
            (None, _) => ScheduleState::Unknown,
        };
        MergeSchedule { state, method: None }
    }

    fn merge_when_ready(&self, opened: &PullRequest, _method: Option<&str>) -> Supported {
        // The second name is that before version 17.11.
        let body = json!({"auto_merge": true, "merge_when_pipeline_succeeds": true, "sha": opened.head});
        Ok(ApiRequest::with_body(Method::PUT, format!("{}/merge", self.request(opened.number)), body))
    }
}
