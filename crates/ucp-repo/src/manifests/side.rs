//! One side of a comparison: everything that deploys from a tree, rendered. Rendered objects may be deployers
//! themselves, so rendering repeats until there are no new ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt as _;
use serde_json::Value;

use crate::manifests::application_chart::render_pulled;
use crate::manifests::application_set::SetGenerator;
use crate::manifests::capabilities::ClusterCapabilities;
use crate::manifests::chart_library::ChartLibrary;
use crate::manifests::checkout::CheckoutTree;
use crate::manifests::deployer_set::{DeployerSet, declared_deployer};
use crate::manifests::deployment::{Deployment, DeploymentDestination, DeploymentPart, ReconcileMode, RenderMethod};
use crate::manifests::generator::RegisteredCluster;
use crate::manifests::release_renderer::{ReleaseRenderer, RenderRemarks};
use crate::manifests::release_values::{ReferencedValues, SecretValues};
use crate::manifests::renderer::{ManifestRenderer, RenderError};
use crate::manifests::selection::DeploymentSelection;
use crate::manifests::substitution::substitute;
use crate::manifests::unrendered::DeployerInputs;
use crate::manifests::variables::{read_config, read_variables};
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_core::failure::Failure;
use ucp_core::model::object::{ObjectKey, ObjectName};

/// Maximum depth of nested deployers, which may declare themselves.
const DEEPEST: usize = 16;

/// A deployment and its rendered objects.
#[derive(Debug, Clone)]
pub struct RenderedDeployment {
    /// The deployment.
    pub deployment: Deployment,
    /// Its objects, or the reason why there are none.
    pub objects: Result<Vec<Value>, RenderError>,
    /// Remarks on the rendering.
    pub remarks: RenderRemarks,
}

/// The core cluster and local directories that rendering may read besides the tree. Without them, HelmReleases are not
/// rendered.
#[derive(Clone, Copy)]
pub struct RenderSurroundings<'a> {
    /// The core cluster.
    pub core: &'a ConnectedCluster,
    /// Its capabilities.
    pub capabilities: &'a ClusterCapabilities,
    /// Charts that are not in the checkout.
    pub charts: ChartLibrary<'a>,
    /// The tree whose charts are deployed, if it is another one.
    pub deployed: Option<&'a CheckoutTree>,
    /// Whether values of HelmReleases are read from Secrets of the core cluster.
    pub secrets: SecretValues,
}

/// Everything that deploys from one tree.
#[derive(Debug, Default)]
pub struct RenderedSide {
    /// Deployments by name.
    pub rendered: BTreeMap<ObjectKey, RenderedDeployment>,
    /// Applications and Kustomizations that the tree itself declares, with the deployment that declares them.
    pub declared: BTreeMap<ObjectKey, ObjectKey>,
    /// Deployers of the cluster that are not rendered: HelmReleases and ApplicationSets that this tree neither declares
    /// nor decides, and Applications that their ApplicationSet no longer generates.
    pub elsewhere: BTreeMap<ObjectKey, Deployment>,
    /// ApplicationSets that this tree declares or decides, and whose Applications could not be generated, with the reason.
    pub failed: BTreeMap<ObjectKey, String>,
    /// Deployers that are not rendered, and the files of this tree that decide what they deploy.
    pub unrendered: BTreeMap<ObjectKey, DeployerInputs>,
}

