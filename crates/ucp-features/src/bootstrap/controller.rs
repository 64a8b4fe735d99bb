//! The controllers of Argo CD and Flux that deployers need.

use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::ObjectName;
use ucp_core::model::variant_words::variant_words;

/// A controller of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EngineController {
    /// Applies the objects of Applications.
    ArgoApplication,
    /// Renders manifests for Argo CD.
    ArgoRepoServer,
    /// Generates Applications.
    ArgoApplicationSet,
    /// Fetches sources for Flux.
    FluxSource,
    /// Applies the objects of Kustomizations.
    FluxKustomize,
    /// Installs the charts of HelmReleases.
    FluxHelm,
}

variant_words!(EngineController {
    ArgoApplication = "application-controller", ArgoRepoServer = "repo-server",
    ArgoApplicationSet = "applicationset-controller", FluxSource = "source-controller",
    FluxKustomize = "kustomize-controller", FluxHelm = "helm-controller",
});

impl EngineController {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::ArgoApplication,
        Self::ArgoRepoServer,
        Self::ArgoApplicationSet,
        Self::FluxSource,
        Self::FluxKustomize,
        Self::FluxHelm,
    ];

    /// Returns the controllers that an object of an engine needs.
    pub fn needed_by(object: &ObjectName) -> &'static [Self] {
        match (object.group(), object.kind.as_str()) {
            ("argoproj.io", "Application") => &[Self::ArgoApplication, Self::ArgoRepoServer],
            ("argoproj.io", "ApplicationSet") => {
                &[Self::ArgoApplication, Self::ArgoRepoServer, Self::ArgoApplicationSet]
            }
            ("kustomize.toolkit.fluxcd.io", "Kustomization") => &[Self::FluxSource, Self::FluxKustomize],
            ("helm.toolkit.fluxcd.io", "HelmRelease") => &[Self::FluxSource, Self::FluxHelm],
            ("source.toolkit.fluxcd.io", _) => &[Self::FluxSource],
            _ => &[],
        }
    }

    /// Returns the engine of the controller.
    pub const fn engine(self) -> GitOps {
        match self {
            Self::ArgoApplication | Self::ArgoRepoServer | Self::ArgoApplicationSet => GitOps::ArgoCd,
            Self::FluxSource | Self::FluxKustomize | Self::FluxHelm => GitOps::Flux,
        }
    }

    /// Returns true if a workload with this name is the controller.
    pub fn is_called(self, workload: &str) -> bool {
        workload.contains(self.as_str())
    }

    /// Returns true if an object of this group and kind has an operator install the controller.
    pub fn is_installed_by(self, group: &str, kind: &str) -> bool {
        match self.engine() {
            GitOps::ArgoCd => (group, kind) == ("argoproj.io", "ArgoCD"),
            GitOps::Flux => (group, kind) == ("fluxcd.controlplane.io", "FluxInstance"),
        }
    }

    /// Returns true if a chart installs the controller.
    pub fn is_in_chart(self, chart: &str) -> bool {
        match self.engine() {
            GitOps::ArgoCd => chart == "argo-cd",
            GitOps::Flux => matches!(chart, "flux2" | "flux-instance"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_deployer_needs_all_its_controllers() {
        let names = |api_version: &str, kind: &str| {
            let object = ObjectName {
                api_version: api_version.to_owned(),
                kind: kind.to_owned(),
                namespace: None,
                name: "a".to_owned(),
            };
            EngineController::needed_by(&object).iter().map(|one| one.as_str()).collect::<Vec<_>>()
        };
        let application = ["application-controller", "repo-server"];
        assert_eq!(names("argoproj.io/v1alpha1", "Application"), application);
        assert_eq!(names("argoproj.io/v1alpha1", "AppProject"), [""; 0]);
        assert_eq!(names("helm.toolkit.fluxcd.io/v2", "HelmRelease"), ["source-controller", "helm-controller"]);
        assert!(!EngineController::ArgoApplication.is_called("argocd-applicationset-controller"));
        assert!(EngineController::ArgoApplication.is_called("gitops-application-controller"));
    }
}
