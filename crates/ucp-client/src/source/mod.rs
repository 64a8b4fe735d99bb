//! Sources of cluster state: live clusters and snapshots. Both are read into the same [`ClusterState`].

pub mod addresses;
pub mod connection;
pub mod kubeconfig;
pub mod live;
pub mod proxy;
pub mod snapshot;
mod unlisted;

use ucp_core::error::{Error, Result};
use ucp_core::model::body::KindRequest;
use ucp_core::model::health_rule::SETTINGS;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_core::model::trace::TraceCache;

pub use connection::ConnectionArgs;
use live::definition::UnlistedKind;

/// The selection of objects to read from a source.
pub struct Query<'a> {
    /// The fields to read of each kind; `None` skips the kind.
    pub want: &'a (dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
    /// Restriction to one namespace; cluster-scoped kinds are read in any case.
    pub namespace: Option<&'a str>,
    /// Callback for progress, with the number of kinds done and in total.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
    /// The traces that several snapshots have in common.
    pub traces: Option<&'a TraceCache>,
}

impl<'a> Query<'a> {
    /// Selects objects of all namespaces.
    pub fn all(want: &'a (dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync)) -> Self {
        Self { want, namespace: None, progress: &|_, _| {}, traces: None }
    }
}

/// Reads the cluster state for a query, from the snapshot or cluster that the flags name.
///
/// # Errors
/// Fails when nothing could be read. Failures of single kinds are in [`ClusterState::unreadable`].
pub fn read(connection: &ConnectionArgs, query: &Query<'_>) -> Result<ClusterState> {
    let (conventions, rules) = (connection.conventions()?, connection.health_rules()?);
    let state = match &connection.from {
        Some(path) => snapshot::read_with_rules(path, query, rules),
        None => live::read_with_rules(connection, query, rules),
    }?;
    Ok(ClusterState { external_controllers: connection.external_controllers(), conventions, ..state })
}

/// Reads the cluster state like [`read`]. Also returns the kinds that the server or snapshot defines but does not list;
/// if the definitions cannot be read, this may be any kind. Files without an index list no kinds.
///
/// # Errors
/// Fails as [`read`] does.
pub fn read_with_definitions(
    connection: &ConnectionArgs,
    query: &Query<'_>,
) -> Result<(ClusterState, Vec<UnlistedKind>)> {
    let (conventions, rules) = (connection.conventions()?, connection.health_rules()?);
    let (state, unlisted) = match &connection.from {
        Some(path) => snapshot::read_with_definitions(path, query, rules),
        None => live::read_with_definitions(connection, query, rules),
    }?;
    Ok((ClusterState { external_controllers: connection.external_controllers(), conventions, ..state }, unlisted))
}

/// Returns the entry for health rules of an Argo CD that cannot be used.
fn unreadable_rules(reason: &str) -> Unreadable {
    let reason = format!(
        "the health rules and the comparison interval of this hub's Argo CD could not be read and are ignored: {reason}"
    );
    Unreadable { what: format!("configmaps {SETTINGS}"), reason }
}

/// Returns true for the entry that the settings of the hub's Argo CD cannot be read.
pub fn is_of_settings(entry: &Unreadable) -> bool {
    entry.what == format!("configmaps {SETTINGS}")
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
