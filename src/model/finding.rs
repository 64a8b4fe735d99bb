//! What is wrong, with which object, since when, and what to do.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::object::ObjectName;
use crate::model::verdict::Verdict;

/// A finding of the `ucp/v1` document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Stable code, such as `UCP110`; `kubectl ucp explain` tells what it means.
    pub code: String,
    /// How bad it is.
    pub verdict: Verdict,
    /// The object, or the first of several that are alike.
    pub object: ObjectName,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The cause, in the engine's own words.
    pub message: String,
    /// The next command to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Other objects with the very same finding.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<ObjectName>,
    /// Objects that are not well because of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub holds_up: Vec<ObjectName>,
}
