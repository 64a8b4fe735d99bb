//! The one open pull request of a change: found, opened or updated, and those that it replaces closed. A pull request that
//! was closed is not reopened.

pub mod gates;

use std::fmt;
use std::time::Duration;

use http::{HeaderValue, Method, Request, StatusCode};
use secrecy::ExposeSecret as _;
use serde_json::Value;

use super::address::RemoteAddress;
use super::scope::ChangeScope;
use super::token::ForgeToken;
use super::{ApiRequest, Forge, ForgeKind, PullRequest, PullRequestDraft, PullRequestQuery, Supported, texts_of};
use ucp_client::source::live::web::{WebClient, WebResponse};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::secrecy::scrub;
use ucp_core::model::text::one_line;

/// Pages of open pull requests that are read. Beyond, it is not known whether there is another one of the same service.
const MOST_PAGES: usize = 40;
/// Pages of closed pull requests that are read, newest first.
const MOST_CLOSED_PAGES: usize = 4;
/// Attempts for a request that the server asks to repeat.
const ATTEMPTS: u32 = 4;
/// Longest pause between them.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Longest message of a server, in characters.
const LONGEST_REASON: usize = 300;

/// A connection to the API of a forge, with a token.
pub struct ForgeSession {
    kind: ForgeKind,
    forge: Box<dyn Forge>,
    web: WebClient,
    base: String,
    header: (&'static str, HeaderValue),
}

/// The reason why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForgeError {
    /// There was no response, or the server failed.
    Unreachable(String),
    /// The server rejected the request.
    Rejected {
        /// The status.
        status: u16,
        /// The reason of the server.
        reason: String,
    },
    /// The response is not one that the documentation describes, or there is too much of it.
    Unreadable(String),
    /// Another open pull request changes the same service, and this one does not replace it.
    Overlap(Box<PullRequest>, String),
    /// As many environments of a service are in flight as may be.
    InFlight(String),
    /// The pull request was opened and closed again, because another run was faster.
    Withdrawn(Box<Self>),
}

impl From<Failure> for ForgeError {
    fn from(failure: Failure) -> Self {
        Self::Unreachable(failure.into())
    }
}

impl From<ForgeError> for Failure {
    fn from(error: ForgeError) -> Self {
        error.to_string().into()
    }
}

impl fmt::Display for ForgeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(reason) | Self::Unreadable(reason) | Self::InFlight(reason) => {
                formatter.write_str(reason)
            }
            Self::Withdrawn(cause) => cause.fmt(formatter),
            Self::Rejected { status, reason } => write!(formatter, "{reason} (HTTP {status})"),
            Self::Overlap(other, phrase) => write!(
                formatter,
                "pull request #{} is open and changes {phrase}: {}",
                other.number,
                one_line(&other.url)
            ),
        }
    }
}

impl ForgeError {
    /// Returns true if the pull request may exist although a request to open it failed.
    fn may_exist(&self) -> bool {
        match self {
            Self::Rejected { status, .. } => matches!(status, 400 | 409 | 422),
            Self::Unreachable(_) => true,
            Self::Unreadable(_) | Self::Overlap(..) | Self::InFlight(_) | Self::Withdrawn(_) => false,
        }
    }
}

/// The open pull requests that concern a change.
#[derive(Debug, Default)]
pub struct Standing {
    /// The one of this change: the oldest, if runs at the same time opened several.
    pub current: Option<PullRequest>,
    /// Further ones of this change, which are closed.
    pub doubles: Vec<PullRequest>,
    /// Those that this change replaces.
    pub superseded: Vec<PullRequest>,
}

/// Settings for pull requests.
#[derive(Debug, Clone, Default)]
pub struct PullRequestWishes {
    /// Labels to add.
    pub labels: Vec<String>,
    /// Users or teams that are asked for a review.
    pub reviewers: Vec<String>,
    /// Whether it is merged as soon as its checks and approvals allow it.
    pub automerge: AutomaticMerge,
    /// Largest number of environments of a service that are in flight at a time.
    pub in_flight: Option<usize>,
}

/// Whether a pull request is merged as soon as its checks and approvals allow it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AutomaticMerge {
    /// A person merges it.
    #[default]
    Unwanted,
    /// The forge merges it.
    WhenReady,
    /// The forge would merge it, but a gate that it does not know may be closed by then. Contains the reason.
    HeldBack(String),
}

