//! Gathers a state from a stream of objects: only the requested fields of each object are kept, and no object is
//! buffered.
//!
//! The properties of a kind depend on its definition or on all of its objects, and either may come last. So each kind
//! is described by the facts known at its first object. If the final description differs, and the query asks for
//! something else then, the snapshot is read a second time for that kind.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::index::{KindEntry, SnapshotIndex};
use super::kept::{ENTRY, KeptObject, KeptObjects, WantedKind};
use super::kinds::{self, Sketch};
use super::located::LocatedObject;
use super::moment::NewestTimes;
use super::settings::SeenSettings;
use crate::source::Query;
use crate::source::unlisted::is_established;
use ucp_core::error::{Error, Result};
use ucp_core::model::body::KindRequest;
use ucp_core::model::graph_kinds;
use ucp_core::model::health_rule::{HealthRules, PARAMETERS, SETTINGS};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::secrecy::register_secrets_of;
use ucp_core::model::state::Unreadable;
use ucp_core::model::weight::{KeptWeight, Overweight, weight_of};

/// Group and kind.
type GroupKind = (String, String);

/// The objects gathered from a snapshot so far.
pub(super) struct Gathering<'q> {
    query: &'q Query<'q>,
    sorts: BTreeMap<GroupKind, KindObjects>,
    /// The specs of definitions, without schemas.
    definitions: BTreeMap<GroupKind, Value>,
    /// The kinds among them that the server serves.
    established: BTreeSet<GroupKind>,
    /// Kinds that other objects define.
    instances: BTreeSet<GroupKind>,
    newest: NewestTimes,
    objects: usize,
    is_second_look: bool,
    failure: Option<Error>,
    /// Health rules of the user and of the Argo CD of the cluster.
    rules: HealthRules,
    /// Settings that may be those of the Argo CD of the cluster.
    settings: SeenSettings,
    /// The number of ConfigMaps, some of which may be such settings.
    config_maps: usize,
    /// Rules of an Argo CD that are malformed, or in doubt.
    unusable_rules: Vec<Unreadable>,
    /// What kinds, definitions, and rules take in memory.
    held: KeptWeight,
    /// The number of objects of which the kind, definition, or rules were too many to keep.
    refused: usize,
}

/// The resources of a state and its problems, kind by kind.
#[derive(Default)]
pub(super) struct GatheredObjects {
    pub(super) kinds: Vec<Arc<ResourceKind>>,
    pub(super) resources: Vec<Resource>,
    pub(super) unreadable: Vec<Unreadable>,
    /// Kinds that the query skips.
    pub(super) unwanted: BTreeSet<String>,
    /// All kinds that the snapshot contains.
    pub(super) listed: Vec<Arc<ResourceKind>>,
    /// Objects that occur more than once.
    pub(super) twice: Vec<ObjectName>,
    /// Health rules of the user and of the Argo CD of the cluster.
    pub(super) rules: HealthRules,
    /// Kinds that the server serves by their definition, and that are not in the index.
    pub(super) unlisted: Vec<ResourceKind>,
    /// The number of definitions of kinds.
    pub(super) definitions: usize,
    /// The number of ConfigMaps.
    pub(super) config_maps: usize,
}

impl<'q> Gathering<'q> {
    pub(super) fn new(query: &'q Query<'q>) -> Self {
        Self {
            query,
            sorts: BTreeMap::new(),
            definitions: BTreeMap::new(),
            established: BTreeSet::new(),
            instances: BTreeSet::new(),
            newest: NewestTimes::default(),
            objects: 0,
            is_second_look: false,
            failure: None,
            rules: HealthRules::default(),
            settings: SeenSettings::default(),
            config_maps: 0,
            unusable_rules: Vec::new(),
            held: KeptWeight::default(),
            refused: 0,
        }
    }

    /// Sets the health rules that have precedence over those in the snapshot.
    pub(super) fn with_rules(self, rules: HealthRules) -> Self {
        Self { rules, ..self }
    }

