//! The REST API of Azure DevOps Services, version 7.1.
//!
//! - <https://learn.microsoft.com/en-us/rest/api/azure/devops/git/pull-requests?view=azure-devops-rest-7.1>
//! - <https://learn.microsoft.com/en-us/rest/api/azure/devops/git/pull-request-labels?view=azure-devops-rest-7.1>
//! - <https://learn.microsoft.com/en-us/rest/api/azure/devops/git/pull-request-threads?view=azure-devops-rest-7.1>
//! - <https://learn.microsoft.com/en-us/rest/api/azure/devops/policy/evaluations/list?view=azure-devops-rest-7.1>: a preview

use http::Method;
use serde_json::{Value, json};

use super::adapter::{Forge, PAGE, Supported};
use super::address::RemoteAddress;
use super::merging::{MergeSchedule, ScheduleState};
use super::pull_request::{PullRequest, PullRequestDraft, PullRequestQuery, PullRequestState};
use super::request::ApiRequest;
use super::requirements::{RequirementRequest, UnmetRequirements};
use super::response::{list_at, text_at, texts_of, time_at};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::request_path::encode;

const VERSION: &str = "api-version=7.1";
/// The types of the policies "Minimum number of reviewers" and "Required reviewers".
const REVIEWS: [&str; 2] = ["fa4e907d-c16b-4a4c-9dfa-4906e5d171dd", "fd2167ab-b0be-447a-8ec8-39368250530e"];
/// The identity of nobody.
const NO_IDENTITY: &str = "00000000-0000-0000-0000-000000000000";
const BRANCHES: &str = "refs/heads/";

/// A repository on Azure DevOps.
pub(super) struct AzureRepository {
    /// The page of the repository, which the API does not return.
    page: String,
    base: String,
    /// The evaluations of policies of the project.
    policies: String,
}

impl AzureRepository {
    /// Reads `ORGANIZATION/PROJECT/_git/REPOSITORY`, `v3/ORGANIZATION/PROJECT/REPOSITORY` of SSH, and the old hosts
    /// `ORGANIZATION.visualstudio.com`.
    pub(super) fn new(remote: &RemoteAddress) -> Result<Self, Failure> {
        let path: Vec<&str> = remote.path.iter().map(String::as_str).collect();
        let old = remote.host.strip_suffix(".visualstudio.com").filter(|name| !matches!(*name, "vs-ssh"));
        let (organization, project, name) = match (old, path.as_slice()) {
            (_, ["v3", organization, project, name]) => (*organization, *project, *name),
            (Some(organization), ["DefaultCollection", project, "_git", name] | [project, "_git", name]) => {
                (organization, *project, *name)
            }
            // The default repository of a project has its name.
            (Some(organization), ["_git", name]) => (organization, *name, *name),
            (None, [organization, project, "_git", name]) => (*organization, *project, *name),
            (None, [organization, "_git", name]) => (*organization, *name, *name),
            _ => return fail!("{} is not ORGANIZATION/PROJECT/_git/REPOSITORY", path.join("/")),
        };
        let (organization, project, name) = (encode(organization), encode(project), encode(name));
        Ok(Self {
            page: format!("https://dev.azure.com/{organization}/{project}/_git/{name}/pullrequest"),
            base: format!("/{organization}/{project}/_apis/git/repositories/{name}/pullrequests"),
            policies: format!("/{organization}/{project}/_apis/policy/evaluations"),
        })
    }

    fn request(&self, number: u64, what: &str) -> String {
        format!("{}/{number}{what}?{VERSION}", self.base)
    }
}

impl Forge for AzureRepository {
    fn list(&self, query: PullRequestQuery<'_>, page: usize) -> ApiRequest {
        let target = |name: &str| format!("searchCriteria.targetRefName={}", encode(&format!("{BRANCHES}{name}")));
        let selection = match query {
            PullRequestQuery::Open { target: name } => format!("searchCriteria.status=active&{}", target(name)),
            PullRequestQuery::Closed { target: name, source } => format!(
                "searchCriteria.status=abandoned&{}&searchCriteria.sourceRefName={}",
                target(name),
                encode(&format!("{BRANCHES}{source}"))
            ),
        };
        let skipped = PAGE * page.saturating_sub(1);
        ApiRequest::get(format!("{}?{selection}&$top={PAGE}&$skip={skipped}&{VERSION}", self.base))
    }

