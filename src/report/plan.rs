//! The document `Plan`: what merging a checkout would change, in the clusters and outside of them.

use serde::Serialize;

use crate::model::state::{Origin, Unreadable};
use crate::plan::external::Effect;
use crate::plan::outcome::{Action, Check, DeploymentSummary, PlanItem};
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
