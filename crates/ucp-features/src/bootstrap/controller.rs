//! The controllers of Argo CD and Flux that deployers need.

use std::collections::BTreeMap;

use super::desire::DesiredState;
use super::provider::{KindProviders, PossibleProviders};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::ObjectName;

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

impl EngineController {
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

    /// Returns the name of the workload, without the name of a release.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ArgoApplication => "application-controller",
            Self::ArgoRepoServer => "repo-server",
            Self::ArgoApplicationSet => "applicationset-controller",
            Self::FluxSource => "source-controller",
            Self::FluxKustomize => "kustomize-controller",
            Self::FluxHelm => "helm-controller",
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

/// The controllers that a bootstrap needs and that the repository does not certainly install.
#[derive(Debug, Default)]
pub struct MissingControllers {
    /// Controllers of the engines that the roots need. An engine without them deploys nothing.
    pub of_roots: BTreeMap<EngineController, Vec<ObjectName>>,
    /// Controllers that only deployed objects need, and that nothing installs.
    pub of_deployers: BTreeMap<EngineController, Vec<ObjectName>>,
    /// Controllers that only deployed objects need, and that something with unknown content may install.
    pub uncertain: BTreeMap<EngineController, (Vec<ObjectName>, PossibleProviders)>,
}

/// Returns the missing controllers. `runs` returns true if the cluster has a workload that is the controller.
pub fn missing_controllers(
    desire: &DesiredState,
    providers: &KindProviders,
    runs: impl Fn(EngineController) -> bool,
) -> MissingControllers {
    let needs = |objects: &mut dyn Iterator<Item = &ObjectName>| {
        let mut needed: BTreeMap<EngineController, Vec<ObjectName>> = BTreeMap::new();
        for object in objects {
            for controller in EngineController::needed_by(object) {
                needed.entry(*controller).or_default().push(object.clone());
            }
        }
        needed
    };
    let applied = || desire.applied.iter().map(|wanted| &wanted.object);
    let is_applied = |controller: EngineController| {
        applied().any(|object| match object.group() {
            "apps" => controller.is_called(&object.name),
            group => controller.is_installed_by(group, &object.kind),
        })
    };
    let mut missing = MissingControllers { of_roots: needs(&mut applied()), ..MissingControllers::default() };
    missing.of_roots.retain(|controller, _| !is_applied(*controller) && !runs(*controller));
    for (controller, objects) in needs(&mut desire.followed.iter().map(|wanted| &wanted.object)) {
        if missing.of_roots.contains_key(&controller) || is_applied(controller) || runs(controller) {
            continue;
        }
        match providers.controller(controller) {
            Ok(possible) if possible.is_empty() => drop(missing.of_deployers.insert(controller, objects)),
            Ok(possible) => drop(missing.uncertain.insert(controller, (objects, possible))),
            Err(_) => {}
        }
    }
    missing
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
