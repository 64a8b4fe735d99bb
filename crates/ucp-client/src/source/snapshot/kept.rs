//! The objects of one kind of a snapshot, with the fields that a query requests.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde::de::DeserializeSeed as _;
use serde_json::Value;

use super::located::LocatedObject;
use crate::source::Query;
use ucp_core::error::{Error, Result};
use ucp_core::model::body::{KeepAmount, KindRequest};
use ucp_core::model::health_rule::HealthRules;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::seed::{ResourceSeed, describe_decode_error};
use ucp_core::model::selector::LabelSelector;
use ucp_core::model::trace::ObjectTrace;
use ucp_core::model::weight::{KeptWeight, Overweight, weight_of};

/// The part of a query for one kind.
pub(super) struct WantedKind {
    pub(super) want: KindRequest,
    selector: LabelSelector,
    kind: Arc<ResourceKind>,
}

impl WantedKind {
    pub(super) fn from_query(query: &Query<'_>, kind: &Arc<ResourceKind>, rules: &HealthRules) -> Result<Option<Self>> {
        let Some(want) = (query.want)(kind).map(|want| want.under_rules(kind, rules)) else { return Ok(None) };
        let selector = want.selector.unwrap_or_default().parse().map_err(Error::usage)?;
        Ok(Some(Self { want, selector, kind: Arc::clone(kind) }))
    }
}

/// Memory of the entry of an object.
pub(super) const ENTRY: usize = 512;

/// The objects of one kind that were kept.
#[derive(Default)]
pub(super) struct KeptObjects {
    /// The objects in order; `None` in place of one that is repeated later, or not selected.
    pub(super) each: Vec<Option<KeptObject>>,
    /// Indexes by namespace and name.
    pub(super) places: HashMap<(String, String), usize>,
    pub(super) twice: BTreeSet<ObjectName>,
    /// Names of several objects: files of different clusters, or times.
    pub(super) namesakes: BTreeSet<ObjectName>,
    /// What the above take in memory, without the objects.
    held: KeptWeight,
    /// The limit because of which not all objects were kept, so that the list was not read.
    pub(super) overweight: Option<Overweight>,
}

/// An object, or the reason why it could not be decoded.
pub(super) enum KeptObject {
    Kept(Resource),
    Broken { place: String, namespace: String, name: String, reason: String },
}

impl KeptObject {
    pub(super) fn place_in_list(&self) -> String {
        let (namespace, name) = match self {
            Self::Kept(resource) => {
                (resource.metadata.namespace.as_deref().unwrap_or_default(), &resource.metadata.name)
            }
            Self::Broken { namespace, name, .. } => (namespace.as_str(), name),
        };
        if namespace.is_empty() { name.clone() } else { format!("{namespace}/{name}") }
    }
}

impl KeptObjects {
    pub(super) fn add(&mut self, document: LocatedObject, wanted: Option<&WantedKind>, query: &Query<'_>) {
        let Some(WantedKind { want, selector, kind }) = wanted else { return };
        if self.overweight.is_none() {
            self.overweight = self.try_add(document, (want, selector, kind), query).err();
        }
    }

    fn try_add(
        &mut self,
        document: LocatedObject,
        (want, selector, kind): (&KindRequest, &LabelSelector, &Arc<ResourceKind>),
        query: &Query<'_>,
    ) -> Result<(), Overweight> {
        let full_name = document.full_name();
        self.held.grow(ENTRY + 2 * (full_name.0.len() + full_name.1.len()))?;
        // Dumps overlap. The last occurrence of an object is used.
        if let Some(before) = self.places.insert(full_name.clone(), self.each.len()) {
            let new = document.object.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default();
            if let Some(KeptObject::Kept(old)) = self.each[before].take()
                && !old.metadata.uid.is_empty()
                && !new.is_empty()
                && old.metadata.uid != new.into()
            {
                self.namesakes.insert(ObjectName::from_manifest(&document.object));
            }
            if !full_name.1.is_empty() {
                self.twice.insert(ObjectName::from_manifest(&document.object));
            }
        }
        let seed = ResourceSeed { kind, shape: want.shape };
        self.each.push(match seed.deserialize(&document.object) {
            Ok(resource) if selector.matches(&resource.metadata) && is_in(&resource, want.within(query.namespace)) => {
                let (trace, trace_weight) = match (want.traces, query.traces) {
                    // The cache has the weight.
                    (Some(request), Some(cache)) => (cache.trace(&document.object, request)?, 0),
                    (Some(request), None) => {
                        let trace = ObjectTrace::from_object(&document.object, request).map(Arc::new);
                        let weight = trace.as_deref().map_or(0, ObjectTrace::weight);
                        (trace, weight)
                    }
                    (None, _) => (None, 0),
                };
                let is_whole = want.keep == KeepAmount::Whole;
                let weight = if is_whole { weight_of(&document.object) } else { 0 };
                let weight = KeptWeight::reserve(weight + trace_weight)?;
                let whole = is_whole.then(|| Arc::new(document.object));
                Some(KeptObject::Kept(resource.with_weight(weight).with_whole(whole).with_trace(trace)))
            }
            Ok(_) => None,
            Err(error) if Overweight::from_error(&error) == Some(Overweight::Run) => return Err(Overweight::Run),
            Err(error) => Some(KeptObject::Broken {
                place: format!("{} in {}", document.title(), document.place),
                namespace: scrub(&full_name.0).into_owned(),
                name: scrub(&full_name.1).into_owned(),
                reason: describe_decode_error(&error),
            }),
        });
        Ok(())
    }
}

fn is_in(resource: &Resource, namespace: Option<&str>) -> bool {
    match (namespace, &resource.metadata.namespace) {
        (Some(wanted), Some(actual)) => wanted == actual,
        _ => true,
    }
}
