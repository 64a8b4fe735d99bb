//! The controllers of Argo CD. A cluster may have several instances, each in its own namespace.

use std::collections::BTreeSet;

use super::settings::GROUP;
use crate::engine::controller::description::{Controller, ControllerNeed, ControllerWork, ReplicaDistribution};
use crate::engine::controller::workload_kind::workload_name;
use crate::engine::controller::workloads::{ComponentName, Workloads};
use crate::model::body::Body;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// A component, with the names of the upstream manifests.
struct ArgoCdComponent {
    name: &'static str,
    kind: &'static str,
    need: ControllerNeed,
    replicas: ReplicaDistribution,
    work: ControllerWork,
    looks_after: &'static [&'static str],
}

const APPLICATIONS: &[&str] = &["Application"];

/// A StatefulSet of application controllers distributes the clusters among its replicas. A Deployment reassigns the
/// clusters of a failed replica to the others. A deletion only needs the controller itself: it compares live objects with
/// its own cache of the cluster (`finalizeApplicationDeletion`), and renders nothing but hooks.
const PARTS: [ArgoCdComponent; 6] = [
    ArgoCdComponent {
        name: "application-controller",
        kind: "StatefulSet",
        need: ControllerNeed::Essential,
        replicas: ReplicaDistribution::Shards,
        work: ControllerWork::All,
        looks_after: APPLICATIONS,
    },
    ArgoCdComponent {
        name: "repo-server",
        kind: "Deployment",
        need: ControllerNeed::Essential,
        replicas: ReplicaDistribution::Alike,
        work: ControllerWork::Updates,
        looks_after: APPLICATIONS,
    },
    ArgoCdComponent {
        name: "applicationset-controller",
        kind: "Deployment",
        need: ControllerNeed::Essential,
        replicas: ReplicaDistribution::Alike,
        work: ControllerWork::All,
        looks_after: &["ApplicationSet"],
    },
    ArgoCdComponent {
        name: REDIS,
        kind: "Deployment",
        need: ControllerNeed::WhereDeployed,
        replicas: ReplicaDistribution::Alike,
        work: ControllerWork::Updates,
        looks_after: APPLICATIONS,
    },
    ArgoCdComponent {
        name: REDIS_PROXY,
        kind: "Deployment",
        need: ControllerNeed::WhereDeployed,
        replicas: ReplicaDistribution::Alike,
        work: ControllerWork::Updates,
        looks_after: APPLICATIONS,
    },
    ArgoCdComponent {
        name: COMMIT_SERVER,
        kind: "Deployment",
        need: ControllerNeed::Essential,
        replicas: ReplicaDistribution::Alike,
        work: ControllerWork::Updates,
        looks_after: APPLICATIONS,
    },
];

/// Pushes what the source hydrator renders. Only Applications with a source hydrator need it.
const COMMIT_SERVER: &str = "commit-server";

const REDIS: &str = "redis";
/// The proxy for several Redis servers in `manifests/ha` and the chart `redis-ha`. It is required, too.
const REDIS_PROXY: &str = "redis-ha-haproxy";
const REDIS_SERVERS: &str = "redis-ha-server";

pub(super) fn list_controllers(state: &ClusterState) -> Vec<Controller<'_>> {
    let workloads = Workloads::from_state(state);
    let instances = instances(state, &workloads);
    let mut controllers = Vec::new();
    for part in &PARTS {
        let found = found(part, &workloads);
        for instance in instances.iter().copied() {
            let own = found.iter().copied().filter(|workload| workload.metadata.namespace.as_deref() == instance);
            let workload = workload_name(part.kind, instance, format!("argocd-{}", part.name));
            let instances = instances.clone();
            controllers.push(Controller {
                replicas: part.replicas,
                work: part.work,
                need: part.need,
                ..Controller::new(part.name, workload, own.collect()).with_objects(move |resource| {
                    resource.kind.group == GROUP
                        && part.looks_after.contains(&resource.kind.kind.as_str())
                        && (part.name != COMMIT_SERVER || is_hydrated(resource))
                        && belongs_to(resource, instance, &instances)
                })
            });
        }
    }
    controllers
}

fn found<'state>(part: &ArgoCdComponent, workloads: &Workloads<'state>) -> Vec<&'state Resource> {
    let component = |name| workloads.component(ComponentName { engine: "argocd", name });
    let is_proxy = |workload: &Resource| workload.metadata.name.ends_with("haproxy");
    let mut found = component(part.name);
    match part.name {
        REDIS => {
            found.extend(component(REDIS_SERVERS));
            found.retain(|workload| !is_proxy(workload));
        }
        REDIS_PROXY => {
            found.extend(component(REDIS));
            found.retain(|workload| is_proxy(workload));
        }
        _ => {}
    }
    found
}

/// Returns the namespaces of all instances; `None` as a single namespace if no instance was found.
fn instances<'state>(state: &'state ClusterState, workloads: &Workloads<'state>) -> BTreeSet<Option<&'state str>> {
    let running =
        PARTS.iter().filter(|part| part.need == ControllerNeed::Essential).flat_map(|part| found(part, workloads));
    let running = running.map(|workload| workload.metadata.namespace.as_deref());
    let named = state.resources.iter().filter_map(|resource| Some(Some(controller_namespace(resource)?)));
    let mut instances: BTreeSet<_> = running.chain(named).collect();
    if instances.is_empty() {
        instances.insert(None);
    }
    instances
}

/// Returns the namespace of the controller that last reconciled an Application: `status.controllerNamespace`, since
/// 2.6.
fn controller_namespace(resource: &Resource) -> Option<&str> {
    match &resource.body {
        Body::Application(application) => application.status.controller_namespace.as_deref(),
        _ => None,
    }
}

fn is_hydrated(resource: &Resource) -> bool {
    matches!(&resource.body, Body::Application(application) if application.spec.source_hydrator.is_some())
}

/// Returns true if an instance manages an object: the instance in `status.controllerNamespace`, else the one in the
/// object's own namespace, else any, since Applications may be in namespaces without an instance.
fn belongs_to(resource: &Resource, instance: Option<&str>, instances: &BTreeSet<Option<&str>>) -> bool {
    let own = resource.metadata.namespace.as_deref();
    match controller_namespace(resource) {
        Some(namespace) => instance == Some(namespace),
        None if instances.contains(&own) => instance == own,
        None => true,
    }
}
