//! Places that make a name ambiguous: other artifacts, longer names, and the same artifact elsewhere.

use std::collections::BTreeSet;

use crate::gitops::catalog::layout::stem;
use crate::gitops::catalog::likeness::{common_numbers, is_commit_version, is_other_line, shape};
use crate::gitops::catalog::naming::{NameFit, normalize_name, with_owner, without_environment};
use crate::gitops::catalog::query::{VersionQuery, fit};
use crate::gitops::catalog::reach::EnvironmentReach;
use crate::gitops::catalog::{Catalog, CatalogPlace};
use crate::gitops::path;
use crate::gitops::purpose::Purpose;
use crate::slot::artifact::{ArtifactKind, compared_name, normalized_name, short_name};
use crate::slot::version::is_moving;

/// Returns the places of all artifacts whose last part is the name, if the repository has several.
pub(super) fn other_artifacts<'c>(
    catalog: &'c Catalog,
    here: &[(NameFit, &'c CatalogPlace)],
    wanted: &str,
    question: &VersionQuery<'_>,
) -> Option<Vec<&'c CatalogPlace>> {
    if here.iter().map(|(fit, _)| *fit).min() != Some(NameFit::Artifact) {
        return None;
    }
    let fits = |place: &&CatalogPlace| {
        fit(place, question.name, wanted) == Some(NameFit::Artifact) || is_spelled_like(place, wanted)
    };
    let meant: BTreeSet<ArtifactKind> =
        here.iter().filter(|(fit, _)| *fit == NameFit::Artifact).map(|(_, place)| place.slot.what).collect();
    // Samples are not artifacts of the repository, and an Application overrides the image of its own service.
    let is_deployed = here.iter().any(|(_, place)| place.purpose == Purpose::Deployed);
    // What follows a moving tag is not meant beside an artifact with a version.
    let is_versioned = here.iter().any(|(fit, place)| {
        let version = place.slot.version.as_str();
        *fit == NameFit::Artifact && !is_moving(version) && version != question.version
    });
    let counts = |place: &&CatalogPlace| {
        (!is_deployed || place.purpose == Purpose::Deployed) && !(is_versioned && is_moving(&place.slot.version))
    };
    let overrides = |place: &&CatalogPlace| {
        let is_application = place.slot.object.as_ref().is_some_and(|object| object.kind == "Application");
        is_application
            && place.slot.what != ArtifactKind::Git
            && here.iter().any(|(_, other)| other.service == place.service)
    };
    let mut seen = BTreeSet::new();
    // An artifact is shown at a place that was asked for, such as that of the environment.
    let places = here
        .iter()
        .map(|(_, place)| *place)
        .chain(&catalog.places)
        .filter(|place| question.accepts(place))
        .filter(|place| !place.is_metadata() && !place.is_own_version_of_chart())
        .filter(counts)
        .filter(|place| !overrides(place))
        .filter(fits)
        .filter(|place| meant.contains(&place.slot.what) || is_spelled_like(place, wanted));
    let places: Vec<&CatalogPlace> = places.filter(|place| seen.insert((place.slot.what, identity(place)))).collect();
    let kinds: Vec<ArtifactKind> = seen.iter().map(|(what, _)| *what).collect();
    let is_twice = kinds.windows(2).any(|pair| pair[0] == pair[1]);
    let is_chart_and_image = kinds.contains(&ArtifactKind::Chart) && kinds.contains(&ArtifactKind::Image);
    let of_kind = |what: ArtifactKind| places.iter().filter(move |place| place.slot.what == what);
    let is_file_and_image = of_kind(ArtifactKind::Git).any(|source| {
        of_kind(ArtifactKind::Image).any(|image| !is_pinned(source, image) && !is_built_from(source, image))
    });
    (is_twice || is_chart_and_image || is_file_and_image).then_some(places)
}

/// Returns the name that tells an artifact from others: what Renovate looks up, if a comment names it. The bases of one Git
/// repository are one artifact.
fn identity(place: &CatalogPlace) -> Option<String> {
    if let Some(looked_up) = place.slot.looked_up() {
        return Some(compared_name(looked_up, place.slot.what));
    }
    let name = place.compared_artifact()?;
    let repository = with_owner(&name, place.slot.what).filter(|_| place.slot.what == ArtifactKind::Git);
    let host = name.split('/').next().unwrap_or_default();
    Some(repository.map(|repository| format!("{host}/{repository}")).unwrap_or(name))
}

