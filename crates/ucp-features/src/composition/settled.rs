//! A composite before and after its reconciliation.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::composition::blueprint::CompositionPipeline;
use crate::composition::definition::set_field;
use crate::composition::identity::stand_in_uid;
use ucp_client::prediction::dry_run::DryRunPrediction;
use ucp_core::engine::crossplane::PAUSED;
use ucp_core::failure::Failure;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;

/// A composite to predict.
#[derive(Debug, Clone)]
pub struct CompositeSubject {
    /// The composite after the change.
    pub composite: Value,
    /// Presence of the composite on the cluster.
    pub presence: CompositePresence,
}

/// Presence of an object on the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompositePresence {
    /// The object exists.
    Existing,
    /// The object is created by the change: its name and UID are not final.
    New,
}

/// The prediction for one composed resource.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourcePrediction {
    /// Its resource name in the pipeline.
    pub key: String,
    /// The change of the resource.
    pub fate: ResourceChange,
    /// Further remarks to show.
    pub notes: Vec<String>,
    /// True if the name is final, false if core generates it.
    pub name_is_final: bool,
}

/// The change of a composed resource.
#[derive(Debug, Clone, PartialEq)]
pub enum ResourceChange {
    /// The resource is applied.
    Applied {
        /// The applied manifest.
        manifest: Value,
        /// Its kind and the server's prediction; `None` if the cluster does not serve the kind.
        said: Option<Box<(ResourceKind, DryRunPrediction)>>,
    },
    /// The resource is deleted.
    Removed {
        /// The current object.
        live: Value,
    },
    /// The resource remains without a reference to it: its resource name now refers to an object of another kind.
    LeftBehind {
        /// The current object.
        live: Value,
    },
}

/// A composite after its reconciliation.
#[derive(Debug, Clone, PartialEq)]
pub struct CompositePrediction {
    /// The composite after the change.
    pub composite: Value,
    /// Its pipeline; `None` if the composite is not reconciled.
    pub blueprint: Option<CompositionPipeline>,
    /// Predictions for its composed resources.
    pub resources: Vec<ResourcePrediction>,
    /// Warnings of its functions and about the prediction.
    pub warnings: Vec<String>,
    /// Objects that its functions required.
    pub required: BTreeSet<ObjectName>,
    /// Composed resources that are composites and change.
    pub nested: Vec<NestedPrediction>,
}

/// A composed resource that is itself a composite.
#[derive(Debug, Clone, PartialEq)]
pub struct NestedPrediction {
    /// Name of the composite.
    pub name: ObjectName,
    /// Presence of the composite on the cluster.
    pub presence: CompositePresence,
    /// Its prediction, or the reason why there is none.
    pub settled: Result<Box<CompositePrediction>, Failure>,
}

/// Returns the reason why a composite is not reconciled, if any.
pub(super) fn reason_not_reconciled(composite: &Value) -> Option<String> {
    let annotations = composite.pointer("/metadata/annotations");
    if annotations.and_then(|annotations| annotations.get(PAUSED)?.as_str()) == Some("true") {
        return Some(format!("annotation {PAUSED} is set: nothing changes until it is resumed"));
    }
    let is_going = composite.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null());
    is_going.then(|| "it is being deleted: its functions are not called any more".to_owned())
}

impl CompositeSubject {
    /// Creates a subject. A composite that does not exist yet gets a stand-in UID.
    pub fn new(composite: Value, presence: CompositePresence) -> Self {
        Self { composite: with_stand_in_uid(composite, presence), presence }
    }
}

/// Replaces the UID that each dry run generates with a deterministic one.
pub(super) fn with_stand_in_uid(mut object: Value, presence: CompositePresence) -> Value {
    if presence == CompositePresence::New {
        let uid = stand_in_uid(&ObjectName::from_manifest(&object).to_string());
        set_field(&mut object, "/metadata/uid", json!(uid));
    }
    object
}

pub(super) fn assume_ready(object: &mut Value) {
    let ready = json!([{"type": "Ready", "status": "True"}, {"type": "Synced", "status": "True"}]);
    set_field(object, "/status/conditions", ready);
}

/// Returns true if two states of an object differ at most in fields that every write changes.
pub(super) fn is_equivalent(left: &Value, right: &Value) -> bool {
    const VOLATILE: [&str; 4] = ["creationTimestamp", "generation", "managedFields", "resourceVersion"];
    let still = |object: &Value| {
        let mut object = object.clone();
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            VOLATILE.iter().for_each(|field| drop(metadata.remove(*field)));
        }
        // An empty status equals an absent one.
        if let Some(fields) = object.as_object_mut()
            && fields.get("status").and_then(Value::as_object).is_some_and(serde_json::Map::is_empty)
        {
            fields.remove("status");
        }
        object
    };
    still(left) == still(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resource_versions_are_not_a_difference() {
        let of = |version: &str, size: u8| json!({"metadata": {"resourceVersion": version, "name": "a"}, "spec": {"size": size}, "status": {}});
        assert!(is_equivalent(&of("1", 1), &of("2", 1)) && !is_equivalent(&of("1", 1), &of("1", 2)));
        assert!(is_equivalent(&of("1", 1), &json!({"metadata": {"name": "a"}, "spec": {"size": 1}})));
    }

    #[test]
    fn paused_and_deleted_objects_are_not_reconciled() {
        let paused = json!({"metadata": {"annotations": {PAUSED: "true"}}});
        assert!(reason_not_reconciled(&paused).unwrap().contains(PAUSED));
        assert!(reason_not_reconciled(&json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})).is_some());
        assert!(reason_not_reconciled(&json!({"metadata": {"annotations": {PAUSED: "false"}}})).is_none());
    }

    #[test]
    fn a_new_object_has_the_same_uid_each_time() {
        let object = |uid: &str| json!({"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "n", "uid": uid}});
        assert_eq!(
            with_stand_in_uid(object("1"), CompositePresence::New),
            with_stand_in_uid(object("2"), CompositePresence::New)
        );
        assert_eq!(with_stand_in_uid(object("1"), CompositePresence::Existing), object("1"));
    }
}
