//! The origin of restored objects: Git declares them, or objects declared in Git create them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::bootstrap::gather::{CheckoutContents, DeployedObjects};
use ucp_core::engine;
use ucp_core::graph::{Graph, NodeIdentity};
use ucp_core::model::glob;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;
use ucp_repo::manifests::substitution;

/// The origin of an object.
pub(super) enum RecoveryOrigin<'a> {
    /// Git declares it, with this manifest.
    Git(&'a Value),
    /// A name with variables in Git may match it. Contains the reason why this is unknown.
    Ambiguous(&'static str),
    /// An object that Git declares creates it.
    WithOther,
    /// Nothing creates it.
    Nowhere,
}

/// The origins of the objects of a state.
pub(super) struct RecoveryOrigins<'a> {
    graph: Graph<'a>,
    declared: BTreeMap<ObjectKey, &'a Value>,
    unnamed: Vec<VariableManifest<'a>>,
    /// Deployments whose objects are all declared here. Other objects that they applied earlier are not restored.
    rendered: BTreeSet<ObjectKey>,
}

impl<'a> RecoveryOrigins<'a> {
    pub(super) fn from_state(
        state: &'a ClusterState,
        gathered: &'a CheckoutContents,
        brought: &'a [DeployedObjects<'_>],
    ) -> Self {
        let key = |object: &Value| ObjectKey::from(&ObjectName::from_manifest(object));
        let units = gathered.units.iter().flat_map(|unit| &unit.objects);
        let here = brought.iter().flat_map(|one| &one.objects);
        let declared: BTreeMap<ObjectKey, &Value> = units.chain(here).map(|object| (key(object), object)).collect();
        let live: BTreeSet<ObjectKey> =
            state.resources.iter().map(Resource::key).filter(|key| !declared.contains_key(key)).collect();
        let unnamed = brought.iter().flat_map(|one| &one.unnamed);
        let unnamed =
            unnamed.map(|object| VariableManifest::from_pattern(object, &pattern(key(object)), &live)).collect();
        let wholly =
            gathered.side.rendered.iter().filter(|(_, one)| one.objects.is_ok() && one.deployment.elsewhere.is_empty());
        let rendered = wholly.map(|(key, _)| key.clone()).collect();
        Self { graph: Graph::from_objects_only(state, engine::links), declared, unnamed, rendered }
    }

    pub(super) fn origin(&self, resource: &Resource) -> RecoveryOrigin<'_> {
        let key = resource.key();
        let own = self.declared(&key);
        if let RecoveryOrigin::Git(_) = own {
            return own;
        }
        let above = self.graph.find(&key).map(|node| self.graph.origins(node)).unwrap_or_default();
        let above = above.into_iter().filter_map(|node| match &self.graph.node(node).thing {
            NodeIdentity::Object(key) if !self.rendered.contains(key) => Some(self.declared(key)),
            _ => None,
        });
        // A certain origin takes precedence over an ambiguous one.
        above.fold(own, |known, above| match (known, above) {
            (_, RecoveryOrigin::Git(_)) | (RecoveryOrigin::WithOther, _) => RecoveryOrigin::WithOther,
            (RecoveryOrigin::Nowhere, unclear @ RecoveryOrigin::Ambiguous(_)) => unclear,
            (known, _) => known,
        })
    }

    /// Returns the origin of an object from its own declaration.
    fn declared(&self, key: &ObjectKey) -> RecoveryOrigin<'a> {
        if let Some(manifest) = self.declared.get(key) {
            return RecoveryOrigin::Git(manifest);
        }
        let mut fitting = self.unnamed.iter().filter(|unnamed| unnamed.fitting.contains(key));
        match (fitting.next(), fitting.next()) {
            (None, _) => RecoveryOrigin::Nowhere,
            (Some(_), Some(_)) => RecoveryOrigin::Ambiguous(
                "several manifests in Git may declare it, because their names contain variables",
            ),
            (Some(one), None) if one.fitting.len() > 1 => RecoveryOrigin::Ambiguous(
                "a manifest in Git may declare it or another object, because its name contains variables",
            ),
            (Some(one), None) => RecoveryOrigin::Git(one.manifest),
        }
    }

    /// Returns true if Git declares any object of a kind.
    pub(super) fn declares_any(&self, group: &str, kind: &str) -> bool {
        let manifests = self.declared.values().copied().chain(self.unnamed.iter().map(|unnamed| unnamed.manifest));
        manifests.map(ObjectName::from_manifest).any(|name| name.group() == group && name.kind == kind)
    }
}

/// A manifest whose name has variables.
struct VariableManifest<'a> {
    manifest: &'a Value,
    /// The objects that may match the manifest.
    fitting: BTreeSet<ObjectKey>,
}

impl<'a> VariableManifest<'a> {
    fn from_pattern(manifest: &'a Value, pattern: &ObjectKey, live: &BTreeSet<ObjectKey>) -> Self {
        fn space(key: &ObjectKey) -> &str {
            key.namespace.as_deref().unwrap_or_default()
        }
        let is_its = |key: &&ObjectKey| {
            (&pattern.group, &pattern.kind) == (&key.group, &key.kind)
                && glob::matches(&pattern.name, &key.name)
                && glob::matches(space(pattern), space(key))
        };
        Self { manifest, fitting: live.iter().filter(is_its).cloned().collect() }
    }
}

/// Returns a name with `*` for each variable.
fn pattern(key: ObjectKey) -> ObjectKey {
    let ObjectKey { group, kind, namespace, name } = key;
    ObjectKey {
        group,
        kind,
        namespace: namespace.map(|namespace| substitution::variables_to_glob(&namespace)),
        name: substitution::variables_to_glob(&name),
    }
}
