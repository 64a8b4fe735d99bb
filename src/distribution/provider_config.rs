//! Provider configs: with which credentials a provider logs in. Those in a Secret are roots of trust, and tell to which
//! cluster an Object goes.

use crate::adopt::names::Namespaced;
use crate::engine::crossplane::{Role, role};
use crate::model::body::consumer::text;
use crate::model::resource::Resource;

/// `spec.credentials`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Login {
    /// What is in a Secret.
    Secret {
        /// Which.
        secret: Namespaced,
        /// The key in it, where one is named.
        key: Option<String>,
    },
    /// The provider's own identity: for provider-kubernetes, the core cluster.
    Injected,
    /// Another, or none.
    Other,
}

impl Login {
    /// Of a provider config that was read whole; `None` of anything else.
    pub(super) fn of(resource: &Resource) -> Option<Self> {
        if role(&resource.kind) != Some(Role::ProviderConfig) {
            return None;
        }
        let whole = resource.whole.as_deref()?;
        let reference = |field: &str| text(whole, &format!("/spec/credentials/secretRef/{field}"));
        let namespace = reference("namespace").or(resource.metadata.namespace.as_deref());
        Some(match (text(whole, "/spec/credentials/source"), namespace, reference("name")) {
            (Some("Secret"), Some(namespace), Some(name)) => Self::Secret {
                secret: Namespaced { namespace: namespace.to_owned(), name: name.to_owned() },
                key: reference("key").map(str::to_owned),
            },
            (Some("InjectedIdentity"), ..) => Self::Injected,
            _ => Self::Other,
        })
    }
}
