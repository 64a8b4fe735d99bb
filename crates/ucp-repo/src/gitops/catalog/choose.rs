//! Resolution of a name to catalog places: the best matches, provided that they hold one version.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::gitops::catalog::continuation::continued;
use crate::gitops::catalog::likeness::{
    can_follow, common_numbers, has_other_prefix, is_near, is_next, is_next_commit, is_other_line, is_other_variant,
    is_same_line, shape,
};
use crate::gitops::catalog::naming::{NameFit, normalize_name, qualified_name};
use crate::gitops::catalog::own_chart::{self, ChartName};
use crate::gitops::catalog::query::{NamedPlaces, PlaceSpread, VersionQuery, fit};
use crate::gitops::catalog::reach::EnvironmentReach;
use crate::gitops::catalog::rivals::{
    collected, is_pinned, longer_names, namesakes, other_artifacts, other_spelling, same_elsewhere,
};
use crate::gitops::catalog::unresolved::NameResolutionError;
use crate::gitops::catalog::{Catalog, CatalogPlace};
use crate::gitops::path;
use crate::gitops::purpose::Purpose;
use crate::slot::artifact::{ArtifactKind, short_name};
use crate::slot::version::is_moving;

/// Returns the places that a name refers to.
///
/// `decides` returns true for places whose version takes effect.
///
/// # Errors
/// Fails when there are no places, or ambiguous ones.
pub fn resolve_places<'c>(
    catalog: &'c Catalog,
    question: &VersionQuery<'_>,
    decides: &dyn Fn(&CatalogPlace) -> bool,
) -> Result<Vec<&'c CatalogPlace>, NameResolutionError<'c>> {
    let wanted = question.wanted();
    // A label repeats a version, and is set by its path.
    let places = catalog.places.iter().filter(|place| question.accepts(place) && !place.is_metadata());
    let named: NamedPlaces<'c> =
        places.filter_map(|place| Some((fit(place, question.name, &wanted)?, place))).collect();
    if named.is_empty()
        && let Some(name) = other_spelling(catalog, &wanted)
    {
        return resolve_places(catalog, &VersionQuery { name: &name, ..*question }, decides);
    }
    let named = question.of_service(question.possible(named));
    let (own, used): (Vec<_>, Vec<_>) = named.into_iter().partition(|(_, place)| place.is_own_version_of_chart());
    let resolve = |named: NamedPlaces<'c>| resolve_named(catalog, named, question, decides);
    own_chart::resolve(catalog, ChartName { own, used }, question, &resolve)
}

