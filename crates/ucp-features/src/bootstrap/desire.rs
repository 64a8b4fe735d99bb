//! The desired state of a core cluster: objects that `bootstrap` applies, objects that the engines apply from Git, and
//! Secrets that neither provides.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::demand::{RequiredSecret, RequiredSecrets, demand_sealed, demands};
use super::gather::{CheckoutContents, DeployedObjects, RenderedPlace};
use super::sealed::is_sealed;
use super::wave::{Wave, is_deployer};
use crate::adopt::names::NamespacedName;
use crate::adopt::provisioner;
use ucp_client::prediction::cluster::text_at;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::error::{Error, Result};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::{ObjectKey, ObjectName, group_of};
use ucp_core::model::resource::Resource;
use ucp_repo::gitops::config::BootstrapSettings;
use ucp_repo::gitops::path::is_below;
use ucp_repo::manifests::deployment::{Deployment, DeploymentDestination};
use ucp_repo::manifests::side::RenderedDeployment;

use ucp_client::source::snapshot;

/// An object that should exist.
#[derive(Debug, Clone, PartialEq)]
pub struct DesiredObject {
    /// The wave in which it is created.
    pub wave: Wave,
    /// The name of the object.
    pub object: ObjectName,
    /// The manifest of the object.
    pub manifest: Value,
    /// A path of the repository, or the deployment that applies it.
    pub from: String,
    /// The default namespace for an object that `bootstrap` applies, if it has none and its kind requires one.
    pub home: Option<String>,
}

/// An app cluster that is provisioned or that a deployment targets.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DesiredCluster {
    /// The name in Argo CD or Flux, or the name of the object that provisions it.
    pub name: String,
    /// The object that provisions it, or the first one that is deployed to it.
    pub object: ObjectName,
    /// The reason why it is needed.
    pub reason: String,
}

/// The desired state in a repository.
#[derive(Debug, Default)]
pub struct DesiredState {
    /// Engines that the repository installs.
    pub installs: BTreeSet<GitOps>,
    /// Engines that its roots require.
    pub needs: BTreeSet<GitOps>,
    /// Objects that `bootstrap` applies, in order.
    pub applied: Vec<DesiredObject>,
    /// Objects that the engines apply, in order.
    pub followed: Vec<DesiredObject>,
    /// Objects that the engines apply, and Secrets that nothing provides, whose names contain variables known only in a
    /// cluster.
    pub unnamed: Vec<ObjectName>,
    /// Secrets that nothing provides, with known names.
    pub demands: Vec<RequiredSecret>,
    /// Objects other than Secrets that `bootstrap` would apply and that are encrypted with SOPS.
    pub sealed: Vec<ObjectName>,
    /// The app clusters.
    pub clusters: Vec<DesiredCluster>,
    /// Deployments to app clusters, each with the name of its cluster.
    pub bound_for: BTreeMap<ObjectKey, String>,
}

