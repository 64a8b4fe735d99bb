//! Whether an object comes back: Git declares it, or something that Git declares brings it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::bootstrap::gather::{Brought, Gathered};
use crate::engine;
use crate::graph::{Graph, Thing};
use crate::manifests::substitution;
use crate::model::glob;
use crate::model::object::{ObjectKey, ObjectName};
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// Where an object comes from.
pub(super) enum Origin<'a> {
    /// Git declares it, with this manifest.
    Git(&'a Value),
    /// Git declares it, with one of several manifests whose names have variables.
    OneOfSeveral,
    /// It comes with an object that Git declares.
    WithOther,
    /// Nothing brings it.
    Nowhere,
}

/// Where the objects of a state come from.
pub(super) struct Origins<'a> {
    graph: Graph<'a>,
    declared: BTreeMap<ObjectKey, &'a Value>,
    /// Manifests whose names have variables, each with its name as a glob.
    unnamed: Vec<(ObjectKey, &'a Value)>,
    /// Deployments whose objects are all declared here: what else they once applied does not come back.
    rendered: BTreeSet<ObjectKey>,
}

impl<'a> Origins<'a> {
    pub(super) fn of(state: &'a ClusterState, gathered: &'a Gathered, brought: &'a [Brought<'_>]) -> Self {
        let key = |object: &Value| ObjectKey::from(&ObjectName::of(object));
        let units = gathered.units.iter().flat_map(|unit| &unit.objects);
        let here = brought.iter().flat_map(|one| &one.objects);
        let declared = units.chain(here).map(|object| (key(object), object)).collect();
        let unnamed = brought.iter().flat_map(|one| &one.unnamed);
        let unnamed = unnamed.map(|object| (pattern(key(object)), object)).collect();
        let wholly =
            gathered.side.rendered.iter().filter(|(_, one)| one.objects.is_ok() && one.deployment.elsewhere.is_empty());
        let rendered = wholly.map(|(key, _)| key.clone()).collect();
        Self { graph: Graph::of_objects(state, engine::links), declared, unnamed, rendered }
    }

    pub(super) fn origin(&self, resource: &Resource) -> Origin<'_> {
        let key = resource.key();
        let mut manifests = self.manifests(&key);
        match (manifests.next(), manifests.next()) {
            (Some(manifest), None) => return Origin::Git(manifest),
            (Some(_), Some(_)) => return Origin::OneOfSeveral,
            (None, _) => {}
        }
        let above = self.graph.find(&key).map(|node| self.graph.origins(node)).unwrap_or_default();
        let brings = |key: &ObjectKey| self.manifests(key).next().is_some() && !self.rendered.contains(key);
        let comes = above.into_iter().any(|node| match &self.graph.node(node).thing {
            Thing::Object(key) => brings(key),
            _ => false,
        });
        if comes { Origin::WithOther } else { Origin::Nowhere }
    }

    /// The manifest of an object; or those that may be its, where their names have variables.
    fn manifests(&self, key: &ObjectKey) -> impl Iterator<Item = &'a Value> {
        let exact = self.declared.get(key).copied();
        let is_its = |pattern: &ObjectKey| {
            let space = |key: &ObjectKey| key.namespace.clone().unwrap_or_default();
            (&pattern.group, &pattern.kind) == (&key.group, &key.kind)
                && glob::matches(&pattern.name, &key.name)
                && glob::matches(&space(pattern), &space(key))
        };
        let unnamed = self.unnamed.iter().filter(move |(pattern, _)| exact.is_none() && is_its(pattern));
        exact.into_iter().chain(unnamed.map(|(_, manifest)| *manifest))
    }

    /// Whether Git declares any object of a kind.
    pub(super) fn declares_any(&self, group: &str, kind: &str) -> bool {
        let mut keys = self.declared.keys().chain(self.unnamed.iter().map(|(key, _)| key));
        keys.any(|key| key.group == group && key.kind == kind)
    }
}

/// A name with a star for every variable.
fn pattern(key: ObjectKey) -> ObjectKey {
    let ObjectKey { group, kind, namespace, name } = key;
    ObjectKey {
        group,
        kind,
        namespace: namespace.map(|namespace| substitution::glob(&namespace)),
        name: substitution::glob(&name),
    }
}