/// Returns the best of these places.
fn resolve_named<'c>(
    catalog: &'c Catalog,
    named: NamedPlaces<'c>,
    question: &VersionQuery<'_>,
    decides: &dyn Fn(&CatalogPlace) -> bool,
) -> Result<Vec<&'c CatalogPlace>, NameResolutionError<'c>> {
    let wanted = question.wanted();
    if named.is_empty() {
        return Err(NameResolutionError::Unknown);
    }
    let here: Vec<(NameFit, &CatalogPlace)> = match question.environment {
        Some(environment) => {
            let here = named.iter().filter(|(_, place)| question.is_in_environment(catalog, place)).copied();
            let here: Vec<_> = here.collect();
            if here.is_empty() {
                return Err(absent(&named, environment));
            }
            here
        }
        None => named,
    };
    let deployed: Vec<_> = here.iter().copied().filter(|(_, place)| place.purpose == Purpose::Deployed).collect();
    let here = if deployed.is_empty() { here } else { deployed };
    let effective: Vec<_> = here.iter().copied().filter(|(_, place)| decides(place)).collect();
    let here = if effective.is_empty() { here } else { effective };
    let all = here.clone();
    let here = without_duplicates(of_its_form(here, question)?);
    if let Some(rivals) = other_artifacts(catalog, &here, &wanted, question) {
        return Err(NameResolutionError::Artifacts(rivals));
    }
    let here = match question.environment {
        Some(_) => here,
        None => one_reach(here, question.version)?,
    };
    let best = here.iter().map(|(fit, _)| *fit).min();
    let is_weak = best.is_none_or(NameFit::is_weak);
    let places = narrow(here, &wanted, question.version)?;
    // A name that is qualified by a directory does not mean the same artifact in another one.
    let qualified = qualified_name(question.name);
    let is_qualified = qualified.is_some_and(|key| places.iter().all(|place| place.names.contains_key(&key)));
    let rivals =
        || longer_names(catalog, &places, &wanted, question).or_else(|| same_elsewhere(catalog, &places, question));
    if is_weak
        && !is_qualified
        && let Some(rivals) = rivals()
    {
        return Err(NameResolutionError::Several(places.into_iter().chain(rivals).collect()));
    }
    let is_short = best == Some(NameFit::Artifact) && question.image.is_none();
    let rivals =
        || namesakes(catalog, &places, &wanted, question).or_else(|| collected(catalog, &places, &wanted, question));
    if is_short && let Some(rivals) = rivals() {
        return Err(NameResolutionError::Several(places.into_iter().chain(rivals).collect()));
    }
    // Distance only refuses: it does not choose between artifacts. An image that is given is not another artifact.
    let is_possible = |place: &&CatalogPlace| {
        let before = place.slot.version.as_str();
        let is_next = || is_near(before, question.version) && (!is_weak || is_next(before, question.version));
        question.image.is_some() || is_next()
    };
    if !places.iter().all(is_possible) {
        // A place that its form left out may be meant.
        let others =
            all.iter().map(|(_, place)| *place).filter(|other| !places.iter().any(|one| std::ptr::eq(*one, *other)));
        return Err(NameResolutionError::Unlike(places.iter().copied().chain(others).collect()));
    }
    if question.spread == PlaceSpread::Together && is_spread(&places, &wanted, question.version) {
        return Err(NameResolutionError::Spread(places));
    }
    let environments: BTreeSet<Vec<&str>> = places.iter().map(|place| place.reach.environments()).collect();
    match question.environment {
        // A directory that contains several environments is not an environment itself.
        Some(_) if environments.len() > 1 => Err(NameResolutionError::Environments(places)),
        // A base, and places unrelated to the environments that build on it, are different things.
        None if environments.len() > 1 && environments.iter().any(|names| names.len() > 1) => {
            Err(NameResolutionError::Several(places))
        }
        _ => Ok(places),
    }
}

/// Returns true if it is not known which of the places that would change is meant: they are in directories without a
/// common one of their service, or one of several objects of a kind has exactly this name.
fn is_spread(places: &[&CatalogPlace], wanted: &str, version: &str) -> bool {
    let changing: Vec<&CatalogPlace> = places.iter().copied().filter(|place| place.slot.version != version).collect();
    let directories: BTreeSet<&str> = changing.iter().map(|place| path::parent(&place.file)).collect();
    if directories.len() > 1 {
        let services: BTreeSet<&str> = changing.iter().map(|place| place.service.as_str()).collect();
        let common = directories.iter().copied().reduce(path::common).unwrap_or_default();
        let is_of_service = |part: &str| {
            let part = normalize_name(part);
            part == wanted
                || services.iter().any(|service| short_name(service) == part || normalize_name(service) == part)
        };
        // One artifact in two directories is deployed twice; parts of a service are released together.
        let is_twice = is_repeated(&changing, &|place| path::parent(&place.file));
        return services.len() > 1 || is_twice || !common.split('/').any(is_of_service);
    }
    // So is one artifact in the releases of two services.
    let releases: Vec<&CatalogPlace> = changing.iter().copied().filter(|place| place.is_in_release()).collect();
    if is_repeated(&releases, &|place| &place.service) {
        return true;
    }
    let objects: BTreeSet<(&str, &str)> = changing
        .iter()
        .filter_map(|place| place.slot.object.as_ref())
        .map(|object| (object.kind.as_str(), object.name.as_str()))
        .collect();
    let named = objects.iter().find(|(_, name)| normalize_name(name) == wanted);
    named.is_some_and(|named| objects.iter().any(|other| other.0 == named.0 && other.1 != named.1))
}

