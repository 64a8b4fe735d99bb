//! Bitbucket Cloud's REST API, version 2.0.
//!
//! - <https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/>
//! - <https://developer.atlassian.com/cloud/bitbucket/rest/intro/#filtering>

use http::Method;
use serde_json::{Value, json};

use super::address::RemoteAddress;
use super::{ApiRequest, Forge, PAGE, PullRequest, PullRequestDraft, PullRequestQuery, Supported, text_at};
use ucp_core::failure::Failure;
use ucp_core::model::request_path::encode;

/// A repository on Bitbucket Cloud.
pub(super) struct BitbucketRepository {
    base: String,
}

impl BitbucketRepository {
    pub(super) fn new(remote: &RemoteAddress) -> Result<Self, Failure> {
        let (workspace, name) = remote.owner_and_name()?;
        Ok(Self { base: format!("/repositories/{}/{}/pullrequests", encode(&workspace), encode(&name)) })
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

    fn read(&self, item: &Value) -> Option<PullRequest> {
        let repository = text_at(item, "/source/repository/full_name");
        Some(PullRequest {
            number: item.get("id")?.as_u64()?,
            url: text_at(item, "/links/html/href")?,
            title: text_at(item, "/title").unwrap_or_default(),
            body: text_at(item, "/summary/raw").or_else(|| text_at(item, "/description")).unwrap_or_default(),
            source: text_at(item, "/source/branch/name")?,
            target: text_at(item, "/destination/branch/name")?,
            head: text_at(item, "/source/commit/hash"),
            is_own_repository: repository.is_some() && repository == text_at(item, "/destination/repository/full_name"),
            is_closed_unmerged: text_at(item, "/state")? == "DECLINED",
            labels: Vec::new(),
            merge_id: None,
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

    fn merge_when_ready(&self, _opened: &PullRequest) -> Supported {
        Err("Bitbucket Cloud has no request for automatic merges")
    }
}
