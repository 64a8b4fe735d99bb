//! Namespaces whose Secrets are never copied: read access to them means control of the core cluster.

use std::collections::BTreeSet;

use crate::adopt::homes::{ARGO, EngineNamespaces, namespaces_of};
use crate::adopt::{argocd, flux};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::state::ClusterState;

const SYSTEM: &str = "kube-system";

/// Returns the namespaces in which engines are, or may be: their defaults, those that flags give, and every namespace with
/// AppProjects. If the namespace of Argo CD is in doubt, each namespace with its objects may be the one. The objects of Flux
/// are anywhere, and name their credentials.
pub(super) fn guarded_namespaces(state: &ClusterState, homes: &EngineNamespaces) -> BTreeSet<String> {
    let known = [SYSTEM, argocd::DEFAULT_NAMESPACE, flux::DEFAULT_NAMESPACE, &homes.argocd, &homes.flux];
    let mut guarded = BTreeSet::from(known);
    guarded.extend(namespaces_of(state, ARGO, "AppProject"));
    if homes.doubt(GitOps::ArgoCd).is_some() {
        guarded.extend(namespaces_of(state, ARGO, "Application"));
    }
    guarded.into_iter().map(str::to_owned).collect()
}
