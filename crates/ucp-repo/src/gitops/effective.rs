//! Images that an overlay deploys, as kustomize would build them: manifests, bases, components, patches, `images`.

pub mod builder;
mod patch;
pub mod placement;

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::gitops::entry_index::EntryIndex;
use crate::gitops::workload::ContainerImage;
use ucp_core::model::image::ImageReference;

/// Image that an overlay deploys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeployedImage {
    /// Name in the original manifest: the same in all environments with a common base.
    pub origin: String,
    /// Reference to which the overlay's own `images` are applied.
    pub incoming: ImageReference,
    /// Reference that is deployed.
    pub reference: ImageReference,
    /// Source of the version.
    pub set_by: VersionSource,
    /// Container of the image; `None` for an entry whose workload is not in this repository.
    place: Option<ContainerLocation>,
}

/// Source of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VersionSource {
    /// The manifest.
    Manifest,
    /// A patch of the kustomization in this directory, in this file.
    Patch {
        /// Directory of the kustomization.
        directory: String,
        /// File that contains the patch.
        file: String,
    },
    /// An `images` entry of the kustomization in this directory.
    Entry {
        /// Directory of the kustomization.
        directory: String,
    },
    /// A transformation after `images`.
    Later {
        /// Transformation and its location.
        by: String,
        /// File that contains the transformation.
        file: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct ContainerLocation {
    kind: String,
    /// Name of the resource, and its names after adding prefixes and suffixes.
    names: Vec<String>,
    pointer: String,
    container: (String, String),
}

/// Images that a kustomization builds.
#[derive(Debug, Clone, Default)]
pub struct BuiltKustomization {
    /// All images.
    pub images: Vec<DeployedImage>,
    /// Directories of all kustomizations that are part of the build.
    pub uses: BTreeSet<String>,
    /// Other files that are part of the build: manifests and patches.
    pub files: BTreeSet<String>,
    /// Files of the build that are patches.
    pub patch_files: BTreeSet<String>,
    /// Inputs outside of this repository: remote bases, charts, generators.
    pub unseen: BTreeSet<String>,
    /// Images, by their names in the manifests, that patches delete.
    pub deleted: BTreeSet<String>,
    /// Referenced inputs that cannot be read, with the reason. They count as unseen.
    pub missing: BTreeSet<String>,
    /// True if a replacement splits an image at its colons.
    pub splits_images: bool,
    /// Entries of the kustomization itself.
    pub entries: Rc<EntryIndex>,
    /// Images by their names in the manifests; computed on first use.
    origins: OnceCell<HashMap<String, Vec<usize>>>,
    /// Images by the names to which the overlay's own entries apply; computed on first use.
    incoming: OnceCell<HashMap<String, Vec<usize>>>,
}

fn by_name(images: &[DeployedImage], name: impl Fn(&DeployedImage) -> &str) -> HashMap<String, Vec<usize>> {
    let mut all: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, image) in images.iter().enumerate() {
        all.entry(name(image).to_owned()).or_default().push(index);
    }
    all
}

impl DeployedImage {
    /// Returns true if a manifest of this repository contains the image, rather than only an entry.
    pub fn is_in_a_workload(&self) -> bool {
        self.place.is_some()
    }

    /// Returns true if an entry of the kustomization in this directory sets the version.
    pub fn is_set_in(&self, directory: &str) -> bool {
        matches!(&self.set_by, VersionSource::Entry { directory: other } if other == directory)
    }
}

impl BuiltKustomization {
    /// Records an input that cannot be read, so that the build continues.
    fn record_missing(&mut self, reason: String) {
        self.unseen.insert(reason.clone());
        self.missing.insert(reason);
    }

    /// Returns the images that have this name in their manifests.
    pub fn with_origin(&self, name: &str) -> Vec<&DeployedImage> {
        let all = self.origins.get_or_init(|| by_name(&self.images, |image| &image.origin));
        all.get(name).into_iter().flatten().map(|index| &self.images[*index]).collect()
    }

    /// Returns the images that have this name when the entries of the kustomization itself are applied.
    pub fn with_incoming_name(&self, name: &str) -> Vec<&DeployedImage> {
        let all = self.incoming.get_or_init(|| by_name(&self.images, |image| &image.incoming.name));
        all.get(name).into_iter().flatten().map(|index| &self.images[*index]).collect()
    }

    /// Returns true if a file is a patch.
    pub fn is_patch(&self, file: &str) -> bool {
        self.patch_files.contains(file)
    }

    /// Returns true if any of these images may be deployed. An entry without a match affects only inputs outside of
    /// this repository.
    pub fn may_deploy(&self, images: &[&DeployedImage]) -> bool {
        !self.unseen.is_empty() || images.iter().any(|image| image.is_in_a_workload())
    }
}

impl From<ContainerImage> for DeployedImage {
    fn from(found: ContainerImage) -> Self {
        Self {
            origin: found.image.name.clone(),
            incoming: found.image.clone(),
            reference: found.image,
            set_by: VersionSource::Manifest,
            place: Some(ContainerLocation {
                kind: found.kind,
                names: vec![found.name],
                pointer: found.pointer,
                container: found.container,
            }),
        }
    }
}
