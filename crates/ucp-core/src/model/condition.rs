//! Conditions, as written by nearly every controller.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;

use super::shared::SharedValues;
use crate::model::variant_words::variant_words;
use crate::model::word::SharedText;

/// One of `status.conditions`, as in `metav1.Condition`. Conditions of Argo CD have no status: their presence means
/// true.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "SerializedCondition")]
pub struct Condition {
    said: Arc<ConditionContent>,
    /// When the status last changed.
    pub last_transition_time: Option<Timestamp>,
    /// The observed generation, which Crossplane 2 writes here instead of into the status.
    pub observed_generation: Option<i64>,
}

/// Content of a condition, which is the same in thousands of objects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ConditionContent {
    /// Type, such as `Ready`.
    pub kind: SharedText,
    /// Status.
    pub status: ConditionStatus,
    /// Reason, in one word.
    pub reason: SharedText,
    /// Message, without secrets.
    pub message: String,
}

/// Number of values cached per thread.
const REMEMBERED: usize = 256;

thread_local! {
    static KNOWN: RefCell<SharedValues<Arc<ConditionContent>>> = RefCell::new(SharedValues::new(REMEMBERED));
}

impl Deref for Condition {
    type Target = ConditionContent;

    fn deref(&self) -> &ConditionContent {
        &self.said
    }
}

/// Serialized form of a condition.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SerializedCondition {
    #[serde(rename = "type", default)]
    kind: SharedText,
    #[serde(default)]
    status: ConditionStatus,
    #[serde(default)]
    reason: SharedText,
    #[serde(default, deserialize_with = "super::secrecy::text")]
    message: String,
    #[serde(default, deserialize_with = "super::metadata::lenient_time")]
    last_transition_time: Option<Timestamp>,
    #[serde(default)]
    observed_generation: Option<i64>,
}

impl From<SerializedCondition> for Condition {
    fn from(wire: SerializedCondition) -> Self {
        let SerializedCondition { kind, status, reason, message, last_transition_time, observed_generation } = wire;
        let said = ConditionContent { kind, status, reason, message };
        Self { said: KNOWN.with_borrow_mut(|known| known.share(said)), last_transition_time, observed_generation }
    }
}

/// Status of a condition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
pub enum ConditionStatus {
    /// The condition is true.
    True,
    /// The condition is false.
    False,
    /// The controller reports no or another status.
    #[default]
    #[serde(other)]
    Unknown,
}

variant_words!(ConditionStatus { True = "True", False = "False", Unknown = "Unknown" });

/// Lookup of conditions by type.
pub trait FindCondition {
    /// Returns the condition of a type.
    fn of_type(&self, kind: &str) -> Option<&Condition>;

    /// Returns the condition of a type if it has this status.
    fn with_status(&self, kind: &str, status: ConditionStatus) -> Option<&Condition> {
        self.of_type(kind).filter(|condition| condition.status == status)
    }
}

impl FindCondition for [Condition] {
    fn of_type(&self, kind: &str) -> Option<&Condition> {
        self.iter().find(|condition| condition.kind == kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_conditions_share_their_text_across_times() {
        let read = |time: &str, message: &str| -> Condition {
            let text = format!(
                r#"{{"type":"Ready","status":"False","reason":"R","message":"{message}","lastTransitionTime":"{time}"}}"#
            );
            serde_json::from_str(&text).unwrap()
        };
        let (one, two) = (read("2026-11-20T09:00:00Z", "a"), read("2026-11-21T09:00:00Z", "a"));
        assert!(Arc::ptr_eq(&one.said, &two.said));
        assert_ne!(one.last_transition_time, two.last_transition_time);
        let other = read("2026-11-20T09:00:00Z", "b");
        assert_eq!((other.message.as_str(), other.reason.as_str(), other.status), ("b", "R", ConditionStatus::False));
        assert_ne!(one, other);
    }
}
