//! Configuration of engines outside of their Applications and Kustomizations: settings, and variables from ConfigMaps.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::plan::argo_settings::ArgoSettings;
use ucp_client::prediction::cluster::{ConnectedCluster, path_of};
use ucp_client::prediction::ignore::IgnoreRule;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::state::Unreadable;
use ucp_repo::manifests::deployment::Deployment;

/// The ConfigMap with an Argo CD's settings.
const ARGO_SETTINGS: &str = "argocd-cm";

/// The configuration of engines in the core cluster.
pub struct EngineConfiguration {
    argo: ArgoSettings,
    /// Variables of Flux, by Kustomization.
    pub variables: BTreeMap<ObjectKey, Result<BTreeMap<String, String>, String>>,
    /// Settings that could not be read.
    pub unreadable: Vec<Unreadable>,
}

impl EngineConfiguration {
    /// Reads the configuration from the core cluster. `registry` is the namespace of Argo CD, or the reason why it is unknown.
    pub async fn gather(
        core: &ConnectedCluster,
        registry: &Result<String, String>,
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

async fn read_config(
    core: &ConnectedCluster,
    kind: &str,
    namespace: &str,
    name: &str,
) -> Result<Option<Value>, String> {
    let kind = core.kind_of("v1", kind).ok_or_else(|| format!("the core cluster serves no {kind}"))?;
    core.api.read_object(&path_of(&kind, Some(namespace), name)).await.map_err(|error| error.to_string())
}

async fn read_variables(core: &ConnectedCluster, deployment: &Deployment) -> Result<BTreeMap<String, String>, String> {
    let Some(post_build) = &deployment.post_build else { return Ok(BTreeMap::new()) };
    let mut variables = BTreeMap::new();
    for source in &post_build.substitute_from {
        if source.kind != "ConfigMap" {
            return Err(format!("it substitutes values of {} {}, which a plan would show", source.kind, source.name));
        }
        let namespace = deployment.object.namespace.as_deref().unwrap_or("default");
        match read_config(core, "ConfigMap", namespace, &source.name).await? {
            Some(found) => {
                let data = found.get("data").and_then(Value::as_object).into_iter().flatten();
                variables.extend(data.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))));
            }
            None if source.optional => {}
            None => return Err(format!("ConfigMap {} not found in namespace {namespace}", source.name)),
        }
    }
    variables.extend(post_build.substitute.clone());
    Ok(variables)
}
