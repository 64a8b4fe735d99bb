//! Findings: an object, its problem, and the next step.

use jiff::Timestamp;
use serde::Serialize;

use crate::model::object::ObjectName;
use crate::model::verdict::Verdict;

/// A finding of the `ucp/v1` document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Stable code, such as `UCP110`; `kubectl ucp explain` describes it.
    pub code: String,
    /// Severity.
    pub verdict: Verdict,
    /// The object, or the first of several with the same problem.
    pub object: ObjectName,
    /// Start of the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The deployment right before it, if the object's own status shows it with certainty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<PrecedingDeployment>,
    /// The cause, as reported by the engine.
    pub message: String,
    /// The next command to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Other objects with the same finding.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<ObjectName>,
    /// Objects with problems that this finding causes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub holds_up: Vec<ObjectName>,
}

/// A deployment of another revision right before a problem began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrecedingDeployment {
    /// The commit, the revision of Flux, or the version of a chart; several are separated by commas.
    pub revision: String,
    /// The name of the chart, for a release of Helm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chart: Option<String>,
    /// The time of the deployment.
    pub time: Timestamp,
    /// The images that run with this revision, if there are few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<String>,
}
