//! From objects as they go by to a state: of each only what is asked for is kept, and no object waits for another one.
//!
//! What a kind is, its definition tells, or all of its objects together, and either may come last. So each kind is taken for
//! what is known when its first object comes. If in the end it is another one, of which something else is wanted, the
//! snapshot is read once more for it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use serde::de::DeserializeSeed as _;
use serde_json::Value;

use super::index::Index;
use super::kinds::{self, Sketch};
use super::manifest::Document;
use super::moment;
use crate::error::{Error, Result};
use crate::model::body::{Keep, Want};
use crate::model::graph_kinds;
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::seed::{ResourceSeed, broken_promise};
use crate::model::selector::LabelSelector;
use crate::model::state::Unreadable;
use crate::source::Query;

/// Group and kind.
type Name = (String, String);

/// What was kept of a snapshot so far.
pub(super) struct Gathering<'q> {
    query: &'q Query<'q>,
    sorts: BTreeMap<Name, Sort>,
    /// The specs of definitions, without schemas.
    definitions: BTreeMap<Name, Value>,
    /// Kinds that objects define otherwise.
    instances: BTreeSet<Name>,
    newest: Option<Timestamp>,
    objects: usize,
    is_second_look: bool,
    failure: Option<Error>,
}

/// What was read of a state, kind by kind.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) kinds: Vec<Arc<ResourceKind>>,
    pub(super) resources: Vec<Resource>,
    pub(super) unreadable: Vec<Unreadable>,
    /// Kinds of which nothing was asked.
    pub(super) unwanted: BTreeSet<String>,
    /// Objects that stood there more than once.
    pub(super) twice: Vec<ObjectName>,
}

impl<'q> Gathering<'q> {
    pub(super) fn new(query: &'q Query<'q>) -> Self {
        Self {
            query,
            sorts: BTreeMap::new(),
            definitions: BTreeMap::new(),
            instances: BTreeSet::new(),
            newest: None,
            objects: 0,
            is_second_look: false,
            failure: None,
        }
    }

    /// The newest time in the objects: a snapshot speaks of the moment it was taken, and nothing in it is younger.
    pub(super) fn newest(&self) -> Option<Timestamp> {
        self.newest
    }

    /// The one namespace that was asked for.
    pub(super) fn namespace(&self) -> Option<String> {
        self.query.namespace.map(str::to_owned)
    }

    /// Whether there was no object.
    pub(super) fn is_empty(&self) -> bool {
        self.objects == 0
    }

    /// Takes an object, and what is known of the snapshot by now.
    pub(super) fn take(&mut self, document: Document, index: Option<&Index>) {
        let name = document.kind();
        if self.is_second_look {
            if let Some(sort) = self.sorts.get_mut(&name).filter(|sort| sort.is_looked_at_again) {
                sort.taken.add(document, sort.wanted.as_ref(), self.query.namespace);
            }
            return;
        }
        self.objects += 1;
        moment::visit(&document.object, &mut self.newest);
        if let Some((defined, spec)) = kinds::definition(&document) {
            self.definitions.insert(defined, spec);
        }
        if !self.sorts.contains_key(&name) {
            let sketch = Sketch::of(&document);
            let known = match index.and_then(|index| index.kind(&name.0, &name.1)) {
                Some(kind) => kind,
                None => sketch.describe(&name, self.definitions.get(&name)),
            };
            let wanted = Wanted::of(self.query, &known).unwrap_or_else(|error| {
                self.failure.get_or_insert(error);
                None
            });
            let sort = Sort { sketch, wanted, taken: Taken::default(), is_looked_at_again: false };
            self.sorts.insert(name.clone(), sort);
        }
        if graph_kinds::defines(&name.0, &name.1) {
            self.instances.extend(graph_kinds::defined(&document.object));
        }
        if let Some(sort) = self.sorts.get_mut(&name) {
            sort.sketch.see(&document);
            sort.taken.add(document, sort.wanted.as_ref(), self.query.namespace);
        }
    }

    /// What the kinds are, now that everything went by; says whether another look is needed.
    ///
    /// # Errors
    /// When what is wanted cannot be asked.
    pub(super) fn settle(&mut self, index: Option<&Index>) -> Result<bool> {
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        for (kind, name) in self.kinds(index) {
            let Some(sort) = name.and_then(|name| self.sorts.get_mut(&name)) else { continue };
            let wanted = Wanted::of(self.query, &kind)?;
            let is_as_thought = wanted.as_ref().map(|wanted| wanted.want) == sort.wanted.as_ref().map(|one| one.want);
            if !is_as_thought {
                sort.taken = Taken::default();
                sort.is_looked_at_again = wanted.is_some();
                sort.wanted = wanted;
            }
        }
        self.is_second_look = self.sorts.values().any(|sort| sort.is_looked_at_again);
        Ok(self.is_second_look)
    }

    /// Every kind, with the name of the objects that are its own.
    fn kinds(&self, index: Option<&Index>) -> Vec<(Arc<ResourceKind>, Option<Name>)> {
        let mut left: BTreeSet<&Name> = self.sorts.keys().collect();
        let mut kinds = Vec::new();
        // In the order that the server has them in, those without objects too. Of two resources of one kind the first has
        // its objects.
        for entry in index.into_iter().flat_map(|index| &index.kinds) {
            let name = (entry.group.clone(), entry.kind.clone());
            kinds.push((entry.resource_kind(), left.remove(&name).then_some(name)));
        }
        for name in left {
            // An index knows what its snapshot took; what somebody added is what it looks like.
            let definition = self.definitions.get(name).filter(|_| index.is_none());
            kinds.push((self.sorts[name].sketch.describe(name, definition), Some(name.clone())));
        }
        kinds.iter_mut().for_each(|(kind, _)| graph_kinds::mark(kind, &self.instances));
        kinds
    }

