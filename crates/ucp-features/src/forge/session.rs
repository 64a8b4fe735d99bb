//! The one open pull request of a change: found, opened or updated, and those that it replaces closed. A pull request that
//! was closed is not reopened.

mod change;
mod ensure;
mod error;
pub mod in_flight;
mod merge;
mod requests;
mod requirements;

use http::HeaderValue;
use secrecy::ExposeSecret as _;
use serde_json::Value;

use super::ForgeKind;
use super::adapter::Forge;
use super::address::RemoteAddress;
use super::pull_request::{PullRequest, PullRequestQuery};
use super::scope::ChangeScope;
use super::token::ForgeToken;
use change::{add_listed, judge_open};
use ucp_client::source::live::web::WebClient;
use ucp_core::failure::Failure;

pub use change::{AutomaticMerge, EnsuredPullRequest, ProposedChange, PullRequestDeed, PullRequestWishes, Standing};
pub use error::ForgeError;

/// Pages of open pull requests that are read. Beyond, it is not known whether there is another one of the same service.
const MOST_PAGES: usize = 40;

/// A connection to the API of a forge, with a token.
pub struct ForgeSession {
    kind: ForgeKind,
    forge: Box<dyn Forge>,
    web: WebClient,
    base: String,
    header: (&'static str, HeaderValue),
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
                add_listed(&mut all, self.read(item)?);
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
        let crowded = in_flight.and_then(|most| in_flight::too_many_in_flight(&open, scope, most));
        let standing = judge_open(open, scope, source, target)?;
        match crowded.filter(|_| standing.current.is_none()) {
            Some(reason) => Err(ForgeError::InFlight(reason)),
            None => Ok(standing),
        }
    }

    /// Returns a pull request as it is now.
    ///
    /// # Errors
    /// Fails when it cannot be read.
    pub async fn show(&self, number: u64) -> Result<PullRequest, ForgeError> {
        let answer = self.send(&self.forge.show(number)).await?;
        self.read(&answer)
    }

    /// Returns all open pull requests into a branch.
    ///
    /// # Errors
    /// Fails when they cannot be read completely.
    pub async fn open_requests(&self, target: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let (open, is_complete) = self.list(PullRequestQuery::Open { target }, MOST_PAGES).await?;
        if !is_complete {
            let reason = format!("there are more than {MOST_PAGES} pages of open pull requests into {target}");
            return Err(ForgeError::Unreadable(reason));
        }
        Ok(open)
    }
}

#[cfg(test)]
mod tests;
