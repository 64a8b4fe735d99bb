//! Errors for names that select no place, or several.

use std::collections::BTreeSet;

use super::ambiguous::description;
use super::assignment::{ArtifactAssignment, AssignmentRequest};
use super::proposals;
use crate::promote::effect;
use crate::promote::facts::PlanningFacts;
use crate::promote::proposals as proposals_of_plans;
use crate::promote::refusal::quoted;
use ucp_core::error::Error;
use ucp_core::model::nearest::did_you_mean;
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::catalog::choose::resolve_places;
use ucp_repo::gitops::catalog::likeness::{has_same_words, shape};
use ucp_repo::gitops::catalog::naming::normalize_name;
use ucp_repo::gitops::catalog::query::VersionQuery;
use ucp_repo::gitops::catalog::unresolved::NameResolutionError;
use ucp_repo::gitops::purpose::Purpose;
use ucp_repo::slot::artifact::short_name;

/// Returns the error for an image that a service does not have.
pub(super) fn unknown_image_error(name: &str, places: &[&CatalogPlace], image: &str) -> Error {
    let names: BTreeSet<String> = places.iter().map(|place| place.artifact()).collect();
    let names: Vec<String> = names.into_iter().collect();
    Error::usage(format!("{name}: nothing has the image {image}")).hint(format!("its images are {}", names.join(", ")))
}

/// The maximum number of places that an error lists.
const SHOWN: usize = 12;

/// Returns an error that explains the matches of a name, and the corrected input.
pub(super) fn unmatched_name_error(
    facts: &PlanningFacts<'_>,
    assignment: &ArtifactAssignment,
    request: &AssignmentRequest,
    miss: &NameResolutionError<'_>,
) -> Error {
    let name = &assignment.name;
    let environment = request.environment.as_deref();
    let lines = |places| proposals::lines(facts, request, assignment, places);
    match miss {
        NameResolutionError::Unknown => {
            let services = facts.catalog.services();
            let services = services.into_iter().chain(facts.discovery.services());
            let artifacts =
                facts.catalog.places.iter().filter_map(|place| place.slot.artifact.as_deref().map(short_name));
            let meant = facts.repository.config.names.get(name);
            let near = did_you_mean(meant.unwrap_or(name), services.chain(artifacts));
            if let Some(meant) = meant {
                let reason = format!(
                    "no service or artifact is named {meant:?}, which .ucp.yaml defines as the meaning of {name:?}{near}"
                );
                return Error::usage(reason).hint("'kubectl ucp images' lists the names; correct 'names' in .ucp.yaml");
            }
            let is_limited = !request.kinds.is_empty() || assignment.image.is_some();
            let wanted = normalize_name(name);
            if is_limited && facts.catalog.places.iter().any(|place| place.names.contains_key(&wanted)) {
                return Error::usage(format!("no service or artifact is named {name:?} among the images"))
                    .hint("charts, packages and Git references are set with 'kubectl ucp set-version NAME=VERSION'");
            }
            Error::usage(format!("no service or artifact is named {name:?}{near}"))
                .hint(format!(
                    "'kubectl ucp images' lists the names; in .ucp.yaml, 'names: {{{}: …}}' makes it another name for \
                     a service or an artifact, and 'versions: [{{file: \"…/{{service}}/…\"}}]' names the files of services",
                    quoted(name)
                ))
        }
        NameResolutionError::Elsewhere(environments) => {
            let environment = environment.unwrap_or_default();
            let hint = match environments.iter().cloned().collect::<Vec<_>>().as_slice() {
                [] => format!("no environment has its own version of {name}: omit {environment}"),
                names => format!("{} has it", names.join(", ")),
            };
            Error::usage(format!("{name} has no version in {environment}")).hint(hint)
        }
        NameResolutionError::Base(place, environments) => {
            let names: Vec<&str> = environments.iter().map(String::as_str).collect();
            // Without the environment, the name may be ambiguous.
            let question = VersionQuery {
                environment: None,
                name,
                version: &assignment.version,
                kinds: &request.kinds,
                image: None,
                spread: request.spread,
            };
            let decides = |place: &CatalogPlace| effect::check_place(facts, place).is_ok();
            if let Some(overridden) = effect::overridden_in(facts, place, environment.unwrap_or_default()) {
                return Error::refused(format!(
                    "{name} has no version of its own in {} that can be set: {overridden}",
                    environment.unwrap_or_default()
                ));
            }
            let is_enough = resolve_places(facts.catalog, &question, &decides).is_ok();
            let whole = if is_enough { name.clone() } else { place.artifact() };
            Error::refused(format!(
                "{name} has no version of its own in {}: it comes from {}, which {} build on",
                environment.unwrap_or_default(),
                place.file,
                names.join(", ")
            ))
            .hint(format!("omit the environment to set it for all: {whole}={}", assignment.version))
        }
        NameResolutionError::Environments(places) => {
            let named = proposals::with_environments(facts, request, assignment, places);
            let commands = proposals_of_plans::commands(facts, places, (name, &assignment.version));
            Error::usage(format!("{name} has versions in several environments; specify one"))
                .hint(format!("it has versions in\n{}\n{named}{commands}", listed(places)))
        }
        NameResolutionError::Unlike(places) => Error::refused(format!(
            "{name} has no version that {} could replace: {}, so it is probably another artifact",
            assignment.version,
            difference(places, &assignment.version)
        ))
        .hint(format!("to set it anyway, use its path:\n{}\n{}", listed(places), lines(places))),
        NameResolutionError::Artifacts(places) => {
            Error::usage(format!("{name} is the last part of the names of several artifacts")).hint(format!(
                "select one of them:\n{}\n{}",
                listed(places),
                lines(&all_places_of(facts, environment, places))
            ))
        }
        NameResolutionError::Spread(places) => {
            Error::usage(format!("{name} is found in several places, of several services in several directories")).hint(
                format!("set all of them with --everywhere, or select one:\n{}\n{}", listed(places), lines(places)),
            )
        }
        NameResolutionError::Several(places) => Error::usage(match places.as_slice() {
            [first, rest @ ..] if rest.iter().all(|place| place.slot.version == first.slot.version) => {
                format!("{name} is found in several places")
            }
            _ => format!("{name} is found in several places with different versions"),
        })
        .hint(format!("select one of them:\n{}\n{}", listed(places), lines(places))),
    }
}

