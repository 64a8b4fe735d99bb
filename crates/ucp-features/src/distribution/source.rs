//! Secrets of the core cluster that app clusters may need: those written by Crossplane, and those with declared copies.

use std::collections::{BTreeMap, BTreeSet};

use super::credentials::{CredentialUses, credentials_of};
use super::fingerprint::Fingerprinter;
use super::guarded::guarded_namespaces;
use super::intent;
use super::secret::SecretFacts;
use crate::adopt::candidate::CONNECTION;
use crate::adopt::homes::EngineNamespaces;
use crate::adopt::names::NamespacedName;
use crate::adopt::provisioner::Provisioner;
use ucp_core::engine::crossplane::COMPOSITE_LABEL;
use ucp_core::model::body::Body;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// Secret of the core cluster.
#[derive(Debug, Clone)]
pub struct SourceSecret {
    /// The Secret; `None` if an object declares that it writes the Secret, and it does not exist.
    pub facts: Option<SecretFacts>,
    /// Managed resource, claim, or composite that wrote or should write the Secret.
    pub writer: Option<ObjectName>,
}

/// All Secrets that may be copied.
#[derive(Debug, Default)]
pub struct SourceSecrets {
    /// Secrets that were read, and those that should exist.
    all: BTreeMap<NamespacedName, SourceSecret>,
    /// Secrets that Crossplane writes, by name: the candidates for a use in an app cluster.
    connections: BTreeMap<String, Vec<NamespacedName>>,
    /// All other Secrets, by name.
    others: BTreeMap<String, Vec<NamespacedName>>,
    /// Credentials with their provider configs.
    credentials: BTreeMap<NamespacedName, ObjectName>,
    /// Secrets with which declarers access app clusters.
    ways: BTreeSet<NamespacedName>,
    /// Secrets with which engines and operators authenticate.
    uses: CredentialUses,
    /// Namespaces whose Secrets are never copied.
    guarded: BTreeSet<String>,
    /// Reason why not all Secrets were read.
    gap: Option<String>,
    /// Secrets that were requested by name and could not be read, by `secret/NAME -n NAMESPACE`.
    denied: BTreeMap<String, String>,
}

impl SourceSecrets {
    /// Collects the Secrets of a core cluster.
    pub fn from_state(state: &ClusterState, homes: &EngineNamespaces, comparer: &Fingerprinter) -> Self {
        let mut sources = Self::default();
        for resource in state.resources.iter().filter(|resource| is_secret(resource)) {
            let Some(facts) = SecretFacts::from_resource(resource, comparer, 0) else { continue };
            let writer = writer(resource);
            let is_connection = facts.kind == CONNECTION || facts.metadata.label(COMPOSITE_LABEL).is_some();
            sources.add(facts.key.clone(), SourceSecret { facts: Some(facts), writer }, is_connection);
        }
        for resource in &state.resources {
            for key in written_by(resource) {
                match sources.all.get_mut(&key) {
                    // An owner reference does not contain the namespace.
                    Some(SourceSecret { writer: Some(writer), .. }) => {
                        if writer.kind == resource.kind.kind && writer.name == resource.metadata.name {
                            *writer = resource.name();
                        }
                    }
                    Some(known) => {
                        known.writer = Some(resource.name());
                        sources.connect(key);
                    }
                    None => sources.add(key, SourceSecret { facts: None, writer: Some(resource.name()) }, true),
                }
            }
            sources.credentials.extend(credentials_of(resource).into_iter().map(|key| (key, resource.name())));
        }
        sources.others = sources.unconnected();
        sources.ways = intent::kubeconfig_secrets(state);
        sources.uses = CredentialUses::from_state(state);
        sources.guarded = guarded_namespaces(state, homes);
        sources.gap = gap(state);
        sources.denied = state.unreadable.iter().map(|entry| (entry.what.clone(), entry.reason.clone())).collect();
        sources
    }

    fn add(&mut self, key: NamespacedName, source: SourceSecret, is_connection: bool) {
        self.all.insert(key.clone(), source);
        if is_connection {
            self.connect(key);
        }
    }

    fn connect(&mut self, key: NamespacedName) {
        let named = self.connections.entry(key.name.clone()).or_default();
        if !named.contains(&key) {
            named.push(key);
        }
    }

    /// Returns the Secrets that Crossplane does not write, by name.
    fn unconnected(&self) -> BTreeMap<String, Vec<NamespacedName>> {
        let mut others: BTreeMap<String, Vec<NamespacedName>> = BTreeMap::new();
        let is_connection = |key: &NamespacedName| self.connections.get(&key.name).is_some_and(|all| all.contains(key));
        for key in self.all.keys().filter(|key| !is_connection(key)) {
            others.entry(key.name.clone()).or_default().push(key.clone());
        }
        others
    }

    /// Returns a Secret, which may not exist yet.
    pub fn get(&self, key: &NamespacedName) -> Option<&SourceSecret> {
        self.all.get(key)
    }

