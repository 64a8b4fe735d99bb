//! Fields of an Argo CD Application: `pkg/apis/application/v1alpha1/types.go`.

mod application_set;
mod destination;
mod health;
mod hydrator;
mod project;
mod source;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::Value;

use super::flux::CommonMetadata;
use super::narrowed::{BodyFields, DecodedObject, NarrowedFields};
use crate::model::condition::Condition;
use crate::model::metadata::{Metadata, lenient_time, null_as_default};
use crate::model::object::{ObjectKey, ObjectName};
use crate::model::secrecy::Scrubbed;
use crate::model::word::SharedText;

/// The project of an Application that names none. Argo CD's server creates it.
pub const DEFAULT_PROJECT: &str = "default";

pub use application_set::{ApplicationSet, GeneratedApplication, GeneratedHealth, RolloutStep};
pub use destination::ApplicationDestination;
pub use health::HealthStatus;
pub use hydrator::{HydrateOperation, HydratorBranch, HydratorSettings, SourceHydrator};
pub use project::{AppProject, IgnoredOrphan};
pub use source::{
    ApplicationSource, DirectoryOptions, HelmFileParameter, HelmOptions, HelmParameter, KustomizeOptions,
    KustomizeReplica,
};

/// Annotation of an object with sync options of its own.
pub const SYNC_OPTIONS: &str = "argocd.argoproj.io/sync-options";
/// Finalizer by which deleting an Application deletes its objects; `/foreground` or `/background` may follow.
pub const CASCADE: &str = "resources-finalizer.argocd.argoproj.io";

/// Returns true if deleting an Application with these finalizers deletes its objects.
pub fn cascades(finalizers: &[SharedText]) -> bool {
    finalizers.iter().any(|finalizer| finalizer.starts_with(CASCADE))
}

/// Returns true if an object has a sync option in its annotation, such as `Prune=false`.
pub fn has_sync_option(metadata: &Metadata, option: &str) -> bool {
    metadata.annotation(SYNC_OPTIONS).is_some_and(|options| names_option(options, option))
}

/// Returns true if a list of sync options, in the format of the annotation, contains an option.
pub fn names_option(options: &str, option: &str) -> bool {
    options.split(',').any(|one| one.trim() == option)
}

/// An Application.
#[derive(Debug, Clone, Default)]
pub struct Application {
    /// `spec`.
    pub spec: ApplicationSpec,
    /// `status` without its conditions.
    pub status: ApplicationStatus,
    /// `operation`: an operation that was requested and has not ended.
    pub requested: Option<RequestedOperation>,
}

/// `spec` of an Application.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApplicationSpec {
    /// Cluster and namespace to deploy to.
    pub destination: ApplicationDestination,
    /// AppProject.
    pub project: String,
    /// Single source.
    pub source: Option<ApplicationSource>,
    /// Multiple sources.
    #[serde(deserialize_with = "null_as_default")]
    pub sources: Vec<ApplicationSource>,
    /// Settings of the source hydrator, which takes precedence over the sources.
    pub source_hydrator: Option<HydratorSettings>,
    /// Sync policy.
    #[serde(deserialize_with = "null_as_default")]
    pub sync_policy: SyncPolicy,
    /// Differences to ignore.
    #[serde(deserialize_with = "null_as_default")]
    pub ignore_differences: Vec<IgnoreDifferences>,
}

impl ApplicationSpec {
    /// Returns the name of its AppProject.
    pub fn project_name(&self) -> &str {
        if self.project.is_empty() { DEFAULT_PROJECT } else { &self.project }
    }

    /// Returns every source, from either field.
    pub fn all_sources(&self) -> impl Iterator<Item = &ApplicationSource> {
        // Argo CD uses `source` only if `sources` is empty.
        let single = self.source.iter().filter(|_| self.sources.is_empty());
        self.sources.iter().chain(single)
    }
}

/// `spec.syncPolicy`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SyncPolicy {
    /// Settings of automated sync; absent if sync is manual.
    pub automated: Option<AutomatedSync>,
    /// Sync options, such as `CreateNamespace=true`.
    #[serde(deserialize_with = "null_as_default")]
    pub sync_options: Vec<String>,
    /// Labels and annotations of the namespace that `CreateNamespace=true` creates.
    pub managed_namespace_metadata: Option<CommonMetadata>,
}

