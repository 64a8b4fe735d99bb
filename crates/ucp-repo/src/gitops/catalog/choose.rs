//! Resolution of a name to catalog places: the best matches, provided that they hold one version.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::gitops::catalog::likeness::{can_follow, common_numbers, is_near, shape};
use crate::gitops::catalog::naming::{NameFit, normalize_name};
use crate::gitops::catalog::reach::EnvironmentReach;
use crate::gitops::catalog::{Catalog, CatalogPlace};
use crate::gitops::path;
use crate::gitops::purpose::Purpose;
use crate::slot::artifact::{ArtifactKind, normalized_name, short_name};

/// Query for the places of a version.
#[derive(Debug, Clone, Copy)]
pub struct VersionQuery<'q> {
    /// The environment; `None` if only the name is given.
    pub environment: Option<&'q str>,
    /// Name of a service, an artifact or its last part, or a marker's policy.
    pub name: &'q str,
    /// The new version.
    pub version: &'q str,
    /// Accepted kinds of artifacts; empty for all.
    pub kinds: &'q [ArtifactKind],
    /// Accepted places.
    pub spread: PlaceSpread,
}

/// Whether a name may refer to places of several services in several directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceSpread {
    /// All places are of one service, or in one directory.
    Together,
    /// Any places.
    Everywhere,
}

