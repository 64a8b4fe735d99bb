//! A composite before and after: what is looked at, and what becomes of it once nothing changes any more.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::composition::blueprint::Blueprint;
use crate::composition::definition::set;
use crate::composition::identity::stand_in_uid;
use crate::engine::crossplane::PAUSED;
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::prediction::dry_run::Prediction;

/// A composite to be looked at.
#[derive(Debug, Clone)]
pub struct Subject {
    /// As it would be.
    pub composite: Value,
    /// Whether it is there already.
    pub presence: Presence,
}

/// Whether an object is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It is.
    Existing,
    /// It comes with the change: its name and UID are not final.
    New,
}

/// What becomes of one composed resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Foretold {
    /// The name that the pipeline has for it.
    pub key: String,
    /// What becomes of it.
    pub fate: Fate,
    /// What is to be known of it besides.
    pub notes: Vec<String>,
    /// Whether its name is what it will be.
    pub name_is_final: bool,
}

/// What becomes of a composed resource.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// It is applied.
    Applied {
        /// What is applied.
        manifest: Value,
        /// Its kind, and what the server says; absent where the cluster does not serve the kind.
        said: Option<Box<(ResourceKind, Prediction)>>,
    },
    /// It is deleted.
    Removed {
        /// What there is.
        live: Value,
    },
    /// It stays, and nobody looks after it any more: its name stands for an object of another kind.
    LeftBehind {
        /// What there is.
        live: Value,
    },
}

/// A composite, once nothing changes any more.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// As it would be.
    pub composite: Value,
    /// What it is made by; absent where nothing is made.
    pub blueprint: Option<Blueprint>,
    /// What becomes of what it is made of.
    pub resources: Vec<Foretold>,
    /// What its functions warn of, and what is odd.
    pub warnings: Vec<String>,
    /// What its functions required.
    pub required: BTreeSet<ObjectName>,
    /// Composites among what it is made of that change, or why they could not be looked at.
    pub nested: Vec<Nested>,
}

/// A composite among what a composite is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Nested {
    /// The composite.
    pub name: ObjectName,
    /// Whether it is there already.
    pub presence: Presence,
    /// What becomes of it, or why it could not be looked at.
    pub settled: Result<Box<Settled>, String>,
}

/// Why nothing happens to a composite.
pub(super) fn stands_still(composite: &Value) -> Option<String> {
    let annotations = composite.pointer("/metadata/annotations");
    if annotations.and_then(|annotations| annotations.get(PAUSED)?.as_str()) == Some("true") {
        return Some(format!("annotation {PAUSED} is set: nothing happens until it is resumed"));
    }
    let is_going = composite.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null());
    is_going.then(|| "it is being deleted: its functions are not asked any more".to_owned())
}

impl Subject {
    /// A composite. What is not there yet has no UID of its own.
    pub fn new(composite: Value, presence: Presence) -> Self {
        Self { composite: with_stand_in(composite, presence), presence }
    }
}

/// What a dry run makes up anew each time is made up once.
pub(super) fn with_stand_in(mut object: Value, presence: Presence) -> Value {
    if presence == Presence::New {
        let uid = stand_in_uid(&ObjectName::of(&object).to_string());
        set(&mut object, "/metadata/uid", json!(uid));
    }
    object
}

pub(super) fn assume_ready(object: &mut Value) {
    let ready = json!([{"type": "Ready", "status": "True"}, {"type": "Synced", "status": "True"}]);
    set(object, "/status/conditions", ready);
}

/// Whether two states of an object are the same but for what every write changes.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    const VOLATILE: [&str; 4] = ["creationTimestamp", "generation", "managedFields", "resourceVersion"];
    let still = |object: &Value| {
        let mut object = object.clone();
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            VOLATILE.iter().for_each(|field| drop(metadata.remove(*field)));
        }
        // An empty status is none.
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
    fn what_every_write_changes_is_no_change() {
        let of = |version: &str, size: u8| json!({"metadata": {"resourceVersion": version, "name": "a"}, "spec": {"size": size}, "status": {}});
        assert!(same(&of("1", 1), &of("2", 1)) && !same(&of("1", 1), &of("1", 2)));
        assert!(same(&of("1", 1), &json!({"metadata": {"name": "a"}, "spec": {"size": 1}})));
    }

    #[test]
    fn nothing_happens_to_what_is_paused_or_goes() {
        let paused = json!({"metadata": {"annotations": {PAUSED: "true"}}});
        assert!(stands_still(&paused).unwrap().contains(PAUSED));
        assert!(stands_still(&json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})).is_some());
        assert!(stands_still(&json!({"metadata": {"annotations": {PAUSED: "false"}}})).is_none());
    }

    #[test]
    fn a_new_object_has_the_same_uid_each_time() {
        let object = |uid: &str| json!({"apiVersion": "a/v1", "kind": "A", "metadata": {"name": "n", "uid": uid}});
        assert_eq!(with_stand_in(object("1"), Presence::New), with_stand_in(object("2"), Presence::New));
        assert_eq!(with_stand_in(object("1"), Presence::Existing), object("1"));
    }
}
