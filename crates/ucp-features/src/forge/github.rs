//! GitHub's REST API, version 2022-11-28.
//!
//! - <https://docs.github.com/en/rest/pulls/pulls>: list, create, update
//! - <https://docs.github.com/en/rest/pulls/review-requests>
//! - <https://docs.github.com/en/rest/issues/labels>, <https://docs.github.com/en/rest/issues/comments>
//! - <https://docs.github.com/en/graphql/reference/mutations#enablepullrequestautomerge>, `#disablepullrequestautomerge`: REST has
//!   no request for them
//! - <https://docs.github.com/en/graphql/reference/objects#pullrequest>, and the enums `MergeStateStatus`,
//!   `PullRequestReviewDecision` and `StatusState`: what REST reports only to administrators

use http::Method;
use serde_json::{Value, json};

use super::adapter::{Forge, PAGE, ReviewRequest, Supported};
use super::address::RemoteAddress;
use super::merging::{MergeSchedule, ScheduleState, allowed_method};
use super::pull_request::{PullRequest, PullRequestDraft, PullRequestQuery, PullRequestState};
use super::request::ApiRequest;
use super::requirements::{RequirementRequest, ResponseReading, UnmetRequirements};
use super::response::{text_at, texts_of, time_at};
use ucp_core::failure::Failure;
use ucp_core::model::request_path::encode;

/// The fields of a repository that allow a method of merging.
const METHODS: &[(&str, &str)] =
    &[("mergeCommitAllowed", "MERGE"), ("squashMergeAllowed", "SQUASH"), ("rebaseMergeAllowed", "REBASE")];

/// A repository on GitHub.
pub(super) struct GithubRepository {
    owner: String,
    base: String,
}

impl GithubRepository {
    pub(super) fn new(remote: &RemoteAddress) -> Result<Self, Failure> {
        let (owner, name) = remote.owner_and_name()?;
        let base = format!("/repos/{}/{}", encode(&owner), encode(&name));
        Ok(Self { owner, base })
    }

    fn pull(&self, number: u64) -> String {
        format!("{}/pulls/{number}", self.base)
    }

    fn issue(&self, number: u64, what: &str) -> String {
        format!("{}/issues/{number}/{what}", self.base)
    }
}

/// Returns a request to the GraphQL API about a pull request.
fn graphql(opened: &PullRequest, query: &str) -> Supported {
    let id = opened.merge_id.as_deref().ok_or("the response has no node_id")?;
    Ok(ApiRequest::post("/graphql".to_owned(), json!({"query": query, "variables": {"id": id}})))
}

impl Forge for GithubRepository {
    fn list(&self, query: PullRequestQuery<'_>, page: usize) -> ApiRequest {
        let selection = match query {
            PullRequestQuery::Open { target } => format!("state=open&base={}", encode(target)),
            PullRequestQuery::Closed { target, source } => {
                format!("state=closed&base={}&head={}:{}", encode(target), encode(&self.owner), encode(source))
            }
        };
        ApiRequest::get(format!("{}/pulls?{selection}&per_page={PAGE}&page={page}", self.base))
    }

    fn show(&self, number: u64) -> ApiRequest {
        ApiRequest::get(self.pull(number))
    }

    fn read(&self, item: &Value) -> Option<PullRequest> {
        let repository = text_at(item, "/head/repo/full_name");
        Some(PullRequest {
            number: item.get("number")?.as_u64()?,
            url: text_at(item, "/html_url")?,
            title: text_at(item, "/title").unwrap_or_default(),
            body: text_at(item, "/body").unwrap_or_default(),
            author: text_at(item, "/user/login"),
            opened_at: time_at(item, "/created_at"),
            source: text_at(item, "/head/ref")?,
            target: text_at(item, "/base/ref")?,
            head: text_at(item, "/head/sha"),
            is_own_repository: repository.is_some() && repository == text_at(item, "/base/repo/full_name"),
            state: match (text_at(item, "/merged_at").is_some(), text_at(item, "/state")? == "closed") {
                (true, _) => PullRequestState::Merged,
                (false, true) => PullRequestState::Closed,
                (false, false) => PullRequestState::Open,
            },
            // Before a merge, it is that of a trial.
            merge_commit: text_at(item, "/merge_commit_sha").filter(|_| text_at(item, "/merged_at").is_some()),
            labels: texts_of(item.get("labels"), "name"),
            merge_id: text_at(item, "/node_id"),
            project_id: None,
        })
    }

    fn create(&self, draft: &PullRequestDraft, _labels: &[String], _reviewers: &[Value]) -> ApiRequest {
        let PullRequestDraft { source, target, title, body } = draft;
        let body = json!({"title": title, "body": body, "head": source, "base": target});
        ApiRequest::post(format!("{}/pulls", self.base), body)
    }

