//! The result of planning: every object that a merge would change, its change, and the server's check.

use serde::Serialize;
use serde_json::Value;

use crate::plan::external::{ExternalEffect, ExternalEffectKind};
use crate::plan::fan_out::ComposedObject;
use crate::plan::immutable::ImmutableReason;
use crate::teardown::nature::has_contents;
use ucp_client::prediction::difference::FieldChange;
use ucp_core::model::admission::AdmissionOperation;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Unreadable;

/// The content of a plan.
#[derive(Debug, Default)]
pub struct PlanOutcome {
    /// The deployments that were examined.
    pub deployments: Vec<DeploymentSummary>,
    /// The objects that would change.
    pub items: Vec<PlanItem>,
    /// Number of objects that remain unchanged.
    pub unchanged: usize,
    /// Number of objects that change only in ignored fields.
    pub ignored: usize,
    /// Composites that the change affects and whose result differs, if functions were called.
    pub composites: Vec<CompositePlan>,
    /// Number of composites that were run and remain unchanged.
    pub composites_unchanged: usize,
    /// Facts about deployers that the changes of objects do not show.
    pub remarks: Vec<DeployerRemark>,
    /// Parts that are unknown.
    pub unreadable: Vec<Unreadable>,
    /// Number of deployments whose objects could be examined.
    pub checked: usize,
}

/// An Application, Kustomization or HelmRelease that was examined.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeploymentSummary {
    /// The Application, Kustomization or HelmRelease.
    pub object: ObjectName,
    /// Its engine.
    #[serde(serialize_with = "GitOps::serialize_title")]
    pub engine: GitOps,
    /// The app cluster that it deploys to; absent for the core cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Directories of the checkout that it renders.
    pub paths: Vec<String>,
    /// Number of objects that it declares after the merge.
    pub objects: usize,
}

/// A fact about a deployer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct DeployerRemark {
    /// The deployer.
    pub object: ObjectName,
    /// The fact, in a sentence.
    pub remark: String,
}

/// One object that a merge would change.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanItem {
    /// The object.
    pub object: ObjectName,
    /// The app cluster that it is in; absent for the core cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The Application, Kustomization or HelmRelease that would change it.
    pub deployed_by: ObjectName,
    /// Its resource name in the pipeline of its composite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// The change of the object.
    pub action: PlanAction,
    /// The server's verdict.
    pub check: ServerCheck,
    /// The reason why it was rejected or could not be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The fields that differ from the current object. Secret values are replaced by numbers.
    pub differences: Vec<PlannedFieldChange>,
    /// The external effect, for a managed resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalEffect>,
    /// The composed objects of a claim or composite.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub composed: Vec<ComposedObject>,
    /// Effects of the change that the plan does not evaluate, such as those of a Composition that was not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unevaluated: Option<&'static str>,
    /// The requests that it refuses from then on, if it is an admission policy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<PolicyRefusal>,
    /// Further remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The current object, without ignored fields and secret values.
    #[serde(skip)]
    pub before: Option<Value>,
    /// The object after the change.
    #[serde(skip)]
    pub after: Option<Value>,
}

/// A request that an admission policy of the merge refuses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PolicyRefusal {
    /// The operation: for an object that the merge does not change, its next update.
    pub operation: AdmissionOperation,
    /// The message of the policy.
    pub message: String,
    /// The object.
    pub object: ObjectName,
}

/// A consequence of a change that a pipeline may treat in its own way, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum PlanConsequence {
    /// External resources are deleted or look replaced, or objects are deleted with their contents.
    Destruction,
    /// External resources change in any way, including destruction.
    External,
    /// The server would reject the change, or others because of it.
    Refusal,
}

impl PlanItem {
    /// Returns the consequences of the change. What is not evaluated is none of them: see [`Self::is_uncertain`].
    pub fn consequences(&self) -> Vec<PlanConsequence> {
        if self.check == ServerCheck::Rejected || !self.refusals.is_empty() {
            return vec![PlanConsequence::Refusal];
        }
        let composed = self.composed.iter().filter_map(|composed| composed.external.as_ref());
        let effects: Vec<_> = self.external.iter().chain(composed).map(|external| external.effect).collect();
        let is_replaced = self.differences.iter().any(|entry| entry.immutable.is_some());
        if effects.contains(&ExternalEffectKind::Delete) || is_replaced || self.deletes_contents() {
            vec![PlanConsequence::Destruction, PlanConsequence::External]
        } else if effects.iter().any(|effect| *effect != ExternalEffectKind::Keep) {
            vec![PlanConsequence::External]
        } else {
            Vec::new()
        }
    }

    /// Returns true if a deletion includes objects that the plan does not list: everything in a namespace, or all objects
    /// of the kinds that a definition or package installs.
    pub fn deletes_contents(&self) -> bool {
        let (group, kind) = (self.object.group(), self.object.kind.as_str());
        let installs_kinds =
            group == "pkg.crossplane.io" && ["Provider", "Configuration"].iter().any(|one| kind.starts_with(one));
        self.action == PlanAction::Remove && (installs_kinds || has_contents(&ResourceKind::guess(group, kind)))
    }

    /// Returns true if the plan does not know all consequences of the change.
    pub fn is_uncertain(&self) -> bool {
        self.check == ServerCheck::Unchecked || self.unevaluated.is_some()
    }
}

/// A composite that a merge affects, and the result of its Composition.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompositePlan {
    /// The composite.
    pub object: ObjectName,
    /// Its claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ObjectName>,
    /// The composite that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<ObjectName>,
    /// Objects of the change that affect it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reached_by: Vec<ObjectName>,
    /// Name of its Composition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composition: Option<String>,
    /// The revision that it is pinned to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// True if its name is final. The name of a new composite is not, nor are those of its composed resources.
    pub name_is_final: bool,
    /// Changes of its composed resources.
    pub items: Vec<PlanItem>,
    /// Number of composed resources that remain unchanged.
    pub unchanged: usize,
    /// Warnings of its functions and about the prediction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A field that would differ.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedFieldChange {
    /// Path of the field, its old and its new value.
    #[serde(flatten)]
    pub difference: FieldChange,
    /// True if the field describes the external resource.
    pub external: bool,
    /// The reason why the field appears to be immutable, so that a change means a replacement or an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub immutable: Option<ImmutableReason>,
}

/// The change of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanAction {
    /// It is created.
    Add,
    /// It is changed.
    Change,
    /// It is deleted.
    Remove,
    /// It is no longer declared, but remains.
    Abandon,
}

/// A server's verdict on a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerCheck {
    /// The server would accept it.
    Accepted,
    /// The server would reject it.
    Rejected,
    /// The server could not be asked.
    Unchecked,
}
