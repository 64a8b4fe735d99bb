//! Conditions, which nearly every controller writes.

use jiff::Timestamp;
use serde::Deserialize;

use crate::model::word::Word;

/// One of `status.conditions`, as `metav1.Condition` has it. Argo CD's have no status: presence is truth.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// Type, such as `Ready`.
    #[serde(rename = "type", default)]
    pub kind: Word,
    /// Whether it holds.
    #[serde(default)]
    pub status: Truth,
    /// One word from the engine.
    #[serde(default)]
    pub reason: Word,
    /// Some words from the engine, without secrets.
    #[serde(default, deserialize_with = "super::secrecy::text")]
    pub message: String,
    /// When the status last changed.
    #[serde(default, deserialize_with = "super::metadata::lenient_time")]
    pub last_transition_time: Option<Timestamp>,
    /// The generation that it speaks of: Crossplane 2 writes it here and not into the status.
    #[serde(default)]
    pub observed_generation: Option<i64>,
}

/// Whether a condition holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum Truth {
    /// It holds.
    True,
    /// It does not.
    False,
    /// The controller does not know, or does not say.
    #[default]
    #[serde(other)]
    Unknown,
}

impl Truth {
    /// As kubectl prints it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

/// Finding one condition among many.
pub trait Conditions {
    /// The condition of a type.
    fn of(&self, kind: &str) -> Option<&Condition>;

    /// The condition of a type, if it has this status.
    fn when(&self, kind: &str, status: Truth) -> Option<&Condition> {
        self.of(kind).filter(|condition| condition.status == status)
    }
}

impl Conditions for [Condition] {
    fn of(&self, kind: &str) -> Option<&Condition> {
        self.iter().find(|condition| condition.kind == kind)
    }
}
