//! APIs whose server is down: the controller of namespaces cannot list their objects, and keeps each namespace
//! (`NamespaceDeletionDiscoveryFailure`).

use super::deletion_item::DeletionBlock;
use super::nature::removes_contents;
use ucp_core::engine::code::Code;
use ucp_core::model::condition::{ConditionStatus, FindCondition as _};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::shell::quote_word;
use ucp_core::model::state::ClusterState;

/// Returns true for APIServices.
pub(super) fn is_api_service(kind: &ResourceKind) -> bool {
    kind.group == "apiregistration.k8s.io" && kind.kind == "APIService"
}

/// Returns the block of a namespace while an API is not available.
pub(super) fn discovery_block(state: &ClusterState, namespace: &Resource) -> Option<DeletionBlock> {
    if !removes_contents(namespace) {
        return None;
    }
    let mut services = state.resources.iter().filter(|one| is_api_service(&one.kind));
    let is_down =
        |one: &&Resource| one.conditions.as_slice().with_status("Available", ConditionStatus::False).is_some();
    let down = services.find(is_down)?;
    let name = &down.metadata.name;
    Some(DeletionBlock {
        code: Code::FinalizerUnserved,
        reason: format!("API {name} is not available, and Kubernetes keeps a namespace until it can list all kinds"),
        command: format!("kubectl get apiservices.apiregistration.k8s.io {}", quote_word(name)),
    })
}
