//! Determines the states of app clusters from the objects in the core cluster.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::adopt::access::AllowedHazards;
use crate::adopt::cluster::{AppCluster, State};
use crate::adopt::holder::AccountHolder;
use crate::adopt::record::Auth;
use crate::adopt::registration::{EngineLogin, Registration};
use ucp_core::failure::FailureClass;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::server::canonical_url;

/// The namespaces whose Secrets were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SecretsRead {
    /// All namespaces.
    Everywhere,
    /// Only these namespaces.
    In(BTreeSet<String>),
    /// No namespace.
    Nowhere,
}

impl SecretsRead {
    /// Returns true if Secrets of a namespace were read.
    fn covers(&self, namespace: &str) -> bool {
        match self {
            Self::Everywhere => true,
            Self::In(namespaces) => namespaces.contains(namespace),
            Self::Nowhere => false,
        }
    }
}

/// The namespaces of which the Secrets that determine clusters were read.
#[derive(Debug, Clone)]
pub(crate) struct SecretCoverage {
    /// Secrets with access to clusters.
    pub(crate) candidates: SecretsRead,
    /// Secrets that are registrations.
    pub(crate) registrations: SecretsRead,
    /// Namespaces with registrations, as far as engines' own objects refer to them.
    pub(crate) registered_in: BTreeSet<String>,
}

impl SecretCoverage {
    /// The reason why it is unknown if a cluster is registered; `None` if it is known.
    fn unknown_registrations(&self) -> Option<String> {
        if self.registrations == SecretsRead::Nowhere {
            return Some("whether it is registered is unknown: no Secrets were read".to_owned());
        }
        let unread = self.registered_in.iter().find(|namespace| !self.registrations.covers(namespace))?;
        Some(format!("whether it is registered is unknown: Secrets of namespace {unread} were not read"))
    }
}

/// Sets the state and reason of every cluster.
pub(crate) fn judge(clusters: &mut [AppCluster], allowed: &AllowedHazards, now: Timestamp, coverage: &SecretCoverage) {
    let doubles = names_on_two_servers(clusters);
    for cluster in clusters {
        let (state, reason) = duplicated(cluster, &doubles)
            .map(|reason| (State::Duplicated, Some(reason)))
            .or_else(|| stale(cluster, now).map(|reason| (State::Stale, Some(reason))))
            .unwrap_or_else(|| match cluster.registrations.is_empty() {
                true => unregistered(cluster, allowed, now, coverage),
                false => match unverifiable(cluster, coverage) {
                    Some(reason) => (State::Unknown, Some(reason)),
                    None => (State::Adopted, None),
                },
            });
        cluster.state = state;
        cluster.reason = reason;
    }
}

fn unregistered(
    cluster: &AppCluster,
    allowed: &AllowedHazards,
    now: Timestamp,
    coverage: &SecretCoverage,
) -> (State, Option<String>) {
    let unread = |namespace: &str| !coverage.candidates.covers(namespace);
    let missing = cluster.provisioner.as_ref().and_then(|provisioner| provisioner.connection_secret.as_ref());
    let reason = match (cluster.candidate(), missing) {
        (None, Some(secret)) if unread(&secret.namespace) => {
            return (State::Unknown, Some(format!("its connection Secret {secret} was not read")));
        }
        (None, Some(secret)) => Some(format!("its connection Secret {secret} does not exist or cannot be read")),
        (None, None) => Some("no connection Secret: its resource has no spec.writeConnectionSecretToRef".to_owned()),
        (Some(candidate), _) => match &candidate.access {
            Err(failure) if failure.is(FailureClass::Unreadable) => {
                return (State::Unknown, Some(failure.to_string()));
            }
            Err(failure) => Some(failure.to_string()),
            Ok(access) => access.obstacle(allowed, now).map(|obstacle| obstacle.to_string()),
        },
    };
    match (coverage.unknown_registrations(), reason) {
        (Some(unknown), _) => (State::Unknown, Some(unknown)),
        (None, Some(reason)) => (State::Unusable, Some(reason)),
        (None, None) => (State::Adoptable, None),
    }
}

