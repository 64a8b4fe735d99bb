//! The login of an engine to a cluster: the existing credential, a cloud identity, or its own ServiceAccount.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::origin::AccessOrigin;
use super::refusal::AdoptionRefusal;
use crate::adopt::access::{AllowedHazards, AppClusterAccess, CheckedAccess, Obstacle};
use crate::adopt::cluster::AppCluster;
use crate::adopt::credential::Credential;
use crate::adopt::grant::{Grant, GrantScope, GrantedRights};
use crate::adopt::holder::AccountHolder;
use crate::adopt::inventory::AppClusterInventory;
use crate::adopt::names::{NamespacedName, object_name};
use crate::adopt::owner;
use crate::adopt::record::Account;
use crate::adopt::registration::{Cloud, CloudIdentity, EngineLogin, Registration};
use crate::adopt::request::{AdoptionRequest, Lifetime, Rotation, SHORTEST_LIFE};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::ObjectName;

/// The source of an engine's credential.
#[derive(Debug, Clone)]
pub enum LoginPlan {
    /// The provisioner's own credential, unchanged.
    Passthrough(CheckedAccess),
    /// No credential: the engine's pods log in with a cloud identity.
    Identity(CloudIdentity),
    /// The token of a ServiceAccount.
    ServiceAccount(Box<AccountPlan>),
}

/// The plan for a ServiceAccount and its token.
#[derive(Debug, Clone)]
pub struct AccountPlan {
    /// Access with the engine's current token, if it may still be valid.
    pub current: Option<CheckedAccess>,
    /// When to replace a valid token.
    pub rotation: Rotation,
    /// The account that was made in the app cluster before.
    pub before: Option<Account>,
    /// The future rights of the ServiceAccount.
    pub grant: Grant,
    /// Name and namespace of the ServiceAccount.
    pub service_account: NamespacedName,
    /// The registration that owns the account.
    pub owner: String,
    /// Other registrations that use it as well. As long as they have no accounts of their own, nothing of it is
    /// removed.
    pub shared_with: Vec<ObjectName>,
    /// Lifetime of its tokens.
    pub lifetime: Lifetime,
    /// Access with the provisioner's credential, or the reason why it cannot be used.
    pub provided: Result<CheckedAccess, Obstacle>,
    /// For the account of `kubectl ucp secrets`: an engine with all rights in the cluster, and its access.
    pub engine: Option<(GitOps, CheckedAccess)>,
}

impl AccountPlan {
    /// Name of the Secret of its first token.
    pub fn first_token(&self) -> String {
        format!("{}-token-1", self.service_account.name)
    }
}

/// Use of a registration's account by other registrations.
pub(super) enum Sharing {
    /// No other registration uses it.
    Alone,
    /// These registrations use it, and this one keeps it.
    Keeps(Vec<ObjectName>),
    /// Other registrations use it, and this one gets a new one.
    Moves,
}

impl Sharing {
    pub(super) fn from_inventory(
        inventory: &AppClusterInventory,
        object: &ObjectName,
        account: Option<&Account>,
        origin: &AccessOrigin,
    ) -> Self {
        let Some(account) = account else { return Self::Alone };
        let others = owner::other_users(inventory, object, account, origin.access.endpoint());
        let others: Vec<ObjectName> = others.into_iter().map(|other| other.object.clone()).collect();
        match others.iter().any(|other| other < object) {
            _ if others.is_empty() => Self::Alone,
            true => Self::Moves,
            false => Self::Keeps(others),
        }
    }
}

