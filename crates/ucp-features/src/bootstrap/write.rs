//! Executes the plan: each object is written by one atomic request, so that after an interruption, the next run
//! completes the rest.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use secrecy::SecretSlice;
use serde_json::Value;

use super::compare::is_alike;
use super::demand::RequiredSecret;
use super::desire::{DesiredObject, namespace};
use super::secret::{manifest, missing_keys_patch};
use crate::plan::prepare::set_namespace_by_scope;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_client::source::live::api::ReadError;
use ucp_client::source::live::write::{ApiWriter, ObjectPath};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::apply::{ConflictPolicy, FIELD_MANAGER};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::request_path::RequestPath;
use ucp_core::model::secrecy::scrub_about;

/// The maximum time until a kind is served after its CRD was created.
const PATIENCE: Duration = Duration::from_secs(60);
/// The delay between requests to the server.
const PAUSE: Duration = Duration::from_millis(250);

/// The maximum number of attempts of an update while controllers write the status of its object.
const ATTEMPTS: usize = 5;
/// A resource version that no object has, because etcd counts from 2: server-side apply with it creates an object, and
/// never changes one.
const NO_VERSION: &str = "1";
/// The hint after a conflict with another client.
const AGAIN: &str = "run the command again";

/// The state of an object in the plan, which must still hold when it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WritePrecondition<'a> {
    /// The object did not exist.
    Absent,
    /// The object existed, with this content.
    Unchanged(&'a Value),
}

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
    pub async fn open(api: ApiWriter, conflicts: ConflictPolicy) -> Result<Self, Failure> {
        let cluster = ConnectedCluster::open(None, (*api).clone()).await?;
        Ok(Self { api, cluster, conflicts })
    }

    /// Returns the kind of an object. Waits for a kind whose CRD was just created.
    async fn kind(&mut self, object: &ObjectName) -> Result<ResourceKind, Failure> {
        let began = Instant::now();
        loop {
            let found = self.cluster.find_kind(&object.api_version, &object.kind).await;
            match found {
                Ok(Some(kind)) => return Ok(kind),
                // The server lists a kind a moment after its definition.
                _ if began.elapsed() < PATIENCE => {}
                Ok(None) => return fail!("the server has no kind {} in {}", object.kind, object.api_version),
                Err(error) => return Err(error),
            }
            tokio::time::sleep(PAUSE).await;
            self.cluster = ConnectedCluster::open(None, (*self.api).clone()).await?;
        }
    }

    /// Returns true if the server has the kind of an object.
    pub fn serves(&self, object: &ObjectName) -> bool {
        self.cluster.listed_kind(&object.api_version, &object.kind).is_some()
    }

    /// Applies an object with server-side apply, if it is still as planned.
    ///
    /// # Errors
    /// Fails when another client changed the object, or with the error of the server, without values.
    pub async fn apply(&mut self, wanted: &DesiredObject, planned: WritePrecondition<'_>) -> Result<(), Failure> {
        self.apply_manifest(&wanted.object, &wanted.manifest, planned).await
    }

    /// Creates an object if the server has its kind, and returns its name. Does not wait or retry, because a later
    /// attempt may succeed.
    ///
    /// # Errors
    /// Fails when another client created another object, or with the error of the server, without values.
    pub async fn create_if_served(&self, wanted: &DesiredObject) -> Result<Option<ObjectName>, Failure> {
        let Some(kind) = self.cluster.listed_kind(&wanted.object.api_version, &wanted.object.kind) else {
            return Ok(None);
        };
        let mut manifest = wanted.manifest.clone();
        // The scope of the kind was unknown before the kind was served.
        if let Some(home) = &wanted.home {
            set_namespace_by_scope(&mut manifest, Some(kind.scope), || home.clone());
        }
        let object = ObjectName::from_manifest(&manifest);
        let path = ObjectPath::at(&kind, object.namespace.as_deref(), &object.name);
        self.create(&path, &manifest, Duration::ZERO).await?;
        Ok(Some(object))
    }

    /// Creates a namespace.
    ///
    /// # Errors
    /// Fails with the error of the server.
    pub async fn namespace(&mut self, name: &str) -> Result<(), Failure> {
        let manifest = namespace(name);
        self.apply_manifest(&ObjectName::from_manifest(&manifest), &manifest, WritePrecondition::Absent).await
    }

    async fn apply_manifest(
        &mut self,
        object: &ObjectName,
        manifest: &Value,
        planned: WritePrecondition<'_>,
    ) -> Result<(), Failure> {
        let kind = self.kind(object).await?;
        let path = ObjectPath::at(&kind, object.namespace.as_deref(), &object.name);
        match planned {
            WritePrecondition::Absent => self.create(&path, manifest, PATIENCE).await,
            WritePrecondition::Unchanged(seen) => self.update(&path, manifest, seen).await,
        }
    }

    /// Creates an object. Server-side apply, unlike a create request, makes this command the manager of its fields.
    async fn create(&self, path: &ObjectPath, manifest: &Value, patience: Duration) -> Result<(), Failure> {
        let mut guarded = manifest.clone();
        guarded["metadata"]["resourceVersion"] = NO_VERSION.into();
        let began = Instant::now();
        loop {
            match self.api.apply(path, &guarded, self.conflicts).await {
                Ok(_) => return Ok(()),
                // Discovery lists a kind shortly before every server behind it serves it.
                Err(ReadError::NotServed) if began.elapsed() < patience => tokio::time::sleep(PAUSE).await,
                Err(ReadError::Rejected { code: 409, .. }) => return self.expect_alike(path, manifest).await,
                Err(error) => return Err(scrub_about(&error.to_string(), [manifest]).into()),
            }
        }
    }

    /// Accepts an object that exists although the plan creates it, if a write would not change it: an earlier attempt or
    /// another run of this command created it.
    async fn expect_alike(&self, path: &ObjectPath, manifest: &Value) -> Result<(), Failure> {
        let scrubbed = |error: &ReadError| scrub_about(&error.to_string(), [manifest]);
        let Some(live) = self.api.find(path).await.map_err(|error| scrubbed(&error))? else {
            return fail!("another client created and deleted it in the meantime: {AGAIN}");
        };
        match self.api.dry_run_without_force(path, FIELD_MANAGER, manifest).await {
            Ok(made) if is_alike(&live, &made.object) => Ok(()),
            Ok(_) | Err(ReadError::Rejected { code: 409, .. }) => {
                fail!("another client created it in the meantime, and it differs: {AGAIN}")
            }
            Err(error) => Err(scrubbed(&error).into()),
        }
    }

    /// Updates an object that is as it was in the plan. Its status may have changed.
    async fn update(&self, path: &ObjectPath, manifest: &Value, seen: &Value) -> Result<(), Failure> {
        let scrubbed = |error: &ReadError| scrub_about(&error.to_string(), [manifest]);
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            let Some(live) = self.api.find(path).await.map_err(|error| scrubbed(&error))? else {
                return fail!("another client deleted it in the meantime: {AGAIN}");
            };
            if !is_alike(seen, &live) {
                // An earlier attempt or another run of this command may have made the same change.
                let changed = |_| Failure::from(format!("another client changed it in the meantime: {AGAIN}"));
                return self.expect_alike(path, manifest).await.map_err(changed);
            }
            let mut guarded = manifest.clone();
            for field in ["uid", "resourceVersion"] {
                guarded["metadata"][field] = live["metadata"][field].clone();
            }
            match self.api.apply(path, &guarded, self.conflicts).await {
                Ok(_) => return Ok(()),
                // A conflict with another manager of fields, or with a write since the object was read.
                Err(error @ ReadError::Rejected { code: 409, .. }) => last = scrubbed(&error),
                Err(error) => return Err(scrubbed(&error).into()),
            }
        }
        Err(last.into())
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
    ) -> Result<SecretWriteResult, Failure> {
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
                Err(error) => Err(scrub_about(&error.to_string(), [&object]).into()),
            };
        }
        let path = ObjectPath::from_object_name(&name.secret()).ok_or("it has no path")?;
        let live = self.api.find(&path).await?.ok_or("it was deleted in the meantime: run the command again")?;
        let has = |key: &str| live.pointer("/data").is_some_and(|data| data.get(key).is_some());
        let Some(fields) = missing_keys_patch(demand, answers, has) else { return Ok(SecretWriteResult::Kept) };
        let version = live.pointer("/metadata/resourceVersion").and_then(Value::as_str).unwrap_or_default();
        match self.api.add(&path, version, &fields).await {
            Ok(_) => Ok(SecretWriteResult::Written),
            Err(error) => Err(scrub_about(&error.to_string(), [&manifest(demand, answers)]).into()),
        }
    }
}
