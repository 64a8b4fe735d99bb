//! The namespaces of the engines, where registrations are trusted. Tenants write most objects of engines in their own
//! namespaces, so a number of objects proves nothing: a namespace is known by a flag, by its default name, or as the only one
//! with AppProjects, which Argo CD reads in its own namespace alone. Otherwise it is in doubt, and nothing there is trusted.

use std::collections::BTreeSet;

use super::registration::Registration;
use super::{argocd, flux};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::git_ops::{GitOps, argo_cd_namespace};
use ucp_core::model::state::{ClusterState, Unreadable};

/// The namespaces of the engines and of their registrations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineNamespaces {
    /// Argo CD's namespace; the default one if it is in doubt.
    pub argocd: String,
    /// Flux's namespace; the default one if it is in doubt.
    pub flux: String,
    /// The one of these two in which registrations with `kubectl ucp secrets` are created.
    pub distribution: String,
    /// The namespaces of installed engines. A registration with `kubectl ucp secrets` in another of them may be from
    /// before an engine was added.
    pub in_use: BTreeSet<String>,
    /// The namespaces with AppProjects, each of which may be that of an Argo CD; none if a flag decides.
    pub instances: BTreeSet<String>,
    /// The engines whose namespace is not known.
    pub doubts: Vec<EngineDoubt>,
}

/// The reason why the namespace of an engine is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineDoubt {
    /// The engine.
    pub engine: GitOps,
    /// The contradicting facts.
    pub reason: String,
    /// The flag that decides.
    pub flag: &'static str,
}

impl EngineDoubt {
    /// Returns the entry for reports.
    pub fn entry(&self) -> Unreadable {
        let reason = format!("{}; pass it with {}", self.reason, self.flag);
        Unreadable { what: format!("the namespace of {}", self.engine.title()), reason }
    }
}

impl EngineNamespaces {
    /// Returns the engines' namespaces: those that flags give, or else those that the state shows.
    pub fn find(state: &ClusterState, given_argocd: Option<&str>, given_flux: Option<&str>) -> Self {
        let (argocd, flux) = (find_argocd(state, given_argocd), find_flux(state, given_flux));
        let is_flux_used = given_flux.is_some() || !namespaces_of(state, KUSTOMIZE, "Kustomization").is_empty();
        let doubts = [&argocd, &flux].into_iter().filter_map(|found| found.as_ref().err().cloned()).collect();
        let argocd = argocd.unwrap_or_else(|_| argocd::DEFAULT_NAMESPACE.to_owned());
        let flux = flux.unwrap_or_else(|_| flux::DEFAULT_NAMESPACE.to_owned());
        // Other projects have kinds in Argo CD's group, too.
        let has = |group: &str, kinds: &[&str]| {
            state.kinds.iter().any(|kind| kind.group == group && kinds.contains(&kind.kind.as_str()))
        };
        let is_flux_alone = has(KUSTOMIZE, &["Kustomization"]) && !has(ARGO, &["Application", "AppProject"]);
        let distribution = if is_flux_alone { &flux } else { &argocd }.clone();
        let in_use = [Some(&distribution), is_flux_used.then_some(&flux)].into_iter().flatten().cloned().collect();
        let projects = namespaces_of(state, ARGO, "AppProject").into_iter().map(str::to_owned);
        let instances = if given_argocd.is_some() { BTreeSet::new() } else { projects.collect() };
        Self { distribution, in_use, argocd, flux, instances, doubts }
    }

    /// Returns true if a registration is in an engine's namespace, so that no tenant of the core cluster wrote it.
    pub fn keeps(&self, registration: &Registration) -> bool {
        registration.object.namespace.as_deref().is_some_and(|namespace| self.contain(namespace))
    }

    /// Returns true for the known namespace of an engine.
    pub fn contain(&self, namespace: &str) -> bool {
        namespace == self.argocd && self.doubt(GitOps::ArgoCd).is_none()
            || namespace == self.flux && self.doubt(GitOps::Flux).is_none()
    }

    /// Returns the namespace with the cluster Secrets of the Argo CD that reconciles Applications in some namespaces.
    ///
    /// # Errors
    /// Fails when the namespace is in doubt, or some of the Applications belong to another Argo CD.
    pub fn registry<'a>(&self, applications: impl IntoIterator<Item = &'a str>) -> Result<String, Failure> {
        if let Some(doubt) = self.doubt(GitOps::ArgoCd) {
            let Unreadable { what, reason } = doubt.entry();
            return fail!("{what} is unknown: {reason}");
        }
        let mut other = applications.into_iter().filter(|one| *one != self.argocd && self.instances.contains(*one));
        match other.next() {
            Some(other) => fail!(
                "AppProjects and Applications are in {other}, so that another Argo CD may deploy them than the one in {}; pass the namespace with --argocd-namespace",
                self.argocd
            ),
            None => Ok(self.argocd.clone()),
        }
    }

    /// Returns the reason why the namespace of an engine is not known.
    pub fn doubt(&self, engine: GitOps) -> Option<&EngineDoubt> {
        self.doubts.iter().find(|doubt| doubt.engine == engine)
    }

    /// Returns the doubt about one of the engines whose namespace this is by default.
    pub fn doubt_at(&self, namespace: &str) -> Option<&EngineDoubt> {
        let by_engine = [(GitOps::ArgoCd, &self.argocd), (GitOps::Flux, &self.flux)];
        by_engine.into_iter().filter(|(_, home)| *home == namespace).find_map(|(engine, _)| self.doubt(engine))
    }
}

