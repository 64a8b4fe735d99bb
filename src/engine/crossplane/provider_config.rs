//! Provider configs that managed resources name and that do not exist.

use std::collections::BTreeMap;

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

/// Provider configs, and which of them a managed resource uses.
pub(super) struct Configs<'state> {
    state: &'state ClusterState,
    kinds: Vec<&'state ResourceKind>,
    existing: BTreeMap<(&'state str, &'state str, Option<&'state str>, &'state str), &'state Resource>,
}

/// The provider config of a managed resource.
pub(super) enum Config<'state> {
    /// It is there.
    Found(&'state Resource),
    /// It is not.
    Missing(ObjectName),
    /// Without its kind, or without the right to list it, nobody knows: its kind and name.
    Unseen(String),
    /// The object is no managed resource.
    None,
}

impl<'state> Configs<'state> {
    /// The provider configs of a state.
    pub(super) fn of(state: &'state ClusterState) -> Self {
        let is_config = |kind: &ResourceKind| role(kind) == Some(Role::ProviderConfig);
        let existing = state.resources.iter().filter(|resource| is_config(&resource.kind)).map(|resource| {
            let (kind, metadata) = (&resource.kind, &resource.metadata);
            let key = (kind.group.as_str(), kind.kind.as_str(), metadata.namespace.as_deref(), metadata.name.as_str());
            (key, resource)
        });
        Self {
            state,
            kinds: state.kinds.iter().map(AsRef::as_ref).filter(|kind| is_config(kind)).collect(),
            existing: existing.collect(),
        }
    }

    /// The config that a managed resource uses.
    pub(super) fn of_resource(&self, resource: &Resource) -> Config<'state> {
        let Some((kind_name, name)) = reference_of(resource) else { return Config::None };
        let Some(kind) = config_kind(&self.kinds, &resource.kind.group, &kind_name) else {
            return Config::Unseen(format!("{kind_name} {name}"));
        };
        let namespace = match kind.scope {
            Scope::Namespaced => resource.metadata.namespace.clone(),
            Scope::Cluster => None,
        };
        match self.existing.get(&(kind.group.as_str(), kind.kind.as_str(), namespace.as_deref(), name.as_str())) {
            Some(config) => Config::Found(config),
            None if self.state.was_read(kind) => {
                Config::Missing(ObjectName { api_version: kind.api_version(), kind: kind_name, namespace, name })
            }
            None => Config::Unseen(format!("{kind_name} {name}")),
        }
    }
}

/// Missing provider configs, each with the managed resources that name it and are not well.
pub(super) fn missing(state: &ClusterState, judged: &[Judged<'_>]) -> Vec<Cause> {
    let configs = Configs::of(state);
    let mut missed: BTreeMap<ObjectName, Vec<usize>> = BTreeMap::new();
    for (index, entry) in judged.iter().enumerate().filter(|(_, entry)| may_wait(&entry.judgement)) {
        if let Config::Missing(object) = configs.of_resource(entry.resource) {
            missed.entry(object).or_default().push(index);
        }
    }
    missed
        .into_iter()
        .map(|(object, holds_up)| {
            let since = holds_up.iter().filter_map(|index| judged[*index].judgement.since).min();
            let message = format!("{} '{}' does not exist", object.kind, object.name);
            let mut problem = Problem::new(Code::ProviderConfigMissing, since, message);
            // Every provider has a kind of this name; kubectl would take the first of them.
            let kinds = configs.kinds.iter().filter(|kind| kind.kind == object.kind && kind.group == object.group());
            problem.hint = kinds.map(|kind| format!("kubectl get {} -A", kind.qualified_plural())).next();
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
