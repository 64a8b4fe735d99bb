//! The controllers of an engine that is described as data: which workloads they are, however they were installed.

use std::collections::{BTreeMap, BTreeSet};

use super::Declared;
use crate::engine::controller::{self, Controller, Need, Workloads, workload_name};
use crate::model::body::workload::Workload;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// A controller of an engine.
pub(in crate::engine) struct Runs {
    /// What its Deployment, its label or its image is called; the first is what upstream calls its workload. `{service}`
    /// stands for the first part of an API group, and makes a controller of each.
    pub(in crate::engine) names: &'static [&'static str],
    /// The kinds that it looks after; all of the engine's where there are none.
    pub(in crate::engine) kinds: &'static [&'static str],
    /// What it means that there is none.
    pub(in crate::engine) need: Need,
    /// Objects of other engines that ask something of it.
    pub(in crate::engine) serves: fn(&Resource) -> bool,
}

impl Runs {
    /// An essential controller of every object of the engine.
    pub(in crate::engine) const fn all(names: &'static [&'static str]) -> Self {
        Self { names, kinds: &[], need: Need::Essential, serves: |_| false }
    }

    /// An essential controller of some kinds.
    pub(in crate::engine) const fn of(names: &'static [&'static str], kinds: &'static [&'static str]) -> Self {
        Self { names, kinds, need: Need::Essential, serves: |_| false }
    }
}

const SERVICE: &str = "{service}";

/// The controllers of an engine in a cluster.
pub(super) fn of<'state>(engine: &Declared, state: &'state ClusterState) -> Vec<Controller<'state>> {
    let workloads = Workloads::of(state);
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
    runs: &Runs,
    workloads: &Workloads<'state>,
    looks_after: impl Fn(&Resource) -> bool + 'state,
) -> Controller<'state> {
    let found = workloads.matching(|resource, workload| names.iter().any(|name| is_called(name, resource, workload)));
    let name = names.first().cloned().unwrap_or_default();
    let controller = Controller::new(name.clone(), workload_name("Deployment", None, name), found);
    Controller { serves: runs.serves, ..controller.of(looks_after).needed(runs.need) }
}

/// By its name; by the label of its name, where a release stands before it; by its image.
fn is_called(name: &str, resource: &Resource, workload: &Workload) -> bool {
    const LABELS: [&str; 2] = ["app.kubernetes.io/name", "app"];
    let own = resource.metadata.name.as_str();
    own == name
        || LABELS.iter().any(|key| resource.metadata.label(key) == Some(name)) && own.contains(name)
        || workload.images.iter().any(|image| controller::repository(image) == name)
}

/// The version of an engine: what most of its controllers say.
pub(super) fn version(engine: &Declared, state: &ClusterState) -> Option<String> {
    let workloads = Workloads::of(state);
    let names: Vec<&str> =
        engine.controllers.iter().flat_map(|runs| runs.names).copied().filter(|name| !name.contains(SERVICE)).collect();
    let found = workloads.matching(|resource, workload| names.iter().any(|name| is_called(name, resource, workload)));
    let mut votes: BTreeMap<String, usize> = BTreeMap::new();
    for version in found.into_iter().filter_map(controller::version_of) {
        *votes.entry(version).or_default() += 1;
    }
    votes.into_iter().max_by_key(|(_, votes)| *votes).map(|(version, _)| version)
}
