//! What becomes of Secrets: which exist nowhere else, which a person has to bring, which a controller gets again.

use std::collections::{BTreeMap, BTreeSet};

use super::origin::{Origin, Origins};
use super::{Concern, Outcome};
use crate::adopt::names::Namespaced;
use crate::adopt::{argocd, distributor};
use crate::bootstrap::demand::{Demand, generated, references};
use crate::bootstrap::desire::Desire;
use crate::distribution::source::Sources;
use crate::engine::crossplane::{Role, role};
use crate::model::apply::FIELD_MANAGER;
use crate::model::body::Body;
use crate::model::object::ObjectKey;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// Types of Secrets that whatever uses them makes anew.
const MADE_ANEW: [&str; 3] =
    ["kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token", "helm.sh/release.v1"];
/// Words in the keys of what a provider is told only once.
const TOLD_ONCE: [&str; 5] = ["password", "secret", "token", "private", "credential"];
/// The label of sealed-secrets on its keys.
const SEALING_KEY: &str = "sealedsecrets.bitnami.com/sealed-secrets-key";
/// The label of Terraform's Kubernetes backend on its state.
const TERRAFORM_STATE: &str = "tfstate";

/// What is to be said of Secrets.
pub(super) fn concerns(
    state: &ClusterState,
    origins: &Origins<'_>,
    desire: &Desire,
    sources: &Sources,
) -> Vec<Concern> {
    let by_key: BTreeMap<ObjectKey, &Resource> =
        state.resources.iter().map(|resource| (resource.key(), resource)).collect();
    let passwords = state.resources.iter().filter_map(|resource| Some((resource, resource.whole.as_deref()?)));
    let made_up: BTreeMap<Namespaced, &Resource> = passwords
        .flat_map(|(resource, object)| generated(object).into_iter().map(move |secret| (secret, resource)))
        .collect();
    let view = View { origins, sources, by_key, made_up };
    let asked: BTreeSet<&Namespaced> = desire.demands.iter().map(|demand| &demand.secret).collect();
    let mut found: Vec<Concern> = desire.demands.iter().map(demanded).collect();
    for resource in state.resources.iter().filter(|one| one.kind.group.is_empty() && one.kind.kind == "Secret") {
        let Some(namespace) = resource.metadata.namespace.clone() else { continue };
        let key = Namespaced { namespace, name: resource.metadata.name.clone() };
        if !asked.contains(&key) {
            found.extend(view.concern(resource, &key));
        }
    }
    found
}

fn demanded(demand: &Demand) -> Concern {
    let by: Vec<String> = demand.by.iter().map(|by| by.kind_and_name()).collect();
    let needed = if by.is_empty() { String::new() } else { format!("; {} needs it", by.join(", ")) };
    Concern {
        outcome: Outcome::Asked,
        object: demand.secret.secret(),
        external: None,
        reason: format!("bootstrap asks for it: its values are not in Git{needed}"),
        remedy: Some("keep its values where they can be found on that day".to_owned()),
    }
}

struct View<'a> {
    origins: &'a Origins<'a>,
    sources: &'a Sources,
    by_key: BTreeMap<ObjectKey, &'a Resource>,
    /// Secrets with passwords that a provider made up, and for what.
    made_up: BTreeMap<Namespaced, &'a Resource>,
}

