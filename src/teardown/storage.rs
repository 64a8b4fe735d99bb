//! External resources of Kubernetes' own objects: disks and load balancers. Also covers objects of unknown kinds.

use serde_json::Value;

use super::Fate;
use super::nature::{Nature, nature};
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// The consequence for the external resource of an object.
pub(super) struct Consequence {
    pub(super) fate: Fate,
    pub(super) external: Option<String>,
    pub(super) reason: Option<String>,
}

/// Returns the consequence for an object that no engine's rules cover; `None` if it has no external resource.
pub(super) fn consequence(state: &ClusterState, resource: &Resource) -> Option<Consequence> {
    let unknown = |reason: &str| Consequence { fate: Fate::Unknown, external: None, reason: Some(reason.to_owned()) };
    let whole = resource.whole.as_deref();
    match nature(&resource.kind) {
        Nature::Unknown(why) => Some(unknown(why)),
        Nature::Volume => Some(whole.map_or_else(|| unknown("it could not be read"), disk)),
        Nature::VolumeClaim => {
            let Some(whole) = whole else { return Some(unknown("it could not be read")) };
            let name = whole.pointer("/spec/volumeName").and_then(Value::as_str).filter(|name| !name.is_empty())?;
            let mut volumes = state.resources.iter().filter(|one| nature(&one.kind) == Nature::Volume);
            let volume = volumes.find(|one| one.metadata.name == name).and_then(|volume| volume.whole.as_deref());
            Some(volume.map_or_else(|| unknown(&format!("its volume {name} could not be read")), disk))
        }
        Nature::Service => {
            let whole = whole?;
            let is_balancer = whole.pointer("/spec/type").and_then(Value::as_str) == Some("LoadBalancer");
            let ingress = whole.pointer("/status/loadBalancer/ingress/0");
            let address = ingress.and_then(|one| one.get("hostname").or_else(|| one.get("ip"))?.as_str());
            is_balancer.then(|| Consequence { fate: Fate::Deleted, external: address.map(str::to_owned), reason: None })
        }
        _ => None,
    }
}

/// Returns the consequence for the disk of a volume, by its reclaim policy.
fn disk(volume: &Value) -> Consequence {
    let text = |pointer: &str| volume.pointer(pointer).and_then(Value::as_str);
    let external = super::remains::disk_of(volume).map(str::to_owned);
    match text("/spec/persistentVolumeReclaimPolicy") {
        Some("Delete") => Consequence { fate: Fate::Deleted, external, reason: None },
        // Without a cloud, its data remains or is wiped.
        _ if external.is_none() => Consequence { fate: Fate::Removed, external, reason: None },
        policy => {
            let policy = policy.unwrap_or("Retain");
            let reason = format!("persistentVolumeReclaimPolicy of its volume is {policy}");
            Consequence { fate: Fate::Orphaned, external, reason: Some(reason) }
        }
    }
}
