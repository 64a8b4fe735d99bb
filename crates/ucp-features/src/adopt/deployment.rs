//! The objects that engines deploy to app clusters.

use std::collections::BTreeSet;

use crate::adopt::cluster::AppCluster;
use crate::adopt::registration::Registration;
use ucp_core::engine;
use ucp_core::graph::link::{ClusterName, LinkEnd, Relation};
use ucp_core::model::body::Body;
use ucp_core::model::body::argocd::ApplicationDestination;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::server::canonical_url;

/// An Application, Kustomization or HelmRelease that deploys to an app cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterDeployment {
    /// The engine of the deployer.
    pub engine: GitOps,
    /// The Application, Kustomization, or HelmRelease.
    pub object: ObjectName,
    /// Name of the destination cluster in the inventory.
    pub cluster: String,
    /// The registration by which the engine reaches the cluster.
    pub registration: ObjectName,
    /// The API groups of the deployed objects, as far as the deployer's status lists them.
    pub groups: BTreeSet<String>,
}

/// Returns every deployment to one of the clusters, by the links that the engines declare.
pub(crate) fn all(resources: &[Resource], clusters: &[AppCluster]) -> Vec<ClusterDeployment> {
    let deployed = |resource: &Resource| {
        let engine = match &resource.body {
            Body::Application(_) => GitOps::ArgoCd,
            Body::Flux(_) => GitOps::Flux,
            _ => return None,
        };
        let target = engine::links(resource).into_iter().find(|link| link.relation == Relation::Hosts)?.from;
        let of_engine = clusters.iter().flat_map(|cluster| {
            cluster.registrations.iter().filter(|known| known.holder == engine).map(move |known| (cluster, known))
        });
        let (cluster, registration) = of_engine.into_iter().find(|(_, known)| is_registration_for(known, &target))?;
        let (object, registration) = (resource.name(), registration.object.clone());
        Some(ClusterDeployment {
            engine,
            object,
            cluster: cluster.name.clone(),
            registration,
            groups: groups(resource),
        })
    };
    resources.iter().filter_map(deployed).collect()
}

fn groups(resource: &Resource) -> BTreeSet<String> {
    match &resource.body {
        Body::Application(application) => {
            application.status.resources.iter().map(|deployed| deployed.group.clone()).collect()
        }
        Body::Flux(flux) => flux.status.deployed().map(|key| key.group).collect(),
        _ => BTreeSet::new(),
    }
}

/// Returns true if an engine reaches `target` by this registration.
fn is_registration_for(registration: &Registration, target: &LinkEnd) -> bool {
    match target {
        LinkEnd::Cluster(ClusterName { name: Some(name), .. }) => registration.name == *name,
        LinkEnd::Cluster(ClusterName { server, .. }) => {
            server.is_some() && registration.server.as_deref().map(canonical_url) == *server
        }
        LinkEnd::Core => {
            let named = |name| ApplicationDestination {
                name,
                server: registration.server.clone(),
                ..ApplicationDestination::default()
            };
            registration.server.is_some() && named(None).is_this_cluster()
                || named(Some(registration.name.clone())).is_this_cluster()
        }
        LinkEnd::Object(object) => object.key_ref() == registration.object.key_ref(),
        _ => false,
    }
}
