//! A snapshot: manifests as `kubectl get -o yaml` and `-o json` write them, in a file, a directory, an archive or a pipe; and
//! what `kubectl ucp snapshot`, must-gather, troubleshoot and `kubectl cluster-info dump` collect.

mod container;
pub mod index;
mod json;
pub mod kinds;
mod layout;
pub(crate) mod manifest;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;
use jiff::Timestamp;
use serde::de::DeserializeSeed as _;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::model::body::{Keep, Want};
use crate::model::graph_kinds;
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::secrecy::scrub;
use crate::model::seed::{ResourceSeed, broken_promise};
use crate::model::selector::LabelSelector;
use crate::model::state::{ClusterState, Origin, Unreadable};
use crate::source::Query;

use index::AppClusterEntry;
use manifest::Document;

/// Reads a snapshot. A directory is read with everything below it that ends in `.yaml`, `.yml` or `.json`.
///
/// # Errors
/// When the path cannot be read, is no YAML, or holds no Kubernetes object. In a directory, one broken file costs
/// itself.
pub fn read(path: &Path, query: &Query<'_>) -> Result<ClusterState> {
    state(path, manifest::read(path)?, query)
}

/// App clusters that a snapshot has in it.
#[derive(Debug, Default)]
pub struct AppClusters {
    states: BTreeMap<String, Arc<ClusterState>>,
    /// What the index says of each; none where there is no index.
    entries: Vec<AppClusterEntry>,
}

impl AppClusters {
    /// The app cluster of a name; of two that are called alike, the one at this server.
    ///
    /// # Errors
    /// Why it is not there: what happened when it was to be taken, or else `missing`.
    pub fn get(
        &self,
        name: &str,
        server: &str,
        missing: impl FnOnce() -> String,
    ) -> std::result::Result<Arc<ClusterState>, String> {
        let mut called: Vec<_> = self.entries.iter().filter(|entry| entry.name == name).collect();
        if called.len() > 1 {
            called.retain(|entry| entry.server == scrub(server));
        }
        let entry = called.first();
        if let Some(reason) = entry.and_then(|entry| entry.reason.as_ref()) {
            return Err(format!("it was not taken: {reason}"));
        }
        let directory = match entry {
            Some(entry) => entry.directory.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned(),
            None if self.entries.is_empty() => index::directory(name, 0),
            None => return Err(missing()),
        };
        self.states.get(&directory).cloned().ok_or_else(missing)
    }
}

/// Reads the app clusters that a snapshot has in it.
///
/// # Errors
/// When the path cannot be read.
pub fn read_app_clusters(path: &Path, query: &Query<'_>) -> Result<AppClusters> {
    let (entries, directories) = manifest::read_app_clusters(path)?;
    let mut states = BTreeMap::new();
    for (directory, manifests) in directories {
        let below = path.join(index::APP_CLUSTERS).join(&directory);
        states.insert(directory, Arc::new(state(&below, manifests, query)?));
    }
    Ok(AppClusters { states, entries })
}

/// What some manifests come to, as a cluster would have them: their kinds are told by their CRDs, or by what they look like.
/// What is no object is left out.
pub fn of_objects(objects: Vec<Value>, want: &(dyn Fn(&ResourceKind) -> Option<Want> + Sync)) -> Vec<Resource> {
    let documents = objects.into_iter().map(|object| Document { object, place: String::new() }).collect();
    let manifests = manifest::Manifests { documents, is_many: true, ..manifest::Manifests::default() };
    let query = Query { want, namespace: None, progress: &|_, _| {} };
    state(Path::new(""), manifests, &query).map(|state| state.resources).unwrap_or_default()
}