    /// Everything that was asked for.
    pub(super) fn done(mut self, index: Option<&Index>) -> Gathered {
        let mut gathered = Gathered::default();
        for (kind, name) in self.kinds(index) {
            if (self.query.want)(&kind).is_none() {
                gathered.unwanted.insert(kind.qualified_plural());
                continue;
            }
            let taken = name.and_then(|name| self.sorts.remove(&name)).map(|sort| sort.taken).unwrap_or_default();
            gathered.add(kind, taken, index);
        }
        gathered
    }
}

impl Gathered {
    fn add(&mut self, kind: Arc<ResourceKind>, taken: Taken, index: Option<&Index>) {
        let Taken { mut each, twice, places: _ } = taken;
        if index.is_some() {
            // As a server lists them.
            each.sort_by_cached_key(|one| one.as_ref().map(One::place_in_list));
        }
        self.twice.extend(twice);
        for one in each.into_iter().flatten() {
            match one {
                One::Kept(mut resource) => {
                    resource.kind = Arc::clone(&kind);
                    self.resources.push(resource);
                }
                One::Broken { place, name, reason, .. } => self.unreadable.push(Unreadable {
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

/// Objects of one kind.
struct Sort {
    sketch: Sketch,
    wanted: Option<Wanted>,
    taken: Taken,
    is_looked_at_again: bool,
}

/// What is wanted of a kind.
struct Wanted {
    want: Want,
    selector: LabelSelector,
    kind: Arc<ResourceKind>,
}

impl Wanted {
    fn of(query: &Query<'_>, kind: &Arc<ResourceKind>) -> Result<Option<Self>> {
        let Some(want) = (query.want)(kind) else { return Ok(None) };
        let selector = want.selector.unwrap_or_default().parse().map_err(Error::usage)?;
        Ok(Some(Self { want, selector, kind: Arc::clone(kind) }))
    }
}

/// What was kept of the objects of a kind.
#[derive(Default)]
struct Taken {
    /// In their order; nothing in the place of one that stands there again.
    each: Vec<Option<One>>,
    /// By namespace and name.
    places: HashMap<(String, String), usize>,
    twice: BTreeSet<ObjectName>,
}

/// What was kept of an object.
enum One {
    Kept(Resource),
    Broken { place: String, namespace: String, name: String, reason: String },
}

impl One {
    fn place_in_list(&self) -> String {
        let (namespace, name) = match self {
            Self::Kept(resource) => {
                (resource.metadata.namespace.as_deref().unwrap_or_default(), &resource.metadata.name)
            }
            Self::Broken { namespace, name, .. } => (namespace.as_str(), name),
        };
        if namespace.is_empty() { name.clone() } else { format!("{namespace}/{name}") }
    }
}

impl Taken {
    fn add(&mut self, document: Document, wanted: Option<&Wanted>, namespace: Option<&str>) {
        let Some(Wanted { want, selector, kind }) = wanted else { return };
        let full_name = document.full_name();
        // Dumps overlap, and of an object that is in two the later one counts.
        if let Some(before) = self.places.insert(full_name.clone(), self.each.len()) {
            self.each[before] = None;
            if !full_name.1.is_empty() {
                self.twice.insert(ObjectName::of(&document.object));
            }
        }
        let seed = ResourceSeed { kind, shape: want.shape };
        self.each.push(match seed.deserialize(&document.object) {
            Ok(resource) if selector.matches(&resource.metadata) && is_in(&resource, want.within(namespace)) => {
                let whole = (want.keep == Keep::Whole).then(|| Arc::new(document.object));
                Some(One::Kept(resource.with_whole(whole)))
            }
            Ok(_) => None,
            Err(error) => Some(One::Broken {
                place: format!("{} in {}", document.title(), document.place),
                namespace: full_name.0,
                name: full_name.1,
                reason: broken_promise(&error),
            }),
        });
    }
}

fn is_in(resource: &Resource, namespace: Option<&str>) -> bool {
    match (namespace, &resource.metadata.namespace) {
        (Some(wanted), Some(actual)) => wanted == actual,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::body::Shape;
    use serde_json::json;

    #[test]
    fn a_kind_that_turns_out_to_be_another_one_is_looked_at_again() {
        let object = |number: usize| json!({"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": format!("w{number}")}});
        let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets"}, "spec": {
            "group": "example.org", "scope": "Cluster", "names": {"kind": "Widget", "plural": "widgets", "categories": ["managed"]},
            "versions": [{"name": "v1", "served": true, "schema": {"openAPIV3Schema": {}}}],
        }});
        let want = |kind: &ResourceKind| kind.in_category("managed").then_some(Want::all(Shape::Metadata));
        let query = Query { want: &want, namespace: None, progress: &|_, _| {} };
        let objects = [object(1), object(2), object(1), definition];
        for (order, looks_again) in [([0, 1, 2, 3], true), ([3, 0, 1, 2], false)] {
            let mut gathering = Gathering::new(&query);
            let look = |gathering: &mut Gathering<'_>| {
                for index in order {
                    let document = Document { object: objects[index].clone(), place: String::new() };
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
