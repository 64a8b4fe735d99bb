//! Credentials of engines: missing ones, and those that expire.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use secrecy::ExposeSecret as _;

use super::check::{CheckFinding, CheckFindings, DoctorCheck, FindingSeverity, RequiredData};
use super::engine_findings::engine_findings;
use super::facts::{DoctorFacts, text};
use crate::adopt::access::AppClusterAccess;
use crate::adopt::credential::{CredentialValidity, certificate_life};
use crate::adopt::provisioner::ServerKinds;
use crate::adopt::{argocd, candidate, flux};
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::CrossplaneRole;
use ucp_core::failure::{Failure, FailureClass};
use ucp_core::model::body::Body;
use ucp_core::model::body::secret::{CERTIFICATE, SEALING_KEY, Secret};
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::shell::quote_word;
use ucp_core::model::time::human_duration;

const SECRETS: RequiredData = RequiredData::Always("", "Secret");

pub(super) const CHECKS: &[DoctorCheck] = &[
    DoctorCheck {
        name: "provider-credentials",
        codes: &[Code::CredentialSecretMissing, Code::ProviderConfigMissing],
        reads: &[SECRETS, RequiredData::Roles(&[CrossplaneRole::ProviderConfig])],
        run: provider_configs,
    },
    DoctorCheck {
        name: "cluster-credentials",
        codes: &[Code::ClusterCredentialEnds],
        reads: &[SECRETS],
        run: cluster_credentials,
    },
    DoctorCheck {
        name: "certificates",
        codes: &[Code::TlsCertificateEnds],
        reads: &[SECRETS, RequiredData::IfThere("cert-manager.io", "Certificate")],
        run: certificates,
    },
    DoctorCheck { name: "sealing-keys", codes: &[Code::SealingKeyEnds], reads: &[SECRETS], run: sealing_keys },
];

fn secrets<'a>(facts: &'a DoctorFacts<'_>) -> impl Iterator<Item = (&'a Resource, &'a Secret)> {
    facts.state.resources.iter().filter_map(|resource| match &resource.body {
        Body::Secret(secret) => Some((resource, secret.as_ref())),
        _ => None,
    })
}

/// Namespace and name.
type NamespaceAndName<'a> = (Option<&'a str>, &'a str);

/// Returns the namespace of an object with another name.
fn namespaced_name<'a>(beside: &'a Resource, name: &'a str) -> NamespaceAndName<'a> {
    (beside.metadata.namespace.as_deref(), name)
}

fn provider_configs(facts: &DoctorFacts<'_>) -> CheckFindings {
    let mut answer = engine_findings(facts, &[Code::ProviderConfigMissing], FindingSeverity::Error);
    // Without Secrets, a missing one cannot be detected.
    if !facts.state.has_read("", "Secret") {
        return answer;
    }
    let by_name: BTreeMap<NamespaceAndName<'_>, &Secret> =
        secrets(facts).map(|(resource, secret)| (namespaced_name(resource, &resource.metadata.name), secret)).collect();
    for config in facts.of_role(&[CrossplaneRole::ProviderConfig]) {
        let Body::ProviderConfig(body) = &config.body else { continue };
        for wanted in &body.secrets {
            let namespace = wanted.namespace.as_deref().or(config.metadata.namespace.as_deref()).unwrap_or_default();
            let secret = by_name.get(&(Some(namespace), wanted.name.as_str()));
            let what = match secret {
                None => "does not exist".to_owned(),
                Some(secret) => match secret.missing_key(wanted.key.as_deref()) {
                    Some(missing) => missing,
                    None => continue,
                },
            };
            let evidence = format!("Secret {namespace}/{} {what}", wanted.name);
            let key = wanted.key.as_deref().unwrap_or("credentials");
            let found =
                CheckFinding::new(Code::CredentialSecretMissing, FindingSeverity::Error, config.name(), evidence);
            answer.found.push(found.with_command(format!(
                "kubectl create secret generic {} -n {} --from-file={}=FILE",
                quote_word(&wanted.name),
                quote_word(namespace),
                quote_word(key)
            )));
        }
    }
    answer
}

/// The time before expiry from which a warning is due, for long-lived credentials.
const SOON: SignedDuration = SignedDuration::from_hours(30 * 24);
/// The maximum lifetime of credentials that are renewed automatically.
const RENEWED: SignedDuration = SignedDuration::from_hours(24);

