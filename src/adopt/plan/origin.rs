//! Where the access to a cluster comes from.

use super::refusal::Refusal;
use crate::adopt::access::{Access, Endpoint, Verification};
use crate::adopt::cluster::AppCluster;
use crate::adopt::holder::Holder;
use crate::adopt::names::SecretKey;

/// Where a cluster's way in comes from, for this run.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The way in.
    pub access: Access,
    /// The Secret that it is kept in, if it is kept in one.
    pub source: Option<SecretKey>,
    /// Version of the endpoint that the source names.
    pub version: String,
    /// How that differs from the endpoint that is registered.
    pub change: Option<ServerChange>,
}

/// A registered cluster whose source names another server by now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerChange {
    /// The server that is registered.
    pub from: String,
    /// The server that the source names.
    pub to: String,
    /// Whether that one proved to be the registered one.
    pub identity: ServerIdentity,
}

/// Whether a server proved to be the registered one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerIdentity {
    /// It has a certificate of the registered name and authority.
    Proven,
    /// It did not, for this reason.
    Unproven(String),
}

impl Origin {
    /// A way in, and the Secret that it is kept in.
    pub fn new(access: Access, source: Option<SecretKey>) -> Self {
        let version = access.endpoint().version();
        Self { access, source, version, change: None }
    }

    /// Of a cluster in the inventory: its provisioner's Secret, else the registration itself.
    ///
    /// # Errors
    /// When neither tells where the cluster is.
    pub fn of(cluster: &AppCluster) -> Result<Self, Refusal> {
        match cluster.candidate() {
            Some(candidate) => match &candidate.access {
                Ok(access) => Ok(Self::new(access.clone(), Some(candidate.source.clone()))),
                Err(reason) => Err(Refusal::new(
                    format!("Secret {}/{}: {reason}", candidate.source.namespace, candidate.source.name),
                    "pass a complete kubeconfig with --from-kubeconfig",
                )),
            },
            None => {
                let mut known = cluster.all_registrations().filter(|registration| registration.record.is_some());
                let endpoint = known.find_map(|registration| registration.endpoint());
                let provisioned = || provisioned_endpoint(cluster);
                match endpoint.cloned().or_else(provisioned) {
                    Some(endpoint) => Ok(Self::new(Access::without_credential(endpoint), None)),
                    None => Err(Refusal::new(
                        cluster.reason.clone().unwrap_or_else(|| "no Secret has a kubeconfig for it".to_owned()),
                        "set spec.writeConnectionSecretToRef on its resource, or pass --from-kubeconfig",
                    )),
                }
            }
        }
    }

    /// The same where no server is asked: one that changed has proved nothing.
    #[must_use]
    pub fn offline(self, cluster: &AppCluster, holder: Holder) -> Self {
        match cluster.registered(holder) {
            Some(known) if !known.is_for(self.access.endpoint(), &self.version) => {
                self.changed(&known.shown_server(), ServerIdentity::Unproven("it was not asked".to_owned()))
            }
            _ => self,
        }
    }

    /// The same, with what the server it names is compared to the registered one.
    #[must_use]
    pub(in crate::adopt) fn changed(self, from: &str, identity: ServerIdentity) -> Self {
        let to = self.access.endpoint().server.clone();
        Self { change: Some(ServerChange { from: from.to_owned(), to, identity }), ..self }
    }
}

/// What the cloud itself tells; good enough for a cloud's own identity.
fn provisioned_endpoint(cluster: &AppCluster) -> Option<Endpoint> {
    let provisioner = cluster.provisioner.as_ref()?;
    provisioner.endpoint.as_ref()?;
    Some(Endpoint {
        server: cluster.server()?,
        // Without it nobody could tell the server from another.
        authority: Some(provisioner.authority.clone()?),
        server_name: None,
        verification: Verification::Full,
        proxy: None,
    })
}
