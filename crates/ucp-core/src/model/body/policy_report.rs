//! Fields of a policy report: `wgpolicyk8s.io/v1alpha2` and its successor `openreports.io/v1alpha1`, which have the
//! same structure.

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::Deserializer;

use super::narrowed::{DecodedObject, NarrowedFields};
use super::reference::ObjectReference;
use crate::model::metadata::{Metadata, null_as_default};
use crate::model::secrecy::Scrubbed;

/// A policy report, of which only violations and errors are kept.
#[derive(Debug, Clone, Default)]
pub struct PolicyReport {
    /// The object of all results, if the report has one.
    pub scope: Option<ObjectReference>,
    /// Results with `fail` or `error`.
    pub broken: Vec<PolicyViolation>,
}

/// A result with `fail` or `error`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct PolicyViolation {
    /// The policy.
    pub policy: String,
    /// The rule of the policy.
    #[serde(deserialize_with = "null_as_default")]
    pub rule: String,
    /// `fail`, or `error` if the policy could not be evaluated.
    pub result: String,
    /// Explanation by the policy.
    #[serde(alias = "description", deserialize_with = "null_as_default")]
    pub message: String,
    /// Time of the evaluation.
    timestamp: ProtoTimestamp,
    /// The objects, if the report has no scope.
    #[serde(deserialize_with = "null_as_default")]
    pub resources: Vec<ObjectReference>,
}

impl PolicyViolation {
    /// Returns the time of the evaluation.
    pub fn at(&self) -> Option<Timestamp> {
        Timestamp::from_second(self.timestamp.seconds).ok().filter(|_| self.timestamp.seconds > 0)
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct ProtoTimestamp {
    seconds: i64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SerializedPolicyReport {
    #[serde(deserialize_with = "null_as_default")]
    metadata: Metadata,
    scope: Option<ObjectReference>,
    #[serde(deserialize_with = "null_as_default")]
    results: Vec<PolicyViolation>,
}

/// Reads a report. Its fields are at the top level.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DecodedObject<PolicyReport>, D::Error> {
    let Scrubbed(SerializedPolicyReport { metadata, scope, mut results }) = Scrubbed::deserialize(deserializer)?;
    results.retain(|result| matches!(result.result.as_str(), "fail" | "error"));
    let body = PolicyReport { scope, broken: results };
    Ok(DecodedObject { metadata, rest: NarrowedFields::from_body(body) })
}
