//! Proposals for an ambiguous name: lines of `.ucp.yaml` and commands, each tried before it is printed.

use std::collections::BTreeSet;

use super::{ArtifactAssignment, AssignmentRequest};
use crate::promote::facts::PlanningFacts;
use crate::promote::{effect, proposals};
use crate::report::promotion::VersionUpdate;
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::catalog::choose::resolve_places;
use ucp_repo::gitops::catalog::query::VersionQuery;
use ucp_repo::slot::artifact::short_name;

/// The maximum number of proposals.
const SHOWN: usize = 3;

/// Returns the lines that say which of these places is meant: a name for one artifact, if it leads to places of it and
/// to nothing else, and commands with paths otherwise.
pub(super) fn lines(
    facts: &PlanningFacts<'_>,
    request: &AssignmentRequest,
    assignment: &ArtifactAssignment,
    places: &[&CatalogPlace],
) -> String {
    let mut seen = BTreeSet::new();
    let artifacts = places.iter().filter_map(|place| place.slot.artifact.as_deref());
    let artifacts: Vec<&str> = artifacts.filter(|artifact| seen.insert(*artifact)).collect();
    let is_one = artifacts.len() < 2;
    let verified = artifacts.into_iter().filter(|_| !is_one).filter_map(|artifact| {
        let mut names = [short_name(artifact), artifact].into_iter();
        names.find(|name| leads_to(facts, request, assignment, name, artifact, places))
    });
    let mut lines: Vec<String> = verified
        .take(SHOWN)
        .map(|artifact| {
            format!("in .ucp.yaml, 'names: {{{}: {artifact}}}' makes {artifact} the meaning", assignment.name)
        })
        .collect();
    if lines.is_empty() {
        lines.push(proposals::commands(facts, places, &assignment.version));
    }
    lines.join("\n")
}

/// Returns true if a name leads to places of an artifact among these, and to nothing else.
fn leads_to(
    facts: &PlanningFacts<'_>,
    request: &AssignmentRequest,
    assignment: &ArtifactAssignment,
    name: &str,
    artifact: &str,
    places: &[&CatalogPlace],
) -> bool {
    let question = VersionQuery {
        environment: request.environment.as_deref(),
        name,
        version: &assignment.version,
        kinds: &request.kinds,
        image: None,
        spread: request.spread,
    };
    let is_meant = |found: &&CatalogPlace| {
        found.slot.artifact.as_deref() == Some(artifact) && places.iter().any(|place| std::ptr::eq(*place, *found))
    };
    let is_found = resolve_places(facts.catalog, &question, &|place| effect::check_place(facts, place).is_ok())
        .is_ok_and(|found| found.iter().all(is_meant));
    let named = ArtifactAssignment { name: name.to_owned(), ..assignment.clone() };
    let request = AssignmentRequest { assignments: vec![named], ..request.clone() };
    is_found
        && super::plan_unverified(facts, &request, None).is_ok_and(|plan| {
            let is_at = |change: &VersionUpdate| places.iter().any(|place| place.file == change.file);
            plan.refused.is_empty() && !plan.changes.is_empty() && plan.changes.iter().all(is_at)
        })
}
