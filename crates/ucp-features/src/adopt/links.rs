//! Links that only Secrets declare: the clusters to which they give access, and the Secrets from which they were made.

use crate::adopt::provisioner::ServerKinds;
use crate::adopt::registration::Registration;
use crate::adopt::{argocd, candidate, flux};
use ucp_core::graph::link::{ClusterName, Link, LinkEnd, Relation};
use ucp_core::model::body::Body;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::resource::Resource;
use ucp_core::model::server::canonical_url;
use ucp_core::model::state::ClusterState;

/// Returns the links of all Secrets in a cluster state.
pub fn secret_links(state: &ClusterState) -> Vec<Link> {
    let references: Vec<_> = state.resources.iter().filter_map(flux::FluxClusterReference::from_resource).collect();
    let secrets = state.resources.iter().filter(|resource| matches!(resource.body, Body::Secret(_)));
    secrets.flat_map(|secret| of_secret(secret, &references)).collect()
}

fn of_secret(secret: &Resource, references: &[flux::FluxClusterReference]) -> Vec<Link> {
    if let Some(registration) = argocd::read(secret).or_else(|| flux::read(secret, references)) {
        return of_registration(secret, &registration);
    }
    let Some(candidate) = candidate::read(secret, &[], &ServerKinds::default()) else { return Vec::new() };
    let endpoint = candidate.access.ok().map(|access| access.endpoint().clone());
    // Each Secret with `localhost` may be for another cluster.
    let server = endpoint.filter(|endpoint| !endpoint.is_localhost()).map(|endpoint| canonical_url(&endpoint.server));
    server.map(|server| opens(secret, ClusterName { name: None, server: Some(server) })).into_iter().collect()
}

fn of_registration(secret: &Resource, registration: &Registration) -> Vec<Link> {
    let server = registration.server.as_deref().map(canonical_url);
    // Registrations with Flux have no cluster names.
    let name = (registration.holder == GitOps::ArgoCd).then(|| registration.name.clone());
    let mut links = Vec::new();
    if name.is_some() || server.is_some() {
        links.push(opens(secret, ClusterName { name, server }));
    }
    if let Some(source) = registration.record.as_ref().and_then(|record| record.source.as_ref()) {
        let source = LinkEnd::object("v1", "Secret", Some(&source.namespace), &source.name);
        links.push(Link::new(source, Relation::Generates, LinkEnd::from_resource(secret)));
    }
    links
}

fn opens(secret: &Resource, cluster: ClusterName) -> Link {
    Link::new(LinkEnd::from_resource(secret), Relation::Opens, LinkEnd::Cluster(cluster))
}
