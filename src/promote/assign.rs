//! `set-version` and `set-image`: sets versions given by the user, for one environment or for a place without one.

pub mod ambiguous;
mod assignment;
mod proposals;
#[cfg(test)]
mod tests;
mod unmatched;
mod unread;

use std::collections::{BTreeMap, BTreeSet};

use crate::promote::assign::unmatched::{unknown_image_error, unmatched_name_error};
use crate::promote::assign::unread::check_unread_files;
use crate::promote::effect;
use crate::promote::facts::PlanningFacts;
use crate::promote::place_address::PlaceAddress;
use crate::promote::plan::PlanDraft;
use crate::promote::proposals::{self as proposals_of_plans, IntendedPlace, Intention};
use crate::promote::reconcile::PlanRows;
use crate::promote::refusal::VersionRefusal;
use crate::promote::wanted::{VersionTarget, WantedVersion};
use crate::report::promotion::{PromotionPlan, RepositoryPath, UnchangedValue};
use ucp_core::error::{Error, Result};
use ucp_core::model::nearest::did_you_mean;
use ucp_core::model::text::join_limited;
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::catalog::choose::resolve_places;
use ucp_repo::gitops::catalog::naming::{NameFit, normalize_name};
use ucp_repo::gitops::catalog::query::VersionQuery;
use ucp_repo::gitops::catalog::unresolved::NameResolutionError;
use ucp_repo::gitops::discover::Overlay;
use ucp_repo::gitops::effective::{BuiltKustomization, VersionSource};
use ucp_repo::gitops::path;
use ucp_repo::gitops::purpose::Purpose;
use ucp_repo::slot::VersionPrecision;
use ucp_repo::slot::artifact::{ArtifactKind, compared_name};

pub use assignment::{ArtifactAssignment, AssignmentRequest};

/// Most places of a warning about places that keep their version.
const REMAINING: usize = 3;

/// Plans the assignments. `only` restricts the plan to rows of an earlier plan.
///
/// # Errors
/// Fails with a usage error when a name matches nothing, or several places with different versions.
pub fn plan(facts: &PlanningFacts<'_>, request: &AssignmentRequest, only: Option<&PlanRows>) -> Result<PromotionPlan> {
    let mut plan = plan_unverified(facts, request, only)?;
    let again = |facts: &PlanningFacts<'_>| plan_unverified(facts, request, None).ok();
    let places = |left: &UnchangedValue| match request.assignments.as_slice() {
        [assignment] => intended_places(facts, left, request.environment.as_deref(), &assignment.version),
        _ => Vec::new(),
    };
    proposals_of_plans::verify(facts, &mut plan, &Intention { plan: &again, places: &places });
    Ok(plan)
}

/// Returns the places of a refused value in an environment, as file, path, and version.
fn intended_places(
    facts: &PlanningFacts<'_>,
    left: &UnchangedValue,
    environment: Option<&str>,
    version: &str,
) -> Vec<IntendedPlace> {
    let is_here = |place: &&CatalogPlace| {
        environment.is_none_or(|environment| facts.catalog.is_in(place, environment)) && !place.is_metadata()
    };
    let is_it = |place: &&CatalogPlace| Some(&place.service) == left.service.as_ref() && place.artifact() == left.image;
    let places = facts.catalog.places.iter().filter(is_it).filter(is_here);
    places.map(|place| IntendedPlace::new(place, version)).collect()
}

/// Plans the assignments, with remedies that are not planned.
fn plan_unverified(
    facts: &PlanningFacts<'_>,
    request: &AssignmentRequest,
    only: Option<&PlanRows>,
) -> Result<PromotionPlan> {
    let mut plan = PromotionPlan::new(RepositoryPath { path: facts.repository.top.display().to_string() });
    plan.to.clone_from(&request.environment);
    let mut draft = PlanDraft::new(facts, plan);
    let mut seen: BTreeMap<(String, String, usize), String> = BTreeMap::new();
    // Returns true if a place occurs for the first time.
    let mut first =
        |name: &str, place: (String, String, usize), version: &str| match seen.insert(place, version.to_owned()) {
            Some(other) if other != version => {
                Err(Error::usage(format!("{name} is given two versions: {other} and {version}")))
            }
            other => Ok(other.is_none()),
        };
    let all = all_targets(facts, request)?;
    for (assignment, targets) in &all {
        for target in targets.clone() {
            let at = match &target {
                VersionTarget::Image { overlay, origin, .. } => (overlay.directory.clone(), origin.clone(), 0),
                VersionTarget::Place(place) => (place.file.clone(), place.slot.path.to_string(), place.slot.line),
            };
            let is_shown = || only.is_none_or(|only| only.contains(&(target.service().to_owned(), target.artifact())));
            if first(&assignment.name, at, &assignment.version)? && is_shown() {
                let mutable_tags = facts.policy.mutable_tags;
                match with_digest(facts, &target, &assignment.version) {
                    Ok(parts) => parts.into_iter().for_each(|(target, version)| {
                        draft.plan_version(&WantedVersion { target, version, mutable_tags })
                    }),
                    Err(refusal) => draft.refuse(target.service(), &target.artifact(), &refusal),
                }
            }
        }
    }
    let mut plan = draft.finish();
    if plan.changes.is_empty() && plan.refused.is_empty() {
        plan.warnings
            .extend(all.iter().filter_map(|(assignment, targets)| remaining_warning(facts, assignment, targets)));
    }
    Ok(plan)
}