/// Renders everything in a tree. `progress` receives the number of rendered parts and the total.
pub async fn render_side(
    tree: &CheckoutTree,
    mut apps: DeployerSet,
    selection: &DeploymentSelection,
    renderer: ManifestRenderer,
    surroundings: Option<RenderSurroundings<'_>>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> RenderedSide {
    let mut side = RenderedSide::default();
    let mut cache = BTreeMap::new();
    let mut hidden = BTreeMap::new();
    let mut failed_sets: BTreeMap<ObjectKey, (Value, String)> = BTreeMap::new();
    let mut gone: BTreeMap<ObjectKey, Deployment> = BTreeMap::new();
    let mut clusters = BTreeMap::new();
    for _ in 0..DEEPEST {
        let declared = side.declared.keys().cloned().collect();
        let mut deployments = apps.deployments(selection, &declared);
        deployments.retain(|_, deployment| surroundings.is_some() || deployment.release.is_none());
        deployments.retain(|key, _| !gone.contains_key(key));
        let sets = apps.application_sets(selection, &declared);
        let current =
            |key: &ObjectKey| deployments.get(key).or_else(|| sets.get(key).map(|(deployment, _)| deployment)).cloned();
        side.rendered.retain(|key, known| current(key).as_ref() == Some(&known.deployment));
        let open_sets: Vec<_> = sets
            .into_iter()
            .filter(|(key, (_, spec))| {
                !side.rendered.contains_key(key) && failed_sets.get(key).is_none_or(|(failed, _)| failed != spec)
            })
            .collect();
        let open = deployments.into_iter().filter(|(key, _)| !side.rendered.contains_key(key));
        let (releases, others): (Vec<_>, Vec<_>) = open.partition(|(_, deployment)| deployment.release.is_some());
        // ConfigMaps with values may be among the objects of others.
        let rendered = match (others.is_empty(), surroundings) {
            (false, _) => render_all(tree, others, renderer, surroundings, &mut cache, progress).await,
            (true, Some(surroundings)) if !open_sets.is_empty() => {
                let mut generated = Vec::new();
                for (key, (deployment, spec)) in open_sets {
                    let namespace = deployment.namespace.clone().unwrap_or_default();
                    if !clusters.contains_key(&namespace) {
                        clusters.insert(namespace.clone(), registered_clusters(surroundings.core, &namespace).await);
                    }
                    let generator =
                        SetGenerator { renderer, tree, checkout: selection, clusters: &clusters[&namespace] };
                    match generator.generate(&deployment.object, &spec).await {
                        Ok(objects) => generated.push((key, generated_set(deployment, objects, &spec))),
                        Err(error) => drop(failed_sets.insert(key, (spec, error.to_string()))),
                    }
                }
                for (_, set) in &generated {
                    let names: Vec<ObjectKey> = set
                        .objects
                        .iter()
                        .flatten()
                        .map(|object| ObjectKey::from(&ObjectName::from_manifest(object)))
                        .collect();
                    let lost = set.deployment.deployed.iter().filter(|key| !names.contains(key));
                    gone.extend(lost.filter_map(|key| Some((key.clone(), apps.any_application(key, selection)?))));
                }
                side.rendered.retain(|key, _| !gone.contains_key(key));
                generated
            }
            (true, Some(surroundings)) if !releases.is_empty() => {
                render_releases(tree, releases, renderer, surroundings, &side, &hidden).await
            }
            _ => break,
        };
        let keys: Vec<ObjectKey> = rendered.iter().map(|(key, _)| key.clone()).collect();
        side.rendered.extend(rendered);
        for key in keys {
            let rendered = &side.rendered[&key];
            let variables = match surroundings {
                Some(surroundings) if rendered.deployment.post_build.is_some() => {
                    Some(side.variables(surroundings.core, &rendered.deployment).await)
                }
                _ => None,
            };
            // A suspended deployer does not apply the deployers that it declares.
            let applies = surroundings.is_none() || rendered.deployment.mode == ReconcileMode::Active;
            for object in rendered.objects.iter().flatten().filter(|_| applies) {
                let mut object = object.clone();
                let substituted = match &variables {
                    Some(Ok(variables)) => substitute(&mut object, variables),
                    Some(Err(reason)) if object.to_string().contains("${") => Err(reason.clone()),
                    _ => Ok(()),
                };
                let Some(name) = declared_deployer(&rendered.deployment, &object) else { continue };
                let name_key = ObjectKey::from(&name);
                if let Err(reason) = substituted {
                    hidden.insert(name_key.clone(), format!("its declaration has variables: {reason}"));
                }
                if apps.add_declared(&name, &object) {
                    side.declared.insert(name_key, key.clone());
                }
            }
        }
    }
    if surroundings.is_some() {
        side.elsewhere = apps.all_releases(selection);
        side.elsewhere.extend(apps.all_sets());
        // If the merge removes one of them, Argo CD deletes its objects with it, wherever their source is.
        let deployed = side.rendered.values().flat_map(|one| &one.deployment.deployed);
        let unrendered = deployed.filter(|key| !side.rendered.contains_key(key));
        side.elsewhere.extend(unrendered.filter_map(|key| Some((key.clone(), apps.any_application(key, selection)?))));
        side.elsewhere.extend(gone);
        side.elsewhere.retain(|key, _| !side.rendered.contains_key(key));
    }
    side.unrendered = apps.unrendered(tree, selection);
    side.unrendered.retain(|key, _| side.rendered.get(key).is_none_or(|one| !one.deployment.elsewhere.is_empty()));
    failed_sets.retain(|key, _| !side.rendered.contains_key(key));
    side.failed = failed_sets.into_iter().map(|(key, (_, reason))| (key, reason)).collect();
    for (key, inputs) in &mut side.unrendered {
        if let Some(reason) = side.failed.get(key) {
            inputs.reason = Some(reason.clone());
        }
    }
    side
}

