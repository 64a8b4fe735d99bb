//! Sources of cluster state: live clusters and snapshots. Both are read into the same [`ClusterState`].

pub mod connection;
pub mod kubeconfig;
pub mod live;
mod proxy;
pub mod snapshot;

use crate::error::{Error, Result};
use crate::model::body::KindRequest;
use crate::model::kind::ResourceKind;
use crate::model::state::ClusterState;

pub use connection::ConnectionArgs;

/// The selection of objects to read from a source.
pub struct Query<'a> {
    /// The fields to read of each kind; `None` skips the kind.
    pub want: &'a (dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
    /// Restriction to one namespace; cluster-scoped kinds are read in any case.
    pub namespace: Option<&'a str>,
    /// Callback for progress, with the number of kinds done and in total.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// Reads the cluster state for a query, from the snapshot or cluster that the flags name.
///
/// # Errors
/// Fails when nothing could be read. Failures of single kinds are in [`ClusterState::unreadable`].
pub fn read(connection: &ConnectionArgs, query: &Query<'_>) -> Result<ClusterState> {
    let conventions = connection.conventions()?;
    let mut state = match &connection.from {
        Some(path) => snapshot::read(path, query),
        None => live::read(connection, query),
    }?;
    state.external_controllers = connection.external_controllers();
    state.conventions = conventions;
    Ok(state)
}

/// Watches a live cluster, and passes its state to `show` after each change.
///
/// # Errors
/// Returns a usage error for a snapshot, which never changes; otherwise the error of [`live::watch::watch`].
pub fn watch(connection: &ConnectionArgs, query: &Query<'_>, show: &mut live::watch::ShowState<'_>) -> Result<()> {
    match &connection.from {
        Some(_) => Err(Error::usage("--watch needs a cluster: a snapshot does not change")),
        None => live::watch::watch(connection, query, show),
    }
}
