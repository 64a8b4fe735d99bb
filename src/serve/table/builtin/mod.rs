//! The columns of built-in kinds.

mod api_server;
mod core;
mod network_and_storage;
mod workloads;

use super::column::Column;

/// Returns the columns of a built-in kind that has its own.
pub(super) fn columns_of(group: &str, plural: &str) -> Option<&'static [Column]> {
    let tables = [core::CORE, workloads::WORKLOADS, network_and_storage::NETWORK_AND_STORAGE, api_server::API_SERVER];
    let found =
        tables.into_iter().flatten().find(|(of_group, of_plural, _)| *of_group == group && *of_plural == plural);
    found.map(|(_, _, columns)| *columns)
}