    /// The newest time in the objects, which approximates the moment of the snapshot.
    pub(super) fn newest(&self) -> Option<Timestamp> {
        self.newest.moment()
    }

    /// The data that the query reads of a kind.
    pub(super) fn want(&self) -> &'q (dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync) {
        self.query.want
    }

    /// The namespace of the query, if any.
    pub(super) fn namespace(&self) -> Option<String> {
        self.query.namespace.map(str::to_owned)
    }

    /// Returns true if there was no object.
    pub(super) fn is_empty(&self) -> bool {
        self.objects == 0
    }

    /// Adds an object, with the index if it was already read.
    pub(super) fn take(&mut self, document: LocatedObject, index: Option<&SnapshotIndex>) {
        let name = document.kind();
        if self.is_second_look {
            if let Some(sort) = self.sorts.get_mut(&name).filter(|sort| sort.is_looked_at_again) {
                sort.taken.add(document, sort.wanted.as_ref(), self.query);
            }
            return;
        }
        self.objects += 1;
        // Other objects of the file may quote the values of Secrets that the query does not want.
        register_secrets_of(&document.object);
        if self.held.grow(self.weight_of_facts(&name, &document)).is_err() {
            self.refused += 1;
            return;
        }
        self.newest.add(&document.object);
        if let Some((defined, spec)) = kinds::definition(&document) {
            if is_established(&document.object) {
                self.established.insert(defined.clone());
            }
            self.definitions.insert(defined, spec);
        }
        self.settings.see(&name, &document);
        if name.1 == "Kustomization" {
            self.rules.extend(HealthRules::from_kustomization(&document.object));
        }
        if !self.sorts.contains_key(&name) {
            let sketch = Sketch::from_object(&document);
            let known = match index.and_then(|index| index.kind(&name.0, &name.1)) {
                Some(kind) => kind,
                None => sketch.describe(&name, self.definitions.get(&name)),
            };
            let wanted = WantedKind::from_query(self.query, &known, &self.rules).unwrap_or_else(|error| {
                self.failure.get_or_insert(error);
                None
            });
            let sort = KindObjects { sketch, wanted, taken: KeptObjects::default(), is_looked_at_again: false };
            self.sorts.insert(name.clone(), sort);
        }
        if graph_kinds::is_defining_kind(&name.0, &name.1) {
            self.instances.extend(graph_kinds::defined_kind(&document.object));
        }
        if let Some(sort) = self.sorts.get_mut(&name) {
            sort.sketch.see(&document);
            sort.taken.add(document, sort.wanted.as_ref(), self.query);
        }
    }

    /// Returns the weight of what is kept of an object beside the object itself.
    fn weight_of_facts(&self, name: &GroupKind, document: &LocatedObject) -> usize {
        let kind = if self.sorts.contains_key(name) { 0 } else { KIND + 2 * (name.0.len() + name.1.len()) };
        let of = |pointer: &str| document.object.pointer(pointer).map_or(0, weight_of);
        kind + match name.1.as_str() {
            "CustomResourceDefinition" => kinds::definition(document).map_or(0, |(_, spec)| KIND + weight_of(&spec)),
            "Kustomization" => of("/spec/healthCheckExprs") + of("/spec/healthChecks"),
            "ConfigMap" if matches!(document.full_name().1.as_str(), SETTINGS | PARAMETERS) => {
                weight_of(&document.object)
            }
            "AppProject" => ENTRY,
            _ if graph_kinds::is_defining_kind(&name.0, &name.1) => ENTRY,
            _ => 0,
        }
    }

    /// Determines the kinds after all objects were read. Returns true if the snapshot has to be read again.
    ///
    /// # Errors
    /// Fails when the query is invalid.
    pub(super) fn settle(&mut self, index: Option<&SnapshotIndex>) -> Result<bool> {
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        self.config_maps = self.settings.count;
        let (rules, reasons) = std::mem::take(&mut self.settings).finish();
        self.rules.extend(rules);
        self.unusable_rules.extend(reasons);
        for (kind, name) in self.kinds(index) {
            let Some(sort) = name.and_then(|name| self.sorts.get_mut(&name)) else { continue };
            let wanted = WantedKind::from_query(self.query, &kind, &self.rules)?;
            let is_as_thought = wanted.as_ref().map(|wanted| wanted.want) == sort.wanted.as_ref().map(|one| one.want);
            if !is_as_thought {
                sort.taken = KeptObjects::default();
                sort.is_looked_at_again = wanted.is_some();
                sort.wanted = wanted;
            }
        }
        self.is_second_look = self.sorts.values().any(|sort| sort.is_looked_at_again);
        Ok(self.is_second_look)
    }

    /// All kinds, with the group and kind of their objects, if there are any.
    fn kinds(&self, index: Option<&SnapshotIndex>) -> Vec<(Arc<ResourceKind>, Option<GroupKind>)> {
        let mut left: BTreeSet<&GroupKind> = self.sorts.keys().collect();
        let mut kinds = Vec::new();
        // In the server's order, including kinds without objects. If two resources have the same kind, the first one
        // gets the objects.
        for entry in index.into_iter().flat_map(|index| &index.kinds) {
            let name = (entry.group.clone(), entry.kind.clone());
            kinds.push((entry.resource_kind(), left.remove(&name).then_some(name)));
        }
        for name in left {
            // The index is complete for the objects of its snapshot; a kind that was added later is guessed from its
            // objects.
            let definition = self.definitions.get(name).filter(|_| index.is_none());
            kinds.push((self.sorts[name].sketch.describe(name, definition), Some(name.clone())));
        }
        kinds.iter_mut().for_each(|(kind, _)| graph_kinds::add_instance_category(kind, &self.instances));
        kinds
    }

    /// Returns the kinds that a definition serves, and that are neither in the index nor have objects.
    fn unlisted_kinds(&self, index: &SnapshotIndex) -> Vec<ResourceKind> {
        let is_listed = |(group, kind): &&GroupKind| {
            let is_it = |entry: &KindEntry| entry.group == *group && entry.kind == *kind;
            index.kinds.iter().any(is_it)
        };
        let missing = self.established.iter().filter(|name| !is_listed(name) && !self.sorts.contains_key(*name));
        missing.filter_map(|name| kinds::served(self.definitions.get(name)?)).collect()
    }

    /// Returns the gathered resources.
    pub(super) fn done(mut self, index: Option<&SnapshotIndex>) -> GatheredObjects {
        let mut gathered = GatheredObjects {
            rules: std::mem::take(&mut self.rules),
            unreadable: std::mem::take(&mut self.unusable_rules),
            unlisted: index.map(|index| self.unlisted_kinds(index)).unwrap_or_default(),
            definitions: self.definitions.len(),
            config_maps: self.config_maps,
            ..GatheredObjects::default()
        };
        if self.refused > 0 {
            let what = format!("{} objects, definitions, or rules of further kinds", self.refused);
            gathered.unreadable.push(Unreadable { what, reason: Overweight::Run.to_string() });
        }
        for (kind, name) in self.kinds(index) {
            gathered.listed.push(Arc::clone(&kind));
            if (self.query.want)(&kind).is_none() {
                gathered.unwanted.insert(kind.qualified_plural());
                continue;
            }
            let taken = name.and_then(|name| self.sorts.remove(&name)).map(|sort| sort.taken).unwrap_or_default();
            gathered.unreadable.extend(missing_objects(&kind, &taken, index));
            gathered.add(kind, taken, index);
        }
        gathered
    }
}

