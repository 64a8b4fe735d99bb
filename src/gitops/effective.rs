//! Which images an overlay deploys, as kustomize would build them: manifests, bases, components, patches, `images`.

pub mod builder;
mod patch;
pub mod placement;

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::gitops::entry_index::EntryIndex;
use crate::gitops::workload::Found;
use crate::model::image::Reference;

/// One image that an overlay deploys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployed {
    /// The name in the manifest that it comes from: what environments with a common base have in common.
    pub origin: String,
    /// What the overlay's own `images` are applied to.
    pub incoming: Reference,
    /// What is deployed.
    pub reference: Reference,
    /// Who said so.
    pub set_by: SetBy,
    /// The container it runs in; none for an entry whose workload is not in this repository.
    place: Option<Place>,
}

/// Where a version comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetBy {
    /// The manifest.
    Manifest,
    /// A patch of the kustomization in this directory, in this file.
    Patch {
        /// The directory.
        directory: String,
        /// The file that holds the patch.
        file: String,
    },
    /// An `images` entry of the kustomization in this directory.
    Entry {
        /// The directory.
        directory: String,
    },
    /// Something that runs after `images`.
    Later {
        /// What, and where it is written.
        by: String,
        /// The file.
        file: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    kind: String,
    /// The resource's name, and the names that prefixes and suffixes made of it.
    names: Vec<String>,
    pointer: String,
    container: (String, String),
}

/// What a kustomization builds, as far as images go.
#[derive(Debug, Clone, Default)]
pub struct Built {
    /// Its images.
    pub images: Vec<Deployed>,
    /// Directories of every kustomization that takes part.
    pub uses: BTreeSet<String>,
    /// Files that take part besides: manifests and patches.
    pub files: BTreeSet<String>,
    /// Those of them that are patches.
    pub patch_files: BTreeSet<String>,
    /// What this repository does not hold: remote bases, charts, generators.
    pub unseen: BTreeSet<String>,
    /// Images by their names in the manifests that patches take away.
    pub deleted: BTreeSet<String>,
    /// What is named and cannot be read: where, and why. What it would add is unseen.
    pub missing: BTreeSet<String>,
    /// A replacement takes an image apart at its colons.
    pub splits_images: bool,
    /// The entries of the kustomization itself.
    pub entries: Rc<EntryIndex>,
    /// Images by their names in the manifests; made when first asked for.
    origins: OnceCell<HashMap<String, Vec<usize>>>,
    /// Images by the names that the overlay's own entries find.
    incoming: OnceCell<HashMap<String, Vec<usize>>>,
}

fn by_name(images: &[Deployed], name: impl Fn(&Deployed) -> &str) -> HashMap<String, Vec<usize>> {
    let mut all: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, image) in images.iter().enumerate() {
        all.entry(name(image).to_owned()).or_default().push(index);
    }
    all
}

impl Deployed {
    /// Whether a manifest of this repository has this image, rather than an entry alone.
    pub fn is_in_a_workload(&self) -> bool {
        self.place.is_some()
    }

    /// Whether an entry of the kustomization in this directory gives the version.
    pub fn is_set_in(&self, directory: &str) -> bool {
        matches!(&self.set_by, SetBy::Entry { directory: other } if other == directory)
    }
}

impl Built {
    /// Notes what cannot be read, and goes on with the rest.
    fn miss(&mut self, reason: String) {
        self.unseen.insert(reason.clone());
        self.missing.insert(reason);
    }

    /// The images that have this name in their manifests.
    pub fn of_origin(&self, name: &str) -> Vec<&Deployed> {
        let all = self.origins.get_or_init(|| by_name(&self.images, |image| &image.origin));
        all.get(name).into_iter().flatten().map(|index| &self.images[*index]).collect()
    }

    /// The images that entries of the kustomization itself find under this name.
    pub fn incoming_as(&self, name: &str) -> Vec<&Deployed> {
        let all = self.incoming.get_or_init(|| by_name(&self.images, |image| &image.incoming.name));
        all.get(name).into_iter().flatten().map(|index| &self.images[*index]).collect()
    }

    /// Whether a file is a patch, and no manifest.
    pub fn patches(&self, file: &str) -> bool {
        self.patch_files.contains(file)
    }

    /// Whether any of these images can be in what is deployed. An entry that matches nothing has an effect only on what this
    /// repository does not hold.
    pub fn may_deploy(&self, images: &[&Deployed]) -> bool {
        !self.unseen.is_empty() || images.iter().any(|image| image.is_in_a_workload())
    }
}

impl From<Found> for Deployed {
    fn from(found: Found) -> Self {
        Self {
            origin: found.image.name.clone(),
            incoming: found.image.clone(),
            reference: found.image,
            set_by: SetBy::Manifest,
            place: Some(Place {
                kind: found.kind,
                names: vec![found.name],
                pointer: found.pointer,
                container: found.container,
            }),
        }
    }
}