/// Returns true if the last part of an artifact is another spelling of a name: `libre-chat` and `librechat`.
fn is_spelled_like(place: &CatalogPlace, wanted: &str) -> bool {
    let Some(short) = place.slot.artifact.as_deref().map(short_name) else { return false };
    plain(short).eq(plain(wanted)) && normalize_name(short) != wanted
}

fn plain(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// Returns true if two places are a tag and the commit of its manifests, which change together.
pub(super) fn is_pinned(one: &CatalogPlace, other: &CatalogPlace) -> bool {
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

/// Returns true if a place belongs to an environment, or to a base that it builds on.
fn is_deployed_in(catalog: &Catalog, place: &CatalogPlace, environment: &str) -> bool {
    catalog.is_in(place, environment)
        || matches!(&place.reach, EnvironmentReach::Shared(names) if names.contains(environment))
}

/// Returns true if the service, the object, the file or the directory of a place has a name.
fn is_called(place: &CatalogPlace, wanted: &str) -> bool {
    let object = place.slot.object.as_ref().map_or("", |object| object.name.as_str());
    let directory = path::name(path::parent(&place.file));
    [place.service.as_str(), object, stem(&place.file), directory]
        .into_iter()
        .any(|name| normalize_name(name) == wanted)
}

/// Returns places of the service with the wanted name, and places without an environment if one was asked for, whose versions
/// are as near to the requested one as those of the chosen places: an artifact of another service with this name as its last
/// part may not be meant.
pub(super) fn namesakes<'c>(
    catalog: &'c Catalog,
    chosen: &[&'c CatalogPlace],
    wanted: &str,
    question: &VersionQuery<'_>,
) -> Option<Vec<&'c CatalogPlace>> {
    let version = question.version;
    let near = |place: &CatalogPlace| common_numbers(&place.slot.version, version);
    let nearest = chosen.iter().map(|place| near(place)).max().unwrap_or_default();
    let is_foreign = !chosen.iter().any(|place| is_called(place, wanted));
    // `prod` may be meant for what is in `shop-prod`, too.
    let is_of_variant = |place: &CatalogPlace, environment: &str| {
        place.environment().is_some_and(|own| own != environment && without_environment(own, environment) != own)
    };
    let is_rival = |place: &&CatalogPlace| {
        let is_possible = match question.environment {
            Some(environment)
                if matches!(place.reach, EnvironmentReach::Everywhere) || is_of_variant(place, environment) =>
            {
                near(place) > nearest
            }
            Some(environment) if !is_deployed_in(catalog, place, environment) => false,
            _ => is_foreign && near(place) >= nearest,
        };
        // The name of an item of a list, or of a key.
        let is_keyed = || question.environment.is_some() && place.names.get(wanted) == Some(&NameFit::Service);
        is_possible
            && (is_called(place, wanted) || is_keyed())
            && place.purpose == Purpose::Deployed
            && place.slot.version != version
            && shape(&place.slot.version) == shape(version)
            && !place.is_metadata()
            && !place.is_own_version_of_chart()
            && question.accepts(place)
            && !chosen.iter().any(|one| std::ptr::eq(*one, *place))
    };
    let rivals: Vec<&CatalogPlace> = catalog.places.iter().filter(is_rival).collect();
    (!rivals.is_empty()).then_some(rivals)
}

/// Number of other artifacts from which on a directory is a collection, whose name does not mean one of them.
const COLLECTION: usize = 3;

/// Returns places of other artifacts in the directory or service with the wanted name, if they are many and the requested
/// version is a commit: it may be that of any of them, and not of the one that is called like the directory.
pub(super) fn collected<'c>(
    catalog: &'c Catalog,
    chosen: &[&'c CatalogPlace],
    wanted: &str,
    question: &VersionQuery<'_>,
) -> Option<Vec<&'c CatalogPlace>> {
    let version = question.version;
    if !is_commit_version(version) || !chosen.iter().any(|place| is_called(place, wanted)) {
        return None;
    }
    let is_other = |place: &&CatalogPlace| {
        is_called(place, wanted)
            && question.accepts(place)
            && question.is_in_environment(catalog, place)
            && place.purpose == Purpose::Deployed
            && is_commit_version(&place.slot.version)
            && !chosen.iter().any(|one| one.slot.version == place.slot.version || one.shares_artifact(place))
    };
    let others: Vec<&CatalogPlace> = catalog.places.iter().filter(is_other).collect();
    let artifacts: BTreeSet<Option<String>> = others.iter().map(|place| place.compared_artifact()).collect();
    (artifacts.len() >= COLLECTION).then_some(others)
}

