//! The document `DriftReport`: differences between declared, live, and external state.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::report::Header;
use crate::report::sources::{CombineSources, DocumentSource, DocumentSources, Sourced, set_sources, without_sources};
use ucp_core::model::comparison::{Certainty, ObservedDifference};
use ucp_core::model::field_owner::FieldOwner;
use ucp_core::model::grounds::GroundsEvidence;
use ucp_core::model::object::ObjectName;
use ucp_core::model::path::FieldPath;
use ucp_core::model::secrecy::{SecretHider, scrub, scrub_about};
use ucp_core::model::state::{ClusterState, Origin, Unreadable};
use ucp_features::drift::uncompared::{UncomparedCounts, UncomparedReason};
use ucp_features::drift::{DriftLayer, LayerFindings, ObjectDrift};

/// The document `DriftReport`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DriftReport {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The time of the cluster state.
    pub moment: Timestamp,
    /// The objects that differ, worst first.
    pub items: Vec<Sourced<DriftItem>>,
    /// The number of compared objects for each layer.
    pub checked: BTreeMap<&'static str, usize>,
    /// Objects that could not be read or compared. Their state is unknown; they never count as without drift.
    pub unreadable: Vec<Sourced<Unreadable>>,
    /// Fields of checked objects that were not compared. They count neither as different nor as without drift.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_compared: Vec<Sourced<FieldsNotCompared>>,
    /// The lists that were read completely.
    #[serde(skip)]
    read: Box<GroundsEvidence>,
}

/// Fields of one kind that were not compared.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldsNotCompared {
    /// The kind, as `plural.group`.
    pub what: String,
    /// The number of its objects with such fields.
    pub objects: usize,
    /// The paths of the fields.
    pub fields: Vec<String>,
    /// Why they were not compared.
    pub reason: UncomparedReason,
}

impl FieldsNotCompared {
    fn from_counts(counts: UncomparedCounts) -> impl Iterator<Item = Self> {
        counts.0.into_iter().map(|((reason, what), (objects, paths))| Self {
            what,
            objects,
            // A tag may have any name.
            fields: paths.iter().map(|path| scrub(&path.to_string()).into_owned()).collect(),
            reason,
        })
    }
}

/// One object that differs.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DriftItem {
    /// The object.
    pub object: ObjectName,
    /// The layer: the two states that differ.
    pub layer: DriftLayer,
    /// The certainty of the difference.
    pub certainty: Certainty,
    /// Stable code; `kubectl ucp explain` describes it.
    pub code: String,
    /// The consequence of the difference, or why it is unknown.
    pub message: String,
    /// The time since which it differs, if an engine reports it; for an orphan, its creation time; for stale
    /// observations, the time of the observation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The fields that differ; empty if an engine reports only that the object differs.
    pub differences: Vec<FieldDifference>,
    /// True if an engine corrects the difference itself; absent if that depends on something, or is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub will_be_corrected: Option<bool>,
    /// The Application that manages the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<ObjectName>,
    /// The cluster that holds the object, if it is not the core cluster: its registered name or its URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Both states around the differences, for text output.
    #[serde(skip)]
    pub sides: Option<DriftSides>,
}

/// One field that differs. Secret values are replaced by numbers that are the same for equal values.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldDifference {
    /// The path from the object's root, separated by dots, with indices of list elements.
    pub path: String,
    /// The declared value; absent for an element that is not declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared: Option<Value>,
    /// The observed value; absent for a missing element or tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<Value>,
    /// The certainty of the difference: the values may be two notations of the same value.
    pub certainty: Certainty,
    /// The field manager that set the declared value, if `managedFields` contain it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_by: Option<FieldOwner>,
}

impl FieldDifference {
    /// Returns the difference with secret values hidden. `context` is the object: a value is secret depending on the
    /// fields around it.
    pub fn from_difference(difference: ObservedDifference, context: &Value, hider: &mut SecretHider) -> Self {
        let mut observed = context.clone();
        set_observed(&mut observed, &difference);
        let states = ComparedStates::new(context.clone(), observed, hider);
        Self::from_hidden_difference((states.hide_values(difference, hider), None))
    }

