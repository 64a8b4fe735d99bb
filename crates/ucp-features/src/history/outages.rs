//! Objects whose last change is not reconciled, because their controller does not run. They report no failure: their status is
//! older than their declaration.

use super::failing::{failing_conditions, is_unreconciled};
use super::occurrence::{ChangeSort, Occurrence};
use ucp_core::engine::outage::{ControllerOutage, Controllers};
use ucp_core::graph::link::{Link, LinkEnd, Relation};
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// The beginning of the sentence about an object whose last change is not reconciled.
pub(super) const UNRECONCILED: &str = "was not reconciled: ";

/// An object whose last change is not reconciled, and the workload that does not run.
pub struct UnreconciledObject {
    object: LinkEnd,
    name: ObjectName,
    outage: ControllerOutage,
}

impl UnreconciledObject {
    /// Returns all such objects. One that reports a failure has another reason for that.
    pub fn find_all(state: &ClusterState) -> Vec<Self> {
        let controllers = Controllers::from_state(state);
        let is_old = |resource: &&Resource| is_unreconciled(resource) && failing_conditions(resource).next().is_none();
        let found = |resource: &Resource| {
            let outage = controllers.outage(resource)?;
            Some(Self { object: LinkEnd::from_resource(resource), name: resource.name(), outage })
        };
        state.resources.iter().filter(is_old).filter_map(found).collect()
    }

    /// Returns the link from the object to the workload.
    pub fn link(&self) -> Link {
        Link::new(self.object.clone(), Relation::DependsOn, LinkEnd::Object(self.outage.object.clone()))
    }

    /// Returns the failure at the time of its last change, if that is known. `occurrences` are sorted by time.
    pub fn failure(&self, occurrences: &[Occurrence]) -> Option<Occurrence> {
        let is_change = |one: &&Occurrence| one.change == ChangeSort::Written && one.object == self.name;
        let time = occurrences.iter().rev().find(is_change)?.time;
        let what = format!("{UNRECONCILED}{}", self.outage.to_sentence());
        Some(Occurrence::at(time, self.name.clone(), ChangeSort::TurnedBad, what))
    }
}