    /// Returns the facts of an existing Secret.
    pub fn facts(&self, key: &NamespacedName) -> Option<&SecretFacts> {
        self.get(key)?.facts.as_ref()
    }

    /// Returns the reason why this Secret may exist although it was not read.
    pub fn gap_at(&self, key: &NamespacedName) -> Option<&str> {
        self.gap().or_else(|| self.denied.get(&key.secret().to_string()).map(String::as_str))
    }

    /// Returns the reason why any Secret may exist although it was not read.
    pub fn gap(&self) -> Option<&str> {
        self.gap.as_deref()
    }

    /// Returns the provider config that uses the Secret as its credentials.
    pub fn provider_config(&self, key: &NamespacedName) -> Option<&ObjectName> {
        self.credentials.get(key)
    }

    /// Returns the description of the Secret if it is never copied.
    pub fn protection(&self, key: &NamespacedName) -> Option<String> {
        let by_itself = self.facts(key).and_then(|facts| facts.protection).map(str::to_owned);
        let by_namespace =
            || self.guarded.contains(&key.namespace).then(|| "a Secret of the cluster's own engines".to_owned());
        let by_way = || self.ways.contains(key).then(|| "a credential for an app cluster".to_owned());
        let by_use = || {
            let user = self.uses.user(key)?;
            Some(format!("a credential that {} {} uses", user.kind, user.name))
        };
        by_itself.or_else(by_namespace).or_else(by_way).or_else(by_use)
    }

    /// Returns the credentials of provider configs with this name.
    pub fn credentials_called(&self, name: &str) -> impl Iterator<Item = (&NamespacedName, &ObjectName)> {
        self.credentials.iter().filter(move |(key, _)| key.name == name)
    }

    /// Returns true if a name without a namespace may mean a connection Secret.
    pub fn is_connection_name(&self, name: &str) -> bool {
        self.connections.contains_key(name)
    }

    /// Returns the Secrets that a name without a namespace may mean, if a connection Secret has it: connection Secrets
    /// first, including those that are still to be written, then all others. They are not ranked otherwise: anyone who can
    /// write Secrets in a namespace could reuse the name of another one, before or after that one exists.
    pub fn candidates(&self, name: &str) -> Vec<&NamespacedName> {
        let Some(connections) = self.connections.get(name) else { return Vec::new() };
        let mut found: Vec<&NamespacedName> = connections.iter().collect();
        found.sort();
        found.extend(self.others.get(name).into_iter().flatten());
        found
    }

    /// Returns the names that are relevant in an app cluster: those of connection Secrets and of credentials.
    pub fn names(&self) -> BTreeSet<&str> {
        let credentials = self.credentials.keys().map(|key| key.name.as_str());
        self.connections.keys().map(String::as_str).chain(credentials).collect()
    }

    /// Returns the names of all Secrets in a namespace.
    pub fn in_namespace<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = &'a str> {
        let there = self.all.iter().filter(move |(key, source)| key.namespace == namespace && source.facts.is_some());
        there.map(|(key, _)| key.name.as_str())
    }
}

fn is_secret(resource: &Resource) -> bool {
    resource.kind.group.is_empty() && resource.kind.kind == "Secret"
}

fn gap(state: &ClusterState) -> Option<String> {
    let denied = state.unreadable.iter().find(|entry| entry.what == "secrets");
    let is_asked = state.kinds.iter().any(|kind| kind.group.is_empty() && kind.kind == "Secret");
    match denied {
        Some(entry) => Some(entry.reason.clone()),
        None if !is_asked => Some("no Secrets of the core cluster were read".to_owned()),
        None => None,
    }
}

/// Returns the owner of a Secret: a controller, or the composite for which a function created it.
fn writer(resource: &Resource) -> Option<ObjectName> {
    let metadata = &resource.metadata;
    let owner = metadata.controller().or_else(|| metadata.owner_references.first())?;
    Some(owner.object(None))
}

/// Returns the Secrets that an object writes: from `writeConnectionSecretToRef`, or a Secret composed by a composite.
pub(super) fn written_by(resource: &Resource) -> Vec<NamespacedName> {
    let own = resource.metadata.namespace.as_deref();
    let named = |namespace: Option<&str>, name: &str| {
        let namespace = namespace.filter(|namespace| !namespace.is_empty()).or(own)?;
        Some(NamespacedName { namespace: namespace.to_owned(), name: name.to_owned() })
    };
    match &resource.body {
        Body::ProvisionedCluster(_) => {
            Provisioner::from_resource(resource).and_then(|one| one.connection_secret).into_iter().collect()
        }
        Body::Crossplane(body) => {
            let connection = body.connection_secret.as_ref();
            let composed = body.composed.iter().filter(|reference| {
                reference.kind.as_deref() == Some("Secret") && reference.api_version.as_deref() == Some("v1")
            });
            let all = connection.into_iter().chain(composed).filter(|reference| !reference.name.is_empty());
            all.filter_map(|reference| named(reference.namespace.as_deref(), &reference.name)).collect()
        }
        _ => Vec::new(),
    }
}
