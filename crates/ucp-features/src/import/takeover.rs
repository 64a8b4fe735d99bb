//! The methods by which engines import existing resources.

use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::engine::engine_of;
use ucp_core::model::kind::ResourceKind;

/// An engine that can import existing resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImportMethod {
    /// Crossplane: `managementPolicies: [Observe]`, and the annotation `crossplane.io/external-name`.
    Crossplane,
    /// AWS Controllers for Kubernetes: annotations for adoption, and `services.k8s.aws/read-only`.
    Ack,
    /// Google's Config Connector: `spec.resourceID`. It has no mode to only observe.
    ConfigConnector,
}

impl ImportMethod {
    /// Returns the import method of a kind; `None` if its objects cannot import.
    pub fn for_kind(kind: &ResourceKind) -> Option<Self> {
        if role(kind) == Some(CrossplaneRole::Managed) {
            return Some(Self::Crossplane);
        }
        // `services.k8s.aws` and `core.cnrm…` contain settings.
        if kind.group.ends_with(".services.k8s.aws") && engine_of(kind).is_some() {
            Some(Self::Ack)
        } else if kind.group.ends_with(".cnrm.cloud.google.com")
            && !kind.group.starts_with("core.")
            && !kind.group.starts_with("customize.")
        {
            Some(Self::ConfigConnector)
        } else {
            None
        }
    }

    /// Returns the path to the fields that describe the external resource.
    pub fn declaration_path(self) -> &'static [&'static str] {
        match self {
            Self::Crossplane => &["spec", "forProvider"],
            Self::Ack | Self::ConfigConnector => &["spec"],
        }
    }
}