/// Returns true if an artifact is in several groups of places.
fn is_repeated<'c>(places: &[&'c CatalogPlace], group: &dyn Fn(&'c CatalogPlace) -> &'c str) -> bool {
    let mut seen = BTreeMap::new();
    places.iter().filter_map(|place| Some((place, place.compared_artifact()?))).any(|(place, artifact)| {
        *seen.entry((place.slot.what, artifact)).or_insert_with(|| group(place)) != group(place)
    })
}

/// Returns the places whose version has the format of the requested one, or can be followed by it: a commit is not meant for
/// a chart, nor a number for a branch.
///
/// # Errors
/// Fails when a place that this leaves out may be meant: its format alone does not choose between artifacts.
fn of_its_form<'c>(
    here: Vec<(NameFit, &'c CatalogPlace)>,
    question: &VersionQuery<'_>,
) -> Result<Vec<(NameFit, &'c CatalogPlace)>, NameResolutionError<'c>> {
    let version = question.version;
    let asked = shape(version);
    let alike: Vec<_> = here.iter().copied().filter(|(_, place)| shape(&place.slot.version) == asked).collect();
    let chosen = if alike.is_empty() { followed(here.clone(), question)? } else { alike };
    let Some(best) = chosen.iter().map(|(fit, _)| *fit).min() else { return Ok(chosen) };
    let is_chosen = |place: &CatalogPlace| chosen.iter().any(|(_, one)| std::ptr::eq(*one, place));
    let nearest = chosen.iter().map(|(_, one)| common_numbers(&one.slot.version, version)).max().unwrap_or_default();
    let may_be_meant = |fit: NameFit, place: &CatalogPlace| {
        let is_entry = |one: &CatalogPlace| one.file == place.file && one.slot.mapping() == place.slot.mapping();
        let is_part = chosen.iter().any(|(_, one)| is_entry(one));
        // A place that follows a moving tag is not meant if another one has a version to replace.
        let is_other_place = chosen.iter().any(|(_, one)| one.shares_artifact(place))
            && !(is_moving(&place.slot.version) && chosen.iter().any(|(_, one)| one.slot.version != version));
        let is_nearer = best.is_weak() && common_numbers(&place.slot.version, version) > nearest;
        let is_other_place = is_other_place
            && !(is_other_line(&place.slot.version, version)
                && chosen.iter().any(|(_, one)| is_same_line(&one.slot.version, version)));
        place.slot.version != version && !is_part && (fit < best || is_other_place || is_nearer)
    };
    let left_out: Vec<&CatalogPlace> = here
        .iter()
        .filter(|(fit, place)| !is_chosen(place) && may_be_meant(*fit, place))
        .map(|(_, place)| *place)
        .collect();
    match left_out.is_empty() {
        true => Ok(chosen),
        false => {
            Err(NameResolutionError::Several(chosen.into_iter().map(|(_, place)| place).chain(left_out).collect()))
        }
    }
}

/// Returns the places whose version can be followed by one of another format. Under its whole name, an image may begin or
/// cease to be tagged with a `v`, or with a variant. An image that is given with a service may have any version.
fn followed<'c>(
    here: Vec<(NameFit, &'c CatalogPlace)>,
    question: &VersionQuery<'_>,
) -> Result<Vec<(NameFit, &'c CatalogPlace)>, NameResolutionError<'c>> {
    let version = question.version;
    let can_follow = |(fit, place): &(NameFit, &CatalogPlace)| {
        let is_whole = *fit == NameFit::Exact;
        let before = place.slot.version.as_str();
        question.image.is_some()
            || can_follow(before, version, place.slot.what)
            || !fit.is_weak() && is_next_commit(before, version)
            || is_whole
                && place.slot.what == ArtifactKind::Image
                && (has_other_prefix(before, version) || is_other_variant(before, version))
    };
    let places: Vec<_> = here.iter().copied().filter(can_follow).collect();
    match places.is_empty() {
        true => Err(NameResolutionError::Unlike(here.into_iter().map(|(_, place)| place).collect())),
        false => Ok(places),
    }
}

/// Removes duplicates: the tag and the digest of one entry are one version.
fn without_duplicates(named: Vec<(NameFit, &CatalogPlace)>) -> Vec<(NameFit, &CatalogPlace)> {
    let mut seen = HashSet::new();
    let mut is_first =
        |place: &CatalogPlace| place.slot.entry.is_none() || seen.insert((place.file.clone(), place.slot.mapping()));
    named.into_iter().filter(|(_, place)| is_first(place)).collect()
}

fn absent<'c>(named: &[(NameFit, &'c CatalogPlace)], environment: &str) -> NameResolutionError<'c> {
    let shared = named.iter().find_map(|(_, place)| match &place.reach {
        EnvironmentReach::Shared(names) if names.contains(environment) => Some((*place, names.clone())),
        _ => None,
    });
    if let Some((place, names)) = shared {
        return NameResolutionError::Base(place, names);
    }
    let elsewhere = named.iter().flat_map(|(_, place)| place.reach.environments()).map(str::to_owned);
    NameResolutionError::Elsewhere(elsewhere.collect())
}

