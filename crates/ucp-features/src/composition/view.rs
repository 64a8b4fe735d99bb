//! The core cluster as it would be after the merge: its live objects, overlaid with the changes of the merge.
//! Everything is read once.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::sync::OnceCell;

use ucp_client::prediction::cluster::{ConnectedCluster, path_of, text_at};
use ucp_client::source::live::api::ReadError;
use ucp_client::source::live::write::ObjectPath;
use ucp_core::failure::Failure;
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::object::{ObjectKey, ObjectName};

/// Number of objects per page, as kubectl requests them.
const PAGE: &str = "500";

/// The changes of a merge to objects of the core cluster; `None` if the object is deleted.
pub type PlannedChanges = HashMap<ObjectKey, Option<Value>>;

type OnceMap<T> = Mutex<HashMap<String, Arc<OnceCell<Result<T, ReadError>>>>>;

/// The core cluster as it would be after the merge.
pub struct PlannedClusterView {
    /// The core cluster.
    pub cluster: Arc<ConnectedCluster>,
    planned: PlannedChanges,
    objects: OnceMap<Option<Arc<Value>>>,
    lists: OnceMap<Arc<Vec<Value>>>,
}

impl PlannedClusterView {
    /// Creates a view of a cluster and the changes of a merge.
    pub fn new(cluster: Arc<ConnectedCluster>, planned: PlannedChanges) -> Self {
        Self { cluster, planned, objects: Mutex::default(), lists: Mutex::default() }
    }

    /// Returns the change of an object: `None` if the merge does not affect it, `Some(None)` if it is deleted.
    pub fn planned(&self, name: &ObjectName) -> Option<Option<&Value>> {
        self.planned.get(&ObjectKey::from(name)).map(Option::as_ref)
    }

    /// Returns an object after the merge; `None` if it would not exist.
    ///
    /// # Errors
    /// Fails when the server does not answer, denies the request, or does not serve the kind.
    pub async fn object(&self, name: &ObjectName) -> Result<Option<Value>, Failure> {
        match self.planned(name) {
            Some(planned) => Ok(planned.cloned()),
            None => self.live(name).await,
        }
    }

    /// Returns the live object.
    ///
    /// # Errors
    /// Fails when the server does not answer, denies the request, or does not serve the kind.
    pub async fn live(&self, name: &ObjectName) -> Result<Option<Value>, Failure> {
        let kind = self.kind(&name.api_version, &name.kind).await?;
        let path = path_of(&kind, name.namespace.as_deref(), &name.name);
        let read = self.read(&path).await?;
        Ok(read.map(|object| object.as_ref().clone()))
    }

    async fn read(&self, path: &ObjectPath) -> Result<Option<Arc<Value>>, ReadError> {
        let cell = once_cell(&self.objects, &path.to_string());
        cell.get_or_init(|| async { Ok(self.cluster.api.read_object(path).await?.map(Arc::new)) }).await.clone()
    }

    /// Returns the kind of an object.
    ///
    /// # Errors
    /// Fails when the cluster does not serve it, or may serve it.
    pub async fn kind(&self, api_version: &str, kind: &str) -> Result<ResourceKind, Failure> {
        let found = self.cluster.find_kind(api_version, kind).await?;
        found.ok_or_else(|| format!("the cluster does not serve {api_version} {kind}").into())
    }

    /// Lists the objects of a kind with the given labels after the merge, sorted by namespace and name.
    ///
    /// # Errors
    /// Fails when the server does not answer, denies the request, or does not serve the kind.
    pub async fn list(
        &self,
        api_version: &str,
        kind: &str,
        namespace: Option<&str>,
        labels: &BTreeMap<String, String>,
    ) -> Result<Arc<Vec<Value>>, Failure> {
        let served = self.kind(api_version, kind).await?;
        let namespace =
            namespace.filter(|namespace| !namespace.is_empty() && served.scope == ResourceScope::Namespaced);
        let listed = self.listed(&served, namespace, labels).await;
        listed.map_err(Failure::from)
    }

    async fn listed(
        &self,
        kind: &ResourceKind,
        namespace: Option<&str>,
        labels: &BTreeMap<String, String>,
    ) -> Result<Arc<Vec<Value>>, ReadError> {
        let selector: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let selector = Some(selector.join(",")).filter(|selector| !selector.is_empty());
        let path =
            kind.path(namespace).with_query("limit", PAGE).with_optional_query("labelSelector", selector.as_deref());
        let cell = once_cell(&self.lists, &path.to_string());
        let read = cell.get_or_init(|| async {
            let live = self.cluster.list_objects(&path).await?;
            Ok(Arc::new(self.overlay_planned(live, kind, namespace, labels)))
        });
        read.await.clone()
    }

    /// Replaces the listed objects that the merge affects with their state after it.
    fn overlay_planned(
        &self,
        live: Vec<Value>,
        kind: &ResourceKind,
        namespace: Option<&str>,
        labels: &BTreeMap<String, String>,
    ) -> Vec<Value> {
        let is_of_kind = |key: &ObjectKey| key.group == kind.group && key.kind == kind.kind;
        let is_there = |key: &ObjectKey| namespace.is_none() || key.namespace.as_deref() == namespace;
        let is_planned = |object: &Value| self.planned(&ObjectName::from_manifest(object)).is_some();
        let mut objects: Vec<Value> = live.into_iter().filter(|object| !is_planned(object)).collect();
        let planned = self.planned.iter().filter(|(key, _)| is_of_kind(key) && is_there(key));
        let planned = planned.filter_map(|(_, object)| object.as_ref()).filter(|object| has_labels(object, labels));
        objects.extend(planned.cloned());
        objects.sort_by_cached_key(|object| {
            format!("{}/{}", text_at(object, "/metadata/namespace"), text_at(object, "/metadata/name"))
        });
        objects
    }

    /// Returns the objects that the merge affects, and their state after it.
    pub fn changes(&self) -> impl Iterator<Item = (&ObjectKey, Option<&Value>)> {
        self.planned.iter().map(|(key, object)| (key, object.as_ref()))
    }
}

fn once_cell<T>(known: &OnceMap<T>, path: &str) -> Arc<OnceCell<Result<T, ReadError>>> {
    Arc::clone(known.lock().unwrap_or_else(PoisonError::into_inner).entry(path.to_owned()).or_default())
}

/// Returns true if an object has all the given labels.
pub fn has_labels(object: &Value, labels: &BTreeMap<String, String>) -> bool {
    let own = object.pointer("/metadata/labels");
    labels.iter().all(|(key, value)| own.and_then(|own| own.get(key)?.as_str()) == Some(value))
}
