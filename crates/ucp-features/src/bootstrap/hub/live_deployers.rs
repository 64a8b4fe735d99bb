//! Deployers of a hub.

use std::collections::BTreeMap;

use serde_json::Value;

use super::flux_instance::FLUX_INSTANCE;
use crate::bootstrap::wave::is_deployer;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::state::ClusterState;

pub(super) fn is_hub_deployer(group: &str, kind: &str) -> bool {
    is_deployer(group, kind) || (group, kind) == FLUX_INSTANCE
}

pub(super) fn live_deployers(state: &ClusterState) -> BTreeMap<ObjectKey, &Value> {
    let deployers = state.resources.iter().filter(|one| is_hub_deployer(&one.kind.group, &one.kind.kind));
    deployers.filter_map(|one| Some((one.key(), one.whole.as_deref()?))).collect()
}
