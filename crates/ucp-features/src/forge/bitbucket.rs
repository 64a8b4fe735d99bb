//! Bitbucket Cloud's REST API, version 2.0.
//!
//! - <https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/>
//! - <https://developer.atlassian.com/cloud/bitbucket/rest/intro/#filtering>
//! - <https://developer.atlassian.com/cloud/bitbucket/rest/api-group-branch-restrictions/>: with the scope `repository:admin`
//! - <https://developer.atlassian.com/cloud/bitbucket/rest/api-group-commit-statuses/>

use http::Method;
use serde_json::{Value, json};

use super::adapter::{Forge, PAGE, Supported};
use super::address::RemoteAddress;
use super::pull_request::{PullRequest, PullRequestDraft, PullRequestQuery, PullRequestState};
use super::request::ApiRequest;
use super::requirements::{RequirementRequest, ResponseReading, UnmetRequirements, missing_approvals};
use super::response::{list_at, text_at, time_at};
use ucp_core::failure::Failure;
use ucp_core::model::glob;
use ucp_core::model::request_path::encode;

/// The list of a page.
const VALUES: ResponseReading = ResponseReading::Pages("/values");

/// A repository on Bitbucket Cloud.
pub(super) struct BitbucketRepository {
    repository: String,
    base: String,
}

impl BitbucketRepository {
    pub(super) fn new(remote: &RemoteAddress) -> Result<Self, Failure> {
        let (workspace, name) = remote.owner_and_name()?;
        let repository = format!("/repositories/{}/{}", encode(&workspace), encode(&name));
        Ok(Self { base: format!("{repository}/pullrequests"), repository })
    }

    fn request(&self, number: u64) -> String {
        format!("{}/{number}", self.base)
    }
}

/// Quotes a text in a filter.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

impl Forge for BitbucketRepository {
    fn list(&self, query: PullRequestQuery<'_>, page: usize) -> ApiRequest {
        let filter = match query {
            PullRequestQuery::Open { target } => {
                format!("state=\"OPEN\" AND destination.branch.name={}", quoted(target))
            }
            PullRequestQuery::Closed { target, source } => format!(
                "state=\"DECLINED\" AND destination.branch.name={} AND source.branch.name={}",
                quoted(target),
                quoted(source)
            ),
        };
        ApiRequest::get(format!("{}?q={}&pagelen={PAGE}&page={page}", self.base, encode(&filter)))
    }