fn state(path: &Path, manifests: manifest::Manifests, query: &Query<'_>) -> Result<ClusterState> {
    let manifest::Manifests { documents, mut unreadable, mut notes, server_version, index, is_many } = manifests;
    if documents.is_empty() && index.is_none() {
        let why = unreadable.first().map(|entry| format!(": {}: {}", entry.what, entry.reason)).unwrap_or_default();
        return Err(Error::failed(anyhow!("snapshot {} holds no Kubernetes object{why}", path.display()))
            .hint("write a snapshot with 'kubectl ucp snapshot FILE.tar.gz'"));
    }
    let moment = match &index {
        Some(index) => index.taken_at,
        None => newest(documents.iter().map(|document| &document.object)).unwrap_or_else(Timestamp::now),
    };
    let mut kinds = match &index {
        Some(index) => kinds::by_index(index, documents),
        None => kinds::by_kind(documents),
    };
    mark_defined(&mut kinds);
    let mut resources = Vec::new();
    let mut read = Vec::new();
    // Of the kinds that the index names, only what is wanted is missed.
    let mut refused = index.as_ref().map(|index| index.unreadable.clone()).unwrap_or_default();
    for (kind, documents) in kinds {
        let Some(want) = (query.want)(&kind) else {
            let name = kind.qualified_plural();
            refused.retain(|entry| entry.what != name);
            continue;
        };
        if index.as_ref().is_some_and(|index| !index.has_taken(&kind)) {
            let reason = "the snapshot does not have this kind".to_owned();
            unreadable.push(Unreadable { what: kind.qualified_plural(), reason });
        }
        let selector: LabelSelector = want.selector.unwrap_or_default().parse().map_err(Error::usage)?;
        let documents = newest_of_each(documents);
        // Files of a directory may overlap, as dumps do.
        if !is_many && !documents.twice.is_empty() {
            let twice = some(&documents.twice);
            notes.push(format!("{}: {twice} stand there more than once; the last one counts", called(path)));
        }
        for document in documents.each {
            let seed = ResourceSeed { kind: &kind, shape: want.shape };
            match seed.deserialize(&document.object) {
                Ok(resource)
                    if selector.matches(&resource.metadata)
                        && in_namespace(&resource, want.within(query.namespace)) =>
                {
                    let whole = (want.keep == Keep::Whole).then(|| Arc::new(document.object));
                    resources.push(Resource { whole, ..resource });
                }
                Ok(_) => {}
                Err(error) => unreadable.push(Unreadable {
                    what: match &index {
                        Some(_) => format!("{} {}", kind.qualified_plural(), document.full_name().1),
                        None => format!("{} in {}", document.title(), document.place),
                    },
                    reason: broken_promise(&error),
                }),
            }
        }
        read.push(kind);
    }
    unreadable.extend(refused);
    unreadable.sort();
    let origin = Origin::Snapshot { path: path.display().to_string() };
    let server_version = index.as_ref().and_then(|index| index.server_version.clone()).or(server_version);
    let namespace = query.namespace.map(str::to_owned).or_else(|| index.and_then(|index| index.namespace));
    Ok(ClusterState {
        origin,
        moment,
        server_version,
        namespace,
        kinds: read,
        resources,
        unreadable,
        notes,
        external_controllers: Vec::new(),
        conventions: Vec::new(),
    })
}

/// Marks the kinds that objects of the snapshot define.
fn mark_defined(kinds: &mut [(Arc<ResourceKind>, Vec<Document>)]) {
    let definitions = kinds.iter().filter(|(kind, _)| graph_kinds::defines(kind)).flat_map(|(_, documents)| documents);
    let defined: BTreeSet<_> = definitions.filter_map(|document| graph_kinds::defined(&document.object)).collect();
    kinds.iter_mut().for_each(|(kind, _)| graph_kinds::mark(kind, &defined));
}

fn called(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// A few objects, and the number of the others.
fn some(objects: &[ObjectName]) -> String {
    let named: Vec<_> = objects.iter().take(3).map(ToString::to_string).collect();
    match objects.len().saturating_sub(named.len()) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// The objects of a kind.
struct Each {
    each: Vec<Document>,
    /// Those that were there more than once.
    twice: Vec<ObjectName>,
}

/// Each object once: dumps overlap, and of an object that is in two the later one counts.
fn newest_of_each(documents: Vec<Document>) -> Each {
    let (mut seen, mut twice) = (BTreeSet::new(), BTreeSet::new());
    let mut each = Vec::with_capacity(documents.len());
    for document in documents.into_iter().rev() {
        let (namespace, name) = document.full_name();
        if seen.insert((namespace.clone(), name.clone())) {
            each.push(document);
        } else if !name.is_empty() {
            twice.insert(ObjectName {
                api_version: document.text("apiVersion").to_owned(),
                kind: document.text("kind").to_owned(),
                namespace: Some(namespace).filter(|namespace| !namespace.is_empty()),
                name,
            });
        }
    }
    each.reverse();
    Each { each, twice: twice.into_iter().collect() }
}

fn in_namespace(resource: &Resource, namespace: Option<&str>) -> bool {
    match (namespace, &resource.metadata.namespace) {
        (Some(wanted), Some(actual)) => wanted == actual,
        _ => true,
    }
}

/// The newest time in some objects: a snapshot speaks of the moment it was taken, and nothing in it is younger.
fn newest<'a>(objects: impl Iterator<Item = &'a Value>) -> Option<Timestamp> {
    fn visit(value: &Value, newest: &mut Option<Timestamp>) {
        match value {
            // Certificates and schedules hold times of the future under other keys.
            Value::Object(fields) => fields.iter().for_each(|(key, value)| match value {
                Value::String(text) if MOMENTS.contains(&key.as_str()) => *newest = (*newest).max(text.parse().ok()),
                value => visit(value, newest),
            }),
            Value::Array(items) => items.iter().for_each(|item| visit(item, newest)),
            _ => {}
        }
    }
    const MOMENTS: [&str; 9] = [
        "creationTimestamp",
        "deletionTimestamp",
        "deployedAt",
        "finishedAt",
        "lastHandledReconcileAt",
        "lastTransitionTime",
        "lastUpdateTime",
        "reconciledAt",
        "startedAt",
    ];
    let mut newest = None;
    for object in objects {
        for part in ["metadata", "status"] {
            if let Some(value) = object.get(part) {
                visit(value, &mut newest);
            }
        }
    }
    newest
}
