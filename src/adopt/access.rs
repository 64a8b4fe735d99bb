//! A way into a cluster: where its API server is and who asks. Read out of kubeconfigs that somebody else wrote, so
//! nothing in them is followed before it is looked at.

use std::collections::BTreeSet;
use std::fmt;

use jiff::Timestamp;
use ring::digest::{SHA256, digest};

use crate::adopt::credential::{Credential, CredentialType};
use crate::model::server::canonical;

/// How one cluster is reached, and as whom.
#[derive(Debug, Clone)]
pub struct Access {
    /// Where it is.
    pub endpoint: Endpoint,
    /// Who asks.
    pub credential: Credential,
}

/// Where a cluster's API server is, and how to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// URL, without a slash at the end.
    pub server: String,
    /// Certificates of the authority to trust, in PEM; the system's where absent.
    pub authority: Option<String>,
    /// Name to expect in the server's certificate, where it is not the URL's host.
    pub server_name: Option<String>,
    /// Whether the server's certificate is checked.
    pub verification: Verification,
    /// A proxy to go through.
    pub proxy: Option<String>,
}

/// Whether a server's certificate is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verification {
    /// It is.
    Full,
    /// Anybody may answer: `insecure-skip-tls-verify`.
    Skipped,
}

/// What in a kubeconfig from a Secret is not followed unless a flag allows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hazard {
    /// It starts a program here.
    Exec,
    /// Traffic goes where the kubeconfig's author likes.
    Proxy,
    /// Anybody may answer for the server.
    InsecureTls,
    /// `localhost` here is not `localhost` there.
    Localhost,
}

/// What the flags allow.
pub type Allowed = BTreeSet<Hazard>;

impl Hazard {
    /// The flag that allows it.
    pub const fn flag(self) -> &'static str {
        match self {
            Self::Exec => "--allow-exec",
            Self::Proxy => "--allow-proxy",
            Self::InsecureTls => "--allow-insecure",
            Self::Localhost => "--allow-localhost",
        }
    }
}

/// Why a way into a cluster can not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// It holds no credential.
    Empty,
    /// It needs something that is not there.
    Impossible(&'static str),
    /// It does what no flag allowed.
    NotAllowed(Hazard),
    /// Its credential ended.
    Expired(CredentialType, Timestamp),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("its kubeconfig holds no credential (empty user)"),
            Self::Impossible(reason) => formatter.write_str(reason),
            Self::NotAllowed(Hazard::Exec) => formatter.write_str("its kubeconfig uses an exec credential plugin"),
            Self::NotAllowed(Hazard::Proxy) => formatter.write_str("its kubeconfig uses a proxy"),
            Self::NotAllowed(Hazard::InsecureTls) => formatter.write_str("its kubeconfig skips TLS verification"),
            Self::NotAllowed(Hazard::Localhost) => {
                formatter.write_str("its server is localhost, which is not reachable from other machines")
            }
            Self::Expired(kind, moment) => {
                write!(formatter, "its {} expired at {}", kind.as_str(), moment.strftime("%Y-%m-%d %H:%M:%SZ"))
            }
        }
    }
}

impl Obstacle {
    /// What to do about it.
    pub const fn way_out(&self) -> &'static str {
        match self {
            Self::Empty => {
                "pass a credential with --bootstrap-context, or use a cloud identity with --auth gcp|aws|azure"
            }
            Self::Impossible(_) => "pass a credential with --bootstrap-context",
            Self::NotAllowed(Hazard::Localhost) => {
                "configure the provisioner to write an external address (vcluster: exportKubeConfig.server), or pass --allow-localhost in a test setup"
            }
            Self::NotAllowed(Hazard::Exec) => {
                "allow it with --allow-exec, or pass a credential with --bootstrap-context"
            }
            Self::NotAllowed(Hazard::Proxy) => "allow it with --allow-proxy",
            Self::NotAllowed(Hazard::InsecureTls) => "allow it with --allow-insecure",
            Self::Expired(..) => {
                "find out why its controller does not refresh it (kubectl ucp status), or pass a credential with --bootstrap-context"
            }
        }
    }
}

