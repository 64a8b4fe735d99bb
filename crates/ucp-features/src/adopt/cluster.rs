//! App clusters as the core cluster knows them.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use crate::adopt::access::{AllowedHazards, AppClusterAccess, CheckedAccess, ClusterEndpoint, Obstacle, same_server};
use crate::adopt::candidate::AccessCandidate;
use crate::adopt::holder::AccountHolder;
use crate::adopt::provisioner::Provisioner;
use crate::adopt::registration::Registration;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::metadata::Metadata;
use ucp_core::model::selector::LabelSelector;
use ucp_core::model::variant_words::variant_words;

/// One app cluster, with its provisioner, credentials, and registrations.
#[derive(Debug, Clone)]
pub struct AppCluster {
    /// Name of its registration, or else of its managed resource, or else of its Secret.
    pub name: String,
    /// The object that created it.
    pub provisioner: Option<Provisioner>,
    /// The Secrets with access to it, the one nearest to the cluster first, copies after it.
    pub candidates: Vec<AccessCandidate>,
    /// Its registrations with engines.
    pub registrations: Vec<Registration>,
    /// Its registration with `kubectl ucp secrets`.
    pub distributor: Option<Registration>,
    /// Its state.
    pub state: State,
    /// The reason for the state.
    pub reason: Option<String>,
}

impl AppCluster {
    /// All names of the cluster: its own, those of its registrations, and that of its provisioner.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let registrations = self.registrations.iter().map(|registration| registration.name.as_str());
        let provisioner = self.provisioner.iter().map(|provisioner| provisioner.object.name.as_str());
        [self.name.as_str()].into_iter().chain(registrations).chain(provisioner)
    }

    /// The Secret from which its access is taken.
    pub fn candidate(&self) -> Option<&AccessCandidate> {
        self.candidates.first()
    }

    /// The access that its provisioner wrote.
    pub fn access(&self) -> Option<&AppClusterAccess> {
        self.candidate().and_then(|candidate| candidate.access.as_ref().ok())
    }

    /// URL of its API server, as registered, or else as provisioned.
    pub fn server(&self) -> Option<String> {
        let registered = self.all_registrations().find_map(|registration| registration.server.clone());
        let provided = || self.access().map(|access| access.endpoint().server.clone());
        registered.or_else(provided).or_else(|| {
            let endpoint = self.provisioner.as_ref()?.endpoint.as_deref()?;
            Some(if endpoint.contains("://") { endpoint.to_owned() } else { format!("https://{endpoint}") })
        })
    }

    /// Returns true if the labels of its Secrets and registrations together match a selector.
    pub fn has_labels(&self, selector: &LabelSelector) -> bool {
        let registered = self.registrations.iter().map(|registration| &registration.metadata);
        let provided = self.candidates.iter().map(|candidate| &candidate.metadata);
        let labels = provided.chain(registered).flat_map(|metadata| metadata.labels.iter()).collect();
        selector.matches(&Metadata { labels, ..Metadata::default() })
    }

    /// Its registration for a holder; one that kubectl ucp created takes precedence.
    pub fn registration(&self, holder: AccountHolder) -> Option<&Registration> {
        let mut for_them = self.all_registrations().filter(|registration| registration.holder == holder);
        let first = for_them.clone().next();
        for_them.find(|registration| registration.record.is_some()).or(first)
    }

    /// Its registrations with engines, and the one with `kubectl ucp secrets`.
    pub fn all_registrations(&self) -> impl Iterator<Item = &Registration> + Clone {
        self.registrations.iter().chain(&self.distributor)
    }

    /// Returns true if `endpoint` is the one that its provisioner wrote, since a registration may be outdated or
    /// forged. Without access from a provisioner, the endpoints of its registrations are accepted.
    pub fn is_at(&self, endpoint: &ClusterEndpoint) -> bool {
        self.access().is_none_or(|provided| {
            let provided = provided.endpoint();
            same_server(&provided.server, &endpoint.server) || endpoint.has_identity_of(provided)
        })
    }

    /// The registration that defines its endpoint: one that kubectl ucp created for `holder`, or else for any holder.
    pub fn registered(&self, holder: AccountHolder) -> Option<&Registration> {
        let is_ours = |registration: &&Registration| registration.record.is_some();
        let known = self.registration(holder).filter(is_ours);
        known.or_else(|| self.all_registrations().find(is_ours))
    }

    /// The hazards that the flags allow, and those that were allowed when it was registered with exactly this endpoint.
    pub fn allowed_at(&self, endpoint: &ClusterEndpoint, flags: &AllowedHazards) -> AllowedHazards {
        let registrations = self.all_registrations();
        registrations.fold(flags.clone(), |allowed, registration| registration.allowed_at(endpoint, &allowed))
    }

    /// Checks that nothing prevents the use of `access` to this cluster.
    ///
    /// # Errors
    /// Returns the first [`Obstacle`].
    pub fn check(
        &self,
        access: &AppClusterAccess,
        flags: &AllowedHazards,
        now: Timestamp,
    ) -> Result<CheckedAccess, Obstacle> {
        access.check(&self.allowed_at(access.endpoint(), flags), now)
    }

    /// The engine to which kubectl ucp granted all rights in this cluster, and its access, if valid for `endpoint`.
    pub fn engine_with_all_rights(&self, endpoint: &ClusterEndpoint) -> Option<(GitOps, AppClusterAccess)> {
        self.registrations.iter().find_map(|registration| {
            let account = registration.record.as_ref()?.account.as_ref()?;
            let access = registration.access()?.for_endpoint(endpoint)?;
            account.grant.is_everything().then_some((registration.holder.engine()?, access))
        })
    }

    /// A cluster of which only the name is known.
    pub fn unknown(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::empty() }
    }

    pub(crate) fn empty() -> Self {
        Self {
            name: String::new(),
            provisioner: None,
            candidates: Vec::new(),
            registrations: Vec::new(),
            distributor: None,
            state: State::Adoptable,
            reason: None,
        }
    }
}

