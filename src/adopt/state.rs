//! How an app cluster is doing, from what the core cluster knows of it.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use crate::adopt::access::Allowed;
use crate::adopt::inventory::AppCluster;
use crate::adopt::record::Auth;
use crate::adopt::registration::Registration;
use crate::model::git_ops::GitOps;
use crate::model::server::canonical;

/// How an app cluster is doing, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Two registrations for one server, or one name on two servers: which one counts is chance.
    Duplicated,
    /// A request to it failed.
    Unreachable,
    /// Its registration no longer fits it.
    Stale,
    /// It is not registered, and what is known of it is not enough to do so.
    Unusable,
    /// It is not registered, and can be.
    Adoptable,
    /// It is registered.
    Adopted,
}

impl State {
    /// The word for it in output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Duplicated => "duplicated",
            Self::Unreachable => "unreachable",
            Self::Stale => "stale",
            Self::Unusable => "unusable",
            Self::Adoptable => "adoptable",
            Self::Adopted => "adopted",
        }
    }
}

/// What a cluster answered when it was asked for its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// `gitVersion`.
    pub version: String,
    /// How long the answer took.
    pub latency: Duration,
}

/// Fills in the state of every cluster.
pub(crate) fn judge(clusters: &mut [AppCluster], allowed: &Allowed, now: Timestamp) {
    let doubles = names_on_two_servers(clusters);
    for cluster in clusters {
        let (state, reason) = duplicated(cluster, &doubles)
            .map(|reason| (State::Duplicated, Some(reason)))
            .or_else(|| stale(cluster, now).map(|reason| (State::Stale, Some(reason))))
            .unwrap_or_else(|| match cluster.registrations.is_empty() {
                true => unregistered(cluster, allowed, now),
                false => (State::Adopted, None),
            });
        cluster.state = state;
        cluster.reason = reason;
    }
}

fn unregistered(cluster: &AppCluster, allowed: &Allowed, now: Timestamp) -> (State, Option<String>) {
    let reason = match cluster.candidate() {
        None => {
            Some(match cluster.provisioner.as_ref().and_then(|provisioner| provisioner.connection_secret.as_ref()) {
                Some(secret) => format!("its connection Secret {secret} is not there, or may not be read"),
                None => "no connection Secret: its resource has no spec.writeConnectionSecretToRef".to_owned(),
            })
        }
        Some(candidate) => match &candidate.access {
            Err(reason) => Some(reason.clone()),
            Ok(access) => access.obstacle(allowed, now).map(|obstacle| obstacle.to_string()),
        },
    };
    (if reason.is_some() { State::Unusable } else { State::Adoptable }, reason)
}

/// Why a cluster's registration no longer fits.
fn stale(cluster: &AppCluster, now: Timestamp) -> Option<String> {
    cluster.registrations.iter().find_map(|registration| {
        let title = registration.engine.title();
        outdated(registration, cluster).or_else(|| {
            let life = registration.access()?.credential.life()?;
            let end = life.ends.strftime("%Y-%m-%d %H:%M:%SZ");
            if life.ends <= now {
                Some(format!("the credential that {title} uses expired at {end}"))
            } else if life.is_nearly_over(now) && is_renewed_by_us(registration) {
                Some(format!("the credential that {title} uses expires at {end}"))
            } else {
                None
            }
        })
    })
}

/// A registration of somebody else's, or the provisioner's own Secret, has its own renewal.
fn is_renewed_by_us(registration: &Registration) -> bool {
    registration.record.is_some()
}

/// In which way a registration differs from what its cluster's Secret says now.
pub(crate) fn outdated(registration: &Registration, cluster: &AppCluster) -> Option<String> {
    let record = registration.record.as_ref()?;
    let access = cluster.access()?;
    if let (Some(server), true) = (&registration.server, record.source.is_some())
        && canonical(server) != canonical(&access.endpoint.server)
    {
        return Some(format!("the server moved from {server} to {}", access.endpoint.server));
    }
    if record.source.is_some() && record.version != access.endpoint.version() {
        return Some("the source Secret changed: its certificate authority or the way there is another".to_owned());
    }
    match (record.auth, registration.access()) {
        (Auth::Passthrough, Some(used)) if !used.credential.is_same_as(&access.credential) => {
            Some("the source Secret changed: its credential is another".to_owned())
        }
        _ => None,
    }
}

/// Names that one engine knows for more than one server.
fn names_on_two_servers(clusters: &[AppCluster]) -> BTreeMap<(GitOps, String), Vec<String>> {
    let mut servers: BTreeMap<(GitOps, String), Vec<String>> = BTreeMap::new();
    for registration in clusters.iter().flat_map(|cluster| &cluster.registrations) {
        // Flux goes by Secrets, so two of one name in two namespaces are no trouble.
        if let (GitOps::ArgoCd, Some(server)) = (registration.engine, &registration.server) {
            let known = servers.entry((registration.engine, registration.name.clone())).or_default();
            let server = canonical(server);
            if !known.contains(&server) {
                known.push(server);
            }
        }
    }
    servers.retain(|_, servers| servers.len() > 1);
    servers.values_mut().for_each(|servers| servers.sort());
    servers
}

fn duplicated(cluster: &AppCluster, doubles: &BTreeMap<(GitOps, String), Vec<String>>) -> Option<String> {
    let of_argocd: Vec<&Registration> =
        cluster.registrations.iter().filter(|registration| registration.engine == GitOps::ArgoCd).collect();
    for (index, one) in of_argocd.iter().enumerate() {
        let server = one.server.as_deref().map(canonical);
        let twin = of_argocd[index + 1..].iter().find(|other| other.server.as_deref().map(canonical) == server);
        if let Some(other) = twin {
            return Some(format!(
                "two registrations for one server: Secrets {} and {}",
                one.object.name, other.object.name
            ));
        }
    }
    of_argocd.iter().find_map(|registration| {
        let servers = doubles.get(&(registration.engine, registration.name.clone()))?;
        Some(format!("one name on {} servers: {}", servers.len(), servers.join(", ")))
    })
}
