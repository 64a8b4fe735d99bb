//! Links of Flux's objects: sources, dependencies, objects applied by a Kustomization or HelmRelease, and the Secret
//! used for it.

use crate::graph::link::{External, ExternalHealth, GitSource, Link, LinkEnd, Relation};
use crate::model::body::Body;
use crate::model::body::flux::{FluxObject, FluxSpec};
use crate::model::kind::ResourceKind;
use crate::model::object::{ObjectKey, inventory_key};
use crate::model::resource::Resource;
use crate::model::secrecy::scrub;

/// A kind that applies objects.
struct ApplierKind {
    group: &'static str,
    api_version: &'static str,
    kind: &'static str,
    /// The labels on applied objects: name and namespace.
    labels: (&'static str, &'static str),
}

const APPLIERS: [ApplierKind; 2] = [
    ApplierKind {
        group: "kustomize.toolkit.fluxcd.io",
        api_version: "kustomize.toolkit.fluxcd.io/v1",
        kind: "Kustomization",
        labels: ("kustomize.toolkit.fluxcd.io/name", "kustomize.toolkit.fluxcd.io/namespace"),
    },
    ApplierKind {
        group: "helm.toolkit.fluxcd.io",
        api_version: "helm.toolkit.fluxcd.io/v2",
        kind: "HelmRelease",
        labels: ("helm.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/namespace"),
    },
];
/// The group of sources.
const SOURCES: &str = "source.toolkit.fluxcd.io/";

/// Returns true if objects of a kind apply others.
pub(super) fn is_applier(kind: &ResourceKind) -> bool {
    APPLIERS.iter().any(|applier| applier.group == kind.group && applier.kind == kind.kind)
}

pub(super) fn list_links(resource: &Resource) -> Vec<Link> {
    let mut links = Vec::new();
    if let Body::Flux(flux) = &resource.body {
        of_object(resource, flux, &mut links);
    }
    for ApplierKind { api_version, kind, labels, .. } in APPLIERS {
        if let Some(name) = resource.metadata.label(labels.0) {
            let applier = LinkEnd::object(api_version, kind, resource.metadata.label(labels.1), name);
            links.push(Link::to_declaring_object(applier, Relation::Applies));
        }
    }
    links
}

/// Returns the directory that a Kustomization builds, by default the root of its source; or the chart of a HelmRelease.
pub(super) fn deploys(resource: &Resource) -> Option<&str> {
    let Body::Flux(flux) = &resource.body else { return None };
    match resource.kind.kind.as_str() {
        "Kustomization" => Some(flux.spec.path.as_deref().filter(|path| !path.is_empty()).unwrap_or("./")),
        "HelmRelease" => flux.spec.chart.as_ref()?.spec.name.as_deref(),
        _ => None,
    }
}

fn of_object(resource: &Resource, flux: &FluxObject, links: &mut Vec<Link>) {
    let (spec, own) = (&flux.spec, resource.metadata.namespace.as_deref());
    if let Some(url) = &spec.url {
        links.push(Link::to_declaring_object(LinkEnd::Git(git(url, spec, flux)), Relation::Declares));
    }
    // The HelmChart between a HelmRelease and the repository has more information.
    if let Some((namespace, name)) = flux.status.helm_chart.as_deref().and_then(|name| name.split_once('/')) {
        links.push(Link::to_declaring_object(
            LinkEnd::object(SOURCES, "HelmChart", Some(namespace), name),
            Relation::Declares,
        ));
    }
    let chart = spec.chart.as_ref().and_then(|chart| chart.spec.source_ref.as_ref());
    for source in [spec.source_ref.as_ref(), spec.chart_ref.as_ref(), chart].into_iter().flatten() {
        let namespace = source.namespace.as_deref().or(own);
        let source = LinkEnd::object(SOURCES, &source.kind, namespace, &source.name);
        links.push(Link::to_declaring_object(source, Relation::Declares));
    }
    for on in &spec.depends_on {
        let namespace = on.namespace.as_deref().or(own);
        let on = LinkEnd::object(&resource.kind.api_version(), &resource.kind.kind, namespace, &on.name);
        links.push(Link::from_declaring_object(Relation::DependsOn, on));
    }
    let through = spec.kube_config.as_ref().and_then(|config| {
        let secret = config.secret_ref.as_ref().map(|secret| ("Secret", secret));
        secret.or_else(|| config.config_map_ref.as_ref().map(|map| ("ConfigMap", map)))
    });
    if let Some((kind, reference)) = through {
        links.push(Link::to_declaring_object(LinkEnd::object("v1", kind, own, &reference.name), Relation::Hosts));
    }
    for key in flux
        .status
        .inventory
        .iter()
        .flat_map(|inventory| &inventory.entries)
        .filter_map(|entry| inventory_key(&entry.id))
    {
        let applied = match &spec.kube_config {
            None => LinkEnd::unversioned(key),
            Some(_) => LinkEnd::External(elsewhere(key, through.map(|(_, reference)| reference.name.clone()))),
        };
        links.push(Link::from_declaring_object(Relation::Applies, applied));
    }
}

fn git(url: &str, spec: &FluxSpec, flux: &FluxObject) -> GitSource {
    GitSource {
        repository: scrub(url).into_owned(),
        path: None,
        chart: None,
        target: spec.reference.as_ref().map(|reference| reference.name()).filter(|target| !target.is_empty()),
        revision: flux.status.artifact.as_ref().map(|artifact| artifact.revision.clone()),
    }
}

fn elsewhere(key: ObjectKey, through: Option<String>) -> External {
    External {
        kind: key.kind,
        namespace: key.namespace,
        name: key.name,
        cluster: through,
        health: ExternalHealth::Unreported,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inventories_name_their_objects() {
        let named = |id: &str| inventory_key(id).map(|key| (key.group, key.kind, key.namespace, key.name));
        let text = str::to_owned;
        assert_eq!(
            named("shop_web_apps_Deployment"),
            Some((text("apps"), text("Deployment"), Some(text("shop")), text("web")))
        );
        assert_eq!(named("_shop__Namespace"), Some((String::new(), text("Namespace"), None, text("shop"))));
        assert_eq!(
            named("_system__reader_rbac.authorization.k8s.io_ClusterRole"),
            Some((text("rbac.authorization.k8s.io"), text("ClusterRole"), None, text("system:reader")))
        );
        assert_eq!(named("nonsense"), None);
    }
}