impl SyncPolicy {
    /// Returns the settings of automated sync; `None` if it is off.
    pub fn automatic(&self) -> Option<&AutomatedSync> {
        self.automated.as_ref().filter(|automated| automated.enabled != Some(false))
    }
}

/// `spec.syncPolicy.automated`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AutomatedSync {
    /// True if objects that were removed from Git are deleted.
    pub prune: bool,
    /// True if all objects may be deleted; otherwise a sync that leaves none is skipped.
    pub allow_empty: bool,
    /// True if changes in the cluster are reverted.
    pub self_heal: bool,
    /// `false` turns automated sync off; absent means on.
    pub enabled: Option<bool>,
}

/// One of `spec.ignoreDifferences`: a selection of objects and fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IgnoreDifferences {
    /// API group; a glob.
    pub group: String,
    /// Kind; a glob.
    pub kind: String,
    /// Name; empty matches any.
    pub name: String,
    /// Namespace; empty matches any.
    pub namespace: String,
    /// Fields as JSON pointers (RFC 6901).
    #[serde(deserialize_with = "null_as_default")]
    pub json_pointers: Vec<String>,
    /// Fields as `jq` path expressions.
    #[serde(deserialize_with = "null_as_default")]
    pub jq_path_expressions: Vec<String>,
    /// Managers whose fields are ignored.
    #[serde(deserialize_with = "null_as_default")]
    pub managed_fields_managers: Vec<String>,
}

/// `status` of an Application.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApplicationStatus {
    #[serde(deserialize_with = "null_as_default")]
    conditions: Vec<Condition>,
    /// Namespace of the Argo CD instance that manages it.
    pub controller_namespace: Option<String>,
    /// Sync state.
    pub sync: SyncState,
    /// Health state.
    pub health: HealthStatus,
    /// The last or current operation.
    pub operation_state: Option<OperationState>,
    /// Every object it deploys.
    #[serde(deserialize_with = "null_as_default")]
    pub resources: Vec<DeployedResource>,
    /// Summary, with the running images.
    pub summary: ApplicationSummary,
    /// State of the source hydrator, if the Application uses it (Argo CD 3.1 and later).
    #[serde(deserialize_with = "null_as_default")]
    pub source_hydrator: SourceHydrator,
    /// Time of the last reconciliation.
    #[serde(deserialize_with = "lenient_time")]
    pub reconciled_at: Option<Timestamp>,
    /// Previous deployments, oldest first.
    #[serde(deserialize_with = "null_as_default")]
    pub history: Vec<HistoryEntry>,
}

/// `status.sync`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SyncState {
    /// `Synced`, `OutOfSync` or `Unknown`.
    pub status: String,
    /// The commit of the comparison.
    pub revision: Option<String>,
    /// The commits, if there are multiple sources.
    #[serde(deserialize_with = "null_as_default")]
    pub revisions: Vec<String>,
    /// Declaration at the time of the comparison.
    pub compared_to: Option<ComparedTo>,
}

/// `status.sync.comparedTo`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ComparedTo {
    /// Single source.
    pub source: Option<ApplicationSource>,
    /// Multiple sources.
    #[serde(deserialize_with = "null_as_default")]
    pub sources: Vec<ApplicationSource>,
    /// Cluster and namespace.
    #[serde(deserialize_with = "null_as_default")]
    pub destination: ApplicationDestination,
    /// Differences that were ignored.
    #[serde(deserialize_with = "null_as_default")]
    pub ignore_differences: Vec<IgnoreDifferences>,
}

/// `status.operationState`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OperationState {
    /// `Running`, `Succeeded`, `Failed`, `Error` or `Terminating`.
    pub phase: String,
    /// Explanation of the phase.
    pub message: String,
    /// Start time.
    #[serde(deserialize_with = "lenient_time")]
    pub started_at: Option<Timestamp>,
    /// End time of the operation or of its last attempt.
    #[serde(deserialize_with = "lenient_time")]
    pub finished_at: Option<Timestamp>,
    /// Number of failed attempts that were, or will be, retried.
    pub retry_count: u64,
    /// The requested operation.
    pub operation: RequestedOperation,
    /// Result for each resource; absent while an attempt starts.
    pub sync_result: Option<SyncResult>,
}

/// `status.operationState.operation`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct RequestedOperation {
    /// The requested sync.
    pub sync: RequestedSync,
}

