//! A cluster as an engine knows it, or `kubectl ucp secrets`.

use crate::adopt::access::Access;
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
    pub endpoint: Option<crate::adopt::access::Endpoint>,
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
    /// How it is reached and as whom, where that is in it.
    pub fn access(&self) -> Option<&Access> {
        match &self.login {
            Login::Static(access) => Some(access),
            Login::Identity(_) | Login::Unreadable(_) => None,
        }
    }
}
