//! The workloads in app clusters that Flux deploys to.

use std::collections::BTreeMap;

use ucp_core::failure::{Failure, fail};
use ucp_core::model::resource::Resource;
use ucp_repo::manifests::deployment::DeploymentDestination;

/// The workloads of each app cluster that Flux deploys to, or the reason why they are unknown. Empty for a snapshot.
#[derive(Debug, Default)]
pub struct AppClusterWorkloads(pub(super) BTreeMap<DeploymentDestination, Result<Vec<Resource>, Failure>>);

impl AppClusterWorkloads {
    /// Returns the workloads at a destination.
    ///
    /// # Errors
    /// Fails with the reason why they are unknown.
    pub(super) fn workloads(&self, destination: &DeploymentDestination) -> Result<&[Resource], Failure> {
        match self.0.get(destination) {
            Some(answer) => answer.as_deref().map_err(|reason| match destination {
                DeploymentDestination::KubeConfig { namespace, secret, .. } => {
                    format!("the cluster of Secret {namespace}/{secret} cannot be read: {reason}").into()
                }
                _ => reason.clone(),
            }),
            None => fail!("it deploys to another cluster, whose workloads are not in the snapshot"),
        }
    }
}
