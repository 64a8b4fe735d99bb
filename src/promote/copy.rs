//! `promote`: copies versions from one environment to another.

use std::collections::BTreeSet;

use crate::promote::facts::PlanningFacts;
use crate::promote::plan::{self, PlanDraft};
use crate::promote::proposals::{self, IntendedPlace, Intention};
use crate::promote::reconcile::PlanRows;
use crate::promote::refusal::VersionRefusal;
use crate::promote::request::{PromotionRequest, ServiceSelection};
use crate::promote::wanted::{self, VersionTarget, WantedVersion};
use crate::promote::{slots, whole_file};
use crate::report::promotion::{PromotionPlan, ReasonImportance, RepositoryPath, UnchangedValue, VersionUpdate};
use ucp_core::model::image::{ImageVersion, fully_qualified_name};
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::catalog::naming::without_environment;
use ucp_repo::gitops::discover::Overlay;
use ucp_repo::gitops::effective::{DeployedImage, placement};
use ucp_repo::slot::artifact::short_name;

/// A check that fails with a reason if a change must wait.
pub type ChangeGate<'g> = dyn Fn(&PlanningFacts<'_>, &VersionUpdate) -> Result<(), VersionRefusal> + 'g;

/// Plans a promotion. `rows` restricts it to rows of an earlier plan.
///
/// All changes of a service are made, or none. If all services are requested, those that cannot be promoted are left
/// out; if services are named, one refusal refuses all of them.
pub fn plan(
    facts: &PlanningFacts<'_>,
    request: &PromotionRequest,
    rows: Option<&PlanRows>,
    gate: Option<&ChangeGate<'_>>,
) -> PromotionPlan {
    let mut plan = plan_unverified(facts, request, rows, gate);
    let again = |facts: &PlanningFacts<'_>| Some(plan_unverified(facts, request, rows, None));
    let places = |left: &UnchangedValue| intended_places(facts, request, left);
    proposals::verify(facts, &mut plan, &Intention { plan: &again, places: &places });
    plan
}

/// Returns the places of a refused value in the target environment as file, path, and version, if the source
/// environment has one version of it.
fn intended_places(facts: &PlanningFacts<'_>, request: &PromotionRequest, left: &UnchangedValue) -> Vec<IntendedPlace> {
    let service = left.service.as_deref().unwrap_or_default();
    let [from, to] = [&request.from, &request.to].map(|environment| facts.discovery.overlay(service, environment));
    let is_it = |place: &&CatalogPlace, environment: &str| {
        let named = place.slot.artifact.as_deref().is_some_and(|artifact| artifact == left.image);
        place.service == service
            && (place.artifact() == left.image || named)
            && facts.catalog.is_in(place, environment)
            && !place.is_metadata()
    };
    let all = |environment: &'_ str| -> Vec<&CatalogPlace> {
        facts.catalog.places.iter().filter(|place| is_it(place, environment)).collect()
    };
    let built = from.and_then(|overlay| facts.builder.build(&overlay.directory).ok()).map(|built| {
        placement::versions(&built.with_origin(&left.image))
            .iter()
            .map(ImageVersion::to_string)
            .collect::<BTreeSet<_>>()
    });
    let versions = built
        .filter(|versions| !versions.is_empty())
        .unwrap_or_else(|| all(&request.from).iter().map(|place| place.slot.full_version()).collect::<BTreeSet<_>>());
    let [version] = versions.iter().collect::<Vec<_>>()[..] else { return Vec::new() };
    let version = version.trim_start_matches('@');
    let mut places: Vec<&CatalogPlace> = all(&request.to);
    if places.is_empty()
        && let Some(to) = to
    {
        // The entry of the overlay has another name than the image.
        let file = facts.repository.kustomizations.get(&to.directory).map(|kustomization| &kustomization.file);
        let is_entry = |place: &&CatalogPlace| Some(&place.file) == file && place.is_image_entry(facts.repository);
        places = facts.catalog.places.iter().filter(is_entry).collect();
        if places.len() > 1 {
            places.clear();
        }
    }
    places.into_iter().map(|place| IntendedPlace::new(place, version)).collect()
}

/// Plans a promotion, with remedies that are not planned.
fn plan_unverified(
    facts: &PlanningFacts<'_>,
    request: &PromotionRequest,
    rows: Option<&PlanRows>,
    gate: Option<&ChangeGate<'_>>,
) -> PromotionPlan {
    let mut out: BTreeSet<String> = BTreeSet::new();
    let mut refused = Vec::new();
    loop {
        let mut plan = plan_without(facts, request, rows, &out);
        if let Some(gate) = gate {
            hold_back(facts, gate, &mut plan);
        }
        let newly: BTreeSet<String> = plan.refused.iter().filter_map(|left| left.service.clone()).collect();
        let partial = matches!(request.services, ServiceSelection::All);
        if !partial || newly.is_subset(&out) {
            plan.refused.extend(refused);
            plan.leaves_out = partial;
            return plan;
        }
        refused.extend(plan.refused);
        out.extend(newly);
    }
}

