//! One side of a comparison: everything that deploys from a tree, rendered. Rendered objects may be Applications or
//! Kustomizations themselves, so rendering repeats until there are no new ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt as _;
use serde_json::Value;

use crate::manifests::checkout::Tree;
use crate::manifests::deployment::{Deployment, Part};
use crate::manifests::renderer::{RenderError, Renderer};
use crate::manifests::selection::{Apps, Selection, declares_more};
use crate::model::object::ObjectKey;

/// Maximum depth of nested Applications, which may declare themselves.
const DEEPEST: usize = 8;

/// A deployment and its rendered objects.
#[derive(Debug, Clone)]
pub struct Rendered {
    /// The deployment.
    pub deployment: Deployment,
    /// Its objects, or the reason why there are none.
    pub objects: Result<Vec<Value>, RenderError>,
}

/// Everything that deploys from one tree.
#[derive(Debug, Default)]
pub struct Side {
    /// Deployments by name.
    pub rendered: BTreeMap<ObjectKey, Rendered>,
    /// Applications and Kustomizations that the tree itself declares, with the deployment that declares them.
    pub declared: BTreeMap<ObjectKey, ObjectKey>,
}

/// Renders everything in a tree. `progress` receives the number of rendered parts and the total.
pub async fn render(
    tree: &Tree,
    mut apps: Apps,
    selection: &Selection,
    renderer: Renderer,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Side {
    let mut side = Side::default();
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
                if let Some(name) = declares_more(&rendered.deployment, object)
                    && apps.declare(&name, object)
                {
                    side.declared.insert(ObjectKey::from(&name), key.clone());
                }
            }
            side.rendered.insert(key, rendered);
        }
    }
    side
}

/// A part's identity, its deployment, and the part.
type Task = (String, Deployment, Part);
type Cache = BTreeMap<String, Arc<Result<Vec<Value>, RenderError>>>;

async fn render_all(
    tree: &Tree,
    open: Vec<(ObjectKey, Deployment)>,
    renderer: Renderer,
    cache: &mut Cache,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Vec<(ObjectKey, Rendered)> {
    let mut tasks: BTreeMap<String, Task> = BTreeMap::new();
    for (_, deployment) in &open {
        for part in &deployment.parts {
            let identity = identity(deployment, part);
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
            if let Some(result) = cache.get(&identity(deployment, part)) {
                objects.extend(result.as_ref().clone()?);
            }
        }
        Ok(objects)
    };
    open.into_iter()
        .map(|(key, deployment)| {
            let objects = collect(&deployment);
            (key, Rendered { deployment, objects })
        })
        .collect()
}

/// Returns a key of everything that affects the rendering of a part: many deployments often share one directory.
fn identity(deployment: &Deployment, part: &Part) -> String {
    use crate::manifests::deployment::Recipe;
    match &part.recipe {
        // Charts use the release's name and namespace.
        Recipe::Helm(_) | Recipe::Detect => {
            format!("{} {:?} {} {:?}", part.path, part.recipe, deployment.object.name, deployment.namespace)
        }
        recipe => format!("{} {recipe:?}", part.path),
    }
}
