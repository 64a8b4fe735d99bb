//! Credentials of provider configs. Those in a Secret are roots of trust, and identify the cluster to which an Object
//! is applied.

use crate::adopt::names::NamespacedName;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::model::body::consumer::text_field;
use ucp_core::model::resource::Resource;

/// Source of credentials in `spec.credentials`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ProviderCredentials {
    /// Credentials in a Secret.
    Secret {
        secret: NamespacedName,
        /// Key in the Secret, if given.
        key: Option<String>,
    },
    /// The provider's own identity: for provider-kubernetes, the core cluster.
    Injected,
    /// Another source, or none.
    Other,
}

impl ProviderCredentials {
    /// Reads the login of a provider config; returns `None` for other kinds and if the object was not read whole.
    pub(super) fn from_provider_config(resource: &Resource) -> Option<Self> {
        if role(&resource.kind) != Some(CrossplaneRole::ProviderConfig) {
            return None;
        }
        let whole = resource.whole.as_deref()?;
        let reference = |field: &str| text_field(whole, &format!("/spec/credentials/secretRef/{field}"));
        let namespace = reference("namespace").or(resource.metadata.namespace.as_deref());
        Some(match (text_field(whole, "/spec/credentials/source"), namespace, reference("name")) {
            (Some("Secret"), Some(namespace), Some(name)) => Self::Secret {
                secret: NamespacedName { namespace: namespace.to_owned(), name: name.to_owned() },
                key: reference("key").map(str::to_owned),
            },
            (Some("InjectedIdentity"), ..) => Self::Injected,
            _ => Self::Other,
        })
    }
}
