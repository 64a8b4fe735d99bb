//! The document `Plan`: the changes that merging a checkout would make, in clusters and outside.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::report::Header;
use ucp_core::error::Outcome;
use ucp_core::model::state::{Origin, Unreadable};
use ucp_features::plan::external::ExternalEffectKind;
use ucp_features::plan::outcome::{
    CompositePlan, DeployerRemark, DeploymentSummary, PlanAction, PlanConsequence, PlanItem, PlanOutcome, ServerCheck,
};

/// The document `Plan`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MergePlan {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The revision to compare with; absent if the state of the clusters is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The revision to merge; absent for the working tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// All Applications and Kustomizations that were examined.
    pub deployments: Vec<DeploymentSummary>,
    /// The number of objects by outcome.
    pub counts: PlanCounts,
    /// The number of changes by consequence, before [`Self::show_only`].
    pub consequences: ConsequenceCounts,
    /// The consequences whose changes are listed; empty for all changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<PlanConsequence>,
    /// The number of changes that are not listed because of `only`.
    #[serde(skip_serializing_if = "is_zero")]
    pub hidden: usize,
    /// Objects that a merge would touch, in the order of their clusters, and within a cluster in the order of applying;
    /// removed objects are last.
    pub items: Vec<PlanItem>,
    /// Composites whose composed resources would change, if functions were run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub composites: Vec<CompositePlan>,
    /// Facts about deployers that the changes of objects do not show, such as hooks of a chart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<DeployerRemark>,
    /// Objects that could not be rendered, reached or checked. Their outcome is unknown; they never count as unchanged.
    pub unreadable: Vec<Unreadable>,
}

/// The number of objects by outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanCounts {
    /// Objects that a merge touches.
    #[serde(flatten)]
    pub objects: FateCounts,
    /// Objects that a merge touches and does not change.
    pub unchanged: usize,
    /// Objects that change only in fields that the user ignores.
    #[serde(skip_serializing_if = "is_zero")]
    pub ignored: usize,
    /// The number of external resources by effect, including those affected through composites.
    pub external: BTreeMap<ExternalEffectKind, usize>,
    /// Counts of composed resources; absent if no functions were run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composed: Option<ComposedCounts>,
}

/// The number of changes by consequence, including those of composed resources. A change may have several.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ConsequenceCounts {
    /// Changes that delete or replace external resources, or delete objects with their contents.
    pub destruction: usize,
    /// Changes of external resources, including the first.
    pub external: usize,
    /// Changes that a server would reject.
    pub refusal: usize,
    /// Everything with consequences that are not known: parts that could not be checked, changes that no server could
    /// validate or whose further effects are not evaluated, and composites whose prediction has warnings.
    pub unknown: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The number of composed resources by outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComposedCounts {
    /// Composites that would change, or have a warning.
    pub composites: usize,
    /// Composites whose functions were run and that do not change.
    pub composites_unchanged: usize,
    /// Counts of their composed resources.
    #[serde(flatten)]
    pub resources: FateCounts,
}

/// The number of objects that are added, changed and removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FateCounts {
    /// Objects that are added.
    pub add: usize,
    /// Objects that change.
    pub change: usize,
    /// Objects that are removed.
    pub remove: usize,
    /// Objects that are no longer declared, but remain in the cluster.
    pub abandon: usize,
    /// The objects among them that a server would reject.
    pub rejected: usize,
    /// The objects among them that no server could validate, such as objects whose CRD is new.
    pub unchecked: usize,
}

impl FateCounts {
    fn count(&mut self, item: &PlanItem) {
        match item.action {
            PlanAction::Add => self.add += 1,
            PlanAction::Change => self.change += 1,
            PlanAction::Remove => self.remove += 1,
            PlanAction::Abandon => self.abandon += 1,
        }
        match item.check {
            ServerCheck::Accepted => {}
            ServerCheck::Rejected => self.rejected += 1,
            ServerCheck::Unchecked => self.unchecked += 1,
        }
    }
}

