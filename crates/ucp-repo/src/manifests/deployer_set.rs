//! The Applications, Kustomizations, HelmReleases and sources of one side of a comparison.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize as _;
use serde_json::Value;

use crate::git::identity;
use crate::manifests::checkout::CheckoutTree;
use crate::manifests::deployment::{
    Deployment, DeploymentDestination, DeploymentPart, KnownSources as _, PruningMode, ReconcileMode, SourceFetch,
};
use crate::manifests::release::{HelmReleaseSpec, ReleaseHistory};
use crate::manifests::release_recipe::ChartOrigin;
use crate::manifests::selection::DeploymentSelection;
use crate::manifests::unrendered::{DeployerInputs, UnrenderedDeployer, is_unrendered_kind};
use ucp_core::engine::argocd::SKIP_RECONCILE;
use ucp_core::model::body::Body;
use ucp_core::model::body::{argocd, flux};
use ucp_core::model::condition::{Condition, ConditionStatus};
use ucp_core::model::object::{ObjectKey, ObjectName, inventory_key};
use ucp_core::model::state::ClusterState;
use ucp_core::model::word::SharedText;

/// Group of the sources of Flux.
const SOURCES: &str = "source.toolkit.fluxcd.io";

/// All Applications, Kustomizations and sources of one side: those of the cluster, updated by the declarations in Git.
#[derive(Debug, Clone, Default)]
pub struct DeployerSet {
    applications: BTreeMap<ObjectKey, DeployerEntry<argocd::ApplicationSpec>>,
    kustomizations: BTreeMap<ObjectKey, DeployerEntry<flux::FluxSpec>>,
    releases: BTreeMap<ObjectKey, DeployerEntry<HelmReleaseSpec>>,
    histories: BTreeMap<ObjectKey, ReleaseHistory>,
    sets: BTreeMap<ObjectKey, ApplicationSetEntry>,
    /// Sources of Flux.
    repositories: BTreeMap<ObjectKey, flux::FluxSpec>,
    /// Live GitRepositories that Flux has not fetched as they are now.
    unfetched: BTreeSet<ObjectKey>,
    /// Live Kustomizations and HelmReleases that Flux has not applied as they are now.
    unapplied: BTreeSet<ObjectKey>,
    unrendered: BTreeMap<ObjectKey, UnrenderedDeployer>,
    /// Applications in the cluster, by the ApplicationSet that owns them.
    owned: BTreeMap<ObjectKey, Vec<ObjectKey>>,
}

#[derive(Debug, Clone)]
struct DeployerEntry<Spec> {
    object: ObjectName,
    spec: Spec,
    deployed: Vec<ObjectKey>,
    finalizers: Vec<SharedText>,
    /// Whether an Application is reconciled.
    mode: ReconcileMode,
}

/// Returns whether an Application is reconciled, by the value of its annotation.
fn application_mode(skip_reconcile: Option<&str>) -> ReconcileMode {
    if skip_reconcile == Some("true") { ReconcileMode::Suspended } else { ReconcileMode::Active }
}

/// An ApplicationSet, and the Applications in the cluster that it owns.
#[derive(Debug, Clone)]
struct ApplicationSetEntry {
    object: ObjectName,
    spec: Value,
}

impl<Spec> DeployerEntry<Spec> {
    /// Returns the pruning of an Application's objects when it is deleted.
    fn on_deletion(&self) -> PruningMode {
        if argocd::cascades(&self.finalizers) { PruningMode::Automatic } else { PruningMode::Off }
    }
}

impl DeployerSet {
    /// Returns true if any Application, Kustomization or source is from the repository of a selection.
    pub fn has_source_of(&self, selection: &DeploymentSelection) -> bool {
        self.urls().any(|url| selection.has_url(&identity::normalize(url)))
    }

