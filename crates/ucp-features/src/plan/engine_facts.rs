//! Configuration of engines outside of their Applications and Kustomizations: settings, and variables from ConfigMaps.

use std::collections::{BTreeMap, BTreeSet};

use crate::plan::argo_settings::ArgoSettings;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_client::prediction::ignore::IgnoreRule;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::state::Unreadable;
use ucp_repo::manifests::deployment::Deployment;
use ucp_repo::manifests::variables::{read_config, read_variables};

/// The ConfigMap with an Argo CD's settings.
const ARGO_SETTINGS: &str = "argocd-cm";

/// The configuration of engines in the core cluster.
pub struct EngineConfiguration {
    /// By namespace of an Argo CD.
    argo: BTreeMap<String, ArgoSettings>,
    /// Variables of Flux, by Kustomization.
    pub variables: BTreeMap<ObjectKey, Result<BTreeMap<String, String>, String>>,
    /// Settings that could not be read.
    pub unreadable: Vec<Unreadable>,
}

impl EngineConfiguration {
    /// Reads the configuration from the core cluster.
    pub async fn gather(core: &ConnectedCluster, deployments: &BTreeMap<ObjectKey, Deployment>) -> Self {
        let namespaces: BTreeSet<String> = deployments
            .values()
            .filter(|deployment| deployment.engine == GitOps::ArgoCd)
            .filter_map(|deployment| deployment.object.namespace.clone())
            .collect();
        let (mut argo, mut unreadable) = (BTreeMap::new(), Vec::new());
        for namespace in namespaces {
            // An Argo CD without settings has the defaults.
            let settings = match read_config(core, "ConfigMap", &namespace, ARGO_SETTINGS).await {
                Ok(found) => found.as_ref().map(ArgoSettings::from_config_map).unwrap_or_default(),
                Err(reason) => {
                    let what = format!("configmap/{ARGO_SETTINGS} -n {namespace}");
                    unreadable.push(Unreadable { what, reason: format!("its ignore rules are unknown: {reason}") });
                    ArgoSettings::default()
                }
            };
            argo.insert(namespace, settings);
        }
        let mut variables = BTreeMap::new();
        for (key, deployment) in deployments.iter().filter(|(_, deployment)| deployment.post_build.is_some()) {
            variables.insert(key.clone(), read_variables(core, deployment).await);
        }
        Self { argo, variables, unreadable }
    }

    /// Returns the settings of a deployment's Argo CD.
    pub fn settings(&self, deployment: &Deployment) -> ArgoSettings {
        deployment.object.namespace.as_ref().and_then(|namespace| self.argo.get(namespace)).cloned().unwrap_or_default()
    }

    /// Returns the differences that are ignored in a deployment's objects.
    pub fn ignored(&self, deployment: &Deployment) -> Vec<IgnoreRule> {
        let general = match deployment.engine {
            GitOps::ArgoCd => self.settings(deployment).ignored,
            GitOps::Flux => Vec::new(),
        };
        general.into_iter().chain(deployment.ignored.iter().cloned()).collect()
    }
}