/// State of an app cluster, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Two registrations for one server, or one name on two servers: it is undefined which one takes effect.
    Duplicated,
    /// A request to it failed.
    Unreachable,
    /// Its registration is outdated.
    Stale,
    /// It is not registered, and too little is known to register it.
    Unusable,
    /// Unknown, because Secrets were not read: those of other namespaces, or of a snapshot without them.
    Unknown,
    /// It is not registered, but can be.
    Adoptable,
    /// It is registered.
    Adopted,
}

variant_words!(State {
    Duplicated = "duplicated", Unreachable = "unreachable", Stale = "stale", Unusable = "unusable",
    Unknown = "unknown", Adoptable = "adoptable", Adopted = "adopted",
});

/// A cluster's response to a version request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionResponse {
    /// `gitVersion` of the response.
    pub version: String,
    /// Time until the response.
    pub latency: Duration,
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD as BASE64;
    use serde_json::json;

    use super::*;
    use crate::adopt::kubeconfig::tests::kubeconfig;

    #[test]
    fn a_registration_with_another_endpoint_is_not_used_for_access() {
        let pem = |der: &str| BASE64.encode(format!("-----BEGIN CERTIFICATE-----\n{der}\n-----END CERTIFICATE-----\n"));
        let access = |server: &str, authority: &str| {
            let text = kubeconfig(server, json!({"certificate-authority-data": pem(authority)}), json!({"token": "t"}));
            AppClusterAccess::from_kubeconfig(&text, None).unwrap()
        };
        let (mine, other) = ("bWluZQ==", "b3RoZXI=");
        let candidate = AccessCandidate {
            source: "a/prod/kubeconfig".parse().unwrap(),
            metadata: Metadata::default(),
            name: "prod".to_owned(),
            provisioner: None,
            access: Ok(access("https://prod", mine)),
        };
        let cluster = AppCluster { candidates: vec![candidate], ..AppCluster::empty() };
        assert!(cluster.is_at(access("https://prod:443/", other).endpoint()));
        let moved = access("https://moved", mine).endpoint().with_identity_of(access("https://prod", mine).endpoint());
        assert!(cluster.is_at(&moved.unwrap()), "its server must prove the same");
        assert!(!cluster.is_at(access("https://node", mine).endpoint()), "the same authority signs for every node");
        assert!(!cluster.is_at(access("https://evil", other).endpoint()));
        assert!(AppCluster::empty().is_at(access("https://anywhere", other).endpoint()));
    }
}
