//! Versions for one kustomization, with no repository around it: `set-image --file`.

use crate::gitops::kustomization::{entry_version, images_key, version_line};
use crate::model::image::{Reference, Version};
use crate::promote::edit::{self, Edits, SetVersion};
use crate::promote::policy::Policy;
use crate::report::promotion::{Change, FileEdit, Left, PromotionPlan, Repository, Weight};
use crate::yaml::YamlError;
use crate::yaml::tree::{self, Node};

/// Plans to set these images in the kustomization with this text. `path` is what the plan calls it.
///
/// # Errors
/// Where the file cannot be read or edited.
pub fn plan(path: &str, source: &str, images: &[Reference], policy: Policy) -> Result<PromotionPlan, YamlError> {
    let mut plan = PromotionPlan::new(Repository { path: path.to_owned() });
    let root = tree::parse_one(source)?;
    let entries = root.get(images_key(&root)).map(Node::items).unwrap_or_default();
    let mut edits = Edits::default();
    for image in images {
        let entry = entries.iter().find(|entry| entry.text_at("name") == Some(&image.name));
        let before = entry.map(entry_version).unwrap_or_default();
        let left = |reason: String, weight| Left { service: None, image: image.name.clone(), reason, weight };
        if before == image.version {
            plan.kept.push(left(format!("is {before} already"), Weight::Level));
            continue;
        }
        match policy.judge(&before, &image.version) {
            Err(reason) => plan.refused.push(left(reason, Weight::Telling)),
            Ok(judgement) => {
                plan.warnings.extend(judgement.warning.map(|warning| format!("{}: {warning}", image.name)));
                if entry.is_none() {
                    plan.warnings.push(format!("{} has no entry yet: one is added", image.name));
                }
                plan.warnings.extend(entry.and_then(|entry| owner_warning(&image.name, source, entry)));
                plan.changes.push(Change {
                    service: None,
                    image: image.name.clone(),
                    file: path.to_owned(),
                    line: entry.map_or_else(|| source.lines().count() + 1, version_line),
                    before: before.to_string(),
                    after: image.version.to_string(),
                    direction: judgement.direction,
                });
                edits.versions.push(SetVersion { name: image.name.clone(), version: image.version.clone() });
            }
        }
    }
    let after = edit::apply(source, &edits)?;
    if after != source {
        plan.files.push(FileEdit { path: path.to_owned(), before: source.to_owned(), after });
    }
    Ok(plan)
}

/// Says that a controller writes the value as well.
pub fn owner_warning(image: &str, source: &str, entry: &Node) -> Option<String> {
    let marker = edit::marker(source, entry)?;
    Some(format!("{image}: a comment says that {marker} owns this version, and may set another one"))
}

/// An argument, `IMAGE[:TAG][@DIGEST]`. Other than in a workload, IMAGE may hold a tag itself, as in `alpine:3:3.20`: an
/// entry's `name` can.
fn reference(argument: &str) -> Reference {
    let (left, digest) = argument.split_once('@').map_or((argument, None), |(left, digest)| (left, Some(digest)));
    let colon = left.rfind(':').filter(|colon| !left[*colon..].contains('/'));
    let (name, tag) = colon.map_or((left, None), |colon| (&left[..colon], Some(&left[colon + 1..])));
    Reference {
        name: name.to_owned(),
        version: Version { tag: tag.map(str::to_owned), digest: digest.map(str::to_owned) },
    }
}

/// The references of a command line, each with a version and none twice.
///
/// # Errors
/// Says which argument makes no sense.
pub fn references(arguments: &[String]) -> Result<Vec<Reference>, String> {
    let mut references: Vec<Reference> = Vec::new();
    for argument in arguments {
        let reference = reference(argument);
        if reference.version == Version::default() || reference.name.is_empty() {
            return Err(format!("{argument:?} names no version; expected IMAGE:TAG, IMAGE@DIGEST or IMAGE:TAG@DIGEST"));
        }
        if let Some(fault) = reference.version.fault() {
            return Err(fault);
        }
        if references.iter().any(|other| other.name == reference.name) {
            return Err(format!("{} is named twice", reference.name));
        }
        references.push(reference);
    }
    Ok(references)
}
