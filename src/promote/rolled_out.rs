//! Whether a version runs where it is declared: its deployers are healthy, and run it.

use std::time::Duration;

use crate::promote::facts::PlanningFacts;
use crate::promote::running::RunningDeployers;
use crate::report::promotion::VersionUpdate;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::image::{ImageReference, ImageVersion};
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::slot::artifact::ArtifactKind;

/// The conditions for a version that runs.
pub struct RolloutConditions<'a> {
    /// The deployers of the cluster.
    pub running: &'a RunningDeployers,
    /// The URLs of the repository.
    pub remotes: &'a [String],
    /// How long it must have been running.
    pub soak: Option<Duration>,
    /// Returns true if a revision contains the change. A version that is no image counts from then on only, because its deployer
    /// may be healthy with the previous one.
    pub contains: Option<&'a dyn Fn(&str) -> bool>,
}

/// The places of a version, and the images that have to run there.
struct RolloutPlaces<'f> {
    file: &'f str,
    directories: Vec<&'f str>,
    images: Vec<ImageReference>,
}

impl RolloutConditions<'_> {
    /// Checks that a version runs in an environment; without one, in all that its file is deployed to.
    ///
    /// # Errors
    /// Returns the condition that is not met.
    pub fn check(
        &self,
        facts: &PlanningFacts<'_>,
        environment: Option<&str>,
        change: &VersionUpdate,
    ) -> Result<(), Failure> {
        let service = change.service.as_deref().unwrap_or_default();
        if let Some(overlay) = environment.and_then(|environment| facts.discovery.overlay(service, environment)) {
            let built = facts.builder.build(&overlay.directory);
            // A value that is not an image of the overlay still requires its Application to be healthy.
            let images: Vec<ImageReference> = built
                .iter()
                .flat_map(|built| &built.images)
                .filter(|image| image.origin == change.image)
                .map(|image| image.reference.clone())
                .collect();
            self.running.check(&overlay.directory, self.remotes, &images, self.soak)?;
            return self.check_revision(&[&overlay.directory], &images);
        }
        let places = declaring_file(facts, environment, change)?;
        self.running.check_file(places.file, &places.directories, self.remotes, &places.images, self.soak)?;
        let deployed = self.running.deployed_directories(places.file, &places.directories, self.remotes);
        self.check_revision(&deployed, &places.images)
    }

    /// Checks that the deployers of directories have applied the change, if no image shows it.
    fn check_revision(&self, directories: &[&str], images: &[ImageReference]) -> Result<(), Failure> {
        let Some(contains) = self.contains.filter(|_| images.is_empty()) else { return Ok(()) };
        for directory in directories {
            for deployer in self.running.deployers_of_overlay(directory, self.remotes) {
                let mut commits = deployer.revisions.iter().filter_map(|revision| commit_of(revision));
                if !commits.any(contains) {
                    return fail!("{} has not applied the merge yet", deployer.title);
                }
            }
        }
        Ok(())
    }
}

/// Returns the file in an environment that declares a version.
fn declaring_file<'f>(
    facts: &'f PlanningFacts<'_>,
    environment: Option<&str>,
    change: &VersionUpdate,
) -> Result<RolloutPlaces<'f>, Failure> {
    let places = facts.catalog.places.iter().filter(|place| Some(&place.service) == change.service.as_ref());
    let mut places = places.filter(|place| match environment {
        Some(environment) => facts.catalog.is_in(place, environment) && place.artifact() == change.image,
        None => place.file == change.file && place.artifact() == change.image,
    });
    let has_it =
        |place: &&CatalogPlace| [place.slot.version.clone(), place.slot.full_version()].contains(&change.after);
    let Some(place) = places.find(has_it) else {
        let place = environment.map_or_else(|| change.file.clone(), |environment| format!("no file in {environment}"));
        let not = if environment.is_some() { "declares" } else { "does not declare" };
        return fail!("{place} {not} {}", change.after);
    };
    let image = place.slot.artifact.as_ref().filter(|_| place.slot.what == ArtifactKind::Image);
    let version = ImageVersion::parse(&place.slot.version);
    Ok(RolloutPlaces {
        file: &place.file,
        directories: facts.catalog.deployed_by(&place.file).collect(),
        images: image.map(|name| ImageReference { name: name.clone(), version }).into_iter().collect(),
    })
}

/// Returns the commit in a revision, such as `main@sha1:4f3a2b1c…`.
fn commit_of(revision: &str) -> Option<&str> {
    let last = revision.rsplit([':', '/', '@']).next().unwrap_or_default();
    let is_commit = matches!(last.len(), 40 | 64) && last.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_commit.then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_in_revisions_are_found() {
        let hash = "4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c";
        for revision in [hash.to_owned(), format!("main@sha1:{hash}"), format!("main/{hash}")] {
            assert_eq!(commit_of(&revision), Some(hash), "{revision}");
        }
        assert_eq!([commit_of("1.2.3"), commit_of("main"), commit_of("")], [None, None, None]);
    }
}
