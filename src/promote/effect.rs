//! Checks that a written version takes effect, and is not overridden elsewhere.

use crate::promote::facts::PlanningFacts;
use crate::promote::refusal::VersionRefusal;
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::catalog::deployed::DeclaredDeployment;
use ucp_repo::gitops::effective::builder::KustomizationUser;
use ucp_repo::gitops::effective::{DeployedImage, VersionSource};
use ucp_repo::gitops::kustomization::{Kustomization, KustomizationKind};
use ucp_repo::gitops::path;
use ucp_repo::gitops::purpose::Purpose;
use ucp_repo::slot::artifact::{ArtifactKind, normalized_name};

/// Checks that a version takes effect at its place.
///
/// # Errors
/// Fails with the declaration that overrides it, or if its file is generated.
pub(crate) fn check_place(facts: &PlanningFacts<'_>, place: &CatalogPlace) -> Result<(), VersionRefusal> {
    if place.purpose == Purpose::Generated {
        return Err(VersionRefusal::Generated { file: place.file.clone() });
    }
    check_deployers(facts, place)?;
    if place.slot.what != ArtifactKind::Image {
        return Ok(());
    }
    let Some(artifact) = place.slot.artifact.as_deref() else { return Ok(()) };
    let directory = path::parent(&place.file);
    if place.is_image_entry(facts.repository) {
        check_image_is_used(facts, directory, artifact)?;
    }
    let mut instead: Option<VersionRefusal> = None;
    let entry = place.is_image_entry(facts.repository);
    for user in facts.builder.users(if entry { directory } else { &place.file }) {
        let is_it = |image: &&DeployedImage| {
            [&image.origin, &image.incoming.name, &image.reference.name].iter().any(|name| *name == artifact)
        };
        let mut images = user.built.images.iter().filter(is_it).peekable();
        if images.peek().is_none() {
            return Ok(());
        }
        for image in images {
            let here = match &image.set_by {
                VersionSource::Manifest => !entry,
                VersionSource::Patch { file, .. } => !entry && *file == place.file,
                VersionSource::Entry { directory: other } => entry && other == directory,
                VersionSource::Later { .. } => false,
            };
            if here {
                return Ok(());
            }
            instead = Some(overridden_by(&image.set_by, &place.file));
        }
    }
    instead.map_or(Ok(()), Err)
}

/// Returns the declaration that overrides the image of a base in all overlays of an environment.
pub(crate) fn overridden_in(
    facts: &PlanningFacts<'_>,
    place: &CatalogPlace,
    environment: &str,
) -> Option<VersionRefusal> {
    let artifact = place.slot.artifact.as_deref()?;
    let is_overlay = |user: &&KustomizationUser| {
        let mut overlays = facts.discovery.overlays.iter();
        overlays.any(|overlay| overlay.environment == environment && overlay.directory == user.directory)
    };
    let users = facts.builder.users(&place.file).iter().filter(is_overlay);
    let images: Vec<&DeployedImage> = users.flat_map(|user| user.built.with_origin(artifact)).collect();
    let is_kept = |image: &&DeployedImage| match &image.set_by {
        VersionSource::Manifest => true,
        VersionSource::Patch { file, .. } => *file == place.file,
        VersionSource::Entry { directory } => directory == path::parent(&place.file),
        VersionSource::Later { .. } => false,
    };
    let first = images.first()?;
    (!images.iter().any(is_kept)).then(|| overridden_by(&first.set_by, &place.file))
}

/// Checks that a kustomization builds the image of an entry in its `images`, as far as this repository shows.
fn check_image_is_used(facts: &PlanningFacts<'_>, directory: &str, artifact: &str) -> Result<(), VersionRefusal> {
    let Some(kustomization) = facts.repository.kustomizations.get(directory) else { return Ok(()) };
    // The images of a component are determined by the kustomizations that use it.
    let Ok(built) = facts.builder.build(directory) else { return Ok(()) };
    if kustomization.kind == KustomizationKind::Component || !built.unseen.is_empty() {
        return Ok(());
    }
    let named = |name: &&str| *name == artifact;
    let used = built.images.iter().any(|image| {
        let names = [image.origin.as_str(), &image.incoming.name, &image.reference.name];
        image.is_in_a_workload()
            && (names.iter().any(named)
                || kustomization.images.iter().any(|entry| entry.name == artifact && entry.matches(&image.incoming)))
    });
    match used {
        true => Ok(()),
        false => Err(VersionRefusal::Unused { file: kustomization.file.clone(), artifact: artifact.to_owned() }),
    }
}

