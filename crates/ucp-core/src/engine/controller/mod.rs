//! Controllers of engines. If a controller is not running, the status of its objects dates from their last
//! reconciliation.

pub(super) mod description;
pub(super) mod installed_version;
pub(super) mod workload_kind;
pub(super) mod workloads;

use crate::model::body::{BodyShape, KindRequest, NamespaceReach};
use crate::model::kind::ResourceKind;

pub use description::{Controller, ControllerLocation, ControllerNeed, ControllerWork, ReplicaDistribution};
pub use installed_version::{version, version_of};
pub use workload_kind::{is_workload, workload_name};
pub use workloads::repository;
pub use workloads::{ComponentName, Workloads};

/// Reads Deployments and StatefulSets of all namespaces and with any labels: Crossplane does not label the Deployments
/// of its packages.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    is_workload(kind)
        .then_some(KindRequest { reach: NamespaceReach::Everywhere, ..KindRequest::all(BodyShape::Workload) })
}
