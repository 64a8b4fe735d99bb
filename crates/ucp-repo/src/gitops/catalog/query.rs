//! Queries for the places of a version, and how well a name fits a place.

use crate::gitops::catalog::naming::{NameFit, normalize_name, qualified_name};
use crate::gitops::catalog::reach::EnvironmentReach;
use crate::gitops::catalog::{Catalog, CatalogPlace};
use crate::gitops::path;
use crate::slot::artifact::{ArtifactKind, compared_name, normalized_name, short_name};

/// Places with the precision of a name for each.
pub(super) type NamedPlaces<'c> = Vec<(NameFit, &'c CatalogPlace)>;

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
    /// Image of the service, if it is given with the name.
    pub image: Option<&'q str>,
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

impl VersionQuery<'_> {
    /// Returns true if a place has a kind and an image that the query accepts.
    pub(super) fn accepts(&self, place: &CatalogPlace) -> bool {
        let is_image =
            |image| place.compared_artifact().is_some_and(|own| own == compared_name(image, place.slot.what));
        (self.kinds.is_empty() || self.kinds.contains(&place.slot.what)) && self.image.is_none_or(is_image)
    }

    /// Returns true if a place belongs to the environment of the query: also if nothing else is known of the place than that a
    /// directory with the name of the environment contains it.
    pub(super) fn is_in_environment(&self, catalog: &Catalog, place: &CatalogPlace) -> bool {
        let Some(environment) = self.environment else { return true };
        let is_below = || path::parent(&place.file).split('/').any(|part| part == environment);
        catalog.is_in(place, environment) || matches!(place.reach, EnvironmentReach::Everywhere) && is_below()
    }

    /// Returns the places that may have the version, if there are any: a digest pins neither a chart nor a Git repository.
    pub(super) fn possible<'c>(&self, named: NamedPlaces<'c>) -> NamedPlaces<'c> {
        let is_unpinned = |what| matches!(what, ArtifactKind::Chart | ArtifactKind::Git);
        let is_possible = |place: &CatalogPlace| !self.version.contains("@sha") || !is_unpinned(place.slot.what);
        let possible: NamedPlaces<'c> = named.iter().copied().filter(|(_, place)| is_possible(place)).collect();
        if possible.is_empty() { named } else { possible }
    }

    /// Returns the places of the service, if an image of a service is given: another service may have the same image. The
    /// directory before the name of a service tells it from others of the same name.
    pub(super) fn of_service<'c>(&self, named: NamedPlaces<'c>) -> NamedPlaces<'c> {
        let wanted = self.wanted();
        let is_own = |place: &CatalogPlace| {
            let service = place.service.as_str();
            self.image.is_some() && (normalize_name(service) == wanted || normalize_name(short_name(service)) == wanted)
        };
        let own: NamedPlaces<'c> = named.iter().copied().filter(|(_, place)| is_own(place)).collect();
        if own.is_empty() { named } else { own }
    }

    /// Returns the normalized name; an image of Docker Hub has one name.
    pub(super) fn wanted(&self) -> String {
        match ["docker.io/", "index.docker.io/"].iter().any(|hub| self.name.starts_with(hub)) {
            true => normalize_name(&compared_name(self.name, ArtifactKind::Image)),
            false => normalize_name(self.name),
        }
    }
}

/// Returns the precision of a name for a place. `a-b` is not the whole name of the artifact `a/b`.
pub(super) fn fit(place: &CatalogPlace, name: &str, wanted: &str) -> Option<NameFit> {
    let qualified = || place.names.get(&qualified_name(name)?);
    let fit = *place.names.get(wanted).or_else(qualified)?;
    let is_whole = |artifact: &str| {
        let artifact = normalized_name(artifact);
        artifact.contains('/') && (normalize_name(artifact) == wanted || normalize_name(artifact).ends_with(wanted))
    };
    let is_joined = !name.contains(['/', ':']) && place.slot.artifact.as_deref().is_some_and(is_whole);
    let is_short =
        place.slot.artifact.as_deref().is_some_and(|artifact| normalize_name(short_name(artifact)) == wanted);
    Some(if fit == NameFit::Exact && is_joined && !is_short { NameFit::Artifact } else { fit })
}
