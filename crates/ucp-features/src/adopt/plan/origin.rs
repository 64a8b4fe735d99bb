//! Where the access to a cluster was read.

use super::refusal::AdoptionRefusal;
use crate::adopt::access::{AppClusterAccess, ClusterEndpoint, Verification};
use crate::adopt::cluster::AppCluster;
use crate::adopt::endpoint::plain_url;
use crate::adopt::holder::AccountHolder;
use crate::adopt::names::SecretKeyName;

/// The origin of the access to a cluster, for this run.
#[derive(Debug, Clone)]
pub struct AccessOrigin {
    /// The access.
    pub access: AppClusterAccess,
    /// The Secret that holds it; `None` if it is from elsewhere.
    pub source: Option<SecretKeyName>,
    /// Version hash of the endpoint in the source.
    pub version: String,
    /// The change from the registered endpoint, if it changed.
    pub change: Option<ServerChange>,
}

/// The change of a registered cluster whose source names another server now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerChange {
    /// URL of the registered server.
    pub from: String,
    /// URL of the server in the source.
    pub to: String,
    /// The result of verifying the new server's identity.
    pub identity: ServerIdentity,
}

/// The result of verifying that a server is the registered one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerIdentity {
    /// Its certificate has the registered name and authority.
    Proven,
    /// The identity was not verified, for this reason.
    Unproven(String),
}

impl AccessOrigin {
    /// Creates the origin of an access, with the Secret that holds it.
    pub fn new(access: AppClusterAccess, source: Option<SecretKeyName>) -> Self {
        let version = access.endpoint().version();
        Self { access, source, version, change: None }
    }

    /// The origin of the access to a cluster in the inventory: its provisioner's Secret, or else the registration
    /// itself.
    ///
    /// # Errors
    /// Fails when neither contains the endpoint.
    pub fn from_cluster(cluster: &AppCluster) -> Result<Self, AdoptionRefusal> {
        match cluster.candidate() {
            Some(candidate) => match &candidate.access {
                Ok(access) => Ok(Self::new(access.clone(), Some(candidate.source.clone()))),
                Err(reason) => Err(AdoptionRefusal::new(
                    format!("Secret {}/{}: {reason}", candidate.source.namespace, candidate.source.name),
                    "pass a complete kubeconfig with --from-kubeconfig",
                )),
            },
            None => {
                let mut known = cluster.all_registrations().filter(|registration| registration.record.is_some());
                let endpoint = known.find_map(|registration| registration.endpoint());
                let provisioned = || provisioned_endpoint(cluster);
                match endpoint.cloned().or_else(provisioned) {
                    Some(endpoint) => Ok(Self::new(AppClusterAccess::without_credential(endpoint), None)),
                    None => Err(AdoptionRefusal::new(
                        cluster.reason.clone().unwrap_or_else(|| "no Secret has a kubeconfig for it".to_owned()),
                        "set spec.writeConnectionSecretToRef on its resource, or pass --from-kubeconfig",
                    )),
                }
            }
        }
    }

    /// Compares the server with the registered one without requests. A changed server is unproven.
    #[must_use]
    pub fn offline(self, cluster: &AppCluster, holder: AccountHolder) -> Self {
        match cluster.registered(holder) {
            Some(known) if !known.is_for(self.access.endpoint(), &self.version) => {
                self.changed(&known.shown_server(), ServerIdentity::Unproven("it was not requested".to_owned()))
            }
            _ => self,
        }
    }

    /// Adds a change of the server, from the registered one to the one in this origin.
    #[must_use]
    pub(in crate::adopt) fn changed(self, from: &str, identity: ServerIdentity) -> Self {
        let to = self.access.endpoint().server.clone();
        Self { change: Some(ServerChange { from: from.to_owned(), to, identity }), ..self }
    }
}

/// The endpoint as the cloud reported it, which is sufficient for cloud identities.
fn provisioned_endpoint(cluster: &AppCluster) -> Option<ClusterEndpoint> {
    let provisioner = cluster.provisioner.as_ref()?;
    provisioner.endpoint.as_ref()?;
    Some(ClusterEndpoint {
        server: plain_url(&cluster.server()?).ok()?,
        // The server's identity cannot be verified without it.
        authority: Some(provisioner.authority.clone()?),
        server_name: None,
        verification: Verification::Full,
        proxy: None,
    })
}
