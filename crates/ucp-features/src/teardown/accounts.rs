//! The ServiceAccounts that objects of Flux impersonate. If one does not exist, Flux removes its finalizer and deletes nothing
//! (`CanImpersonate`).

use ucp_core::engine;
use ucp_core::model::body::Body;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Unreadable};

/// Returns the ServiceAccount with which an object of Flux deletes what it applied; `None` if it is not needed for that.
pub(super) fn account_of(state: &ClusterState, resource: &Resource) -> Option<ObjectName> {
    let Body::Flux(flux) = &resource.body else { return None };
    let (controller, is_needed) = match resource.kind.kind.as_str() {
        "Kustomization" => ("kustomize-controller", true),
        // In another cluster, helm-controller does not look for it.
        "HelmRelease" => ("helm-controller", flux.spec.kube_config.is_none()),
        _ => return None,
    };
    let named = flux.spec.service_account_name.as_deref().filter(|name| !name.is_empty());
    let name = named.or_else(|| default_account(state, controller))?;
    let namespace = resource.metadata.namespace.as_deref();
    (is_needed && engine::orphaning_reason(resource).is_none())
        .then(|| ObjectName::in_core_group("ServiceAccount", namespace, name))
}

/// Returns `--default-service-account` of a controller of Flux; `None` if Deployments of its name disagree, since a tenant can
/// create one.
fn default_account<'a>(state: &'a ClusterState, controller: &str) -> Option<&'a str> {
    let mut accounts = state.resources.iter().filter(|one| one.metadata.name == controller).filter_map(|one| {
        let Body::Workload(workload) = &one.body else { return None };
        Some(workload.settings.get("default-service-account").map_or("", String::as_str))
    });
    let first = accounts.next().filter(|name| !name.is_empty())?;
    accounts.all(|name| name == first).then_some(first)
}

/// Returns the ServiceAccount of an object of Flux if it does not exist.
pub(super) fn missing_account(state: &ClusterState, by: &Resource) -> Option<ObjectName> {
    let account = account_of(state, by).filter(|_| state.has_read("", "ServiceAccount"))?;
    let key = ObjectKey::from(&account);
    state.find(&key).is_none().then_some(account)
}

/// Returns the gap of an object of Flux whose ServiceAccount could not be looked up.
pub(super) fn unread_account(state: &ClusterState, by: &Resource) -> Option<Unreadable> {
    let account = account_of(state, by).filter(|_| !state.has_read("", "ServiceAccount"))?;
    let reason = format!("it could not be read, and without it {} deletes nothing", by.name());
    Some(Unreadable { what: account.to_string(), reason })
}
