//! Secrets that register clusters: without one, nothing is deployed to its cluster.

use secrecy::ExposeSecret as _;

use super::credentials;
use super::look::DeletionContext;
use ucp_core::graph::NodeId;
use ucp_core::model::body::Body;
use ucp_core::model::body::argocd::ApplicationDestination;
use ucp_core::model::body::secret::Secret;
use ucp_core::model::resource::Resource;
use ucp_core::model::server::canonical_url;

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

fn registers(secret: &Secret, destination: &ApplicationDestination) -> bool {
    let value = |key: &str| {
        let value = secret.values.get(key).and_then(Option::as_ref);
        value.map(|text| text.expose_secret().trim()).filter(|text| !text.is_empty())
    };
    let named = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    match (named(&destination.name), named(&destination.server)) {
        // The server is the name of a cluster without one.
        (Some(name), _) => value("name").or_else(|| value("server")) == Some(&name),
        (None, server) => {
            server.is_some_and(|server| value("server").map(canonical_url) == Some(canonical_url(&server)))
        }
    }
}