    fn from_hidden_difference((difference, set_by): (ObservedDifference, Option<FieldOwner>)) -> Self {
        let ObservedDifference { path, declared, observed, certainty } = difference;
        Self { path: path.to_string(), declared, observed, certainty, set_by }
    }
}

/// A declaration, and a copy of it with the observed values.
#[derive(Debug, Clone)]
pub struct DriftSides {
    /// The declared object.
    pub declared: Value,
    /// The object with the observed values.
    pub observed: Value,
}

impl DriftReport {
    /// Builds the document from the findings of the layers, with secret values hidden.
    pub fn from_layers(state: &ClusterState, layers: Vec<(DriftLayer, LayerFindings)>, mut hider: SecretHider) -> Self {
        let mut checked = BTreeMap::new();
        let (mut drifts, mut unreadable) = (Vec::new(), state.unreadable.clone());
        let mut not_compared = Vec::new();
        for (layer, findings) in layers {
            checked.insert(layer.as_str(), findings.checked);
            drifts.extend(findings.drifts);
            unreadable.extend(findings.unchecked);
            not_compared.extend(without_sources(FieldsNotCompared::from_counts(findings.uncompared)));
        }
        // Sorted before values are hidden, so that their numbers are in the order of output.
        drifts.sort_by(|left, right| drift_sort_key(left).cmp(&drift_sort_key(right)));
        let items = without_sources(drifts.into_iter().map(|drift| drift_item(drift, &mut hider)));
        let header = Header::new("DriftReport", state.origin.clone());
        let read = Box::new(GroundsEvidence::from_state(state));
        let unreadable = without_sources(unreadable);
        Self { header, moment: state.moment, items, checked, unreadable, not_compared, read }
    }

    /// Returns true if anything differs, certainly or possibly.
    pub fn has_differences(&self) -> bool {
        self.items.iter().any(|item| item.certainty != Certainty::Unknown)
    }

    /// Returns the evidence for the answer that nothing but the items differs.
    pub fn evidence(&self) -> GroundsEvidence {
        let mut evidence = GroundsEvidence::clone(&self.read);
        evidence.add_gaps(self.unreadable.iter().map(|entry| &entry.item));
        for item in self.items.iter().filter(|item| item.certainty == Certainty::Unknown) {
            evidence.add_gap(Unreadable { what: item.object.to_string(), reason: item.message.clone() });
        }
        evidence
    }
}

impl CombineSources for DriftReport {
    fn name_sources(&mut self, sources: Vec<DocumentSource>) {
        self.header.source = DocumentSources::Several(sources);
    }

    fn moment(&self) -> Option<Timestamp> {
        Some(self.moment)
    }

    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>> {
        &mut self.unreadable
    }

    fn mark(&mut self, source: &Arc<Origin>) {
        set_sources(&mut self.items, source);
        set_sources(&mut self.not_compared, source);
    }

    fn add(&mut self, other: Self) {
        self.moment = self.moment.max(other.moment);
        self.items.extend(other.items);
        self.not_compared.extend(other.not_compared);
        self.read.join(&other.read);
        for (layer, number) in other.checked {
            *self.checked.entry(layer).or_default() += number;
        }
    }

    fn sort(&mut self) {
        self.items.sort_by(|left, right| item_sort_key(left).cmp(&item_sort_key(right)));
    }
}

/// The sort key, worst first: certain differences first, and among those the ones that are not corrected.
type DriftSortKey<'a> = (Certainty, DriftLayer, bool, &'a ObjectName);

fn drift_sort_key(drift: &ObjectDrift) -> DriftSortKey<'_> {
    (drift.certainty, drift.layer, drift.will_be_corrected == Some(true), &drift.object)
}

fn item_sort_key(item: &DriftItem) -> DriftSortKey<'_> {
    (item.certainty, item.layer, item.will_be_corrected == Some(true), &item.object)
}

