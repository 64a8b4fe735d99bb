//! Authority of declarations. Write access to one namespace must not expose Secrets of another: a declaration counts
//! only for Secrets in its own namespace, and not for copies in namespaces of the system. A declaration in a namespace of
//! an engine counts for all Secrets. So does a cluster-scoped declaration, since only administrators of the core cluster
//! can write these.

use std::collections::BTreeSet;

use super::intent::{CopyIntent, DeclarationKind};
use crate::adopt::homes::EngineNamespaces;
use ucp_core::model::metadata::SYSTEM_NAMESPACES;
use ucp_core::model::state::ClusterState;

/// Namespaces where Crossplane, Flux, and Upbound's Crossplane are installed.
const ENGINES: [&str; 3] = ["crossplane-system", "flux-system", "upbound-system"];
/// Namespace where the manifest-syncer runs; it applies every Syncer.
const MANIFEST_SYNCER: &str = "default";

/// Namespaces whose declarations count for Secrets of all namespaces.
#[derive(Debug, Default)]
pub(super) struct Authority {
    engines: BTreeSet<String>,
}

impl Authority {
    /// Collects the namespaces of the engines of a core cluster. Argo CD's namespace is included only if its
    /// AppProjects were read: otherwise applications may be in a tenant's namespace.
    pub(super) fn new(state: &ClusterState, homes: &EngineNamespaces) -> Self {
        let known = ENGINES.into_iter().map(str::to_owned);
        let is_known = state.has_read("argoproj.io", "AppProject") && homes.contain(&homes.argocd);
        let argocd = is_known.then(|| homes.argocd.clone());
        Self { engines: known.chain(argocd).collect() }
    }

    /// Returns the reason why a declaration does not count, or `None` if it counts.
    pub(super) fn objection(&self, intent: &CopyIntent) -> Option<String> {
        let object = &intent.declarer.object;
        let (Some(namespace), Some(source)) = (&object.namespace, &intent.source) else { return None };
        let is_of_engine = self.engines.contains(namespace)
            || intent.declarer.by == DeclarationKind::Syncer && namespace == MANIFEST_SYNCER;
        if is_of_engine || intent.declarer.by.is_elsewhere() {
            return None;
        }
        let target = intent.target.namespace.as_str();
        if SYSTEM_NAMESPACES.contains(&target) || self.engines.contains(target) {
            return Some(format!(
                "{} {} -n {namespace} declares a copy in namespace {target}, whose Secrets control the app cluster: only \
                 declarations in the namespace of an engine count for it",
                intent.declarer.by.as_str(),
                object.name
            ));
        }
        if *namespace == source.namespace {
            return None;
        }
        Some(format!(
            "{} {} -n {namespace} declares a copy of Secret {source} of another namespace: only declarations in \
             namespace {} or in the namespace of an engine count",
            intent.declarer.by.as_str(),
            object.name,
            source.namespace
        ))
    }
}
