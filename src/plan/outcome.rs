//! What planning comes to: every object that a merge would touch, what would happen to it, and what a server said.

use serde::Serialize;
use serde_json::Value;

use crate::model::git_ops::GitOps;
use crate::model::object::ObjectName;
use crate::model::state::Unreadable;
use crate::plan::external::External;
use crate::plan::fan_out::Composed;
use crate::plan::immutable::Immutable;
use crate::prediction::difference::Difference;

/// What a plan is made of.
#[derive(Debug, Default)]
pub struct PlanOutcome {
    /// What was looked at.
    pub deployments: Vec<DeploymentSummary>,
    /// What would be touched.
    pub items: Vec<PlanItem>,
    /// How many objects stay as they are.
    pub unchanged: usize,
    /// Composites that the change reaches and that come out otherwise, where functions were asked.
    pub composites: Vec<CompositePlan>,
    /// How many composites were run and stay as they are.
    pub composites_unchanged: usize,
    /// What is unknown.
    pub unreadable: Vec<Unreadable>,
    /// How many deployments came to objects that could be looked at.
    pub checked: usize,
}

/// An Application or Kustomization that was looked at.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeploymentSummary {
    /// The Application or Kustomization.
    pub object: ObjectName,
    /// Whose it is.
    #[serde(serialize_with = "GitOps::serialize_title")]
    pub engine: GitOps,
    /// The app cluster that it deploys to; absent for the core cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Directories of the checkout that it renders.
    pub paths: Vec<String>,
    /// Objects that it declares after the merge.
    pub objects: usize,
}

/// One object that a merge would touch.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanItem {
    /// The object.
    pub object: ObjectName,
    /// The app cluster that it is in; absent for the core cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The Application or Kustomization that would touch it.
    pub deployed_by: ObjectName,
    /// What a pipeline calls it: the name of the resource within its composite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// What would happen.
    pub action: Action,
    /// What the server said to it.
    pub check: Check,
    /// Why it was rejected, or could not be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The fields that would be different from what the cluster holds. Values of secrets are numbers for themselves.
    pub differences: Vec<PlannedDifference>,
    /// What would happen outside, for a managed resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<External>,
    /// What a claim or composite is made of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub composed: Vec<Composed>,
    /// What else there is to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What the cluster holds, without what does not count and without secret values.
    #[serde(skip)]
    pub before: Option<Value>,
    /// What it would hold.
    #[serde(skip)]
    pub after: Option<Value>,
}

/// A composite that a merge reaches, and what its Composition makes of it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompositePlan {
    /// The composite.
    pub object: ObjectName,
    /// The claim that asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ObjectName>,
    /// The composite that it is a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<ObjectName>,
    /// Objects of the change that reach it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reached_by: Vec<ObjectName>,
    /// The Composition that it is made by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composition: Option<String>,
    /// The revision that it is pinned to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Whether its name is what it will be. A new composite's is not, nor are the names of what it is made of.
    pub name_is_final: bool,
    /// What would become of what it is made of.
    pub items: Vec<PlanItem>,
    /// How many objects that it is made of stay as they are.
    pub unchanged: usize,
    /// What its functions warn of, and what is odd.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A field that would be different.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedDifference {
    /// Where, and from what to what.
    #[serde(flatten)]
    pub difference: Difference,
    /// Whether the field describes what is outside.
    pub external: bool,
    /// Why it looks as if it could not change, so that a change means a replacement or an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub immutable: Option<Immutable>,
}

/// What would happen to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It comes new.
    Add,
    /// It changes.
    Change,
    /// It is deleted.
    Remove,
    /// It is no longer declared, and stays.
    Abandon,
}

/// What a server said to a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// It would take it.
    Accepted,
    /// It would not take it.
    Rejected,
    /// It could not be asked.
    Unchecked,
}
