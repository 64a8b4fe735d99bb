//! The controllers of a declared engine, matched independently of the installation method.

use std::collections::{BTreeMap, BTreeSet};

use super::declaration::{DeclaredController, DeclaredEngine};
use crate::engine::controller::{installed_version, workloads};

use crate::engine::controller::description::Controller;
use crate::engine::controller::workload_kind::workload_name;
use crate::engine::controller::workloads::Workloads;
use crate::model::body::workload::Workload;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

const SERVICE: &str = "{service}";

/// Returns the controllers of an engine in a cluster.
pub(super) fn list_controllers<'state>(
    engine: &DeclaredEngine,
    state: &'state ClusterState,
) -> Vec<Controller<'state>> {
    let workloads = Workloads::from_state(state);
    let mut controllers = Vec::new();
    for runs in engine.controllers {
        if !runs.names.iter().any(|name| name.contains(SERVICE)) {
            let names = runs.names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
            let groups: BTreeSet<String> = state
                .kinds
                .iter()
                .filter(|kind| engine.has(kind) && (runs.kinds.is_empty() || runs.kinds.contains(&kind.kind.as_str())))
                .map(|kind| kind.qualified_plural())
                .collect();
            controllers.push(controller(&names, runs, &workloads, move |resource| {
                groups.contains(&resource.kind.qualified_plural())
            }));
            continue;
        }
        let groups: BTreeSet<&str> =
            state.kinds.iter().filter(|kind| engine.has(kind)).map(|kind| kind.group.as_str()).collect();
        for group in groups {
            let service = group.split('.').next().unwrap_or_default();
            let names = runs.names.iter().map(|name| name.replace(SERVICE, service)).collect::<Vec<_>>();
            controllers.push(controller(&names, runs, &workloads, move |resource| resource.kind.group == group));
        }
    }
    controllers
}

fn controller<'state>(
    names: &[String],
    runs: &DeclaredController,
    workloads: &Workloads<'state>,
    looks_after: impl Fn(&Resource) -> bool + 'state,
) -> Controller<'state> {
    let found = workloads.matching(|resource, workload| names.iter().any(|name| is_called(name, resource, workload)));
    let name = names.first().cloned().unwrap_or_default();
    let controller = Controller::new(name.clone(), workload_name("Deployment", None, name), found);
    Controller { serves: runs.serves, ..controller.with_objects(looks_after).with_need(runs.need) }
}

/// Returns true if a workload matches by its name, by the name label (with a release prefix), or by its image.
fn is_called(name: &str, resource: &Resource, workload: &Workload) -> bool {
    const LABELS: [&str; 2] = ["app.kubernetes.io/name", "app"];
    let own = resource.metadata.name.as_str();
    own == name
        || LABELS.iter().any(|key| resource.metadata.label(key) == Some(name)) && own.contains(name)
        || workload.images.iter().any(|image| workloads::repository(image) == name)
}

/// Returns the version that most controllers of an engine report.
pub(super) fn version(engine: &DeclaredEngine, state: &ClusterState) -> Option<String> {
    let workloads = Workloads::from_state(state);
    let names: Vec<&str> =
        engine.controllers.iter().flat_map(|runs| runs.names).copied().filter(|name| !name.contains(SERVICE)).collect();
    let found = workloads.matching(|resource, workload| names.iter().any(|name| is_called(name, resource, workload)));
    let mut votes: BTreeMap<String, usize> = BTreeMap::new();
    for version in found.into_iter().filter_map(installed_version::version_of) {
        *votes.entry(version).or_default() += 1;
    }
    votes.into_iter().max_by_key(|(_, votes)| *votes).map(|(version, _)| version)
}