/// Returns the places of a name without an environment: those that environments share, or those of the only one.
fn one_reach<'c>(
    named: Vec<(NameFit, &'c CatalogPlace)>,
    version: &str,
) -> Result<Vec<(NameFit, &'c CatalogPlace)>, NameResolutionError<'c>> {
    let (own, common): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|(_, place)| matches!(place.reach, EnvironmentReach::One(_)));
    let fit = |named: &[(NameFit, &CatalogPlace)]| named.iter().map(|(fit, _)| *fit).min();
    let environments: BTreeSet<&str> = own.iter().flat_map(|(_, place)| place.reach.environments()).collect();
    match (fit(&own), fit(&common)) {
        (own_fit, Some(common_fit)) if own_fit.is_none_or(|own_fit| common_fit <= own_fit) => {
            // The places of single environments must be overrides of the same artifact.
            let foreign = own.iter().filter(|(fit, _)| *fit <= common_fit);
            let overrides = |place: &CatalogPlace| {
                common.iter().filter(|(_, base)| base.service == place.service).any(|(_, base)| {
                    matches!(&base.reach, EnvironmentReach::Shared(names)
                        if place.reach.environments().iter().all(|name| names.contains(*name)))
                })
            };
            let all = || common.iter().chain(foreign.clone()).map(|(_, place)| *place).collect();
            if foreign.clone().any(|(_, place)| !overrides(place)) {
                return Err(NameResolutionError::Several(all()));
            }
            // An override with the version of the base, or one nearer to the new version, may be meant too, and so may any
            // one by the name of its service.
            let may_be_meant = |place: &CatalogPlace| {
                let is_level = || common.iter().any(|(_, base)| base.slot.version == place.slot.version);
                let near = |place: &CatalogPlace| common_numbers(&place.slot.version, version);
                let is_nearer = || common.iter().all(|(_, base)| near(place) > near(base));
                place.slot.version != version && (common_fit.is_weak() || is_level() || is_nearer())
            };
            match foreign.clone().any(|(_, place)| may_be_meant(place)) {
                true => Err(NameResolutionError::Environments(all())),
                false => unless_nearer(common, &own, version),
            }
        }
        _ if environments.len() > 1 => {
            let best = fit(&own);
            Err(NameResolutionError::Environments(
                own.into_iter().filter(|(fit, _)| Some(*fit) == best).map(|(_, place)| place).collect(),
            ))
        }
        _ => unless_nearer(own, &common, version),
    }
}

