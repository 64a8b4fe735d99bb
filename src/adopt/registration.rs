//! A cluster as an engine knows it, or `kubectl ucp secrets`.

use crate::adopt::access::{Access, Allowed, Endpoint};
use crate::adopt::holder::Holder;
use crate::adopt::record::Record;
use crate::model::metadata::Metadata;
use crate::model::object::ObjectName;

/// One registration of one cluster.
#[derive(Debug, Clone)]
pub struct Registration {
    /// Who it lets in.
    pub holder: Holder,
    /// The Secret or ConfigMap that it is.
    pub object: ObjectName,
    /// Its metadata, since others label it too.
    pub metadata: Metadata,
    /// The cluster's name there.
    pub name: String,
    /// URL of the API server; absent where the engine asks the cloud for it.
    pub server: Option<String>,
    /// How the engine authenticates.
    pub login: Login,
    /// What Argo CD knows besides: `namespaces`, `project`, `shard`.
    pub settings: Settings,
    /// What it tells about itself, where it is ours.
    pub record: Option<Record>,
}

/// How an engine logs in to a cluster.
#[derive(Debug, Clone)]
pub enum Login {
    /// With what the registration holds.
    Static(Box<Access>),
    /// As its own pods' identity in a cloud.
    Identity(CloudIdentity),
    /// It could not be read.
    Unreadable(String),
}

/// A cluster that a cloud knows, and which cloud.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloudIdentity {
    /// The cloud.
    pub cloud: Cloud,
    /// What the cloud calls the cluster. Argo CD needs it on AWS only, where it is the plain name.
    pub cluster: String,
    /// Role to assume, on AWS.
    pub role: Option<String>,
    /// How the server is reached and known.
    pub endpoint: Option<Endpoint>,
}

/// A cloud whose identities engines know how to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cloud {
    /// Amazon Web Services.
    Aws,
    /// Google Cloud.
    Gcp,
    /// Microsoft Azure.
    Azure,
}

impl Cloud {
    /// Every cloud.
    pub const ALL: [Self; 3] = [Self::Aws, Self::Gcp, Self::Azure];

    /// Its name in Flux's ConfigMaps and Argo CD's arguments.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Aws => "aws",
            Self::Gcp => "gcp",
            Self::Azure => "azure",
        }
    }
}

/// What Argo CD's cluster Secrets hold besides the way in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Namespaces that Argo CD keeps to; all where empty.
    pub namespaces: Vec<String>,
    /// The one AppProject that may use it.
    pub project: Option<String>,
    /// The application controller that looks after it.
    pub shard: Option<u32>,
}

impl Registration {
    /// Where it leads, as far as that can be read.
    pub fn endpoint(&self) -> Option<&Endpoint> {
        match &self.login {
            Login::Static(access) => Some(access.endpoint()),
            Login::Identity(identity) => identity.endpoint.as_ref(),
            Login::Unreadable(_) => None,
        }
    }

    /// Whether it was made for an endpoint, of this version.
    pub fn is_for(&self, endpoint: &Endpoint, version: &str) -> bool {
        match self.endpoint() {
            Some(known) => endpoint.is_same_as(known),
            // What cannot be read tells at least for which endpoint it was made.
            None => self.record.as_ref().is_some_and(|record| record.version == version),
        }
    }

    /// URL of its server, to be shown.
    pub fn shown_server(&self) -> String {
        let server = self.endpoint().map(|endpoint| &endpoint.server).or(self.server.as_ref());
        server.cloned().unwrap_or_else(|| "unknown".to_owned())
    }

    /// What flags allow, and what was allowed when the cluster was registered at this very endpoint.
    pub fn allowed_at(&self, endpoint: &Endpoint, flags: &Allowed) -> Allowed {
        let is_here = |known: &Endpoint| known.is_same_as(endpoint) && known.proxy == endpoint.proxy;
        let record = self.record.as_ref().filter(|_| self.endpoint().is_some_and(is_here));
        flags.iter().chain(record.iter().flat_map(|record| &record.allowed)).copied().collect()
    }

    /// How it is reached and as whom, where that is in it.
    pub fn access(&self) -> Option<&Access> {
        match &self.login {
            Login::Static(access) => Some(access),
            Login::Identity(_) | Login::Unreadable(_) => None,
        }
    }
}