/// Returns an entry for a kind of which the snapshot has fewer objects than its index counts: a file was lost.
fn missing_objects(kind: &ResourceKind, taken: &KeptObjects, index: Option<&SnapshotIndex>) -> Option<Unreadable> {
    let is_same = |entry: &&KindEntry| entry.group == kind.group && entry.kind == kind.kind;
    let entries: Vec<&KindEntry> = index?.kinds.iter().filter(is_same).collect();
    // Objects of several resources of one kind cannot be told apart.
    let [entry] = entries.as_slice() else { return None };
    let (counted, found) = (entry.objects?, taken.places.len());
    let missing = counted.checked_sub(found).filter(|missing| *missing > 0 && taken.overweight.is_none())?;
    let reason =
        format!("{missing} of the {counted} objects that the index of the snapshot counts are not in its files");
    Some(Unreadable { what: kind.qualified_plural(), reason })
}

impl GatheredObjects {
    fn add(&mut self, kind: Arc<ResourceKind>, taken: KeptObjects, index: Option<&SnapshotIndex>) {
        let KeptObjects { mut each, twice, namesakes, overweight, .. } = taken;
        self.unreadable.extend(namesakes.into_iter().map(|name| Unreadable {
            what: name.to_string(),
            reason: "it occurs twice, with different UIDs: the files are of different clusters or times".to_owned(),
        }));
        self.unreadable.extend(
            overweight.map(|overweight| Unreadable { what: kind.qualified_plural(), reason: overweight.to_string() }),
        );
        if index.is_some() {
            // In the order of a server's list.
            each.sort_by_cached_key(|one| one.as_ref().map(KeptObject::place_in_list));
        }
        self.twice.extend(twice);
        for one in each.into_iter().flatten() {
            match one {
                KeptObject::Kept(mut resource) => {
                    resource.kind = Arc::clone(&kind);
                    self.resources.push(resource);
                }
                KeptObject::Broken { place, name, reason, .. } => self.unreadable.push(Unreadable {
                    what: match index {
                        Some(_) => format!("{} {name}", kind.qualified_plural()),
                        None => place,
                    },
                    reason,
                }),
            }
        }
        self.kinds.push(kind);
    }
}

