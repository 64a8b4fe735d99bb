//! Secrets that register clusters: without one, nothing is deployed to its cluster.

use secrecy::ExposeSecret as _;

use super::argocd_settings::Ownership;
use super::credentials;
use super::look::DeletionContext;
use super::nature::is_registration;
use ucp_core::engine::argocd::project::DestinationCluster;
use ucp_core::graph::NodeId;
use ucp_core::model::body::Body;
use ucp_core::model::body::argocd::ApplicationDestination;
use ucp_core::model::body::secret::Secret;
use ucp_core::model::resource::Resource;
use ucp_core::model::server::canonical_url;
use ucp_core::model::state::ClusterState;

/// Returns the Applications that remain and deploy to the cluster of a registration; all to other clusters if it could not be
/// read.
pub(super) fn deployers(
    look: &DeletionContext<'_, '_>,
    registration: &Resource,
    staying: &[(NodeId, &Resource)],
) -> Vec<NodeId> {
    let secret = credentials::find_secret(look, &registration.name()).ok().flatten();
    let deploys = |one: &Resource| match &one.body {
        Body::Application(body) if !body.spec.destination.is_this_cluster() => {
            secret.is_none_or(|secret| registers(secret, &body.spec.destination))
        }
        _ => false,
    };
    staying.iter().filter(|(_, one)| deploys(one)).map(|(node, _)| *node).collect()
}

/// Returns the registrations of clusters that were read, in the namespace of an Argo CD if that is known.
pub(super) fn registrations<'a>(state: &'a ClusterState, home: Option<&str>) -> Vec<&'a Secret> {
    let is_of_home = |one: &Resource| {
        is_registration(one) && home.is_none_or(|home| one.metadata.namespace.as_deref() == Some(home))
    };
    let secret = |one: &'a Resource| match &one.body {
        Body::Secret(secret) if is_of_home(one) => Some(secret.as_ref()),
        _ => None,
    };
    state.resources.iter().filter_map(secret).collect()
}

/// Returns a fact of a registration; `None` if it is empty or hidden.
fn fact<'a>(secret: &'a Secret, key: &str) -> Option<&'a str> {
    let value = secret.values.get(key).and_then(Option::as_ref)?;
    Some(value.expose_secret().trim()).filter(|text| !text.is_empty())
}

/// Returns the name of a registered cluster: its server if it has none.
pub(super) fn name_of(secret: &Secret) -> Option<&str> {
    fact(secret, "name").or_else(|| fact(secret, "server"))
}

/// Returns the address of a registered cluster; `None` if it is hidden.
pub(super) fn server_of(secret: &Secret) -> Option<String> {
    fact(secret, "server").map(canonical_url)
}

/// Returns whether Argo CD watches an object of its own cluster: a registration may limit it to namespaces.
pub(super) fn own_cluster_reach(state: &ClusterState, home: Option<&str>, child: &Resource) -> Ownership {
    let is_own = |secret: &&Secret| fact(secret, "server").is_some_and(is_own);
    let Some(own) = registrations(state, home).into_iter().find(is_own) else { return Ownership::Its };
    let namespaces = match (own.keys.contains("namespaces"), own.values.get("namespaces")) {
        (false, _) => return Ownership::Its,
        (true, Some(Some(list))) => list.expose_secret(),
        (true, _) => return Ownership::Unknown("namespaces of the registration of in-cluster are hidden".to_owned()),
    };
    let mut namespaces = namespaces.split(',').map(str::trim).filter(|one| !one.is_empty()).peekable();
    if namespaces.peek().is_none() {
        return Ownership::Its;
    }
    match child.metadata.namespace.as_deref() {
        Some(namespace) if namespaces.any(|one| one == namespace) => Ownership::Its,
        Some(namespace) => {
            Ownership::Foreign(format!("namespaces of the registration of in-cluster do not include {namespace}"))
        }
        None if own.keys.contains("clusterResources") => Ownership::Unknown(
            "whether clusterResources of the registration of in-cluster is true is unknown".to_owned(),
        ),
        None => Ownership::Foreign("the registration of in-cluster limits Argo CD to namespaces".to_owned()),
    }
}

/// Returns true for the address of the cluster in which Argo CD runs.
pub(super) fn is_own(server: &str) -> bool {
    DestinationCluster::HERE.server.is_some_and(|own| server.trim_end_matches('/') == own)
}

fn registers(secret: &Secret, destination: &ApplicationDestination) -> bool {
    let named = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    match (named(&destination.name), named(&destination.server)) {
        // The server is the name of a cluster without one.
        (Some(name), _) => name_of(secret) == Some(&name),
        (None, server) => server.is_some_and(|server| server_of(secret) == Some(canonical_url(&server))),
    }
}