/// Moves changes that fail the gate to the refused ones.
fn hold_back(facts: &PlanningFacts<'_>, gate: &ChangeGate<'_>, plan: &mut PromotionPlan) {
    let mut refused = Vec::new();
    plan.changes.retain(|change| match gate(facts, change) {
        Ok(()) => true,
        Err(refusal) => {
            refused.push(plan::refused(change.service.clone(), change.image.clone(), &refusal));
            false
        }
    });
    // The diff must not contain refused changes.
    let changed: BTreeSet<&str> = plan.changes.iter().map(|change| change.file.as_str()).collect();
    plan.files.retain(|file| changed.contains(file.path.as_str()));
    plan.refused.extend(refused);
}

fn plan_without<'a>(
    facts: &'a PlanningFacts<'a>,
    request: &PromotionRequest,
    rows: Option<&PlanRows>,
    out: &BTreeSet<String>,
) -> PromotionPlan {
    let mut plan = PromotionPlan::new(RepositoryPath { path: facts.repository.top.display().to_string() });
    plan.from = Some(request.from.clone());
    plan.to = Some(request.to.clone());
    let mut draft = PlanDraft::new(facts, plan);
    let pairs = slots::SlotPairs::from_places(facts, &request.from, &request.to);
    let services: BTreeSet<&str> = facts.discovery.services().into_iter().chain(pairs.services()).collect();
    for service in services.iter().copied().filter(|service| !out.contains(*service)) {
        if let ServiceSelection::Named(named) = &request.services
            && !named.contains(service)
        {
            continue;
        }
        let [from, to] = [&request.from, &request.to].map(|environment| facts.discovery.overlay(service, environment));
        let whole = to.map(|to| whole_file::files(facts, to)).unwrap_or_default();
        let has_slots = pairs.has(service);
        match (from, to) {
            (Some(from), Some(to)) => {
                let kustomized = [from, to].iter().all(|overlay| is_kustomized(facts, overlay));
                // Without a build, files and slots can still be promoted.
                let ruled = facts.catalog.is_ruled(&to.directory);
                let unread = !kustomized && !has_slots && facts.repository.config.promote.is_empty();
                if kustomized && !ruled || unread {
                    copy_images(&mut draft, facts, (from, to), request, rows, &whole);
                }
                if request.only.is_empty() {
                    whole_file::copy(&mut draft, facts, from, to, rows);
                }
            }
            _ if has_slots => {}
            (None, None) if matches!(request.services, ServiceSelection::All) => {}
            (from, _) => {
                let (missing, other) =
                    if from.is_none() { (&request.from, &request.to) } else { (&request.to, &request.from) };
                match &request.services {
                    ServiceSelection::All => draft.keep_one_sided(service, "*", other),
                    ServiceSelection::Named(_) => refuse_absent(&mut draft, service, missing),
                }
            }
        }
        pairs.copy(&mut draft, service, request, rows, &whole);
    }
    if let ServiceSelection::Named(named) = &request.services {
        named
            .iter()
            .filter(|name| !services.contains(name.as_str()))
            .for_each(|name| explain(&mut draft, facts, request, name));
    }
    let mut plan = draft.finish();
    if rows.is_none() {
        explain_unselected(&mut plan, request);
    }
    plan
}

/// Adds the names of `--only` that select nothing.
fn explain_unselected(plan: &mut PromotionPlan, request: &PromotionRequest) {
    let rows = plan.kept.iter().chain(&plan.refused).map(|left| left.image.as_str());
    let artifacts: Vec<&str> = rows.chain(plan.changes.iter().map(|change| change.image.as_str())).collect();
    let selects = |only: &String| {
        let alone = PromotionRequest { only: vec![only.clone()], ..request.clone() };
        artifacts.iter().any(|artifact| *artifact == "*" || alone.selects(artifact))
    };
    let unknown: Vec<String> = request.only.iter().filter(|only| !selects(only)).cloned().collect();
    plan.kept.extend(unknown.into_iter().map(|image| UnchangedValue {
        service: None,
        image,
        reason: "--only selects nothing of the services".to_owned(),
        help: None,
        weight: ReasonImportance::Telling,
    }));
}

fn refuse_absent(draft: &mut PlanDraft<'_>, service: &str, environment: &str) {
    let absent = VersionRefusal::Absent { service: service.to_owned(), environment: environment.to_owned() };
    draft.refuse(service, "*", &absent);
}

