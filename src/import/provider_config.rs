//! Whose credentials a new object uses: those of its neighbours.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::observe::ConfigName;
use crate::engine::crossplane::{Role, role};
use crate::model::kind::{ResourceKind, Scope};
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// The provider config for a new object: the one that somebody `asked` for as `[KIND/]NAME`, else the one that most objects
/// of its kind use, else the only one of its provider. None where that is called `default`, as the CRD has it.
///
/// # Errors
/// Which there are, where nobody can tell.
pub fn choose(
    state: &ClusterState,
    kind: &ResourceKind,
    namespace: Option<&str>,
    asked: Option<&str>,
) -> Result<Option<ConfigName>, String> {
    let default_kind = if kind.scope == Scope::Namespaced { "ClusterProviderConfig" } else { "ProviderConfig" };
    if let Some(asked) = asked {
        let (kind, name) = asked.split_once('/').unwrap_or((default_kind, asked));
        return Ok(Some(ConfigName { kind: kind.to_owned(), name: name.to_owned() }));
    }
    let mut used: BTreeMap<ConfigName, usize> = BTreeMap::new();
    let neighbours =
        state.resources.iter().filter(|resource| resource.kind.group == kind.group && resource.kind.kind == kind.kind);
    for resource in neighbours {
        if let Some(config) = config_of(resource, default_kind) {
            *used.entry(config).or_default() += 1;
        }
    }
    if let Some((config, _)) = used.into_iter().max_by_key(|(_, count)| *count) {
        return Ok(Some(config));
    }
    let is_of_family = |resource: &&Resource| {
        role(&resource.kind) == Some(Role::ProviderConfig)
            && (kind.group == resource.kind.group || kind.group.ends_with(&format!(".{}", resource.kind.group)))
            && (resource.kind.scope == Scope::Cluster || resource.metadata.namespace.as_deref() == namespace)
    };
    let known: BTreeSet<ConfigName> = state
        .resources
        .iter()
        .filter(is_of_family)
        .map(|resource| ConfigName { kind: resource.kind.kind.clone(), name: resource.metadata.name.clone() })
        .collect();
    let known: Vec<ConfigName> = known.into_iter().collect();
    match known.as_slice() {
        [one] => Ok(Some(one.clone())),
        several
            if several.is_empty()
                || several.iter().any(|config| config.kind == default_kind && config.name == "default") =>
        {
            Ok(None)
        }
        several => {
            let names: Vec<String> = several.iter().map(|config| format!("{}/{}", config.kind, config.name)).collect();
            Err(format!("it may use any of {}: say which with --provider-config", names.join(", ")))
        }
    }
}

fn config_of(resource: &Resource, default_kind: &str) -> Option<ConfigName> {
    let reference = resource.whole.as_deref()?.pointer("/spec/providerConfigRef")?;
    let text = |field: &str| reference.get(field).and_then(Value::as_str).map(str::to_owned);
    Some(ConfigName { kind: text("kind").unwrap_or_else(|| default_kind.to_owned()), name: text("name")? })
}
