//! What was asked of an adoption.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::adopt::access::{Allowed, same_server};
use crate::adopt::cluster::AppCluster;
use crate::adopt::grant::Grant;
use crate::adopt::holder::Holder;
use crate::adopt::names::Namespaced;
use crate::adopt::record::Auth;
use crate::model::apply::Conflicts;

/// How one cluster should be registered for one engine, or for `kubectl ucp secrets`. What is not said stays as it is, or gets the default.
#[derive(Debug, Clone)]
pub struct Request {
    /// Who is let in.
    pub holder: Holder,
    /// How the engine authenticates.
    pub auth: Option<Auth>,
    /// What its ServiceAccount may do.
    pub grant: Option<Grant>,
    /// How long its tokens count.
    pub lifetime: Option<Lifetime>,
    /// The ServiceAccount.
    pub service_account: Option<Namespaced>,
    /// Whether a new credential replaces a good one.
    pub rotation: Rotation,
    /// The cluster's name in the engine.
    pub name: Option<String>,
    /// Labels of the registration.
    pub labels: BTreeMap<String, String>,
    /// Annotations of the registration.
    pub annotations: BTreeMap<String, String>,
    /// The one AppProject that may use it.
    pub project: Option<String>,
    /// The application controller that looks after it.
    pub shard: Option<u32>,
    /// Role to assume on AWS.
    pub role: Option<String>,
    /// What in a Secret's kubeconfig may be followed.
    pub allowed: Allowed,
    /// What to do about a registered cluster whose server changed and does not prove to be the same.
    pub new_servers: NewServers,
    /// What to do about fields and registrations of others.
    pub conflicts: Conflicts,
}

impl Request {
    /// Whether it is one for a cluster: `kubectl ucp secrets` is let in where that was asked, now or before.
    pub fn is_for(&self, cluster: &AppCluster) -> bool {
        self.holder != Holder::Secrets || self.grant.is_some() || cluster.distributor.is_some()
    }
}

/// What to do about a registered cluster whose server changed and does not prove to be the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewServers {
    /// It is refused: nobody is there who could tell.
    Refuse,
    /// A person is shown the old and the new server, and asked.
    Ask,
    /// These were named by a person, and no others.
    Named(BTreeSet<String>),
}

impl NewServers {
    /// Whether a plan may go on with a server.
    pub fn accept(&self, server: &str) -> bool {
        match self {
            Self::Refuse => false,
            Self::Ask => true,
            Self::Named(servers) => servers.iter().any(|known| same_server(known, server)),
        }
    }
}

/// How long a token counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// Until its Secret is deleted.
    Lasting,
    /// So long, or until its Secret is deleted.
    Bound(Duration),
}

/// Whether a new credential replaces a good one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// Only where it has to.
    AsNeeded,
    /// In any case.
    Now,
}

/// The shortest life that Kubernetes gives a token: `ValidateTokenRequest` in `pkg/apis/authentication/validation`.
pub const SHORTEST_LIFE: Duration = Duration::from_secs(600);