pub(super) fn account_plan(
    existing: Option<&Registration>,
    before: Option<Account>,
    (owner, sharing): (String, Sharing),
    name: &str,
    origin: &AccessOrigin,
    request: &AdoptionRequest,
    (allowed, deployed, now): (&AllowedHazards, BTreeSet<String>, Timestamp),
) -> Result<AccountPlan, AdoptionRefusal> {
    let (before, shared_with) = match sharing {
        Sharing::Alone => (before, Vec::new()),
        Sharing::Keeps(others) => (before, others),
        Sharing::Moves => (None, Vec::new()),
    };
    let default = || owner::service_account(request.holder, &object_name(name), &owner);
    let service_account = request
        .service_account
        .clone()
        .or_else(|| before.as_ref().map(|account| account.service_account.clone()))
        .unwrap_or_else(default);
    if let Some(before) = before.as_ref().filter(|account| account.service_account != service_account) {
        return Err(AdoptionRefusal::new(
            format!(
                "it was adopted with ServiceAccount {}, which would remain in the app cluster",
                before.service_account
            ),
            "release it first, or omit --service-account",
        ));
    }
    let known = || before.as_ref().map(|account| account.grant.clone());
    let grant = match (request.grant.clone().or_else(known), request.holder) {
        (Some(grant), AccountHolder::Engine(_)) => grant,
        (None, AccountHolder::Engine(_)) => {
            Grant { rights: GrantedRights::Deploy(BTreeSet::new()), reach: GrantScope::Cluster }
        }
        (Some(grant), AccountHolder::Secrets) if grant.rights == GrantedRights::Secrets => grant,
        // The user did not request more rights, even if the registration was changed to say so.
        (_, AccountHolder::Secrets) => {
            return Err(AdoptionRefusal::new(
                "its registration for 'kubectl ucp secrets' does not contain its namespaces",
                "pass --secrets-namespaces NAMESPACE,…",
            ));
        }
    };
    let grant = match grant.rights {
        GrantedRights::Deploy(groups) if groups.is_empty() => {
            Grant { rights: GrantedRights::Deploy(deployed), ..grant }
        }
        rights => Grant { rights, ..grant },
    };
    // Without a record, the existing credential was made by another tool.
    let registered = existing.filter(|_| before.is_some()).and_then(|known| known.access());
    // A credential for one cluster is not sent to another.
    let used = registered.and_then(|access| access.for_endpoint(origin.access.endpoint()));
    let lifetime = request.lifetime.unwrap_or_else(|| match registered.and_then(|access| access.credential().life()) {
        Some(life) => Lifetime::Bound(life.begins.map_or(SHORTEST_LIFE, |begins| {
            std::time::Duration::try_from(life.ends.duration_since(begins)).unwrap_or_default()
        })),
        None => Lifetime::Lasting,
    });
    let has_to_go = |credential: &Credential| match (lifetime, credential.life()) {
        (Lifetime::Lasting, None) => false,
        (Lifetime::Bound(_), Some(life)) => life.is_expiring_soon(now),
        (Lifetime::Lasting, Some(_)) | (Lifetime::Bound(_), None) => true,
    };
    let rotation = if used.as_ref().map(AppClusterAccess::credential).is_some_and(has_to_go) {
        Rotation::Now
    } else {
        request.rotation
    };
    Ok(AccountPlan {
        current: used.and_then(|access| access.check(allowed, now).ok()),
        rotation,
        before,
        grant,
        service_account,
        owner,
        shared_with,
        lifetime,
        provided: origin.access.check(allowed, now),
        engine: None,
    })
}

pub(super) fn passthrough(
    origin: &AccessOrigin,
    allowed: &AllowedHazards,
    now: Timestamp,
) -> Result<CheckedAccess, AdoptionRefusal> {
    let access = origin.access.check(allowed, now)?;
    let credential = origin.access.credential();
    if matches!(credential, Credential::Exec(_)) {
        return Err(AdoptionRefusal::new(
            "an exec plugin cannot be passed on as a credential",
            "use --auth service-account",
        ));
    }
    match credential.life() {
        Some(life) if life.ends.duration_since(now) < jiff::SignedDuration::from_hours(24) => {
            Err(AdoptionRefusal::new(
                format!(
                    "its {} expires at {}, too soon to pass it on",
                    credential.credential_type().as_str(),
                    life.ends.strftime("%Y-%m-%d %H:%M:%SZ")
                ),
                "use --auth service-account",
            ))
        }
        _ => Ok(access),
    }
}

pub(super) fn identity(
    cluster: &AppCluster,
    origin: &AccessOrigin,
    cloud: Cloud,
    request: &AdoptionRequest,
) -> Result<CloudIdentity, AdoptionRefusal> {
    let known = cluster.provisioner.as_ref().and_then(|provisioner| provisioner.identity(cloud));
    let before = cluster.registration(request.holder).and_then(|registration| match &registration.login {
        EngineLogin::Identity(identity) if identity.cloud == cloud => Some(identity.clone()),
        _ => None,
    });
    let endpoint = Some(origin.access.endpoint().clone());
    let role = request.role.clone().or_else(|| before.as_ref().and_then(|identity| identity.role.clone()));
    let identified = known.or_else(|| before.filter(|identity| !identity.cluster.is_empty()));
    let cluster_id = match (request.holder, cloud, identified) {
        // Argo CD only needs the name, and only on AWS.
        (AccountHolder::Engine(GitOps::ArgoCd), Cloud::Gcp | Cloud::Azure, _) => String::new(),
        (AccountHolder::Engine(GitOps::ArgoCd), Cloud::Aws, Some(known)) => {
            let name = known.cluster.rsplit('/').next().unwrap_or_default();
            name.to_owned()
        }
        (_, _, Some(known)) => known.cluster,
        (_, _, None) => {
            return Err(AdoptionRefusal::new(
                format!(
                    "the name of the cluster in {} is unknown: no resource in the core cluster has it",
                    cloud.as_str()
                ),
                "adopt it from the cluster that has its managed resource, or use --auth service-account",
            ));
        }
    };
    Ok(CloudIdentity { cloud, cluster: cluster_id, role, endpoint })
}