/// Returns the severity and the text if a credential has expired or expires soon.
fn expiry(life: CredentialValidity, now: Timestamp) -> Option<(FindingSeverity, String)> {
    let left = life.ends.duration_since(now);
    let span = human_duration(left.as_secs().abs());
    if left.is_negative() || left.is_zero() {
        return Some((FindingSeverity::Error, format!("expired {span} ago")));
    }
    let whole = life.begins.map(|begins| life.ends.duration_since(begins));
    if whole.is_some_and(|whole| whole <= RENEWED) {
        return None;
    }
    let soon = whole.map_or(SOON, |whole| (whole / 5).min(SOON));
    (left < soon).then(|| (FindingSeverity::Warning, format!("expires in {span}")))
}

fn cluster_credentials(facts: &DoctorFacts<'_>) -> CheckFindings {
    let references: Vec<_> =
        facts.state.resources.iter().filter_map(flux::FluxClusterReference::from_resource).collect();
    let kinds = ServerKinds::of_state(facts.state);
    let mut answer = CheckFindings::default();
    let mut told = BTreeSet::new();
    for (resource, _) in secrets(facts) {
        let registration = argocd::read(resource).or_else(|| flux::read(resource, &references));
        let registered = registration.as_ref().and_then(|registration| registration.access());
        let candidate = candidate::read(resource, &[], &kinds);
        let left = candidate.as_ref().and_then(|candidate| candidate.access.as_ref().ok());
        if candidate.as_ref().is_some_and(|candidate| is_hidden(candidate.access.as_ref().err())) {
            answer.unknown.push(format!("the kubeconfig in {} is hidden or not text", resource.name()));
        }
        let Some(access) = registered.or(left) else { continue };
        let Some((severity, ends)) = credential_end(access, facts.now()) else { continue };
        if !told.insert(resource.name()) {
            continue;
        }
        let kind = access.credential().credential_type().as_str();
        let evidence = format!("its {kind} for {} {ends}", ucp_core::model::secrecy::scrub(&access.endpoint().server));
        let found = CheckFinding::new(Code::ClusterCredentialEnds, severity, resource.name(), evidence);
        answer.found.push(match &registration {
            Some(registration) => {
                found.with_command(format!("kubectl ucp adopt-cluster {} --rotate", quote_word(&registration.name)))
            }
            None => found,
        });
    }
    answer
}

/// Returns true if the access is unknown because the kubeconfig is hidden.
fn is_hidden(failure: Option<&Failure>) -> bool {
    failure.is_some_and(|failure| failure.is(FailureClass::Unreadable))
}

fn credential_end(access: &AppClusterAccess, now: Timestamp) -> Option<(FindingSeverity, String)> {
    access.credential().life().and_then(|life| expiry(life, now))
}

