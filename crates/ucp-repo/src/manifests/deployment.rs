//! Applications, Kustomizations and HelmReleases that deploy from a checkout: their sources, rendering, and destination. Read from
//! the object itself, live or in Git.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::manifests::argo_environment::substitute_environment;
use crate::manifests::kustomization::KustomizationEdits;
use crate::manifests::release_recipe::{ChartOrigin, HelmReleaseIdentity, ReleaseRecipe};
use ucp_client::prediction::dry_run::ApplyingController;
use ucp_client::prediction::ignore::IgnoreRule;
use ucp_core::model::body::argocd::{self, ApplicationSource, DirectoryOptions, HelmOptions};
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
            _ => false,
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
    /// A method that is not supported here, with the reason.
    Unsupported(String),
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
}

impl Deployment {
    /// Reads an Application; `None` if none of its sources is in the checkout.
    pub fn of_application(
        object: ObjectName,
        spec: &argocd::ApplicationSpec,
        repository: &dyn KnownSources,
    ) -> Option<Self> {
        let (mut parts, mut elsewhere) = (Vec::new(), Vec::new());
        for source in spec.all_sources() {
            let path = source.path.as_deref().map(clean_path);
            match &path {
                Some(path) if source.chart.is_none() && repository.is_checkout(&source.repo_url, path) => {
                    parts.push(DeploymentPart {
                        path: path.clone(),
                        revision: normalize_revision(source.target_revision.as_deref()),
                        recipe: render_method(&object.name, spec, source),
                    });
                }
                // The source only provides files for other sources.
                None if source.reference.is_some() && source.chart.is_none() => {}
                _ => elsewhere.push(source.repo_url.clone()),
            }
        }
        if parts.is_empty() {
            return None;
        }
        let destination = &spec.destination;
        Some(Self {
            object,
            engine: GitOps::ArgoCd,
            parts,
            elsewhere,
            fetch: SourceFetch::Fetched,
            destination: match (&destination.name, &destination.server) {
                _ if destination.is_this_cluster() => DeploymentDestination::Here,
                (Some(name), _) if !name.is_empty() => DeploymentDestination::Named(name.clone()),
                (_, server) => DeploymentDestination::Server(server.clone().unwrap_or_default()),
            },
            namespace: destination.namespace.clone().filter(|namespace| !namespace.is_empty()),
            pruning: match spec.sync_policy.automatic() {
                Some(automated) if automated.prune && automated.allow_empty => PruningMode::Automatic,
                Some(automated) if automated.prune => PruningMode::UnlessEmpty,
                _ => PruningMode::ByHand,
            },
            // Argo CD deletes them only if the Application has a finalizer.
            on_deletion: PruningMode::Off,
            sync_options: spec.sync_policy.sync_options.clone(),
            ignored: spec.ignore_differences.iter().map(IgnoreRule::from).collect(),
            common: CommonMetadata::default(),
            post_build: None,
            decryption: DecryptionMode::Off,
            deployed: Vec::new(),
            release: None,
            application_set: None,
            references: references(spec, repository),
            mode: ReconcileMode::Active,
            service_account: None,
            project: Some(ProjectMembership {
                name: spec.project_name().to_owned(),
                sources: spec.all_sources().map(|source| source.repo_url.clone()).collect(),
            }),
            trigger: match spec.sync_policy.automatic() {
                Some(_) => SyncTrigger::Automatic,
                None => SyncTrigger::Manual,
            },
            namespace_metadata: spec.sync_policy.managed_namespace_metadata.clone(),
            immutables: ImmutableHandling::Fail,
            depends_on: Vec::new(),
        })
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

fn normalize_revision(revision: Option<&str>) -> String {
    revision.filter(|revision| *revision != "HEAD").unwrap_or_default().to_owned()
}

/// Returns the sources of an Application that others refer to.
fn references(spec: &argocd::ApplicationSpec, repository: &dyn KnownSources) -> BTreeMap<String, Option<String>> {
    let named = spec.all_sources().filter_map(|source| Some((source.reference.clone()?, &source.repo_url)));
    named.map(|(name, url)| (name, (!repository.is_checkout(url, "")).then(|| url.clone()))).collect()
}

fn render_method(application: &str, spec: &argocd::ApplicationSpec, source: &ApplicationSource) -> RenderMethod {
    if source.plugin.is_some() {
        return RenderMethod::Unsupported("it is rendered by a config management plugin of Argo CD".to_owned());
    }
    match (&source.helm, &source.kustomize, &source.directory) {
        (Some(helm), ..) => match substitute_environment(application, spec, source, helm) {
            Ok(options) => RenderMethod::Helm(Box::new(options)),
            Err(reason) => RenderMethod::Unsupported(reason.into()),
        },
        (None, Some(kustomize), _) => RenderMethod::Kustomize(KustomizationEdits::from(kustomize)),
        (None, None, Some(directory)) => RenderMethod::Directory(directory.clone()),
        (None, None, None) => RenderMethod::Detect,
    }
}
