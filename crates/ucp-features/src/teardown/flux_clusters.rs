//! Clusters of Flux's `kubeConfig`: Flux deletes there, and not in the core cluster.

use super::partial;
use ucp_core::model::body::Body;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// Returns the reason why it is unknown whether an object of Flux deletes an object in the core cluster. A kubeconfig may also
/// lead to the core cluster.
pub(super) fn doubt(state: &ClusterState, by: &Resource, child: &Resource) -> Option<String> {
    let Body::Flux(flux) = &by.body else { return None };
    flux.spec.kube_config.as_ref()?;
    let why = match missing_kubeconfig(state, by) {
        Some(secret) => format!("and {secret} does not exist"),
        None => format!("and that may not be the one with {}", child.name()),
    };
    Some(format!("{} deletes in the cluster of its spec.kubeConfig, {why}", by.name()))
}

/// Returns the Secret with the kubeconfig of an object of Flux if it does not exist.
fn missing_kubeconfig(state: &ClusterState, by: &Resource) -> Option<ObjectName> {
    let Body::Flux(flux) = &by.body else { return None };
    let named = flux.spec.kube_config.as_ref()?.secret_ref.as_ref()?;
    let secret = ObjectName::secret(by.metadata.namespace.as_deref()?, &named.name);
    let key = ObjectKey::from(&secret);
    (partial::has_all_secrets(state) && state.find(&key).is_none()).then_some(secret)
}