/// Returns a warning about places of the same artifacts that have another version, if all targets have the given one already:
/// nothing is changed, and the user may have meant these.
fn remaining_warning(
    facts: &PlanningFacts<'_>,
    assignment: &ArtifactAssignment,
    targets: &[VersionTarget<'_>],
) -> Option<String> {
    let set: Vec<&CatalogPlace> = targets.iter().filter_map(VersionTarget::place).collect();
    let is_left = |other: &&CatalogPlace| {
        other.purpose == Purpose::Deployed
            && !other.is_metadata()
            && other.slot.version != assignment.version
            && VersionPrecision::Exact == other.slot.precision()
            && set.iter().any(|place| place.shares_artifact(other))
    };
    let left: Vec<String> = facts
        .catalog
        .places
        .iter()
        .filter(is_left)
        .map(|place| format!("{} in {}:{}", place.slot.version, place.file, place.slot.line))
        .collect();
    (!left.is_empty()).then(|| format!("{} stays at {}", assignment.name, join_limited(&left, REMAINING)))
}

/// Returns the targets of a version: a tag, and the digest next to it that takes precedence over the tag.
fn with_digest<'a>(
    facts: &PlanningFacts<'a>,
    target: &VersionTarget<'a>,
    version: &str,
) -> std::result::Result<Vec<(VersionTarget<'a>, String)>, VersionRefusal> {
    let whole = || Ok(vec![(target.clone(), version.to_owned())]);
    let Some((place, path)) = target.place().and_then(|place| Some((place, place.slot.digest_beside.as_ref()?))) else {
        return whole();
    };
    let beside = PlaceAddress { file: place.file.clone(), path: path.clone() };
    match (version.split_once('@'), beside.place(facts.catalog)) {
        (Some((tag, digest)), Some(other)) if !tag.is_empty() => {
            Ok(vec![(target.clone(), tag.to_owned()), (VersionTarget::Place(other), digest.to_owned())])
        }
        _ => Err(VersionRefusal::Digest { path: path.clone() }),
    }
}