impl DesiredState {
    /// Determines the desired state from the contents of a checkout.
    ///
    /// # Errors
    /// Fails when two places install the same engine, and the settings do not select one.
    pub fn from_checkout(
        gathered: &CheckoutContents,
        brought: &[DeployedObjects<'_>],
        settings: &BootstrapSettings,
    ) -> Result<Self> {
        let installs = installed_engines(&gathered.units)?;
        let cover = DeploymentCoverage::from_gathered(gathered);
        // The server would reject objects encrypted with SOPS in the middle of the run, or store ciphertext.
        let (sealed, applied): (Vec<DesiredObject>, Vec<DesiredObject>) =
            applied_objects(&gathered.units, &cover).into_iter().partition(|wanted| is_sealed(&wanted.manifest));
        let needs = applied.iter().filter_map(|wanted| engine_of(&wanted.object)).collect();
        let here: Vec<&Value> = applied
            .iter()
            .map(|wanted| &wanted.manifest)
            .chain(brought.iter().flat_map(|one| one.objects.iter().chain(&one.unnamed)))
            .collect();
        let RequiredSecrets { named: mut demands, unnamed } = demands(here.iter().copied(), settings);
        let (secrets, sealed): (Vec<DesiredObject>, Vec<DesiredObject>) =
            sealed.into_iter().partition(|wanted| wanted.object.kind == "Secret");
        for DesiredObject { object, manifest, from, .. } in &secrets {
            demand_sealed(&mut demands, object, manifest, from);
        }
        let followed: Vec<DesiredObject> =
            followed_objects(&applied, brought, |one| &one.objects).into_iter().map(FollowedObject::wanted).collect();
        let others = self::followed_objects(&applied, brought, |one| &one.unnamed).into_iter().map(|one| one.object);
        let unnamed = others.chain(unnamed.iter().map(NamespacedName::secret)).collect();
        let away = || {
            gathered
                .side
                .rendered
                .values()
                .filter_map(|one| Some((&one.deployment.object, app_cluster_name(&one.deployment)?)))
        };
        let clusters = desired_clusters(&applied, &followed, away());
        let bound_for = away().map(|(object, cluster)| (ObjectKey::from(object), cluster.to_owned())).collect();
        let sealed = sealed.into_iter().map(|wanted| wanted.object).collect();
        Ok(Self { installs, needs, applied, followed, unnamed, demands, sealed, clusters, bound_for })
    }

    /// Returns the namespaces that Secrets need before anything else creates them.
    pub fn namespaces(&self) -> Vec<ObjectName> {
        let known: BTreeSet<&str> = self
            .applied
            .iter()
            .filter(|one| one.object.kind == "Namespace")
            .map(|one| one.object.name.as_str())
            .collect();
        let needed = self.demands.iter().map(|demand| demand.secret.namespace.as_str());
        let own = self.applied.iter().filter_map(|one| one.object.namespace.as_deref());
        let lacking: BTreeSet<&str> = needed.chain(own).filter(|name| !known.contains(name)).collect();
        lacking.into_iter().map(|name| ObjectName::from_manifest(&namespace(name))).collect()
    }
}

/// Returns the manifest of a namespace.
pub fn namespace(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
}

fn installed_engines(units: &[RenderedPlace]) -> Result<BTreeSet<GitOps>> {
    let mut by_engine: BTreeMap<GitOps, Vec<&str>> = BTreeMap::new();
    for unit in units {
        for engine in &unit.installs {
            by_engine.entry(*engine).or_default().push(&unit.path);
        }
    }
    match by_engine.iter().find(|(_, paths)| paths.len() > 1) {
        Some((engine, paths)) => Err(Error::usage(format!(
            "{} is installed from {} places: {}",
            engine.title(),
            paths.len(),
            paths.join(", ")
        ))
        .hint("name the directory of this cluster: 'kubectl ucp bootstrap DIRECTORY', or 'bootstrap: {engine: PATH}' in .ucp.yaml")),
        None => Ok(by_engine.into_keys().collect()),
    }
}

/// Returns the engine that handles an object.
pub fn engine_of(object: &ObjectName) -> Option<GitOps> {
    match object.group() {
        // Argo Rollouts has the same group.
        "argoproj.io" if !is_deployer("argoproj.io", &object.kind) => None,
        "argoproj.io" => Some(GitOps::ArgoCd),
        group if group.ends_with(".toolkit.fluxcd.io") => Some(GitOps::Flux),
        _ => None,
    }
}

/// The deployments that apply each object.
struct DeploymentCoverage<'a> {
    by_object: BTreeMap<ObjectKey, BTreeSet<ObjectKey>>,
    /// Deployments that could not be rendered. Any object below their directories may belong to them.
    unknown: Vec<(&'a ObjectKey, &'a Deployment)>,
}

impl<'a> DeploymentCoverage<'a> {
    fn from_gathered(gathered: &'a CheckoutContents) -> Self {
        let mut cover = Self { by_object: BTreeMap::new(), unknown: Vec::new() };
        for (key, RenderedDeployment { deployment, objects, .. }) in &gathered.side.rendered {
            match objects {
                Ok(objects) => {
                    for object in objects {
                        let mut name = ObjectName::from_manifest(object);
                        let by = |name: &ObjectName| ObjectKey::from(name);
                        cover.by_object.entry(by(&name)).or_default().insert(key.clone());
                        name.namespace = name.namespace.or_else(|| deployment.namespace.clone());
                        cover.by_object.entry(by(&name)).or_default().insert(key.clone());
                    }
                }
                Err(_) => cover.unknown.push((key, deployment)),
            }
        }
        cover
    }

    /// Returns the deployments that apply an object, without the object itself.
    fn parents(&self, object: &ObjectKey, path: &str) -> BTreeSet<ObjectKey> {
        let mut parents = self.by_object.get(object).cloned().unwrap_or_default();
        let is_theirs = |deployment: &Deployment| {
            deployment.parts.iter().any(|part| part.path == path || is_below(path, &part.path))
        };
        parents.extend(self.unknown.iter().filter(|(_, one)| is_theirs(one)).map(|(key, _)| (*key).clone()));
        parents.remove(object);
        parents
    }
}

