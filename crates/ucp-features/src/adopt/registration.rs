//! Registrations of clusters with engines, and with `kubectl ucp secrets`.

use crate::adopt::access::{AllowedHazards, AppClusterAccess, ClusterEndpoint};
use crate::adopt::holder::AccountHolder;
use crate::adopt::record::AdoptionRecord;
use ucp_core::failure::Failure;
use ucp_core::model::metadata::Metadata;
use ucp_core::model::object::ObjectName;
use ucp_core::model::variant_words::variant_words;

/// One registration of one cluster.
#[derive(Debug, Clone)]
pub struct Registration {
    /// The holder that is registered.
    pub holder: AccountHolder,
    /// The Secret or ConfigMap of the registration.
    pub object: ObjectName,
    /// Its metadata, as other tools add labels too.
    pub metadata: Metadata,
    /// The cluster's name in the registration.
    pub name: String,
    /// URL of the API server; absent if the engine gets it from the cloud.
    pub server: Option<String>,
    /// The login of the engine.
    pub login: EngineLogin,
    /// Further settings of Argo CD: `namespaces`, `project`, `shard`.
    pub settings: ArgoCdClusterSettings,
    /// The record of its adoption, if kubectl ucp created it.
    pub record: Option<AdoptionRecord>,
}

/// The login of an engine to a cluster.
#[derive(Debug, Clone)]
pub enum EngineLogin {
    /// The access that the registration contains.
    Static(Box<AppClusterAccess>),
    /// The cloud identity of the engine's own pods.
    Identity(CloudIdentity),
    /// The login could not be read, for this reason.
    Unreadable(Failure),
}

/// A cluster in a cloud, for logins with a cloud identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloudIdentity {
    /// The cloud of the cluster.
    pub cloud: Cloud,
    /// The cloud's identifier of the cluster. Argo CD only needs it on AWS, as a plain name.
    pub cluster: String,
    /// The role to assume, on AWS.
    pub role: Option<String>,
    /// The endpoint of the cluster.
    pub endpoint: Option<ClusterEndpoint>,
}

/// A cloud whose identities are supported by engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cloud {
    /// Amazon Web Services.
    Aws,
    /// Google Cloud.
    Gcp,
    /// Microsoft Azure.
    Azure,
}

variant_words!(Cloud { Aws = "aws", Gcp = "gcp", Azure = "azure" });

impl Cloud {
    /// All supported clouds.
    pub const ALL: [Self; 3] = [Self::Aws, Self::Gcp, Self::Azure];
}

/// Settings of Argo CD's cluster Secrets besides the access.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArgoCdClusterSettings {
    /// Namespaces to which Argo CD is restricted; all if empty.
    pub namespaces: Vec<String>,
    /// The AppProject to which the cluster is restricted.
    pub project: Option<String>,
    /// The shard of Argo CD's application controller that manages the cluster.
    pub shard: Option<u32>,
}

impl Registration {
    /// The registered endpoint, as far as it can be read.
    pub fn endpoint(&self) -> Option<&ClusterEndpoint> {
        match &self.login {
            EngineLogin::Static(access) => Some(access.endpoint()),
            EngineLogin::Identity(identity) => identity.endpoint.as_ref(),
            EngineLogin::Unreadable(_) => None,
        }
    }

    /// Returns true if the registration was made for an endpoint, or else for this version hash.
    pub fn is_for(&self, endpoint: &ClusterEndpoint, version: &str) -> bool {
        match self.endpoint() {
            Some(known) => endpoint.is_same_as(known),
            // If it cannot be read, the record still has the version of its endpoint.
            None => self.record.as_ref().is_some_and(|record| record.version == version),
        }
    }

    /// URL of the server for messages.
    pub fn shown_server(&self) -> String {
        let server = self.endpoint().map(|endpoint| &endpoint.server).or(self.server.as_ref());
        server.cloned().unwrap_or_else(|| "unknown".to_owned())
    }

    /// The hazards that flags allow, and those that were allowed for exactly this endpoint when it was registered.
    pub fn allowed_at(&self, endpoint: &ClusterEndpoint, flags: &AllowedHazards) -> AllowedHazards {
        let is_here = |known: &ClusterEndpoint| known.is_same_as(endpoint) && known.proxy == endpoint.proxy;
        let record = self.record.as_ref().filter(|_| self.endpoint().is_some_and(is_here));
        flags.iter().chain(record.iter().flat_map(|record| &record.allowed)).copied().collect()
    }

    /// The access that the registration contains, if any.
    pub fn access(&self) -> Option<&AppClusterAccess> {
        match &self.login {
            EngineLogin::Static(access) => Some(access),
            EngineLogin::Identity(_) | EngineLogin::Unreadable(_) => None,
        }
    }
}
