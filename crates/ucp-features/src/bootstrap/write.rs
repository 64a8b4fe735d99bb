//! Executes the plan: each object is written by one atomic request, so that after an interruption, the next run
//! completes the rest.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use secrecy::SecretSlice;
use serde_json::Value;

use super::demand::RequiredSecret;
use super::desire::{DesiredObject, namespace};
use super::secret::{manifest, missing_keys_patch};
use crate::plan::prepare::set_namespace_by_scope;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_client::source::live::api::ReadError;
use ucp_client::source::live::write::{ApiWriter, ObjectPath};
use ucp_core::model::apply::{ConflictPolicy, FIELD_MANAGER};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::request_path::RequestPath;
use ucp_core::model::secrecy::scrub_about;

/// The maximum time until a kind is served after its CRD was created.
const PATIENCE: Duration = Duration::from_secs(60);
/// The delay between requests to the server.
const PAUSE: Duration = Duration::from_millis(250);

/// Writes to a core cluster.
pub struct BootstrapWriter {
    /// The API client.
    pub api: ApiWriter,
    /// The kinds that the cluster serves.
    cluster: ConnectedCluster,
    /// The handling of fields owned by other managers.
    pub conflicts: ConflictPolicy,
}

/// The result of writing a Secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretWriteResult {
    /// The Secret was created, or its missing keys were added.
    Written,
    /// The Secret was created by another client in the meantime, and is not changed.
    Kept,
}

impl BootstrapWriter {
    /// Reads the kinds that a cluster serves, before the first write.
    ///
    /// # Errors
    /// Fails when the cluster does not respond.
    pub async fn open(api: ApiWriter, conflicts: ConflictPolicy) -> Result<Self, String> {
        let cluster = ConnectedCluster::open(None, (*api).clone()).await?;
        Ok(Self { api, cluster, conflicts })
    }

    /// Returns the kind of an object. Waits for a kind whose CRD was just created.
    async fn kind(&mut self, object: &ObjectName) -> Result<ResourceKind, String> {
        let began = Instant::now();
        loop {
            if let Some(kind) = self.cluster.kind_of(&object.api_version, &object.kind) {
                return Ok(kind);
            }
            if began.elapsed() > PATIENCE {
                return Err(format!("the server has no kind {} in {}", object.kind, object.api_version));
            }
            tokio::time::sleep(PAUSE).await;
            self.cluster = ConnectedCluster::open(None, (*self.api).clone()).await?;
        }
    }

    /// Applies an object with server-side apply.
    ///
    /// # Errors
    /// Fails with the error of the server, without values.
    pub async fn apply(&mut self, wanted: &DesiredObject) -> Result<(), String> {
        self.apply_manifest(&wanted.object, &wanted.manifest).await
    }

    /// Applies an object if the server has its kind, and returns its name. Does not wait or retry, because a later
    /// attempt may succeed.
    ///
    /// # Errors
    /// Fails with the error of the server, without values.
    pub async fn apply_if_served(&self, wanted: &DesiredObject) -> Result<Option<ObjectName>, String> {
        let Some(kind) = self.cluster.kind_of(&wanted.object.api_version, &wanted.object.kind) else { return Ok(None) };
        let mut manifest = wanted.manifest.clone();
        // The scope of the kind was unknown before the kind was served.
        if let Some(home) = &wanted.home {
            set_namespace_by_scope(&mut manifest, Some(kind.scope), || home.clone());
        }
        let object = ObjectName::from_manifest(&manifest);
        self.send(&kind, &object, &manifest, Duration::ZERO).await?;
        Ok(Some(object))
    }

    /// Creates a namespace.
    ///
    /// # Errors
    /// Fails with the error of the server.
    pub async fn namespace(&mut self, name: &str) -> Result<(), String> {
        let manifest = namespace(name);
        self.apply_manifest(&ObjectName::from_manifest(&manifest), &manifest).await
    }

    async fn apply_manifest(&mut self, object: &ObjectName, manifest: &Value) -> Result<(), String> {
        let kind = self.kind(object).await?;
        self.send(&kind, object, manifest, PATIENCE).await
    }

    async fn send(
        &self,
        kind: &ResourceKind,
        object: &ObjectName,
        manifest: &Value,
        patience: Duration,
    ) -> Result<(), String> {
        let path = ObjectPath::at(kind, object.namespace.as_deref(), &object.name);
        let began = Instant::now();
        loop {
            match self.api.apply(&path, manifest, self.conflicts).await {
                Ok(_) => return Ok(()),
                // Discovery lists a kind shortly before every server behind it serves it.
                Err(ReadError::NotFound) if began.elapsed() < patience => tokio::time::sleep(PAUSE).await,
                Err(error) => return Err(scrub_about(&error.to_string(), [manifest])),
            }
        }
    }

    /// Creates a Secret, or adds missing keys to an existing one. Existing keys remain unchanged.
    ///
    /// # Errors
    /// Fails with the error of the server, without values.
    pub async fn secret(
        &self,
        demand: &RequiredSecret,
        is_there: bool,
        answers: &BTreeMap<String, SecretSlice<u8>>,
    ) -> Result<SecretWriteResult, String> {
        let name = &demand.secret;
        if !is_there {
            let object = manifest(demand, answers);
            let path = RequestPath::from_segments(["api", "v1", "namespaces", &name.namespace, "secrets"]);
            let path = path.with_query("fieldManager", FIELD_MANAGER);
            // Unlike server-side apply, a create request never overwrites an object created by another client in the
            // meantime.
            return match self.api.create(&path, &object).await {
                Ok(_) => Ok(SecretWriteResult::Written),
                Err(ReadError::Rejected { code: 409, .. }) => Ok(SecretWriteResult::Kept),
                Err(error) => Err(scrub_about(&error.to_string(), [&object])),
            };
        }
        let path = ObjectPath::from_object_name(&name.secret()).ok_or("it has no path")?;
        let live = self
            .api
            .find(&path)
            .await
            .map_err(|error| error.to_string())?
            .ok_or("it was deleted in the meantime: run the command again")?;
        let has = |key: &str| live.pointer("/data").is_some_and(|data| data.get(key).is_some());
        let Some(fields) = missing_keys_patch(demand, answers, has) else { return Ok(SecretWriteResult::Kept) };
        let version = live.pointer("/metadata/resourceVersion").and_then(Value::as_str).unwrap_or_default();
        match self.api.add(&path, version, &fields).await {
            Ok(_) => Ok(SecretWriteResult::Written),
            Err(error) => Err(scrub_about(&error.to_string(), [&manifest(demand, answers)])),
        }
    }
}
