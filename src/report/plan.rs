//! The document `Plan`: what merging a checkout would change, in the clusters and outside of them.

use serde::Serialize;
use serde_json::Value;

use crate::manifests::deployment::GitOps;
use crate::model::object::ObjectName;
use crate::model::state::{Origin, Unreadable};
use crate::plan::external::{Effect, External};
use crate::plan::fan_out::Composed;
use crate::plan::immutable::Immutable;
use crate::prediction::difference::Difference;
use crate::report::Header;

/// The document `Plan`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The revision that it is compared with; absent where that is what the clusters hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The revision that would be merged; absent for the working tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Every Application and Kustomization that was looked at.
    pub deployments: Vec<DeploymentSummary>,
    /// How many objects would see what.
    pub counts: Counts,
    /// Objects that a merge would touch, in the order of their clusters, and there in the order of applying; what is
    /// removed comes last.
    pub items: Vec<PlanItem>,
    /// What could not be rendered, reached or checked: it is unknown, never unchanged.
    pub unreadable: Vec<Unreadable>,
}

/// An Application or Kustomization that was looked at.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeploymentSummary {
    /// The Application or Kustomization.
    pub object: ObjectName,
    /// Whose it is.
    pub engine: GitOps,
    /// The app cluster that it deploys to; absent for the core cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Directories of the checkout that it renders.
    pub paths: Vec<String>,
    /// Objects that it declares after the merge.
    pub objects: usize,
}

/// How many objects would see what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Objects that come new.
    pub add: usize,
    /// Objects that change.
    pub change: usize,
    /// Objects that go away.
    pub remove: usize,
    /// Objects that are no longer declared, and stay.
    pub abandon: usize,
    /// Those of them that a server would not take.
    pub rejected: usize,
    /// Those of them that no server could be asked about, such as objects whose CRD is new.
    pub unchecked: usize,
    /// Objects that the merge touches and that stay as they are.
    pub unchanged: usize,
    /// What would happen to things outside, by effect.
    pub external: std::collections::BTreeMap<Effect, usize>,
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

impl Plan {
    /// Counts what was found.
    pub fn of(
        source: Origin,
        revisions: (Option<String>, Option<String>),
        deployments: Vec<DeploymentSummary>,
        items: Vec<PlanItem>,
        unchanged: usize,
        mut unreadable: Vec<Unreadable>,
    ) -> Self {
        let mut counts = Counts { unchanged, ..Counts::default() };
        for item in &items {
            match item.action {
                Action::Add => counts.add += 1,
                Action::Change => counts.change += 1,
                Action::Remove => counts.remove += 1,
                Action::Abandon => counts.abandon += 1,
            }
            match item.check {
                Check::Accepted => {}
                Check::Rejected => counts.rejected += 1,
                Check::Unchecked => counts.unchecked += 1,
            }
            let composed = item.composed.iter().filter_map(|composed| composed.external.as_ref());
            for external in item.external.iter().chain(composed) {
                *counts.external.entry(external.effect).or_default() += 1;
            }
        }
        unreadable.sort();
        unreadable.dedup();
        let (base, head) = revisions;
        Self { header: Header::new("Plan", source), base, head, deployments, counts, items, unreadable }
    }
}