/// Returns the targets of each assignment.
///
/// An ambiguous name of a file or service is resolved by other assignments of the same command: places in the same
/// directory that change from the same version to the same version are changed together. The name of an artifact is not
/// resolved this way: it refers to the artifact in all places.
fn all_targets<'a, 'r>(
    facts: &PlanningFacts<'a>,
    request: &'r AssignmentRequest,
) -> Result<Vec<(&'r ArtifactAssignment, Vec<VersionTarget<'a>>)>> {
    let looked = |assignment| Ok((assignment, targets(facts, request, assignment)?));
    let looked: Vec<(&ArtifactAssignment, AssignmentTargets<'a>)> =
        request.assignments.iter().map(looked).collect::<Result<_>>()?;
    let beside = |assignment: &ArtifactAssignment, place: &CatalogPlace| {
        if place.names.get(&normalize_name(&assignment.name)).is_none_or(|fit| *fit < NameFit::Service) {
            return false;
        }
        let moving =
            looked.iter().filter(|(other, _)| other.version == assignment.version && !std::ptr::eq(*other, assignment));
        // Two names that are both ambiguous settle each other.
        let mut places = moving.flat_map(|(_, answer)| match answer {
            Ok(targets) => targets.iter().filter_map(VersionTarget::place).collect(),
            Err(miss) => miss.places().to_vec(),
        });
        places.any(|other| {
            path::parent(&other.file) == path::parent(&place.file) && other.slot.version == place.slot.version
        })
    };
    let mut settled = Vec::new();
    for (assignment, answer) in &looked {
        let targets = match answer {
            Ok(targets) => targets.clone(),
            Err(miss) => {
                let places = miss.places().iter().copied().filter(|place| beside(assignment, place));
                let places: Vec<&CatalogPlace> = places.collect();
                let versions: BTreeSet<&str> = places.iter().map(|place| place.slot.version.as_str()).collect();
                if versions.len() != 1 {
                    return Err(unmatched_name_error(facts, assignment, request, miss));
                }
                places.into_iter().map(|place| target_of_place(facts, place)).collect()
            }
        };
        settled.push((*assignment, targets));
    }
    Ok(settled)
}

/// The targets of an assignment, or the reason why there are none.
type AssignmentTargets<'a> = std::result::Result<Vec<VersionTarget<'a>>, NameResolutionError<'a>>;

fn targets<'a>(
    facts: &PlanningFacts<'a>,
    request: &AssignmentRequest,
    assignment: &ArtifactAssignment,
) -> Result<AssignmentTargets<'a>> {
    if let Some(address) = &assignment.place {
        let place = address.place(facts.catalog);
        let gone = || Error::refused(format!("{} no longer has a version at .{}", address.file, address.path));
        return Ok(Ok(vec![target_of_place(facts, place.ok_or_else(gone)?)]));
    }
    let name = facts.repository.config.names.get(&assignment.name).unwrap_or(&assignment.name);
    let assignment = &ArtifactAssignment { name: name.clone(), ..assignment.clone() };
    let environment = request.environment.as_deref();
    let images_only = request.kinds == [ArtifactKind::Image];
    let overlay = environment.and_then(|environment| facts.discovery.overlay(&assignment.name, environment));
    // An image given together with a service cannot be a chart.
    let kinds = if assignment.image.is_some() { &[ArtifactKind::Image][..] } else { &request.kinds };
    // The built overlay is more reliable than its files. Values of a chart may have an image that no manifest has.
    let mut unbuilt = None;
    if let Some(overlay) = overlay.filter(|_| images_only || assignment.image.is_some()) {
        match facts.builder.build(&overlay.directory) {
            Ok(built) if built.images.is_empty() && assignment.image.is_none() => {}
            Ok(built) => match image_origin(facts, assignment, &built, overlay) {
                Ok(origin) => {
                    let own = own_places(facts, &built, overlay, &origin);
                    return Ok(Ok(if own.is_empty() { vec![image_target(overlay, origin)] } else { own }));
                }
                Err(error) if assignment.image.is_some() => unbuilt = Some(error),
                Err(error) => return Err(error),
            },
            Err(reason) => return Err(Error::refused(format!("{}: {reason}", assignment.name))),
        }
    }
    let spread = request.spread;
    let (name, version, image) = (assignment.name.as_str(), assignment.version.as_str(), assignment.image.as_deref());
    let question = VersionQuery { environment, name, version, kinds, image, spread };
    let decides = |place: &CatalogPlace| effect::check_place(facts, place).is_ok();
    let miss = match resolve_places(facts.catalog, &question, &decides) {
        Ok(places) => {
            check_unread_files(facts, name, environment, &places)?;
            return Ok(Ok(places.into_iter().map(|place| target_of_place(facts, place)).collect()));
        }
        Err(miss) => miss,
    };
    if let Some(image) = image
        && matches!(miss, NameResolutionError::Unknown)
    {
        if let Some(error) = unbuilt {
            return Err(error);
        }
        let places = match resolve_places(facts.catalog, &VersionQuery { image: None, ..question }, &decides) {
            Ok(places) => places,
            Err(miss) => miss.places().to_vec(),
        };
        if !places.is_empty() {
            return Err(unknown_image_error(name, &places, image));
        }
    }
    // The image may come from a base, and gets its own entry in the overlay.
    if let Some(overlay) = overlay
        && matches!(
            miss,
            NameResolutionError::Unknown | NameResolutionError::Elsewhere(_) | NameResolutionError::Base(..)
        )
        && let Ok(built) = facts.builder.build(&overlay.directory)
        && !built.images.is_empty()
    {
        return Ok(Ok(vec![image_target(overlay, image_origin(facts, assignment, &built, overlay)?)]));
    }
    Ok(Err(miss))
}

