//! How each engine takes over what exists.

use crate::engine::crossplane::{Role, role};
use crate::engine::engine_of;
use crate::model::kind::ResourceKind;

/// An engine that can take over what exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Takeover {
    /// Crossplane: `managementPolicies: [Observe]`, and the annotation `crossplane.io/external-name`.
    Crossplane,
    /// AWS Controllers for Kubernetes: annotations for adoption, and `services.k8s.aws/read-only`.
    Ack,
    /// Google's Config Connector: `spec.resourceID`. It has no mode in which it only looks.
    ConfigConnector,
}

impl Takeover {
    /// How objects of a kind take over what exists; `None` where they do not.
    pub fn of(kind: &ResourceKind) -> Option<Self> {
        if role(kind) == Some(Role::Managed) {
            return Some(Self::Crossplane);
        }
        // `services.k8s.aws` and `core.cnrm…` hold settings.
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

    /// The fields of a declaration that describe what is outside.
    pub fn declaration(self) -> &'static [&'static str] {
        match self {
            Self::Crossplane => &["spec", "forProvider"],
            Self::Ack | Self::ConfigConnector => &["spec"],
        }
    }
}
