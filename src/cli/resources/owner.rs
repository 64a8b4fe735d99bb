//! `--owner`: the items of a claim, composite, Application, Kustomization, or HelmRelease.

use std::collections::BTreeSet;

use crate::report::resources::ResourceItem;
use crate::report::sources::Sourced;
use ucp_core::engine::may_own;
use ucp_core::error::{Error, Result};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::nearest::did_you_mean_name;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::ClusterState;

/// Keeps the items that the named object owns, directly or indirectly.
///
/// # Errors
/// Fails when there is no such object, with the nearest name.
pub(super) fn retain_owned(
    items: &mut Vec<Sourced<Box<ResourceItem>>>,
    state: &ClusterState,
    wanted: &str,
) -> Result<()> {
    let exist = state.resources.iter().filter(|resource| may_own(&resource.kind)).map(|resource| resource.name());
    let owners: BTreeSet<ObjectName> = exist.chain(items.iter().flat_map(|item| item.owners.iter().cloned())).collect();
    let is_meant = |object: &ObjectName| is_called(object, state, wanted);
    if !owners.iter().any(is_meant) {
        let names = owners.iter().map(|owner| owner.name.as_str());
        let meant = did_you_mean_name(wanted.rsplit('/').next().unwrap_or(wanted), names);
        let complaint =
            format!("no claim, composite, Application, Kustomization or HelmRelease is called '{wanted}'{meant}");
        return Err(Error::absent(complaint).hint("name it as NAME, KIND/NAME or NAMESPACE/NAME"));
    }
    items.retain(|item| item.owners.iter().any(is_meant));
    Ok(())
}

/// Returns true if the text names this object as `NAME`, `KIND/NAME` or `NAMESPACE/NAME`.
fn is_called(object: &ObjectName, state: &ClusterState, wanted: &str) -> bool {
    let Some((place, name)) = wanted.rsplit_once('/') else { return object.name == wanted };
    let is_of_kind = || {
        let known = state.kinds.iter().find(|kind| kind.group == object.group() && kind.kind == object.kind);
        match known {
            Some(kind) => kind.is_called(place),
            None => ResourceKind::guess(object.group(), &object.kind).is_called(place),
        }
    };
    object.name == name && (object.namespace.as_deref() == Some(place) || is_of_kind())
}
