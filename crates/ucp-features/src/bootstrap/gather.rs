//! Rendering of a checkout: its places, and all deployments from it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::scan::{self, ManifestLocation};
use super::wave::is_deployer;
use crate::plan::prepare::{PlannedScopes, is_skipped, planned_scopes, set_namespace_by_scope};
use ucp_client::prediction::cluster::text_at;
use ucp_core::error::Result;
use ucp_core::model::body::flux::CommonMetadata;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::kind::ResourceScope;
use ucp_core::model::object::{ObjectName, group_of};
use ucp_core::model::state::Unreadable;
use ucp_repo::gitops::config::BootstrapSettings;
use ucp_repo::manifests::checkout::CheckoutTree;
use ucp_repo::manifests::deployer_set::DeployerSet;
use ucp_repo::manifests::deployment::{
    DecryptionMode, Deployment, DeploymentDestination, ImmutableHandling, PruningMode, ReconcileMode, SourceFetch,
    SyncTrigger, clean_path,
};
use ucp_repo::manifests::renderer::ManifestRenderer;
use ucp_repo::manifests::selection::DeploymentSelection;
use ucp_repo::manifests::side::{self, RenderedDeployment, RenderedSide};
use ucp_repo::manifests::substitution::{has_variables, substitute};

/// One place of the checkout, with its objects.
#[derive(Debug, Clone)]
pub struct RenderedPlace {
    /// The path in the repository.
    pub path: String,
    /// The objects, with their namespaces.
    pub objects: Vec<Value>,
    /// The engines that the place installs.
    pub installs: Vec<GitOps>,
    /// The default namespace, if the repository configures one.
    namespace: Option<String>,
}

impl RenderedPlace {
    /// Returns the default namespace for an object.
    pub fn default_namespace_of(&self, object: &Value) -> String {
        let engine = match group_of(text_at(object, "/apiVersion")) {
            "argoproj.io" => Some(GitOps::ArgoCd),
            group if group.ends_with(".toolkit.fluxcd.io") => Some(GitOps::Flux),
            _ => self.installs.first().copied(),
        };
        let of_engine = engine.map(|engine| default_engine_namespace(engine).to_owned());
        self.namespace.clone().or(of_engine).unwrap_or_else(|| DEFAULT.to_owned())
    }
}

/// The namespace of objects that specify none.
const DEFAULT: &str = "default";

/// The contents of a checkout that are relevant for bootstrap.
#[derive(Debug, Default)]
pub struct CheckoutContents {
    /// The places that install an engine or configure its deployments.
    pub units: Vec<RenderedPlace>,
    /// The objects that the engines deploy from the checkout.
    pub side: RenderedSide,
    /// Manifests that could not be rendered.
    pub unreadable: Vec<Unreadable>,
    /// The URLs of the sources of Applications and Kustomizations.
    pub urls: Vec<String>,
}

/// Returns the scope of a kind, by group and kind, if known.
pub type ScopeLookup<'a> = &'a (dyn Fn(&str, &str) -> Option<ResourceScope> + Sync);

