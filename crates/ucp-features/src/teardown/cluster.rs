//! Deletions that Kubernetes itself refuses or delays.

use super::deletion_item::DeletionBlock;
use super::discovery;
use super::look::DeletionContext;
use super::nature::{DeletionNature, is_immortal, nature_of};
use serde_json::Value;
use ucp_core::engine::code::Code;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;

/// Returns the blocks of namespaces, disks and their claims.
pub(super) fn cluster_blocks(look: &DeletionContext<'_, '_>, resource: &Resource) -> Vec<DeletionBlock> {
    if is_immortal(resource) {
        return vec![DeletionBlock {
            code: Code::DeletionForbidden,
            reason: "the API server does not delete this namespace, and nothing in it is deleted".to_owned(),
            command: Code::DeletionForbidden.command_for(&resource.name()),
        }];
    }
    if let Some(block) = discovery::discovery_block(look.state, resource) {
        return vec![block];
    }
    let user = match nature_of(&resource.kind) {
        DeletionNature::VolumeClaim => pod_of_claim(look, resource),
        DeletionNature::Volume => claim_of_volume(look, resource),
        _ => None,
    };
    user.map(|(user, why)| DeletionBlock {
        code: Code::StillInUse,
        reason: why,
        command: format!("kubectl delete {user}"),
    })
    .into_iter()
    .collect()
}

/// Returns a Pod that remains and uses a claim: finalizer `kubernetes.io/pvc-protection` waits for Pods that were assigned to
/// a node.
fn pod_of_claim(look: &DeletionContext<'_, '_>, claim: &Resource) -> Option<(ObjectName, String)> {
    if claim.metadata.namespace.as_deref().is_some_and(|namespace| look.deleted_namespace(namespace).is_some()) {
        return None;
    }
    let uses = |pod: &Resource| {
        let Some(whole) = pod.whole.as_deref() else { return false };
        let Some(spec) = whole.get("spec") else { return false };
        let is_running = whole.pointer("/status/phase").and_then(Value::as_str) == Some("Running");
        let is_assigned =
            is_running || spec.get("nodeName").and_then(Value::as_str).is_some_and(|node| !node.is_empty());
        let volumes = spec.get("volumes").and_then(Value::as_array).into_iter().flatten();
        let mut names = volumes.filter_map(|volume| {
            // The claim of an ephemeral volume has the names of the Pod and the volume.
            let of_pod = || {
                Some(format!("{}-{}", pod.metadata.name, volume.get("ephemeral").and(volume.get("name"))?.as_str()?))
            };
            let named = volume.pointer("/persistentVolumeClaim/claimName").and_then(Value::as_str);
            named.map(str::to_owned).or_else(of_pod)
        });
        is_assigned && names.any(|name| name == claim.metadata.name)
    };
    let mut staying = look.state.resources.iter().enumerate().filter(|(node, one)| {
        let is_pod = one.kind.group.is_empty() && one.kind.kind == "Pod";
        is_pod && one.metadata.namespace == claim.metadata.namespace && !look.cascade.going.contains_key(node)
    });
    let pod = staying.find(|(_, pod)| uses(pod))?.1.name();
    let why = format!("{pod} uses it: finalizer kubernetes.io/pvc-protection keeps it until the Pod is deleted");
    Some((pod, why))
}

/// Returns the claim that remains and is bound to a volume: finalizer `kubernetes.io/pv-protection` waits for it.
fn claim_of_volume(look: &DeletionContext<'_, '_>, volume: &Resource) -> Option<(ObjectName, String)> {
    let whole = volume.whole.as_deref()?;
    let text = |pointer: &str| whole.pointer(pointer).and_then(Value::as_str);
    let (namespace, name) = (text("/spec/claimRef/namespace")?, text("/spec/claimRef/name")?);
    let claim = ObjectName::in_core_group("PersistentVolumeClaim", Some(namespace), name);
    let is_deleted = look.deleted(&claim.key_ref().into()).is_some() || look.deleted_namespace(namespace).is_some();
    let is_bound = text("/status/phase") == Some("Bound");
    if !is_bound || is_deleted {
        return None;
    }
    let why =
        format!("{claim} is bound to it: finalizer kubernetes.io/pv-protection keeps it until the claim is deleted");
    Some((claim, why))
}
