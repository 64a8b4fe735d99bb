//! Configuration of engines outside of their Applications and Kustomizations: settings, and variables from ConfigMaps.

use std::collections::BTreeMap;

use crate::plan::argo_settings::ArgoSettings;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_client::prediction::ignore::IgnoreRule;
use ucp_core::failure::Failure;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::state::Unreadable;
use ucp_repo::manifests::deployment::Deployment;
use ucp_repo::manifests::variables::{read_config, read_variables};

/// The ConfigMap with an Argo CD's settings.
const ARGO_SETTINGS: &str = "argocd-cm";

/// The configuration of engines in the core cluster.
pub struct EngineConfiguration {
    argo: ArgoSettings,
    /// Variables of Flux, by Kustomization.
    pub variables: BTreeMap<ObjectKey, Result<BTreeMap<String, String>, Failure>>,
    /// Settings that could not be read.
    pub unreadable: Vec<Unreadable>,
}

impl EngineConfiguration {
    /// Reads the configuration from the core cluster. `registry` is the namespace of Argo CD, or the reason why it is unknown.
    pub async fn gather(
        core: &ConnectedCluster,
        registry: &Result<String, Failure>,
        deployments: &BTreeMap<ObjectKey, Deployment>,
    ) -> Self {
        let (mut argo, mut unreadable) = (ArgoSettings::default(), Vec::new());
        if deployments.values().any(|deployment| deployment.engine == GitOps::ArgoCd) {
            let found = match registry {
                Ok(namespace) => read_config(core, "ConfigMap", namespace, ARGO_SETTINGS).await,
                Err(reason) => Err(reason.clone()),
            };
            match found {
                // An Argo CD without settings has the defaults.
                Ok(found) => argo = found.as_ref().map(ArgoSettings::from_config_map).unwrap_or_default(),
                Err(reason) => {
                    let place = registry.as_ref().map(|namespace| format!(" -n {namespace}")).unwrap_or_default();
                    let what = format!("configmap/{ARGO_SETTINGS}{place}");
                    unreadable.push(Unreadable { what, reason: format!("its ignore rules are unknown: {reason}") });
                }
            }
        }
        let mut variables = BTreeMap::new();
        for (key, deployment) in deployments.iter().filter(|(_, deployment)| deployment.post_build.is_some()) {
            variables.insert(key.clone(), read_variables(core, deployment).await);
        }
        Self { argo, variables, unreadable }
    }

    /// Returns the settings of Argo CD.
    pub fn settings(&self) -> &ArgoSettings {
        &self.argo
    }

    /// Returns the differences that are ignored in a deployment's objects.
    pub fn ignored(&self, deployment: &Deployment) -> Vec<IgnoreRule> {
        let general = match deployment.engine {
            GitOps::ArgoCd => self.argo.ignored.clone(),
            GitOps::Flux => Vec::new(),
        };
        general.into_iter().chain(deployment.ignored.iter().cloned()).collect()
    }
}