/// `status.operationState.operation.sync`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestedSync {
    /// The commit to sync to.
    pub revision: Option<String>,
    /// The commits, if there are multiple sources.
    #[serde(deserialize_with = "null_as_default")]
    pub revisions: Vec<String>,
    /// Number of consecutive syncs of this revision by self-healing.
    pub auto_heal_attempts_count: u64,
    /// The resources to sync; empty means all.
    #[serde(deserialize_with = "null_as_default")]
    pub resources: Vec<DeployedResource>,
}

/// `status.operationState.syncResult`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SyncResult {
    /// The commit that was synced.
    pub revision: Option<String>,
    /// The commits, if there are multiple sources.
    #[serde(deserialize_with = "null_as_default")]
    pub revisions: Vec<String>,
    /// Result of each resource.
    #[serde(deserialize_with = "null_as_default")]
    pub resources: Vec<SyncedResource>,
}

/// One of `status.operationState.syncResult.resources`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SyncedResource {
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
    /// `Synced`, `SyncFailed`, `Pruned` or `PruneSkipped`.
    pub status: String,
    /// `Running`, `Succeeded`, `Failed`, `Error` or `Terminating`.
    pub hook_phase: String,
    /// Type of a hook: `PreSync`, `Sync`, `PostSync`, and others.
    pub hook_type: String,
    /// Explanation of the status.
    pub message: String,
}

/// One of `status.resources`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeployedResource {
    /// API group; empty for the core group.
    pub group: String,
    /// API version.
    pub version: String,
    /// Kind.
    pub kind: String,
    /// Namespace.
    pub namespace: Option<String>,
    /// Name.
    pub name: String,
    /// `Synced` or `OutOfSync`.
    pub status: String,
    /// Health; absent by default since Argo CD 3.0.
    pub health: Option<HealthStatus>,
    /// True if it is in the cluster, but no longer in Git.
    pub requires_pruning: bool,
    /// True if it is a hook, which exists only during a sync.
    pub hook: bool,
}

impl DeployedResource {
    /// Returns the object without its version.
    pub fn key(&self) -> ObjectKey {
        ObjectKey {
            group: self.group.clone(),
            kind: self.kind.clone(),
            namespace: self.namespace.clone().filter(|namespace| !namespace.is_empty()),
            name: self.name.clone(),
        }
    }

    /// Returns the name of the object.
    pub fn object(&self) -> ObjectName {
        ObjectName {
            api_version: match self.group.as_str() {
                "" => self.version.clone(),
                group => format!("{group}/{}", self.version),
            },
            kind: self.kind.clone(),
            namespace: self.namespace.clone().filter(|namespace| !namespace.is_empty()),
            name: self.name.clone(),
        }
    }
}

/// `status.summary`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApplicationSummary {
    /// Every image of its workloads.
    #[serde(deserialize_with = "null_as_default")]
    pub images: Vec<String>,
}

/// One of `status.history`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HistoryEntry {
    /// The commit.
    pub revision: Option<String>,
    /// The commits, if there are multiple sources.
    #[serde(deserialize_with = "null_as_default")]
    pub revisions: Vec<String>,
    /// Time of the deployment.
    #[serde(deserialize_with = "lenient_time")]
    pub deployed_at: Option<Timestamp>,
}

impl BodyFields for Application {
    type Spec = ApplicationSpec;
    type Status = ApplicationStatus;

    fn narrow(spec: ApplicationSpec, mut status: ApplicationStatus) -> NarrowedFields<Self> {
        NarrowedFields {
            conditions: std::mem::take(&mut status.conditions),
            observed_generation: None,
            body: Self { spec, status, requested: None },
        }
    }
}

/// Serialized form of an Application.
#[derive(Deserialize)]
struct SerializedApplication {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default, deserialize_with = "null_as_default")]
    spec: ApplicationSpec,
    #[serde(default, deserialize_with = "null_as_default")]
    status: Scrubbed<ApplicationStatus>,
    operation: Option<Scrubbed<Value>>,
}

/// Reads an Application.
pub(super) fn read_application<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<DecodedObject<Application>, D::Error> {
    let SerializedApplication { metadata, spec, status, operation } = SerializedApplication::deserialize(deserializer)?;
    let mut rest = Application::narrow(spec, status.0);
    rest.body.requested =
        operation.map(|Scrubbed(operation)| RequestedOperation::deserialize(operation).unwrap_or_default());
    Ok(DecodedObject { metadata, rest })
}