impl View<'_> {
    fn concern(&self, resource: &Resource, key: &Namespaced) -> Option<Concern> {
        let Body::Secret(secret) = &resource.body else { return None };
        if MADE_ANEW.contains(&secret.kind.as_str()) {
            return None;
        }
        if let Some(of) = self.made_up.get(key) {
            let reason =
                format!("{} made this password up: another one is made up and set outside", of.name().kind_and_name());
            return Some(
                Concern::of(resource, Outcome::Lost, reason)
                    .remedy("keep a copy, as External Secrets' PushSecret does"),
            );
        }
        let written = self.sources.get(key).and_then(|source| source.writer.as_ref());
        let writer = written.and_then(|writer| self.by_key.get(&ObjectKey::from(writer)));
        if let Some(writer) = writer.filter(|writer| is_of_crossplane(writer)) {
            return self.connection(resource, writer);
        }
        if !matches!(self.origins.origin(resource), Origin::Nowhere) {
            return None;
        }
        self.of_nobody(resource)
    }

    /// What a provider told of something outside.
    fn connection(&self, resource: &Resource, writer: &Resource) -> Option<Concern> {
        let Body::Secret(secret) = &resource.body else { return None };
        let name = writer.name().kind_and_name();
        // What does not come back itself is told already.
        if matches!(self.origins.origin(writer), Origin::Nowhere) {
            return None;
        }
        if secret.keys.contains("kubeconfig") {
            let reason = format!("{name} fetches it again as soon as it is observed");
            return Some(Concern::of(resource, Outcome::Fetched, reason));
        }
        let is_told_once = |key: &&String| TOLD_ONCE.iter().any(|word| key.to_ascii_lowercase().contains(word));
        let keys: Vec<&str> = secret.keys.iter().filter(is_told_once).map(String::as_str).collect();
        // A password that it is given comes from where it is kept.
        let is_given = writer.whole.as_deref().is_some_and(|object| !references(object).is_empty());
        // A claim passes on what its managed resources were told.
        let is_passed_on = role(&writer.kind) != Some(Role::Managed);
        (!keys.is_empty() && !is_given && !is_passed_on).then(|| {
            let reason =
                format!("{name} was given {} once, when it was made, and cannot read that again", keys.join(", "));
            Concern::of(resource, Outcome::Lost, reason)
                .remedy("keep a copy; an app cluster may hold one: 'kubectl ucp secrets' shows where")
        })
    }

    /// A Secret that nothing in Git brings.
    fn of_nobody(&self, resource: &Resource) -> Option<Concern> {
        let metadata = &resource.metadata;
        let ask = "'bootstrap: {secrets: [...]}' in .ucp.yaml has bootstrap ask for it";
        if metadata.label(SEALING_KEY).is_some() {
            let is_needed = self.origins.declares_any("bitnami.com", "SealedSecret");
            return is_needed.then(|| {
                Concern::of(resource, Outcome::Lost, "without this key nobody can open the SealedSecrets in Git")
                    .remedy("keep a copy of the key outside, and restore it before sealed-secrets starts")
            });
        }
        if metadata.label(TERRAFORM_STATE) == Some("true") {
            let reason = "Terraform keeps its state here alone: without it, everything is made a second time";
            return Some(Concern::of(resource, Outcome::Lost, reason).remedy("keep the state in a backend outside"));
        }
        match metadata.label(argocd::LABEL.0) {
            Some("cluster") => return self.registration(resource),
            Some(kind) => {
                let reason = format!("Argo CD reads a {kind} with it, and nothing in Git declares it");
                return Some(Concern::of(resource, Outcome::Asked, reason).remedy(ask));
            }
            None => {}
        }
        is_written_by_hand(resource).then(|| {
            Concern::of(resource, Outcome::Lost, "a person made it, and nothing in Git declares it")
                .remedy(format!("declare it in Git, encrypted; or {ask}"))
        })
    }

    fn registration(&self, resource: &Resource) -> Option<Concern> {
        let registration = argocd::read(resource)?;
        if registration.server.as_deref() == Some(argocd::IN_CLUSTER) {
            return None;
        }
        if registration.record.is_some() || resource.metadata.label(distributor::LABEL.0).is_some() {
            return Some(Concern::of(resource, Outcome::Fetched, "adopt-cluster registers the app cluster again"));
        }
        let reason =
            format!("app cluster {} was registered by hand: its credentials are in no repository", registration.name);
        Some(
            Concern::of(resource, Outcome::Asked, reason)
                .remedy("register it with 'kubectl ucp adopt-cluster', which does so again"),
        )
    }
}

fn is_of_crossplane(resource: &Resource) -> bool {
    matches!(role(&resource.kind), Some(Role::Managed | Role::Composite | Role::Claim))
}

/// Whether people wrote all of its values, with kubectl.
fn is_written_by_hand(resource: &Resource) -> bool {
    let entries = resource.whole.as_deref().and_then(|whole| whole.pointer("/metadata/managedFields")?.as_array());
    let mut writers = entries.into_iter().flatten().filter(|entry| entry.pointer("/fieldsV1/f:data").is_some());
    let is_person = |entry: &serde_json::Value| {
        entry["manager"].as_str().is_some_and(|manager| manager.starts_with("kubectl") && manager != FIELD_MANAGER)
    };
    writers.clone().next().is_some() && writers.all(is_person)
}
