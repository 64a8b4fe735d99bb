//! What Flux deploys. A Kustomization does not say which images run, but the workloads that it applied do, and each of
//! them carries its name. Those in another cluster are not seen, so of them nothing is said.

use crate::gitops::path;
use crate::model::body::flux::Flux;
use crate::model::body::{Body, Shape, Want};
use crate::model::condition::{Conditions as _, Truth};
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::promote::running::Deployer;

/// API group of Kustomizations, and prefix of the labels on what they apply.
const KUSTOMIZE: &str = "kustomize.toolkit.fluxcd.io";
const SOURCE: &str = "source.toolkit.fluxcd.io";
/// Workloads that some Kustomization applied.
const APPLIED: &str = "kustomize.toolkit.fluxcd.io/name";

/// Kustomizations, what they build from, and the workloads that they applied.
pub(super) fn want(kind: &ResourceKind) -> Option<Want> {
    match (kind.group.as_str(), kind.kind.as_str()) {
        (KUSTOMIZE, "Kustomization") | (SOURCE, "GitRepository") => Some(Want::all(Shape::Flux)),
        ("apps", "Deployment" | "StatefulSet" | "DaemonSet") => {
            Some(Want { selector: Some(APPLIED), ..Want::all(Shape::Workload) })
        }
        _ => None,
    }
}

/// The Kustomizations of a state.
pub(super) fn deployers(state: &ClusterState) -> impl Iterator<Item = Deployer> {
    state.resources.iter().filter(|resource| resource.kind.group == KUSTOMIZE).filter_map(|resource| {
        let Body::Flux(kustomization) = &resource.body else { return None };
        Some(deployer(state, resource, kustomization))
    })
}

fn deployer(state: &ClusterState, resource: &Resource, kustomization: &Flux) -> Deployer {
    let (spec, status) = (&kustomization.spec, &kustomization.status);
    let namespace = resource.metadata.namespace.as_deref().unwrap_or_default();
    let ready = resource.conditions.as_slice().of("Ready");
    let is_ready = ready.is_some_and(|condition| condition.status == Truth::True);
    let is_applied = status.last_applied_revision == status.last_attempted_revision || is_ready;
    let path = spec.path.as_deref().unwrap_or_default().trim_start_matches('/');
    Deployer {
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
        images: if spec.kube_config.is_none() { images(state, resource) } else { Vec::new() },
        since: ready.and_then(|condition| condition.last_transition_time),
    }
}

fn repository(state: &ClusterState, namespace: &str, kustomization: &Flux) -> Option<String> {
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

fn images(state: &ClusterState, kustomization: &Resource) -> Vec<String> {
    let owner = &kustomization.metadata;
    let is_applied_by = |resource: &&Resource| {
        resource.metadata.label(APPLIED) == Some(owner.name.as_str())
            && resource.metadata.label("kustomize.toolkit.fluxcd.io/namespace") == owner.namespace.as_deref()
    };
    state
        .resources
        .iter()
        .filter(is_applied_by)
        .filter_map(|resource| match &resource.body {
            Body::Workload(workload) => Some(workload.images.clone()),
            _ => None,
        })
        .flatten()
        .collect()
}
