//! In which order a core cluster comes up.

use serde::Serialize;
use serde_json::Value;

use crate::model::object::group_of;
use crate::prediction::cluster::text;

/// A part of the first day. Each needs those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Wave {
    /// Namespaces and CRDs.
    Foundations,
    /// What installs Argo CD or Flux.
    Engines,
    /// Secrets that no repository holds.
    Secrets,
    /// What the engines begin with.
    Roots,
    /// What the roots deploy: further Applications, Kustomizations and HelmReleases, Crossplane among them.
    Deployments,
    /// Providers, functions and configurations of Crossplane.
    Packages,
    /// How providers log in.
    ProviderConfigs,
    /// Claims, composites and managed resources; app clusters among them.
    Resources,
    /// App clusters are registered.
    AppClusters,
}

impl Wave {
    /// What people call it.
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

    /// Why it comes when it does.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Foundations => "everything else needs them",
            Self::Engines => "it deploys the rest from Git",
            Self::Secrets => "providers and sources log in with them",
            Self::Roots => "the engine begins with them",
            Self::Deployments => "comes from Git by itself",
            Self::Packages => "come from Git; they bring the kinds of the cloud",
            Self::ProviderConfigs => "come from Git; providers need them to log in",
            Self::Resources => "come from Git; made outside by the providers",
            Self::AppClusters => "registered as soon as their credentials are there",
        }
    }

    /// The wave of an object that is applied from here.
    pub fn of_applied(object: &Value) -> Self {
        let (group, kind) = (group_of(text(object, "/apiVersion")), text(object, "/kind"));
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

/// Whether objects of a kind tell an engine what to deploy, or from where.
pub fn is_deployer(group: &str, kind: &str) -> bool {
    match group {
        "argoproj.io" => matches!(kind, "Application" | "ApplicationSet" | "AppProject"),
        group => group.ends_with(".toolkit.fluxcd.io"),
    }
}

/// Whether a group is one that every server has, or that of an operator's own settings beside its workloads.
fn is_of_kubernetes(group: &str) -> bool {
    !group.contains('.') || group.ends_with(".k8s.io")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_object_has_a_wave() {
        let wave = |api_version: &str, kind: &str| Wave::of_applied(&json!({"apiVersion": api_version, "kind": kind}));
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
