//! Access to a cluster: a credential together with the endpoint it was made for. It is read from kubeconfigs and
//! registrations that other programs wrote, so nothing in them is used before it is checked.

use jiff::Timestamp;

use crate::adopt::credential::Credential;
pub use crate::adopt::endpoint::{ClusterEndpoint, Verification, same_server};
pub use crate::adopt::hazard::{AllowedHazards, Hazard, Obstacle};
use ucp_client::source::addresses::{ForbiddenAddresses, LocalAddress};

/// The endpoint of one cluster, and the credential for it. The two cannot be recombined: a connection takes a
/// [`CheckedAccess`], which is only made from this type.
#[derive(Debug, Clone)]
pub struct AppClusterAccess {
    endpoint: ClusterEndpoint,
    credential: Credential,
}

/// Access that passed every check, with nothing left that a flag would have to allow. Connections require it.
#[derive(Debug, Clone)]
pub struct CheckedAccess {
    access: AppClusterAccess,
    forbidden: ForbiddenAddresses,
}

/// Returns the addresses to which no name may lead: those that a hazard allows when they are written out.
fn forbidden_addresses(allowed: &AllowedHazards) -> ForbiddenAddresses {
    let kinds = [(Hazard::Localhost, LocalAddress::Loopback), (Hazard::LinkLocal, LocalAddress::LinkLocal)];
    kinds.into_iter().filter(|(hazard, _)| !allowed.contains(hazard)).map(|(_, address)| address).collect()
}

impl AppClusterAccess {
    /// Combines a credential with the endpoint from the same document, or with the endpoint that issued it.
    pub(in crate::adopt) fn from_document(endpoint: ClusterEndpoint, credential: Credential) -> Self {
        Self { endpoint, credential }
    }

    /// Access to an endpoint without a credential, for anonymous requests.
    pub fn without_credential(endpoint: ClusterEndpoint) -> Self {
        Self { endpoint, credential: Credential::None }
    }

    /// The endpoint of the cluster.
    pub fn endpoint(&self) -> &ClusterEndpoint {
        &self.endpoint
    }

    /// The credential, for its type, expiry, and subject.
    pub fn credential(&self) -> &Credential {
        &self.credential
    }

    /// The credential for `endpoint`, if that is the same endpoint or one whose server has to prove the same identity
    /// before anything is sent to it. `None` for every other endpoint.
    pub fn for_endpoint(&self, endpoint: &ClusterEndpoint) -> Option<Self> {
        let is_allowed = endpoint.is_same_as(&self.endpoint) || endpoint.has_identity_of(&self.endpoint);
        is_allowed.then(|| Self { endpoint: endpoint.clone(), credential: self.credential.clone() })
    }

    /// The credential for the same address, where the server has to prove the identity of the `known` endpoint instead
    /// of the one in the document. `None` if one of the two endpoints is not verified.
    pub fn with_identity_of(&self, known: &ClusterEndpoint) -> Option<Self> {
        let endpoint = self.endpoint.with_identity_of(known)?;
        Some(Self { endpoint, credential: self.credential.clone() })
    }

    /// The first obstacle to using this access.
    pub fn obstacle(&self, allowed: &AllowedHazards, now: Timestamp) -> Option<Obstacle> {
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

    /// Checks that nothing prevents the use of this access.
    ///
    /// # Errors
    /// Returns the first [`Obstacle`].
    pub fn check(&self, allowed: &AllowedHazards, now: Timestamp) -> Result<CheckedAccess, Obstacle> {
        match self.obstacle(allowed, now) {
            Some(obstacle) => Err(obstacle),
            None => Ok(CheckedAccess { access: self.clone(), forbidden: forbidden_addresses(allowed) }),
        }
    }

    /// Checks an endpoint for anonymous access, to find out if the server proves its identity.
    ///
    /// # Errors
    /// Returns the first hazard of the endpoint that no flag allows.
    pub fn check_anonymous(endpoint: &ClusterEndpoint, allowed: &AllowedHazards) -> Result<CheckedAccess, Obstacle> {
        match endpoint.obstacle(allowed) {
            Some(obstacle) => Err(obstacle),
            None => {
                let access = Self::without_credential(endpoint.clone());
                Ok(CheckedAccess { access, forbidden: forbidden_addresses(allowed) })
            }
        }
    }
}

impl CheckedAccess {
    /// The access that was checked.
    pub fn access(&self) -> &AppClusterAccess {
        &self.access
    }

