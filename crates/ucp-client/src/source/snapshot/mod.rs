//! Snapshots: manifests as `kubectl get -o yaml` and `-o json` write them, in a file, a directory, an archive or a
//! pipe; and the collections of `kubectl ucp snapshot`, must-gather, troubleshoot and `kubectl cluster-info dump`.

#[cfg(test)]
mod bounds;
mod container;
mod elided;
mod entry;
mod gaps;
mod gather;
pub mod index;
mod json;
mod kept;
pub mod kinds;
mod layout;
mod located;
pub mod manifest;
mod meter;
mod moment;
pub mod nights;
mod passed_over;
mod reader;
mod remarks;
mod settings;
mod text;
pub mod yaml;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;
use jiff::Timestamp;
use serde_json::Value;

use crate::source::Query;
use crate::source::unlisted::UnlistedKind;
use ucp_core::error::{Error, Result};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::body::KindRequest;
use ucp_core::model::health_rule::HealthRules;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::state::{ClusterState, KindIndex, Origin, Unreadable};
use ucp_core::model::weight::KeptWeight;

use container::SnapshotFiles;
use entry::{SnapshotEntry, SnapshotForm};
use gather::Gathering;
use index::AppClusterEntry;
use located::LocatedObject;
use reader::SnapshotReader;
use remarks::Remarks;

/// Reads a snapshot. A directory is read recursively, for files that end in `.yaml`, `.yml` or `.json`. The size is not
/// limited, since objects are read one at a time, and only the requested fields are kept.
///
/// # Errors
/// Fails when the path cannot be read, is no YAML, or contains no Kubernetes object. In a directory, a broken file is
/// reported by itself.
pub fn read(path: &Path, query: &Query<'_>) -> Result<ClusterState> {
    read_with_rules(path, query, HealthRules::default())
}

/// Reads a snapshot like [`read`], with health rules that have precedence over its own.
///
/// # Errors
/// Fails as [`read`] does.
pub fn read_with_rules(path: &Path, query: &Query<'_>, rules: HealthRules) -> Result<ClusterState> {
    Ok(read_with_definitions(path, query, rules)?.0)
}

/// Reads a snapshot like [`read_with_rules`]. Also returns the kinds that its definitions serve and its index does not list; if
/// the definitions were not read, this may be any kind.
///
/// # Errors
/// Fails as [`read`] does.
pub fn read_with_definitions(
    path: &Path,
    query: &Query<'_>,
    rules: HealthRules,
) -> Result<(ClusterState, Vec<UnlistedKind>)> {
    let cannot_read = |error: io::Error| {
        let what = match path == Path::new("-") {
            true => "the snapshot from standard input".to_owned(),
            false => format!("snapshot {}", path.display()),
        };
        anyhow::Error::from(error).context(format!("cannot read {what}")).into()
    };
    let mut container = SnapshotFiles::open(path).map_err(cannot_read)?;
    let (mut reader, mut gathering) = (SnapshotReader::default(), Gathering::new(query).with_rules(rules));
    let walked = container.each(&mut |entry| reader.read(entry, &mut |object, index| gathering.take(object, index)));
    let form = match walked {
        Ok(form) => form,
        Err(error) if gathering.is_empty() => return Err(cannot_read(error)),
        Err(error) => {
            reader.remarks.unreadable.push(Unreadable {
                what: path.display().to_string(),
                reason: format!("the archive is corrupt after this point: {error}"),
            });
            SnapshotForm::Many
        }
    };
    if form == SnapshotForm::One
        && let Some(entry) = reader.failure.take()
    {
        return Err(Error::failed(format!("snapshot {}: {}", entry.what, entry.reason)));
    }
    let remarks = reader.done();
    if gathering.settle(remarks.index.as_ref())? {
        let mut again = SnapshotReader::default();
        let mut take = |entry: SnapshotEntry<'_>| again.read(entry, &mut |object, index| gathering.take(object, index));
        // Errors were reported by the first reading.
        let _ = container.each(&mut take);
    }
    state(path, remarks, form, gathering)
}

/// The app clusters in a snapshot.
#[derive(Debug, Default)]
pub struct SnapshotAppClusters {
    states: BTreeMap<String, Arc<ClusterState>>,
    /// The entries of the index; empty without an index.
    entries: Vec<AppClusterEntry>,
}

