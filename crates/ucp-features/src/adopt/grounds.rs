//! The grounds of changes to app clusters: the registrations of the core cluster, and everything that deploys through them.

use crate::adopt::provisioner;
use ucp_core::model::grounds::GroundsEvidence;
use ucp_core::model::state::{ClusterState, Unreadable};

/// Kinds of registrations, by group and kind.
const REGISTRATIONS: [(&str, &str); 2] = [("", "Secret"), ("", "ConfigMap")];
/// Kinds that deploy to app clusters, and those that show the namespace of Argo CD, as groups, kinds, and plurals.
pub const DEPLOYERS: [(&str, &str, &str); 4] = [
    ("argoproj.io", "Application", "applications"),
    ("argoproj.io", "AppProject", "appprojects"),
    ("kustomize.toolkit.fluxcd.io", "Kustomization", "kustomizations"),
    ("helm.toolkit.fluxcd.io", "HelmRelease", "helmreleases"),
];

/// The evidence in one state of a core cluster.
#[derive(Debug, Clone, Default)]
pub struct InventoryGrounds {
    /// The lists of registrations and of what they come from.
    pub registrations: GroundsEvidence,
    /// The lists of everything that deploys to app clusters.
    pub deployers: GroundsEvidence,
}

impl InventoryGrounds {
    /// Collects the evidence of a state. It was only asked for kinds that are needed here.
    pub(crate) fn from_state(state: &ClusterState) -> Self {
        let mut grounds = Self::default();
        for (group, kind) in REGISTRATIONS {
            grounds.registrations.require_list(state, None, group, kind);
        }
        for kind in state.kinds.iter().filter(|kind| provisioner::is_cluster(kind)) {
            grounds.registrations.require_list(state, None, &kind.group, &kind.kind);
        }
        for (group, kind, _) in DEPLOYERS {
            grounds.deployers.require_list(state, None, group, kind);
        }
        // Secrets of single namespaces, and kinds that discovery hides, are in no list of kinds.
        for entry in &state.unreadable {
            if is_in_group(entry, |group| DEPLOYERS.iter().any(|(known, ..)| *known == group)) {
                grounds.deployers.add_gap(entry.clone());
            } else if is_in_group(entry, |group| group.is_empty()) {
                grounds.registrations.add_gap(entry.clone());
            }
        }
        grounds
    }

    /// Returns the evidence of all registrations.
    ///
    /// # Errors
    /// Returns a sentence with the first gap.
    pub fn require_registrations(&self) -> Result<GroundsEvidence, IncompleteInventory> {
        require(&self.registrations, "what is registered already")
    }

    /// Returns the evidence of everything that deploys to app clusters.
    ///
    /// # Errors
    /// Returns a sentence with the first gap.
    pub fn require_deployers(&self) -> Result<GroundsEvidence, IncompleteInventory> {
        require(&self.deployers, "what deploys to app clusters")
    }
}

fn require(evidence: &GroundsEvidence, question: &str) -> Result<GroundsEvidence, IncompleteInventory> {
    let established = evidence.clone().establish(());
    let established = established.map(|known| known.reopen().1);
    established.map_err(|gaps| IncompleteInventory(format!("{question} is unknown: {}", gaps.reason())))
}

/// The reason why the evidence is not enough for a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncompleteInventory(pub String);

/// Returns true if an entry is a list, an object, or the discovery of a group for which `is_meant` returns true.
fn is_in_group(entry: &Unreadable, is_meant: impl Fn(&str) -> bool) -> bool {
    let what = entry.what.split(' ').next().unwrap_or_default();
    // `plural.group`, or `group` and `group/version` of discovery; kinds of the core group have no dot.
    let group = what.split('/').next().unwrap_or_default();
    let of_kind = what.split_once('.').map_or("", |(_, group)| group);
    is_meant(group) || is_meant(of_kind) && (!of_kind.is_empty() || !what.contains('/') || what == "v1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_counts_for_the_lists_that_it_may_hide() {
        let entry = |what: &str| Unreadable { what: what.to_owned(), reason: String::new() };
        let core = |what: &str| is_in_group(&entry(what), str::is_empty);
        assert!(core("secrets") && core("configmaps") && core("secrets shop/x") && core("v1"));
        assert!(!core("metrics.k8s.io/v1beta1") && !core("applications.argoproj.io") && !core("apps/v1"));
        let argo = |what: &str| is_in_group(&entry(what), |group| group == "argoproj.io");
        assert!(argo("applications.argoproj.io") && argo("argoproj.io") && argo("argoproj.io/v1alpha1"));
        assert!(argo("applications.argoproj.io argocd/shop") && !argo("secrets"));
    }
}