/// A change for a pull request.
#[derive(Debug, Clone)]
pub struct ProposedChange {
    /// The scope.
    pub scope: ChangeScope,
    /// The branch with the change.
    pub source: String,
    /// The branch that it is to be merged into.
    pub target: String,
    /// The title.
    pub title: String,
    /// The description, in markdown.
    pub description: String,
}

/// The work that a run did for a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullRequestDeed {
    /// It was opened.
    Opened,
    /// It was updated.
    Updated,
    /// It is as it should be.
    Unchanged,
}

/// The open pull request of a change.
#[derive(Debug)]
pub struct EnsuredPullRequest {
    /// The pull request.
    pub opened: PullRequest,
    /// The work of this run.
    pub deed: PullRequestDeed,
    /// The pull requests that were closed because this one replaces them.
    pub closed: Vec<PullRequest>,
    /// Settings that could not be made, with reasons.
    pub missing: Vec<String>,
}

impl ForgeSession {
    /// Prepares a session; no request is sent yet. It must be called inside of the runtime.
    ///
    /// # Errors
    /// Fails with the reason when the remote is not a repository of this forge, or no connection can be made.
    pub fn open(kind: ForgeKind, remote: &RemoteAddress, token: &ForgeToken) -> Result<Self, Failure> {
        let forge = kind.repository(remote)?;
        let (origin, path) = token.server.origin_and_path();
        let web = WebClient::connect(origin)?;
        let (name, value) = token.header();
        let mut value = HeaderValue::from_str(value.expose_secret()).map_err(|_| "the token has invalid characters")?;
        value.set_sensitive(true);
        Ok(Self { kind, forge, web, base: path.to_owned(), header: (name, value) })
    }