/// Returns these places, unless one that they leave out continues the requested numbers: the image in the values of an
/// environment, beside the chart that all environments share.
fn unless_nearer<'c>(
    chosen: NamedPlaces<'c>,
    left_out: &[(NameFit, &'c CatalogPlace)],
    version: &str,
) -> Result<NamedPlaces<'c>, NameResolutionError<'c>> {
    let near = |place: &CatalogPlace| common_numbers(&place.slot.version, version);
    let nearest = chosen.iter().map(|(_, place)| near(place)).max().unwrap_or_default();
    let best = chosen.iter().map(|(fit, _)| *fit).min();
    let is_nearer = |(fit, place): &&(NameFit, &CatalogPlace)| {
        Some(*fit) > best && *fit <= NameFit::Service && place.slot.version != version && near(place) > nearest
    };
    let mut rivals = left_out.iter().filter(is_nearer).map(|(_, place)| *place).peekable();
    if rivals.peek().is_none() {
        return Ok(chosen);
    }
    Err(NameResolutionError::Several(chosen.iter().map(|(_, place)| *place).chain(rivals).collect()))
}

/// Returns the best matches if they hold one version that the requested one can follow.
fn narrow<'c>(
    named: Vec<(NameFit, &'c CatalogPlace)>,
    name: &str,
    version: &str,
) -> Result<Vec<&'c CatalogPlace>, NameResolutionError<'c>> {
    let Some(best) = named.iter().map(|(fit, _)| *fit).min() else { return Err(NameResolutionError::Unknown) };
    let first: Vec<&CatalogPlace> = named.iter().filter(|(fit, _)| *fit == best).map(|(_, place)| *place).collect();
    // Places that already have the version are kept, and do not make the name ambiguous.
    let versions: BTreeSet<&str> =
        first.iter().map(|place| place.slot.version.as_str()).filter(|other| *other != version).collect();
    let before = match versions.into_iter().collect::<Vec<_>>().as_slice() {
        [] => return Ok(first),
        [before] => *before,
        _ => return continued(&named, best, version).ok_or(NameResolutionError::Several(first)),
    };
    let rivals = named.iter().filter(|(fit, place)| *fit != best && place.slot.version != version);
    let closer = |place: &CatalogPlace| common_numbers(&place.slot.version, version) > common_numbers(before, version);
    // So does a neighbor that continues the requested numbers, if the best match has another first number.
    let is_next_door = |place: &CatalogPlace| {
        common_numbers(before, version) == 0
            && common_numbers(&place.slot.version, version) > usize::from(is_next(before, version))
            && shape(&place.slot.version) == shape(version)
    };
    if rivals.clone().any(|(fit, place)| *fit <= NameFit::Service && closer(place) || is_next_door(place)) {
        return Err(NameResolutionError::Several(first.into_iter().chain(rivals.map(|(_, place)| *place)).collect()));
    }
    let mut places = first;
    let together = |place: &CatalogPlace| {
        place.slot.version == before
            && places.iter().any(|first| {
                let pinned = is_pinned(first, place);
                // So do the parts of a service that are released with the same version: its chart, and the chart of its
                // cluster.
                let released = first.slot.what == place.slot.what
                    && first.service == place.service
                    && normalize_name(&place.service) == name;
                pinned || released
            })
    };
    let (more, rivals): (Vec<&CatalogPlace>, Vec<&CatalogPlace>) =
        rivals.map(|(_, place)| *place).partition(|place| together(place));
    places.extend(more);
    if !best.is_weak() {
        return Ok(places);
    }
    // The name of a location does not tell apart what is there.
    let is_as_near =
        |place: &&&CatalogPlace| common_numbers(&place.slot.version, version) >= common_numbers(before, version);
    let rivals: Vec<&CatalogPlace> = rivals.iter().filter(is_as_near).copied().collect();
    let changing: Vec<&CatalogPlace> = places.iter().copied().filter(|place| place.slot.version != version).collect();
    let is_mixed = changing
        .iter()
        .any(|one| changing.iter().any(|other| one.slot.what != other.slot.what && !is_pinned(one, other)));
    match rivals.is_empty() && !is_mixed {
        true => Ok(places),
        false => Err(NameResolutionError::Several(places.into_iter().chain(rivals).collect())),
    }
}
