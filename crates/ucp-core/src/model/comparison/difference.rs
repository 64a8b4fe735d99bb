//! Differences between declared and observed values.

use serde::Serialize;
use serde_json::Value;

use crate::model::path::FieldPath;
use crate::model::variant_words::variant_words;

/// Certainty that two values differ, highest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// They differ.
    Certain,
    /// The spelling differs, in a way in which clouds often normalize values.
    Suspected,
    /// Unknown, because the observation is outdated.
    Unknown,
}

variant_words!(Certainty { Certain = "certain", Suspected = "suspected", Unknown = "unknown" });

/// A field that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedDifference {
    /// Path of the field.
    pub path: FieldPath,
    /// Declared value; absent for a list element that was not declared.
    pub declared: Option<Value>,
    /// Observed value; absent for a list element or tag that no longer exists.
    pub observed: Option<Value>,
    /// Certainty that the values differ in meaning.
    pub certainty: Certainty,
}

/// Fields to exclude from the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExcludedFields {
    /// `*Ref`, `*Refs`, and `*Selector`, including `*SecretRef`: Crossplane resolves them to values, and they are never
    /// observed.
    References,
    /// None: for a whole document.
    Nothing,
    /// None: for a Kubernetes manifest that is compared with the whole live object, so that an absent field is gone.
    NothingOfLive,
}

impl ExcludedFields {
    /// Returns true if a field of this name is excluded.
    pub fn covers(self, name: &str) -> bool {
        self == Self::References && ["Ref", "Refs", "Selector"].iter().any(|ending| name.ends_with(ending))
    }
}

/// Result of a comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FieldComparison {
    /// Number of declared scalars with an observed value.
    pub compared: usize,
    /// Number of declared scalars without an observed value.
    pub not_observed: usize,
    /// Fields that differ, in the order of the declaration.
    pub differences: Vec<ObservedDifference>,
}