    /// Sends a request and returns the response as JSON; null if it is empty.
    async fn send(&self, request: &ApiRequest) -> Result<Value, ForgeError> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let answer = self.send_once(request).await;
            let is_read = request.method == Method::GET;
            let pause = match &answer {
                Ok(answer) if answer.status == StatusCode::TOO_MANY_REQUESTS => answer.retry_after,
                Ok(answer) if is_read && answer.status.is_server_error() => answer.retry_after,
                Ok(answer) => return self.judge(request, answer),
                Err(_) if is_read => None,
                Err(reason) => return Err(reason.clone().into()),
            };
            if attempt >= ATTEMPTS {
                return match answer {
                    Ok(answer) => self.judge(request, &answer),
                    Err(reason) => Err(reason.into()),
                };
            }
            let usual = Duration::from_millis(250 << attempt);
            tokio::time::sleep(pause.map_or(usual, Duration::from_secs).min(LONGEST_PAUSE)).await;
        }
    }

    async fn send_once(&self, request: &ApiRequest) -> Result<WebResponse, Failure> {
        // GraphQL of GitHub Enterprise has no version.
        let base = match request.path.as_str() {
            "/graphql" => self.base.strip_suffix("/v3").unwrap_or(&self.base),
            _ => self.base.as_str(),
        };
        let body = request.body.as_ref().map(|body| body.to_string().into_bytes()).unwrap_or_default();
        let sent = Request::builder()
            .method(request.method.clone())
            .uri(format!("{base}{}", request.path))
            .header("user-agent", concat!("kubectl-ucp/", env!("CARGO_PKG_VERSION")))
            .header("accept", "application/json")
            .header("content-type", "application/json")
            .header(self.header.0, self.header.1.clone())
            .body(body)
            .map_err(|error| error.to_string())?;
        self.web.send(sent).await
    }

    /// Reads a response.
    fn judge(&self, request: &ApiRequest, answer: &WebResponse) -> Result<Value, ForgeError> {
        let status = answer.status;
        let value: Option<Value> = match answer.body.is_empty() {
            true => Some(Value::Null),
            false => serde_json::from_slice(&answer.body).ok(),
        };
        if status.is_redirection() {
            let reason = "the server redirects the request, which is not followed with a token: was the repository \
                          moved? Update the URL of the remote";
            return Err(ForgeError::Rejected { status: status.as_u16(), reason: reason.to_owned() });
        }
        if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            return Err(ForgeError::Unreachable(format!("{} responds with HTTP {status}", self.kind.name())));
        }
        if !status.is_success() {
            let reason =
                value.as_ref().and_then(server_reason).unwrap_or_else(|| "the request was rejected".to_owned());
            let advice = match status {
                StatusCode::UNAUTHORIZED => "; the token is not valid (any more)",
                StatusCode::FORBIDDEN => "; the token may not do this",
                StatusCode::NOT_FOUND => "; the repository does not exist, or the token may not see it",
                _ => "",
            };
            return Err(ForgeError::Rejected { status: status.as_u16(), reason: format!("{reason}{advice}") });
        }
        let value = value.ok_or_else(|| {
            ForgeError::Unreadable(format!("the response of {} is not JSON; is --forge right?", self.kind.name()))
        })?;
        // GraphQL reports errors with status 200.
        match value.get("errors").filter(|_| request.path == "/graphql") {
            Some(errors) => {
                let reason = server_reason(errors).unwrap_or_else(|| "the request was rejected".to_owned());
                Err(ForgeError::Rejected { status: status.as_u16(), reason })
            }
            None => Ok(value),
        }
    }

    fn read(&self, item: &Value) -> Result<PullRequest, ForgeError> {
        self.forge.read(item).ok_or_else(|| {
            ForgeError::Unreadable(format!("a pull request in the response of {} is incomplete", self.kind.name()))
        })
    }

    /// Lists pull requests until a page is empty, since a server may return fewer than requested.
    async fn list(&self, query: PullRequestQuery<'_>, pages: usize) -> Result<(Vec<PullRequest>, bool), ForgeError> {
        let mut all = Vec::new();
        for page in 1..=pages {
            let answer = self.send(&self.forge.list(query, page)).await?;
            let items = self.forge.items(&answer).ok_or_else(|| {
                ForgeError::Unreadable(format!("the response of {} has no list of pull requests", self.kind.name()))
            })?;
            if items.is_empty() {
                return Ok((all, true));
            }
            for item in items {
                all.push(self.read(item)?);
            }
        }
        Ok((all, false))
    }

    /// Returns the open pull requests that concern a change. A new one needs room: at most `in_flight` environments.
    ///
    /// # Errors
    /// Fails when they cannot be read completely, when another one changes the same service and is not replaced, and when too
    /// many environments are in flight.
    pub async fn standing(
        &self,
        scope: &ChangeScope,
        source: &str,
        target: &str,
        in_flight: Option<usize>,
    ) -> Result<Standing, ForgeError> {
        let open = self.open_requests(target).await?;
        let crowded = in_flight.and_then(|most| gates::too_many_in_flight(&open, scope, most));
        let standing = judge_open(open, scope, source, target)?;
        match crowded.filter(|_| standing.current.is_none()) {
            Some(reason) => Err(ForgeError::InFlight(reason)),
            None => Ok(standing),
        }
    }

    /// Returns all open pull requests into a branch.
    ///
    /// # Errors
    /// Fails when they cannot be read completely.
    pub async fn open_requests(&self, target: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let (open, is_complete) = self.list(PullRequestQuery::Open { target }, MOST_PAGES).await?;
        if !is_complete {
            let reason = format!("there are more than {} open pull requests into {target}", open.len());
            return Err(ForgeError::Unreadable(reason));
        }
        Ok(open)
    }

    /// Returns the pull request of the same change that was closed without a merge. `commit` is that of its branch.
    ///
    /// # Errors
    /// Fails when the closed ones cannot be read.
    pub async fn closed_with(&self, change: &ProposedChange, commit: &str) -> Result<Option<PullRequest>, ForgeError> {
        let ProposedChange { source, target, .. } = change;
        let (closed, _) = self.list(PullRequestQuery::Closed { target, source }, MOST_CLOSED_PAGES).await?;
        let is_same = |found: &PullRequest| {
            found.source == *source
                && found.target == *target
                && found.is_own_repository
                && found.is_closed_unmerged
                // Bitbucket shortens commits. Gitea returns the current commit of the branch, so that the text counts, too.
                && found.head.as_deref().is_some_and(|head| head.len() >= 7 && commit.starts_with(head))
                && is_same_text(&found.body, &self.draft(change, &found.body).body)
        };
        Ok(closed.into_iter().find(is_same))
    }

    /// Opens or updates the pull request of a change whose branch was pushed, and closes those that it replaces.
    /// `is_newest` returns false if another run has pushed to the branch in the meantime, which then describes it.
    ///
    /// # Errors
    /// Fails when a request fails. Settings that could not be made are in the result instead.
    pub async fn ensure(
        &self,
        standing: Standing,
        change: &ProposedChange,
        wishes: &PullRequestWishes,
        is_newest: &(dyn Fn() -> bool + Sync),
    ) -> Result<EnsuredPullRequest, ForgeError> {
        let ProposedChange { scope, source, target, .. } = change;
        let mut missing = Vec::new();
        let (opened, deed) = match standing.current {
            Some(current) => self.update(current, change, is_newest).await?,
            None => match self.create(change, wishes, &mut missing).await {
                Ok(opened) => (opened, PullRequestDeed::Opened),
                // Another run was faster, or the response was lost.
                Err(error) if error.may_exist() => match self.standing(scope, source, target, None).await?.current {
                    Some(current) => self.update(current, change, is_newest).await?,
                    None => return Err(error),
                },
                Err(error) => return Err(error),
            },
        };
        // Another run may have opened one at the same time, from another branch, or for another environment.
        let open = self.open_requests(target).await?;
        let older: Vec<PullRequest> = open.iter().filter(|one| one.number < opened.number).cloned().collect();
        let crowded = wishes.in_flight.and_then(|most| gates::too_many_in_flight(&older, scope, most));
        let standing = match (judge_open(open, scope, source, target), crowded) {
            (Err(cause @ ForgeError::Overlap(..)), _) if deed == PullRequestDeed::Opened => {
                return self.withdraw(&opened, cause).await;
            }
            (Ok(_), Some(reason)) if deed == PullRequestDeed::Opened => {
                return self.withdraw(&opened, ForgeError::InFlight(reason)).await;
            }
            (standing, _) => standing?,
        };
        let (opened, deed) = match standing.current {
            Some(oldest) if oldest.number != opened.number => self.update(oldest, change, is_newest).await?,
            _ => (opened, deed),
        };
        for double in standing.doubles {
            self.close(&double, &format!("The same as #{}.", opened.number)).await?;
        }
        let mut closed = Vec::new();
        for old in standing.superseded {
            self.close(&old, &format!("Superseded by #{}.", opened.number)).await?;
            closed.push(old);
        }
        let labels: Vec<String> =
            wishes.labels.iter().filter(|label| !opened.labels.contains(label)).cloned().collect();
        if !labels.is_empty() {
            let made = match self.forge.label(opened.number, &labels) {
                Ok(requests) => self.label(&requests, &labels).await,
                Err(reason) => Err(reason.into()),
            };
            missing.extend(made.err().map(|reason| format!("labels {}: {reason}", labels.join(", "))));
        }
        match &wishes.automerge {
            AutomaticMerge::Unwanted => {}
            AutomaticMerge::WhenReady => {
                let made = self.try_send(self.forge.merge_when_ready(&opened)).await;
                // It is set already if an earlier run did it.
                let failed = made.err().filter(|_| deed != PullRequestDeed::Unchanged);
                missing.extend(failed.map(|reason| format!("automerge: {reason}")));
            }
            AutomaticMerge::HeldBack(reason) => {
                missing.push(format!("automerge: {reason}"));
                let earlier = if deed == PullRequestDeed::Opened { Ok(()) } else { self.cancel_merge(&opened).await };
                missing.extend(earlier.err().map(|reason| format!("automerge of an earlier run: {reason}")));
            }
        }
        Ok(EnsuredPullRequest { opened, deed, closed, missing })
    }

    /// Closes the pull request that this run has opened.
    async fn withdraw<T>(&self, opened: &PullRequest, cause: ForgeError) -> Result<T, ForgeError> {
        self.close(opened, &format!("Closed: {cause}.")).await?;
        Err(ForgeError::Withdrawn(Box::new(cause)))
    }

    /// Cancels the automatic merge that an earlier run may have requested.
    async fn cancel_merge(&self, opened: &PullRequest) -> Result<(), Failure> {
        let Ok(request) = self.forge.cancel_merge(opened) else { return Ok(()) };
        match self.send(&request).await {
            // None was requested.
            Err(ForgeError::Rejected { status, .. }) if !matches!(status, 401 | 403) => Ok(()),
            other => other.map(drop).map_err(Failure::from),
        }
    }

    /// Adds labels. A server may ignore those that do not exist, which its response shows.
    async fn label(&self, requests: &[ApiRequest], labels: &[String]) -> Result<(), Failure> {
        for request in requests {
            let answer = self.send(request).await?;
            let made = texts_of(Some(&answer), "name");
            if answer.is_array() && labels.iter().any(|label| !made.contains(label)) {
                return fail!("there is no such label");
            }
        }
        Ok(())
    }

    /// Closes a pull request, with the reason as a comment.
    async fn close(&self, opened: &PullRequest, reason: &str) -> Result<(), ForgeError> {
        self.send(&self.forge.comment(opened.number, reason)).await?;
        self.send(&self.forge.close(opened.number)).await.map(drop)
    }

    async fn try_send(&self, request: Supported) -> Result<(), Failure> {
        self.send_all(&[request?]).await
    }

    async fn send_all(&self, requests: &[ApiRequest]) -> Result<(), Failure> {
        for request in requests {
            self.send(request).await?;
        }
        Ok(())
    }

    fn draft(&self, change: &ProposedChange, old_body: &str) -> PullRequestDraft {
        PullRequestDraft {
            source: change.source.clone(),
            target: change.target.clone(),
            title: one_line(&change.title),
            body: change.scope.write_body(old_body, &change.description, self.forge.longest_body()),
        }
    }

    async fn update(
        &self,
        current: PullRequest,
        change: &ProposedChange,
        is_newest: &(dyn Fn() -> bool + Sync),
    ) -> Result<(PullRequest, PullRequestDeed), ForgeError> {
        let draft = self.draft(change, &current.body);
        let is_same = current.title == draft.title && is_same_text(&current.body, &draft.body);
        if is_same || !is_newest() {
            return Ok((current, PullRequestDeed::Unchanged));
        }
        self.send(&self.forge.update(current.number, &draft)).await?;
        Ok((PullRequest { title: draft.title, body: draft.body, ..current }, PullRequestDeed::Updated))
    }

    async fn create(
        &self,
        change: &ProposedChange,
        wishes: &PullRequestWishes,
        missing: &mut Vec<String>,
    ) -> Result<PullRequest, ForgeError> {
        let mut reviewers = Vec::new();
        for name in &wishes.reviewers {
            let found = match self.forge.search_reviewer(name) {
                Some(search) => self.send(&search).await.ok(),
                None => None,
            };
            match self.forge.reviewer(name, found.as_ref()) {
                Some(reviewer) => reviewers.push(reviewer),
                None => missing.push(format!("reviewer {name}: there is no such user")),
            }
        }
        let draft = self.draft(change, "");
        let with_reviewers = self.forge.create(&draft, &wishes.labels, &reviewers);
        let opened = match self.send(&with_reviewers).await {
            // A reviewer that does not exist is no reason to open none.
            Err(ForgeError::Rejected { status, reason }) if !reviewers.is_empty() && status != 409 => {
                let opened = self.send(&self.forge.create(&draft, &wishes.labels, &[])).await?;
                missing.push(format!("reviewers {}: {reason}", wishes.reviewers.join(", ")));
                opened
            }
            other => other?,
        };
        let opened = self.read(&opened)?;
        let request = self.forge.request_reviews(opened.number, &reviewers).filter(|_| !reviewers.is_empty());
        if let Some(request) = request {
            let asked = self.try_send(Ok(request)).await;
            missing.extend(asked.err().map(|reason| format!("reviewers {}: {reason}", wishes.reviewers.join(", "))));
        }
        Ok(opened)
    }
}

