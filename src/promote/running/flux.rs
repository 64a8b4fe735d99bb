//! Deployers of Flux. A Kustomization does not report running images. They are read from the workloads that it applied,
//! or that its HelmReleases installed, in this cluster or in the app cluster that it deploys to. Their labels contain
//! the name of the deployer.

use std::collections::{BTreeMap, BTreeSet};

use crate::promote::running::RunningDeployer;
use crate::promote::running::elsewhere::AppClusterWorkloads;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::body::flux::FluxObject;
use ucp_core::model::body::workload::{Rollout, Workload};
use ucp_core::model::body::{Body, BodyShape, KindRequest};
use ucp_core::model::condition::{ConditionStatus, FindCondition as _};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;
use ucp_repo::gitops::path;
use ucp_repo::manifests::deployment::DeploymentDestination;

/// The API group of Kustomizations, and the prefix of the labels on objects that they apply.
const KUSTOMIZE: &str = "kustomize.toolkit.fluxcd.io";
const SOURCE: &str = "source.toolkit.fluxcd.io";
/// The API group of HelmReleases, and the prefix of the labels on objects that they install.
const HELM: &str = "helm.toolkit.fluxcd.io";

/// Returns the parts to read of Kustomizations, Git repositories, HelmReleases and workloads.
pub(super) fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let is_read = matches!(
        (kind.group.as_str(), kind.kind.as_str()),
        (KUSTOMIZE, "Kustomization") | (SOURCE, "GitRepository") | (HELM, "HelmRelease")
    );
    is_read.then(|| KindRequest::all(BodyShape::Flux)).or_else(|| want_applied(kind))
}

/// Returns the parts to read of workloads, which have one of two labels if they were applied or installed.
pub(super) fn want_applied(kind: &ResourceKind) -> Option<KindRequest> {
    let is_workload = matches!(
        (kind.group.as_str(), kind.kind.as_str()),
        ("apps", "Deployment" | "StatefulSet" | "DaemonSet") | ("batch", "CronJob")
    );
    is_workload.then(|| KindRequest::all(BodyShape::Workload))
}

/// Returns the destination of a Kustomization or HelmRelease; `None` for other resources.
pub(super) fn destination(resource: &Resource) -> Option<(&FluxObject, DeploymentDestination)> {
    let Body::Flux(fields) = &resource.body else { return None };
    let namespace = resource.metadata.namespace.as_deref().unwrap_or_default();
    let deploys = [KUSTOMIZE, HELM].contains(&resource.kind.group.as_str());
    deploys.then(|| (fields.as_ref(), DeploymentDestination::of_flux(namespace, &fields.spec)))
}

