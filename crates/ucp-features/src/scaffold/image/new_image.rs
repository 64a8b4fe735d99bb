//! The image of a new service, and the names of the image that it replaces.

use std::collections::BTreeSet;

use serde_json::Value;

use super::image_fields::{entries, in_parts};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::image::{ImageReference, ImageVersion};
use ucp_repo::slot::artifact::normalized_name;
use ucp_repo::yaml::tree::{self, YamlNode};

/// An image that replaces another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewImage {
    /// The names of the old image, without a version; they may differ between environments.
    old: BTreeSet<String>,
    /// The name of the new image.
    pub name: String,
    /// The tag, the digest, or both.
    pub version: ImageVersion,
    /// The image names in the copied files.
    pub(super) written: WrittenImages,
}

/// The image names in the files of the old service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WrittenImages {
    /// Images of workloads and values.
    pub(super) workloads: BTreeSet<String>,
    /// Images that entries of kustomizations use as replacements.
    pub(super) entries: BTreeSet<String>,
    /// Names that such an entry replaces with another name.
    replaced: BTreeSet<String>,
    /// True if a values file has a tag without the name of its image.
    pub(super) has_tags_apart: bool,
}

impl NewImage {
    /// Determines the image of a service that another one replaces: from its files, and if there are rendered
    /// manifests, from those of each environment.
    ///
    /// # Errors
    /// Fails when `typed` is not an image with a version, or the replaced image is ambiguous.
    pub fn resolve(typed: &str, service: &str, texts: &[String], rendered: &[&[Value]]) -> Result<Self, Failure> {
        let ImageReference { name, version } = ImageReference::split(typed);
        if version.is_empty() {
            return fail!("{typed}: it has no tag and no digest");
        }
        if let Some(fault) = (ImageReference { name: name.clone(), version: version.clone() }).fault() {
            return fail!("{typed}: {fault}");
        }
        let mut written = WrittenImages::default();
        texts.iter().for_each(|text| written.add(text));
        let mut old = BTreeSet::new();
        for objects in rendered {
            let mut images = BTreeSet::new();
            objects.iter().for_each(|object| add_images(object, &mut images));
            if !images.is_empty() {
                old.insert(main_image(service, images)?);
            }
        }
        if old.is_empty() {
            let named: BTreeSet<String> = written.workloads.union(&written.entries).cloned().collect();
            old.insert(main_image(service, named.difference(&written.replaced).cloned().collect())?);
        }
        Ok(Self { old, name, version, written })
    }

    /// Returns true if a name is that of the old image.
    pub fn is_old(&self, name: &str) -> bool {
        self.old.iter().any(|old| normalized_name(old) == normalized_name(name))
    }

    /// Returns true if an image is the new image.
    pub fn is_new(&self, image: &str) -> bool {
        let ImageReference { name, version } = ImageReference::split(image);
        name == self.name && self.is_version(&version)
    }

    /// Returns true if a version is that of the new image, or has only its digest.
    pub fn is_version(&self, version: &ImageVersion) -> bool {
        *version == self.version
            || self.version.digest.is_some() && version.digest == self.version.digest && version.tag.is_none()
    }

    pub(super) fn reference(&self) -> ImageReference {
        ImageReference { name: self.name.clone(), version: self.version.clone() }
    }
}

/// Returns the main image of a service: the only one, or the one with the service's name.
pub(super) fn main_image(service: &str, images: BTreeSet<String>) -> Result<String, Failure> {
    let named: Vec<&String> = images.iter().filter(|name| name.rsplit('/').next() == Some(service)).collect();
    let all: Vec<&String> = images.iter().collect();
    match (all.as_slice(), named.as_slice()) {
        ([one], _) | (_, [one]) => Ok((*one).clone()),
        ([], _) => fail!("{service} runs no image that its files declare"),
        (several, _) => {
            let names: Vec<&str> = several.iter().map(|name| name.as_str()).collect();
            fail!("{service} runs several images: {}", names.join(", "))
        }
    }
}

pub(super) fn add_images(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            match fields.get("image") {
                Some(Value::String(image)) if !image.is_empty() => {
                    found.insert(ImageReference::split(image).name);
                }
                Some(image @ Value::Object(_)) => {
                    let text = |key: &str| image.get(key).and_then(Value::as_str).unwrap_or_default();
                    let name = [text("registry"), text("repository")].join("/");
                    found.extend(Some(name.trim_matches('/').to_owned()).filter(|_| !text("repository").is_empty()));
                }
                _ => {}
            }
            fields.values().for_each(|value| add_images(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| add_images(item, found)),
        _ => {}
    }
}

impl WrittenImages {
    fn add(&mut self, text: &str) {
        let documents = tree::parse(text).unwrap_or_default();
        for node in documents.iter().flat_map(YamlNode::walk) {
            if let Some(image) = node.get("image") {
                self.workloads.extend(image.text().map(|image| ImageReference::split(image).name));
                self.has_tags_apart |= image.get("tag").is_some() && image.get("repository").is_none();
            }
            let is_one = node.get("tag").is_some() || node.get("digest").is_some();
            self.workloads.extend(in_parts(node).filter(|_| is_one));
            self.workloads.extend(node.get("image").and_then(in_parts));
            for entry in entries(node) {
                let (name, new) = (entry.text_at("name"), entry.text_at("newName"));
                self.entries.extend(new.or(name).map(str::to_owned));
                self.replaced.extend(name.filter(|name| new.is_some_and(|new| new != *name)).map(str::to_owned));
            }
        }
        self.workloads.retain(|name| !name.is_empty());
    }
}
