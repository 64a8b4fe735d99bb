//! Flux Kustomizations for another cluster whose manifests take values from a Secret of the core cluster
//! (`postBuild.substituteFrom`). The resulting Secrets are listed in the inventory.

use super::cluster_resolver::ClusterResolver;
use super::copy_intent::{CopiedPart, CopyIntent, DeclarationKind, declarer};
use crate::adopt::names::NamespacedName;
use ucp_core::model::body::flux::FluxObject;
use ucp_core::model::object::inventory_key;
use ucp_core::model::resource::Resource;

pub(super) const GROUP: &str = "kustomize.toolkit.fluxcd.io";

pub(super) fn read(resource: &Resource, flux: &FluxObject, clusters: &ClusterResolver<'_>) -> Vec<CopyIntent> {
    let Some(own) = resource.metadata.namespace.as_deref() else { return Vec::new() };
    let here = |name: &str| NamespacedName { namespace: own.to_owned(), name: name.to_owned() };
    let substitutes = flux.spec.build.post_build.iter().flat_map(|build| &build.substitute_from);
    let source =
        substitutes.filter(|from| from.kind == "Secret" && !from.name.is_empty()).map(|from| &from.name).next();
    let kubeconfig = flux.spec.kube_config.as_ref().and_then(|config| config.secret_ref.as_ref());
    let (Some(source), Some(kubeconfig)) = (source, kubeconfig.filter(|reference| !reference.name.is_empty())) else {
        return Vec::new();
    };
    let cluster = clusters.by_kubeconfig(&here(&kubeconfig.name), kubeconfig.key.as_deref());
    let intent = |target| CopyIntent {
        declarer: declarer(DeclarationKind::Substitution, resource),
        source: Some(here(source)),
        cluster: cluster.clone(),
        target,
        part: CopiedPart::Rendered,
    };
    let entries = flux.status.inventory.iter().flat_map(|inventory| &inventory.entries);
    entries.filter_map(|entry| secret(&entry.id)).map(intent).collect()
}

/// Returns the Secret named by an inventory entry.
fn secret(id: &str) -> Option<NamespacedName> {
    let key = inventory_key(id).filter(|key| key.group.is_empty() && key.kind == "Secret")?;
    Some(NamespacedName { namespace: key.namespace?, name: key.name })
}
