//! Checks that a written version takes effect, and is not overridden elsewhere.

use crate::gitops::catalog::Place;
use crate::gitops::catalog::deployed::DeclaredDeployment;
use crate::gitops::effective::{Deployed, SetBy};
use crate::gitops::kustomization::{Kind, Kustomization};
use crate::gitops::path;
use crate::promote::facts::Facts;
use crate::promote::refusal::Refusal;
use crate::slot::artifact::{What, normalized};

/// Checks that a version takes effect at its place.
///
/// # Errors
/// Fails with the declaration that overrides it.
pub(crate) fn of_place(facts: &Facts<'_>, place: &Place) -> Result<(), Refusal> {
    overridden(facts, place)?;
    if place.slot.what != What::Image {
        return Ok(());
    }
    let Some(artifact) = place.slot.artifact.as_deref() else { return Ok(()) };
    let directory = path::parent(&place.file);
    if place.is_image_entry(facts.repository) {
        is_used(facts, directory, artifact)?;
    }
    let mut instead: Option<Refusal> = None;
    let entry = place.is_image_entry(facts.repository);
    for user in facts.builder.users(if entry { directory } else { &place.file }) {
        let is_it = |image: &&Deployed| {
            [&image.origin, &image.incoming.name, &image.reference.name].iter().any(|name| *name == artifact)
        };
        let mut images = user.built.images.iter().filter(is_it).peekable();
        if images.peek().is_none() {
            return Ok(());
        }
        for image in images {
            let here = match &image.set_by {
                SetBy::Manifest => !entry,
                SetBy::Patch { file, .. } => !entry && *file == place.file,
                SetBy::Entry { directory: other } => entry && other == directory,
                SetBy::Later { .. } => false,
            };
            if here {
                return Ok(());
            }
            instead = Some(decided(&image.set_by, &place.file));
        }
    }
    instead.map_or(Ok(()), Err)
}

/// Checks that a kustomization builds the image of an entry in its `images`, as far as this repository shows.
fn is_used(facts: &Facts<'_>, directory: &str, artifact: &str) -> Result<(), Refusal> {
    let Some(kustomization) = facts.repository.kustomizations.get(directory) else { return Ok(()) };
    // The images of a component are determined by the kustomizations that use it.
    let Ok(built) = facts.builder.build(directory) else { return Ok(()) };
    if kustomization.kind == Kind::Component || !built.unseen.is_empty() {
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
        false => Err(Refusal::Unused { file: kustomization.file.clone(), artifact: artifact.to_owned() }),
    }
}

/// Checks that an entry of an overlay determines the version of an image: nothing that builds on the overlay sets it
/// again.
///
/// # Errors
/// Fails with the declaration that overrides it.
pub(crate) fn of_entry(facts: &Facts<'_>, overlay: &Kustomization, images: &[&Deployed]) -> Result<(), Refusal> {
    let (directory, file) = (overlay.directory.as_str(), &overlay.file);
    if let Some(image) = images.iter().find(|image| matches!(image.set_by, SetBy::Later { .. })) {
        return Err(decided(&image.set_by, file));
    }
    let names: Vec<&str> =
        images.iter().flat_map(|image| [image.origin.as_str(), &image.incoming.name, &image.reference.name]).collect();
    for deployment in facts.catalog.overrides() {
        let reaches = deployment.directories.iter().any(|place| {
            place == directory || facts.builder.build(place).is_ok_and(|built| built.uses.contains(directory))
        });
        if reaches && deployment.images.iter().any(|image| names.contains(&image.as_str())) {
            return Err(by_argo_cd(deployment, file));
        }
    }
    for user in facts.builder.users(directory).iter().filter(|user| user.directory != directory) {
        for image in images {
            let again = user.built.of_origin(&image.origin).into_iter();
            let mut again =
                again.filter(|other| !matches!(&other.set_by, SetBy::Manifest) && !other.is_set_in(directory));
            let same = |other: &&Deployed| other.set_by == image.set_by;
            if let Some(other) = again.find(|other| !same(other)) {
                return Err(decided(&other.set_by, file));
            }
        }
    }
    Ok(())
}

/// Returns the refusal for a version that another declaration overrides.
fn decided(set_by: &SetBy, file: &str) -> Refusal {
    let (by, by_file) = match set_by {
        SetBy::Manifest => ("the manifest".to_owned(), None),
        SetBy::Patch { file, .. } => (format!("a patch in {file}"), Some(file.clone())),
        SetBy::Entry { directory } => (format!("images in {directory}"), None),
        SetBy::Later { by, file } => (by.clone(), Some(file.clone())),
    };
    Refusal::Decided { by, by_file, file: file.to_owned() }
}

fn by_argo_cd(deployment: &DeclaredDeployment, file: &str) -> Refusal {
    Refusal::Decided {
        by: format!("{} of Argo CD ({})", deployment.title, deployment.file),
        by_file: Some(deployment.file.clone()),
        file: file.to_owned(),
    }
}

/// Checks that Argo CD does not override the files that it deploys.
fn overridden(facts: &Facts<'_>, place: &Place) -> Result<(), Refusal> {
    let keys: Vec<&str> = place.slot.path.keys().collect();
    let dotted = keys.join(".");
    for deployment in facts.catalog.overrides().filter(|deployment| deployment.file != place.file) {
        let inside = deployment.directories.iter().any(|directory| path::is_below(&place.file, directory));
        if !inside && !deployment.files.contains(&place.file) {
            continue;
        }
        let artifact = place.slot.artifact.as_deref().map(normalized);
        let image =
            place.slot.what == What::Image && deployment.images.iter().any(|image| Some(normalized(image)) == artifact);
        if image || deployment.parameters.contains(&dotted) {
            return Err(by_argo_cd(deployment, &place.file));
        }
    }
    Ok(())
}
