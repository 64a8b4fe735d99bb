//! Requests for adoptions.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::adopt::access::{AllowedHazards, same_server};
use crate::adopt::cluster::AppCluster;
use crate::adopt::grant::Grant;
use crate::adopt::holder::AccountHolder;
use crate::adopt::names::NamespacedName;
use crate::adopt::record::Auth;
use ucp_core::model::apply::ConflictPolicy;

/// The requested registration of one cluster with one engine, or with `kubectl ucp secrets`. Absent options keep their
/// current value, or have the default.
#[derive(Debug, Clone)]
pub struct AdoptionRequest {
    /// The holder to register.
    pub holder: AccountHolder,
    /// The login method of the engine.
    pub auth: Option<Auth>,
    /// The rights of its ServiceAccount.
    pub grant: Option<Grant>,
    /// Lifetime of its tokens.
    pub lifetime: Option<Lifetime>,
    /// Name and namespace of the ServiceAccount.
    pub service_account: Option<NamespacedName>,
    /// When to replace a valid credential.
    pub rotation: Rotation,
    /// The cluster's name in the engine.
    pub name: Option<String>,
    /// Labels of the registration.
    pub labels: BTreeMap<String, String>,
    /// Annotations of the registration.
    pub annotations: BTreeMap<String, String>,
    /// The AppProject to which the cluster is restricted.
    pub project: Option<String>,
    /// The shard of Argo CD's application controller that manages the cluster.
    pub shard: Option<u32>,
    /// The role to assume on AWS.
    pub role: Option<String>,
    /// The hazards in kubeconfigs that flags allow.
    pub allowed: AllowedHazards,
    /// The handling of a registered cluster whose server changed without proof of its identity.
    pub new_servers: NewServers,
    /// The handling of fields and registrations of other managers.
    pub conflicts: ConflictPolicy,
}

impl AdoptionRequest {
    /// Returns true if the request applies to a cluster: for `kubectl ucp secrets` only if requested, now or before.
    pub fn is_for(&self, cluster: &AppCluster) -> bool {
        self.holder != AccountHolder::Secrets || self.grant.is_some() || cluster.distributor.is_some()
    }
}

/// The handling of a registered cluster whose server changed without proof of its identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewServers {
    /// The server is refused, since the user cannot be asked.
    Refuse,
    /// The user is shown the old and the new server, and asked.
    Ask,
    /// The user named these servers; others are refused.
    Named(BTreeSet<String>),
}

impl NewServers {
    /// Returns true if a plan may continue with a server.
    pub fn accept(&self, server: &str) -> bool {
        match self {
            Self::Refuse => false,
            Self::Ask => true,
            Self::Named(servers) => servers.iter().any(|known| same_server(known, server)),
        }
    }
}

/// The lifetime of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// Until its Secret is deleted.
    Lasting,
    /// This long, or until its Secret is deleted.
    Bound(Duration),
}

/// When to replace a valid credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// Only if necessary.
    AsNeeded,
    /// Always.
    Now,
}

/// The shortest lifetime of a token in Kubernetes: `ValidateTokenRequest` in `pkg/apis/authentication/validation`.
pub const SHORTEST_LIFE: Duration = Duration::from_secs(600);
