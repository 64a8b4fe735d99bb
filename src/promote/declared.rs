//! The places that declare a version in an environment, and the commit since which they do.

use ucp_repo::git::Git;
use ucp_repo::git::log::PathCommit;
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::declared_since::{DeclaredVersion, declared_since};

use crate::promote::facts::PlanningFacts;

/// A version of an artifact in an environment.
#[derive(Debug, Clone, Copy)]
pub struct VersionInEnvironment<'a> {
    /// The service.
    pub service: &'a str,
    /// The name of the artifact.
    pub artifact: &'a str,
    /// The environment.
    pub environment: &'a str,
    /// The version.
    pub version: &'a str,
}

/// The reason why the commits of a version are not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndatedVersion {
    /// No file of the environment declares the version itself.
    NoFile,
    /// The file is not committed with this version.
    NotCommitted(String),
    /// The history of the file cannot be read.
    Unread(String, String),
}

/// Returns the places that declare a version. Places of other artifacts count only if no place names this one.
pub fn declaring_places<'f>(facts: &PlanningFacts<'f>, wanted: VersionInEnvironment<'_>) -> Vec<&'f CatalogPlace> {
    let has_it = |place: &&CatalogPlace| {
        place.service == wanted.service
            && facts.catalog.is_in(place, wanted.environment)
            && (place.slot.full_version() == wanted.version || place.slot.version == wanted.version)
    };
    let places: Vec<&CatalogPlace> = facts.catalog.places.iter().filter(has_it).collect();
    let named: Vec<&CatalogPlace> =
        places.iter().filter(|place| place.artifact() == wanted.artifact).copied().collect();
    if named.is_empty() { places } else { named }
}

/// Returns the commit since which all files that declare a version do so.
///
/// # Errors
/// Fails when that is not known.
pub fn declaring_commit(
    facts: &PlanningFacts<'_>,
    wanted: VersionInEnvironment<'_>,
) -> Result<PathCommit, UndatedVersion> {
    let git = Git::reading(&facts.repository.top);
    let mut newest: Option<PathCommit> = None;
    for place in declaring_places(facts, wanted) {
        let path = place.slot.path.to_string();
        let artifact = place.slot.artifact.as_deref();
        let declared = DeclaredVersion { file: &place.file, artifact, path: &path, version: wanted.version };
        let since = declared_since(&git, declared)
            .map_err(|error| UndatedVersion::Unread(place.file.clone(), error.message()))?;
        let since = since.ok_or_else(|| UndatedVersion::NotCommitted(place.file.clone()))?;
        if newest.as_ref().is_none_or(|newest| newest.time < since.time) {
            newest = Some(since);
        }
    }
    newest.ok_or(UndatedVersion::NoFile)
}
