//! Effect of patches on images: strategic merges and JSON patches, as kustomize applies them.

use std::collections::BTreeSet;

use regex::Regex;

use super::{ContainerLocation, DeployedImage, VersionSource};
use crate::gitops::workload::{self, ContainerImage};
use crate::yaml::tree::YamlNode;
use ucp_core::model::image::ImageReference;

/// Returns true if a patch's target, a set of anchored patterns, selects a container. Fields that are not recorded here
/// are ignored.
pub(super) fn selects(target: &[(String, String)], place: &ContainerLocation) -> bool {
    let matches = |pattern: &str, texts: &[String]| {
        let pattern = Regex::new(&format!("^(?:{pattern})$"));
        pattern.is_ok_and(|pattern| texts.iter().any(|text| pattern.is_match(text)))
    };
    target.iter().all(|(field, pattern)| match field.as_str() {
        "kind" => matches(pattern, std::slice::from_ref(&place.kind)),
        "name" => matches(pattern, &place.names),
        _ => true,
    })
}

/// Applies a strategic merge patch: images are replaced, added, or deleted with `$patch: delete`.
pub(super) fn merge(
    document: &YamlNode,
    target: &[(String, String)],
    set_by: &VersionSource,
    images: &mut Vec<DeployedImage>,
) {
    let kind = document.text_at("kind").unwrap_or_default();
    let name = document.get("metadata").and_then(|metadata| metadata.text_at("name")).unwrap_or_default();
    let selected = |place: &ContainerLocation| match target {
        [] => place.kind == kind && place.names.iter().any(|other| other == name),
        target => selects(target, place),
    };
    if is_deletion(document) {
        return images.retain(|image| image.place.as_ref().is_none_or(|place| !selected(place)));
    }
    for deleted in deleted_containers(document) {
        images.retain(|image| image.place.as_ref().is_none_or(|place| !selected(place) || place.container != deleted));
    }
    for patched in workload::images(std::slice::from_ref(document)) {
        let mut hit = false;
        for image in images.iter_mut() {
            if image.place.as_ref().is_some_and(|place| selected(place) && place.container == patched.container) {
                image.reference = patched.image.clone();
                image.set_by = set_by.clone();
                hit = true;
            }
        }
        if !hit && target.is_empty() {
            images.push(DeployedImage { set_by: set_by.clone(), ..DeployedImage::from(patched) });
        }
    }
}

fn is_deletion(node: &YamlNode) -> bool {
    node.text_at("$patch") == Some("delete")
}

/// Returns containers with `$patch: delete`: the pointer of their list, and their name.
fn deleted_containers(document: &YamlNode) -> Vec<(String, String)> {
    let mut deleted = Vec::new();
    let mut open = vec![(String::new(), document)];
    while let Some((pointer, node)) = open.pop() {
        for (key, value) in node.entries() {
            let Some(key) = key.text() else { continue };
            let below = format!("{pointer}/{key}");
            let gone = value.items().iter().filter(|item| is_deletion(item));
            deleted.extend(gone.filter_map(|item| Some((below.clone(), item.text_at("name")?.to_owned()))));
            open.push((below, value));
        }
    }
    deleted
}

/// Applies one operation of a JSON patch.
pub(super) fn operate(
    operation: &YamlNode,
    target: &[(String, String)],
    set_by: &VersionSource,
    images: &mut Vec<DeployedImage>,
) {
    let (Some(op), Some(pointer)) = (operation.text_at("op"), operation.text_at("path")) else { return };
    let selected = |image: &DeployedImage| image.place.as_ref().filter(|place| selects(target, place)).cloned();
    let resources: BTreeSet<(String, String)> = images
        .iter()
        .filter_map(selected)
        .map(|place| (place.kind, place.names.into_iter().next().unwrap_or_default()))
        .collect();
    let value = operation.get("value");
    let position = pointer.rsplit_once('/').and_then(|(list, index)| Some((list, index.parse::<usize>().ok()?)));
    let is_at =
        |place: &ContainerLocation| place.pointer == pointer || place.pointer.starts_with(&format!("{pointer}/"));
    // The text of one image is replaced; its origin is unchanged.
    if let (Some(text), "replace" | "add") = (value.and_then(YamlNode::text), op) {
        for image in images.iter_mut().filter(|image| selected(image).is_some_and(|place| place.pointer == pointer)) {
            image.reference = ImageReference::split(text);
            image.set_by = set_by.clone();
        }
        return;
    }
    // Inserting into a list moves the elements after it; other operations replace the existing value.
    let inserts = op == "add" && position.is_some();
    if matches!(op, "remove" | "replace" | "add") && !inserts {
        images.retain(|image| !selected(image).is_some_and(|place| is_at(&place)));
    }
    if let (Some((list, index)), true) = (position, inserts || op == "remove") {
        let moved = |place: &ContainerLocation| -> Option<String> {
            let rest = place.pointer.strip_prefix(list)?.strip_prefix('/')?;
            let (at, field) = rest.split_once('/')?;
            let at: usize = at.parse().ok().filter(|at| *at >= index)?;
            Some(format!("{list}/{}/{field}", if inserts { at + 1 } else { at.saturating_sub(1) }))
        };
        for place in images.iter_mut().filter_map(|image| image.place.as_mut()).filter(|place| selects(target, place)) {
            if let Some(pointer) = moved(place) {
                place.pointer = pointer;
            }
        }
    }
    let added =
        value.filter(|_| op != "remove").map(|value| workload::images_below(pointer, value)).unwrap_or_default();
    for (kind, name) in resources {
        let found =
            added.iter().map(|found| ContainerImage { kind: kind.clone(), name: name.clone(), ..found.clone() });
        images.extend(found.map(|found| DeployedImage { set_by: set_by.clone(), ..DeployedImage::from(found) }));
    }
}
