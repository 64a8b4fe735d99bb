//! `automerge` of `.ucp.yaml`: the forge does not merge into a freeze.

use jiff::{SignedDuration, Timestamp};

use ucp_core::model::time::human_duration;
use ucp_features::forge::session::AutomaticMerge;
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