/// Checks that an entry of an overlay determines the version of an image: nothing that builds on the overlay sets it
/// again.
///
/// # Errors
/// Fails with the declaration that overrides it.
pub(crate) fn check_entry(
    facts: &PlanningFacts<'_>,
    overlay: &Kustomization,
    images: &[&DeployedImage],
) -> Result<(), VersionRefusal> {
    let (directory, file) = (overlay.directory.as_str(), &overlay.file);
    if let Some(image) = images.iter().find(|image| matches!(image.set_by, VersionSource::Later { .. })) {
        return Err(overridden_by(&image.set_by, file));
    }
    let names: Vec<&str> =
        images.iter().flat_map(|image| [image.origin.as_str(), &image.incoming.name, &image.reference.name]).collect();
    for deployment in facts.catalog.overrides() {
        let reaches = deployment.directories.iter().any(|place| {
            place == directory || facts.builder.build(place).is_ok_and(|built| built.uses.contains(directory))
        });
        let sets = |image: &String| names.contains(&image.as_str()) && facts.catalog.is_set_by_all(deployment, image);
        if reaches && deployment.images.iter().any(sets) {
            return Err(by_deployer(deployment, file));
        }
    }
    let users = || facts.builder.users(directory).iter().filter(|user| user.directory != directory);
    let is_last = |user: &&KustomizationUser| {
        facts.builder.users(&user.directory).iter().all(|next| next.directory == user.directory)
    };
    for image in images {
        let is_kept = |other: &&DeployedImage| other.set_by == image.set_by || other.is_set_in(directory);
        let is_again = |other: &&DeployedImage| other.set_by != VersionSource::Manifest && !is_kept(other);
        // One cluster of several that keeps the version of their environment is enough.
        if users().filter(is_last).any(|user| user.built.with_origin(&image.origin).iter().any(is_kept)) {
            continue;
        }
        if let Some(other) = users().flat_map(|user| user.built.with_origin(&image.origin)).find(is_again) {
            return Err(overridden_by(&other.set_by, file));
        }
    }
    Ok(())
}

/// Returns the refusal for a version that another declaration overrides.
fn overridden_by(set_by: &VersionSource, file: &str) -> VersionRefusal {
    let (by, by_file) = match set_by {
        VersionSource::Manifest => ("the manifest".to_owned(), None),
        VersionSource::Patch { file, .. } => (format!("a patch in {file}"), Some(file.clone())),
        VersionSource::Entry { directory } => (format!("images in {directory}"), None),
        VersionSource::Later { by, file } => (by.clone(), Some(file.clone())),
    };
    VersionRefusal::Decided { by, by_file, file: file.to_owned() }
}

fn by_deployer(deployment: &DeclaredDeployment, file: &str) -> VersionRefusal {
    VersionRefusal::Decided {
        by: format!("{} of {} ({})", deployment.title, deployment.engine, deployment.file),
        by_file: Some(deployment.file.clone()),
        file: file.to_owned(),
    }
}

/// Checks that no deployer overrides the files that it deploys.
fn check_deployers(facts: &PlanningFacts<'_>, place: &CatalogPlace) -> Result<(), VersionRefusal> {
    let keys: Vec<&str> = place.slot.path.keys().collect();
    let dotted = keys.join(".");
    for deployment in facts.catalog.overrides().filter(|deployment| deployment.file != place.file) {
        let inside = deployment.directories.iter().any(|directory| path::is_below(&place.file, directory));
        if !inside && !deployment.files.contains(&place.file) {
            continue;
        }
        let artifact = place.slot.artifact.as_deref().map(normalized_name);
        let image = place.slot.what == ArtifactKind::Image
            && !place.is_in_release()
            && deployment.images.iter().any(|image| {
                Some(normalized_name(image)) == artifact && facts.catalog.is_set_by_all(deployment, image)
            });
        if image || deployment.parameters.contains(&dotted) {
            return Err(by_deployer(deployment, &place.file));
        }
    }
    Ok(())
}
