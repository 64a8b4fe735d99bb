//! Provider configs that managed resources name and that do not exist.

use std::collections::{BTreeMap, BTreeSet};

use super::{Role, may_wait, role};
use crate::engine::code::Code;
use crate::engine::{Cause, Judged, Problem};
use crate::model::body::Body;
use crate::model::kind::{ResourceKind, Scope};
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// The name and kind that a managed resource refers to, with crossplane-runtime's defaults; `None` for an object that
/// is no managed resource.
pub fn reference_of(resource: &Resource) -> Option<(String, String)> {
    let Body::Crossplane(body) = &resource.body else { return None };
    if role(&resource.kind) != Some(Role::Managed) {
        return None;
    }
    let default_kind =
        if is_namespaced_generation(&resource.kind) { "ClusterProviderConfig" } else { "ProviderConfig" };
    let reference = body.provider_config.clone().unwrap_or_default();
    let name = if reference.name.is_empty() { "default".to_owned() } else { reference.name };
    Some((reference.kind.unwrap_or_else(|| default_kind.to_owned()), name))
}

/// Namespaced managed resources of Crossplane v2 default to the `ClusterProviderConfig` of their provider.
fn is_namespaced_generation(kind: &ResourceKind) -> bool {
    kind.scope == Scope::Namespaced
}

/// Missing provider configs, each with the managed resources that name it and are not well.
pub(super) fn missing(state: &ClusterState, judged: &[Judged<'_>]) -> Vec<Cause> {
    let config_kinds: Vec<&ResourceKind> =
        state.kinds.iter().map(AsRef::as_ref).filter(|kind| role(kind) == Some(Role::ProviderConfig)).collect();
    let existing: BTreeSet<(&str, &str, Option<&str>, &str)> = state
        .resources
        .iter()
        .filter(|resource| role(&resource.kind) == Some(Role::ProviderConfig))
        .map(|resource| {
            let namespace = resource.metadata.namespace.as_deref();
            (resource.kind.group.as_str(), resource.kind.kind.as_str(), namespace, resource.metadata.name.as_str())
        })
        .collect();
    let mut missed: BTreeMap<ObjectName, (&ResourceKind, Vec<usize>)> = BTreeMap::new();
    for (index, entry) in judged.iter().enumerate() {
        if !may_wait(&entry.judgement) {
            continue;
        }
        let Some((kind_name, name)) = reference_of(entry.resource) else { continue };
        // Without its kind, or without the right to list it, nobody knows.
        let Some(kind) = config_kind(&config_kinds, &entry.resource.kind.group, &kind_name) else { continue };
        let namespace = match kind.scope {
            Scope::Namespaced => entry.resource.metadata.namespace.clone(),
            Scope::Cluster => None,
        };
        let found = existing.contains(&(&kind.group, &kind.kind, namespace.as_deref(), &name));
        if !found && state.was_read(kind) {
            let object = ObjectName { api_version: kind.api_version(), kind: kind.kind.clone(), namespace, name };
            missed.entry(object).or_insert((kind, Vec::new())).1.push(index);
        }
    }
    missed
        .into_iter()
        .map(|(object, (kind, holds_up))| {
            let since = holds_up.iter().filter_map(|index| judged[*index].judgement.since).min();
            let message = format!("{} '{}' does not exist", object.kind, object.name);
            let mut problem = Problem::new(Code::ProviderConfigMissing, since, message);
            // Every provider has a kind of this name; kubectl would take the first of them.
            problem.hint = Some(format!("kubectl get {} -A", kind.qualified_plural()));
            Cause { object, problem, holds_up }
        })
        .collect()
}

/// The kind of provider config for a managed resource's group. A provider's kinds are in subgroups of the one that
/// holds its configs: `container.gcp.upbound.io` and `gcp.upbound.io`.
fn config_kind<'kinds>(kinds: &[&'kinds ResourceKind], group: &str, kind: &str) -> Option<&'kinds ResourceKind> {
    kinds
        .iter()
        .filter(|candidate| candidate.kind == kind)
        .filter(|candidate| group == candidate.group || group.ends_with(&format!(".{}", candidate.group)))
        .max_by_key(|candidate| candidate.group.len())
        .copied()
}
