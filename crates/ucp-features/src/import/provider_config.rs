//! The provider config of new objects: the one that their neighbors use.

use std::collections::BTreeSet;

use serde_json::Value;

use super::identity::ProviderConfigName;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// A provider config for new objects of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderConfigChoice {
    /// The provider config; `None` if the manifest names none, and the CRD's default applies.
    pub config: Option<ProviderConfigName>,
    /// The reason for the choice, if the user named none.
    pub guessed: Option<&'static str>,
}

/// Parses a provider config as the user types it: `[KIND/]NAME`.
pub fn parse_config_name(kind: &ResourceKind, asked: &str) -> ProviderConfigName {
    let (kind, name) = asked.split_once('/').unwrap_or((default_kind(kind), asked));
    ProviderConfigName { kind: kind.to_owned(), name: name.to_owned() }
}

/// Chooses the provider config for new objects of a kind if the user names none: the one that all objects of the kind
/// use, else the only one of its provider.
///
/// # Errors
/// Fails when there are several candidates, which the error lists, or when they could not be read.
pub fn choose_config(
    state: &ClusterState,
    kind: &ResourceKind,
    namespace: Option<&str>,
) -> Result<ProviderConfigChoice, Failure> {
    let neighbours =
        state.resources.iter().filter(|resource| resource.kind.group == kind.group && resource.kind.kind == kind.kind);
    // A ProviderConfig of another namespace cannot be referenced.
    let is_usable = |resource: &&Resource| {
        let config = config_of(resource, default_kind(kind));
        kind.scope == ResourceScope::Cluster
            || resource.metadata.namespace.as_deref() == namespace
            || config.is_some_and(|config| config.kind != "ProviderConfig")
    };
    let used: BTreeSet<ProviderConfigName> =
        neighbours.filter(is_usable).filter_map(|resource| config_of(resource, default_kind(kind))).collect();
    if !used.is_empty() {
        return choose_only(used, "the other objects of its kind use it");
    }
    let is_of_family = |group: &str| kind.group == group || kind.group.ends_with(&format!(".{group}"));
    let is_one =
        |found: &ResourceKind| role(found) == Some(CrossplaneRole::ProviderConfig) && is_of_family(&found.group);
    let unread = state
        .kinds
        .iter()
        .filter(|found| is_one(found))
        .find_map(|found| state.unreadable.iter().find(|entry| entry.is_of(found)));
    if let Some(unread) = unread {
        let hint = "select one with --provider-config";
        return fail!("{} cannot be listed ({}): {hint}", unread.what, unread.reason);
    }
    let is_in_reach = |resource: &&Resource| {
        is_one(&resource.kind)
            && (resource.kind.scope == ResourceScope::Cluster || resource.metadata.namespace.as_deref() == namespace)
    };
    let known: BTreeSet<ProviderConfigName> = state
        .resources
        .iter()
        .filter(is_in_reach)
        .map(|resource| ProviderConfigName { kind: resource.kind.kind.clone(), name: resource.metadata.name.clone() })
        .collect();
    choose_only(known, "it is the only one of its provider")
}

fn choose_only(known: BTreeSet<ProviderConfigName>, why: &'static str) -> Result<ProviderConfigChoice, Failure> {
    if known.len() > 1 {
        let names: Vec<String> = known.iter().map(|config| format!("{}/{}", config.kind, config.name)).collect();
        return fail!("it may use any of {}: select one with --provider-config", names.join(", "));
    }
    let config = known.into_iter().next();
    let guessed = if config.is_some() { why } else { "the cluster has no provider config of its provider yet" };
    Ok(ProviderConfigChoice { config, guessed: Some(guessed) })
}

fn default_kind(kind: &ResourceKind) -> &'static str {
    if kind.scope == ResourceScope::Namespaced { "ClusterProviderConfig" } else { "ProviderConfig" }
}

fn config_of(resource: &Resource, default_kind: &str) -> Option<ProviderConfigName> {
    let reference = resource.whole.as_deref()?.pointer("/spec/providerConfigRef")?;
    let text = |field: &str| reference.get(field).and_then(Value::as_str).map(str::to_owned);
    Some(ProviderConfigName { kind: text("kind").unwrap_or_else(|| default_kind.to_owned()), name: text("name")? })
}
