//! Applications, Kustomizations and HelmReleases that deploy from a checkout: their sources, rendering, and destination. Read from
//! the object itself, live or in Git.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::manifests::kustomization::KustomizationEdits;
use crate::manifests::release_recipe::{ChartOrigin, HelmReleaseIdentity, ReleaseRecipe};
use crate::manifests::remote_chart::RemoteChart;
use ucp_client::prediction::dry_run::ApplyingController;
use ucp_client::prediction::ignore::IgnoreRule;
use ucp_core::failure::Failure;
use ucp_core::model::body::argocd::{self, DirectoryOptions, HelmOptions};
use ucp_core::model::body::flux::{self, CommonMetadata, PostBuild};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::{ObjectKey, ObjectName};

/// An Application or Kustomization that deploys from a checkout.
#[derive(Debug, Clone, PartialEq)]
pub struct Deployment {
    /// The Application or Kustomization.
    pub object: ObjectName,
    /// Its engine.
    pub engine: GitOps,
    /// The directories of the checkout that it renders.
    pub parts: Vec<DeploymentPart>,
    /// URLs of sources outside the checkout.
    pub elsewhere: Vec<String>,
    /// Whether its engine has fetched the source.
    pub fetch: SourceFetch,
    /// The cluster of its objects.
    pub destination: DeploymentDestination,
    /// Namespace of objects that name none.
    pub namespace: Option<String>,
    /// Pruning of objects that it no longer renders.
    pub pruning: PruningMode,
    /// Pruning of its objects when it is deleted itself.
    pub on_deletion: PruningMode,
    /// Sync options of Argo CD, such as `CreateNamespace=true`.
    pub sync_options: Vec<String>,
    /// Differences that are ignored.
    pub ignored: Vec<IgnoreRule>,
    /// Labels and annotations that Flux adds.
    pub common: CommonMetadata,
    /// Variables that Flux substitutes.
    pub post_build: Option<PostBuild>,
    /// Decryption by Flux.
    pub decryption: DecryptionMode,
    /// The objects that it last deployed, from its status.
    pub deployed: Vec<ObjectKey>,
    /// The Helm release of a HelmRelease.
    pub release: Option<HelmReleaseIdentity>,
    /// Sources of an Application that others refer to by `$name`: the URL, or `None` for the checkout.
    pub references: BTreeMap<String, Option<String>>,
    /// The policy of an ApplicationSet.
    pub application_set: Option<ApplicationSetPolicy>,
    /// Reconciliation of its objects.
    pub mode: ReconcileMode,
    /// The ServiceAccount in its namespace that Flux impersonates.
    pub service_account: Option<String>,
    /// The AppProject of an Application.
    pub project: Option<ProjectMembership>,
    /// Start of syncs.
    pub trigger: SyncTrigger,
    /// Labels and annotations of the namespace that Argo CD creates and updates.
    pub namespace_metadata: Option<CommonMetadata>,
    /// Handling of objects that the server does not update because of an immutable field.
    pub immutables: ImmutableHandling,
    /// Deployers of the same kind that must be ready before it is reconciled.
    pub depends_on: Vec<ObjectKey>,
}

/// Start of syncs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncTrigger {
    /// Its engine syncs each change.
    Automatic,
    /// A person does.
    Manual,
}

/// Handling of objects that the server does not update because of an immutable field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImmutableHandling {
    /// It reports the error.
    Fail,
    /// It deletes the object and creates it again.
    Recreate,
}

/// What the rules of an AppProject decide about, besides the objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectMembership {
    /// Name of the project.
    pub name: String,
    /// URLs of all sources.
    pub sources: Vec<String>,
}

/// What an ApplicationSet does with Applications that exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationSetPolicy {
    /// True if they are updated.
    pub updates: bool,
    /// Annotations that are kept.
    pub kept_annotations: Vec<String>,
    /// Labels that are kept.
    pub kept_labels: Vec<String>,
    /// Its spec, as text: everything else that decides its Applications.
    pub spec: String,
}

/// Reconciliation of a deployer's objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReconcileMode {
    /// Changes are applied.
    Active,
    /// Changes wait until the deployer is resumed.
    Suspended,
    /// Changes wait until the rendered manifests are merged into the branch that is deployed.
    Staged,
}

/// A directory of the checkout and its rendering.
#[derive(Debug, Clone, PartialEq)]
pub struct DeploymentPart {
    /// Directory relative to the checkout's top; empty for the top itself.
    pub path: String,
    /// Branch, tag or commit to follow; empty for the default branch.
    pub revision: String,
    /// The rendering method.
    pub recipe: RenderMethod,
}

impl DeploymentPart {
    /// Returns true if its chart is not in the checkout.
    pub fn is_elsewhere(&self) -> bool {
        match &self.recipe {
            RenderMethod::Release(recipe) => !matches!(recipe.chart, ChartOrigin::Checkout { .. }),
            RenderMethod::Pulled(_) => true,
            _ => false,
        }
    }

    /// Returns the paths of the checkout that decide its objects.
    pub fn paths(&self) -> &[String] {
        match &self.recipe {
            RenderMethod::Pulled(source) => &source.files,
            _ => std::slice::from_ref(&self.path),
        }
    }
}

