//! Versions that change with the images that kustomizations build.

use std::collections::BTreeSet;

use crate::promote::facts::PlanningFacts;
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::effective::DeployedImage;
use ucp_repo::gitops::path;
use ucp_repo::slot::artifact::ArtifactKind;

/// The images that the overlays of environments deploy as kustomize builds them.
#[derive(Default)]
pub(super) struct KustomizedImages {
    /// The files that the overlays are built from.
    files: BTreeSet<String>,
    /// The names of images in workloads, before and after the entries of `images`.
    names: BTreeSet<String>,
}

impl KustomizedImages {
    /// Adds what the overlays of an environment build.
    pub(super) fn add(&mut self, facts: &PlanningFacts<'_>, environment: &str) {
        let overlays = facts.discovery.overlays.iter().filter(|overlay| overlay.environment == environment);
        for overlay in overlays {
            let Ok(built) = facts.builder.build(&overlay.directory) else { continue };
            self.files.extend(built.files.iter().cloned());
            self.files.extend(built.uses.iter().filter_map(|directory| {
                facts.repository.kustomizations.get(directory).map(|kustomization| kustomization.file.clone())
            }));
            for image in &built.images {
                let names = [&image.origin, &image.incoming.name, &image.reference.name];
                self.names.extend(names.into_iter().cloned());
            }
        }
    }

    /// Returns true if a place is an image of a workload. ImageStreams and settings of others are not built.
    pub(super) fn has(&self, facts: &PlanningFacts<'_>, place: &CatalogPlace) -> bool {
        // The images of a Kustomization of Flux are entries, too, which kustomize does not read.
        let is_named = |artifact: &str| match place.slot.entry {
            Some(_) => place.is_image_entry(facts.repository),
            None => self.names.contains(artifact),
        };
        place.slot.what == ArtifactKind::Image
            && self.files.contains(&place.file)
            && match place.slot.artifact.as_deref() {
                Some(artifact) => is_named(artifact),
                // A tag in the values of a release is not read by kustomize.
                None => !place.is_in_release(),
            }
    }
}

/// Returns true for a Git reference of a kustomization that has the tag of one of its images, with which it changes.
pub(super) fn is_pinned(facts: &PlanningFacts<'_>, place: &CatalogPlace) -> bool {
    let directory = path::parent(&place.file);
    let is_own = || facts.repository.kustomizations.get(directory).is_some_and(|own| own.file == place.file);
    let is_tag = |image: &DeployedImage| image.reference.version.tag.as_deref() == Some(&place.slot.version);
    place.slot.what == ArtifactKind::Git
        && is_own()
        && facts.builder.build(directory).is_ok_and(|built| built.images.iter().any(is_tag))
}
