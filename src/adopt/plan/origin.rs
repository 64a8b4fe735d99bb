//! Where the access to a cluster comes from.

use super::refusal::Refusal;
use crate::adopt::access::{Access, Endpoint, Verification};
use crate::adopt::cluster::AppCluster;
use crate::adopt::credential::Credential;
use crate::adopt::names::SecretKey;
use crate::adopt::registration::Login;

/// Where a cluster's way in comes from, for this run.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The way in.
    pub access: Access,
    /// The Secret that it is kept in, if it is kept in one.
    pub source: Option<SecretKey>,
}

impl Origin {
    /// Of a cluster in the inventory: its provisioner's Secret, else the registration itself.
    ///
    /// # Errors
    /// When neither tells where the cluster is.
    pub fn of(cluster: &AppCluster) -> Result<Self, Refusal> {
        match cluster.candidate() {
            Some(candidate) => match &candidate.access {
                Ok(access) => Ok(Self { access: access.clone(), source: Some(candidate.source.clone()) }),
                Err(reason) => Err(Refusal::new(
                    format!("Secret {}/{}: {reason}", candidate.source.namespace, candidate.source.name),
                    "pass a complete kubeconfig with --from-kubeconfig",
                )),
            },
            None => {
                let mut known = cluster.all_registrations().filter(|registration| registration.record.is_some());
                let endpoint = known.find_map(|registration| match &registration.login {
                    Login::Static(access) => Some(&access.endpoint),
                    Login::Identity(identity) => identity.endpoint.as_ref(),
                    Login::Unreadable(_) => None,
                });
                let provisioned = || provisioned_endpoint(cluster);
                match endpoint.cloned().or_else(provisioned) {
                    Some(endpoint) => {
                        Ok(Self { access: Access { endpoint, credential: Credential::None }, source: None })
                    }
                    None => Err(Refusal::new(
                        cluster.reason.clone().unwrap_or_else(|| "no Secret has a kubeconfig for it".to_owned()),
                        "set spec.writeConnectionSecretToRef on its resource, or pass --from-kubeconfig",
                    )),
                }
            }
        }
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