/// The rendering method of a directory.
#[derive(Debug, Clone, PartialEq)]
pub enum RenderMethod {
    /// Detected from its content, as Argo CD does.
    Detect,
    /// With kustomize, after edits.
    Kustomize(KustomizationEdits),
    /// With kustomize, after edits. As in Flux, a directory without a kustomization gets one with everything below it.
    KustomizeAnything(KustomizationEdits),
    /// Plain manifests.
    Directory(DirectoryOptions),
    /// A Helm chart.
    Helm(Box<HelmOptions>),
    /// The chart of a HelmRelease.
    Release(Box<ReleaseRecipe>),
    /// A chart of a Helm or OCI repository.
    Pulled(Box<PulledChart>),
    /// A method that is not supported here, with the reason.
    Unsupported(String),
}

/// A chart of a Helm or OCI repository that an Application deploys.
#[derive(Debug, Clone, PartialEq)]
pub struct PulledChart {
    /// The chart.
    pub chart: RemoteChart,
    /// Options of the source, or the reason why they are not known.
    pub options: Result<HelmOptions, Failure>,
    /// Its value files in the checkout.
    pub files: Vec<String>,
}

/// The cluster to which objects are applied.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeploymentDestination {
    /// The core cluster itself.
    Here,
    /// A cluster that is registered with Argo CD, by name.
    Named(String),
    /// A cluster that is registered with Argo CD, by the URL of its API server.
    Server(String),
    /// A cluster whose kubeconfig is in a Secret.
    KubeConfig {
        /// Namespace of the Secret.
        namespace: String,
        /// Name of the Secret.
        secret: String,
        /// Key in the Secret; Flux's defaults if absent.
        key: Option<String>,
    },
    /// A cluster to which Flux connects with its own identity, by a ConfigMap.
    Identity(String),
}

impl DeploymentDestination {
    /// Returns the destination of a Flux object in a namespace.
    pub fn of_flux(namespace: &str, spec: &flux::FluxSpec) -> Self {
        let Some(way) = &spec.kube_config else { return Self::Here };
        match (&way.secret_ref, &way.config_map_ref) {
            (Some(secret), _) => Self::KubeConfig {
                namespace: namespace.to_owned(),
                secret: secret.name.clone(),
                key: secret.key.clone(),
            },
            (None, map) => Self::Identity(map.as_ref().map(|map| map.name.clone()).unwrap_or_default()),
        }
    }
}

/// Whether the engine of a deployment has fetched its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceFetch {
    /// It did, or the deployment is declared in the checkout itself, or the engine is not asked.
    Fetched,
    /// Flux did not, as the source is now: nothing shows that the author of the live object may read the repository.
    Never,
}

/// Pruning of objects that are no longer rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PruningMode {
    /// They are deleted.
    Automatic,
    /// They are deleted, unless none would remain (`auto-sync will wipe out all resources`).
    UnlessEmpty,
    /// They remain until the user prunes.
    ByHand,
    /// They remain.
    Off,
}

/// Decryption of encrypted files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecryptionMode {
    /// They are decrypted.
    On,
    /// They are applied as they are.
    Off,
}

/// The sources that are the checkout.
pub trait KnownSources {
    /// Returns true if a source of manifests is this checkout.
    fn is_checkout(&self, url: &str, path: &str) -> bool;

    /// Returns true if a chart of another repository can be found.
    fn has_chart(&self, _chart: &RemoteChart) -> bool {
        false
    }
}

impl Deployment {
    /// Returns true if the checkout has a directory, a chart, or value files of it.
    pub fn reads_checkout(&self) -> bool {
        self.parts.iter().any(|part| !part.is_elsewhere() || !part.paths().is_empty() && self.release.is_none())
    }

    /// Returns the controller that applies its objects.
    pub fn controller(&self) -> ApplyingController {
        match (self.engine, &self.release) {
            _ if self.application_set.is_some() => ApplyingController::ApplicationSetController,
            (GitOps::ArgoCd, _) => ApplyingController::ArgoCd,
            (GitOps::Flux, None) => ApplyingController::KustomizeController,
            (GitOps::Flux, Some(_)) => ApplyingController::HelmController,
        }
    }

    /// Returns the recipe of a HelmRelease.
    pub fn release_recipe(&self) -> Option<&ReleaseRecipe> {
        self.parts.iter().find_map(|part| match &part.recipe {
            RenderMethod::Release(recipe) => Some(recipe.as_ref()),
            _ => None,
        })
    }

    /// Returns true if a sync option is set for all of its objects, or by annotation for this one.
    pub fn has_sync_option(&self, object: &Value, option: &str) -> bool {
        let annotation = object.pointer("/metadata/annotations/argocd.argoproj.io~1sync-options");
        let own = annotation.and_then(Value::as_str).unwrap_or_default();
        self.engine == GitOps::ArgoCd
            && (self.sync_options.iter().any(|known| known == option) || argocd::names_option(own, option))
    }
}

/// Normalizes a directory: no `./`, and no leading or trailing slashes.
pub fn clean_path(path: &str) -> String {
    path.split('/').filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/")
}
