//! What an engine deploys to which app cluster.

use crate::adopt::flux;
use crate::adopt::inventory::AppCluster;
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
}

/// Every deployment to one of the clusters.
pub(crate) fn all(resources: &[Resource], clusters: &[AppCluster]) -> Vec<ClusterDeployment> {
    let deployed = |resource: &Resource| {
        let (engine, cluster) = match &resource.body {
            Body::Application(app) => {
                let destination = &app.spec.destination;
                let name = destination.name.as_deref().filter(|name| !name.is_empty());
                let server = destination.server.as_deref().map(canonical);
                let is_meant = |cluster: &&AppCluster| {
                    cluster.registrations.iter().filter(|known| known.engine == GitOps::ArgoCd).any(
                        |known| match name {
                            Some(name) => known.name == name,
                            None => server.is_some() && known.server.as_deref().map(canonical) == server,
                        },
                    )
                };
                (GitOps::ArgoCd, clusters.iter().find(is_meant))
            }
            Body::Flux(_) => {
                let reference = flux::Reference::of(resource)?;
                let is_meant = |cluster: &&AppCluster| {
                    cluster.registrations.iter().any(|known| known.engine == GitOps::Flux && reference.names(known))
                };
                (GitOps::Flux, clusters.iter().find(is_meant))
            }
            _ => return None,
        };
        Some(ClusterDeployment { engine, object: resource.name(), cluster: cluster?.name.clone() })
    };
    resources.iter().filter_map(deployed).collect()
}
