//! Versions of engines, by their workloads.

use std::collections::BTreeMap;

use super::workloads::Workloads;
use crate::model::body::workload::Workload;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// The label with the version of a chart.
pub(super) const VERSION: &str = "app.kubernetes.io/version";

/// Returns the version of an engine that most of its workloads run: the label of its chart, or the tag of its image.
pub fn version(state: &ClusterState, part_of: &str) -> Option<String> {
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    for (resource, workload) in Workloads::from_state(state).parts_of(part_of) {
        if let Some(version) = resource.metadata.label(VERSION).or_else(|| tag(workload)) {
            *votes.entry(version).or_default() += 1;
        }
    }
    let (version, _) = votes.into_iter().max_by_key(|(_, votes)| *votes)?;
    Some(version.trim_start_matches('v').to_owned())
}

/// Returns the version that one workload runs.
pub fn version_of(resource: &Resource) -> Option<String> {
    let crate::model::body::Body::Workload(workload) = &resource.body else { return None };
    let version = resource.metadata.label(VERSION).or_else(|| tag(workload))?;
    Some(version.trim_start_matches('v').to_owned())
}

pub(super) fn tag(workload: &Workload) -> Option<&str> {
    let image = workload.images.first()?.split('@').next()?;
    Some(image.rsplit_once(':').filter(|(_, tag)| !tag.contains('/'))?.1)
}