fn certificates(facts: &DoctorFacts<'_>) -> CheckFindings {
    let lives: Vec<(&Resource, CredentialValidity)> =
        secrets(facts).filter_map(|(resource, secret)| Some((resource, life_of(secret)?))).collect();
    let in_secrets = lives.iter().filter(|(resource, _)| !is_sealing_key(resource)).filter_map(|(resource, life)| {
        let (severity, ends) = expiry(*life, facts.now())?;
        Some(certificate(resource.name(), severity, format!("the certificate in tls.crt {ends}")))
    });
    // If Secrets are hidden, the status of cert-manager's Certificates is still known.
    let known: BTreeSet<NamespaceAndName<'_>> =
        lives.iter().map(|(resource, _)| namespaced_name(resource, &resource.metadata.name)).collect();
    // Several Certificates may use one Secret.
    let told: Vec<(NamespaceAndName<'_>, &Resource, CredentialValidity)> = facts
        .of_kind("cert-manager.io", "Certificate")
        .filter_map(|resource| {
            let moment = |pointer: &str| text(resource, pointer).and_then(|text| text.parse().ok());
            let life = CredentialValidity { begins: moment("/status/notBefore"), ends: moment("/status/notAfter")? };
            Some((namespaced_name(resource, text(resource, "/spec/secretName")?), resource, life))
        })
        .collect();
    let of_cert_manager = told.iter().filter(|(place, ..)| !known.contains(place)).filter_map(|(_, resource, life)| {
        let (severity, ends) = expiry(*life, facts.now())?;
        Some(certificate(resource.name(), severity, format!("according to status.notAfter, it {ends}")))
    });
    let told: BTreeSet<NamespaceAndName<'_>> = told.iter().map(|(place, ..)| *place).collect();
    let hidden = secrets(facts).filter(|(resource, secret)| {
        let is_told = || told.contains(&namespaced_name(resource, &resource.metadata.name));
        !is_sealing_key(resource) && has_hidden_certificate(secret) && !is_told()
    });
    let unknown = hidden.map(|(resource, _)| hidden_certificate(resource)).collect();
    CheckFindings { found: in_secrets.chain(of_cert_manager).collect(), unknown }
}

/// Returns true if the Secret has a certificate that cannot be read: it is hidden or malformed.
fn has_hidden_certificate(secret: &Secret) -> bool {
    let is_empty = secret.certificate.as_ref().is_some_and(|text| text.expose_secret().trim().is_empty());
    secret.keys.contains(CERTIFICATE) && !is_empty && life_of(secret).is_none()
}

fn hidden_certificate(resource: &Resource) -> String {
    format!("{CERTIFICATE} in {} is hidden or not a certificate", resource.name())
}

fn life_of(secret: &Secret) -> Option<CredentialValidity> {
    certificate_life(secret.certificate.as_ref()?.expose_secret())
}

fn certificate(object: ObjectName, severity: FindingSeverity, evidence: String) -> CheckFinding {
    CheckFinding::new(Code::TlsCertificateEnds, severity, object, evidence)
}

/// The age of a sealing key at which a renewal was missed: keys are renewed every 30 days.
const RENEWAL_MISSED: SignedDuration = SignedDuration::from_hours(60 * 24);

fn is_sealing_key(resource: &Resource) -> bool {
    resource.metadata.labels.contains_key(SEALING_KEY)
}

fn sealing_keys(facts: &DoctorFacts<'_>) -> CheckFindings {
    let active = secrets(facts).filter(|(resource, _)| resource.metadata.label(SEALING_KEY) == Some("active"));
    let Some((key, secret)) = active.max_by_key(|(resource, _)| resource.metadata.creation_timestamp) else {
        return CheckFindings::default();
    };
    let found = |severity, evidence: String| CheckFinding::new(Code::SealingKeyEnds, severity, key.name(), evidence);
    if let Some((severity, ends)) = life_of(secret).and_then(|life| expiry(life, facts.now())) {
        return CheckFindings::from_iter([found(
            severity,
            format!("the certificate of the newest sealing key {ends}"),
        )]);
    }
    if has_hidden_certificate(secret) {
        return CheckFindings { unknown: vec![hidden_certificate(key)], ..CheckFindings::default() };
    }
    let made = key.metadata.creation_timestamp;
    let is_old = made.is_some_and(|made| facts.is_older_than(made, RENEWAL_MISSED));
    let age = made.map(|made| human_duration(facts.now().duration_since(made).as_secs())).unwrap_or_default();
    let found = found(
        FindingSeverity::Info,
        format!("the newest sealing key is {age} old, and keys are renewed every 30 days"),
    );
    is_old.then_some(found).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warning_period_depends_on_the_lifetime() {
        let now: Timestamp = "2026-11-22T00:00:00Z".parse().unwrap();
        let of = |lived: i64, left: i64| {
            let hours = SignedDuration::from_hours;
            let life = CredentialValidity {
                begins: now.checked_sub(hours(lived)).ok(),
                ends: now.checked_add(hours(left)).unwrap(),
            };
            expiry(life, now).map(|(severity, _)| severity)
        };
        assert_eq!(of(300 * 24, 65 * 24), None);
        assert_eq!(of(350 * 24, 15 * 24), Some(FindingSeverity::Warning));
        assert_eq!(of(70 * 24, 20 * 24), None);
        assert_eq!(of(80 * 24, 10 * 24), Some(FindingSeverity::Warning));
        assert_eq!(of(10, 1), None);
        assert_eq!(of(10, -1), Some(FindingSeverity::Error));
        let unknown =
            CredentialValidity { begins: None, ends: now.checked_add(SignedDuration::from_hours(48)).unwrap() };
        assert_eq!(expiry(unknown, now).unwrap(), (FindingSeverity::Warning, "expires in 2d".to_owned()));
    }
}
