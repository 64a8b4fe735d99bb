//! What Flux deploys. A Kustomization does not say which images run, but the workloads that it applied do, here or in
//! the app cluster that it deploys to, and each of them carries its name.

use std::collections::BTreeSet;

use crate::gitops::path;
use crate::manifests::deployment::Destination;
use crate::model::body::flux::{FluxObject, inventory_key};
use crate::model::body::workload::{Rollout, Workload};
use crate::model::body::{Body, Shape, Want};
use crate::model::condition::{Conditions as _, Truth};
use crate::model::git_ops::GitOps;
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectKey;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::promote::running::Deployer;
use crate::promote::running::elsewhere::Elsewhere;

/// API group of Kustomizations, and prefix of the labels on what they apply.
const KUSTOMIZE: &str = "kustomize.toolkit.fluxcd.io";
const SOURCE: &str = "source.toolkit.fluxcd.io";
/// Workloads that some Kustomization applied.
const APPLIED: &str = "kustomize.toolkit.fluxcd.io/name";

/// Kustomizations, and what they build from.
pub(super) fn want(kind: &ResourceKind) -> Option<Want> {
    let is_read =
        matches!((kind.group.as_str(), kind.kind.as_str()), (KUSTOMIZE, "Kustomization") | (SOURCE, "GitRepository"));
    is_read.then(|| Want::all(Shape::Flux)).or_else(|| want_applied(kind))
}

/// The workloads that they applied.
pub(super) fn want_applied(kind: &ResourceKind) -> Option<Want> {
    let is_workload = matches!(
        (kind.group.as_str(), kind.kind.as_str()),
        ("apps", "Deployment" | "StatefulSet" | "DaemonSet") | ("batch", "CronJob")
    );
    is_workload.then(|| Want { selector: Some(APPLIED), ..Want::all(Shape::Workload) })
}

/// Where a Kustomization deploys to; `None` where it is something else.
pub(super) fn destination(resource: &Resource) -> Option<(&FluxObject, Destination)> {
    let Body::Flux(kustomization) = &resource.body else { return None };
    let namespace = resource.metadata.namespace.as_deref().unwrap_or_default();
    let is_kustomization = resource.kind.group == KUSTOMIZE;
    is_kustomization.then(|| (kustomization.as_ref(), Destination::of_flux(namespace, &kustomization.spec)))
}

/// Narrows a Kustomization; `None` where it is something else.
pub(super) fn deployer(state: &ClusterState, resource: &Resource, elsewhere: &Elsewhere) -> Option<Deployer> {
    let (kustomization, destination) = destination(resource)?;
    let workloads = match &destination {
        Destination::Here => Ok(state.resources.as_slice()),
        other => elsewhere.workloads(other),
    };
    let (spec, status) = (&kustomization.spec, &kustomization.status);
    let namespace = resource.metadata.namespace.as_deref().unwrap_or_default();
    let ready = resource.conditions.as_slice().of("Ready");
    let is_ready = ready.is_some_and(|condition| condition.status == Truth::True);
    let is_applied = status.last_applied_revision == status.last_attempted_revision || is_ready;
    let path = spec.path.as_deref().unwrap_or_default().trim_start_matches('/');
    let applied = workloads.map(|workloads| applied(resource, kustomization, workloads));
    let images = |workload: &Workload| [workload.images.as_slice(), &workload.init_images].concat();
    Some(Deployer {
        engine: GitOps::Flux,
        title: format!("Kustomization {namespace}/{}", resource.metadata.name),
        paths: path::join("", path).into_iter().collect(),
        repositories: repository(state, namespace, kustomization).into_iter().collect(),
        sync: match (spec.suspend, is_applied) {
            (true, _) => "Suspended",
            (false, true) => "Synced",
            (false, false) => "OutOfSync",
        }
        .to_owned(),
        health: if is_ready { "Healthy" } else { ready.map_or("", |condition| condition.reason.as_str()) }.to_owned(),
        unfinished: applied.iter().flatten().find_map(|(resource, workload)| unfinished(resource, workload)),
        images: applied.map(|applied| applied.into_iter().flat_map(|(_, workload)| images(workload)).collect()),
        outage: None,
        since: ready.and_then(|condition| condition.last_transition_time),
    })
}

fn repository(state: &ClusterState, namespace: &str, kustomization: &FluxObject) -> Option<String> {
    let reference = kustomization.spec.source_ref.as_ref()?;
    let namespace = reference.namespace.as_deref().unwrap_or(namespace);
    let source = state
        .resources
        .iter()
        .find(|resource| resource.is(SOURCE, &reference.kind, Some(namespace), &reference.name))?;
    match &source.body {
        Body::Flux(source) => source.spec.url.clone(),
        _ => None,
    }
}

/// The workloads that a Kustomization applied. Another core cluster, or a Flux in the app cluster, may have one of the same
/// name; its inventory tells them apart.
fn applied<'a>(
    kustomization: &Resource,
    fields: &FluxObject,
    workloads: &'a [Resource],
) -> Vec<(&'a Resource, &'a Workload)> {
    let owner = &kustomization.metadata;
    let inventory: Option<BTreeSet<ObjectKey>> = fields
        .status
        .inventory
        .as_ref()
        .map(|inventory| inventory.entries.iter().filter_map(|entry| inventory_key(&entry.id)).collect());
    let is_applied = |resource: &Resource| {
        resource.metadata.label(APPLIED) == Some(owner.name.as_str())
            && resource.metadata.label("kustomize.toolkit.fluxcd.io/namespace") == owner.namespace.as_deref()
            && inventory.as_ref().is_none_or(|inventory| inventory.contains(&resource.key()))
    };
    let workloads = workloads.iter().filter(|resource| is_applied(resource));
    workloads
        .filter_map(|resource| match &resource.body {
            Body::Workload(workload) => Some((resource, workload.as_ref())),
            _ => None,
        })
        .collect()
}

/// Why a workload does not run what it was given. Flux itself looks only where `spec.wait` or `spec.healthChecks` say so.
fn unfinished(resource: &Resource, workload: &Workload) -> Option<String> {
    let is_seen = resource.observed_generation.is_none_or(|seen| Some(seen) >= resource.metadata.generation);
    let (done, wanted) = match workload.rollout {
        Rollout::Underway { done, wanted } => (done, wanted),
        Rollout::Complete if is_seen => return None,
        Rollout::Complete => (0, workload.wanted),
    };
    Some(format!("{} has rolled out {done} of {wanted} replicas", resource.name()))
}