/// Reason why a name does not resolve to one version.
#[derive(Debug, Clone)]
pub enum NameResolutionError<'c> {
    /// No place has this name.
    Unknown,
    /// The name is unknown in the environment; these environments have it.
    Elsewhere(BTreeSet<String>),
    /// In the environment the version comes from a base that these environments share.
    Base(&'c CatalogPlace, BTreeSet<String>),
    /// The name exists in several environments, and none was given.
    Environments(Vec<&'c CatalogPlace>),
    /// Several places have this name and different versions.
    Several(Vec<&'c CatalogPlace>),
    /// The current versions have another format than the requested one, so it probably belongs to another artifact.
    Unlike(Vec<&'c CatalogPlace>),
    /// The name is the last part of the names of several artifacts.
    Artifacts(Vec<&'c CatalogPlace>),
    /// Several services in several directories have this name and one version.
    Spread(Vec<&'c CatalogPlace>),
}

impl<'c> NameResolutionError<'c> {
    /// Returns the ambiguous places.
    pub fn places(&self) -> &[&'c CatalogPlace] {
        match self {
            Self::Environments(places) | Self::Several(places) | Self::Spread(places) => places,
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
pub fn resolve_places<'c>(
    catalog: &'c Catalog,
    question: &VersionQuery<'_>,
    decides: &dyn Fn(&CatalogPlace) -> bool,
) -> Result<Vec<&'c CatalogPlace>, NameResolutionError<'c>> {
    let wanted = normalize_name(question.name);
    let asked = |place: &&CatalogPlace| question.kinds.is_empty() || question.kinds.contains(&place.slot.what);
    // A label repeats a version, and is set by its path.
    let places = catalog.places.iter().filter(asked).filter(|place| !place.is_metadata());
    let named: Vec<(NameFit, &CatalogPlace)> =
        places.filter_map(|place| Some((fit(place, question.name, &wanted)?, place))).collect();
    // A chart that is used comes before the version of a chart itself.
    let used: Vec<_> = named.iter().copied().filter(|(_, place)| !place.is_own_version_of_chart()).collect();
    let named = if used.is_empty() { named } else { used };
    if named.is_empty() {
        return Err(NameResolutionError::Unknown);
    }
    let here: Vec<(NameFit, &CatalogPlace)> = match question.environment {
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
    let here = without_duplicates(if alike.is_empty() { followed(here, question.version)? } else { alike });
    if let Some(rivals) = other_artifacts(catalog, &here, &wanted, question) {
        return Err(NameResolutionError::Artifacts(rivals));
    }
    let here = match question.environment {
        Some(_) => here,
        None => one_reach(here, question.version)?,
    };
    let is_weak = here.iter().all(|(fit, _)| is_weak(*fit));
    let places = narrow(here, &wanted, question.version)?;
    if is_weak && let Some(rivals) = longer_names(catalog, &places, &wanted, question) {
        return Err(NameResolutionError::Several(places.into_iter().chain(rivals).collect()));
    }
    if is_weak && let Some(rivals) = same_elsewhere(catalog, &places, question) {
        return Err(NameResolutionError::Several(places.into_iter().chain(rivals).collect()));
    }
    // Distance only refuses: it does not choose between artifacts.
    if places.iter().any(|place| !is_near(&place.slot.version, question.version)) {
        return Err(NameResolutionError::Unlike(places));
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

/// Returns the precision of a name for a place. `a-b` is not the whole name of the artifact `a/b`.
fn fit(place: &CatalogPlace, name: &str, wanted: &str) -> Option<NameFit> {
    let fit = *place.names.get(wanted)?;
    let is_whole = |artifact: &str| {
        let artifact = normalized_name(artifact);
        artifact.contains('/') && (normalize_name(artifact) == wanted || normalize_name(artifact).ends_with(wanted))
    };
    let is_joined = !name.contains(['/', ':']) && place.slot.artifact.as_deref().is_some_and(is_whole);
    let is_short =
        place.slot.artifact.as_deref().is_some_and(|artifact| normalize_name(short_name(artifact)) == wanted);
    Some(if fit == NameFit::Exact && is_joined && !is_short { NameFit::Artifact } else { fit })
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
        let mut seen = BTreeMap::new();
        // One artifact in two directories is deployed twice; parts of a service are released together.
        let is_twice = changing.iter().filter_map(|place| Some((place, place.slot.artifact.as_deref()?))).any(
            |(place, artifact)| {
                let directory = path::parent(&place.file);
                *seen.entry((place.slot.what, artifact)).or_insert(directory) != directory
            },
        );
        return services.len() > 1 || is_twice || !common.split('/').any(is_of_service);
    }
    let objects: BTreeSet<(&str, &str)> = changing
        .iter()
        .filter_map(|place| place.slot.object.as_ref())
        .map(|object| (object.kind.as_str(), object.name.as_str()))
        .collect();
    let named = objects.iter().find(|(_, name)| normalize_name(name) == wanted);
    named.is_some_and(|named| objects.iter().any(|other| other.0 == named.0 && other.1 != named.1))
}

/// Returns the places whose version can be followed by one of another format.
fn followed<'c>(
    here: Vec<(NameFit, &'c CatalogPlace)>,
    version: &str,
) -> Result<Vec<(NameFit, &'c CatalogPlace)>, NameResolutionError<'c>> {
    let can_follow = |place: &CatalogPlace| can_follow(&place.slot.version, version, place.slot.what);
    match here.iter().any(|(_, place)| can_follow(place)) {
        true => Ok(here.into_iter().filter(|(_, place)| can_follow(place)).collect()),
        false => Err(NameResolutionError::Unlike(here.into_iter().map(|(_, place)| place).collect())),
    }
}

/// Returns the places of all artifacts whose last part is the name, if the repository has several.
fn other_artifacts<'c>(
    catalog: &'c Catalog,
    here: &[(NameFit, &'c CatalogPlace)],
    wanted: &str,
    question: &VersionQuery<'_>,
) -> Option<Vec<&'c CatalogPlace>> {
    if here.iter().map(|(fit, _)| *fit).min() != Some(NameFit::Artifact) {
        return None;
    }
    let asked = |place: &&CatalogPlace| question.kinds.is_empty() || question.kinds.contains(&place.slot.what);
    let fits = |place: &&CatalogPlace| fit(place, question.name, wanted) == Some(NameFit::Artifact);
    let meant: BTreeSet<ArtifactKind> =
        here.iter().filter(|(fit, _)| *fit == NameFit::Artifact).map(|(_, place)| place.slot.what).collect();
    // Samples are not artifacts of the repository, and an Application overrides the image of its own service.
    let is_deployed = here.iter().any(|(_, place)| place.purpose == Purpose::Deployed);
    let counts = |place: &&CatalogPlace| !is_deployed || place.purpose == Purpose::Deployed;
    let overrides = |place: &&CatalogPlace| {
        let is_application = place.slot.object.as_ref().is_some_and(|object| object.kind == "Application");
        is_application && here.iter().any(|(_, other)| other.service == place.service)
    };
    let mut seen = BTreeSet::new();
    let places = catalog
        .places
        .iter()
        .filter(asked)
        .filter(|place| !place.is_metadata() && !place.is_own_version_of_chart())
        .filter(counts)
        .filter(|place| !overrides(place))
        .filter(fits)
        .filter(|place| meant.contains(&place.slot.what));
    let places: Vec<&CatalogPlace> = places
        .filter(|place| seen.insert((place.slot.what, place.slot.artifact.as_deref().map(normalized_name))))
        .collect();
    let kinds: Vec<ArtifactKind> = seen.iter().map(|(what, _)| *what).collect();
    let is_twice = kinds.windows(2).any(|pair| pair[0] == pair[1]);
    let is_chart_and_image = kinds.contains(&ArtifactKind::Chart) && kinds.contains(&ArtifactKind::Image);
    let of_kind = |what: ArtifactKind| places.iter().filter(move |place| place.slot.what == what);
    let is_file_and_image = of_kind(ArtifactKind::Git).any(|source| {
        of_kind(ArtifactKind::Image).any(|image| !is_pinned(source, image) && !is_built_from(source, image))
    });
    (is_twice || is_chart_and_image || is_file_and_image).then_some(places)
}

/// Returns true if two places are a tag and the commit of its manifests, which change together.
fn is_pinned(one: &CatalogPlace, other: &CatalogPlace) -> bool {
    let kinds = [one.slot.what, other.slot.what];
    one.file == other.file && kinds[0] != kinds[1] && kinds.contains(&ArtifactKind::Git)
}

/// Returns true if a Git repository has the name of an image, with its owner: `github.com/o/r` and `ghcr.io/o/r`.
fn is_built_from(source: &CatalogPlace, image: &CatalogPlace) -> bool {
    fn path(place: &CatalogPlace) -> Option<&str> {
        let name = normalized_name(place.slot.artifact.as_deref()?);
        let (host, path) = name.split_once('/')?;
        // `//` begins a directory of the repository.
        (if host.contains(['.', ':']) { path } else { name }).split("//").next()
    }
    path(source).is_some_and(|name| Some(name) == path(image))
}

/// Returns further places of the same artifacts and services, which their own names would select as well: a name of an
/// object, such as a workload of the base, does not choose between a base and its overlays.
fn same_elsewhere<'c>(
    catalog: &'c Catalog,
    places: &[&'c CatalogPlace],
    question: &VersionQuery<'_>,
) -> Option<Vec<&'c CatalogPlace>> {
    let is_same = |other: &CatalogPlace| {
        places.iter().any(|place| {
            place.service == other.service
                && place.slot.what == other.slot.what
                && place.slot.artifact.is_some()
                && place.slot.artifact == other.slot.artifact
        })
    };
    let is_asked =
        |other: &CatalogPlace| question.environment.is_none_or(|environment| catalog.is_in(other, environment));
    let rivals = catalog.places.iter().filter(|other| {
        other.purpose == Purpose::Deployed
            && other.slot.version != question.version
            && !places.iter().any(|place| std::ptr::eq(*place, *other))
            && is_asked(other)
            && is_same(other)
    });
    let rivals: Vec<&CatalogPlace> = rivals.collect();
    (!rivals.is_empty()).then_some(rivals)
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

/// Returns true if a name describes the location of a version, and not its artifact.
fn is_weak(fit: NameFit) -> bool {
    fit >= NameFit::Service
}

/// Returns places whose names contain a weak name, and whose versions are as near: `shop-database` for `database`. The
/// name may be short for any of them.
fn longer_names<'c>(
    catalog: &'c Catalog,
    chosen: &[&CatalogPlace],
    wanted: &str,
    question: &VersionQuery<'_>,
) -> Option<Vec<&'c CatalogPlace>> {
    let nearest = |places: &[&CatalogPlace]| {
        places.iter().map(|place| common_numbers(&place.slot.version, question.version)).max().unwrap_or_default()
    };
    let (near, asked) = (nearest(chosen), shape(question.version));
    let part = format!("-{wanted}-");
    let is_longer = |place: &&CatalogPlace| {
        let mut names = place.names.iter().filter(|(_, fit)| **fit <= NameFit::Service);
        names.any(|(name, _)| name.len() > wanted.len() && format!("-{name}-").contains(&part))
    };
    let is_here = |place: &&CatalogPlace| {
        question.environment.is_none_or(|environment| catalog.is_in(place, environment))
            && (question.kinds.is_empty() || question.kinds.contains(&place.slot.what))
    };
    let is_other = |place: &&CatalogPlace| {
        let is_same = |other: &&CatalogPlace| other.service == place.service || other.artifact() == place.artifact();
        !place.names.contains_key(wanted) && !chosen.iter().any(is_same)
    };
    let rivals = catalog
        .places
        .iter()
        .filter(|place| place.purpose == Purpose::Deployed && !place.is_metadata() && !place.is_own_version_of_chart());
    let rivals = rivals.filter(is_longer).filter(is_here).filter(is_other);
    let rivals: Vec<&CatalogPlace> = rivals
        .filter(|place| shape(&place.slot.version) == asked && place.slot.version != question.version)
        .filter(|place| common_numbers(&place.slot.version, question.version) >= near)
        .collect();
    (!rivals.is_empty()).then_some(rivals)
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
            // An override with the version of the base may be meant too, and so may any one by the name of its service.
            let may_be_meant = |place: &CatalogPlace| {
                let is_level = || common.iter().any(|(_, base)| base.slot.version == place.slot.version);
                place.slot.version != version && (is_weak(common_fit) || is_level())
            };
            match foreign.clone().any(|(_, place)| may_be_meant(place)) {
                true => Err(NameResolutionError::Environments(all())),
                false => Ok(common),
            }
        }
        _ if environments.len() > 1 => {
            let best = fit(&own);
            Err(NameResolutionError::Environments(
                own.into_iter().filter(|(fit, _)| Some(*fit) == best).map(|(_, place)| place).collect(),
            ))
        }
        _ => Ok(own),
    }
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
        _ => return Err(NameResolutionError::Several(first)),
    };
    let rivals = named.iter().filter(|(fit, place)| *fit != best && place.slot.version != version);
    let closer = |place: &CatalogPlace| common_numbers(&place.slot.version, version) > common_numbers(before, version);
    if rivals.clone().any(|(fit, place)| *fit <= NameFit::Service && closer(place)) {
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
    if !is_weak(best) {
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
