//! Objects whose last change is not reconciled, because their controller does not run. They report no failure: their status is
//! older than their declaration.

use super::obstacles::failing_conditions;
use super::{ChangeSort, Occurrence};
use ucp_core::engine::controller::{ControllerOutage, Controllers};
use ucp_core::graph::link::{Link, LinkEnd, Relation};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// The beginning of the sentence about an object whose last change is not reconciled.
pub(super) const UNRECONCILED: &str = "was not reconciled: ";

/// Returns the links from objects that are not reconciled to the workloads that do not run.
pub fn outage_links(state: &ClusterState) -> Vec<Link> {
    let links = unreconciled(state).into_iter().map(|(resource, outage)| {
        Link::new(LinkEnd::from_resource(resource), Relation::DependsOn, LinkEnd::Object(outage.object))
    });
    links.collect()
}

/// Returns an occurrence for each object that is not reconciled, at the time of its last change. `occurrences` are sorted by
/// time.
pub fn outages(state: &ClusterState, occurrences: &[Occurrence]) -> Vec<Occurrence> {
    let occurrence = |(resource, outage): (&Resource, ControllerOutage)| {
        let name = resource.name();
        let is_change = |one: &&Occurrence| one.change == ChangeSort::Written && one.object == name;
        let time = occurrences.iter().rev().find(is_change)?.time;
        let what = format!("{UNRECONCILED}{}", outage.to_sentence());
        Some(Occurrence::at(time, name, ChangeSort::TurnedBad, what))
    };
    unreconciled(state).into_iter().filter_map(occurrence).collect()
}

/// Returns the objects that are not reconciled. One that reports a failure has another reason for that.
fn unreconciled(state: &ClusterState) -> Vec<(&Resource, ControllerOutage)> {
    let controllers = Controllers::from_state(state);
    let is_old = |resource: &&Resource| {
        let observed = resource.observed_generation;
        observed.is_some_and(|observed| resource.metadata.generation.is_some_and(|current| observed < current))
            && failing_conditions(resource).next().is_none()
    };
    let late = state.resources.iter().filter(is_old);
    late.filter_map(|resource| Some((resource, controllers.outage(resource)?))).collect()
}