/// Returns the places below paths, or those that the settings list.
///
/// # Errors
/// Fails when a path does not exist, or cannot be read.
pub fn places(tree: &CheckoutTree, below: &[String], settings: &BootstrapSettings) -> Result<Vec<ManifestLocation>> {
    let named = settings.engine.iter().chain(&settings.roots);
    let mut places = named.map(|path| ManifestLocation::from_path(tree, path)).collect::<Result<Vec<_>>>()?;
    if settings.engine.is_none() || settings.roots.is_empty() {
        for place in scan::places(tree, below)? {
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    Ok(places)
}

/// Renders places, and the deployments from them.
pub async fn gather(
    tree: &CheckoutTree,
    places: &[ManifestLocation],
    settings: &BootstrapSettings,
    selection: &DeploymentSelection,
    renderer: ManifestRenderer,
    scopes: ScopeLookup<'_>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> CheckoutContents {
    let mut gathered = CheckoutContents::default();
    for (done, place) in places.iter().enumerate() {
        progress(done, places.len());
        match renderer.render(tree, &placeholder_deployment(settings), &place.part, None).await {
            Ok(objects) => gathered.units.extend(unit(place, objects, settings, scopes)),
            Err(error) => {
                gathered.unreadable.push(Unreadable { what: place.path.clone(), reason: error.to_string() });
            }
        }
    }
    gathered.units = select_units(std::mem::take(&mut gathered.units), settings);
    let mut apps = DeployerSet::default();
    for object in gathered.units.iter().flat_map(|unit| &unit.objects) {
        apps.add_declared(&ObjectName::from_manifest(object), object);
    }
    gathered.urls = apps.urls().map(str::to_owned).collect();
    gathered.side = side::render_side(tree, apps, selection, renderer, None, progress).await;
    let failed = gathered.side.rendered.values().filter_map(|rendered| {
        let reason = rendered.objects.as_ref().err()?.to_string();
        Some(Unreadable { what: rendered.deployment.object.to_string(), reason })
    });
    gathered.unreadable.extend(failed);
    gathered
}

/// Drops units that the settings do not list, if they list any.
fn select_units(units: Vec<RenderedPlace>, settings: &BootstrapSettings) -> Vec<RenderedPlace> {
    let is_at = |unit: &RenderedPlace, path: &String| unit.path == clean_path(path);
    let is_engine = |unit: &RenderedPlace| settings.engine.as_ref().is_some_and(|path| is_at(unit, path));
    let is_root = |unit: &RenderedPlace| settings.roots.iter().any(|path| is_at(unit, path));
    let counts = |unit: &RenderedPlace| match unit.installs.is_empty() {
        false => settings.engine.is_none(),
        true => settings.roots.is_empty(),
    };
    units.into_iter().filter(|unit| is_engine(unit) || is_root(unit) || counts(unit)).collect()
}

/// Returns the unit of a place that installs an engine or configures its deployments.
fn unit(
    place: &ManifestLocation,
    objects: Vec<Value>,
    settings: &BootstrapSettings,
    scopes: ScopeLookup<'_>,
) -> Option<RenderedPlace> {
    let installs = installed_engines_in(&objects);
    let deploys =
        objects.iter().any(|object| is_deployer(group_of(text_at(object, "/apiVersion")), text_at(object, "/kind")));
    let is_named = settings.roots.iter().chain(&settings.engine).any(|path| clean_path(path) == place.path);
    if installs.is_empty() && !deploys && !is_named {
        return None;
    }
    let mut unit = RenderedPlace {
        path: place.path.clone(),
        objects: Vec::new(),
        installs,
        namespace: settings.namespace.clone(),
    };
    let places = NamespaceDefaults { scopes, planned: planned_scopes(&objects) };
    let objects = objects.into_iter().map(|object| places.complete(object, |object| unit.default_namespace_of(object)));
    unit.objects = objects.filter(|object| !text_at(object, "/metadata/name").is_empty()).collect();
    Some(unit)
}

/// Determines which objects need a namespace.
struct NamespaceDefaults<'a> {
    scopes: ScopeLookup<'a>,
    planned: PlannedScopes,
}

impl NamespaceDefaults<'_> {
    /// Sets the namespace of an object, if its kind requires one.
    fn complete(&self, mut object: Value, default: impl FnOnce(&Value) -> String) -> Value {
        let (group, kind) =
            (group_of(text_at(&object, "/apiVersion")).to_owned(), text_at(&object, "/kind").to_owned());
        let is_deployer = is_deployer(&group, &kind);
        let known = (self.scopes)(&group, &kind).or_else(|| self.planned.get(&(group, kind)).copied());
        let scope = known.or_else(|| is_deployer.then_some(ResourceScope::Namespaced));
        let meant = default(&object);
        set_namespace_by_scope(&mut object, scope, || meant);
        object
    }
}

/// Returns the default namespace of an engine.
pub const fn default_engine_namespace(engine: GitOps) -> &'static str {
    match engine {
        GitOps::ArgoCd => crate::adopt::argocd::DEFAULT_NAMESPACE,
        GitOps::Flux => crate::adopt::flux::DEFAULT_NAMESPACE,
    }
}