    /// Reads those of a cluster.
    pub fn from_state(state: &ClusterState) -> Self {
        let mut apps = Self::default();
        for resource in &state.resources {
            let finalizers = resource.metadata.finalizers.clone();
            let is_settled =
                is_settled(resource.metadata.generation, resource.observed_generation, &resource.conditions);
            let (object, key) = (resource.name(), ObjectKey::from(&resource.name()));
            match (&resource.body, resource.kind.kind.as_str()) {
                (Body::Application(application), _) => {
                    let deployed = application.status.resources.iter().map(argocd::DeployedResource::key).collect();
                    let owner = resource.metadata.owner_references.iter().find(|owner| owner.kind == "ApplicationSet");
                    if let Some(owner) = owner {
                        let set =
                            ObjectKey { kind: owner.kind.to_string(), name: owner.name.to_string(), ..key.clone() };
                        apps.owned.entry(set).or_default().push(key.clone());
                    }
                    let files = UnrenderedDeployer::from_application(object.clone(), &application.spec);
                    apps.unrendered.extend(files.map(|files| (key.clone(), files)));
                    let mode = application_mode(resource.metadata.annotation(SKIP_RECONCILE));
                    let app = DeployerEntry { object, spec: application.spec.clone(), deployed, finalizers, mode };
                    apps.applications.insert(key, app);
                }
                (Body::Flux(fields), "Kustomization") => {
                    let deployed = fields.status.deployed().collect();
                    if !is_settled {
                        apps.unapplied.insert(key.clone());
                    }
                    let (spec, mode) = (fields.spec.clone(), ReconcileMode::Active);
                    apps.kustomizations.insert(key, DeployerEntry { object, spec, deployed, finalizers, mode });
                }
                (Body::Flux(fields), "GitRepository" | "HelmRepository" | "OCIRepository") => {
                    // An artifact stays when the URL changes to one that Flux may not read.
                    let is_fetched = fields.status.artifact.is_some() && is_settled;
                    if key.kind == "GitRepository" && !is_fetched {
                        apps.unfetched.insert(key.clone());
                    }
                    apps.repositories.insert(key, fields.spec.clone());
                }
                _ => {}
            }
        }
        apps
    }

    /// Adds a HelmRelease or ApplicationSet of the cluster.
    pub fn add_live(&mut self, manifest: &Value) {
        let object = ObjectName::from_manifest(manifest);
        let (key, spec) = (ObjectKey::from(&object), manifest.get("spec").cloned().unwrap_or_default());
        if object.kind == "ApplicationSet" {
            self.add_set(key, object, spec);
            return;
        }
        let Ok(spec) = serde_json::from_value(spec) else { return };
        let entries = manifest.pointer("/status/inventory/entries").and_then(Value::as_array).into_iter().flatten();
        let deployed = entries.filter_map(|entry| inventory_key(entry.get("id")?.as_str()?)).collect();
        self.histories.insert(key.clone(), ReleaseHistory::from_live(manifest));
        if !is_settled_manifest(manifest) {
            self.unapplied.insert(key.clone());
        }
        let (finalizers, mode) = (Vec::new(), ReconcileMode::Active);
        self.releases.insert(key, DeployerEntry { object, spec, deployed, finalizers, mode });
    }

    /// Returns the URLs of their sources.
    pub fn urls(&self) -> impl Iterator<Item = &str> {
        let argo = self.applications.values().flat_map(|app| app.spec.all_sources()).map(|source| &*source.repo_url);
        let git = self.repositories.iter().filter(|(key, _)| key.kind == "GitRepository");
        argo.chain(git.filter_map(|(_, spec)| spec.url.as_deref()))
    }

    /// Adds or updates a deployer or source from Git. Returns true if the object is one.
    pub fn add_declared(&mut self, object: &ObjectName, manifest: &Value) -> bool {
        let key = ObjectKey::from(object);
        self.unapplied.remove(&key);
        let spec = manifest.get("spec").cloned().unwrap_or_default();
        let finalizers = manifest.pointer("/metadata/finalizers").cloned().unwrap_or_default();
        let finalizers = serde_json::from_value(finalizers).unwrap_or_default();
        match (object.group(), object.kind.as_str()) {
            ("argoproj.io", "Application") => {
                let files = serde_json::from_value(spec.clone()).ok();
                let files = files.and_then(|spec| UnrenderedDeployer::from_application(object.clone(), &spec));
                self.unrendered.remove(&key);
                self.unrendered.extend(files.map(|files| (key.clone(), files)));
                let annotations = manifest.pointer("/metadata/annotations");
                let skips = annotations.and_then(|annotations| annotations.get(SKIP_RECONCILE)?.as_str());
                let is_known = replace_deployer(&mut self.applications, key.clone(), object, spec, finalizers);
                if let Some(app) = self.applications.get_mut(&key).filter(|_| skips.is_some()) {
                    app.mode = application_mode(skips);
                }
                is_known
            }
            ("kustomize.toolkit.fluxcd.io", "Kustomization") => {
                replace_deployer(&mut self.kustomizations, key, object, spec, finalizers)
            }
            (SOURCES, "GitRepository" | "HelmRepository" | "OCIRepository") => match serde_json::from_value(spec) {
                Ok(spec) => {
                    self.unfetched.remove(&key);
                    self.repositories.insert(key, spec).is_none_or(|_| true)
                }
                Err(_) => false,
            },
            ("helm.toolkit.fluxcd.io", "HelmRelease") => {
                replace_deployer(&mut self.releases, key, object, spec, finalizers)
            }
            ("argoproj.io", "ApplicationSet") => {
                self.add_set(key, object.clone(), spec);
                true
            }
            _ => false,
        }
    }

