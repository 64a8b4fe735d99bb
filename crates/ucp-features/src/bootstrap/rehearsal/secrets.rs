//! The outcome for Secrets: lost, provided by the user, or fetched again by a controller.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::origin::{RecoveryOrigin, RecoveryOrigins};
use super::recovery::{Recovery, RecoveryConcern, RecoveryOutcome};
use super::writers::is_written_by_users;
use crate::adopt::argocd;
use crate::adopt::names::NamespacedName;
use crate::adopt::record::AdoptionRecord;
use crate::bootstrap::demand::{RequiredSecret, generated_secrets, secret_references};
use crate::bootstrap::desire::DesiredState;
use crate::bootstrap::secret::manifest;
use crate::distribution::mark::CopyMark;
use crate::distribution::source::SourceSecrets;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::body::Body;
use ucp_core::model::body::secret::{SEALING_KEY, Secret};
use ucp_core::model::object::ObjectKey;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// Types of Secrets that their users create again.
const MADE_ANEW: [&str; 3] =
    ["kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token", "helm.sh/release.v1"];
/// Words in the keys of values that a provider receives only once.
const TOLD_ONCE: [&str; 5] = ["password", "secret", "token", "private", "credential"];
/// The label of Terraform's Kubernetes backend on its state.
const TERRAFORM_STATE: &str = "tfstate";

/// Adds the concerns about Secrets.
pub(super) fn add_concerns(
    recovery: &mut Recovery,
    state: &ClusterState,
    origins: &RecoveryOrigins<'_>,
    desire: &DesiredState,
    sources: &SourceSecrets,
) {
    let by_key: BTreeMap<ObjectKey, &Resource> =
        state.resources.iter().map(|resource| (resource.key(), resource)).collect();
    let passwords = state.resources.iter().filter_map(|resource| Some((resource, resource.whole.as_deref()?)));
    let made_up: BTreeMap<NamespacedName, &Resource> = passwords
        .flat_map(|(resource, object)| generated_secrets(object).into_iter().map(move |secret| (secret, resource)))
        .collect();
    let view = SecretAnalysis { origins, sources, by_key, made_up };
    // Values in the repository are restored from there.
    let (said, asked): (Vec<&RequiredSecret>, Vec<&RequiredSecret>) =
        desire.demands.iter().partition(|demand| demand.is_fully_configured());
    recovery.concerns.extend(asked.iter().map(|demand| demand_concern(demand)));
    let asked: BTreeSet<&NamespacedName> = asked.into_iter().map(|demand| &demand.secret).collect();
    let said: BTreeMap<&NamespacedName, &RequiredSecret> =
        said.into_iter().map(|demand| (&demand.secret, demand)).collect();
    for resource in state.resources.iter().filter(|one| one.kind.group.is_empty() && one.kind.kind == "Secret") {
        let Some(namespace) = resource.metadata.namespace.clone() else { continue };
        let key = NamespacedName { namespace, name: resource.metadata.name.clone() };
        if asked.contains(&key) {
            continue;
        }
        let said = said.get(&key).map(|demand| manifest(demand, &BTreeMap::new()));
        recovery.record(resource, view.concern(resource, &key, said.as_ref()));
    }
}

fn demand_concern(demand: &RequiredSecret) -> RecoveryConcern {
    let by: Vec<String> = demand.by.iter().map(|by| by.kind_and_name()).collect();
    let needed = if by.is_empty() { String::new() } else { format!("; {} needs it", by.join(", ")) };
    RecoveryConcern {
        outcome: RecoveryOutcome::Asked,
        object: demand.secret.secret(),
        external: None,
        reason: format!("bootstrap asks for it: its values are not in Git{needed}"),
        remedy: Some("store its values where they are available for a bootstrap".to_owned()),
    }
}

struct SecretAnalysis<'a> {
    origins: &'a RecoveryOrigins<'a>,
    sources: &'a SourceSecrets,
    by_key: BTreeMap<ObjectKey, &'a Resource>,
    /// Secrets with passwords that a provider generated, and the resources for which it did.
    made_up: BTreeMap<NamespacedName, &'a Resource>,
}

