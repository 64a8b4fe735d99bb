//! Who owns what: the composite and claim behind a managed resource, and the Argo CD Application or Flux object that
//! applied it from Git.

use std::collections::HashMap;

use crate::engine::argocd::{GROUP as ARGO_GROUP, tracked_by};
use crate::engine::crossplane::{CLAIM_LABELS, COMPOSITE_LABEL};
use crate::model::body::Body;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// Annotation that Argo CD tracks its resources by since 3.0: `<app>:<group>/<kind>:<namespace>/<name>`.
const TRACKING_ID: &str = "argocd.argoproj.io/tracking-id";
/// Labels by which Flux knows its own.
const FLUX: [(&str, &str, &str); 2] = [
    ("kustomize.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io/v1", "Kustomization"),
    ("helm.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io/v2", "HelmRelease"),
];

type Key<'state> = (&'state str, &'state str, Option<&'state str>, &'state str);

/// Looks owners up; built once for a state.
pub struct Owners<'state> {
    applications: HashMap<(Option<&'state str>, &'state str), &'state Resource>,
    deployed: HashMap<Key<'state>, &'state Resource>,
    composites: HashMap<&'state str, Vec<&'state Resource>>,
}

impl<'state> Owners<'state> {
    /// Indexes a state.
    pub fn of(state: &'state ClusterState) -> Self {
        let mut owners = Self { applications: HashMap::new(), deployed: HashMap::new(), composites: HashMap::new() };
        for resource in &state.resources {
            let metadata = &resource.metadata;
            match &resource.body {
                Body::Application(application) => {
                    owners.applications.insert((metadata.namespace.as_deref(), &metadata.name), resource);
                    if application.spec.destination.is_this_cluster() {
                        for child in &application.status.resources {
                            let namespace = child.namespace.as_deref().filter(|namespace| !namespace.is_empty());
                            owners.deployed.insert((&child.group, &child.kind, namespace, &child.name), resource);
                        }
                    }
                }
                Body::Crossplane(_) if resource.kind.in_category("composite") => {
                    owners.composites.entry(&metadata.name).or_default().push(resource);
                }
                _ => {}
            }
        }
        owners
    }

    /// The claim, or else the composite, that a resource was made for.
    pub fn composed_for(&self, resource: &Resource) -> Option<ObjectName> {
        let metadata = &resource.metadata;
        let composite = self.composite_of(resource);
        let claim_name = metadata.label(CLAIM_LABELS.1);
        let claim_reference = |composite: &Resource| match &composite.body {
            Body::Crossplane(body) => body.claim.clone(),
            _ => None,
        };
        // The labels name the claim without its kind; its composite knows that.
        if let Some(claim) = composite.and_then(claim_reference) {
            return Some(ObjectName {
                api_version: claim.api_version.unwrap_or_default(),
                kind: claim.kind.unwrap_or_default(),
                namespace: claim.namespace,
                name: claim.name,
            });
        }
        if let (Body::Crossplane(body), Some(_)) = (&resource.body, claim_name)
            && let Some(claim) = &body.claim
        {
            return Some(ObjectName {
                api_version: claim.api_version.clone().unwrap_or_default(),
                kind: claim.kind.clone().unwrap_or_default(),
                namespace: claim.namespace.clone(),
                name: claim.name.clone(),
            });
        }
        composite.map(Resource::name).or_else(|| {
            let owner = metadata.controller()?;
            Some(ObjectName {
                api_version: owner.api_version.clone(),
                kind: owner.kind.clone(),
                namespace: None,
                name: owner.name.clone(),
            })
        })
    }

    /// The composite that a resource is part of, by its label and by its controller.
    pub fn composite_of(&self, resource: &Resource) -> Option<&'state Resource> {
        let name = resource.metadata.label(COMPOSITE_LABEL)?;
        let candidates = self.composites.get(name)?;
        let is_controller = |candidate: &&&Resource| {
            resource
                .metadata
                .owner_references
                .iter()
                .any(|owner| owner.uid == candidate.metadata.uid && !owner.uid.is_empty())
        };
        let found = candidates.iter().find(is_controller).or_else(|| candidates.first()).copied()?;
        // A composite carries its own name in this label.
        (found.metadata.uid != resource.metadata.uid || found.kind != resource.kind).then_some(found)
    }

    /// The Argo CD Application or Flux object that applied a resource.
    pub fn applied_by(&self, resource: &Resource) -> Option<ObjectName> {
        self.argo_application(resource).or_else(|| flux_object(resource))
    }

    fn argo_application(&self, resource: &Resource) -> Option<ObjectName> {
        let metadata = &resource.metadata;
        if let Some(application) = metadata.annotation(TRACKING_ID).and_then(|id| tracked_by(id, resource)) {
            // An Application outside of Argo CD's own namespace is written `<namespace>_<name>`.
            let (namespace, name) = match application.split_once('_') {
                Some((namespace, name)) => (Some(namespace), name),
                None => (None, application),
            };
            let known = self
                .applications
                .iter()
                .find(|((found, known), _)| *known == name && (namespace.is_none() || *found == namespace));
            return Some(match known {
                Some((_, application)) => application.name(),
                None => ObjectName {
                    api_version: format!("{ARGO_GROUP}/v1alpha1"),
                    kind: "Application".to_owned(),
                    namespace: namespace.map(str::to_owned),
                    name: name.to_owned(),
                },
            });
        }
        let key = (
            resource.kind.group.as_str(),
            resource.kind.kind.as_str(),
            metadata.namespace.as_deref(),
            metadata.name.as_str(),
        );
        self.deployed.get(&key).map(|application| application.name())
    }
}

fn flux_object(resource: &Resource) -> Option<ObjectName> {
    FLUX.iter().find_map(|(prefix, api_version, kind)| {
        Some(ObjectName {
            api_version: (*api_version).to_owned(),
            kind: (*kind).to_owned(),
            namespace: resource.metadata.label(&format!("{prefix}/namespace")).map(str::to_owned),
            name: resource.metadata.label(&format!("{prefix}/name"))?.to_owned(),
        })
    })
}
