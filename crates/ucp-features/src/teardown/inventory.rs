//! The inventories of Kustomizations: kustomize-controller prunes the objects in them, and no others.

use super::look::DeletionContext;
use super::path::DeletionPath;
use ucp_core::engine;
use ucp_core::graph::{Edge, EvidenceSource, NodeId};
use ucp_core::model::body::Body;
use ucp_core::model::body::flux::FluxObject;
use ucp_core::model::resource::Resource;

/// Returns the reason why an object with the labels of a Kustomization remains: it is not in the inventory. `link` leads from the
/// Kustomization to the object.
pub(super) fn unlisted_reason(by: &Resource, link: &Edge, child: &Resource) -> Option<String> {
    let flux = kustomization(by)?;
    let is_unlisted = match engine::lists_all(by) {
        true => !link.evidence.has(EvidenceSource::Upper),
        // The objects of another cluster are not linked by the inventory.
        false => {
            let key = child.key();
            flux.status.inventory.is_some() && !flux.status.deployed().any(|one| one == key)
        }
    };
    is_unlisted.then(|| format!("status.inventory of {} does not contain it, so Flux does not delete it", by.name()))
}

/// Returns the reason why it is unknown whether a Kustomization prunes an object that it applied: it has no inventory.
pub(super) fn unknown_pruning(look: &DeletionContext<'_, '_>, node: NodeId, way: &DeletionPath) -> Option<String> {
    let by = &look.state.resources[way.by.filter(|_| way.applied == Some(node))?];
    let flux = kustomization(by)?;
    let is_unknown = flux.status.inventory.is_none();
    is_unknown.then(|| format!("{} has no status.inventory, so it is unknown whether Flux deletes it", by.name()))
}

fn kustomization(resource: &Resource) -> Option<&FluxObject> {
    match &resource.body {
        Body::Flux(flux) if resource.kind.kind == "Kustomization" => Some(flux),
        _ => None,
    }
}
