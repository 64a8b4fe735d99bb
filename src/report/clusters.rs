//! The document `ClusterList`: all app clusters known to the core cluster.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use crate::report::Header;
use crate::report::sources::{CombineSources, DocumentSource, DocumentSources, Sourced, set_sources, without_sources};
use ucp_core::failure::Failure;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::ObjectName;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::state::{ClusterState, Origin, Unreadable};
use ucp_features::adopt::cluster::AppCluster;
use ucp_features::adopt::cluster::{State, VersionResponse};
use ucp_features::adopt::credential::{Credential, CredentialType};
use ucp_features::adopt::inventory::AppClusterInventory;
use ucp_features::adopt::registration::{EngineLogin, Registration};

/// The document `ClusterList`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterList {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// One item for each cluster, problems first.
    pub items: Vec<Sourced<ClusterItem>>,
    /// Objects and kinds that could not be read.
    pub unreadable: Vec<Sourced<Unreadable>>,
    /// The time of the cluster state.
    #[serde(skip)]
    pub moment: Timestamp,
}

/// An app cluster.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterItem {
    /// The name of its registration; without one, of its managed resource; without either, of its Secret.
    pub name: String,
    /// The URL of its API server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The object that provisioned it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provisioned_by: Option<ObjectName>,
    /// The Secret with the credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<ObjectName>,
    /// The credential in that Secret, or in the registration if there is no such Secret.
    pub credential: CredentialItem,
    /// The engines that the cluster is registered with.
    pub registered_with: Vec<RegistrationItem>,
    /// The health of the cluster.
    pub state: State,
    /// The reason for the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The response of its API server, with `--probe`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe: Option<ProbeItem>,
}

/// A credential, without its secret parts.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CredentialItem {
    /// The type of the credential.
    #[serde(rename = "type")]
    pub kind: CredentialType,
    /// The time when it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// The identity of the credential, if it contains one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// The registration of a cluster with an engine.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistrationItem {
    /// The engine.
    pub engine: GitOps,
    /// The cluster's name in the registration.
    pub name: String,
    /// The Secret or ConfigMap that holds the registration.
    pub object: ObjectName,
    /// The credential that the engine uses.
    pub credential: CredentialItem,
}

/// The response of an API server.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProbeItem {
    /// The version of the API server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The latency in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_milliseconds: Option<u64>,
    /// The error, if there was no response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl From<Result<VersionResponse, Failure>> for ProbeItem {
    fn from(answer: Result<VersionResponse, Failure>) -> Self {
        match answer {
            Ok(VersionResponse { version, latency }) => Self {
                version: Some(version),
                latency_milliseconds: Some(u64::try_from(latency.as_millis()).unwrap_or(u64::MAX)),
                error: None,
            },
            Err(reason) => Self { version: None, latency_milliseconds: None, error: Some(reason.into()) },
        }
    }
}

impl From<&Credential> for CredentialItem {
    fn from(credential: &Credential) -> Self {
        Self {
            kind: credential.credential_type(),
            expires: credential.expires(),
            subject: credential.subject().map(str::to_owned),
        }
    }
}

impl From<&EngineLogin> for CredentialItem {
    fn from(login: &EngineLogin) -> Self {
        match login {
            EngineLogin::Static(access) => access.credential().into(),
            EngineLogin::Identity(_) => Self::of_kind(CredentialType::WorkloadIdentity),
            EngineLogin::Unreadable(_) => Self::of_kind(CredentialType::Unknown),
        }
    }
}

impl CredentialItem {
    fn of_kind(kind: CredentialType) -> Self {
        Self { kind, expires: None, subject: None }
    }
}

impl RegistrationItem {
    fn from_registration(registration: &Registration) -> Option<Self> {
        Some(Self {
            engine: registration.holder.engine()?,
            name: registration.name.clone(),
            object: registration.object.clone(),
            credential: (&registration.login).into(),
        })
    }
}

impl From<&AppCluster> for ClusterItem {
    fn from(cluster: &AppCluster) -> Self {
        let candidate = cluster.candidate();
        Self {
            name: cluster.name.clone(),
            // Its URL may hold a password, although such a server is refused.
            server: cluster.server().map(|server| scrub(&server).into_owned()),
            provisioned_by: cluster.provisioner.as_ref().map(|provisioner| provisioner.object.clone()),
            secret: candidate.map(|candidate| ObjectName::secret(&candidate.source.namespace, &candidate.source.name)),
            credential: match candidate.map(|candidate| &candidate.access) {
                Some(Ok(access)) => access.credential().into(),
                Some(Err(_)) => CredentialItem::of_kind(CredentialType::Unknown),
                // The cluster was not provisioned here: the engine's credential is the only one.
                None => cluster.registrations.first().map_or_else(
                    || CredentialItem::of_kind(missing_credential_type(cluster)),
                    |known| (&known.login).into(),
                ),
            },
            registered_with: cluster.registrations.iter().filter_map(RegistrationItem::from_registration).collect(),
            state: cluster.state,
            reason: cluster.reason.clone(),
            probe: None,
        }
    }
}

/// Returns `Unknown` if the connection Secret is missing, and `None` if there is no reference to one.
fn missing_credential_type(cluster: &AppCluster) -> CredentialType {
    match cluster.provisioner.as_ref().and_then(|provisioner| provisioner.connection_secret.as_ref()) {
        Some(_) => CredentialType::Unknown,
        None => CredentialType::None,
    }
}

impl ClusterList {
    /// Returns the document of an inventory.
    pub fn from_inventory(state: &ClusterState, inventory: &AppClusterInventory) -> Self {
        Self {
            header: Header::new("ClusterList", state.origin.clone()),
            items: without_sources(inventory.clusters.iter().map(ClusterItem::from)),
            unreadable: without_sources(inventory.unreadable.iter().cloned()),
            moment: inventory.moment,
        }
    }
}

impl CombineSources for ClusterList {
    fn name_sources(&mut self, sources: Vec<DocumentSource>) {
        self.header.source = DocumentSources::Several(sources);
    }

    fn moment(&self) -> Option<Timestamp> {
        Some(self.moment)
    }

    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>> {
        &mut self.unreadable
    }

    fn mark(&mut self, source: &Arc<Origin>) {
        set_sources(&mut self.items, source);
    }

    fn add(&mut self, other: Self) {
        self.moment = self.moment.max(other.moment);
        self.items.extend(other.items);
    }

    /// Puts problems first.
    fn sort(&mut self) {
        self.items.sort_by(|left, right| (left.state, &left.name).cmp(&(right.state, &right.name)));
    }
}
