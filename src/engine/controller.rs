//! The engines' own workloads: which version runs, and whether it runs at all. Without its controller, everything that
//! an engine reports is old.

use std::collections::BTreeMap;

use crate::engine::code::Code;
use crate::engine::{Cause, Problem};
use crate::model::body::workload::Workload;
use crate::model::body::{Body, Shape, Want};
use crate::model::condition::{Conditions as _, Truth};
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// Every chart and manifest of the engines carries this label.
const PART_OF: &str = "app.kubernetes.io/part-of";
/// Where the chart says its version.
const VERSION: &str = "app.kubernetes.io/version";
/// The engines whose workloads are read.
const SELECTOR: &str = "app.kubernetes.io/part-of in (argocd,crossplane,flux)";

/// Deployments and StatefulSets, of the engines only.
pub(crate) fn want(kind: &ResourceKind) -> Option<Want> {
    let is_workload = kind.group == "apps" && matches!(kind.kind.as_str(), "Deployment" | "StatefulSet");
    is_workload.then_some(Want { selector: Some(SELECTOR), ..Want::all(Shape::Workload) })
}

fn workloads(state: &ClusterState) -> impl Iterator<Item = (&str, &Resource, &Workload)> {
    state.resources.iter().filter_map(|resource| match &resource.body {
        Body::Workload(workload) => Some((resource.metadata.label(PART_OF)?, resource, workload.as_ref())),
        _ => None,
    })
}

/// The version of an engine: its chart's label, or the tag of its image, whichever most of its workloads run.
pub fn version(state: &ClusterState, part_of: &str) -> Option<String> {
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    for (engine, resource, workload) in workloads(state) {
        let tag = || {
            let image = workload.images.first()?.split('@').next()?;
            Some(image.rsplit_once(':').filter(|(_, tag)| !tag.contains('/'))?.1)
        };
        if engine == part_of
            && let Some(version) = resource.metadata.label(VERSION).or_else(tag)
        {
            *votes.entry(version).or_default() += 1;
        }
    }
    let (version, _) = votes.into_iter().max_by_key(|(_, votes)| *votes)?;
    Some(version.trim_start_matches('v').to_owned())
}

/// Whether any workload of an engine was seen; `None` where workloads could not be listed, are not in the snapshot, or may
/// be in a namespace that was not asked for.
pub fn is_present(state: &ClusterState, part_of: &str) -> Option<bool> {
    let listed = state.kinds.iter().any(|kind| kind.kind == "Deployment" && state.was_read(kind));
    let all = listed && state.namespace.is_none();
    all.then(|| workloads(state).any(|(engine, ..)| engine == part_of))
}

/// Workloads of which no replica is ready.
pub(crate) fn causes(state: &ClusterState) -> Vec<Cause> {
    workloads(state)
        .filter(|(_, _, workload)| workload.wanted > 0 && workload.ready == 0)
        .map(|(_, resource, workload)| {
            let message = format!("0 of {} replicas are ready", workload.wanted);
            // Only a Deployment has this condition; a StatefulSet does not say since when.
            let unavailable = resource.conditions.when("Available", Truth::False);
            let since = unavailable.and_then(|condition| condition.last_transition_time);
            let problem = Problem::new(Code::ControllerDown, since, message);
            Cause { object: resource.name(), problem, holds_up: Vec::new() }
        })
        .collect()
}
