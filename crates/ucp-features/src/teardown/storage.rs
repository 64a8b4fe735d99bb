//! External resources of Kubernetes' own objects: disks and load balancers. Also covers objects of unknown kinds.

use serde_json::Value;

use super::deletion_item::DeletionOutcome;
use super::nature::{DeletionNature, foreign_finalizer, nature_of};
use super::settings::unknown_effect;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// The consequence for the external resource of an object.
pub(super) struct StorageConsequence {
    pub(super) fate: DeletionOutcome,
    pub(super) external: Option<String>,
    pub(super) reason: Option<String>,
}

/// Returns the consequence for an object that no engine's rules cover; `None` if it has no external resource.
pub(super) fn storage_consequence(state: &ClusterState, resource: &Resource) -> Option<StorageConsequence> {
    if let Some(known) = consequence_of_kind(state, resource) {
        return Some(known);
    }
    let held = foreign_finalizer(&resource.metadata.finalizers)
        .filter(|_| nature_of(&resource.kind) != DeletionNature::Engine)?;
    Some(StorageConsequence {
        fate: DeletionOutcome::Unknown,
        external: None,
        reason: Some(format!(
            "no rule defines what the controller of its finalizer {held} deletes outside of the cluster"
        )),
    })
}

/// Returns the consequence by the kind and the fields of the object.
fn consequence_of_kind(state: &ClusterState, resource: &Resource) -> Option<StorageConsequence> {
    let unknown = |reason: &str| StorageConsequence {
        fate: DeletionOutcome::Unknown,
        external: None,
        reason: Some(reason.to_owned()),
    };
    let whole = resource.whole.as_deref();
    match nature_of(&resource.kind) {
        DeletionNature::Unknown(why) => Some(unknown(why)),
        DeletionNature::Setting(_) => unknown_effect(state, resource).map(|why| unknown(&why)),
        DeletionNature::Volume => {
            let mut known = whole.map_or_else(|| unknown("it could not be read"), disk_consequence);
            let is_honored = resource.metadata.finalizers.iter().any(|name| DISK_FINALIZERS.contains(&&**name));
            if known.fate == DeletionOutcome::Deleted && !is_honored {
                known.fate = DeletionOutcome::Orphaned;
                known.reason = Some(
                    "it has no finalizer of its provisioner, which deletes the disk only after the claim is deleted"
                        .to_owned(),
                );
            }
            Some(known)
        }
        DeletionNature::VolumeClaim => {
            let Some(whole) = whole else { return Some(unknown("it could not be read")) };
            let name = whole.pointer("/spec/volumeName").and_then(Value::as_str).filter(|name| !name.is_empty())?;
            let mut volumes = state.resources.iter().filter(|one| one.metadata.name == name);
            let volume = volumes.find(|one| nature_of(&one.kind) == DeletionNature::Volume);
            let volume = volume.and_then(|volume| volume.whole.as_deref());
            Some(volume.map_or_else(|| unknown(&format!("its volume {name} could not be read")), disk_consequence))
        }
        DeletionNature::Ingress => {
            let Some(whole) = whole else { return Some(unknown("it could not be read")) };
            let address = balancer_address(whole)?.to_owned();
            Some(StorageConsequence {
                external: Some(address),
                ..unknown("its controller decides whether its load balancer is deleted")
            })
        }
        DeletionNature::Service => {
            let Some(whole) = whole else { return Some(unknown("it could not be read")) };
            let is_balancer = whole.pointer("/spec/type").and_then(Value::as_str) == Some("LoadBalancer");
            let address = balancer_address(whole).map(str::to_owned).filter(|_| is_balancer);
            // Controllers add it before they create anything.
            let is_released = resource.metadata.finalizers.iter().any(|name| BALANCER_FINALIZERS.contains(&&**name));
            match (is_balancer && is_released, address) {
                (true, external) => Some(StorageConsequence { fate: DeletionOutcome::Deleted, external, reason: None }),
                (false, Some(address)) => Some(StorageConsequence {
                    external: Some(address),
                    ..unknown("it has no finalizer that waits until its load balancer is deleted")
                }),
                (false, None) => None,
            }
        }
        _ => None,
    }
}

/// Finalizers by which a volume that is deleted itself takes its disk along (KEP-2644).
const DISK_FINALIZERS: [&str; 2] =
    ["external-provisioner.volume.kubernetes.io/finalizer", "kubernetes.io/pv-controller"];
/// Finalizers of the controllers that delete the load balancer of a Service: those of clouds, and that of AWS.
pub(super) const BALANCER_FINALIZERS: [&str; 2] =
    ["service.kubernetes.io/load-balancer-cleanup", "service.k8s.aws/resources"];

/// Returns the address of the load balancer of a Service or Ingress.
fn balancer_address(whole: &Value) -> Option<&str> {
    let ingress = whole.pointer("/status/loadBalancer/ingress/0")?;
    ingress.get("hostname").or_else(|| ingress.get("ip"))?.as_str()
}

/// Returns the consequence for the disk of a volume, by its reclaim policy.
fn disk_consequence(volume: &Value) -> StorageConsequence {
    let text = |pointer: &str| volume.pointer(pointer).and_then(Value::as_str);
    let external = super::remains::disk_name(volume).map(str::to_owned);
    match text("/spec/persistentVolumeReclaimPolicy") {
        Some("Delete") => StorageConsequence { fate: DeletionOutcome::Deleted, external, reason: None },
        // Without a cloud, its data remains or is wiped.
        _ if external.is_none() => StorageConsequence { fate: DeletionOutcome::Removed, external, reason: None },
        policy => {
            let policy = policy.unwrap_or("Retain");
            let reason = format!("persistentVolumeReclaimPolicy of its volume is {policy}");
            StorageConsequence { fate: DeletionOutcome::Orphaned, external, reason: Some(reason) }
        }
    }
}
