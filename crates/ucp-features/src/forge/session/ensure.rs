//! Opens or updates the pull request of a change, and closes those that it replaces.

use std::time::Duration;

use serde_json::Value;

use super::change::judge_open;
use super::in_flight::too_many_in_flight;
use super::{
    AutomaticMerge, EnsuredPullRequest, ForgeError, ForgeSession, ProposedChange, PullRequestDeed, PullRequestWishes,
    Standing,
};
use crate::forge::adapter::{ReviewRequest, Supported};
use crate::forge::pull_request::{PullRequest, PullRequestDraft, PullRequestQuery, PullRequestState};
use crate::forge::request::ApiRequest;
use crate::forge::response::texts_of;
use crate::forge::scope::UnmarkedScope;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::text::one_line;

/// Pages of closed pull requests that are read, newest first.
const MOST_CLOSED_PAGES: usize = 4;
/// Further requests to open a pull request while its branch is not found: Gitea reads a push some time after it accepts it.
const UNKNOWN_BRANCH: u32 = 5;
/// Further requests for the open pull requests while a new one is not among them.
const UNLISTED: u32 = 5;
/// Pause between them.
const PAUSE: Duration = Duration::from_secs(1);

impl ForgeSession {
    /// Returns the pull request of the same change that was closed without a merge, if none was merged since. A branch that
    /// was deleted is not asked for: its change may be proposed again.
    ///
    /// # Errors
    /// Fails when the closed ones cannot be read.
    pub async fn closed_with(&self, change: &ProposedChange) -> Result<Option<PullRequest>, ForgeError> {
        let ProposedChange { source, target, .. } = change;
        let (closed, _) = self.list(PullRequestQuery::Closed { target, source }, MOST_CLOSED_PAGES).await?;
        let without_details = ProposedChange { details: Vec::new(), ..change.clone() };
        let is_same = |found: &PullRequest| {
            let draft = self.draft(&without_details, &found.body);
            found.source == *source
                && found.target == *target
                && found.is_own_repository
                && is_same_change(found, &draft)
        };
        let last = closed.into_iter().filter(is_same).max_by_key(|found| found.number);
        Ok(last.filter(|found| found.state == PullRequestState::Closed))
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
        let (open, is_listed) = self.open_requests_with(target, opened.number).await?;
        if !is_listed {
            let reason = format!("whether another one changes the same is unknown: #{} is not listed", opened.number);
            missing.push(reason);
        }
        let older: Vec<PullRequest> = open.iter().filter(|one| one.number < opened.number).cloned().collect();
        let crowded = wishes.in_flight.and_then(|most| too_many_in_flight(&older, scope, most));
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
                let head = change.commit.clone().or_else(|| opened.head.clone());
                let made = self.schedule_merge(&PullRequest { head, ..opened.clone() }).await;
                missing.extend(made.err().map(|reason| format!("automerge: {reason}")));
            }
            AutomaticMerge::HeldBack(reason) => {
                missing.push(format!("automerge: {reason}"));
                let earlier = match deed {
                    PullRequestDeed::Opened => Ok(()),
                    _ => self.cancel_merge(&opened).await.map(drop),
                };
                missing.extend(earlier.err().map(|reason| format!("automerge of an earlier run: {reason}")));
            }
        }
        Ok(EnsuredPullRequest { opened, deed, closed, missing })
    }

    /// Returns the open pull requests into a branch, and whether one that is open is among them. A server may list a new one
    /// late, and then also those of others.
    async fn open_requests_with(&self, target: &str, number: u64) -> Result<(Vec<PullRequest>, bool), ForgeError> {
        let mut retries = UNLISTED;
        loop {
            let open = self.open_requests(target).await?;
            let has_it = open.iter().any(|one| one.number == number);
            if has_it || self.show(number).await?.state != PullRequestState::Open {
                return Ok((open, true));
            }
            if retries == 0 {
                return Ok((open, false));
            }
            retries -= 1;
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Closes the pull request that this run has opened.
    async fn withdraw<T>(&self, opened: &PullRequest, cause: ForgeError) -> Result<T, ForgeError> {
        self.close(opened, &format!("Closed: {cause}.")).await?;
        Err(ForgeError::Withdrawn(Box::new(cause)))
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
        let longest = self.forge.longest_body();
        let mut text = change.description.trim_end().to_owned();
        for part in &change.details {
            let more = format!("{text}\n\n{}", part.trim());
            if change.scope.write_body(old_body, &more, usize::MAX).chars().count() <= longest {
                text = more;
            }
        }
        PullRequestDraft {
            source: change.source.clone(),
            target: change.target.clone(),
            title: one_line(&change.title),
            body: change.scope.write_body(old_body, &text, longest),
        }
    }

    /// Opens a pull request of a branch that was pushed a moment ago, which the forge may not know yet.
    async fn open_pushed(&self, request: &ApiRequest) -> Result<Value, ForgeError> {
        for _ in 0..UNKNOWN_BRANCH {
            match self.send(request).await {
                Err(ForgeError::Rejected { status: 404, .. }) => tokio::time::sleep(PAUSE).await,
                answer => return answer,
            }
        }
        self.send(request).await
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
                Some(reviewer) => reviewers.push((name, reviewer)),
                None => missing.push(format!("reviewer {name}: there is no such user")),
            }
        }
        let draft = self.draft(change, "");
        let known: Vec<Value> = reviewers.iter().map(|(_, reviewer)| reviewer.clone()).collect();
        let with_reviewers = self.forge.create(&draft, &wishes.labels, &known);
        let (opened, rejected) = match self.open_pushed(&with_reviewers).await {
            // A reviewer that does not exist is no reason to open none.
            Err(ForgeError::Rejected { status, reason }) if !reviewers.is_empty() && status != 409 => {
                (self.open_pushed(&self.forge.create(&draft, &wishes.labels, &[])).await?, Some(reason))
            }
            other => (other?, None),
        };
        let opened = self.read(&opened)?;
        // One by one, so that one who cannot review does not keep the others from being asked.
        for (name, reviewer) in &reviewers {
            let obstacle = match (self.forge.review_request(opened.number, reviewer), &rejected) {
                (ReviewRequest::AfterCreation(request), _) | (ReviewRequest::Again(request), Some(_)) => {
                    self.try_send(Ok(request)).await.err().map(|reason| reason.to_string())
                }
                (_, rejected) => rejected.clone(),
            };
            missing.extend(obstacle.map(|reason| format!("reviewer {name}: {reason}")));
        }
        Ok(opened)
    }
}

/// Returns true if a pull request has the change of a draft: by the versions in its text, since the branch may be written again on
/// another base, or by its title if a person replaced the text.
pub(super) fn is_same_change(found: &PullRequest, draft: &PullRequestDraft) -> bool {
    match UnmarkedScope::of_pull_request(found) {
        Some(_) => found.title == draft.title,
        None => describes(&found.body, &draft.body),
    }
}

/// Returns true if a text has the lines of another one in the same order, and perhaps more between them.
pub(super) fn describes(text: &str, shorter: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    shorter.lines().map(str::trim).all(|wanted| lines.any(|line| line == wanted))
}

/// Returns true if two texts are equal but for their line ends.
fn is_same_text(left: &str, right: &str) -> bool {
    left.trim().lines().eq(right.trim().lines())
}