/// Returns the deployer for a Kustomization; `None` for other resources.
pub(super) fn deployer(
    state: &ClusterState,
    resource: &Resource,
    elsewhere: &AppClusterWorkloads,
) -> Option<RunningDeployer> {
    let (kustomization, destination) = destination(resource).filter(|_| resource.kind.group == KUSTOMIZE)?;
    let at = |destination: &DeploymentDestination| match destination {
        DeploymentDestination::Here => Ok(state.resources.as_slice()),
        other => elsewhere.workloads(other),
    };
    let releases = releases(state, resource, kustomization, &destination);
    let (spec, status) = (&kustomization.spec, &kustomization.status);
    let namespace = resource.metadata.namespace.as_deref().unwrap_or_default();
    let ready = resource.conditions.as_slice().of_type("Ready");
    let is_ready = ready.is_some_and(|condition| condition.status == ConditionStatus::True);
    let is_applied = status.last_applied_revision == status.last_attempted_revision || is_ready;
    let path = spec.path.as_deref().unwrap_or_default().trim_start_matches('/');
    let applied = at(&destination).and_then(|workloads| {
        let mut all = applied(resource, kustomization, workloads)?;
        for (key, release) in &releases {
            let workloads = release.as_ref().map_or(Ok(workloads), |(_, to)| at(to))?;
            require_deployed(release.iter().flat_map(|(fields, _)| fields.status.deployed()), workloads)?;
            all.extend(installed(key, workloads));
        }
        Ok(all)
    });
    let images = |workload: &Workload| [workload.images.as_slice(), &workload.init_images].concat();
    Some(RunningDeployer {
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
        unfinished: applied.iter().flatten().find_map(|(resource, workload)| unfinished_reason(resource, workload)),
        images: applied.map(|applied| applied.into_iter().flat_map(|(_, workload)| images(workload)).collect()),
        charts: releases.iter().filter_map(|(key, release)| Some((key.clone(), chart(release.as_ref()?.0)))).collect(),
        revisions: status.last_applied_revision.iter().cloned().collect(),
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

/// Checks that each workload that a deployer reports is among those that were read: a list without it is out of date or not
/// complete.
///
/// # Errors
/// Fails with the first workload that is missing.
pub(super) fn require_deployed(
    deployed: impl Iterator<Item = ObjectKey>,
    workloads: &[Resource],
) -> Result<(), Failure> {
    let is_workload = |key: &ObjectKey| want_applied(&ResourceKind::guess(&key.group, &key.kind)).is_some();
    let mut missing =
        deployed.filter(is_workload).filter(|key| !workloads.iter().any(|resource| resource.key() == *key));
    match missing.next() {
        None => Ok(()),
        Some(key) => fail!("its status names {key}, which no list of its cluster contains"),
    }
}

/// Returns the workloads that a Kustomization applied. Another core cluster, or Flux in the app cluster, may have a
/// Kustomization of the same name; the inventory distinguishes them.
///
/// # Errors
/// Fails if the inventory names a workload that was not found.
fn applied<'a>(
    kustomization: &Resource,
    fields: &FluxObject,
    workloads: &'a [Resource],
) -> Result<Vec<(&'a Resource, &'a Workload)>, Failure> {
    require_deployed(fields.status.deployed(), workloads)?;
    let owner = &kustomization.metadata;
    let inventory: Option<BTreeSet<ObjectKey>> =
        fields.status.inventory.as_ref().map(|_| fields.status.deployed().collect());
    let is_applied = |resource: &Resource| {
        resource.metadata.label("kustomize.toolkit.fluxcd.io/name") == Some(owner.name.as_str())
            && resource.metadata.label("kustomize.toolkit.fluxcd.io/namespace") == owner.namespace.as_deref()
            && inventory.as_ref().is_none_or(|inventory| inventory.contains(&resource.key()))
    };
    Ok(workloads.iter().filter(|resource| is_applied(resource)).filter_map(workload).collect())
}

/// Returns the HelmReleases that a Kustomization applied, with their content and destination if they are in this
/// cluster.
fn releases<'a>(
    state: &'a ClusterState,
    kustomization: &Resource,
    fields: &FluxObject,
    destination: &DeploymentDestination,
) -> BTreeMap<ObjectKey, Option<(&'a FluxObject, DeploymentDestination)>> {
    let keys = fields.status.deployed().filter(|key| key.group == HELM && *key != kustomization.key());
    let live = |key: &ObjectKey| {
        let here = state.resources.iter().filter(|_| *destination == DeploymentDestination::Here);
        here.filter(|resource| resource.kind.group == HELM)
            .find(|resource| resource.key() == *key)
            .and_then(self::destination)
    };
    keys.map(|key| (key.clone(), live(&key))).collect()
}

/// Returns the workloads that a HelmRelease installed.
fn installed<'a>(release: &ObjectKey, workloads: &'a [Resource]) -> Vec<(&'a Resource, &'a Workload)> {
    let is_installed = |resource: &&Resource| {
        resource.metadata.label("helm.toolkit.fluxcd.io/name") == Some(release.name.as_str())
            && resource.metadata.label("helm.toolkit.fluxcd.io/namespace") == release.namespace.as_deref()
    };
    workloads.iter().filter(is_installed).filter_map(workload).collect()
}

fn workload(resource: &Resource) -> Option<(&Resource, &Workload)> {
    match &resource.body {
        Body::Workload(workload) => Some((resource, workload.as_ref())),
        _ => None,
    }
}

/// Returns the chart version that a HelmRelease has released; failed upgrades do not count.
fn chart(release: &FluxObject) -> Option<String> {
    let mut releases = release.status.history.iter();
    let deployed = releases.find(|release| release.status == "deployed");
    // v2beta1 has no history.
    deployed.and_then(|release| release.chart_version.clone()).or_else(|| release.status.last_applied_revision.clone())
}

/// Returns the reason why a workload does not run its current spec. Flux checks this only with `spec.wait` or
/// `spec.healthChecks`.
fn unfinished_reason(resource: &Resource, workload: &Workload) -> Option<String> {
    let is_seen = resource.observed_generation.is_none_or(|seen| Some(seen) >= resource.metadata.generation);
    let (done, wanted) = match workload.rollout {
        Rollout::Underway { done, wanted } => (done, wanted),
        Rollout::Complete if is_seen => return None,
        Rollout::Complete => (0, workload.wanted),
    };
    Some(format!("{} has rolled out {done} of {wanted} replicas", resource.name()))
}