/// Returns an ApplicationSet with its Applications.
fn generated_set(deployment: Deployment, objects: Vec<Value>, spec: &Value) -> RenderedDeployment {
    let mut remarks = RenderRemarks::default();
    if spec.pointer("/strategy/type").and_then(Value::as_str) == Some("RollingSync") {
        remarks.facts.push("its Applications are synced in steps (RollingSync)".to_owned());
    }
    RenderedDeployment { deployment, objects: Ok(objects), remarks }
}

/// Returns the clusters that are registered with the Argo CD of a namespace. Their credentials are dropped.
async fn registered_clusters(core: &ConnectedCluster, namespace: &str) -> Result<Vec<RegisteredCluster>, Failure> {
    let kind = core.find_preferred("", "Secret").await?.ok_or("the core cluster serves no Secrets")?;
    let path = kind.path(Some(namespace)).with_query("limit", "500");
    let path = path.with_query("labelSelector", "argocd.argoproj.io/secret-type=cluster");
    let secrets = core.list_objects(&path).await;
    let secrets =
        secrets.map_err(|error| format!("its clusters generator needs Argo CD's cluster Secrets: {error}"))?;
    Ok(secrets.iter().map(RegisteredCluster::from_secret).collect())
}

/// Renders HelmReleases. `hidden` are those whose own declaration is not known, with the reason.
async fn render_releases(
    tree: &CheckoutTree,
    releases: Vec<(ObjectKey, Deployment)>,
    renderer: ManifestRenderer,
    surroundings: RenderSurroundings<'_>,
    side: &RenderedSide,
    hidden: &BTreeMap<ObjectKey, String>,
) -> Vec<(ObjectKey, RenderedDeployment)> {
    let RenderSurroundings { core, capabilities, charts, deployed, secrets } = surroundings;
    let releases_of = ReleaseRenderer { renderer, tree, deployed, charts, capabilities };
    let parallel = std::thread::available_parallelism().map_or(2, usize::from);
    let releases_of = &releases_of;
    futures::stream::iter(releases)
        .map(|(key, deployment)| async move {
            let (objects, remarks) = match hidden.get(&key) {
                Some(reason) => (Err(RenderError::Unsupported(reason.clone())), RenderRemarks::default()),
                None => {
                    releases_of.render(&deployment, referenced_values(core, secrets, side, &deployment).await).await
                }
            };
            (key, RenderedDeployment { deployment, objects, remarks })
        })
        .buffer_unordered(parallel)
        .collect()
        .await
}

/// Returns the objects of a HelmRelease's `valuesFrom`: as the checkout declares them, or else from the cluster.
async fn referenced_values(
    core: &ConnectedCluster,
    secrets: SecretValues,
    side: &RenderedSide,
    deployment: &Deployment,
) -> Result<ReferencedValues, Failure> {
    let namespace = deployment.object.namespace.clone().unwrap_or_default();
    let mut found = ReferencedValues::default();
    let references = deployment.release_recipe().map(|recipe| recipe.values_from.as_slice()).unwrap_or_default();
    for reference in references {
        let wanted = ObjectName::in_core_group(&reference.kind, Some(&namespace), &reference.name);
        let declared = side.declared_object(&wanted);
        let object = match declared {
            Some(object) if object.get("sops").is_none() && !object.to_string().contains("${") => Some(object),
            _ if reference.kind != "ConfigMap" && secrets == SecretValues::Withheld => {
                found.withheld.get_or_insert_with(|| reference.name.clone());
                continue;
            }
            _ => read_config(core, &reference.kind, &namespace, &reference.name).await.map_err(|reason| {
                format!("its values in {} {} cannot be read: {reason}", reference.kind, reference.name)
            })?,
        };
        found.objects.push((reference.clone(), object));
    }
    Ok(found)
}

impl RenderedSide {
    /// Returns the variables of a Kustomization: the ConfigMaps that this side declares, or else those of the core cluster.
    ///
    /// # Errors
    /// Fails when they are not known.
    pub async fn variables(
        &self,
        core: &ConnectedCluster,
        deployment: &Deployment,
    ) -> Result<BTreeMap<String, String>, Failure> {
        read_variables(core, deployment, &|wanted| self.declared_object(wanted)).await
    }

