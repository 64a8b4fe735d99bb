//! Fields of an Argo CD Application: `pkg/apis/application/v1alpha1/types.go`.

mod source;

use jiff::Timestamp;
use serde::Deserialize;

use super::{Body, Fields, Narrowed};
use crate::model::condition::Condition;
use crate::model::metadata::{Metadata, lenient_time, null_as_default};
use crate::model::object::{ObjectKey, ObjectName};
use crate::model::word::Word;

pub use source::{DirectoryOptions, HelmOptions, HelmParameter, KustomizeOptions, KustomizeReplica, Source};

/// Annotation of an object with sync options of its own.
pub const SYNC_OPTIONS: &str = "argocd.argoproj.io/sync-options";
/// Finalizer of an Application by which its objects go with it; `/foreground` or `/background` may follow.
pub const CASCADE: &str = "resources-finalizer.argocd.argoproj.io";

/// Whether what an Application deployed goes with it.
pub fn cascades(finalizers: &[Word]) -> bool {
    finalizers.iter().any(|finalizer| finalizer.starts_with(CASCADE))
}

/// Whether an object has a sync option of its own, such as `Prune=false`.
pub fn has_sync_option(metadata: &Metadata, option: &str) -> bool {
    metadata.annotation(SYNC_OPTIONS).is_some_and(|options| names_option(options, option))
}

/// Whether sync options, as the annotation lists them, name one.
pub fn names_option(options: &str, option: &str) -> bool {
    options.split(',').any(|one| one.trim() == option)
}

/// An Application.
#[derive(Debug, Clone, Default)]
pub struct Application {
    /// `spec`.
    pub spec: Spec,
    /// `status`, save its conditions.
    pub status: Status,
}

/// What should run where.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Spec {
    /// Where it is deployed to.
    pub destination: Destination,
    /// AppProject.
    pub project: String,
    /// The one source.
    pub source: Option<Source>,
    /// Or several.
    #[serde(deserialize_with = "null_as_default")]
    pub sources: Vec<Source>,
    /// How it is synced.
    #[serde(deserialize_with = "null_as_default")]
    pub sync_policy: SyncPolicy,
    /// Differences that do not count.
    #[serde(deserialize_with = "null_as_default")]
    pub ignore_differences: Vec<IgnoreDifferences>,
}

impl Spec {
    /// Every source, wherever it is written.
    pub fn all_sources(&self) -> impl Iterator<Item = &Source> {
        // Argo CD looks at `source` only where there are no `sources`.
        let single = self.source.iter().filter(|_| self.sources.is_empty());
        self.sources.iter().chain(single)
    }
}

/// `spec.syncPolicy`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SyncPolicy {
    /// Set where it is synced without a person.
    pub automated: Option<Automated>,
    /// Such as `CreateNamespace=true`.
    #[serde(deserialize_with = "null_as_default")]
    pub sync_options: Vec<String>,
}

impl SyncPolicy {
    /// How it is synced without a person; `None` where that is off.
    pub fn automatic(&self) -> Option<&Automated> {
        self.automated.as_ref().filter(|automated| automated.enabled != Some(false))
    }
}

/// `spec.syncPolicy.automated`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Automated {
    /// Whether what is no longer in Git is deleted.
    pub prune: bool,
    /// Whether changes of the cluster are undone.
    pub self_heal: bool,
    /// `false` turns it off; on where absent.
    pub enabled: Option<bool>,
}

/// One of `spec.ignoreDifferences`: which objects, and which of their fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct IgnoreDifferences {
    /// API group; a glob.
    pub group: String,
    /// Kind; a glob.
    pub kind: String,
    /// Name; any where empty.
    pub name: String,
    /// Namespace; any where empty.
    pub namespace: String,
    /// Fields, as RFC 6901 has them.
    #[serde(deserialize_with = "null_as_default")]
    pub json_pointers: Vec<String>,
    /// Fields, as `jq` finds them.
    #[serde(deserialize_with = "null_as_default")]
    pub jq_path_expressions: Vec<String>,
    /// Fields that these field managers own.
    #[serde(deserialize_with = "null_as_default")]
    pub managed_fields_managers: Vec<String>,
}