/// Returns true if two texts are equal but for their line ends.
fn is_same_text(left: &str, right: &str) -> bool {
    left.trim().lines().eq(right.trim().lines())
}

/// Selects the open pull requests that concern a change.
fn judge_open(open: Vec<PullRequest>, scope: &ChangeScope, source: &str, target: &str) -> Result<Standing, ForgeError> {
    let mut standing = Standing::default();
    for found in open.into_iter().filter(|found| found.target == target) {
        if found.source == source && found.is_own_repository {
            // Gitea accepts two of one branch that are opened at the same time.
            let (oldest, newer) = match standing.current.take() {
                Some(current) if current.number < found.number => (current, Some(found)),
                current => (found, current),
            };
            standing.current = Some(oldest);
            standing.doubles.extend(newer);
            continue;
        }
        let Some(theirs) = ChangeScope::of_pull_request(&found).filter(|theirs| theirs.overlaps(scope)) else {
            continue;
        };
        if !scope.covers(&theirs) {
            return Err(ForgeError::Overlap(Box::new(found), theirs.phrase()));
        }
        standing.superseded.push(found);
    }
    Ok(standing)
}

/// Returns the message of a server in an error response.
fn server_reason(value: &Value) -> Option<String> {
    let texts = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
        other => Some(other.to_string()),
    };
    let own = ["/message", "/error/message", "/error", "/0/message"].iter().find_map(|at| texts(value.pointer(at)?));
    let details = value.pointer("/errors/0/message").and_then(texts);
    let all: Vec<String> = own.into_iter().chain(details).collect();
    let text = one_line(&scrub(&all.join(": ")));
    let short: String = text.chars().take(LONGEST_REASON).collect();
    (!short.is_empty()).then_some(short)
}

#[cfg(test)]
mod tests;