    /// Returns true if a deployment of this side declares an object of the core cluster.
    pub fn declares(&self, wanted: &ObjectName) -> bool {
        self.declared_object(wanted).is_some()
    }

    /// Returns an object of the core cluster that a deployment of this side declares.
    fn declared_object(&self, wanted: &ObjectName) -> Option<Value> {
        let here = self.rendered.values().filter(|one| one.deployment.destination == DeploymentDestination::Here);
        let mut found = here.flat_map(|one| {
            one.objects.iter().flatten().filter(|object| {
                // Most objects have another name, and no other part of it is read.
                if object.pointer("/metadata/name").and_then(Value::as_str) != Some(&wanted.name) {
                    return false;
                }
                let name = ObjectName::from_manifest(object);
                let namespace = name.namespace.as_ref().or(one.deployment.namespace.as_ref());
                name.kind == wanted.kind && name.group() == wanted.group() && namespace == wanted.namespace.as_ref()
            })
        });
        found.next().cloned()
    }
}

/// A part's identity, its deployment, and the part.
type RenderTask = (String, Deployment, DeploymentPart);
type RenderCache = BTreeMap<String, Arc<(Result<Vec<Value>, RenderError>, RenderRemarks)>>;

async fn render_all(
    tree: &CheckoutTree,
    open: Vec<(ObjectKey, Deployment)>,
    renderer: ManifestRenderer,
    surroundings: Option<RenderSurroundings<'_>>,
    cache: &mut RenderCache,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Vec<(ObjectKey, RenderedDeployment)> {
    let mut tasks: BTreeMap<String, RenderTask> = BTreeMap::new();
    for (_, deployment) in &open {
        for part in &deployment.parts {
            let identity = render_key(deployment, part);
            if !cache.contains_key(&identity) {
                tasks.insert(identity.clone(), (identity, deployment.clone(), part.clone()));
            }
        }
    }
    let total = tasks.len();
    let parallel = std::thread::available_parallelism().map_or(2, usize::from);
    let mut running = futures::stream::iter(tasks.into_values())
        .map(|(identity, deployment, part)| async move {
            let capabilities = surroundings.map(|surroundings| surroundings.capabilities);
            let rendered = match (&part.recipe, surroundings) {
                (RenderMethod::Pulled(source), Some(surroundings)) => {
                    let charts = surroundings.charts;
                    render_pulled(renderer, tree, (&deployment, source), capabilities, charts).await
                }
                _ => (renderer.render(tree, &deployment, &part, capabilities).await, RenderRemarks::default()),
            };
            (identity, rendered)
        })
        .buffer_unordered(parallel);
    while let Some((identity, result)) = running.next().await {
        cache.insert(identity, Arc::new(result));
        progress(cache.len(), total.max(cache.len()));
    }
    drop(running);
    let collect = |deployment: &Deployment| {
        let (mut objects, mut remarks) = (Ok(Vec::new()), RenderRemarks::default());
        for rendered in deployment.parts.iter().filter_map(|part| cache.get(&render_key(deployment, part))) {
            let (result, own) = rendered.as_ref();
            remarks.add_part(own);
            match (&mut objects, result) {
                (Ok(objects), Ok(more)) => objects.extend(more.iter().cloned()),
                (Ok(_), Err(error)) => objects = Err(error.clone()),
                (Err(_), _) => {}
            }
        }
        (objects, remarks)
    };
    open.into_iter()
        .map(|(key, deployment)| {
            let (objects, remarks) = collect(&deployment);
            (key, RenderedDeployment { deployment, objects, remarks })
        })
        .collect()
}

/// Returns a key of everything that affects the rendering of a part: many deployments often share one directory.
fn render_key(deployment: &Deployment, part: &DeploymentPart) -> String {
    match &part.recipe {
        // Charts use the release's name and namespace, and files of other sources.
        RenderMethod::Helm(_) | RenderMethod::Pulled(_) | RenderMethod::Detect => {
            let Deployment { object, namespace, destination, references, .. } = deployment;
            let (path, recipe, name) = (&part.path, &part.recipe, &object.name);
            format!("{path} {recipe:?} {name} {namespace:?} {destination:?} {references:?}")
        }
        recipe => format!("{} {recipe:?}", part.path),
    }
}