    fn items<'v>(&self, page: &'v Value) -> Option<&'v Vec<Value>> {
        page.get("value")?.as_array()
    }

    fn show(&self, number: u64) -> ApiRequest {
        ApiRequest::get(self.request(number, ""))
    }

    fn read(&self, item: &Value) -> Option<PullRequest> {
        let number = item.get("pullRequestId")?.as_u64()?;
        let branch = |pointer: &str| Some(text_at(item, pointer)?.strip_prefix(BRANCHES)?.to_owned());
        Some(PullRequest {
            number,
            url: format!("{}/{number}", self.page),
            title: text_at(item, "/title").unwrap_or_default(),
            body: text_at(item, "/description").unwrap_or_default(),
            author: text_at(item, "/createdBy/displayName"),
            opened_at: time_at(item, "/creationDate"),
            source: branch("/sourceRefName")?,
            target: branch("/targetRefName")?,
            head: text_at(item, "/lastMergeSourceCommit/commitId"),
            is_own_repository: item.get("forkSource").is_none_or(Value::is_null),
            state: match text_at(item, "/status")?.as_str() {
                "completed" => PullRequestState::Merged,
                "abandoned" => PullRequestState::Closed,
                _ => PullRequestState::Open,
            },
            // Before a merge, it is that of a trial.
            merge_commit: text_at(item, "/lastMergeCommit/commitId")
                .filter(|_| text_at(item, "/status").as_deref() == Some("completed")),
            labels: texts_of(item.get("labels"), "name"),
            merge_id: text_at(item, "/createdBy/id"),
            project_id: text_at(item, "/repository/project/id"),
        })
    }

    fn create(&self, draft: &PullRequestDraft, labels: &[String], reviewers: &[Value]) -> ApiRequest {
        let labels: Vec<Value> = labels.iter().map(|name| json!({"name": name})).collect();
        let body = json!({
            "title": draft.title, "description": draft.body, "labels": labels, "reviewers": reviewers,
            "sourceRefName": format!("{BRANCHES}{}", draft.source),
            "targetRefName": format!("{BRANCHES}{}", draft.target),
        });
        ApiRequest::post(format!("{}?{VERSION}", self.base), body)
    }

    fn update(&self, number: u64, draft: &PullRequestDraft) -> ApiRequest {
        let body = json!({"title": draft.title, "description": draft.body});
        ApiRequest::with_body(Method::PATCH, self.request(number, ""), body)
    }

    fn close(&self, number: u64) -> ApiRequest {
        ApiRequest::with_body(Method::PATCH, self.request(number, ""), json!({"status": "abandoned"}))
    }

    fn comment(&self, number: u64, text: &str) -> ApiRequest {
        let comment = json!({"parentCommentId": 0, "content": text, "commentType": 1});
        ApiRequest::post(self.request(number, "/threads"), json!({"comments": [comment], "status": "closed"}))
    }

    fn label(&self, number: u64, labels: &[String]) -> Result<Vec<ApiRequest>, &'static str> {
        let add = |name: &String| ApiRequest::post(self.request(number, "/labels"), json!({"name": name}));
        Ok(labels.iter().map(add).collect())
    }

    /// Reviewers are identifiers of users or groups.
    fn reviewer(&self, name: &str, _found: Option<&Value>) -> Option<Value> {
        Some(json!({"id": name}))
    }

    fn merge_settings(&self, opened: &PullRequest) -> Option<ApiRequest> {
        Some(self.show(opened.number))
    }

    /// The field is absent unless a merge is scheduled.
    fn read_schedule(&self, response: &Value) -> MergeSchedule {
        let is_scheduled = text_at(response, "/autoCompleteSetBy/id").is_some_and(|id| id != NO_IDENTITY);
        let state = if is_scheduled { ScheduleState::Scheduled } else { ScheduleState::Unscheduled };
        MergeSchedule { state, method: None }
    }

    fn merge_when_ready(&self, opened: &PullRequest, _method: Option<&str>) -> Supported {
        let id = opened.merge_id.as_deref().ok_or("the response has no createdBy")?;
        let body = json!({"autoCompleteSetBy": {"id": id}, "completionOptions": {"deleteSourceBranch": true}});
        Ok(ApiRequest::with_body(Method::PATCH, self.request(opened.number, ""), body))
    }

    fn cancel_merge(&self, opened: &PullRequest) -> Supported {
        let body = json!({"autoCompleteSetBy": {"id": NO_IDENTITY}});
        Ok(ApiRequest::with_body(Method::PATCH, self.request(opened.number, ""), body))
    }

    fn requirements(&self, opened: &PullRequest) -> Result<Vec<RequirementRequest>, &'static str> {
        let project = opened.project_id.as_deref().ok_or("the response has no project")?;
        let artifact = encode(&format!("vstfs:///CodeReview/CodeReviewId/{project}/{}", opened.number));
        Ok(vec![RequirementRequest::whole(format!("{}?artifactId={artifact}&{VERSION}-preview.1", self.policies))])
    }

    fn unmet(&self, _opened: &PullRequest, responses: &[Value]) -> Option<UnmetRequirements> {
        let (mut approvals, mut checks, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        for evaluation in list_at(responses.first()?, "/value")? {
            let status = text_at(evaluation, "/status")?;
            let is_required = |field: &str| evaluation.pointer(field).and_then(Value::as_bool) == Some(true);
            if !is_required("/configuration/isBlocking")
                || !is_required("/configuration/isEnabled")
                || matches!(status.as_str(), "approved" | "notApplicable")
            {
                continue;
            }
            let name = text_at(evaluation, "/configuration/type/displayName").unwrap_or_else(|| "a policy".to_owned());
            let kind = text_at(evaluation, "/configuration/type/id").unwrap_or_default();
            let reason = format!("{name:?} is {status}");
            if !REVIEWS.contains(&kind.as_str()) && matches!(status.as_str(), "rejected" | "broken") {
                failed.push(reason.clone());
            }
            let reasons = if REVIEWS.contains(&kind.as_str()) { &mut approvals } else { &mut checks };
            reasons.push(reason);
        }
        Some(UnmetRequirements::from_reasons(&approvals, &checks, &failed))
    }

    fn longest_body(&self) -> usize {
        4_000
    }
}
