//! Whether an object comes back: Git declares it, or something that Git declares brings it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::bootstrap::gather::{Gathered, Scopes, brought};
use crate::engine;
use crate::graph::{Graph, Thing};
use crate::model::object::{ObjectKey, ObjectName};
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// Where an object comes from.
pub(super) enum Origin<'a> {
    /// Git declares it, with this manifest.
    Git(&'a Value),
    /// It comes with an object that Git declares.
    WithOther,
    /// Nothing brings it.
    Nowhere,
}

/// Where the objects of a state come from.
pub(super) struct Origins<'a> {
    graph: Graph<'a>,
    declared: BTreeMap<ObjectKey, Value>,
    /// Deployments whose objects are all declared here: what else they once applied does not come back.
    rendered: BTreeSet<ObjectKey>,
}

impl<'a> Origins<'a> {
    pub(super) fn of(state: &'a ClusterState, gathered: &Gathered, scopes: Scopes<'_>) -> Self {
        let units = gathered.units.iter().flat_map(|unit| unit.objects.iter().cloned());
        let here = brought(&gathered.side, scopes).into_iter().flat_map(|(_, objects)| objects);
        let declared = units.chain(here).map(|object| (ObjectKey::from(&ObjectName::of(&object)), object)).collect();
        let wholly =
            gathered.side.rendered.iter().filter(|(_, one)| one.objects.is_ok() && one.deployment.elsewhere.is_empty());
        let rendered = wholly.map(|(key, _)| key.clone()).collect();
        Self { graph: Graph::of_objects(state, engine::links), declared, rendered }
    }

    pub(super) fn origin(&self, resource: &Resource) -> Origin<'_> {
        let key = resource.key();
        if let Some(manifest) = self.declared.get(&key) {
            return Origin::Git(manifest);
        }
        let above = self.graph.find(&key).map(|node| self.graph.origins(node)).unwrap_or_default();
        let brings = |key: &ObjectKey| self.declared.contains_key(key) && !self.rendered.contains(key);
        let comes = above.into_iter().any(|node| match &self.graph.node(node).thing {
            Thing::Object(key) => brings(key),
            _ => false,
        });
        if comes { Origin::WithOther } else { Origin::Nowhere }
    }

    /// Whether Git declares any object of a kind.
    pub(super) fn declares_any(&self, group: &str, kind: &str) -> bool {
        self.declared.keys().any(|key| key.group == group && key.kind == kind)
    }
}