/// `spec.destination`: a cluster by name or by URL.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Destination {
    /// Name of a registered cluster.
    pub name: Option<String>,
    /// URL of its API server, without who logs in there.
    #[serde(deserialize_with = "crate::model::secrecy::optional_text")]
    pub server: Option<String>,
    /// Namespace for objects that name none.
    pub namespace: Option<String>,
}

impl Destination {
    /// What the Application calls the cluster: its name, or else the URL of its API server.
    pub fn cluster(&self) -> Option<&str> {
        let names = [&self.name, &self.server].into_iter().filter_map(Option::as_deref);
        names.into_iter().find(|name| !name.is_empty())
    }

    /// Whether it is the cluster that Argo CD itself runs in.
    pub fn is_this_cluster(&self) -> bool {
        match (self.name.as_deref().unwrap_or(""), self.server.as_deref().unwrap_or("")) {
            ("", server) => server.is_empty() || server.starts_with("https://kubernetes.default.svc"),
            (name, _) => name == "in-cluster",
        }
    }
}

/// What Argo CD saw and did.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    #[serde(deserialize_with = "null_as_default")]
    conditions: Vec<Condition>,
    /// Namespace of the instance of Argo CD that looks after it.
    pub controller_namespace: Option<String>,
    /// Sync state.
    pub sync: Sync,
    /// Health state.
    pub health: Health,
    /// The last or current operation.
    pub operation_state: Option<Operation>,
    /// Every object it deploys.
    #[serde(deserialize_with = "null_as_default")]
    pub resources: Vec<Deployed>,
    /// Images that run.
    pub summary: Summary,
    /// What the source hydrator did, where the Application has one (Argo CD 3.1 and later).
    #[serde(deserialize_with = "null_as_default")]
    pub source_hydrator: SourceHydrator,
    /// When the controller last looked.
    #[serde(deserialize_with = "lenient_time")]
    pub reconciled_at: Option<Timestamp>,
    /// What was deployed before, oldest first.
    #[serde(deserialize_with = "null_as_default")]
    pub history: Vec<HistoryEntry>,
}

/// `status.sourceHydrator`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceHydrator {
    /// The last or current operation.
    pub current_operation: Option<HydrateOperation>,
}

/// `status.sourceHydrator.currentOperation`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HydrateOperation {
    /// `Hydrating`, `Hydrated` or `Failed`.
    pub phase: String,
    /// Why it failed.
    pub message: String,
    /// When it began.
    #[serde(deserialize_with = "lenient_time")]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(deserialize_with = "lenient_time")]
    pub finished_at: Option<Timestamp>,
}

/// `status.sync`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Sync {
    /// `Synced`, `OutOfSync` or `Unknown`.
    pub status: String,
    /// The commit it was compared with.
    pub revision: Option<String>,
    /// The commits, where there are several sources.
    #[serde(deserialize_with = "null_as_default")]
    pub revisions: Vec<String>,
    /// What the Application asked for when it was compared.
    pub compared_to: Option<ComparedTo>,
}

/// `status.sync.comparedTo`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ComparedTo {
    /// The one source.
    pub source: Option<Source>,
    /// Or several.
    #[serde(deserialize_with = "null_as_default")]
    pub sources: Vec<Source>,
}

/// `status.health`, of an Application or of one of its resources.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Health {
    /// `Healthy`, `Progressing`, `Degraded`, `Suspended`, `Missing` or `Unknown`.
    pub status: String,
    /// Some words about it.
    pub message: Option<String>,
    /// Since when.
    #[serde(deserialize_with = "lenient_time")]
    pub last_transition_time: Option<Timestamp>,
}

/// `status.operationState`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Operation {
    /// `Running`, `Succeeded`, `Failed`, `Error` or `Terminating`.
    pub phase: String,
    /// What became of it.
    pub message: String,
    /// When it began.
    #[serde(deserialize_with = "lenient_time")]
    pub started_at: Option<Timestamp>,
    /// When it ended, or its last attempt did.
    #[serde(deserialize_with = "lenient_time")]
    pub finished_at: Option<Timestamp>,
    /// How many attempts failed and were, or will be, followed by another.
    pub retry_count: u64,
    /// What was asked for.
    pub operation: Requested,
    /// What became of each resource; gone while an attempt begins.
    pub sync_result: Option<SyncResult>,
}