    /// The addresses to which the name of the server may not lead.
    pub(in crate::adopt) fn forbidden_addresses(&self) -> &ForbiddenAddresses {
        &self.forbidden
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
    fn every_obstacle_of_a_kubeconfig_is_found() {
        let token = json!({"token": "canary"});
        let cases = [
            (kubeconfig("https://a", json!({}), json!({})), "contains no credential"),
            (kubeconfig("https://a", json!({}), json!({"exec": {"command": "aws"}})), "exec credential plugin"),
            (kubeconfig("https://a", json!({}), json!({"tokenFile": "/var/canary"})), "in a file"),
            (kubeconfig("https://a", json!({}), json!({"auth-provider": {"name": "gcp"}})), "auth-provider"),
            (kubeconfig("https://localhost:8443", json!({}), token.clone()), "localhost"),
            (kubeconfig("https://127.0.0.1:6443", json!({}), token.clone()), "localhost"),
            (kubeconfig("https://[::1]:6443", json!({}), token.clone()), "localhost"),
            (kubeconfig("http://a.example.org", json!({}), token.clone()), "clear text"),
            (kubeconfig("http://169.254.169.254/", json!({}), token.clone()), "link-local"),
            (kubeconfig("https://a", json!({"proxy-url": "http://evil"}), token.clone()), "proxy"),
            (
                kubeconfig("https://a", json!({"insecure-skip-tls-verify": true}), token.clone()),
                "skips TLS verification",
            ),
        ];
        for (text, expected) in cases {
            let access = AppClusterAccess::from_kubeconfig(&text, None).unwrap();
            let message = access.obstacle(&AllowedHazards::new(), now()).unwrap().to_string();
            assert!(message.contains(expected), "{message}");
            assert!(access.check(&AllowedHazards::new(), now()).is_err());
        }
        let fine =
            AppClusterAccess::from_kubeconfig(&kubeconfig("https://a.example.org/", json!({}), token), None).unwrap();
        assert_eq!(fine.obstacle(&AllowedHazards::new(), now()), None);
        assert_eq!(fine.endpoint().server, "https://a.example.org");
    }

    #[test]
    fn a_flag_allows_only_its_own_hazard() {
        let text = kubeconfig("http://localhost:8443", json!({"proxy-url": "http://p"}), json!({"token": "t"}));
        let access = AppClusterAccess::from_kubeconfig(&text, None).unwrap();
        let obstacle = |allowed: &[Hazard]| access.obstacle(&allowed.iter().copied().collect(), now());
        assert_eq!(obstacle(&[]), Some(Obstacle::NotAllowed(Hazard::Localhost)));
        assert_eq!(obstacle(&[Hazard::Localhost]), Some(Obstacle::NotAllowed(Hazard::Http)));
        assert_eq!(obstacle(&[Hazard::Localhost, Hazard::Http]), Some(Obstacle::NotAllowed(Hazard::Proxy)));
        assert_eq!(obstacle(&[Hazard::Localhost, Hazard::Http, Hazard::Proxy]), None);
    }

    #[test]
    fn a_credential_is_only_sent_to_its_own_endpoint() {
        let access = |server: &str, cluster| {
            AppClusterAccess::from_kubeconfig(&kubeconfig(server, cluster, json!({"token": "t"})), None).unwrap()
        };
        let mine = access("https://prod", json!({}));
        assert!(mine.for_endpoint(mine.endpoint()).is_some());
        let proven = access("https://moved", json!({"tls-server-name": "prod"}));
        assert!(mine.for_endpoint(proven.endpoint()).is_some(), "its server must prove to be the same");
        for (server, cluster) in [
            ("https://evil", json!({})),
            ("http://prod", json!({})),
            ("https://prod:8443", json!({"tls-server-name": "node-1"})),
            ("https://prod", json!({"insecure-skip-tls-verify": true})),
        ] {
            assert!(mine.for_endpoint(access(server, cluster).endpoint()).is_none(), "{server}");
        }
    }
}