/// The API group of Argo CD.
pub(crate) const ARGO: &str = "argoproj.io";
const KUSTOMIZE: &str = "kustomize.toolkit.fluxcd.io";

fn find_argocd(state: &ClusterState, given: Option<&str>) -> Result<String, EngineDoubt> {
    let doubt = |reason| EngineDoubt { engine: GitOps::ArgoCd, reason, flag: "--argocd-namespace" };
    let projects = namespaces_of(state, ARGO, "AppProject");
    if let Some(given) = given {
        return Ok(given.to_owned());
    }
    if let Some(home) = argo_cd_namespace(&projects) {
        return Ok(home.to_owned());
    }
    if !projects.is_empty() {
        return Err(doubt(format!("AppProjects are in {}", listed(&projects))));
    }
    // Applications can be in the namespaces of tenants.
    let applications = namespaces_of(state, ARGO, "Application");
    match applications.is_empty() || applications.contains(argocd::DEFAULT_NAMESPACE) {
        true => Ok(argocd::DEFAULT_NAMESPACE.to_owned()),
        false => Err(doubt(format!("no AppProject was found, and Applications are in {}", listed(&applications)))),
    }
}

fn find_flux(state: &ClusterState, given: Option<&str>) -> Result<String, EngineDoubt> {
    let used = namespaces_of(state, KUSTOMIZE, "Kustomization");
    match given {
        Some(given) => Ok(given.to_owned()),
        None if used.is_empty() || used.contains(flux::DEFAULT_NAMESPACE) => Ok(flux::DEFAULT_NAMESPACE.to_owned()),
        // Kustomizations can be in the namespaces of tenants.
        None => Err(EngineDoubt {
            engine: GitOps::Flux,
            reason: format!("Kustomizations are in {}, and none in {}", listed(&used), flux::DEFAULT_NAMESPACE),
            flag: "--flux-namespace",
        }),
    }
}

/// Returns the namespaces of the objects of a kind.
pub(crate) fn namespaces_of<'a>(state: &'a ClusterState, group: &str, kind: &str) -> BTreeSet<&'a str> {
    let objects = state.resources.iter().filter(|one| one.kind.group == group && one.kind.kind == kind);
    objects.filter_map(|one| one.metadata.namespace.as_deref()).collect()
}

/// Returns some names in one phrase.
fn listed(names: &BTreeSet<&str>) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<&str> = names.iter().copied().take(SHOWN).collect();
    match names.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        Some(more) => format!("{} and {more} more namespaces", shown.join(", ")),
        None => shown.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::DeserializeSeed as _;
    use serde_json::json;
    use std::sync::Arc;
    use ucp_core::model::body::BodyShape;
    use ucp_core::model::kind::ResourceKind;
    use ucp_core::model::seed::ResourceSeed;
    use ucp_core::model::state::Origin;

    fn found(objects: &[(&str, &str, &str)], given_flux: Option<&str>) -> EngineNamespaces {
        let resource = |(index, (group, kind, namespace)): (usize, &(&str, &str, &str))| {
            let kind = Arc::new(ResourceKind::guess(group, kind));
            let object = json!({"metadata": {"namespace": namespace, "name": format!("object-{index}")}});
            ResourceSeed { kind: &kind, shape: BodyShape::Metadata }.deserialize(object).unwrap()
        };
        let origin = Origin::Snapshot { path: String::new() };
        let mut state = ClusterState {
            resources: objects.iter().enumerate().map(resource).collect(),
            ..ClusterState::empty(origin, jiff::Timestamp::UNIX_EPOCH)
        };
        state.kinds = state.resources.iter().map(|one| Arc::clone(&one.kind)).collect();
        EngineNamespaces::find(&state, None, given_flux)
    }

    #[test]
    fn a_tenant_with_many_objects_does_not_become_an_engine() {
        let (project, application) = ((ARGO, "AppProject"), (ARGO, "Application"));
        let kustomization = (KUSTOMIZE, "Kustomization");
        let at = |(group, kind): (&'static str, &'static str), namespace| (group, kind, namespace);
        for (objects, argocd) in [
            (vec![], Ok("argocd")),
            (vec![at(project, "gitops"), at(application, "tenant"), at(application, "tenant")], Ok("gitops")),
            (vec![at(project, "argocd"), at(project, "tenant"), at(project, "tenant")], Ok("argocd")),
            (vec![at(project, "gitops"), at(project, "tenant"), at(project, "tenant")], Err(())),
            (vec![at(application, "tenant"), at(application, "tenant")], Err(())),
            (vec![at(application, "argocd"), at(application, "tenant"), at(application, "tenant")], Ok("argocd")),
        ] {
            let homes = found(&objects, None);
            assert_eq!(homes.doubt(GitOps::ArgoCd).is_some(), argocd.is_err(), "{objects:?}");
            assert!(!homes.contain("tenant"), "{objects:?}");
            argocd.iter().for_each(|home| assert!(homes.contain(home), "{objects:?}"));
        }
        let flux = found(&[at(kustomization, "tenant"), at(kustomization, "tenant")], None);
        assert!(flux.doubt(GitOps::Flux).is_some() && !flux.contain("tenant"));
        let flux = found(&[at(kustomization, "tenant"), at(kustomization, "flux-system")], None);
        assert!(flux.contain("flux-system") && !flux.contain("tenant"));
        assert!(found(&[at(kustomization, "tenant")], Some("tenant")).contain("tenant"));
    }
}
