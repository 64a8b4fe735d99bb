//! Whether a version that is written decides about what runs, or something else sets another one later.

use crate::gitops::catalog::Place;
use crate::gitops::effective::{Deployed, SetBy};
use crate::gitops::kustomization::Kind;
use crate::gitops::path;
use crate::promote::facts::Facts;
use crate::slot::artifact::{What, normalized};

/// Makes sure that a version takes effect where it stands.
///
/// # Errors
/// What decides instead.
pub(crate) fn of_place(facts: &Facts<'_>, place: &Place) -> Result<(), String> {
    overridden(facts, place)?;
    if place.slot.what != What::Image {
        return Ok(());
    }
    let Some(artifact) = place.slot.artifact.as_deref() else { return Ok(()) };
    let directory = path::parent(&place.file);
    if place.is_image_entry(facts.repository) {
        is_used(facts, directory, artifact)?;
    }
    let mut instead = None;
    for kustomization in facts.repository.kustomizations.values() {
        let Ok(built) = facts.builder.build(&kustomization.directory) else { continue };
        let entry = place.is_image_entry(facts.repository);
        let uses = if entry { built.uses.contains(directory) } else { built.files.contains(&place.file) };
        if !uses {
            continue;
        }
        let is_it = |image: &&Deployed| {
            [&image.origin, &image.incoming.name, &image.reference.name].iter().any(|name| *name == artifact)
        };
        let mut images = built.images.iter().filter(is_it).peekable();
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
            instead = Some(described(&image.set_by));
        }
    }
    match instead {
        Some(instead) => Err(format!("{instead} sets it after {}, so a version there has no effect", place.file)),
        None => Ok(()),
    }
}

/// Makes sure that an entry of a kustomization's `images` is for an image that it builds, as far as this repository tells.
fn is_used(facts: &Facts<'_>, directory: &str, artifact: &str) -> Result<(), String> {
    let Some(kustomization) = facts.repository.kustomizations.get(directory) else { return Ok(()) };
    // What a component is for is known by those that use it.
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
        false => Err(format!("no workload of {} has the image {artifact}", kustomization.file)),
    }
}

/// Makes sure that an entry of an overlay decides about an image: nothing that builds on the overlay sets it again.
///
/// # Errors
/// What decides instead.
pub(crate) fn of_entry(facts: &Facts<'_>, directory: &str, images: &[&Deployed]) -> Result<(), String> {
    for image in images {
        if let SetBy::Later { by } = &image.set_by {
            return Err(format!("{by} sets it after the images of {directory}, so a version there has no effect"));
        }
    }
    let names: Vec<&str> =
        images.iter().flat_map(|image| [image.origin.as_str(), &image.incoming.name, &image.reference.name]).collect();
    for deployment in facts.catalog.overrides() {
        let reaches = deployment.directories.iter().any(|place| {
            place == directory || facts.builder.build(place).is_ok_and(|built| built.uses.contains(directory))
        });
        if reaches && deployment.images.iter().any(|image| names.contains(&image.as_str())) {
            return Err(format!(
                "{} ({}) sets it instead, for Argo CD; set it there",
                deployment.file, deployment.title
            ));
        }
    }
    for kustomization in facts.repository.kustomizations.values().filter(|other| other.directory != directory) {
        let Ok(built) = facts.builder.build(&kustomization.directory) else { continue };
        if !built.uses.contains(directory) {
            continue;
        }
        for image in images {
            let again = built.images.iter().filter(|other| other.origin == image.origin);
            let mut again =
                again.filter(|other| !matches!(&other.set_by, SetBy::Manifest) && !other.is_set_in(directory));
            let same = |other: &&Deployed| other.set_by == image.set_by;
            if let Some(other) = again.find(|other| !same(other)) {
                return Err(format!(
                    "{} sets it again on top of {directory}, so a version there has no effect",
                    described(&other.set_by)
                ));
            }
        }
    }
    Ok(())
}

fn described(set_by: &SetBy) -> String {
    match set_by {
        SetBy::Manifest => "the manifest".to_owned(),
        SetBy::Patch { file, .. } => format!("a patch in {file}"),
        SetBy::Entry { directory } => format!("images in {directory}"),
        SetBy::Later { by } => by.clone(),
    }
}

/// What Argo CD sets instead of the files that it deploys.
fn overridden(facts: &Facts<'_>, place: &Place) -> Result<(), String> {
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
            return Err(format!(
                "{} ({}) sets it instead, for Argo CD; set it there",
                deployment.file, deployment.title
            ));
        }
    }
    Ok(())
}
