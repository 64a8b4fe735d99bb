//! Names that do not determine a place: their places, for a user who selects one of them.

use crate::promote::assign::proposals as assigned_proposals;
use crate::promote::assign::{ArtifactAssignment, AssignmentRequest, all_targets, targets};
use crate::promote::facts::PlanningFacts;
use crate::promote::place_address::PlaceAddress;
use crate::promote::proposals;
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::catalog::unresolved::NameResolutionError;

/// A place that an ambiguous name can refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceChoice {
    /// The place.
    pub address: PlaceAddress,
    /// The artifact and its current version, the service, and the environment.
    pub description: String,
}

/// An assignment whose name does not determine a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmbiguousName {
    /// The position among the assignments.
    pub index: usize,
    /// The places that have the name.
    pub choices: Vec<PlaceChoice>,
}

/// Returns the first assignment with an ambiguous name; `None` if there is none, or if the request has another fault.
pub fn ambiguous_name(facts: &PlanningFacts<'_>, request: &AssignmentRequest) -> Option<AmbiguousName> {
    // Assignments of one command resolve each other's names.
    if all_targets(facts, request).is_ok() {
        return None;
    }
    request.assignments.iter().enumerate().find_map(|(index, assignment)| {
        let miss = targets(facts, request, assignment).ok()?.err()?;
        let (NameResolutionError::Environments(places)
        | NameResolutionError::Several(places)
        | NameResolutionError::Spread(places)
        | NameResolutionError::Artifacts(places)) = miss
        else {
            return None;
        };
        let choice = |place: &&CatalogPlace| PlaceChoice {
            address: PlaceAddress::of_place(place),
            description: description(place),
        };
        Some(AmbiguousName { index, choices: places.iter().map(choice).collect() })
    })
}

/// Returns the command that sets a place and nothing else, if there is one.
pub fn command(facts: &PlanningFacts<'_>, address: &PlaceAddress, version: &str) -> Option<String> {
    proposals::command(facts, address.place(facts.catalog)?, version)
}

/// Returns a name that leads to a place and to nothing else, which `.ucp.yaml` can declare as the meaning of an ambiguous one.
pub fn meant_name(
    facts: &PlanningFacts<'_>,
    request: &AssignmentRequest,
    assignment: &ArtifactAssignment,
    address: &PlaceAddress,
) -> Option<String> {
    let is_known = facts.repository.config.names.contains_key(&assignment.name);
    assigned_proposals::name_of(facts, request, assignment, address.place(facts.catalog).filter(|_| !is_known)?)
}

/// Returns the artifact and version of a place, with its service and environment.
pub(super) fn description(place: &CatalogPlace) -> String {
    let environment = place.environment().map(|name| format!(" in {name}")).unwrap_or_default();
    format!("{} {}  ({}{environment})", place.artifact(), place.slot.version, place.service)
}
