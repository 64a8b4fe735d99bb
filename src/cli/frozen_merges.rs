//! Merges that earlier runs scheduled, and that a freeze holds back now.

use jiff::Timestamp;

use crate::cli::Context;
use crate::cli::pull_request::{ForgeAccess, open_session};
use ucp_client::source::live;
use ucp_core::error::{Error, Result};
use ucp_core::failure::Failure;
use ucp_features::forge::PullRequest;
use ucp_features::forge::scope::{ChangeScope, UnmarkedScope};
use ucp_repo::git::Git;
use ucp_repo::git::publish::PushDestination;
use ucp_repo::gitops::config::RepositoryConfig;

/// A merge that an earlier run may have scheduled into an environment that is frozen now.
struct FrozenMerge {
    number: u64,
    /// The freeze.
    reason: String,
    /// True if the forge canceled one, and false if there was none.
    canceled: std::result::Result<bool, Failure>,
}

/// Cancels the merges that earlier runs scheduled into environments which are frozen now: the forge does not know the windows.
pub(super) fn cancel_frozen_merges(
    context: &Context,
    access: ForgeAccess,
    git: &Git,
    base: &PushDestination,
    config: &RepositoryConfig,
) {
    let now = Timestamp::now();
    if !config.pr.automerge || config.freeze.active(None, now).is_none() {
        return;
    }
    let frozen = |found: &PullRequest| {
        let environment = match ChangeScope::of_pull_request(found) {
            Some(scope) => scope.environment,
            // It may be for any environment.
            None => UnmarkedScope::of_pull_request(found).map(|_| None)?,
        };
        config.freeze.active(environment.as_deref(), now)
    };
    let cancel = || -> Result<Vec<FrozenMerge>> {
        let url = git.push_url(&base.remote)?;
        live::runtime()?.block_on(async {
            let session = open_session(access, &url)?;
            let open = session.open_requests(&base.base).await.map_err(|error| Error::failed(error.to_string()))?;
            let mut merges = Vec::new();
            for (found, active) in open.iter().filter_map(|found| Some((found, frozen(found)?))) {
                let canceled = session.cancel_merge(found).await;
                merges.push(FrozenMerge { number: found.number, reason: active.reason(), canceled });
            }
            Ok(merges)
        })
    };
    match cancel() {
        Ok(merges) => {
            for FrozenMerge { number, reason, canceled } in merges {
                match canceled {
                    Ok(true) => context.ui.warn(&format!("the scheduled merge of #{number} was canceled: {reason}")),
                    Ok(false) => {}
                    Err(error) => context.ui.warn(&format!("#{number} may still be merged in the freeze: {error}")),
                }
            }
        }
        Err(error) => {
            let reason = error.message();
            context.ui.warn(&format!("merges that earlier runs scheduled may happen in the freeze: {reason}"));
        }
    }
}