    fn add_set(&mut self, key: ObjectKey, object: ObjectName, spec: Value) {
        self.unrendered.remove(&key);
        let inputs = UnrenderedDeployer::from_application_set(object.clone(), &spec);
        self.unrendered.extend(inputs.map(|inputs| (key.clone(), inputs)));
        self.sets.insert(key, ApplicationSetEntry { object, spec });
    }

    /// Returns the deployers that are not rendered, if files of the checkout decide what they deploy.
    pub fn unrendered(
        &self,
        tree: &CheckoutTree,
        selection: &DeploymentSelection,
    ) -> BTreeMap<ObjectKey, DeployerInputs> {
        let inputs =
            self.unrendered.iter().filter_map(|(key, deployer)| Some((key.clone(), deployer.inputs(tree, selection)?)));
        inputs.filter(|(_, inputs)| inputs.reads.iter().any(|path| selection.selects_path(path))).collect()
    }

    /// Returns the selected deployments from a checkout, by name. `declared` are the deployers that the checkout itself
    /// declares: a HelmRelease is one of its deployments even if its chart is elsewhere.
    pub fn deployments(
        &self,
        selection: &DeploymentSelection,
        declared: &BTreeSet<ObjectKey>,
    ) -> BTreeMap<ObjectKey, Deployment> {
        let applications = self.applications.keys();
        let applications = applications.filter_map(|key| Some((key.clone(), self.application(key, selection)?)));
        let applications = applications.filter(|(key, app)| app.reads_checkout() || declared.contains(key));
        let kustomizations = self.kustomizations.iter().filter_map(|(key, app)| {
            let source = app.spec.source_ref.as_ref().filter(|source| source.kind == "GitRepository")?;
            let source = source_key(source, &app.object);
            let repository = self.repositories.get(&source)?;
            let fetch = self.fetch_of(key, &source);
            let deployment = Deployment::of_kustomization(app.object.clone(), &app.spec, repository, selection)?;
            Some((key.clone(), Deployment { deployed: app.deployed.clone(), fetch, ..deployment }))
        });
        let releases = self.releases.iter().filter_map(|(key, entry)| {
            let deployment = self.release_deployment(key, entry, selection);
            let has_chart = matches!(deployment.release_recipe()?.chart, ChartOrigin::Checkout { .. });
            (has_chart || declared.contains(key)).then(|| (key.clone(), deployment))
        });
        let all = applications.chain(kustomizations).chain(releases);
        all.filter(|(key, deployment)| {
            let is_remote = deployment.release.is_some() || deployment.parts.iter().any(DeploymentPart::is_elsewhere);
            declared.contains(key) && is_remote || selection.selects(deployment)
        })
        .collect()
    }

    /// Returns whether Flux has fetched a source for a deployer. It may refuse sources of other namespaces, so that only an
    /// applied deployer shows that it does not.
    fn fetch_of(&self, deployer: &ObjectKey, source: &ObjectKey) -> SourceFetch {
        let is_refused = source.namespace != deployer.namespace && self.unapplied.contains(deployer);
        if is_refused || self.unfetched.contains(source) { SourceFetch::Never } else { SourceFetch::Fetched }
    }

    /// Returns the ApplicationSets that the checkout declares, or whose Git generators read it, with their specs.
    pub fn application_sets(
        &self,
        selection: &DeploymentSelection,
        declared: &BTreeSet<ObjectKey>,
    ) -> BTreeMap<ObjectKey, (Deployment, Value)> {
        let reads = |key: &ObjectKey| self.unrendered.get(key).is_some_and(|set| set.reads_checkout(selection));
        let wanted = self.sets.iter().filter(|(key, _)| declared.contains(*key) || reads(key));
        wanted.map(|(key, set)| (key.clone(), (self.set_deployment(key, set), set.spec.clone()))).collect()
    }

    /// Returns an Application with a source that can be rendered, as a deployment.
    fn application(&self, key: &ObjectKey, selection: &DeploymentSelection) -> Option<Deployment> {
        self.any_application(key, selection).filter(|deployment| !deployment.parts.is_empty())
    }

    /// Returns an Application, wherever its sources are, as a deployment.
    pub fn any_application(&self, key: &ObjectKey, selection: &DeploymentSelection) -> Option<Deployment> {
        let app = self.applications.get(key)?;
        let deployment = Deployment::of_any_application(app.object.clone(), &app.spec, selection);
        let (deployed, on_deletion) = (app.deployed.clone(), app.on_deletion());
        let mode = if app.mode == ReconcileMode::Suspended { app.mode } else { deployment.mode };
        Some(Deployment { deployed, on_deletion, mode, ..deployment })
    }

    /// Returns all ApplicationSets.
    pub fn all_sets(&self) -> BTreeMap<ObjectKey, Deployment> {
        self.sets.iter().map(|(key, set)| (key.clone(), self.set_deployment(key, set))).collect()
    }

