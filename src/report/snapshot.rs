//! The document `SnapshotFile`: what was written.

use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;

use super::API_VERSION;
use crate::model::state::Unreadable;
use crate::source::snapshot::index::{AppClusterEntry, HiddenValues, Index};

/// The document `SnapshotFile`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotFile {
    /// Always [`API_VERSION`].
    pub api_version: &'static str,
    /// Always `SnapshotFile`.
    pub kind: &'static str,
    /// Where it is.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// The cluster that it is of.
    pub server: String,
    /// When the reading began.
    pub taken_at: Timestamp,
    /// Kinds that were read.
    pub kinds: usize,
    /// Objects in it.
    pub objects: usize,
    /// Values that were hidden.
    pub hidden: usize,
    /// The same by where they stood.
    pub hidden_by_place: HiddenValues,
    /// App clusters, where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub app_clusters: Vec<AppClusterEntry>,
    /// What could not be read, in app clusters too, and why.
    pub unreadable: Vec<Unreadable>,
}

impl SnapshotFile {
    /// Sums an index up, and what was refused in app clusters.
    pub fn of(path: &Path, bytes: u64, index: Index, elsewhere: Vec<Unreadable>) -> Self {
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
