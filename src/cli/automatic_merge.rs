//! `automerge` of `.ucp.yaml`: the forge does not merge into a freeze.

use jiff::{SignedDuration, Timestamp};

use crate::cli::pull_request::{ForgeAccess, open_session};
use crate::cli::{Context, freeze};
use ucp_client::source::live;
use ucp_core::error::{Error, Result};
use ucp_core::failure::Failure;
use ucp_core::model::time::human_duration;
use ucp_features::forge::PullRequest;
use ucp_features::forge::scope::ChangeScope;
use ucp_features::forge::session::AutomaticMerge;
use ucp_repo::git::Git;
use ucp_repo::git::publish::PushDestination;
use ucp_repo::gitops::config::RepositoryConfig;

/// Returns whether the forge may merge a pull request: not if a window holds now, or begins before the merge is expected,
/// because the forge does not know the windows. A merge that was allowed in spite of a window is left to a person.
pub(super) fn automatic_merge(config: &RepositoryConfig, environment: Option<&str>) -> AutomaticMerge {
    if !config.pr.automerge {
        return AutomaticMerge::Unwanted;
    }
    let now = Timestamp::now();
    if let Some(active) = config.freeze.active(environment, now) {
        return AutomaticMerge::HeldBack(active.reason());
    }
    let within = SignedDuration::try_from(config.pr.merge_within.0).unwrap_or(SignedDuration::MAX);
    let limit = now.checked_add(within).unwrap_or(Timestamp::MAX);
    match config.freeze.ahead(environment, now, limit) {
        Some(ahead) => AutomaticMerge::HeldBack(format!(
            "the freeze {:?} in .ucp.yaml begins at {:.0}, and the merge is expected within {} (mergeWithin)",
            ahead.window,
            ahead.from,
            human_duration(within.as_secs())
        )),
        None => AutomaticMerge::WhenReady,
    }
}

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
    if !config.pr.automerge || freeze::active(config, None).is_none() {
        return;
    }
    let frozen = |found: &PullRequest| {
        let scope = ChangeScope::of_pull_request(found)?;
        freeze::active(config, scope.environment.as_deref())
    };
    let cancel = || -> Result<Vec<FrozenMerge>> {
        let url = git.query(["remote", "get-url", "--push", &base.remote])?.unwrap_or_default();
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
