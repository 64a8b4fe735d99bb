//! The document `Plan`: what merging a checkout would change, in the clusters and outside of them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::state::{Origin, Unreadable};
use crate::plan::external::Effect;
use crate::plan::outcome::{Action, Check, CompositePlan, DeploymentSummary, PlanItem, PlanOutcome};
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
    /// Composites that the change reaches and that come out otherwise, where functions were asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub composites: Vec<CompositePlan>,
    /// What could not be rendered, reached or checked: it is unknown, never unchanged.
    pub unreadable: Vec<Unreadable>,
}

/// How many objects would see what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Objects that a merge touches.
    #[serde(flatten)]
    pub objects: Fates,
    /// Objects that the merge touches and that stay as they are.
    pub unchanged: usize,
    /// What would happen to things outside, by effect; by way of composites, too.
    pub external: BTreeMap<Effect, usize>,
    /// What becomes of what composites are made of; absent where no functions were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composed: Option<ComposedCounts>,
}

/// How many composed resources would see what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComposedCounts {
    /// Composites that come out otherwise, or have a warning.
    pub composites: usize,
    /// Composites that were run and stay as they are.
    pub composites_unchanged: usize,
    /// Their composed resources.
    #[serde(flatten)]
    pub resources: Fates,
}

/// How many of some objects come, change and go.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Fates {
    /// Those that come new.
    pub add: usize,
    /// Those that change.
    pub change: usize,
    /// Those that go away.
    pub remove: usize,
    /// Those that are no longer wanted, and stay.
    pub abandon: usize,
    /// Those of them that a server would not take.
    pub rejected: usize,
    /// Those of them that no server could be asked about, such as objects whose CRD is new.
    pub unchecked: usize,
}

impl Fates {
    fn count(&mut self, item: &PlanItem) {
        match item.action {
            Action::Add => self.add += 1,
            Action::Change => self.change += 1,
            Action::Remove => self.remove += 1,
            Action::Abandon => self.abandon += 1,
        }
        match item.check {
            Check::Accepted => {}
            Check::Rejected => self.rejected += 1,
            Check::Unchecked => self.unchecked += 1,
        }
    }
}

impl Plan {
    /// Counts what was found.
    pub fn of(source: Origin, revisions: (Option<String>, Option<String>), outcome: PlanOutcome) -> Self {
        let PlanOutcome { deployments, items, unchanged, mut unreadable, composites, composites_unchanged, .. } =
            outcome;
        let mut counts = Counts { unchanged, ..Counts::default() };
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
        let (base, head) = revisions;
        Self { header: Header::new("Plan", source), base, head, deployments, counts, items, composites, unreadable }
    }
}

fn count_outside(item: &PlanItem, external: &mut BTreeMap<Effect, usize>) {
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
