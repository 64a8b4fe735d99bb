//! One look at all objects that a wait follows.

use super::following::WaitReader;
use super::request::WaitRequest;
use crate::report::wait::{WaitOutcome, WaitResult};
use ucp_client::source;
use ucp_core::engine::{self, Assessment};
use ucp_core::graph::Graph;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_features::adopt::links;
use ucp_features::wait::survey::{SeenObjects, WaitFacts};
use ucp_features::wait::{NamedTarget, WaitCriteria, WaitPhase, WaitSurvey, WaitTargets};

/// One look at all followed objects.
pub(super) struct WaitLook<'state> {
    assessment: Assessment<'state>,
    pub(super) survey: WaitSurvey,
}

impl<'state> WaitLook<'state> {
    pub(super) fn at(
        state: &'state ClusterState,
        reader: &WaitReader,
        request: &WaitRequest<'_>,
        seen: &mut SeenObjects,
        patience: WaitPhase,
    ) -> Self {
        let clock = request.patience.clock(state);
        let assessment = engine::assess(state, &clock);
        let graph = Graph::from_state(state, engine::links, &links::secret_links(state), &reader.absent());
        let facts =
            WaitFacts { state, assessment: &assessment, graph: &graph, kinds: reader.kinds(), clock: &clock, patience };
        let survey = WaitSurvey::from_facts(&facts, request.targets, request.wish, seen);
        Self { assessment, survey }
    }

    pub(super) fn result(&self, state: &ClusterState, wish: &WaitCriteria, outcome: WaitOutcome) -> WaitResult {
        WaitResult::from_survey(state, &self.assessment, &self.survey, wish, outcome)
    }

    fn has_item(&self, kind: &ResourceKind) -> bool {
        self.survey.items.iter().any(|item| item.object.group() == kind.group && item.object.kind == kind.kind)
    }

    /// Returns the entries for kinds that have to be read, and may not be: those of the targets.
    pub(super) fn denied(&self, state: &ClusterState, reader: &WaitReader, targets: &WaitTargets) -> Vec<Unreadable> {
        let is_item = |kind: &ResourceKind| self.has_item(kind);
        // If a named object was found, other kinds with the same name are not needed.
        let is_missed = |named: &NamedTarget, kind: &ResourceKind| {
            engine::is_selected_by(kind, &named.kind)
                && !state.resources.iter().any(|resource| named.refers_to(resource))
        };
        let is_needed = |kind: &ResourceKind| match targets.named.as_slice() {
            [] => targets.may_select_kind(kind) || is_item(kind),
            named => is_item(kind) || named.iter().any(|named| is_missed(named, kind)),
        };
        reader.denied_kinds().into_iter().filter(|(kind, _)| is_needed(kind)).map(|(_, entry)| entry).collect()
    }

    /// Returns the entry for the settings that the verdicts on the objects depend on, if they cannot be read.
    pub(super) fn missing_settings(&self, state: &ClusterState, reader: &WaitReader) -> Option<Unreadable> {
        let depends = reader.kinds().iter().any(|kind| self.has_item(kind) && engine::is_judged_by_settings(kind));
        state.unreadable.iter().find(|entry| depends && source::is_of_settings(entry)).cloned()
    }
}
