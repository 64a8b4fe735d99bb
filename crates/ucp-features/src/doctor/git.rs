//! Objects that are declared more than once, so that each sync overwrites the other.

use std::collections::BTreeMap;

use super::check::{CheckFinding, CheckFindings, DoctorCheck, FindingSeverity, RequiredData};
use super::facts::DoctorFacts;
use ucp_core::engine::code::Code;
use ucp_core::model::body::Body;
use ucp_core::model::body::argocd::DeployedResource;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::server::canonical_url;

pub(super) const CHECKS: &[DoctorCheck] = &[DoctorCheck {
    name: "declared-twice",
    codes: &[Code::DeclaredTwice],
    reads: &[
        RequiredData::IfThere("argoproj.io", "Application"),
        RequiredData::IfThere("kustomize.toolkit.fluxcd.io", "Kustomization"),
        RequiredData::IfThere("helm.toolkit.fluxcd.io", "HelmRelease"),
    ],
    run: declared_twice,
}];

/// An object of one cluster; the name of the core cluster is empty.
type ClusterObject = (String, ObjectKey);

fn declared_twice(facts: &DoctorFacts<'_>) -> CheckFindings {
    let mut declared: BTreeMap<ClusterObject, Vec<ObjectName>> = BTreeMap::new();
    for resource in &facts.state.resources {
        for place in declared_objects(resource) {
            let by = declared.entry(place).or_default();
            if !by.contains(&resource.name()) {
                by.push(resource.name());
            }
        }
    }
    let twice = declared.into_iter().filter(|(_, by)| by.len() > 1);
    twice
        .map(|((cluster, key), by)| {
            // An inventory has no version, and for a name any version is valid.
            let known = facts.state.kinds.iter().find(|kind| kind.group == key.group && kind.kind == key.kind);
            let version = known.map_or("v1", |kind| kind.version.as_str());
            let object = ObjectName {
                api_version: if key.group.is_empty() { "v1".to_owned() } else { format!("{}/{version}", key.group) },
                kind: key.kind,
                namespace: key.namespace,
                name: key.name,
            };
            let names: Vec<_> = by.iter().map(|one| format!("{} {}", one.kind, one.name)).collect();
            let place = if cluster.is_empty() { String::new() } else { format!(" in {cluster}") };
            let evidence =
                format!("{} deploy it{place}: each sync overwrites the changes of the other", names.join(" and "));
            CheckFinding::new(Code::DeclaredTwice, FindingSeverity::Warning, object, evidence)
        })
        .collect()
}

/// Returns all objects that an object of a GitOps engine lists as deployed.
fn declared_objects(resource: &Resource) -> Vec<ClusterObject> {
    match &resource.body {
        Body::Application(body) => {
            let destination = &body.spec.destination;
            let cluster = match destination.is_this_cluster() {
                true => String::new(),
                false => canonical_url(destination.cluster().unwrap_or_default()),
            };
            body.status.resources.iter().map(DeployedResource::key).map(|key| (cluster.clone(), key)).collect()
        }
        Body::Flux(body) => {
            let namespace = resource.metadata.namespace.as_deref().unwrap_or_default();
            let kube_config = body.spec.kube_config.as_ref();
            let cluster = kube_config.and_then(|one| one.secret_ref.as_ref().or(one.config_map_ref.as_ref()));
            let cluster = match (kube_config, cluster) {
                (None, _) => String::new(),
                (Some(_), Some(named)) => format!("the cluster of {namespace}/{}", named.name),
                (Some(_), None) => return Vec::new(),
            };
            body.status.deployed().map(|key| (cluster.clone(), key)).collect()
        }
        _ => Vec::new(),
    }
}