impl Access {
    /// The first thing that stands in the way of using it.
    pub fn obstacle(&self, allowed: &Allowed, now: Timestamp) -> Option<Obstacle> {
        let not_allowed = |hazard| Some(Obstacle::NotAllowed(hazard)).filter(|_| !allowed.contains(&hazard));
        let by_credential = match &self.credential {
            Credential::None => Some(Obstacle::Empty),
            Credential::File { .. } => {
                Some(Obstacle::Impossible("its credential is in a file on the machine that wrote the kubeconfig"))
            }
            Credential::AuthProvider => {
                Some(Obstacle::Impossible("its kubeconfig uses an auth-provider, which Kubernetes removed in 1.26"))
            }
            Credential::Exec(_) => not_allowed(Hazard::Exec),
            credential => credential
                .expires()
                .filter(|end| *end <= now)
                .map(|end| Obstacle::Expired(credential.credential_type(), end)),
        };
        by_credential.or_else(|| self.endpoint.obstacle(allowed))
    }
}

impl Endpoint {
    /// What stands in the way of going there, whoever asks.
    pub fn obstacle(&self, allowed: &Allowed) -> Option<Obstacle> {
        let hazards = [
            (self.is_localhost(), Hazard::Localhost),
            (self.proxy.is_some(), Hazard::Proxy),
            (self.verification == Verification::Skipped, Hazard::InsecureTls),
        ];
        hazards
            .into_iter()
            .find(|(present, hazard)| *present && !allowed.contains(hazard))
            .map(|(_, hazard)| Obstacle::NotAllowed(hazard))
    }

