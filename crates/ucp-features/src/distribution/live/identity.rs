//! Unique identity of a cluster: the UID of its namespace `kube-system`.

use super::query::AppClusterQuery;
use crate::adopt::cluster::AppCluster;
use crate::distribution::app::AppClusterReading;
use ucp_client::source::live::api::Api;
use ucp_client::source::live::write::ObjectPath;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::object::ObjectName;

/// Address of the API server inside of every cluster.
const FROM_WITHIN: &str = "https://kubernetes.default";

/// Fetches the UID, or returns `None` if it cannot be read.
pub(super) async fn fetch(api: &Api) -> Option<String> {
    let system = ObjectName::in_core_group("Namespace", None, "kube-system");
    let found = api.find(&ObjectPath::from_object_name(&system)?).await.ok()??;
    found.pointer("/metadata/uid").and_then(serde_json::Value::as_str).map(str::to_owned)
}

/// Fails when the cluster that responded is the core cluster, unless it is registered by its in-cluster address.
pub(super) fn check(
    question: &AppClusterQuery<'_>,
    cluster: &AppCluster,
    reading: &AppClusterReading,
) -> Result<(), Failure> {
    let is_core = question.core.id.is_some() && question.core.id == reading.identity;
    let is_meant = cluster.server().is_some_and(|server| server.starts_with(FROM_WITHIN));
    if !is_core || is_meant {
        return Ok(());
    }
    fail!("the server of cluster {} is the core cluster itself: its namespace kube-system is the same", cluster.name)
}
