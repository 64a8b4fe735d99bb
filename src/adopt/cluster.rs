//! One app cluster, as the core cluster knows it.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use crate::adopt::access::{Access, Allowed, CheckedAccess, Endpoint, Obstacle, same_server};
use crate::adopt::candidate::Candidate;
use crate::adopt::holder::Holder;
use crate::adopt::provisioner::Provisioner;
use crate::adopt::registration::Registration;
use crate::model::git_ops::GitOps;
use crate::model::metadata::Metadata;
use crate::model::selector::LabelSelector;

/// One app cluster.
#[derive(Debug, Clone)]
pub struct AppCluster {
    /// Its registration's name, else its managed resource's, else its Secret's.
    pub name: String,
    /// What made it.
    pub provisioner: Option<Provisioner>,
    /// The Secret with the way in, the nearest to the cluster first, copies after it.
    pub candidates: Vec<Candidate>,
    /// The engines that it is registered with.
    pub registrations: Vec<Registration>,
    /// Its registration with `kubectl ucp secrets`.
    pub distributor: Option<Registration>,
    /// How it is doing.
    pub state: State,
    /// Why.
    pub reason: Option<String>,
}

impl AppCluster {
    /// What anybody calls it: itself, its registrations, what made it.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let registrations = self.registrations.iter().map(|registration| registration.name.as_str());
        let provisioner = self.provisioner.iter().map(|provisioner| provisioner.object.name.as_str());
        [self.name.as_str()].into_iter().chain(registrations).chain(provisioner)
    }

    /// The Secret that its way in is taken from.
    pub fn candidate(&self) -> Option<&Candidate> {
        self.candidates.first()
    }

    /// The way in that its provisioner left.
    pub fn access(&self) -> Option<&Access> {
        self.candidate().and_then(|candidate| candidate.access.as_ref().ok())
    }

    /// URL of its API server: as registered, else as provisioned.
    pub fn server(&self) -> Option<String> {
        let registered = self.all_registrations().find_map(|registration| registration.server.clone());
        let provided = || self.access().map(|access| access.endpoint().server.clone());
        registered.or_else(provided).or_else(|| {
            let endpoint = self.provisioner.as_ref()?.endpoint.as_deref()?;
            Some(if endpoint.contains("://") { endpoint.to_owned() } else { format!("https://{endpoint}") })
        })
    }

    /// Whether its Secrets and registrations together have some labels.
    pub fn has_labels(&self, selector: &LabelSelector) -> bool {
        let registered = self.registrations.iter().map(|registration| &registration.metadata);
        let provided = self.candidates.iter().map(|candidate| &candidate.metadata);
        let labels = provided.chain(registered).flat_map(|metadata| metadata.labels.iter()).collect();
        selector.matches(&Metadata { labels, ..Metadata::default() })
    }

    /// Its registration for somebody, ours if there are more.
    pub fn registration(&self, holder: Holder) -> Option<&Registration> {
        let mut for_them = self.all_registrations().filter(|registration| registration.holder == holder);
        let first = for_them.clone().next();
        for_them.find(|registration| registration.record.is_some()).or(first)
    }

    /// Its registrations with engines, and the one with `kubectl ucp secrets`.
    pub fn all_registrations(&self) -> impl Iterator<Item = &Registration> + Clone {
        self.registrations.iter().chain(&self.distributor)
    }

    /// Whether an endpoint is where its provisioner left it: a registration may have been left behind, or made up. What has no
    /// way in of its provisioner is where its registrations say.
    pub fn is_at(&self, endpoint: &Endpoint) -> bool {
        self.access().is_none_or(|provided| {
            let provided = provided.endpoint();
            same_server(&provided.server, &endpoint.server) || endpoint.has_identity_of(provided)
        })
    }

    /// The registration by which its endpoint is known: ours for somebody, else ours for anybody.
    pub fn registered(&self, holder: Holder) -> Option<&Registration> {
        let is_ours = |registration: &&Registration| registration.record.is_some();
        let known = self.registration(holder).filter(is_ours);
        known.or_else(|| self.all_registrations().find(is_ours))
    }

    /// What flags allow, and what was allowed when it was registered at this very endpoint.
    pub fn allowed_at(&self, endpoint: &Endpoint, flags: &Allowed) -> Allowed {
        let registrations = self.all_registrations();
        registrations.fold(flags.clone(), |allowed, registration| registration.allowed_at(endpoint, &allowed))
    }

    /// Makes sure that nothing stands in the way of a way into it.
    ///
    /// # Errors
    /// The first thing that does.
    pub fn check(&self, access: &Access, flags: &Allowed, now: Timestamp) -> Result<CheckedAccess, Obstacle> {
        access.check(&self.allowed_at(access.endpoint(), flags), now)
    }

    /// The way in of an engine to which we granted everything there, where it is good for an endpoint.
    pub fn engine_with_all_rights(&self, endpoint: &Endpoint) -> Option<(GitOps, Access)> {
        self.registrations.iter().find_map(|registration| {
            let account = registration.record.as_ref()?.account.as_ref()?;
            let access = registration.access()?.at(endpoint)?;
            account.grant.is_everything().then_some((registration.holder.engine()?, access))
        })
    }

    /// A cluster of which the core cluster knows nothing.
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

/// How an app cluster is doing, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
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
    /// What would tell was not read: Secrets of other namespaces, or of a snapshot without them.
    Unknown,
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
            Self::Unknown => "unknown",
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

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD as BASE64;
    use serde_json::json;

    use super::*;
    use crate::adopt::kubeconfig::tests::kubeconfig;

    #[test]
    fn a_registration_that_leads_elsewhere_is_no_way_in() {
        let pem = |der: &str| BASE64.encode(format!("-----BEGIN CERTIFICATE-----\n{der}\n-----END CERTIFICATE-----\n"));
        let access = |server: &str, authority: &str| {
            let text = kubeconfig(server, json!({"certificate-authority-data": pem(authority)}), json!({"token": "t"}));
            Access::from_kubeconfig(&text, None).unwrap()
        };
        let (mine, other) = ("bWluZQ==", "b3RoZXI=");
        let candidate = Candidate {
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
