//! A change for a pull request, and the open pull requests that concern it.

use super::error::ForgeError;
use crate::forge::pull_request::PullRequest;
use crate::forge::scope::{ChangeScope, UnmarkedScope};

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
    /// The description, in markdown: the versions that change.
    pub description: String,
    /// What else is known, in markdown, the most important part first: it may be different in the next run. A part that is too
    /// long for the forge is left out.
    pub details: Vec<String>,
    /// The commit of the branch, after it was pushed.
    pub commit: Option<String>,
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

/// Selects the open pull requests that concern a change, from a list without repetitions.
///
/// # Errors
/// Fails when another one may change the same service and is not replaced.
pub(super) fn judge_open(
    open: Vec<PullRequest>,
    scope: &ChangeScope,
    source: &str,
    target: &str,
) -> Result<Standing, ForgeError> {
    let mut standing = Standing::default();
    let mut unmarked = None;
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
        if UnmarkedScope::of_pull_request(&found).is_some_and(|theirs| theirs.may_concern(scope)) {
            unmarked.get_or_insert(found);
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
    match unmarked.filter(|_| standing.current.is_none()) {
        Some(found) => Err(ForgeError::Unmarked(Box::new(found))),
        None => Ok(standing),
    }
}

/// Adds a pull request of a page, unless a page before had it: a new one moves others to the next page.
pub(super) fn add_listed(all: &mut Vec<PullRequest>, found: PullRequest) {
    if all.iter().all(|known| known.number != found.number) {
        all.push(found);
    }
}