impl MergePlan {
    /// Builds the document from a plan's outcome, with counts.
    pub fn from_outcome(source: Origin, revisions: (Option<String>, Option<String>), outcome: PlanOutcome) -> Self {
        let PlanOutcome {
            deployments,
            items,
            unchanged,
            ignored,
            mut unreadable,
            mut remarks,
            composites,
            composites_unchanged,
            ..
        } = outcome;
        let mut counts = PlanCounts { unchanged, ignored, ..PlanCounts::default() };
        for item in &items {
            counts.objects.count(item);
            count_outside(item, &mut counts.external);
        }
        if composites_unchanged > 0 || !composites.is_empty() {
            counts.composed = Some(composed_counts(&composites, composites_unchanged));
            let composed = composites.iter().flat_map(|composite| &composite.items);
            composed.for_each(|item| count_outside(item, &mut counts.external));
        }
        unreadable.sort();
        unreadable.dedup();
        remarks.sort();
        remarks.dedup();
        let (base, head) = revisions;
        let mut plan = Self {
            header: Header::new("Plan", source),
            base,
            head,
            deployments,
            counts,
            consequences: ConsequenceCounts::default(),
            only: Vec::new(),
            hidden: 0,
            items,
            composites,
            remarks,
            unreadable,
        };
        let count = |consequence| plan.all_items().filter(|item| item.consequences().contains(&consequence)).count();
        let doubts = plan.composites.iter().filter(|composite| !composite.warnings.is_empty()).count();
        plan.consequences = ConsequenceCounts {
            destruction: count(PlanConsequence::Destruction),
            external: count(PlanConsequence::External),
            refusal: count(PlanConsequence::Refusal),
            unknown: plan.all_items().filter(|item| item.is_uncertain()).count() + plan.unreadable.len() + doubts,
        };
        plan
    }

    /// Returns the changes of objects, followed by those of composed resources.
    pub fn all_items(&self) -> impl Iterator<Item = &PlanItem> {
        self.items.iter().chain(self.composites.iter().flat_map(|composite| &composite.items))
    }

    /// Removes the changes that have none of these consequences for certain from the lists. Counts remain.
    pub fn show_only(&mut self, only: &[PlanConsequence]) {
        if only.is_empty() {
            return;
        }
        let total = self.all_items().count();
        let is_shown = |item: &PlanItem| has_consequence(item, only) || item.is_uncertain();
        self.items.retain(is_shown);
        self.composites.iter_mut().for_each(|composite| composite.items.retain(is_shown));
        self.composites.retain(|composite| !composite.items.is_empty() || !composite.warnings.is_empty());
        self.hidden = total - self.all_items().count();
        self.only = only.to_vec();
    }

    /// Returns the outcome of the command: with `only`, whatever is not known may have such a consequence.
    pub fn outcome(&self) -> Outcome {
        let unknown = if self.only.is_empty() { self.unreadable.len() } else { self.consequences.unknown };
        match (self.all_items().any(|item| has_consequence(item, &self.only)), unknown) {
            (true, _) => Outcome::Findings,
            (false, 0) => Outcome::Clean,
            (false, _) => Outcome::Incomplete,
        }
    }
}

/// Returns true if a change has one of some consequences, or if they are empty.
fn has_consequence(item: &PlanItem, only: &[PlanConsequence]) -> bool {
    only.is_empty() || item.consequences().iter().any(|consequence| only.contains(consequence))
}

fn count_outside(item: &PlanItem, external: &mut BTreeMap<ExternalEffectKind, usize>) {
    let composed = item.composed.iter().filter_map(|composed| composed.external.as_ref());
    for effect in item.external.iter().chain(composed) {
        *external.entry(effect.effect).or_default() += 1;
    }
}

fn composed_counts(composites: &[CompositePlan], composites_unchanged: usize) -> ComposedCounts {
    let mut counts = ComposedCounts { composites: composites.len(), composites_unchanged, ..ComposedCounts::default() };
    for item in composites.iter().flat_map(|composite| &composite.items) {
        counts.resources.count(item);
    }
    counts
}