impl SecretAnalysis<'_> {
    /// `said` is the Secret that `bootstrap` creates without prompting.
    fn concern(
        &self,
        resource: &Resource,
        key: &NamespacedName,
        said: Option<&Value>,
    ) -> Result<Option<RecoveryConcern>, Failure> {
        let Body::Secret(secret) = &resource.body else { return fail!("it was not read as a Secret") };
        if MADE_ANEW.contains(&secret.kind.as_str()) {
            return Ok(None);
        }
        if let Some(of) = self.made_up.get(key) {
            let reason = format!(
                "{} generated this password: a new password would be generated and set on the external resource",
                of.name().kind_and_name()
            );
            return Ok(Some(
                RecoveryConcern::from_resource(resource, RecoveryOutcome::Lost, reason)
                    .remedy("keep a copy, as External Secrets' PushSecret does"),
            ));
        }
        let written = self.sources.get(key).and_then(|source| source.writer.as_ref());
        let writer = written.and_then(|writer| self.by_key.get(&ObjectKey::from(writer)));
        if let Some(writer) = writer.filter(|writer| is_of_crossplane(writer)) {
            return self.connection_concern(resource, secret, writer);
        }
        match (self.origins.origin(resource), said) {
            (RecoveryOrigin::Git(manifest), said) => added_keys_concern(resource, secret, &[Some(manifest), said]),
            (_, Some(said)) => added_keys_concern(resource, secret, &[Some(said)]),
            (RecoveryOrigin::Nowhere, None) => self.concern_without_origin(resource, secret),
            (RecoveryOrigin::Ambiguous(why), None) => Err(why.into()),
            (RecoveryOrigin::WithOther, None) => Ok(None),
        }
    }

    /// Returns the concern about a connection Secret of an external resource.
    fn connection_concern(
        &self,
        resource: &Resource,
        secret: &Secret,
        writer: &Resource,
    ) -> Result<Option<RecoveryConcern>, Failure> {
        let name = writer.name().kind_and_name();
        match self.origins.origin(writer) {
            RecoveryOrigin::Git(_) | RecoveryOrigin::WithOther => {}
            // A writer that is not restored is reported itself.
            RecoveryOrigin::Nowhere => return Ok(None),
            RecoveryOrigin::Ambiguous(why) => return fail!("{name} writes it: {why}"),
        }
        if secret.keys.contains("kubeconfig") {
            let reason = format!("{name} fetches it again as soon as it is observed");
            return Ok(Some(RecoveryConcern::from_resource(resource, RecoveryOutcome::Fetched, reason)));
        }
        let is_told_once = |key: &&String| TOLD_ONCE.iter().any(|word| key.to_ascii_lowercase().contains(word));
        let keys: Vec<&str> = secret.keys.iter().filter(is_told_once).map(String::as_str).collect();
        // A password that the provider was given is restored from its source.
        let is_given = writer.whole.as_deref().is_some_and(|object| !secret_references(object).is_empty());
        // A claim passes on the connection details of its managed resources.
        let is_passed_on = role(&writer.kind) != Some(CrossplaneRole::Managed);
        Ok((!keys.is_empty() && !is_given && !is_passed_on).then(|| {
            let reason =
                format!("{name} received {} once, when it was created, and cannot read it again", keys.join(", "));
            RecoveryConcern::from_resource(resource, RecoveryOutcome::Lost, reason)
                .remedy("keep a copy; an app cluster may hold one: 'kubectl ucp secrets' shows where")
        }))
    }

    /// Returns the concern about a Secret that nothing in Git creates.
    fn concern_without_origin(&self, resource: &Resource, secret: &Secret) -> Result<Option<RecoveryConcern>, Failure> {
        let metadata = &resource.metadata;
        if AdoptionRecord::read(metadata).is_some() {
            return Ok(Some(RecoveryConcern::from_resource(
                resource,
                RecoveryOutcome::Fetched,
                "adopt-cluster registers the app cluster again",
            )));
        }
        // The next run copies its source, which is reported if it is not restored.
        if let Some(mark) = CopyMark::read(metadata) {
            let reason = format!("'secrets sync' copies {} again", mark.source);
            return Ok(Some(RecoveryConcern::from_resource(resource, RecoveryOutcome::Fetched, reason)));
        }
        let ask = "'bootstrap: {secrets: [...]}' in .ucp.yaml makes bootstrap ask for it";
        if metadata.label(SEALING_KEY).is_some() {
            let is_needed = self.origins.declares_any("bitnami.com", "SealedSecret");
            return Ok(is_needed.then(|| {
                RecoveryConcern::from_resource(
                    resource,
                    RecoveryOutcome::Lost,
                    "without this key, the SealedSecrets in Git cannot be decrypted",
                )
                .remedy("keep a copy of the key outside of the cluster, and restore it before sealed-secrets starts")
            }));
        }
        if metadata.label(TERRAFORM_STATE) == Some("true") {
            let reason = "Terraform stores its state only here: without it, everything is created a second time";
            let lost = RecoveryConcern::from_resource(resource, RecoveryOutcome::Lost, reason);
            return Ok(Some(lost.remedy("store the state in an external backend")));
        }
        if let Some(registration) = argocd::parse(resource) {
            let reason = format!(
                "app cluster {} was registered by hand: its credentials are in no repository",
                registration.name
            );
            let asked = RecoveryConcern::from_resource(resource, RecoveryOutcome::Asked, reason);
            return Ok((!argocd::is_in_cluster(&registration))
                .then(|| asked.remedy("register it with 'kubectl ucp adopt-cluster', which can register it again")));
        }
        if let Some(kind) = metadata.label(argocd::LABEL.0) {
            let reason = format!("Argo CD reads a {kind} with it, and nothing in Git declares it");
            return Ok(Some(RecoveryConcern::from_resource(resource, RecoveryOutcome::Asked, reason).remedy(ask)));
        }
        // An empty Secret contains nothing to lose.
        if secret.keys.is_empty() {
            return Ok(None);
        }
        let is_of_people = are_keys_written_by_users(resource, secret.keys.iter());
        let is_of_people = is_of_people.ok_or("nothing in Git declares it, and no managedFields show who wrote it")?;
        Ok(is_of_people.then(|| {
            RecoveryConcern::from_resource(
                resource,
                RecoveryOutcome::Lost,
                "it was written manually, and nothing in Git declares it",
            )
            .remedy(format!("declare it in Git, encrypted; or {ask}"))
        }))
    }
}