/// Returns the objects that `bootstrap` applies: the installation of the engines, and the roots.
fn applied_objects(units: &[RenderedPlace], cover: &DeploymentCoverage<'_>) -> Vec<DesiredObject> {
    let mut parents: BTreeMap<ObjectKey, BTreeSet<ObjectKey>> = BTreeMap::new();
    for (unit, object) in all_objects(units) {
        let key = ObjectKey::from(&ObjectName::from_manifest(object));
        parents.insert(key.clone(), cover.parents(&key, &unit.path));
    }
    let mut roots: BTreeSet<ObjectKey> = BTreeSet::new();
    for (key, by) in &parents {
        if by.is_empty() {
            roots.insert(key.clone());
        }
    }
    // If deployments declare each other, one of them must be the first.
    let deployers = || {
        all_objects(units)
            .map(|(_, object)| ObjectName::from_manifest(object))
            .filter(|name| is_deployer(name.group(), &name.kind))
    };
    loop {
        let reached = reachable_objects(&roots, &parents);
        let lost = deployers().map(|name| ObjectKey::from(&name)).filter(|key| !reached.contains(key)).min();
        match lost {
            Some(key) => roots.insert(key),
            None => break,
        };
    }
    let named: BTreeSet<(&str, &str)> = all_objects(units)
        .filter(|(_, object)| roots.contains(&ObjectKey::from(&ObjectName::from_manifest(object))))
        .flat_map(|(_, object)| prerequisites_of(object))
        .collect();
    let mut seen = BTreeSet::new();
    let mut applied = Vec::new();
    for (unit, object) in all_objects(units) {
        let name = ObjectName::from_manifest(object);
        let key = ObjectKey::from(&name);
        let is_deployer = is_deployer(name.group(), &name.kind);
        let installs = !unit.installs.is_empty() && !is_deployer;
        // A root does nothing until its project or source exists, even if a deployment applies that later.
        let is_needed = is_deployer && named.contains(&(name.kind.as_str(), name.name.as_str()));
        if (installs || is_needed || roots.contains(&key)) && seen.insert(key) {
            applied.push(DesiredObject {
                wave: Wave::for_applied(object),
                object: name,
                manifest: object.clone(),
                from: unit.path.clone(),
                home: Some(unit.default_namespace_of(object)),
            });
        }
    }
    // Projects and sources must exist before the objects that refer to them.
    applied.sort_by_cached_key(|wanted| {
        let kind = &wanted.object.kind;
        (wanted.wave, crate::plan::order::apply_rank(kind, Some(&wanted.manifest)), deploys(kind))
    });
    applied
}

/// Returns the kinds and names of objects that a deployment requires to start: its project, or its source.
fn prerequisites_of(deployment: &Value) -> Vec<(&str, &str)> {
    let project = Some(("AppProject", text_at(deployment, "/spec/project")));
    let sources = ["/spec/sourceRef", "/spec/chartRef", "/spec/chart/spec/sourceRef"];
    let source = sources.iter().filter_map(|pointer| deployment.pointer(pointer));
    let sources = source.map(|source| (text_at(source, "/kind"), text_at(source, "/name")));
    project.into_iter().chain(sources).filter(|(_, name)| !name.is_empty()).collect()
}

fn all_objects(units: &[RenderedPlace]) -> impl Iterator<Item = (&RenderedPlace, &Value)> {
    units.iter().flat_map(|unit| unit.objects.iter().map(move |object| (unit, object)))
}

/// Returns the objects that result from roots.
fn reachable_objects(
    roots: &BTreeSet<ObjectKey>,
    parents: &BTreeMap<ObjectKey, BTreeSet<ObjectKey>>,
) -> BTreeSet<ObjectKey> {
    let mut reached = roots.clone();
    loop {
        let more: Vec<_> = parents
            .iter()
            .filter(|(key, by)| {
                !reached.contains(*key) && by.iter().any(|one| reached.contains(one) || !parents.contains_key(one))
            })
            .map(|(key, _)| key.clone())
            .collect();
        if more.is_empty() {
            return reached;
        }
        reached.extend(more);
    }
}

/// An object that `bootstrap` waits for.
struct FollowedObject<'a> {
    wave: Wave,
    object: ObjectName,
    manifest: &'a Value,
    deployment: &'a Deployment,
}

