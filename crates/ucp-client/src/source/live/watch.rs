//! Watches a live cluster, and reports its whole state after each change.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::follow::FollowedCluster;
use super::{Interest, wanted};
use crate::source::{ConnectionArgs, Query};
use ucp_core::error::Result;
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::state::ClusterState;

pub use super::follow::Occasion;

/// Shortest interval of reports without changes, since ages grow and progress becomes stuck.
pub const AGEING: Duration = Duration::from_secs(10);
/// Longest interval of reports without changes.
const LONGEST_AGEING: Duration = Duration::from_mins(3);
/// A report without changes takes at most one part in this many of the time.
const IDLE_PARTS: u32 = 200;

/// Callback for each reported state.
pub type ShowState<'a> = dyn FnMut(Occasion, &ClusterState) -> Result<()> + 'a;

/// The interests of a query, and the usages that show that an empty kind became active.
pub fn interests(kinds: &[Arc<ucp_core::model::kind::ResourceKind>], query: &Query<'_>) -> Vec<Interest> {
    let usages = kinds.iter().map(|kind| Interest {
        kind: Arc::clone(kind),
        want: KindRequest::all(BodyShape::Conditions),
        namespace: None,
        name: None,
    });
    wanted(kinds, query).into_iter().chain(usages.filter(super::follow::is_usage)).collect()
}

/// Reads a live cluster and passes its state to `show` after each change. Only returns with an error.
///
/// # Errors
/// Fails when the first reading fails, or `show` does. Later connection failures are retried.
pub fn watch(flags: &ConnectionArgs, query: &Query<'_>, show: &mut ShowState<'_>) -> Result<()> {
    let Some(mut following) = FollowedCluster::open(flags, None)? else { return Ok(()) };
    following.add(interests(following.kinds(), query), query.progress, None);
    let mut occasion = Occasion::Change;
    loop {
        let began = Instant::now();
        let mut state = following.state();
        state.namespace = query.namespace.map(str::to_owned);
        show(occasion, &state)?;
        occasion = following.wait_for_change(ageing_interval(began.elapsed()));
    }
}

/// Returns the time until the next report without changes, by the time that one takes: judging a large cluster anew every
/// few seconds would keep a processor busy for ages that hardly differ.
fn ageing_interval(report: Duration) -> Duration {
    report.saturating_mul(IDLE_PARTS).clamp(AGEING, LONGEST_AGEING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_large_clusters_age_more_slowly() {
        assert_eq!(ageing_interval(Duration::from_millis(1)), AGEING);
        assert_eq!(ageing_interval(Duration::from_millis(200)), Duration::from_secs(40));
        assert_eq!(ageing_interval(Duration::from_secs(9)), LONGEST_AGEING);
        assert_eq!(ageing_interval(Duration::MAX), LONGEST_AGEING);
    }
}
