//! Pull requests: the APIs of forges behind one trait, and the one open pull request of a change.
//!
//! An adapter is pure: it describes requests and reads responses. [`session`] sends them.

pub mod address;
mod azure;
mod bitbucket;
pub mod commits;
mod gitea;
mod github;
mod gitlab;
pub mod merging;
pub mod requirements;
pub mod scope;
pub mod server;
pub mod session;
#[cfg(test)]
mod shapes;
pub mod token;

use http::Method;
use jiff::Timestamp;
use serde_json::Value;

use address::RemoteAddress;
use merging::MergeSchedule;
use requirements::{RequirementRequest, UnmetRequirements};

use ucp_core::failure::Failure;

/// A forge: a server for Git repositories with pull requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ForgeKind {
    /// GitHub, and GitHub Enterprise.
    Github,
    /// GitLab.
    Gitlab,
    /// Gitea and Forgejo.
    #[value(alias = "forgejo")]
    Gitea,
    /// Bitbucket Cloud.
    Bitbucket,
    /// Azure DevOps.
    Azure,
}

impl ForgeKind {
    /// Returns the name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Github => "GitHub",
            Self::Gitlab => "GitLab",
            Self::Gitea => "Gitea",
            Self::Bitbucket => "Bitbucket",
            Self::Azure => "Azure DevOps",
        }
    }

    /// Returns the adapter for a repository.
    ///
    /// # Errors
    /// Fails with the reason when the path of the remote is not one of this forge.
    pub fn repository(self, remote: &RemoteAddress) -> Result<Box<dyn Forge>, Failure> {
        Ok(match self {
            Self::Github => Box::new(github::GithubRepository::new(remote)?),
            Self::Gitlab => Box::new(gitlab::GitlabProject::new(remote)?),
            Self::Gitea => Box::new(gitea::GiteaRepository::new(remote)?),
            Self::Bitbucket => Box::new(bitbucket::BitbucketRepository::new(remote)?),
            Self::Azure => Box::new(azure::AzureRepository::new(remote)?),
        })
    }
}

/// A request to the API of a forge.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiRequest {
    /// The method.
    pub method: Method,
    /// Path and query, relative to the base of the API, with a leading slash.
    pub path: String,
    /// The body, as JSON.
    pub body: Option<Value>,
}

impl ApiRequest {
    fn get(path: String) -> Self {
        Self { method: Method::GET, path, body: None }
    }

    fn with_body(method: Method, path: String, body: Value) -> Self {
        Self { method, path, body: Some(body) }
    }

    fn post(path: String, body: Value) -> Self {
        Self::with_body(Method::POST, path, body)
    }
}

/// Whether a pull request is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullRequestState {
    /// It is open.
    Open,
    /// It was merged.
    Merged,
    /// It was closed without a merge.
    Closed,
}

/// A pull request, as a forge returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequest {
    /// The number, by which people name it.
    pub number: u64,
    /// The page.
    pub url: String,
    /// The title.
    pub title: String,
    /// The text.
    pub body: String,
    /// The account that opened it, if the forge returns it.
    pub author: Option<String>,
    /// The time at which it was opened, if the forge returns it.
    pub opened_at: Option<Timestamp>,
    /// The branch with the change.
    pub source: String,
    /// The branch that it is to be merged into.
    pub target: String,
    /// The commit of the source branch, if the forge returns it.
    pub head: Option<String>,
    /// True if the source branch is in the same repository, not in a fork.
    pub is_own_repository: bool,
    /// Whether it is open.
    pub state: PullRequestState,
    /// The commit of the merge on the target branch, if it was merged and the forge returns it.
    pub merge_commit: Option<String>,
    /// The labels.
    pub labels: Vec<String>,
    /// The identifier for the automatic merge, where it is not the number: GitHub's node, Azure's author.
    pub merge_id: Option<String>,
    /// The identifier of the project, where requirements are read with it: that of Azure.
    pub project_id: Option<String>,
}

#[cfg(test)]
impl PullRequest {
    /// Returns an open pull request into `main` of the same repository.
    fn opened(number: u64, source: &str, body: String) -> Self {
        Self {
            number,
            url: format!("https://forge.example/{number}"),
            title: String::new(),
            body,
            author: None,
            opened_at: None,
            source: source.to_owned(),
            target: "main".to_owned(),
            head: None,
            is_own_repository: true,
            state: PullRequestState::Open,
            merge_commit: None,
            labels: vec![],
            merge_id: None,
            project_id: None,
        }
    }
}

/// A pull request to be opened or updated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequestDraft {
    /// The branch with the change.
    pub source: String,
    /// The branch that it is to be merged into.
    pub target: String,
    /// The title.
    pub title: String,
    /// The text.
    pub body: String,
}

/// A selection of pull requests into one branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullRequestQuery<'a> {
    /// All open ones.
    Open {
        /// The branch that they are to be merged into.
        target: &'a str,
    },
    /// Those of one branch that were closed or merged.
    Closed {
        /// The branch that they were to be merged into.
        target: &'a str,
        /// The branch with the change.
        source: &'a str,
    },
}

/// Pull requests returned per page.
pub const PAGE: usize = 50;

/// A request, or the reason why the forge has none.
pub type Supported = Result<ApiRequest, &'static str>;

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

/// Returns a text at a JSON pointer.
fn text_at(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().map(str::to_owned)
}

/// Returns a time at a JSON pointer.
fn time_at(value: &Value, pointer: &str) -> Option<Timestamp> {
    value.pointer(pointer)?.as_str()?.parse().ok()
}

/// Returns the elements of a list at a JSON pointer; `None` if there is no list.
fn list_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v Vec<Value>> {
    value.pointer(pointer)?.as_array()
}

/// Returns the texts of one field of the elements of a list.
fn texts_of(list: Option<&Value>, field: &str) -> Vec<String> {
    let items = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|item| item.get(field)?.as_str().map(str::to_owned)).collect()
}
