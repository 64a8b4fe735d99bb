//! The order in which a core cluster is bootstrapped.

use serde::Serialize;
use serde_json::Value;

use ucp_client::prediction::cluster::text_at;
use ucp_core::model::object::group_of;

/// A phase of a bootstrap. Each requires the previous ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Wave {
    /// Namespaces and CRDs.
    Foundations,
    /// The installation of Argo CD or Flux.
    Engines,
    /// Secrets that no repository contains.
    Secrets,
    /// The root objects of the engines.
    Roots,
    /// Objects that the roots deploy: further Applications, Kustomizations and HelmReleases, including Crossplane.
    Deployments,
    /// Providers, functions and configurations of Crossplane.
    Packages,
    /// The credentials of providers.
    ProviderConfigs,
    /// Claims, composites and managed resources, including app clusters.
    Resources,
    /// Registrations of app clusters.
    AppClusters,
}

impl Wave {
    /// Returns the title in output.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Foundations => "Namespaces and definitions",
            Self::Engines => "GitOps engine",
            Self::Secrets => "Secrets that are not in Git",
            Self::Roots => "Root objects",
            Self::Deployments => "Deployed by the root",
            Self::Packages => "Crossplane packages",
            Self::ProviderConfigs => "Provider configs",
            Self::Resources => "Claims and managed resources",
            Self::AppClusters => "App clusters",
        }
    }

    /// Returns the reason for the position of the wave.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Foundations => "all other objects need them",
            Self::Engines => "it deploys the other objects from Git",
            Self::Secrets => "providers and sources log in with them",
            Self::Roots => "the engine starts with them",
            Self::Deployments => "deployed from Git by the engine",
            Self::Packages => "deployed from Git; they provide the kinds of the cloud",
            Self::ProviderConfigs => "deployed from Git; providers need them to log in",
            Self::Resources => "deployed from Git; created in the cloud by the providers",
            Self::AppClusters => "registered as soon as their credentials exist",
        }
    }

    /// Returns the wave of an object that `bootstrap` applies.
    pub fn for_applied(object: &Value) -> Self {
        let (group, kind) = (group_of(text_at(object, "/apiVersion")), text_at(object, "/kind"));
        match (group, kind) {
            ("", "Namespace") | ("apiextensions.k8s.io", "CustomResourceDefinition") => Self::Foundations,
            ("pkg.crossplane.io", _) => Self::Packages,
            (_, "ProviderConfig" | "ClusterProviderConfig") => Self::ProviderConfigs,
            _ if is_deployer(group, kind) => Self::Roots,
            _ if is_of_kubernetes(group) => Self::Engines,
            _ => Self::Resources,
        }
    }
}

/// Returns true if objects of a kind configure the deployments or the sources of an engine.
pub fn is_deployer(group: &str, kind: &str) -> bool {
    match group {
        "argoproj.io" => matches!(kind, "Application" | "ApplicationSet" | "AppProject"),
        group => group.ends_with(".toolkit.fluxcd.io"),
    }
}

/// Returns true if a group has no domain or ends with `.k8s.io`: groups that every server has, and those of an
/// operator's settings next to its workloads.
fn is_of_kubernetes(group: &str) -> bool {
    !group.contains('.') || group.ends_with(".k8s.io")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_object_has_a_wave() {
        let wave = |api_version: &str, kind: &str| Wave::for_applied(&json!({"apiVersion": api_version, "kind": kind}));
        assert_eq!(wave("v1", "Namespace"), Wave::Foundations);
        assert_eq!(wave("apiextensions.k8s.io/v1", "CustomResourceDefinition"), Wave::Foundations);
        assert_eq!(wave("apps/v1", "Deployment"), Wave::Engines);
        assert_eq!(wave("networking.k8s.io/v1", "NetworkPolicy"), Wave::Engines);
        assert_eq!(wave("argoproj.io/v1alpha1", "Application"), Wave::Roots);
        assert_eq!(wave("source.toolkit.fluxcd.io/v1", "GitRepository"), Wave::Roots);
        assert_eq!(wave("pkg.crossplane.io/v1", "Provider"), Wave::Packages);
        assert_eq!(wave("aws.upbound.io/v1beta1", "ProviderConfig"), Wave::ProviderConfigs);
        assert_eq!(wave("argoproj.io/v1alpha1", "Rollout"), Wave::Resources);
    }
}