    /// Whether the server is the machine that asks.
    pub fn is_localhost(&self) -> bool {
        let host = host(&self.server);
        host == "localhost"
            || host.ends_with(".localhost")
            || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback() || address.is_unspecified())
    }

    /// Whether two endpoints lead to the same server and trust the same authority.
    pub fn leads_to_the_same(&self, other: &Self) -> bool {
        same_server(&self.server, &other.server)
            && self.server_name == other.server_name
            && self.verification == other.verification
            && self.proxy == other.proxy
            && self.authority.as_deref().map(str::trim) == other.authority.as_deref().map(str::trim)
    }

    /// Whether a server at the other endpoint has to prove the same as one here, so that a credential for this one may be
    /// shown to that one. Whoever may write a connection Secret could name a server of their own in it.
    pub fn vouches_for(&self, other: &Self) -> bool {
        let known = |endpoint: &Self| {
            let authority = endpoint.authority.as_deref().map(|pem| pem.trim().to_owned());
            authority.filter(|_| endpoint.verification == Verification::Full)
        };
        match (known(self), known(other)) {
            (Some(mine), Some(theirs)) => mine == theirs,
            // The system's authorities vouch for a name, and nobody for a server that is not checked.
            _ => self.leads_to_the_same(other),
        }
    }

    /// A short name for this version of the endpoint. It changes with the server, the authority and how to get there.
    pub fn version(&self) -> String {
        let text = format!(
            "{}\n{}\n{}\n{:?}\n{}",
            canonical(&self.server),
            self.authority.as_deref().unwrap_or_default().trim(),
            self.server_name.as_deref().unwrap_or_default(),
            self.verification,
            self.proxy.as_deref().unwrap_or_default(),
        );
        let digest = digest(&SHA256, text.as_bytes());
        digest.as_ref()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Whether two URLs name the same API server.
pub fn same_server(left: &str, right: &str) -> bool {
    canonical(left) == canonical(right)
}

/// The host of a URL.
fn host(server: &str) -> String {
    let canonical = canonical(server);
    let authority = canonical.split_once("://").map_or(canonical.as_str(), |(_, rest)| rest);
    let authority = authority.split('/').next().unwrap_or_default();
    match authority.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default().to_owned(),
        None => authority.split(':').next().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adopt::kubeconfig::tests::kubeconfig;
    use serde_json::json;

    fn now() -> Timestamp {
        "2026-11-21T12:00:00Z".parse().unwrap()
    }

    #[test]
    fn finds_what_stands_in_the_way() {
        let token = json!({"token": "canary"});
        let cases = [
            (kubeconfig("https://a", json!({}), json!({})), "holds no credential"),
            (kubeconfig("https://a", json!({}), json!({"exec": {"command": "aws"}})), "exec credential plugin"),
            (kubeconfig("https://a", json!({}), json!({"tokenFile": "/var/canary"})), "in a file"),
            (kubeconfig("https://a", json!({}), json!({"auth-provider": {"name": "gcp"}})), "auth-provider"),
            (kubeconfig("https://localhost:8443", json!({}), token.clone()), "localhost"),
            (kubeconfig("https://127.0.0.1:6443", json!({}), token.clone()), "localhost"),
            (kubeconfig("https://[::1]:6443", json!({}), token.clone()), "localhost"),
            (kubeconfig("https://a", json!({"proxy-url": "http://evil"}), token.clone()), "proxy"),
            (
                kubeconfig("https://a", json!({"insecure-skip-tls-verify": true}), token.clone()),
                "skips TLS verification",
            ),
        ];
        for (text, expected) in cases {
            let access = Access::from_kubeconfig(&text, None).unwrap();
            let said = access.obstacle(&Allowed::new(), now()).unwrap().to_string();
            assert!(said.contains(expected), "{said}");
        }
        let fine = Access::from_kubeconfig(&kubeconfig("https://a.example.org/", json!({}), token), None).unwrap();
        assert_eq!(fine.obstacle(&Allowed::new(), now()), None);
        assert_eq!(fine.endpoint.server, "https://a.example.org");
    }

    #[test]
    fn a_flag_allows_one_hazard_and_no_other() {
        let text = kubeconfig("https://localhost:8443", json!({"proxy-url": "http://p"}), json!({"token": "t"}));
        let access = Access::from_kubeconfig(&text, None).unwrap();
        let allowed = Allowed::from([Hazard::Localhost]);
        assert_eq!(access.obstacle(&allowed, now()), Some(Obstacle::NotAllowed(Hazard::Proxy)));
    }

    #[test]
    fn a_credential_is_shown_to_none_but_its_own_cluster() {
        let endpoint = |server: &str, authority: Option<&str>, verification| Endpoint {
            server: server.to_owned(),
            authority: authority.map(str::to_owned),
            server_name: None,
            verification,
            proxy: None,
        };
        let mine = endpoint("https://a", Some("ca"), Verification::Full);
        assert!(mine.vouches_for(&endpoint("https://b", Some("ca\n"), Verification::Full)), "it moved");
        for other in [
            endpoint("https://a", Some("another"), Verification::Full),
            endpoint("https://b", None, Verification::Full),
            endpoint("https://b", Some("ca"), Verification::Skipped),
        ] {
            assert!(!mine.vouches_for(&other), "{other:?}");
        }
        let public = endpoint("https://a", None, Verification::Full);
        assert!(public.vouches_for(&public) && !public.vouches_for(&endpoint("https://b", None, Verification::Full)));
    }

    #[test]
    fn urls_are_compared_as_what_they_name() {
        assert!(same_server("https://A.example.org:443/", "https://a.example.org"));
        assert!(same_server("34.155.201.14", "https://34.155.201.14"));
        assert!(!same_server("https://a.example.org/k8s/clusters/c-1", "https://a.example.org/k8s/clusters/c-2"));
        assert!(!same_server("https://a.example.org:6443", "https://a.example.org"));
    }
}
