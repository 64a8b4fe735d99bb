//! What app clusters said that Flux deploys to.

use std::collections::BTreeMap;

use crate::manifests::deployment::Destination;
use crate::model::resource::Resource;

/// The workloads in each app cluster that Flux deploys to, or why nobody knows. Of a snapshot nobody was asked.
#[derive(Debug, Default)]
pub struct Elsewhere(pub(super) BTreeMap<Destination, Result<Vec<Resource>, String>>);

impl Elsewhere {
    /// What runs at a destination.
    ///
    /// # Errors
    /// Why nobody knows.
    pub(super) fn workloads(&self, destination: &Destination) -> Result<&[Resource], String> {
        match self.0.get(destination) {
            Some(answer) => answer.as_deref().map_err(|reason| match destination {
                Destination::KubeConfig { namespace, secret, .. } => {
                    format!("the cluster of Secret {namespace}/{secret} cannot be asked: {reason}")
                }
                _ => reason.clone(),
            }),
            None => Err("it deploys to another cluster, and a snapshot does not say what runs there".to_owned()),
        }
    }
}