/// Returns the group and kind of an engine's root objects.
pub const fn root_kind(engine: GitOps) -> (&'static str, &'static str) {
    match engine {
        GitOps::ArgoCd => ("argoproj.io", "Application"),
        GitOps::Flux => ("kustomize.toolkit.fluxcd.io", "Kustomization"),
    }
}

/// Returns the engines whose CRDs are among some objects.
fn installed_engines_in(objects: &[Value]) -> Vec<GitOps> {
    let scopes = planned_scopes(objects);
    let defines = |engine: &GitOps| {
        let (group, kind) = root_kind(*engine);
        scopes.contains_key(&(group.to_owned(), kind.to_owned()))
    };
    [GitOps::ArgoCd, GitOps::Flux].into_iter().filter(defines).collect()
}

/// Returns a deployment for rendering a place that no engine deploys. It provides the release name and namespace of a
/// chart.
fn placeholder_deployment(settings: &BootstrapSettings) -> Deployment {
    Deployment {
        object: ObjectName {
            api_version: String::new(),
            kind: String::new(),
            namespace: None,
            name: "bootstrap".to_owned(),
        },
        engine: GitOps::ArgoCd,
        parts: Vec::new(),
        elsewhere: Vec::new(),
        fetch: SourceFetch::Fetched,
        destination: DeploymentDestination::Here,
        namespace: Some(
            settings.namespace.clone().unwrap_or_else(|| default_engine_namespace(GitOps::ArgoCd).to_owned()),
        ),
        pruning: PruningMode::Off,
        on_deletion: PruningMode::Off,
        sync_options: Vec::new(),
        ignored: Vec::new(),
        common: CommonMetadata::default(),
        post_build: None,
        decryption: DecryptionMode::Off,
        deployed: Vec::new(),
        release: None,
        application_set: None,
        service_account: None,
        project: None,
        references: BTreeMap::new(),
        mode: ReconcileMode::Active,
        trigger: SyncTrigger::Automatic,
        namespace_metadata: None,
        immutables: ImmutableHandling::Fail,
        depends_on: Vec::new(),
    }
}

/// The objects that a deployment applies to the core cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct DeployedObjects<'a> {
    /// The deployment.
    pub deployment: &'a Deployment,
    /// The objects, with their namespaces.
    pub objects: Vec<Value>,
    /// Objects whose names contain variables known only in a cluster.
    pub unnamed: Vec<Value>,
}

/// Returns the default namespace for objects of a deployment.
fn default_namespace(deployment: &Deployment) -> String {
    deployment.namespace.clone().unwrap_or_else(|| DEFAULT.to_owned())
}

/// Substitutes variables in an object, if their values are in the repository.
fn substitute_known_variables(deployment: &Deployment, mut object: Value) -> Value {
    if let Some(post_build) = deployment.post_build.as_ref().filter(|one| one.substitute_from.is_empty()) {
        let mut known = object.clone();
        if substitute(&mut known, &post_build.substitute).is_ok() {
            object = known;
        }
    }
    object
}

/// Returns the objects that deployments apply to the core cluster, without those that their engine ignores.
pub fn deployed_objects<'a>(side: &'a RenderedSide, scopes: ScopeLookup<'_>) -> Vec<DeployedObjects<'a>> {
    let all = side.rendered.values().flat_map(|one| one.objects.iter().flatten());
    let places = NamespaceDefaults { scopes, planned: planned_scopes(all) };
    let here = side.rendered.values().filter(|one| one.deployment.destination == DeploymentDestination::Here);
    here.map(|RenderedDeployment { deployment, objects, .. }| {
        let applied = objects.iter().flatten().filter(|object| !is_skipped(deployment.engine, object));
        let objects = applied.map(|object| {
            places.complete(substitute_known_variables(deployment, object.clone()), |_| default_namespace(deployment))
        });
        let is_unnamed = |object: &Value| {
            let names = [text_at(object, "/metadata/name"), text_at(object, "/metadata/namespace")];
            deployment.post_build.is_some() && names.into_iter().any(has_variables)
        };
        let (unnamed, objects) = objects.partition(is_unnamed);
        DeployedObjects { deployment, objects, unnamed }
    })
    .collect()
}