fn drift_item(drift: ObjectDrift, hider: &mut SecretHider) -> DriftItem {
    let context = drift.declaration.unwrap_or(Value::Null);
    let mut observed = context.clone();
    drift.differences.iter().for_each(|(difference, _)| set_observed(&mut observed, difference));
    let message = scrub_about(&drift.message, [&context, &observed]);
    let states = ComparedStates::new(with_kind(context, &drift.object), with_kind(observed, &drift.object), hider);
    let differences: Vec<(ObservedDifference, Option<FieldOwner>)> = drift
        .differences
        .into_iter()
        .map(|(difference, owner)| (states.hide_values(difference, hider), owner))
        .collect();
    let sides = (!differences.is_empty()).then(|| sides(states.hidden_declaration(), &differences));
    let differences = differences.into_iter().map(FieldDifference::from_hidden_difference);
    DriftItem {
        object: drift.object,
        layer: drift.layer,
        certainty: drift.certainty,
        code: drift.code.info().code.to_owned(),
        message,
        since: drift.since,
        differences: differences.collect(),
        will_be_corrected: drift.will_be_corrected.filter(|_| drift.certainty != Certainty::Unknown),
        managed_by: drift.managed_by,
        cluster: drift.cluster,
        sides,
    }
}

/// Returns a declaration with the kind of its object, since a value is secret depending on it.
fn with_kind(mut declaration: Value, object: &ObjectName) -> Value {
    if let Some(fields) = declaration.as_object_mut() {
        fields.entry("apiVersion").or_insert_with(|| object.api_version.clone().into());
        fields.entry("kind").or_insert_with(|| object.kind.clone().into());
    }
    declaration
}

fn set_observed(object: &mut Value, difference: &ObservedDifference) {
    if let Some(value) = &difference.observed {
        difference.path.set(object, value.clone());
    }
}

/// Both states of an object, and the same with secrets hidden: a value is secret depending on the fields around it, and
/// wherever else it is.
struct ComparedStates {
    declared: (Value, Value),
    observed: (Value, Value),
}

impl ComparedStates {
    fn new(declared: Value, observed: Value, hider: &mut SecretHider) -> Self {
        let mut hide = |state: Value| {
            let mut hidden = state.clone();
            hider.hide_whole(&mut hidden);
            (state, hidden)
        };
        Self { declared: hide(declared), observed: hide(observed) }
    }

    /// Hides both values of a difference, and secrets in its path.
    fn hide_values(&self, difference: ObservedDifference, hider: &mut SecretHider) -> ObservedDifference {
        let ObservedDifference { path, declared, observed, certainty } = difference;
        let hidden_path = hider.hidden_path(&path);
        let mut hide = |value: Option<Value>, (state, hidden): &(Value, Value)| {
            let value = value?;
            if path.find(state) == Some(&value) {
                return hidden_path.find(hidden).cloned();
            }
            // An element that another one has replaced, or that is in one state only.
            let mut document = state.clone();
            path.set(&mut document, value);
            hider.hide_whole(&mut document);
            hidden_path.find_set(&document).cloned()
        };
        let (declared, observed) = (hide(declared, &self.declared), hide(observed, &self.observed));
        ObservedDifference { path: hidden_path, declared, observed, certainty }
    }

    /// Returns the declaration with secrets hidden, as it was given: with the fields of the object, and none of its kind.
    fn hidden_declaration(&self) -> Value {
        let mut hidden = self.declared.1.clone();
        if let Some(fields) = hidden.as_object_mut().filter(|fields| !fields.contains_key("metadata")) {
            fields.remove("apiVersion");
            fields.remove("kind");
        }
        hidden
    }
}

fn sides(mut declaration: Value, differences: &[(ObservedDifference, Option<FieldOwner>)]) -> DriftSides {
    let mut observed = declaration.clone();
    let mut gone: Vec<&FieldPath> = Vec::new();
    let mut added: Vec<(&FieldPath, &Value)> = Vec::new();
    for (difference, _) in differences {
        if let Some(value) = &difference.declared {
            difference.path.set(&mut declaration, value.clone());
        }
        match (&difference.declared, &difference.observed) {
            (Some(_), Some(value)) => difference.path.set(&mut observed, value.clone()),
            (Some(_), None) => gone.push(&difference.path),
            (None, Some(value)) => added.push((&difference.path, value)),
            (None, None) => {}
        }
    }
    // Removed from the end, so that the indices of the remaining elements do not change.
    gone.iter().rev().for_each(|path| path.remove(&mut observed));
    added.iter().for_each(|(path, value)| path.append(&mut observed, (*value).clone()));
    DriftSides { declared: declaration, observed }
}
