//! Waits until a pull request is merged, as its forge reports it.

use std::time::Duration;

use super::GrowingPause;
use crate::cli::Context;
use crate::cli::pull_request::{ForgeAccess, open_session};
use crate::cli::wait::timeout::Deadline;
use crate::report::wait::WaitOutcome;
use ucp_client::source::live;
use ucp_core::error::{Error, Result};
use ucp_core::model::text::one_line;
use ucp_features::forge::PullRequestState;
use ucp_features::forge::session::{ForgeError, ForgeSession};

/// Pauses between requests to the forge.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The end of the wait.
pub(super) enum MergeOutcome {
    /// It is merged, by this commit if the forge names it.
    Merged(Option<String>),
    /// It is not merged, with the reason.
    Ended(WaitOutcome, String),
}

/// What one look at a pull request shows.
enum MergeLook {
    Merged(Option<String>),
    /// It will not be merged.
    Failed(String),
    /// It is not merged yet.
    Open(String),
}

/// Waits until a pull request is merged, closed, or cannot be merged because a required check failed.
///
/// # Errors
/// Fails when the forge rejects a request.
pub(super) fn wait_for_merge(
    context: &Context,
    access: ForgeAccess,
    url: &str,
    number: u64,
    deadline: Deadline,
) -> Result<MergeOutcome> {
    let runtime = live::runtime()?;
    let session = runtime.block_on(async { open_session(access, url) })?;
    let lines = context.ui.lines();
    let mut pauses = GrowingPause::new(FIRST_PAUSE, LONGEST_PAUSE);
    loop {
        let limit = deadline.remaining().map_or(LONGEST_PAUSE, |left| left.max(FIRST_PAUSE));
        let looked = runtime.block_on(async { tokio::time::timeout(limit, look(&session, number)).await });
        let (reason, asked) = match looked {
            Ok(Ok(MergeLook::Merged(commit))) => return Ok(MergeOutcome::Merged(commit)),
            Ok(Ok(MergeLook::Failed(reason))) => return Ok(MergeOutcome::Ended(WaitOutcome::Failed, reason)),
            Ok(Ok(MergeLook::Open(reason))) => (reason, None),
            Ok(Err(ForgeError::Busy { status, pause })) => {
                (ForgeError::Busy { status, pause }.to_string(), Some(pause))
            }
            Ok(Err(ForgeError::Unreachable(reason))) => (reason, None),
            Ok(Err(error)) => return Err(Error::failed(format!("pull request #{number} cannot be read: {error}"))),
            Err(_) => ("the forge did not respond in time".to_owned(), None),
        };
        let reason = format!("pull request #{number} is not merged: {}", one_line(&reason));
        lines.show(std::slice::from_ref(&reason));
        if deadline.is_over() || !pauses.rest(asked, deadline) {
            return Ok(MergeOutcome::Ended(WaitOutcome::Timeout, reason));
        }
    }
}

async fn look(session: &ForgeSession, number: u64) -> std::result::Result<MergeLook, ForgeError> {
    let opened = session.show(number).await?;
    let url = one_line(&opened.url);
    match opened.state {
        PullRequestState::Merged => return Ok(MergeLook::Merged(opened.merge_commit)),
        PullRequestState::Closed => {
            let reason = format!("pull request #{number} was closed without a merge: {url}");
            return Ok(MergeLook::Failed(reason));
        }
        PullRequestState::Open => {}
    }
    Ok(match session.unmet_requirements(&opened).await {
        Err(busy @ ForgeError::Busy { .. }) => return Err(busy),
        Err(error) => MergeLook::Open(format!("it is open, and its requirements cannot be read: {error}")),
        Ok(unmet) => match unmet.failed {
            Some(failed) => {
                MergeLook::Failed(format!("a required check of pull request #{number} has failed: {failed}: {url}"))
            }
            None => {
                let open: Vec<String> = unmet.approvals.into_iter().chain(unmet.checks).collect();
                MergeLook::Open(if open.is_empty() { "it is ready to be merged".to_owned() } else { open.join(", ") })
            }
        },
    })
}
