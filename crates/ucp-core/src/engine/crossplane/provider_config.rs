//! Provider configs that managed resources refer to and that do not exist.

use std::collections::BTreeMap;

use super::kind_role::{CrossplaneRole, role};
use super::patience::may_end_soon;
use super::waiting::may_wait;
use crate::engine::code::Code;
use crate::engine::judgement::{AssessmentFacts, Cause, JudgedObject, Judgement, Problem};
use crate::graph::link::Relation;
use crate::graph::{Edge, NodeIdentity, NodePresence};
use crate::model::body::Body;
use crate::model::kind::{ResourceKind, ResourceScope};
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::shell::quote_word;
use crate::model::verdict::Verdict;

/// Returns the name and kind in a managed resource's reference, with crossplane-runtime's defaults; `None` for other
/// objects.
pub fn reference_of(resource: &Resource) -> Option<(String, String)> {
    let Body::Crossplane(body) = &resource.body else { return None };
    if role(&resource.kind) != Some(CrossplaneRole::Managed) {
        return None;
    }
    let default_kind =
        if is_namespaced_generation(&resource.kind) { "ClusterProviderConfig" } else { "ProviderConfig" };
    let reference = body.provider_config.clone().unwrap_or_default();
    let name = if reference.name.is_empty() { "default".to_owned() } else { reference.name };
    Some((reference.kind.unwrap_or_else(|| default_kind.to_owned()), name))
}

/// Returns true for namespaced managed resources of Crossplane v2, whose default is the `ClusterProviderConfig` of
/// their provider.
fn is_namespaced_generation(kind: &ResourceKind) -> bool {
    kind.scope == ResourceScope::Namespaced
}

/// The provider config of a managed resource.
pub(super) enum ProviderConfigLookup<'state> {
    /// The config exists.
    Found(&'state Resource),
    /// The config does not exist.
    Missing(ObjectName),
    /// Unknown, because its kind is missing or may not be listed; contains kind and name.
    Unseen(String),
}

/// Returns the config that a judged object uses; `None` if it uses none.
pub(super) fn config_of<'state>(
    facts: &AssessmentFacts<'_, 'state>,
    entry: &JudgedObject<'state>,
) -> Option<ProviderConfigLookup<'state>> {
    let edge = config_link(facts, entry)?;
    let node = facts.graph.node(edge.node);
    Some(match (node.presence, &node.thing) {
        (NodePresence::Here(config), _) => ProviderConfigLookup::Found(config),
        (NodePresence::Missing, _) => ProviderConfigLookup::Missing(facts.graph.name(edge.node)?),
        (NodePresence::Unread, NodeIdentity::Object(key)) => {
            ProviderConfigLookup::Unseen(format!("{} {}", key.kind, key.name))
        }
        (NodePresence::Unread, _) => return None,
    })
}

fn config_link<'facts>(facts: &'facts AssessmentFacts<'_, '_>, entry: &JudgedObject<'_>) -> Option<&'facts Edge> {
    facts.graph.down(entry.node).iter().find(|edge| edge.relation == Relation::ConfiguredBy)
}

/// Returns a judgement for each managed resource that is OK while the provider config that it names does not exist: its
/// status is of a time when that existed.
pub(super) fn without_config(facts: &AssessmentFacts<'_, '_>) -> Vec<(usize, Judgement)> {
    let found = facts.without_foundation(|entry| match &entry.resource.body {
        Body::Crossplane(body) if body.provider_config.is_some() => config_link(facts, entry).into_iter().collect(),
        _ => Vec::new(),
    });
    found.into_iter().map(|(index, message)| (index, Judgement::quiet(Verdict::Unknown, None, message))).collect()
}

/// Returns a cause for each missing provider config, with the unhealthy managed resources that refer to it.
pub(super) fn missing_config_causes(facts: &AssessmentFacts<'_, '_>) -> Vec<Cause> {
    let mut missed: BTreeMap<ObjectName, Vec<usize>> = BTreeMap::new();
    // Soon after its creation, an object waits for a config that the same deployment may still create.
    let is_new = |entry: &JudgedObject<'_>| {
        entry.judgement.verdict == Verdict::Progressing
            && may_end_soon("", entry.resource.metadata.creation_timestamp, facts.clock)
    };
    let waiting = |entry: &JudgedObject<'_>| may_wait(&entry.judgement) && !is_new(entry);
    for (index, entry) in facts.judged.iter().enumerate().filter(|(_, entry)| waiting(entry)) {
        if let Some(ProviderConfigLookup::Missing(object)) = config_of(facts, entry) {
            missed.entry(object).or_default().push(index);
        }
    }
    missed
        .into_iter()
        .map(|(object, holds_up)| {
            let since = holds_up.iter().filter_map(|index| facts.judged[*index].judgement.since).min();
            let message = format!("{} '{}' does not exist", object.kind, object.name);
            let mut problem = Problem::new(Code::ProviderConfigMissing, since, message);
            // Every provider has a kind of this name; without the group, kubectl would use the first one.
            let mut kinds = facts.state.kinds.iter();
            let kind = kinds.find(|kind| kind.kind == object.kind && kind.group == object.group());
            problem.hint = kind.map(|kind| format!("kubectl get {} -A", quote_word(&kind.qualified_plural())));
            Cause { object, problem, holds_up }
        })
        .collect()
}