fn is_of_crossplane(resource: &Resource) -> bool {
    matches!(role(&resource.kind), Some(CrossplaneRole::Managed | CrossplaneRole::Composite | CrossplaneRole::Claim))
}

/// Returns the concern about keys that users added to a Secret that Git declares with other keys.
fn added_keys_concern(
    resource: &Resource,
    secret: &Secret,
    manifests: &[Option<&Value>],
) -> Result<Option<RecoveryConcern>, Failure> {
    let is_said = |key: &&String| {
        let says = |manifest: &&Value| ["data", "stringData"].iter().any(|field| manifest[*field].get(key).is_some());
        manifests.iter().flatten().any(says)
    };
    let more: Vec<&String> = secret.keys.iter().filter(|key| !is_said(key)).collect();
    if more.is_empty() {
        return Ok(None);
    }
    let keys = more.iter().map(|key| key.as_str()).collect::<Vec<_>>().join(", ");
    let unknown = || format!("Git declares it without {keys}, and no managedFields show who wrote that");
    Ok(are_keys_written_by_users(resource, more.iter().copied()).ok_or_else(unknown)?.then(|| {
        RecoveryConcern::from_resource(
            resource,
            RecoveryOutcome::Lost,
            format!("Git declares it without {keys} (written manually)"),
        )
        .remedy("keep a copy, or declare it in Git, encrypted")
    }))
}

/// Returns true if users wrote any of the keys. `None` if the writers are unknown.
fn are_keys_written_by_users<'a>(resource: &Resource, keys: impl Iterator<Item = &'a String>) -> Option<bool> {
    // With server-side apply, a value may be owned under the field name that it was applied with.
    let places = keys.flat_map(|key| ["data", "stringData"].map(|field| format!("/{field}/{key}")));
    is_written_by_users(resource, &places.collect::<Vec<_>>())
}