/// Returns the reason why a version cannot replace those of places, as a phrase.
fn difference(places: &[&CatalogPlace], version: &str) -> &'static str {
    let has_its_form = |place: &&CatalogPlace| shape(&place.slot.version) == shape(version);
    match places.iter().find(|place| has_its_form(place)) {
        None => "the forms of the versions differ",
        Some(place) if has_same_words(&place.slot.version, version) => "its first number is far from the current one",
        Some(_) => "the words in the versions differ",
    }
}

/// Returns these places of different artifacts, with the other ones of the same artifacts.
fn all_places_of<'c>(
    facts: &PlanningFacts<'c>,
    environment: Option<&str>,
    places: &[&'c CatalogPlace],
) -> Vec<&'c CatalogPlace> {
    let is_here = |place: &&CatalogPlace| {
        let is_in = environment.is_none_or(|environment| facts.catalog.is_in(place, environment));
        is_in && place.purpose == Purpose::Deployed && !place.is_metadata()
    };
    let is_further = |place: &&CatalogPlace| {
        let is_known = places.iter().any(|one| std::ptr::eq(*one, *place));
        !is_known && places.iter().any(|one| one.shares_artifact(place))
    };
    let further = facts.catalog.places.iter().filter(is_here).filter(is_further);
    places.iter().copied().chain(further).collect()
}

fn listed(places: &[&CatalogPlace]) -> String {
    let line = |place: &&CatalogPlace| format!("  {}:{}  {}", place.file, place.slot.line, description(place));
    let mut lines: Vec<String> = places.iter().take(SHOWN).map(line).collect();
    if places.len() > SHOWN {
        lines.push(format!("  and {} more", places.len() - SHOWN));
    }
    lines.join("\n")
}
