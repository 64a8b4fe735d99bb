//! Resolution of a name to catalog places: the best matches, provided that they hold one version.

use std::collections::{BTreeSet, HashSet};

use crate::gitops::catalog::likeness::{can_follow, common, shape};
use crate::gitops::catalog::naming::{Fit, plain};
use crate::gitops::catalog::reach::Reach;
use crate::gitops::catalog::{Catalog, Place};
use crate::gitops::purpose::Purpose;
use crate::slot::artifact::{What, normalized};

/// Query for the places of a version.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q> {
    /// The environment; `None` if only the name is given.
    pub environment: Option<&'q str>,
    /// Name of a service, an artifact or its last part, or a marker's policy.
    pub name: &'q str,
    /// The new version.
    pub version: &'q str,
    /// Accepted kinds of artifacts; empty for all.
    pub kinds: &'q [What],
}

/// Reason why a name does not resolve to one version.
#[derive(Debug, Clone)]
pub enum Miss<'c> {
    /// No place has this name.
    Unknown,
    /// The name is unknown in the environment; these environments have it.
    Elsewhere(BTreeSet<String>),
    /// In the environment the version comes from a base that these environments share.
    Base(&'c Place, BTreeSet<String>),
    /// The name exists in several environments, and none was given.
    Environments(Vec<&'c Place>),
    /// Several places have this name and different versions.
    Several(Vec<&'c Place>),
    /// The current versions have another format than the requested one, so it probably belongs to another artifact.
    Unlike(Vec<&'c Place>),
    /// The name is the last part of the names of several artifacts.
    Artifacts(Vec<&'c Place>),
}

impl<'c> Miss<'c> {
    /// Returns the ambiguous places.
    pub fn places(&self) -> &[&'c Place] {
        match self {
            Self::Environments(places) | Self::Several(places) => places,
            Self::Unknown | Self::Elsewhere(_) | Self::Base(..) | Self::Unlike(_) | Self::Artifacts(_) => &[],
        }
    }
}

/// Returns the places that a name refers to.
///
/// `decides` returns true for places whose version takes effect.
///
/// # Errors
/// Fails when there are no places, or ambiguous ones.
pub fn choose<'c>(
    catalog: &'c Catalog,
    question: &Question<'_>,
    decides: &dyn Fn(&Place) -> bool,
) -> Result<Vec<&'c Place>, Miss<'c>> {
    let wanted = plain(question.name);
    let asked = |place: &&Place| question.kinds.is_empty() || question.kinds.contains(&place.slot.what);
    let named: Vec<(Fit, &Place)> =
        catalog.places.iter().filter(asked).filter_map(|place| Some((*place.names.get(&wanted)?, place))).collect();
    if named.is_empty() {
        return Err(Miss::Unknown);
    }
    let here: Vec<(Fit, &Place)> = match question.environment {
        Some(environment) => {
            let here = named.iter().filter(|(_, place)| catalog.is_in(place, environment)).copied();
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
    // A place with a version of another format is not meant: a commit for a chart, a number for a branch.
    let asked = shape(question.version);
    let alike: Vec<_> = here.iter().copied().filter(|(_, place)| shape(&place.slot.version) == asked).collect();
    let here = once(if alike.is_empty() { followed(here, question.version)? } else { alike });
    if let Some(rivals) = other_artifacts(catalog, &here, &wanted, question) {
        return Err(Miss::Artifacts(rivals));
    }
    let here = match question.environment {
        Some(_) => here,
        None => one_reach(here)?,
    };
    let places = narrow(here, &wanted, question.version)?;
    let environments: BTreeSet<Vec<&str>> = places.iter().map(|place| place.reach.environments()).collect();
    match question.environment {
        // A directory that contains several environments is not an environment itself.
        Some(_) if environments.len() > 1 => Err(Miss::Environments(places)),
        // A base, and places unrelated to the environments that build on it, are different things.
        None if environments.len() > 1 && environments.iter().any(|names| names.len() > 1) => {
            Err(Miss::Several(places))
        }
        _ => Ok(places),
    }
}

/// Returns the places whose version can be followed by one of another format.
fn followed<'c>(here: Vec<(Fit, &'c Place)>, version: &str) -> Result<Vec<(Fit, &'c Place)>, Miss<'c>> {
    let can_follow = |place: &Place| can_follow(&place.slot.version, version, place.slot.what);
    match here.iter().any(|(_, place)| can_follow(place)) {
        true => Ok(here.into_iter().filter(|(_, place)| can_follow(place)).collect()),
        false => Err(Miss::Unlike(here.into_iter().map(|(_, place)| place).collect())),
    }
}

/// Returns the places of all artifacts whose last part is the name, if the repository has several.
fn other_artifacts<'c>(
    catalog: &'c Catalog,
    here: &[(Fit, &'c Place)],
    wanted: &str,
    question: &Question<'_>,
) -> Option<Vec<&'c Place>> {
    if here.iter().map(|(fit, _)| *fit).min() != Some(Fit::Artifact) {
        return None;
    }
    let asked = |place: &&Place| question.kinds.is_empty() || question.kinds.contains(&place.slot.what);
    let fits = |place: &&Place| place.names.get(wanted).is_some_and(|fit| *fit == Fit::Artifact);
    let meant: BTreeSet<What> =
        here.iter().filter(|(fit, _)| *fit == Fit::Artifact).map(|(_, place)| place.slot.what).collect();
    // Samples are not artifacts of the repository, and an Application overrides the image of its own service.
    let is_deployed = here.iter().any(|(_, place)| place.purpose == Purpose::Deployed);
    let counts = |place: &&Place| !is_deployed || place.purpose == Purpose::Deployed;
    let overrides = |place: &&Place| {
        let is_application = place.slot.object.as_ref().is_some_and(|object| object.kind == "Application");
        is_application && here.iter().any(|(_, other)| other.service == place.service)
    };
    let mut seen = BTreeSet::new();
    let places = catalog
        .places
        .iter()
        .filter(asked)
        .filter(counts)
        .filter(|place| !overrides(place))
        .filter(fits)
        .filter(|place| meant.contains(&place.slot.what));
    let places: Vec<&Place> =
        places.filter(|place| seen.insert((place.slot.what, place.slot.artifact.as_deref().map(normalized)))).collect();
    let kinds: Vec<What> = seen.iter().map(|(what, _)| *what).collect();
    let is_twice = kinds.windows(2).any(|pair| pair[0] == pair[1]);
    let is_chart_and_image = kinds.contains(&What::Chart) && kinds.contains(&What::Image);
    (is_twice || is_chart_and_image).then_some(places)
}

/// Removes duplicates: the tag and the digest of one entry are one version.
fn once(named: Vec<(Fit, &Place)>) -> Vec<(Fit, &Place)> {
    let mut seen = HashSet::new();
    let mut is_first =
        |place: &Place| place.slot.entry.is_none() || seen.insert((place.file.clone(), place.slot.mapping()));
    named.into_iter().filter(|(_, place)| is_first(place)).collect()
}

fn absent<'c>(named: &[(Fit, &'c Place)], environment: &str) -> Miss<'c> {
    let shared = named.iter().find_map(|(_, place)| match &place.reach {
        Reach::Shared(names) if names.contains(environment) => Some((*place, names.clone())),
        _ => None,
    });
    if let Some((place, names)) = shared {
        return Miss::Base(place, names);
    }
    let elsewhere = named.iter().flat_map(|(_, place)| place.reach.environments()).map(str::to_owned);
    Miss::Elsewhere(elsewhere.collect())
}

