//! Kinds and names of the workloads of controllers.

use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;

/// A label on most charts and manifests of the engines.
pub(crate) const PART_OF: &str = "app.kubernetes.io/part-of";

/// Returns the name of a workload.
pub fn workload_name(kind: &str, namespace: Option<&str>, name: impl Into<String>) -> ObjectName {
    ObjectName {
        api_version: "apps/v1".to_owned(),
        kind: kind.to_owned(),
        namespace: namespace.map(str::to_owned),
        name: name.into(),
    }
}

/// Returns true if controllers may run as objects of a kind.
pub fn is_workload(kind: &ResourceKind) -> bool {
    kind.group == "apps" && matches!(kind.kind.as_str(), "Deployment" | "StatefulSet")
}
