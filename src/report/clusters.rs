//! `ClusterList`: every app cluster that the core cluster knows of.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use crate::adopt::cluster::AppCluster;
use crate::adopt::cluster::{Answer, State};
use crate::adopt::credential::{Credential, CredentialType};
use crate::adopt::inventory::Inventory;
use crate::adopt::registration::{Login, Registration};
use crate::model::git_ops::GitOps;
use crate::model::object::ObjectName;
use crate::model::state::{ClusterState, Origin, Unreadable};
use crate::report::Header;
use crate::report::sources::{Combine, Source, Sourced, Sources, mark, unmarked};

/// The document.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterList {
    /// What every document begins with.
    #[serde(flatten)]
    pub header: Header,
    /// One item a cluster, problems first.
    pub items: Vec<Sourced<ClusterItem>>,
    /// What could not be read.
    pub unreadable: Vec<Sourced<Unreadable>>,
    /// The moment that it speaks of.
    #[serde(skip)]
    pub moment: Timestamp,
}

/// An app cluster.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterItem {
    /// Its registration's name, else its managed resource's, else its Secret's.
    pub name: String,
    /// URL of its API server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The object that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provisioned_by: Option<ObjectName>,
    /// The Secret with the credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<ObjectName>,
    /// What credential is in it, or in the registration where there is no such Secret.
    pub credential: CredentialItem,
    /// Where it is registered.
    pub registered_with: Vec<RegistrationItem>,
    /// How it is doing.
    pub state: State,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it answered, with `--probe`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe: Option<ProbeItem>,
}

/// A credential, and nothing secret of it.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CredentialItem {
    /// What kind it is.
    #[serde(rename = "type")]
    pub kind: CredentialType,
    /// When it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Who it is, where it says so itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// A registration.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistrationItem {
    /// The engine.
    pub engine: GitOps,
    /// The cluster's name there.
    pub name: String,
    /// The Secret or ConfigMap.
    pub object: ObjectName,
    /// The credential that the engine uses.
    pub credential: CredentialItem,
}

/// What a cluster answered.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProbeItem {
    /// Version of its API server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Milliseconds to its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_milliseconds: Option<u64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl From<Result<Answer, String>> for ProbeItem {
    fn from(answer: Result<Answer, String>) -> Self {
        match answer {
            Ok(Answer { version, latency }) => Self {
                version: Some(version),
                latency_milliseconds: Some(u64::try_from(latency.as_millis()).unwrap_or(u64::MAX)),
                error: None,
            },
            Err(reason) => Self { version: None, latency_milliseconds: None, error: Some(reason) },
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

impl From<&Login> for CredentialItem {
    fn from(login: &Login) -> Self {
        match login {
            Login::Static(access) => access.credential().into(),
            Login::Identity(_) => Self::of_kind(CredentialType::WorkloadIdentity),
            Login::Unreadable(_) => Self::of_kind(CredentialType::Unknown),
        }
    }
}

impl CredentialItem {
    fn of_kind(kind: CredentialType) -> Self {
        Self { kind, expires: None, subject: None }
    }
}

impl RegistrationItem {
    fn of(registration: &Registration) -> Option<Self> {
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
            server: cluster.server(),
            provisioned_by: cluster.provisioner.as_ref().map(|provisioner| provisioner.object.clone()),
            secret: candidate.map(|candidate| ObjectName::secret(&candidate.source.namespace, &candidate.source.name)),
            credential: match candidate.map(|candidate| &candidate.access) {
                Some(Ok(access)) => access.credential().into(),
                Some(Err(_)) => CredentialItem::of_kind(CredentialType::Unknown),
                // Nothing was provisioned here: what its engine uses is all there is.
                None => cluster
                    .registrations
                    .first()
                    .map_or_else(|| CredentialItem::of_kind(missing(cluster)), |known| (&known.login).into()),
            },
            registered_with: cluster.registrations.iter().filter_map(RegistrationItem::of).collect(),
            state: cluster.state,
            reason: cluster.reason.clone(),
            probe: None,
        }
    }
}

/// Without its Secret, what credential a cluster has is not known; without a reference to one, it has none.
fn missing(cluster: &AppCluster) -> CredentialType {
    match cluster.provisioner.as_ref().and_then(|provisioner| provisioner.connection_secret.as_ref()) {
        Some(_) => CredentialType::Unknown,
        None => CredentialType::None,
    }
}

impl ClusterList {
    /// The document of an inventory.
    pub fn of(state: &ClusterState, inventory: &Inventory) -> Self {
        Self {
            header: Header::new("ClusterList", state.origin.clone()),
            items: unmarked(inventory.clusters.iter().map(ClusterItem::from)),
            unreadable: unmarked(state.unreadable.iter().cloned()),
            moment: inventory.moment,
        }
    }
}

impl Combine for ClusterList {
    fn name_sources(&mut self, sources: Vec<Source>) {
        self.header.source = Sources::Several(sources);
    }

    fn moment(&self) -> Option<Timestamp> {
        Some(self.moment)
    }

    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>> {
        &mut self.unreadable
    }

    fn mark(&mut self, source: &Arc<Origin>) {
        mark(&mut self.items, source);
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