    fn set_deployment(&self, key: &ObjectKey, set: &ApplicationSetEntry) -> Deployment {
        let deployed = self.owned.get(key).cloned().unwrap_or_default();
        Deployment { deployed, ..Deployment::of_application_set(set.object.clone(), &set.spec) }
    }

    /// Returns every HelmRelease, whether or not the checkout has anything to do with it.
    pub fn all_releases(&self, selection: &DeploymentSelection) -> BTreeMap<ObjectKey, Deployment> {
        let releases = self.releases.iter();
        releases.map(|(key, entry)| (key.clone(), self.release_deployment(key, entry, selection))).collect()
    }

    fn release_deployment(
        &self,
        key: &ObjectKey,
        entry: &DeployerEntry<HelmReleaseSpec>,
        selection: &DeploymentSelection,
    ) -> Deployment {
        let history = self.histories.get(key).cloned().unwrap_or_default();
        let fetch = Cell::new(SourceFetch::Fetched);
        let chart = entry.spec.chart_origin(&history, |source| {
            let source = source_key(source, &entry.object);
            let spec = self.repositories.get(&source)?;
            if self.fetch_of(key, &source) == SourceFetch::Never {
                fetch.set(SourceFetch::Never);
            }
            let is_checkout = spec.url.as_deref().is_some_and(|url| selection.is_checkout(url, ""));
            Some((spec.clone(), is_checkout))
        });
        let deployment = entry.spec.deployment(entry.object.clone(), chart, &history);
        Deployment { deployed: entry.deployed.clone(), fetch: fetch.get(), ..deployment }
    }
}

/// Returns the key of a source of Flux to which an object refers.
fn source_key(source: &flux::SourceReference, by: &ObjectName) -> ObjectKey {
    ObjectKey {
        group: SOURCES.to_owned(),
        kind: source.kind.clone(),
        namespace: source.namespace.clone().or_else(|| by.namespace.clone()),
        name: source.name.clone(),
    }
}

/// Returns true if Flux reports success for the generation of an object.
fn is_settled(generation: Option<i64>, observed: Option<i64>, conditions: &[Condition]) -> bool {
    let mut conditions = conditions.iter();
    observed.is_some()
        && observed == generation
        && conditions.any(|condition| condition.kind == READY && condition.status == ConditionStatus::True)
}

fn is_settled_manifest(manifest: &Value) -> bool {
    let number = |pointer| manifest.pointer(pointer).and_then(Value::as_i64);
    let conditions = manifest.pointer("/status/conditions").map(Vec::<Condition>::deserialize);
    let conditions = conditions.and_then(Result::ok).unwrap_or_default();
    is_settled(number("/metadata/generation"), number("/status/observedGeneration"), &conditions)
}

/// The condition of Flux objects that reports success.
const READY: &str = "Ready";

fn replace_deployer<Spec: serde::de::DeserializeOwned>(
    apps: &mut BTreeMap<ObjectKey, DeployerEntry<Spec>>,
    key: ObjectKey,
    object: &ObjectName,
    spec: Value,
    finalizers: Vec<SharedText>,
) -> bool {
    let Ok(spec) = serde_json::from_value(spec) else { return false };
    let known = apps.remove(&key);
    // An annotation that is not in Git stays.
    let mode = known.as_ref().map_or(ReconcileMode::Active, |app| app.mode);
    let deployed = known.map(|app| app.deployed).unwrap_or_default();
    apps.insert(key, DeployerEntry { object: object.clone(), spec, deployed, finalizers, mode });
    true
}

/// Returns the name of an object that declares further deployments, if an engine applies it to the core cluster itself.
pub fn declared_deployer(deployment: &Deployment, manifest: &Value) -> Option<ObjectName> {
    let text = |pointer: &str| manifest.pointer(pointer).and_then(Value::as_str);
    let api_version = text("/apiVersion")?;
    let is_app = matches!(
        (api_version.split_once('/')?.0, text("/kind")?),
        ("argoproj.io", "Application")
            | ("kustomize.toolkit.fluxcd.io", "Kustomization")
            | (SOURCES, "GitRepository" | "HelmRepository" | "OCIRepository")
            | ("helm.toolkit.fluxcd.io", "HelmRelease")
    ) || is_unrendered_kind(api_version.split_once('/')?.0, text("/kind")?);
    (is_app && deployment.destination == DeploymentDestination::Here).then(|| ObjectName {
        api_version: api_version.to_owned(),
        kind: text("/kind").unwrap_or_default().to_owned(),
        namespace: text("/metadata/namespace").map(str::to_owned).or_else(|| deployment.namespace.clone()),
        name: text("/metadata/name").unwrap_or_default().to_owned(),
    })
}