/// Returns the places of a name without an environment: those that environments share, or those of the only one.
fn one_reach(named: Vec<(Fit, &Place)>) -> Result<Vec<(Fit, &Place)>, Miss<'_>> {
    let (own, common): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|(_, place)| matches!(place.reach, Reach::One(_)));
    let fit = |named: &[(Fit, &Place)]| named.iter().map(|(fit, _)| *fit).min();
    let environments: BTreeSet<&str> = own.iter().flat_map(|(_, place)| place.reach.environments()).collect();
    match (fit(&own), fit(&common)) {
        (own_fit, Some(common_fit)) if own_fit.is_none_or(|own_fit| common_fit <= own_fit) => {
            // The places of single environments must be overrides of the same artifact.
            let foreign = own.iter().filter(|(fit, _)| *fit <= common_fit);
            let overrides = |place: &Place| {
                common.iter().filter(|(_, base)| base.service == place.service).any(|(_, base)| {
                    matches!(&base.reach, Reach::Shared(names)
                        if place.reach.environments().iter().all(|name| names.contains(*name)))
                })
            };
            match foreign.clone().any(|(_, place)| !overrides(place)) {
                true => Err(Miss::Several(common.iter().chain(foreign).map(|(_, place)| *place).collect())),
                false => Ok(common),
            }
        }
        _ if environments.len() > 1 => {
            let best = fit(&own);
            Err(Miss::Environments(
                own.into_iter().filter(|(fit, _)| Some(*fit) == best).map(|(_, place)| place).collect(),
            ))
        }
        _ => Ok(own),
    }
}

/// Returns the best matches if they hold one version that the requested one can follow.
fn narrow<'c>(named: Vec<(Fit, &'c Place)>, name: &str, version: &str) -> Result<Vec<&'c Place>, Miss<'c>> {
    let Some(best) = named.iter().map(|(fit, _)| *fit).min() else { return Err(Miss::Unknown) };
    let first: Vec<&Place> = named.iter().filter(|(fit, _)| *fit == best).map(|(_, place)| *place).collect();
    // Places that already have the version are kept, and do not make the name ambiguous.
    let versions: BTreeSet<&str> =
        first.iter().map(|place| place.slot.version.as_str()).filter(|other| *other != version).collect();
    let before = match versions.into_iter().collect::<Vec<_>>().as_slice() {
        [] => return Ok(first),
        [before] => *before,
        _ => return Err(Miss::Several(first)),
    };
    let mut rivals = named.iter().filter(|(fit, place)| *fit != best && place.slot.version != version);
    let closer = |place: &Place| common(&place.slot.version, version) > common(before, version);
    if rivals.clone().any(|(fit, place)| *fit <= Fit::Service && closer(place)) {
        return Err(Miss::Several(first.into_iter().chain(rivals.map(|(_, place)| *place)).collect()));
    }
    let mut places = first;
    let together = |place: &Place| {
        place.slot.version == before
            && places.iter().any(|first| {
                // A tag and the commit of its manifests change together.
                let kinds = [first.slot.what, place.slot.what];
                let pinned = first.file == place.file && kinds[0] != kinds[1] && kinds.contains(&What::Git);
                // So do the parts of a service that are released with the same version: its chart, and the chart of its
                // cluster.
                let released = first.slot.what == place.slot.what
                    && first.service == place.service
                    && plain(&place.service) == name;
                pinned || released
            })
    };
    let more: Vec<&Place> = rivals.by_ref().map(|(_, place)| *place).filter(|place| together(place)).collect();
    places.extend(more);
    Ok(places)
}