impl SnapshotAppClusters {
    /// Returns the app cluster with a name; if there are several, the one with this server.
    ///
    /// # Errors
    /// Returns the reason why it is not in the snapshot, or else `missing`.
    pub fn get(
        &self,
        name: &str,
        server: &str,
        missing: impl FnOnce() -> String,
    ) -> Result<Arc<ClusterState>, Failure> {
        let mut called: Vec<_> = self.entries.iter().filter(|entry| entry.name == name).collect();
        if called.len() > 1 {
            called.retain(|entry| entry.server == scrub(server));
        }
        let entry = called.first();
        if let Some(reason) = entry.and_then(|entry| entry.reason.as_ref()) {
            return fail!("it was not taken: {reason}");
        }
        let directory = match entry {
            Some(entry) => entry.directory_name().to_owned(),
            None if self.entries.is_empty() => index::directory(name, 0),
            None => return Err(missing().into()),
        };
        self.states.get(&directory).cloned().ok_or_else(|| missing().into())
    }

    /// Returns all of them, by name. Two of one name are distinguished by their directories.
    pub fn into_named(self) -> Vec<(String, Arc<ClusterState>)> {
        let name_of = |directory: &str| {
            let entry = self.entries.iter().find(|entry| entry.directory_name() == directory)?;
            let is_alone = self.entries.iter().filter(|other| other.name == entry.name).count() == 1;
            is_alone.then(|| entry.name.clone())
        };
        self.states
            .iter()
            .map(|(directory, state)| (name_of(directory).unwrap_or_else(|| directory.clone()), Arc::clone(state)))
            .collect()
    }
}

/// Memory of an app cluster without any object.
const APP_CLUSTER: usize = 16 << 10;

/// Reads the app clusters in a snapshot.
///
/// # Errors
/// Fails when the path cannot be read.
pub fn read_app_clusters(path: &Path, query: &Query<'_>) -> Result<SnapshotAppClusters> {
    let cannot_read = |error: io::Error| anyhow!(error).context(format!("cannot read snapshot {}", path.display()));
    let mut container = SnapshotFiles::open(path).map_err(cannot_read)?;
    let mut parts: BTreeMap<String, (SnapshotReader, Gathering<'_>)> = BTreeMap::new();
    let mut top = SnapshotReader::default();
    let (mut held, mut refused) = (KeptWeight::default(), None);
    container
        .each(&mut |entry| match within_app_clusters(&entry.path) {
            Some((directory, path)) => {
                let is_new = !parts.contains_key(&directory);
                if let Err(overweight) = held.grow(if is_new { APP_CLUSTER } else { 0 }) {
                    refused = Some(overweight);
                    return;
                }
                let part = parts.entry(directory).or_insert_with(|| (SnapshotReader::default(), Gathering::new(query)));
                part.0.read(SnapshotEntry { path, ..entry }, &mut |object, index| part.1.take(object, index));
            }
            None if entry.path.rsplit('/').next() == Some(index::FILE) => top.read(entry, &mut |_, _| {}),
            None => {}
        })
        .map_err(cannot_read)?;
    if let Some(overweight) = refused {
        return Err(Error::failed(format!("snapshot {} has too many app clusters: {overweight}", path.display())));
    }
    let mut settled = BTreeMap::new();
    let mut again = BTreeMap::new();
    for (directory, (reader, mut gathering)) in parts {
        let remarks = reader.done();
        if gathering.settle(remarks.index.as_ref())? {
            again.insert(directory.clone(), SnapshotReader::default());
        }
        settled.insert(directory, (remarks, gathering));
    }
    if !again.is_empty() {
        let walked = container.each(&mut |entry| {
            let Some((directory, path)) = within_app_clusters(&entry.path) else { return };
            let (Some(reader), Some((_, gathering))) = (again.get_mut(&directory), settled.get_mut(&directory)) else {
                return;
            };
            reader.read(SnapshotEntry { path, ..entry }, &mut |object, index| gathering.take(object, index));
        });
        walked.map_err(cannot_read)?;
    }
    let mut states = BTreeMap::new();
    for (directory, (remarks, gathering)) in settled {
        let below = path.join(index::APP_CLUSTERS).join(&directory);
        let (mut state, unlisted) = state(&below, remarks, SnapshotForm::Many, gathering)?;
        let hidden = unlisted.iter().filter_map(|kind| kind.entry_if(|kind| (query.want)(kind).is_some()));
        state.unreadable.extend(hidden.cloned());
        states.insert(directory, Arc::new(state));
    }
    let entries = top.done().index.map(|index| index.app_clusters).unwrap_or_default();
    Ok(SnapshotAppClusters { states, entries })
}

/// The directory of the app cluster to which a file belongs, and its path below that directory.
fn within_app_clusters(path: &str) -> Option<(String, String)> {
    let parts: Vec<&str> = path.split('/').collect();
    let above = parts.iter().position(|part| *part == index::APP_CLUSTERS)?;
    match &parts[above + 1..] {
        [directory, rest @ ..] => Some(((*directory).to_owned(), rest.join("/"))),
        [] => None,
    }
}

/// Converts manifests to resources. Their kinds are derived from their CRDs, or else guessed from their fields. Values
/// that are no objects are left out.
pub fn resources_from_objects(
    objects: &[&Value],
    want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
) -> Vec<Resource> {
    let query = Query::all(want);
    let mut gathering = Gathering::new(&query);
    let take_all = |gathering: &mut Gathering<'_>| {
        let documents = objects.iter().map(|object| LocatedObject::new((*object).clone(), ""));
        documents.for_each(|document| gathering.take(document, None));
    };
    take_all(&mut gathering);
    match gathering.settle(None) {
        Ok(true) => take_all(&mut gathering),
        Ok(false) => {}
        Err(_) => return Vec::new(),
    }
    gathering.done(None).resources
}

