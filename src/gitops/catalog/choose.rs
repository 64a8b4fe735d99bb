//! Which places a name means: the ones that fit it best, as long as they hold one version.

use std::collections::{BTreeSet, HashSet};

use crate::gitops::catalog::likeness::{can_follow, common, shape};
use crate::gitops::catalog::naming::{Fit, plain};
use crate::gitops::catalog::reach::Reach;
use crate::gitops::catalog::{Catalog, Place};
use crate::gitops::purpose::Purpose;
use crate::slot::artifact::{What, normalized};

/// What somebody asks for.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q> {
    /// The environment; none where the name alone has to do.
    pub environment: Option<&'q str>,
    /// A service, an artifact, its last part, or a marker's policy.
    pub name: &'q str,
    /// The version that is to stand there.
    pub version: &'q str,
    /// What may be meant; all of it where it is empty.
    pub kinds: &'q [What],
}

/// Why a name does not lead to a version.
#[derive(Debug, Clone)]
pub enum Miss<'c> {
    /// Nothing is called that.
    Unknown,
    /// It is known, but not in that environment; those that have it.
    Elsewhere(BTreeSet<String>),
    /// In that environment it comes from a base that these environments share.
    Base(&'c Place, BTreeSet<String>),
    /// It stands in several environments, and none was named.
    Environments(Vec<&'c Place>),
    /// It stands at several places with versions of their own.
    Several(Vec<&'c Place>),
    /// What stands there is written in another way than the version that was asked for: another artifact is meant.
    Unlike(Vec<&'c Place>),
    /// The last part of the name of several artifacts.
    Artifacts(Vec<&'c Place>),
}

impl<'c> Miss<'c> {
    /// The places of which none could be told from the others.
    pub fn places(&self) -> &[&'c Place] {
        match self {
            Self::Environments(places) | Self::Several(places) => places,
            Self::Unknown | Self::Elsewhere(_) | Self::Base(..) | Self::Unlike(_) | Self::Artifacts(_) => &[],
        }
    }
}

/// The places of a name.
///
/// `decides` says of a place whether its version takes effect.
///
/// # Errors
/// Why there are none, or too many.
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
    // What is written in another way is not meant: a commit for a chart, a number for a branch.
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
        // A directory around several environments is none itself.
        Some(_) if environments.len() > 1 => Err(Miss::Environments(places)),
        // A base, and what has nothing to do with those that build on it, are two things.
        None if environments.len() > 1 && environments.iter().any(|names| names.len() > 1) => {
            Err(Miss::Several(places))
        }
        _ => Ok(places),
    }
}

/// The places whose version can be followed by one that is written in another way.
fn followed<'c>(here: Vec<(Fit, &'c Place)>, version: &str) -> Result<Vec<(Fit, &'c Place)>, Miss<'c>> {
    let can_follow = |place: &Place| can_follow(&place.slot.version, version, place.slot.what);
    match here.iter().any(|(_, place)| can_follow(place)) {
        true => Ok(here.into_iter().filter(|(_, place)| can_follow(place)).collect()),
        false => Err(Miss::Unlike(here.into_iter().map(|(_, place)| place).collect())),
    }
}

/// The places of all artifacts that the name is the last part of, if there are several in the repository.
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
    // Samples are no artifact of the repository, and what an Application overrides is the image of its service.
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

/// A tag and a digest of one entry are one version.
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

/// The places of a name without an environment: those that environments share, or those of the only one.
fn one_reach(named: Vec<(Fit, &Place)>) -> Result<Vec<(Fit, &Place)>, Miss<'_>> {
    let (own, common): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|(_, place)| matches!(place.reach, Reach::One(_)));
    let fit = |named: &[(Fit, &Place)]| named.iter().map(|(fit, _)| *fit).min();
    let environments: BTreeSet<&str> = own.iter().flat_map(|(_, place)| place.reach.environments()).collect();
    match (fit(&own), fit(&common)) {
        (own_fit, Some(common_fit)) if own_fit.is_none_or(|own_fit| common_fit <= own_fit) => {
            // What environments have of their own must be the same thing, which they set differently.
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

/// The places that fit best and hold one version, which the one asked for can follow.
fn narrow<'c>(named: Vec<(Fit, &'c Place)>, name: &str, version: &str) -> Result<Vec<&'c Place>, Miss<'c>> {
    let Some(best) = named.iter().map(|(fit, _)| *fit).min() else { return Err(Miss::Unknown) };
    let first: Vec<&Place> = named.iter().filter(|(fit, _)| *fit == best).map(|(_, place)| *place).collect();
    // What has the version already stays, and is no reason to ask.
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
                // A tag and the commit of its manifests move together.
                let kinds = [first.slot.what, place.slot.what];
                let pinned = first.file == place.file && kinds[0] != kinds[1] && kinds.contains(&What::Git);
                // So do the parts of a service that are released under one version: its chart, and that of its cluster.
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
