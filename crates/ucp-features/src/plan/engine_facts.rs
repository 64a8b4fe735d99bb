//! Configuration of engines outside of their Applications and Kustomizations: settings, and variables from ConfigMaps.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::plan::argo_settings::ArgoSettings;
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_client::prediction::ignore::IgnoreRule;
use ucp_core::failure::Failure;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::health_rule::{PARAMETERS, SETTINGS};
use ucp_core::model::object::ObjectKey;
use ucp_core::model::state::Unreadable;
use ucp_repo::manifests::deployment::Deployment;
use ucp_repo::manifests::variables::read_config;

/// The configuration of engines in the core cluster.
pub struct EngineConfiguration {
    argo: ArgoSettings,
    /// The policy of the ApplicationSet controller, if it overrides those of ApplicationSets.
    applications_policy: Option<String>,
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
                Ok(namespace) => read_config(core, "ConfigMap", namespace, SETTINGS).await,
                Err(reason) => Err(reason.clone()),
            };
            match found {
                // An Argo CD without settings has the defaults.
                Ok(found) => argo = found.as_ref().map(ArgoSettings::from_config_map).unwrap_or_default(),
                Err(reason) => {
                    let place = registry.as_ref().map(|namespace| format!(" -n {namespace}")).unwrap_or_default();
                    let what = format!("configmap/{SETTINGS}{place}");
                    unreadable.push(Unreadable { what, reason: format!("its ignore rules are unknown: {reason}") });
                }
            }
        }
        let mut applications_policy = None;
        if let (true, Ok(namespace)) = (deployments.values().any(|one| one.application_set.is_some()), registry) {
            match read_config(core, "ConfigMap", namespace, PARAMETERS).await {
                Ok(found) => applications_policy = found.as_ref().and_then(overriding_policy),
                Err(reason) => {
                    let what = format!("configmap/{PARAMETERS} -n {namespace}");
                    let reason =
                        format!("whether it overrides applicationsSync of ApplicationSets is unknown: {reason}");
                    unreadable.push(Unreadable { what, reason });
                }
            }
        }
        Self { argo, applications_policy, unreadable }
    }

    /// Returns a deployment as its controller carries it out.
    pub fn carried_out(&self, deployment: Deployment) -> Deployment {
        deployment.with_controller_policy(self.applications_policy.as_deref())
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

/// Returns the policy of the ApplicationSet controller if ApplicationSets may not override it (`DefaultPolicy`).
fn overriding_policy(parameters: &Value) -> Option<String> {
    let text = |key: &str| parameters.get("data").and_then(|data| data.get(key)?.as_str()).unwrap_or_default();
    let policy = text("applicationsetcontroller.policy");
    let may_override = text("applicationsetcontroller.enable.policy.override") == "true";
    (!policy.is_empty() && !may_override).then(|| policy.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_policy_of_the_controller_applies_unless_overrides_are_enabled() {
        let parameters = |policy: &str, may_override: &str| {
            json!({"data": {
                "applicationsetcontroller.policy": policy,
                "applicationsetcontroller.enable.policy.override": may_override,
            }})
        };
        assert_eq!(overriding_policy(&parameters("create-only", "")).as_deref(), Some("create-only"));
        assert_eq!(overriding_policy(&parameters("create-only", "true")), None);
        assert_eq!(overriding_policy(&parameters("", "false")), None);
        assert_eq!(overriding_policy(&json!({})), None);
    }
}
