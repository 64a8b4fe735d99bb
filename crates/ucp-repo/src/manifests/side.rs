//! One side of a comparison: everything that deploys from a tree, rendered. Rendered objects may be Applications or
//! Kustomizations themselves, so rendering repeats until there are no new ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt as _;
use serde_json::Value;

use crate::manifests::checkout::CheckoutTree;
use crate::manifests::deployment::{Deployment, DeploymentPart};
use crate::manifests::renderer::{ManifestRenderer, RenderError};
use crate::manifests::selection::{DeployerSet, DeploymentSelection, declared_deployer};
use crate::manifests::unrendered::DeployerInputs;
use ucp_core::model::object::ObjectKey;

/// Maximum depth of nested Applications, which may declare themselves.
const DEEPEST: usize = 8;

/// A deployment and its rendered objects.
#[derive(Debug, Clone)]
pub struct RenderedDeployment {
    /// The deployment.
    pub deployment: Deployment,
    /// Its objects, or the reason why there are none.
    pub objects: Result<Vec<Value>, RenderError>,
}

/// Everything that deploys from one tree.
#[derive(Debug, Default)]
pub struct RenderedSide {
    /// Deployments by name.
    pub rendered: BTreeMap<ObjectKey, RenderedDeployment>,
    /// Applications and Kustomizations that the tree itself declares, with the deployment that declares them.
    pub declared: BTreeMap<ObjectKey, ObjectKey>,
    /// Deployers that are not rendered, and the files of this tree that decide what they deploy.
    pub unrendered: BTreeMap<ObjectKey, DeployerInputs>,
}

/// Renders everything in a tree. `progress` receives the number of rendered parts and the total.
pub async fn render_side(
    tree: &CheckoutTree,
    mut apps: DeployerSet,
    selection: &DeploymentSelection,
    renderer: ManifestRenderer,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> RenderedSide {
    let mut side = RenderedSide::default();
    let mut cache = BTreeMap::new();
    for _ in 0..DEEPEST {
        let deployments = apps.deployments(selection);
        side.rendered.retain(|key, known| deployments.get(key) == Some(&known.deployment));
        let open: Vec<_> = deployments.into_iter().filter(|(key, _)| !side.rendered.contains_key(key)).collect();
        if open.is_empty() {
            break;
        }
        for (key, rendered) in render_all(tree, open, renderer, &mut cache, progress).await {
            for object in rendered.objects.iter().flatten() {
                if let Some(name) = declared_deployer(&rendered.deployment, object)
                    && apps.add_declared(&name, object)
                {
                    side.declared.insert(ObjectKey::from(&name), key.clone());
                }
            }
            side.rendered.insert(key, rendered);
        }
    }
    side.unrendered = apps.unrendered(tree, selection);
    side
}

/// A part's identity, its deployment, and the part.
type RenderTask = (String, Deployment, DeploymentPart);
type RenderCache = BTreeMap<String, Arc<Result<Vec<Value>, RenderError>>>;

async fn render_all(
    tree: &CheckoutTree,
    open: Vec<(ObjectKey, Deployment)>,
    renderer: ManifestRenderer,
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
        .map(|(identity, deployment, part)| async move { (identity, renderer.render(tree, &deployment, &part).await) })
        .buffer_unordered(parallel);
    while let Some((identity, result)) = running.next().await {
        cache.insert(identity, Arc::new(result));
        progress(cache.len(), total.max(cache.len()));
    }
    drop(running);
    let collect = |deployment: &Deployment| {
        let mut objects = Vec::new();
        for part in &deployment.parts {
            if let Some(result) = cache.get(&render_key(deployment, part)) {
                objects.extend(result.as_ref().clone()?);
            }
        }
        Ok(objects)
    };
    open.into_iter()
        .map(|(key, deployment)| {
            let objects = collect(&deployment);
            (key, RenderedDeployment { deployment, objects })
        })
        .collect()
}

/// Returns a key of everything that affects the rendering of a part: many deployments often share one directory.
fn render_key(deployment: &Deployment, part: &DeploymentPart) -> String {
    use crate::manifests::deployment::RenderMethod;
    match &part.recipe {
        // Charts use the release's name and namespace.
        RenderMethod::Helm(_) | RenderMethod::Detect => {
            format!("{} {:?} {} {:?}", part.path, part.recipe, deployment.object.name, deployment.namespace)
        }
        recipe => format!("{} {recipe:?}", part.path),
    }
}
