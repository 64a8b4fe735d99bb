//! Writes the content of `kubectl ucp snapshot`: every kind that a command reads, as a stream, with secrets hidden
//! before anything is written, in the layout of must-gather and with an index.

pub mod archive;
#[cfg(test)]
mod canaries;
mod definition;
pub mod layout;
pub mod literal;
pub mod nights;
mod redact;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ucp_client::source::live::api::{Api, ReadError};
use ucp_client::source::live::definition::{not_compared, unlisted_kinds};
use ucp_client::source::live::stream::{StreamQuery, StreamedKind, stream};
use ucp_client::source::snapshot::index::{AppClusterEntry, FILE, HiddenValues, KindEntry, SnapshotIndex};
use ucp_core::engine::{ListedNames, hidden_built_ins};
use ucp_core::error::{Error, Result};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::secrecy::{Placeholders, scrub};
use ucp_core::model::state::Unreadable;

use archive::SnapshotArchive;
use layout::SnapshotPath;
use literal::LiteralExceptions;
use redact::{RedactedObject, redact};

/// A cluster to capture.
pub struct CaptureSource<'a> {
    /// The connection to the cluster.
    pub api: &'a Api,
    /// Name of its context; empty if it has none.
    pub context: String,
    /// URL of its API server.
    pub server: String,
    /// Its directory in the snapshot; empty for the core cluster, which is at the top.
    pub directory: String,
    /// Its app clusters, which were captured before.
    pub app_clusters: Vec<AppClusterEntry>,
}

/// Captures the requested objects of a cluster that can be read. The index records the unreadable ones.
///
/// # Errors
/// Fails when the server's discovery fails, or when the archive cannot be written.
pub async fn capture_cluster(
    cluster: CaptureSource<'_>,
    ask: &StreamQuery<'_>,
    exceptions: &Arc<LiteralExceptions>,
    placeholders: &Arc<Placeholders>,
    archive: &Mutex<SnapshotArchive>,
) -> Result<SnapshotIndex> {
    let mut index = SnapshotIndex::new(cluster.context.clone(), scrub(&cluster.server).into_owned(), None);
    index.app_clusters.clone_from(&cluster.app_clusters);
    index.namespace = ask.namespace.map(str::to_owned);
    let add = |path: &SnapshotPath, text: &str| {
        let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
        archive.add(path, text.as_bytes())
    };
    let mut entries = BTreeMap::new();
    let (hider, exceptions) = (Arc::clone(placeholders), Arc::clone(exceptions));
    let make = move |kind: &ResourceKind, object: &str| redact(kind, object, &exceptions, &hider);
    let mut write = |streamed: StreamedKind<RedactedObject>| {
        let StreamedKind { kind, objects, unreadable, .. } = streamed;
        index.unreadable.extend(unreadable);
        let files = layout::kind_files(&cluster.directory, &kind, &objects);
        for file in &files.files {
            add(&file.path, &file.text)?;
        }
        index.unreadable.extend(files.left_out);
        let mut hidden = HiddenValues::default();
        objects.iter().for_each(|object| hidden += object.hidden);
        index.hidden += hidden;
        let entry = KindEntry { objects: Some(objects.len()), hidden: hidden.total(), ..KindEntry::from_kind(&kind) };
        entries.insert(kind, entry);
        Ok(())
    };
    let inventory = stream(cluster.api, &cluster.server, ask, make, &mut write).await?;
    index.server_version = inventory.version;
    index.unreadable.extend(inventory.unreadable);
    index.unreadable.extend(hidden_kinds(cluster.api, &inventory.kinds, ask).await);
    index.unreadable.sort();
    index.kinds =
        inventory.kinds.iter().map(|kind| entries.remove(kind).unwrap_or_else(|| KindEntry::from_kind(kind))).collect();
    let text = index.to_text()?;
    let parts = cluster.directory.split('/').filter(|part| !part.is_empty()).chain([FILE]);
    let path = SnapshotPath::from_parts(parts)
        .ok_or_else(|| Error::failed(format!("{} is not a directory of a snapshot", cluster.directory)))?;
    add(&path, &text)?;
    Ok(index)
}

/// Returns the wanted kinds that the server defines, or that are built in, and that it does not list. A user who may not read
/// definitions trusts discovery.
async fn hidden_kinds(api: &Api, kinds: &[Arc<ResourceKind>], ask: &StreamQuery<'_>) -> Vec<Unreadable> {
    let listed: ListedNames = kinds.iter().map(AsRef::as_ref).collect();
    let unlisted = match unlisted_kinds(api, &listed).await {
        Ok(unlisted) => unlisted,
        // A server without definitions has no kinds of its own.
        Err(ReadError::NotFound) => Vec::new(),
        Err(error) => vec![not_compared(&error)],
    };
    let is_wanted = |kind: &ResourceKind| (ask.want)(kind).is_some();
    let defined = unlisted.iter().filter_map(|kind| kind.entry_if(is_wanted)).cloned();
    defined.chain(hidden_built_ins(&listed, is_wanted)).collect()
}