impl FollowedObject<'_> {
    fn wanted(self) -> DesiredObject {
        let Self { wave, object, manifest, deployment } = self;
        DesiredObject { wave, object, manifest: manifest.clone(), from: deployment.object.kind_and_name(), home: None }
    }
}

/// Returns the objects that the engines apply to the core cluster, as far as other objects depend on them.
fn followed_objects<'a>(
    applied: &[DesiredObject],
    brought: &'a [DeployedObjects<'_>],
    objects: impl Fn(&'a DeployedObjects<'_>) -> &'a [Value],
) -> Vec<FollowedObject<'a>> {
    let known: BTreeSet<ObjectKey> = applied.iter().map(|wanted| ObjectKey::from(&wanted.object)).collect();
    let mut by: BTreeMap<ObjectKey, (&Value, &Deployment)> = BTreeMap::new();
    for one in brought {
        for object in objects(one) {
            by.entry(ObjectKey::from(&ObjectName::from_manifest(object))).or_insert((object, one.deployment));
        }
    }
    let resources = resources(&by.values().map(|(object, _)| *object).collect::<Vec<_>>());
    let mut followed: Vec<FollowedObject<'a>> = resources
        .into_iter()
        .filter_map(|resource| {
            let (key, object) = (resource.key(), resource.name());
            let wave = match role(&resource.kind) {
                _ if is_deployer(&resource.kind.group, &resource.kind.kind) => {
                    deploys(&object.kind).then_some(Wave::Deployments)
                }
                Some(CrossplaneRole::Package) => Some(Wave::Packages),
                Some(CrossplaneRole::ProviderConfig) => Some(Wave::ProviderConfigs),
                Some(CrossplaneRole::Managed | CrossplaneRole::Composite | CrossplaneRole::Claim) => {
                    Some(Wave::Resources)
                }
                Some(CrossplaneRole::Revision | CrossplaneRole::Composition) => None,
                None => provisioner::is_cluster(&resource.kind).then_some(Wave::Resources),
            }?;
            let (manifest, deployment) = by.get(&key).filter(|_| !known.contains(&key))?;
            Some(FollowedObject { wave, object, manifest, deployment })
        })
        .collect();
    followed.sort_by_cached_key(|one| {
        (one.wave, crate::plan::order::apply_rank(&one.object.kind, Some(one.manifest)), one.object.clone())
    });
    followed
}

/// Returns true if objects of a kind deploy others, unlike projects and sources.
pub fn deploys(kind: &str) -> bool {
    matches!(kind, "Application" | "ApplicationSet" | "Kustomization" | "HelmRelease")
}

/// Returns manifests as resources of a cluster, with their kinds.
fn resources(objects: &[&Value]) -> Vec<Resource> {
    snapshot::resources_from_objects(objects, &|_| Some(KindRequest::all(BodyShape::Metadata)))
}

/// Returns the app clusters that are provisioned, and those that deployments target.
fn desired_clusters<'a>(
    applied: &[DesiredObject],
    followed: &[DesiredObject],
    away: impl Iterator<Item = (&'a ObjectName, &'a str)>,
) -> Vec<DesiredCluster> {
    let mut clusters: BTreeMap<String, DesiredCluster> = BTreeMap::new();
    for wanted in applied.iter().chain(followed) {
        let kind =
            ucp_core::model::kind::ResourceKind::guess(group_of(&wanted.object.api_version), &wanted.object.kind);
        if provisioner::is_cluster(&kind) {
            let reason = format!("created by {}", wanted.object.kind_and_name());
            let (name, object) = (wanted.object.name.clone(), wanted.object.clone());
            clusters.insert(name.clone(), DesiredCluster { name, object, reason });
        }
    }
    for (object, name) in away {
        if !clusters.contains_key(name) {
            let reason = format!("{} deploys there", object.kind_and_name());
            clusters.insert(name.to_owned(), DesiredCluster { name: name.to_owned(), object: object.clone(), reason });
        }
    }
    clusters.into_values().collect()
}

/// Returns the name of the app cluster that a deployment targets.
fn app_cluster_name(deployment: &Deployment) -> Option<&str> {
    match &deployment.destination {
        DeploymentDestination::Named(name) | DeploymentDestination::Identity(name) => Some(name),
        // The naming scheme of adoption.
        DeploymentDestination::KubeConfig { secret, .. } => Some(secret.strip_suffix("-kubeconfig").unwrap_or(secret)),
        DeploymentDestination::Here | DeploymentDestination::Server(_) => None,
    }
}