/// The objects of one kind.
struct KindObjects {
    sketch: Sketch,
    wanted: Option<WantedKind>,
    taken: KeptObjects,
    is_looked_at_again: bool,
}

/// Memory of a kind.
const KIND: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use ucp_core::model::body::{BodyShape, KindRequest};

    #[test]
    fn objects_are_read_again_if_a_later_definition_changes_their_kind() {
        let object = |number: usize| json!({"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": format!("w{number}")}});
        let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets"}, "spec": {
            "group": "example.org", "scope": "Cluster", "names": {"kind": "Widget", "plural": "widgets", "categories": ["managed"]},
            "versions": [{"name": "v1", "served": true, "schema": {"openAPIV3Schema": {}}}],
        }});
        let want = |kind: &ResourceKind| kind.in_category("managed").then_some(KindRequest::all(BodyShape::Metadata));
        let query = Query::all(&want);
        let objects = [object(1), object(2), object(1), definition];
        for (order, looks_again) in [([0, 1, 2, 3], true), ([3, 0, 1, 2], false)] {
            let mut gathering = Gathering::new(&query);
            let look = |gathering: &mut Gathering<'_>| {
                for index in order {
                    let document = LocatedObject::new(objects[index].clone(), "");
                    gathering.take(document, None);
                }
            };
            look(&mut gathering);
            assert_eq!(gathering.settle(None).unwrap(), looks_again);
            if looks_again {
                look(&mut gathering);
            }
            let gathered = gathering.done(None);
            let names: Vec<_> = gathered.resources.iter().map(|resource| resource.metadata.name.as_str()).collect();
            assert_eq!(names, ["w2", "w1"], "the last one of two counts");
            assert_eq!((gathered.kinds.len(), gathered.twice.len()), (1, 1));
            assert_eq!(gathered.kinds[0].plural, "widgets");
        }
    }
}