    fn update(&self, number: u64, draft: &PullRequestDraft) -> ApiRequest {
        let body = json!({"title": draft.title, "body": draft.body});
        ApiRequest::with_body(Method::PATCH, self.pull(number), body)
    }

    fn close(&self, number: u64) -> ApiRequest {
        ApiRequest::with_body(Method::PATCH, self.pull(number), json!({"state": "closed"}))
    }

    fn comment(&self, number: u64, text: &str) -> ApiRequest {
        ApiRequest::post(self.issue(number, "comments"), json!({"body": text}))
    }

    fn label(&self, number: u64, labels: &[String]) -> Result<Vec<ApiRequest>, &'static str> {
        Ok(vec![ApiRequest::post(self.issue(number, "labels"), json!({"labels": labels}))])
    }

    /// A reviewer `ORGANIZATION/TEAM` is a team.
    fn review_request(&self, number: u64, reviewer: &Value) -> ReviewRequest {
        let name = reviewer.as_str().unwrap_or_default();
        let body = match name.split_once('/') {
            Some((_, team)) => json!({"team_reviewers": [team]}),
            None => json!({"reviewers": [name]}),
        };
        ReviewRequest::AfterCreation(ApiRequest::post(format!("{}/requested_reviewers", self.pull(number)), body))
    }

    fn merge_settings(&self, opened: &PullRequest) -> Option<ApiRequest> {
        let query = "query($id: ID!) { node(id: $id) { ... on PullRequest { autoMergeRequest { enabledAt } repository { \
                     mergeCommitAllowed squashMergeAllowed rebaseMergeAllowed viewerDefaultMergeMethod } } } }";
        graphql(opened, query).ok()
    }

    fn read_schedule(&self, response: &Value) -> MergeSchedule {
        let state = ScheduleState::of_field(response.pointer("/data/node/autoMergeRequest"));
        let repository = response.pointer("/data/node/repository").unwrap_or(&Value::Null);
        let method = allowed_method(repository, text_at(repository, "/viewerDefaultMergeMethod"), METHODS);
        MergeSchedule { state, method }
    }

    fn merge_when_ready(&self, opened: &PullRequest, method: Option<&str>) -> Supported {
        let mut request = graphql(
            opened,
            "mutation($id: ID!, $method: PullRequestMergeMethod) { enablePullRequestAutoMerge(input: {pullRequestId: $id, \
             mergeMethod: $method}) { clientMutationId } }",
        )?;
        if let Some(variables) = request.body.as_mut().and_then(|body| body.get_mut("variables")) {
            variables["method"] = method.unwrap_or("MERGE").into();
        }
        Ok(request)
    }

    fn cancel_merge(&self, opened: &PullRequest) -> Supported {
        graphql(
            opened,
            "mutation($id: ID!) { disablePullRequestAutoMerge(input: {pullRequestId: $id}) { clientMutationId } }",
        )
    }

    fn requirements(&self, opened: &PullRequest) -> Result<Vec<RequirementRequest>, &'static str> {
        let query = graphql(
            opened,
            "query($id: ID!) { node(id: $id) { ... on PullRequest { reviewDecision mergeStateStatus \
             commits(last: 1) { nodes { commit { statusCheckRollup { state } } } } } } }",
        );
        Ok(vec![RequirementRequest { request: query?, reading: ResponseReading::Whole }])
    }

    fn unmet(&self, _opened: &PullRequest, responses: &[Value]) -> Option<UnmetRequirements> {
        let found = responses.first()?.pointer("/data/node")?;
        let approvals = match text_at(found, "/reviewDecision").as_deref() {
            Some("CHANGES_REQUESTED") => Some("changes are requested".to_owned()),
            Some("REVIEW_REQUIRED") => Some("required approvals are missing".to_owned()),
            _ => None,
        };
        let rollup = text_at(found, "/commits/nodes/0/commit/statusCheckRollup/state");
        let checks = match text_at(found, "/mergeStateStatus")?.as_str() {
            "CLEAN" | "HAS_HOOKS" | "UNSTABLE" => None,
            "BLOCKED" if approvals.is_some() && rollup.as_deref().is_none_or(|state| state == "SUCCESS") => None,
            state => {
                let checks = rollup.as_ref().map(|rollup| format!(", and the checks as {rollup}")).unwrap_or_default();
                Some(format!("GitHub reports the pull request as {state}{checks}"))
            }
        };
        let is_broken = matches!(rollup.as_deref(), Some("FAILURE" | "ERROR"));
        let failed = checks.clone().filter(|_| is_broken);
        Some(UnmetRequirements { approvals, checks, failed })
    }
}
