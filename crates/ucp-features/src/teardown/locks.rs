//! Locks of Azure: it refuses to delete a resource that a lock covers, or that contains such a resource.

use serde_json::Value;

use super::deletion_item::DeletionBlock;
use super::look::DeletionContext;
use ucp_core::engine::code::Code;
use ucp_core::graph::NodeId;
use ucp_core::model::resource::Resource;

/// Returns the block of an external resource that a lock protects which is not deleted.
pub(super) fn lock_block(look: &DeletionContext<'_, '_>, node: NodeId) -> Option<DeletionBlock> {
    let resource = &look.state.resources[node];
    let id = if is_of_azure(resource) { text(resource, &["/status/atProvider/id"])? } else { return None };
    let locks = look.state.resources.iter().enumerate().filter(|(place, one)| {
        one.kind.kind == "ManagementLock" && is_of_azure(one) && !look.cascade.going.contains_key(place)
    });
    let covers = |scope: &str| is_within(&id, scope) || is_within(scope, &id);
    let mut locks = locks.filter(|(place, lock)| {
        *place != node
            && text(lock, &["/status/atProvider/scope", "/spec/forProvider/scope"]).is_some_and(|scope| covers(&scope))
    });
    let (_, lock) = locks.next()?;
    let lock = lock.name();
    Some(DeletionBlock {
        code: Code::ProtectedOutside,
        reason: format!("{lock} locks it or a part of it, so Azure refuses to delete it"),
        command: format!("kubectl delete {lock}"),
    })
}

fn is_of_azure(resource: &Resource) -> bool {
    let group = resource.kind.group.replace(".m.upbound.io", ".upbound.io");
    group == "azure.upbound.io" || group.ends_with(".azure.upbound.io")
}

/// Returns the first of these fields, in lower case: Azure compares identifiers without regard to case.
fn text(resource: &Resource, pointers: &[&str]) -> Option<String> {
    let whole = resource.whole.as_deref()?;
    let mut found = pointers.iter().filter_map(|pointer| whole.pointer(pointer).and_then(Value::as_str));
    found.next().map(str::to_ascii_lowercase)
}

fn is_within(id: &str, scope: &str) -> bool {
    id.strip_prefix(scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
