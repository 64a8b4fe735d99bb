//! The cluster in which an Application deletes its objects (`GetDestinationCluster`). If there is none, Argo CD removes its
//! finalizers and deletes nothing.

use super::argocd_settings::{home, settings};
use super::clusters::{self, server_of};
use super::partial;
use ucp_core::engine::argocd::project::DestinationCluster;
use ucp_core::model::body::argocd::Application;
use ucp_core::model::health_rule::ownership::OwnCluster;
use ucp_core::model::server::canonical_url;
use ucp_core::model::state::ClusterState;

/// The cluster in which an Application deletes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Destination {
    /// The core cluster.
    Here,
    /// Another one, which may have several addresses.
    Elsewhere(String),
    /// None, for this reason.
    Gone(String),
    /// It is not known, for this reason.
    Unknown(String),
}

/// Returns the cluster in which an Application deletes.
pub(super) fn destination_of(state: &ClusterState, application: &Application) -> Destination {
    let destination = &application.spec.destination;
    let named = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let known = clusters::registrations(state, home(state, application));
    // A live cluster is not requested for all Secrets.
    let is_complete = partial::has_all_secrets(state) && known.iter().all(|secret| server_of(secret).is_some());
    let gone = |cluster: &str| match is_complete {
        true => Destination::Gone(format!("cluster {cluster} is not registered in Argo CD")),
        false if destination.is_this_cluster() => own_cluster(state, application),
        false => Destination::Elsewhere(cluster.to_owned()),
    };
    let of_server = |server: &str| match known.iter().any(|secret| server_of(secret) == Some(canonical_url(server))) {
        _ if clusters::is_own(server) => own_cluster(state, application),
        // Argo CD reaches its own cluster by a longer name, too.
        true if destination.is_this_cluster() => Destination::Here,
        true => Destination::Elsewhere(server.to_owned()),
        false => gone(server),
    };
    match (named(&destination.name), named(&destination.server)) {
        (Some(_), Some(_)) => Destination::Gone("its spec.destination has both a name and a server".to_owned()),
        (None, None) => Destination::Gone("its spec.destination names no cluster".to_owned()),
        (None, Some(server)) => of_server(&server),
        (Some(name), None) => {
            let found = known.iter().filter(|secret| clusters::name_of(secret) == Some(&name));
            let servers: Vec<String> = found.filter_map(|secret| server_of(secret)).collect();
            match servers.as_slice() {
                [] if Some(name.as_str()) == DestinationCluster::HERE.name => own_cluster(state, application),
                [] => gone(&name),
                [server] if clusters::is_own(server) => own_cluster(state, application),
                [_] => Destination::Elsewhere(name),
                several => Destination::Gone(format!("{} clusters have the name {name}", several.len())),
            }
        }
    }
}

/// Returns the reason why an Application deletes nothing: its cluster does not exist.
pub(super) fn gone_reason(state: &ClusterState, application: &Application) -> Option<String> {
    match destination_of(state, application) {
        Destination::Gone(why) => Some(format!("{why}, so Argo CD removes its finalizer and deletes nothing")),
        _ => None,
    }
}

fn own_cluster(state: &ClusterState, application: &Application) -> Destination {
    match settings(state, application).map_or(OwnCluster::Enabled, |settings| settings.own_cluster) {
        OwnCluster::Enabled => Destination::Here,
        OwnCluster::Disabled => Destination::Gone("cluster.inClusterEnabled of argocd-cm is false".to_owned()),
        OwnCluster::Unknown => Destination::Unknown("cluster.inClusterEnabled of argocd-cm is hidden".to_owned()),
    }
}