/// The reason why it is unknown if a registration is up to date; `None` if it is known.
fn unverifiable(cluster: &AppCluster, coverage: &SecretCoverage) -> Option<String> {
    cluster.registrations.iter().find_map(|registration| {
        if let EngineLogin::Unreadable(reason) = &registration.login {
            return Some(format!("{}: {reason}", registration.object));
        }
        let source = registration.record.as_ref()?.source.as_ref()?;
        let secret = format!("its source Secret {}/{}", source.namespace, source.name);
        match cluster.candidates.iter().find(|candidate| candidate.source == *source) {
            Some(candidate) if candidate.access.as_ref().is_err_and(|failure| failure.is(FailureClass::Unreadable)) => {
                Some(format!("{secret} is redacted or not text"))
            }
            None if !coverage.candidates.covers(&source.namespace) => Some(format!("{secret} was not read")),
            _ => None,
        }
    })
}

/// The reason why a cluster's registration is outdated, if it is.
fn stale(cluster: &AppCluster, now: Timestamp) -> Option<String> {
    cluster.all_registrations().find_map(|registration| {
        let title = registration.holder.title();
        outdated(registration, cluster).or_else(|| {
            let life = registration.access()?.credential().life()?;
            let end = life.ends.strftime("%Y-%m-%d %H:%M:%SZ");
            if life.ends <= now {
                Some(format!("the credential that {title} uses expired at {end}"))
            } else if life.is_expiring_soon(now) && is_renewed_by_us(registration) {
                Some(format!("the credential that {title} uses expires at {end}"))
            } else {
                None
            }
        })
    })
}

/// Returns true if kubectl ucp renews the credential. Those of provisioners and other tools are renewed by these.
fn is_renewed_by_us(registration: &Registration) -> bool {
    registration.record.is_some()
}

/// The difference between a registration and its cluster's Secret, if any.
pub(crate) fn outdated(registration: &Registration, cluster: &AppCluster) -> Option<String> {
    let record = registration.record.as_ref()?;
    let access = cluster.access()?;
    if let (Some(server), true) = (&registration.server, record.source.is_some())
        && canonical_url(server) != canonical_url(&access.endpoint().server)
    {
        return Some(format!("the server moved from {server} to {}", access.endpoint().server));
    }
    if record.source.is_some() && record.version != access.endpoint().version() {
        return Some(
            "the source Secret changed: it has another certificate authority, server name or proxy".to_owned(),
        );
    }
    match (record.auth, registration.access()) {
        (Auth::Passthrough, Some(used)) if !used.credential().is_same_as(access.credential()) => {
            Some("the source Secret changed: it has another credential".to_owned())
        }
        _ => None,
    }
}

/// Names that Argo CD has registered for more than one server.
fn names_on_two_servers(clusters: &[AppCluster]) -> BTreeMap<(AccountHolder, String), Vec<String>> {
    let mut servers: BTreeMap<(AccountHolder, String), Vec<String>> = BTreeMap::new();
    for registration in clusters.iter().flat_map(|cluster| &cluster.registrations) {
        // Flux identifies clusters by Secrets, so names may be the same in two namespaces.
        if let (AccountHolder::Engine(GitOps::ArgoCd), Some(server)) = (registration.holder, &registration.server) {
            let known = servers.entry((registration.holder, registration.name.clone())).or_default();
            let server = canonical_url(server);
            if !known.contains(&server) {
                known.push(server);
            }
        }
    }
    servers.retain(|_, servers| servers.len() > 1);
    servers.values_mut().for_each(|servers| servers.sort());
    servers
}

fn duplicated(cluster: &AppCluster, doubles: &BTreeMap<(AccountHolder, String), Vec<String>>) -> Option<String> {
    let of_argocd: Vec<&Registration> =
        cluster.registrations.iter().filter(|registration| registration.holder == GitOps::ArgoCd).collect();
    for (index, one) in of_argocd.iter().enumerate() {
        let server = one.server.as_deref().map(canonical_url);
        let twin = of_argocd[index + 1..].iter().find(|other| other.server.as_deref().map(canonical_url) == server);
        if let Some(other) = twin {
            return Some(format!(
                "two registrations for one server: Secrets {} and {}",
                one.object.name, other.object.name
            ));
        }
    }
    of_argocd.iter().find_map(|registration| {
        let servers = doubles.get(&(registration.holder, registration.name.clone()))?;
        Some(format!("one name on {} servers: {}", servers.len(), servers.join(", ")))
    })
}
