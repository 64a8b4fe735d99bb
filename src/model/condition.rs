//! Conditions, as written by nearly every controller.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;

use super::shared::Known;
use crate::model::word::Word;

/// One of `status.conditions`, as in `metav1.Condition`. Conditions of Argo CD have no status: their presence means
/// true.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Wire")]
pub struct Condition {
    said: Arc<Said>,
    /// When the status last changed.
    pub last_transition_time: Option<Timestamp>,
    /// The observed generation, which Crossplane 2 writes here instead of into the status.
    pub observed_generation: Option<i64>,
}

/// Content of a condition, which is the same in thousands of objects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Said {
    /// Type, such as `Ready`.
    pub kind: Word,
    /// Status.
    pub status: Truth,
    /// Reason, in one word.
    pub reason: Word,
    /// Message, without secrets.
    pub message: String,
}

/// Number of values cached per thread.
const REMEMBERED: usize = 256;

thread_local! {
    static KNOWN: RefCell<Known<Arc<Said>>> = RefCell::new(Known::new(REMEMBERED));
}

impl Deref for Condition {
    type Target = Said;

    fn deref(&self) -> &Said {
        &self.said
    }
}

/// Serialized form of a condition.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    #[serde(rename = "type", default)]
    kind: Word,
    #[serde(default)]
    status: Truth,
    #[serde(default)]
    reason: Word,
    #[serde(default, deserialize_with = "super::secrecy::text")]
    message: String,
    #[serde(default, deserialize_with = "super::metadata::lenient_time")]
    last_transition_time: Option<Timestamp>,
    #[serde(default)]
    observed_generation: Option<i64>,
}

impl From<Wire> for Condition {
    fn from(wire: Wire) -> Self {
        let Wire { kind, status, reason, message, last_transition_time, observed_generation } = wire;
        let said = Said { kind, status, reason, message };
        Self { said: KNOWN.with_borrow_mut(|known| known.share(said)), last_transition_time, observed_generation }
    }
}

/// Status of a condition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
pub enum Truth {
    /// The condition is true.
    True,
    /// The condition is false.
    False,
    /// The controller reports no or another status.
    #[default]
    #[serde(other)]
    Unknown,
}

impl Truth {
    /// Returns the status as kubectl prints it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

/// Lookup of conditions by type.
pub trait Conditions {
    /// Returns the condition of a type.
    fn of(&self, kind: &str) -> Option<&Condition>;

    /// Returns the condition of a type if it has this status.
    fn when(&self, kind: &str, status: Truth) -> Option<&Condition> {
        self.of(kind).filter(|condition| condition.status == status)
    }
}

impl Conditions for [Condition] {
    fn of(&self, kind: &str) -> Option<&Condition> {
        self.iter().find(|condition| condition.kind == kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_objects_say_alike_is_there_once_whenever_they_say_it() {
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
        assert_eq!((other.message.as_str(), other.reason.as_str(), other.status), ("b", "R", Truth::False));
        assert_ne!(one, other);
    }
}
