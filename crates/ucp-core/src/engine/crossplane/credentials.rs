//! Provider configs with refused credentials. All managed resources of such a config fail with the same message; the
//! Secret in the config has to be fixed.

use std::collections::BTreeMap;

use super::kind_role::{CrossplaneRole, role};
use super::package::provider_of_kinds;
use super::provider_config::{ProviderConfigLookup, config_of};
use crate::engine::code::Code;
use crate::engine::judgement::{AssessmentFacts, Cause, JudgedObject, Problem};
use crate::model::body::Body;
use crate::model::body::crossplane::SecretKeyReference;

/// Prefixes of messages of crossplane-runtime's managed reconciler for failed observations (`errReconcileConnect`,
/// `errReconcileObserve`). Refused credentials only fail there.
pub const BLIND: [&str; 2] = ["connect failed", "observe failed"];

/// Messages for wrong, missing, or expired credentials, in lower case: from client-go, the AWS SDK,
/// `golang.org/x/oauth2`, and Entra ID.
const REFUSALS: [&str; 14] = [
    "provide credentials",
    "credential",
    "unauthorized",
    "unauthenticated",
    "authentication failed",
    "authenticationfailed",
    "authfailure",
    "invalidclienttokenid",
    "unrecognizedclient",
    "signaturedoesnotmatch",
    "expiredtoken",
    "invalid_grant",
    "invalid_client",
    "aadsts",
];

/// Returns a cause for each provider config with refused credentials, with the managed resources that fail because of
/// it.
pub(super) fn refused_credential_causes(facts: &AssessmentFacts<'_, '_>) -> Vec<Cause> {
    let providers = provider_of_kinds(facts.state);
    let mut known: BTreeMap<Vec<SecretKeyReference>, RefusedCredentials> = BTreeMap::new();
    let mut strangers = Vec::new();
    for (index, entry) in facts.judged.iter().enumerate() {
        let Some(problem) = refusal(entry) else { continue };
        let provider = providers.get(entry.resource.kind.qualified_plural().as_str()).copied();
        match config_of(facts, entry) {
            Some(ProviderConfigLookup::Found(config)) => {
                let own = config.metadata.namespace.as_deref();
                let mut secrets = match &config.body {
                    Body::ProviderConfig(body) => body.secrets.clone(),
                    _ => Vec::new(),
                };
                for secret in &mut secrets {
                    secret.namespace = secret.namespace.take().or_else(|| own.map(str::to_owned));
                }
                // Two configs with the same Secret have the same cause; a config without a Secret is a separate cause.
                let key = if secrets.is_empty() { vec![pseudo_secret(config)] } else { secrets.clone() };
                let refused = known.entry(key).or_insert_with(|| RefusedCredentials::new(secrets, provider, problem));
                refused.add(config.name(), index);
            }
            Some(ProviderConfigLookup::Missing(_)) | None => {}
            Some(ProviderConfigLookup::Unseen(name)) => strangers.push((name, provider, problem, index)),
        }
    }
    // A config that was not read is merged with one that was read if the messages are equal.
    for (name, provider, problem, index) in strangers {
        let same = |refused: &&mut RefusedCredentials<'_>| {
            refused.provider == provider && refused.problem.message == problem.message
        };
        if let Some(refused) = known.values_mut().find(same) {
            refused.held.push(index);
            if !refused.others.contains(&name) {
                refused.others.push(name);
            }
        }
    }
    known.into_values().filter_map(RefusedCredentials::into_cause).collect()
}

/// Returns a unique key for a config without a Secret.
fn pseudo_secret(config: &crate::model::resource::Resource) -> SecretKeyReference {
    SecretKeyReference {
        namespace: config.metadata.namespace.clone(),
        name: config.name().to_string(),
        key: Some(config.kind.kind.clone()),
    }
}

fn refusal<'judged>(entry: &'judged JudgedObject<'_>) -> Option<&'judged Problem> {
    if role(&entry.resource.kind) != Some(CrossplaneRole::Managed) {
        return None;
    }
    entry.judgement.problems.iter().find(|problem| {
        let message = problem.message.trim_start();
        let words = message.to_ascii_lowercase();
        problem.code == Code::ReconcileError
            && BLIND.iter().any(|beginning| message.starts_with(beginning))
            && REFUSALS.iter().any(|refusal| words.contains(refusal))
    })
}

/// A group of provider configs with the same refused credentials.
struct RefusedCredentials<'state> {
    secrets: Vec<SecretKeyReference>,
    provider: Option<&'state str>,
    problem: Problem,
    configs: Vec<crate::model::object::ObjectName>,
    /// Names of configs that were not read.
    others: Vec<String>,
    held: Vec<usize>,
}

impl<'state> RefusedCredentials<'state> {
    fn new(secrets: Vec<SecretKeyReference>, provider: Option<&'state str>, problem: &Problem) -> Self {
        let (configs, others, held) = (Vec::new(), Vec::new(), Vec::new());
        Self { secrets, provider, problem: problem.clone(), configs, others, held }
    }

    fn add(&mut self, config: crate::model::object::ObjectName, index: usize) {
        if !self.configs.contains(&config) {
            self.configs.push(config);
        }
        self.held.push(index);
    }

    fn into_cause(self) -> Option<Cause> {
        let (first, more) = self.configs.split_first()?;
        let secrets: Vec<String> = self.secrets.iter().map(name_secret).collect();
        let from = match secrets.as_slice() {
            [] => "its credentials are refused".to_owned(),
            secrets => format!("its credentials, of {}, are refused", secrets.join(" and ")),
        };
        let also: Vec<String> =
            more.iter().map(|config| format!("{} {}", config.kind, config.name)).chain(self.others).collect();
        let also = match also.as_slice() {
            [] => String::new(),
            also => format!(", and so are those of {}", also.join(", ")),
        };
        let message = format!("{from}{also}: {}", self.problem.message);
        let problem = Problem::new(Code::CredentialsRefused, self.problem.since, message);
        Some(Cause { object: first.clone(), problem, holds_up: self.held })
    }
}

fn name_secret(secret: &SecretKeyReference) -> String {
    let namespace = secret.namespace.as_ref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let key = secret.key.as_ref().map(|key| format!(" (key {key})")).unwrap_or_default();
    format!("Secret {namespace}{}{key}", secret.name)
}