fn state(
    path: &Path,
    remarks: Remarks,
    form: SnapshotForm,
    gathering: Gathering<'_>,
) -> Result<(ClusterState, Vec<UnlistedKind>)> {
    let Remarks { mut unreadable, mut notes, server_version, index, .. } = remarks;
    if gathering.is_empty() && index.is_none() {
        let why = unreadable.first().map(|entry| format!(": {}: {}", entry.what, entry.reason)).unwrap_or_default();
        return Err(Error::failed(format!("snapshot {} contains no Kubernetes objects{why}", path.display()))
            .hint("write a snapshot with 'kubectl ucp snapshot FILE.tar.gz'"));
    }
    let (namespace, namespace_of_query) =
        (index.as_ref().and_then(|index| index.namespace.clone()), gathering.namespace());
    let moment = match &index {
        Some(index) => index.taken_at,
        None => gathering.newest().unwrap_or_else(Timestamp::now),
    };
    let want = gathering.want();
    let mut gathered = gathering.done(index.as_ref());
    let unlisted = index.as_ref().map(|index| gaps::unlisted_kinds(index, &mut gathered)).unwrap_or_default();
    // For kinds in the index, only the requested ones count as missing.
    let mut refused = index.as_ref().map(|index| index.unreadable.clone()).unwrap_or_default();
    refused.retain(|entry| !gathered.unwanted.contains(&entry.what));
    if let Some(index) = &index {
        let missed = gathered.kinds.iter().filter(|kind| !index.was_requested(kind));
        unreadable.extend(missed.map(|kind| Unreadable {
            what: kind.qualified_plural(),
            reason: "the snapshot does not have this kind".to_owned(),
        }));
    }
    // Files of a directory may overlap, as dumps do.
    if form == SnapshotForm::One && !gathered.twice.is_empty() {
        let twice = summarize_objects(&gathered.twice);
        notes.push(format!("{}: {twice} occur more than once; the last one is used", display_name(path)));
    }
    unreadable.extend(gathered.unreadable);
    unreadable.extend(refused);
    if let Some(index) = &index {
        let unread = [
            gaps::hidden_kinds(index, &gathered.listed, want),
            gaps::unread_settings(index, &gathered.resources, gathered.config_maps),
        ];
        let is_new = |entry: &Unreadable| !unreadable.iter().any(|known| known.what == entry.what);
        let new: Vec<Unreadable> = unread.into_iter().flatten().filter(is_new).collect();
        unreadable.extend(new);
    }
    unreadable.sort();
    let origin = Origin::Snapshot { path: path.display().to_string() };
    let kind_index = if index.is_some() { KindIndex::Complete } else { KindIndex::Absent };
    let state = ClusterState {
        kind_index,
        server_version: index.and_then(|index| index.server_version).or(server_version),
        namespace: namespace_of_query.or(namespace),
        listed: gathered.listed,
        kinds: gathered.kinds,
        resources: gathered.resources,
        unreadable,
        notes,
        health_rules: gathered.rules,
        ..ClusterState::empty(origin, moment)
    };
    Ok((state, unlisted))
}

fn display_name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// The names of the first three objects, and the number of the others.
fn summarize_objects(objects: &[ObjectName]) -> String {
    let named: Vec<_> = objects.iter().take(3).map(ToString::to_string).collect();
    match objects.len().saturating_sub(named.len()) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