/// `status.operationState.operation`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Requested {
    /// A sync.
    pub sync: RequestedSync,
}

/// `status.operationState.operation.sync`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestedSync {
    /// The commit to sync to.
    pub revision: Option<String>,
    /// The commits, where there are several sources.
    #[serde(deserialize_with = "null_as_default")]
    pub revisions: Vec<String>,
    /// How often self-healing has synced this revision, one time after the other.
    pub auto_heal_attempts_count: u64,
    /// The resources to sync; all where empty.
    #[serde(deserialize_with = "null_as_default")]
    pub resources: Vec<Deployed>,
}

/// `status.operationState.syncResult`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SyncResult {
    /// The commit that was synced.
    pub revision: Option<String>,
    /// The commits, where there are several sources.
    #[serde(deserialize_with = "null_as_default")]
    pub revisions: Vec<String>,
    /// One entry a resource.
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
    /// `PreSync`, `Sync`, `PostSync` and so on, of a hook.
    pub hook_type: String,
    /// What became of it.
    pub message: String,
}

/// One of `status.resources`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Deployed {
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
    pub health: Option<Health>,
    /// Whether it is in the cluster and no longer in Git.
    pub requires_pruning: bool,
    /// Whether it is a hook of a sync, which comes and goes.
    pub hook: bool,
}

impl Deployed {
    /// The object, whatever its version.
    pub fn key(&self) -> ObjectKey {
        ObjectKey {
            group: self.group.clone(),
            kind: self.kind.clone(),
            namespace: self.namespace.clone().filter(|namespace| !namespace.is_empty()),
            name: self.name.clone(),
        }
    }

    /// The object that it speaks of.
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
pub struct Summary {
    /// Every image that its workloads run.
    #[serde(deserialize_with = "null_as_default")]
    pub images: Vec<String>,
}

/// One of `status.history`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HistoryEntry {
    /// The commit.
    pub revision: Option<String>,
    /// When it was deployed.
    #[serde(deserialize_with = "lenient_time")]
    pub deployed_at: Option<Timestamp>,
}

impl Fields for Application {
    type Spec = Spec;
    type Status = Status;

    fn narrow(spec: Spec, mut status: Status) -> Narrowed {
        Narrowed {
            conditions: std::mem::take(&mut status.conditions),
            observed_generation: None,
            body: Body::Application(Box::new(Self { spec, status })),
        }
    }
}

/// An AppProject: which of its namespaces' objects are nobody's and yet meant to be there.
#[derive(Debug, Clone, Default)]
pub struct Project {
    /// `spec.destinations`.
    pub destinations: Vec<Destination>,
    /// `spec.orphanedResources.ignore`.
    pub ignored_orphans: Vec<IgnoredOrphan>,
}

/// `spec` of an AppProject on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ProjectSpec {
    #[serde(deserialize_with = "null_as_default")]
    destinations: Vec<Destination>,
    #[serde(deserialize_with = "null_as_default")]
    orphaned_resources: OrphanedResources,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OrphanedResources {
    #[serde(deserialize_with = "null_as_default")]
    ignore: Vec<IgnoredOrphan>,
}

/// One of `spec.orphanedResources.ignore`; each part is a glob, and an empty kind or name means any.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct IgnoredOrphan {
    /// API group.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// Name.
    pub name: String,
}

impl Fields for Project {
    type Spec = ProjectSpec;
    type Status = serde::de::IgnoredAny;

    fn narrow(spec: ProjectSpec, _: serde::de::IgnoredAny) -> Narrowed {
        Narrowed {
            conditions: Vec::new(),
            observed_generation: None,
            body: Body::Project(Box::new(Self {
                destinations: spec.destinations,
                ignored_orphans: spec.orphaned_resources.ignore,
            })),
        }
    }
}
