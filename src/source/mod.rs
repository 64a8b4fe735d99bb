//! Where state comes from: a live cluster or a snapshot. Both become the same [`ClusterState`].

pub mod connection;
pub mod kubeconfig;
pub mod live;
mod proxy;
pub mod snapshot;

use crate::error::{Error, Result};
use crate::model::body::Want;
use crate::model::kind::ResourceKind;
use crate::model::state::ClusterState;

pub use connection::ConnectionArgs;

/// What a command asks of a source.
pub struct Query<'a> {
    /// Which kinds, and what of them; `None` leaves a kind alone.
    pub want: &'a (dyn Fn(&ResourceKind) -> Option<Want> + Sync),
    /// Only this namespace; cluster-scoped kinds are read all the same.
    pub namespace: Option<&'a str>,
    /// Told how far the reading is: kinds done, kinds in all.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// Reads the state that a query asks for, from the snapshot or cluster that the flags name.
///
/// # Errors
/// When nothing at all could be read. What is missing in part is in [`ClusterState::unreadable`].
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

/// Hands over the state of a live cluster, again and again, whenever it changed.
///
/// # Errors
/// A usage error for a snapshot, which never changes; else what [`live::watch::watch`] says.
pub fn watch(connection: &ConnectionArgs, query: &Query<'_>, show: &mut live::watch::Show<'_>) -> Result<()> {
    match &connection.from {
        Some(_) => Err(Error::usage("--watch needs a cluster: a snapshot does not change")),
        None => live::watch::watch(connection, query, show),
    }
}
