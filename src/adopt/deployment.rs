//! What an engine deploys to which app cluster.

use crate::adopt::cluster::AppCluster;
use crate::adopt::flux;
use crate::adopt::registration::Registration;
use crate::model::body::Body;
use crate::model::git_ops::GitOps;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::server::canonical;

/// An Application, Kustomization or HelmRelease that deploys to an app cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterDeployment {
    /// The engine.
    pub engine: GitOps,
    /// The object.
    pub object: ObjectName,
    /// Name of the cluster in the inventory.
    pub cluster: String,
    /// The registration by which it gets there.
    pub registration: ObjectName,
}

/// Every deployment to one of the clusters.
pub(crate) fn all(resources: &[Resource], clusters: &[AppCluster]) -> Vec<ClusterDeployment> {
    let deployed = |resource: &Resource| {
        let engine = match &resource.body {
            Body::Application(_) => GitOps::ArgoCd,
            Body::Flux(_) => GitOps::Flux,
            _ => return None,
        };
        let is_meant = meant_by(resource)?;
        let of_engine = clusters.iter().flat_map(|cluster| {
            cluster.registrations.iter().filter(|known| known.engine == engine).map(move |known| (cluster, known))
        });
        let (cluster, registration) = of_engine.into_iter().find(|(_, known)| is_meant(known))?;
        let (object, registration) = (resource.name(), registration.object.clone());
        Some(ClusterDeployment { engine, object, cluster: cluster.name.clone(), registration })
    };
    resources.iter().filter_map(deployed).collect()
}

/// How to know the registration that an object deploys by.
fn meant_by(resource: &Resource) -> Option<Box<dyn Fn(&Registration) -> bool>> {
    let Body::Application(app) = &resource.body else {
        let reference = flux::Reference::of(resource)?;
        return Some(Box::new(move |known| reference.names(known)));
    };
    let destination = &app.spec.destination;
    let name = destination.name.clone().filter(|name| !name.is_empty());
    let server = destination.server.as_deref().map(canonical);
    Some(Box::new(move |known| match &name {
        Some(name) => known.name == *name,
        None => server.is_some() && known.server.as_deref().map(canonical) == server,
    }))
}