    fn items<'v>(&self, page: &'v Value) -> Option<&'v Vec<Value>> {
        page.get("values")?.as_array()
    }

    fn show(&self, number: u64) -> ApiRequest {
        ApiRequest::get(self.request(number))
    }

    fn read(&self, item: &Value) -> Option<PullRequest> {
        let repository = text_at(item, "/source/repository/full_name");
        Some(PullRequest {
            number: item.get("id")?.as_u64()?,
            url: text_at(item, "/links/html/href")?,
            title: text_at(item, "/title").unwrap_or_default(),
            body: text_at(item, "/summary/raw").or_else(|| text_at(item, "/description")).unwrap_or_default(),
            author: text_at(item, "/author/display_name"),
            opened_at: time_at(item, "/created_on"),
            source: text_at(item, "/source/branch/name")?,
            target: text_at(item, "/destination/branch/name")?,
            head: text_at(item, "/source/commit/hash"),
            is_own_repository: repository.is_some() && repository == text_at(item, "/destination/repository/full_name"),
            state: match text_at(item, "/state")?.as_str() {
                "MERGED" => PullRequestState::Merged,
                "DECLINED" | "SUPERSEDED" => PullRequestState::Closed,
                _ => PullRequestState::Open,
            },
            merge_commit: text_at(item, "/merge_commit/hash"),
            labels: Vec::new(),
            merge_id: None,
            project_id: None,
        })
    }

    fn create(&self, draft: &PullRequestDraft, _labels: &[String], reviewers: &[Value]) -> ApiRequest {
        let body = json!({
            "title": draft.title, "description": draft.body, "close_source_branch": true,
            "source": {"branch": {"name": draft.source}}, "destination": {"branch": {"name": draft.target}},
            "reviewers": reviewers,
        });
        ApiRequest::post(self.base.clone(), body)
    }

    fn update(&self, number: u64, draft: &PullRequestDraft) -> ApiRequest {
        let body = json!({"title": draft.title, "description": draft.body});
        ApiRequest::with_body(Method::PUT, self.request(number), body)
    }

    fn close(&self, number: u64) -> ApiRequest {
        ApiRequest { method: Method::POST, path: format!("{}/decline", self.request(number)), body: None }
    }

    fn comment(&self, number: u64, text: &str) -> ApiRequest {
        ApiRequest::post(format!("{}/comments", self.request(number)), json!({"content": {"raw": text}}))
    }

    fn label(&self, _number: u64, _labels: &[String]) -> Result<Vec<ApiRequest>, &'static str> {
        Err("Bitbucket Cloud has no labels of pull requests")
    }

    /// A name in braces is a UUID, any other an account ID.
    fn reviewer(&self, name: &str, _found: Option<&Value>) -> Option<Value> {
        Some(if name.starts_with('{') { json!({"uuid": name}) } else { json!({"account_id": name}) })
    }

    fn merge_when_ready(&self, _opened: &PullRequest, _method: Option<&str>) -> Supported {
        Err("Bitbucket Cloud has no request for automatic merges")
    }

    fn cancel_merge(&self, opened: &PullRequest) -> Supported {
        self.merge_when_ready(opened, None)
    }

    fn requirements(&self, opened: &PullRequest) -> Result<Vec<RequirementRequest>, &'static str> {
        let request = self.request(opened.number);
        Ok(vec![
            RequirementRequest::whole(request.clone()),
            RequirementRequest::get(format!("{request}/statuses?pagelen=100"), VALUES),
            RequirementRequest::get(format!("{}/branch-restrictions?pagelen=100", self.repository), VALUES),
        ])
    }

    fn unmet(&self, opened: &PullRequest, responses: &[Value]) -> Option<UnmetRequirements> {
        let [request, statuses, restrictions] = responses else { return None };
        let participants = list_at(request, "/participants")?;
        let is_approved = |one: &&Value| one.get("approved").and_then(Value::as_bool) == Some(true);
        let given = participants.iter().filter(is_approved).count() as u64;
        let reviewers = participants.iter().filter(|one| text_at(one, "/role").as_deref() == Some("REVIEWER"));
        let by_reviewers = reviewers.filter(is_approved).count() as u64;
        let asks = |one: &Value| text_at(one, "/state").as_deref() == Some("changes_requested");
        let states: Vec<String> =
            list_at(statuses, "/values")?.iter().filter_map(|one| text_at(one, "/state")).collect();
        let built = states.iter().filter(|state| *state == "SUCCESSFUL").count() as u64;
        let (mut approvals, mut checks, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        let broken = states.iter().filter(|state| matches!(state.as_str(), "FAILED" | "STOPPED")).count();
        // A restriction by the branching model may be about this branch.
        let applies = |rule: &&Value| match text_at(rule, "/branch_match_kind").as_deref() {
            Some("branching_model") => true,
            _ => text_at(rule, "/pattern").is_some_and(|pattern| glob::matches(&pattern, &opened.target)),
        };
        for rule in list_at(restrictions, "/values")?.iter().filter(applies) {
            let value = rule.get("value").and_then(Value::as_u64).unwrap_or(1);
            match text_at(rule, "/kind")?.as_str() {
                "require_approvals_to_merge" => approvals.extend(missing_approvals(given, value)),
                "require_default_reviewer_approvals_to_merge" => {
                    approvals.extend(missing_approvals(by_reviewers, value));
                }
                "require_no_changes_requested" if participants.iter().any(asks) => {
                    approvals.push("changes are requested".to_owned());
                }
                "require_passing_builds_to_merge" if built < value || built < states.len() as u64 => {
                    checks.push(format!("{built} of {} builds passed", value.max(states.len() as u64)));
                    failed.extend((broken > 0).then(|| format!("{broken} of {} builds failed", states.len())));
                }
                _ => {}
            }
        }
        Some(UnmetRequirements::from_reasons(&approvals, &checks, &failed))
    }
}
