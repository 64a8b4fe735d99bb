//! The interface between a forge and the rest of the program.

use serde_json::Value;

use super::merging::MergeSchedule;
use super::pull_request::{PullRequest, PullRequestDraft, PullRequestQuery};
use super::request::ApiRequest;
use super::requirements::{RequirementRequest, UnmetRequirements};

/// Pull requests returned per page.
pub(super) const PAGE: usize = 50;

/// A request, or the reason why the forge has none.
pub(super) type Supported = Result<ApiRequest, &'static str>;

/// A repository on a forge: describes requests to its API and reads responses. Paths are encoded.
pub trait Forge: Send + Sync {
    /// Returns the request for one page of pull requests, from 1.
    fn list(&self, query: PullRequestQuery<'_>, page: usize) -> ApiRequest;

    /// Returns the items of a page.
    fn items<'v>(&self, page: &'v Value) -> Option<&'v Vec<Value>> {
        page.as_array()
    }

    /// Returns the request for one pull request.
    fn show(&self, number: u64) -> ApiRequest;

    /// Reads a pull request; `None` if a required field is missing.
    fn read(&self, item: &Value) -> Option<PullRequest>;

    /// Returns the request that opens a pull request. `reviewers` are those that [`Forge::reviewer`] returned.
    fn create(&self, draft: &PullRequestDraft, labels: &[String], reviewers: &[Value]) -> ApiRequest;

    /// Returns the request that changes title and text.
    fn update(&self, number: u64, draft: &PullRequestDraft) -> ApiRequest;

    /// Returns the request that closes a pull request without a merge.
    fn close(&self, number: u64) -> ApiRequest;

    /// Returns the request that adds a comment.
    fn comment(&self, number: u64, text: &str) -> ApiRequest;

    /// Returns the requests that add labels to a pull request.
    fn label(&self, number: u64, labels: &[String]) -> Result<Vec<ApiRequest>, &'static str>;

    /// Returns the request that searches a reviewer by name, for forges that only take identifiers.
    fn search_reviewer(&self, _name: &str) -> Option<ApiRequest> {
        None
    }

    /// Returns a reviewer as [`Forge::create`] takes it, from the name and the response to the search.
    fn reviewer(&self, name: &str, _found: Option<&Value>) -> Option<Value> {
        Some(Value::from(name))
    }

    /// Returns how a reviewer of an open pull request is asked.
    fn review_request(&self, _number: u64, _reviewer: &Value) -> ReviewRequest {
        ReviewRequest::OnCreation
    }

    /// Returns the request for the automatic merge of a pull request and the allowed methods, for forges that report them.
    fn merge_settings(&self, _opened: &PullRequest) -> Option<ApiRequest> {
        None
    }

    /// Reads the response to [`Forge::merge_settings`].
    fn read_schedule(&self, _response: &Value) -> MergeSchedule {
        MergeSchedule::default()
    }

    /// Returns the request that merges a pull request as soon as its checks and approvals allow it, by a method of the
    /// repository.
    fn merge_when_ready(&self, opened: &PullRequest, method: Option<&str>) -> Supported;

    /// Returns true if a rejection of [`Forge::merge_when_ready`] says that an earlier run requested it.
    fn is_scheduled_before(&self, _status: u16, _reason: &str) -> bool {
        false
    }

    /// Returns the request that cancels an automatic merge.
    fn cancel_merge(&self, opened: &PullRequest) -> Supported;

    /// Returns true if a rejection of [`Forge::cancel_merge`] says that none was requested. Any other may leave one.
    fn is_none_to_cancel(&self, _status: u16) -> bool {
        false
    }

    /// Returns the requests for what the forge requires before it merges a pull request.
    fn requirements(&self, opened: &PullRequest) -> Result<Vec<RequirementRequest>, &'static str>;

    /// Reads the responses to [`Forge::requirements`]; `None` if a required field is missing.
    fn unmet(&self, opened: &PullRequest, responses: &[Value]) -> Option<UnmetRequirements>;

    /// Returns the longest text of a pull request, in characters.
    fn longest_body(&self) -> usize {
        60_000
    }
}

/// How a reviewer is asked.
#[derive(Debug, Clone)]
pub enum ReviewRequest {
    /// By [`Forge::create`] only.
    OnCreation,
    /// By [`Forge::create`], and by this request if that was rejected.
    Again(ApiRequest),
    /// By this request.
    AfterCreation(ApiRequest),
}
