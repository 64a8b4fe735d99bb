//! Usages that were not read: Crossplane marks the objects that they protect.

use super::look::DeletionContext;
use ucp_core::engine::crossplane::usage::{is_usage, selects};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, KindIndex};

/// Label that Crossplane sets on an object with its first Usage, and removes with its last one.
const IN_USE: &str = "crossplane.io/in-use";

/// Returns the reason why an object may be protected: it is marked, and the Usage for that was not read.
pub(super) fn unread_usage(look: &DeletionContext<'_, '_>, resource: &Resource) -> Option<String> {
    let kind = (resource.kind.group.as_str(), resource.kind.kind.as_str());
    let mut usages = look.usages.0.get(&kind).into_iter().flatten();
    let is_named = usages.any(|(usage, spec)| spec.get("of").is_some_and(|of| selects(of, resource, usage)));
    let may_be_protected = resource.metadata.label(IN_USE) == Some("true")
        && !is_named
        && !were_all_read(look.state)
        && look.unenforced_reason(resource).is_none();
    may_be_protected.then(|| format!("label {IN_USE} shows that a Usage protects it or did, and that was not read"))
}

/// Returns true if no Usage of a cluster is unknown. The label shows that the cluster has a kind of them.
fn were_all_read(state: &ClusterState) -> bool {
    let mut kinds = state.kinds.iter().filter(|kind| is_usage(kind)).peekable();
    state.kind_index == KindIndex::Complete && kinds.peek().is_some() && kinds.all(|kind| state.was_read(kind))
}