/// Returns the name that differs from an unknown one only in dashes, dots and the case of letters, if there is one.
pub(super) fn other_spelling(catalog: &Catalog, wanted: &str) -> Option<String> {
    let names = catalog.places.iter().flat_map(|place| &place.names);
    // The whole name of an artifact is not respelled, nor is one with an owner.
    let names = names.filter(|(name, fit)| **fit != NameFit::Exact && !name.contains('/')).map(|(name, _)| name);
    let alike: BTreeSet<&String> =
        names.filter(|name| name.as_str() != wanted && plain(name).eq(plain(wanted))).collect();
    let mut alike = alike.into_iter();
    alike.next().filter(|_| alike.next().is_none()).cloned()
}

/// Returns further places of the same artifacts and services, which their own names would select as well: a name of an
/// object, such as a workload of the base, does not choose between a base and its overlays.
pub(super) fn same_elsewhere<'c>(
    catalog: &'c Catalog,
    places: &[&'c CatalogPlace],
    question: &VersionQuery<'_>,
) -> Option<Vec<&'c CatalogPlace>> {
    let is_same = |other: &CatalogPlace| {
        places.iter().any(|place| place.service == other.service && place.shares_artifact(other))
    };
    // A base that follows a moving tag is not meant beside the version of an overlay.
    let is_versioned = places.iter().all(|place| !is_moving(&place.slot.version));
    let is_asked =
        |other: &CatalogPlace| question.environment.is_none_or(|environment| catalog.is_in(other, environment));
    // The name of a release chooses between releases of one chart.
    let wanted = question.wanted();
    let is_release = |place: &CatalogPlace| place.release().is_some_and(|name| normalize_name(name) == wanted);
    let is_named = places.iter().all(|place| is_release(place));
    // So does a name with an environment: `shop-prod` of `shop-prod.yaml`.
    let of_environment = |place: &CatalogPlace| {
        place
            .environment()
            .filter(|name| without_environment(&wanted, &normalize_name(name)) != wanted)
            .map(str::to_owned)
    };
    let chosen: Option<BTreeSet<String>> = places.iter().map(|place| of_environment(place)).collect();
    let is_in_another = |other: &CatalogPlace| {
        chosen.as_ref().is_some_and(|names| other.environment().is_some_and(|name| !names.contains(name)))
    };
    let rivals = catalog.places.iter().filter(|other| {
        other.purpose == Purpose::Deployed
            && other.slot.version != question.version
            && !(is_named && other.release().is_some() && !is_release(other))
            && !is_in_another(other)
            && !places.iter().any(|place| std::ptr::eq(*place, *other))
            && is_asked(other)
            && is_same(other)
            && !(is_versioned && is_moving(&other.slot.version))
            && !is_other_line(&other.slot.version, question.version)
    });
    let rivals: Vec<&CatalogPlace> = rivals.collect();
    (!rivals.is_empty()).then_some(rivals)
}

/// Returns places whose names contain a weak name, and whose versions are as near: `shop-database` for `database`. The
/// name may be short for any of them.
pub(super) fn longer_names<'c>(
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
        question.environment.is_none_or(|environment| catalog.is_in(place, environment)) && question.accepts(place)
    };
    let is_other = |place: &&CatalogPlace| {
        let is_same = |other: &&CatalogPlace| other.service == place.service || other.artifact() == place.artifact();
        !place.names.contains_key(wanted) && !chosen.iter().any(is_same)
    };
    // With its environment, the whole name of a service is not short for another one.
    let is_whole = |place: &&CatalogPlace| normalize_name(&place.service) == wanted;
    if question.environment.is_some() && chosen.iter().all(is_whole) {
        return None;
    }
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