/// Returns the places of an image that only this overlay builds, if all of them have one version: the manifests of an
/// environment do not need an entry.
fn own_places<'a>(
    facts: &PlanningFacts<'a>,
    built: &BuiltKustomization,
    overlay: &Overlay,
    origin: &str,
) -> Vec<VersionTarget<'a>> {
    let images = built.with_origin(origin);
    let is_plain = !images.is_empty() && images.iter().all(|image| image.set_by == VersionSource::Manifest);
    let is_own = |place: &&CatalogPlace| {
        place.service == overlay.service
            && place.compared_artifact() == Some(compared_name(origin, ArtifactKind::Image))
            && place.slot.what == ArtifactKind::Image
            && facts.catalog.is_in(place, &overlay.environment)
            && effect::check_place(facts, place).is_ok()
    };
    let places: Vec<&CatalogPlace> = facts.catalog.places.iter().filter(|_| is_plain).filter(is_own).collect();
    let versions: BTreeSet<String> = places.iter().map(|place| place.slot.full_version()).collect();
    // An image that is built more often has further places, which other overlays share.
    let is_complete = versions.len() == 1 && places.len() == images.len();
    if is_complete { places.into_iter().map(VersionTarget::Place).collect() } else { Vec::new() }
}

fn image_target(overlay: &Overlay, origin: String) -> VersionTarget<'_> {
    VersionTarget::Image { overlay, origin, from: None }
}

/// Returns the target for a place. For an entry in an overlay's `images`, it is the image of the entry.
fn target_of_place<'a>(facts: &PlanningFacts<'a>, place: &'a CatalogPlace) -> VersionTarget<'a> {
    let overlay = facts.discovery.overlays.iter().find(|overlay| {
        facts
            .repository
            .kustomizations
            .get(&overlay.directory)
            .is_some_and(|kustomization| kustomization.file == place.file)
    });
    let Some(overlay) = overlay.filter(|_| place.is_image_entry(facts.repository)) else {
        return VersionTarget::Place(place);
    };
    let Ok(built) = facts.builder.build(&overlay.directory) else { return VersionTarget::Place(place) };
    let artifact = place.slot.artifact.as_deref().unwrap_or_default();
    let own = built.images.iter().find(|image| {
        image.is_set_in(&overlay.directory) && (image.incoming.name == artifact || image.reference.name == artifact)
    });
    match own {
        Some(own) => image_target(overlay, own.origin.clone()),
        None => VersionTarget::Place(place),
    }
}

/// Returns the image of an assignment: the given one, the only one, or the only one with an entry in the overlay.
fn image_origin(
    facts: &PlanningFacts<'_>,
    assignment: &ArtifactAssignment,
    built: &BuiltKustomization,
    overlay: &Overlay,
) -> Result<String> {
    let origins: BTreeSet<&str> = built.images.iter().map(|image| image.origin.as_str()).collect();
    let several = |what: String| {
        let names: Vec<&str> = origins.iter().copied().collect();
        Error::usage(format!("{}: {what}", assignment.name)).hint(format!("its images are {}", names.join(", ")))
    };
    if let Some(name) = &assignment.image {
        let named = |image: &&ucp_repo::gitops::effective::DeployedImage| {
            [&image.origin, &image.incoming.name, &image.reference.name].contains(&name)
        };
        return match built.images.iter().find(named) {
            Some(image) => Ok(image.origin.clone()),
            // The image may come from a base in another repository, if another overlay of the service has it.
            None if !built.unseen.is_empty() && is_elsewhere(facts, overlay, name) => Ok(name.clone()),
            None => {
                Err(several(format!("no workload has the image {name}{}", did_you_mean(name, origins.iter().copied()))))
            }
        };
    }
    let own = built.images.iter().filter(|image| image.is_set_in(&overlay.directory));
    let own: BTreeSet<&str> = own.map(|image| image.origin.as_str()).collect();
    for candidates in [&origins, &own] {
        if let [origin] = candidates.iter().copied().collect::<Vec<_>>().as_slice() {
            return Ok((*origin).to_owned());
        }
    }
    match origins.is_empty() {
        true => Err(Error::usage(format!("{}: its images are not known", assignment.name))
            .hint("specify the image: SERVICE=IMAGE:TAG")),
        false => Err(several("it has several images; select one with SERVICE=IMAGE:TAG".to_owned())),
    }
}

/// Returns true if another overlay of the service has an image.
fn is_elsewhere(facts: &PlanningFacts<'_>, overlay: &Overlay, name: &str) -> bool {
    let others = facts.discovery.overlays.iter().filter(|other| other.service == overlay.service);
    let mut built = others.filter_map(|other| facts.builder.build(&other.directory).ok());
    built.any(|built| built.images.iter().any(|image| image.origin == name))
}
