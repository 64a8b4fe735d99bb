//! App clusters, by the names and addresses in declarations.

use super::copy_intent::ClusterReference;
use crate::adopt::access::AppClusterAccess;
use crate::adopt::cluster::AppCluster;
use crate::adopt::inventory::AppClusterInventory;
use crate::adopt::names::NamespacedName;
use ucp_core::model::body::Body;
use ucp_core::model::resource::Resource;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::server::canonical_url;
use ucp_core::model::state::ClusterState;

/// Resolves references in declarations to app clusters.
pub struct ClusterResolver<'a> {
    inventory: &'a AppClusterInventory,
    state: &'a ClusterState,
}

impl<'a> ClusterResolver<'a> {
    /// Creates a resolver for a core cluster.
    pub fn new(inventory: &'a AppClusterInventory, state: &'a ClusterState) -> Self {
        Self { inventory, state }
    }

    /// Finds the cluster by its name in an engine, its provisioner, or its Secret.
    pub(crate) fn by_name(&self, name: &str) -> ClusterReference {
        let clusters = &self.inventory.clusters;
        let is_registered = |cluster: &AppCluster| {
            let mut named = cluster.registrations.iter().filter(|registration| registration.name == name);
            named.any(|registration| self.inventory.homes.keeps(registration))
        };
        if let Some(position) = clusters.iter().position(is_registered) {
            return ClusterReference::Known(position);
        }
        let is_called = |cluster: &AppCluster| {
            cluster.name == name
                || cluster.registrations.iter().any(|registration| registration.name == name)
                || cluster.provisioner.as_ref().is_some_and(|made| made.object.name == name)
                || cluster.candidates.iter().any(|one| one.name == name || one.source.name == name)
        };
        let mut found = clusters.iter().enumerate().filter(|(_, cluster)| is_called(cluster));
        match (found.next(), found.next()) {
            (Some((position, _)), None) => ClusterReference::Known(position),
            (None, _) => ClusterReference::Unknown(name.to_owned()),
            (Some(_), Some(_)) => ClusterReference::Several(name.to_owned()),
        }
    }

    /// Finds the cluster that the kubeconfig in a Secret points to.
    pub(crate) fn by_kubeconfig(&self, secret: &NamespacedName, key: Option<&str>) -> ClusterReference {
        let is_it = |cluster: &AppCluster| {
            let candidates = cluster.candidates.iter().map(|one| (&one.source.namespace, &one.source.name));
            let registered =
                cluster.registrations.iter().filter_map(|one| Some((one.object.namespace.as_ref()?, &one.object.name)));
            candidates.chain(registered).any(|(namespace, name)| *namespace == secret.namespace && *name == secret.name)
        };
        if let Some(position) = self.inventory.clusters.iter().position(is_it) {
            return ClusterReference::Known(position);
        }
        let server = self.kubeconfig(secret, key).map(|access| access.endpoint().server.clone());
        let place = server.map(|server| self.by_server(&server));
        place.unwrap_or_else(|| ClusterReference::Unknown(format!("Secret {secret}")))
    }

    /// Finds the cluster with a server address.
    pub(crate) fn by_server(&self, server: &str) -> ClusterReference {
        let server = canonical_url(server);
        let is_it = |cluster: &AppCluster| {
            let provided = cluster.access().map(|access| canonical_url(&access.endpoint().server));
            cluster.server().map(|known| canonical_url(&known)).as_ref() == Some(&server)
                || provided.as_ref() == Some(&server)
        };
        self.inventory
            .clusters
            .iter()
            .position(is_it)
            .map_or_else(|| ClusterReference::Unknown(scrub(&server).into_owned()), ClusterReference::Known)
    }

    fn kubeconfig(&self, secret: &NamespacedName, key: Option<&str>) -> Option<AppClusterAccess> {
        let is_it = |resource: &&Resource| resource.is("", "Secret", Some(&secret.namespace), &secret.name);
        let found = self.state.resources.iter().find(is_it)?;
        let Body::Secret(body) = &found.body else { return None };
        let keys = ["kubeconfig", "value", "config"];
        let mut keys = key.into_iter().chain(keys.into_iter().filter(|_| key.is_none()));
        let text = keys.find_map(|key| body.values.get(key)?.as_ref())?;
        AppClusterAccess::from_kubeconfig(secrecy::ExposeSecret::expose_secret(text), None).ok()
    }
}
