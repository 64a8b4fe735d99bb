//! The document `SnapshotFile`: a summary of a written snapshot.

use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;

use super::API_VERSION;
use ucp_client::source::snapshot::index::{AppClusterEntry, HiddenValues, SnapshotIndex};
use ucp_core::model::state::Unreadable;

/// The document `SnapshotFile`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotFile {
    /// Always [`API_VERSION`].
    pub api_version: &'static str,
    /// Always `SnapshotFile`.
    pub kind: &'static str,
    /// The path of the snapshot.
    pub path: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The API server of the cluster.
    pub server: String,
    /// The time when reading began.
    pub taken_at: Timestamp,
    /// The number of kinds that were read.
    pub kinds: usize,
    /// The number of objects in the snapshot.
    pub objects: usize,
    /// The number of values that were hidden.
    pub hidden: usize,
    /// The number of hidden values by location.
    pub hidden_by_place: HiddenValues,
    /// The app clusters, if they were requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub app_clusters: Vec<AppClusterEntry>,
    /// Objects and kinds that could not be read, including those in app clusters, with reasons.
    pub unreadable: Vec<Unreadable>,
}

impl SnapshotFile {
    /// Summarizes an index. `elsewhere` lists the failures in app clusters.
    pub fn from_index(path: &Path, bytes: u64, index: SnapshotIndex, elsewhere: Vec<Unreadable>) -> Self {
        let taken = || index.kinds.iter().filter_map(|kind| kind.objects.map(|objects| (objects, kind.hidden)));
        Self {
            api_version: API_VERSION,
            kind: "SnapshotFile",
            path: path.display().to_string(),
            bytes,
            kinds: taken().count(),
            objects: taken().map(|(objects, _)| objects).sum(),
            hidden: taken().map(|(_, hidden)| hidden).sum(),
            hidden_by_place: index.hidden,
            server: index.server,
            taken_at: index.taken_at,
            app_clusters: index.app_clusters,
            unreadable: [index.unreadable, elsewhere].concat(),
        }
    }
}