/// Adds the reason why nothing of a named service can be copied: it is in one environment only, or all of its versions
/// follow others.
fn explain(draft: &mut PlanDraft<'_>, facts: &PlanningFacts<'_>, request: &PromotionRequest, service: &str) {
    let catalog = facts.catalog;
    let is_in = |environment: &str| {
        catalog.places.iter().any(|place| place.service == service && catalog.is_in(place, environment))
    };
    match [&request.from, &request.to].into_iter().find(|environment| !is_in(environment)) {
        Some(missing) => refuse_absent(draft, service, missing),
        None => draft.keep(service, "*", "changes together with the images of its kustomization"),
    }
}

/// Returns true if an overlay is a kustomization, including one that cannot be read.
fn is_kustomized(facts: &PlanningFacts<'_>, overlay: &Overlay) -> bool {
    let directory = &overlay.directory;
    facts.repository.kustomizations.contains_key(directory) || facts.repository.unreadable.contains_key(directory)
}

fn copy_images<'a>(
    draft: &mut PlanDraft<'a>,
    facts: &PlanningFacts<'a>,
    (from, to): (&'a Overlay, &'a Overlay),
    request: &PromotionRequest,
    only: Option<&PlanRows>,
    whole: &BTreeSet<String>,
) {
    let service = &to.service;
    let built = match (facts.builder.build(&from.directory), facts.builder.build(&to.directory)) {
        (Ok(from), Ok(to)) => (from, to),
        (Err(reason), _) | (_, Err(reason)) => {
            return draft.refuse(
                service,
                "*",
                &VersionRefusal::File { service: service.clone(), reason: reason.into() },
            );
        }
    };
    let (source, target) = (placement::by_origin(&built.0), placement::by_origin(&built.1));
    let origins: BTreeSet<&str> = source.keys().chain(target.keys()).copied().collect();
    for origin in origins.into_iter().filter(|origin| request.selects(origin)) {
        if only.is_some_and(|only| !only.contains(&(service.clone(), origin.to_owned()))) {
            continue;
        }
        let Some(images) = source.get(origin) else {
            draft.keep_one_sided(service, origin, &to.environment);
            continue;
        };
        if target.get(origin).is_some_and(|images| whole_file::covers(whole, images)) {
            draft.add_unchanged(service, origin, "is promoted with its file");
            continue;
        }
        // An entry without a workload in this repository is for a remote base, which both environments may use.
        if !target.contains_key(origin)
            && (images.iter().any(|image| image.is_in_a_workload()) || built.1.unseen.is_empty())
        {
            draft.keep_one_sided(service, origin, &from.environment);
            continue;
        }
        if let Some((from, to)) =
            target.get(origin).and_then(|images_there| other_repository(origin, (from, images), (to, images_there)))
        {
            draft.refuse(service, origin, &VersionRefusal::Repository { from, to });
            continue;
        }
        let versions = placement::versions(images);
        if target.get(origin).is_some_and(|images| placement::versions(images) == versions) {
            let shown: Vec<String> = versions.iter().map(ImageVersion::to_string).collect();
            match shown.as_slice() {
                [version] => draft.add_declared(service, origin, version),
                several => draft.add_unchanged(service, origin, format!("is {} already", several.join(", "))),
            }
            continue;
        }
        match versions.into_iter().collect::<Vec<_>>().as_slice() {
            [version] if version.is_empty() => {
                draft.keep(service, origin, format!("{} declares no version", from.environment));
            }
            [version] => {
                draft.plan_version(&WantedVersion {
                    target: VersionTarget::Image { overlay: to, origin: origin.to_owned(), from: Some(from) },
                    version: version.to_string().trim_start_matches('@').to_owned(),
                    mutable_tags: facts.policy.mutable_tags,
                });
            }
            versions => {
                draft.refuse(
                    service,
                    origin,
                    &wanted::several_versions_refusal(from, &versions.iter().cloned().collect()),
                );
            }
        }
    }
}

/// Returns the resulting image names if they are of different repositories, so that a tag of one may not exist in the
/// other: the last path segments differ in more than the names of the environments, or only one environment replaces the
/// name, so that its entry would be incomplete.
fn other_repository(
    origin: &str,
    (from, images): (&Overlay, &[&DeployedImage]),
    (to, images_there): (&Overlay, &[&DeployedImage]),
) -> Option<(String, String)> {
    let names =
        |images: &[&DeployedImage]| images.iter().map(|image| image.reference.name.clone()).collect::<BTreeSet<_>>();
    let (left, right) = (names(images), names(images_there));
    let (Some(left), Some(right)) = (single_name(&left), single_name(&right)) else { return None };
    let is_half = right == origin && left != origin && fully_qualified_name(left) != fully_qualified_name(right);
    let plain = |name: &str, overlay: &Overlay| without_environment(short_name(name), &overlay.environment);
    (is_half || plain(left, from) != plain(right, to)).then(|| (left.clone(), right.clone()))
}

fn single_name(names: &BTreeSet<String>) -> Option<&String> {
    names.first().filter(|_| names.len() == 1)
}
