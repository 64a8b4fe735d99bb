//! Detects installed engines, and API groups that must be served here but are missing from discovery. An API server
//! whose discovery temporarily omits a group looks like a cluster without its objects.

use std::collections::{BTreeMap, BTreeSet};

use super::controller::PART_OF;
use super::{ENGINES, engine_of};
use crate::engine::crossplane::{CrossplaneRole, role};
use crate::model::body::Body;
use crate::model::object::group_of;
use crate::model::resource::Resource;
use crate::model::state::{ClusterState, Unreadable};

/// Returns true if an object or a controller of an engine was read.
pub fn is_present(state: &ClusterState) -> bool {
    let is_part = |resource: &Resource| {
        let part = resource.metadata.label(PART_OF);
        part.is_some_and(|part| ENGINES.iter().any(|engine| engine.part_of() == part))
    };
    state.resources.iter().any(|resource| engine_of(&resource.kind).is_some() || is_part(resource))
}

/// Workloads of the engines, by their upstream names, and an API group that each implies.
const SERVED_BY: [(&str, &str, &str); 6] = [
    ("crossplane", "crossplane", "pkg.crossplane.io"),
    ("argocd", "argocd-application-controller", "argoproj.io"),
    ("flux", "source-controller", "source.toolkit.fluxcd.io"),
    ("flux", "kustomize-controller", "kustomize.toolkit.fluxcd.io"),
    ("flux", "helm-controller", "helm.toolkit.fluxcd.io"),
    ("flux", "notification-controller", "notification.toolkit.fluxcd.io"),
];

/// Reports the groups that must be served according to the objects that were read, and that the server did not list, unless a
/// failure of their discovery is reported already. Returns true if there are any.
pub fn report_hidden_groups(state: &mut ClusterState, listed: &BTreeSet<String>) -> bool {
    let hidden = hidden_groups(state, listed);
    let has_hidden = !hidden.is_empty();
    let is_reported = |entry: &Unreadable| state.unreadable.iter().any(|known| known.what.starts_with(&entry.what));
    let unreported: Vec<Unreadable> = hidden.into_iter().filter(|entry| !is_reported(entry)).collect();
    state.unreadable.extend(unreported);
    has_hidden
}

fn hidden_groups(state: &ClusterState, listed: &BTreeSet<String>) -> Vec<Unreadable> {
    let mut hidden: BTreeMap<String, String> = BTreeMap::new();
    for resource in &state.resources {
        for group in groups_of(resource).filter(|group| !group.is_empty() && !listed.contains(*group)) {
            hidden.entry(group.to_owned()).or_insert_with(|| {
                format!("the server does not list this group, though {} depends on it", resource.name())
            });
        }
    }
    hidden.into_iter().map(|(what, reason)| Unreadable { what, reason }).collect()
}

/// Returns the groups that must be served if this object exists.
fn groups_of(resource: &Resource) -> Box<dyn Iterator<Item = &str> + '_> {
    match &resource.body {
        // Packages run as Deployments.
        Body::Package(package)
            if role(&resource.kind) == Some(CrossplaneRole::Revision)
                && package.desired_state.as_deref() == Some("Active") =>
        {
            let defined = package.definitions.iter().filter_map(|name| name.split_once('.').map(|(_, group)| group));
            Box::new(defined.chain(std::iter::once("apps")))
        }
        Body::Crossplane(body) => {
            let composed = body.composed.iter().filter_map(|one| one.api_version.as_deref());
            let owners = resource.metadata.owner_references.iter().map(|owner| &*owner.api_version);
            Box::new(composed.chain(owners).map(group_of))
        }
        Body::Workload(_) => {
            let (part, name) = (resource.metadata.label(PART_OF), resource.metadata.name.as_str());
            let served = SERVED_BY.iter().filter(move |(of, workload, _)| part == Some(*of) && name == *workload);
            Box::new(served.map(|(_, _, group)| *group))
        }
        _ => Box::new(std::iter::empty()),
    }
}
