//! Location of a version in an overlay: an existing entry, a new one, or none with a reason.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use crate::gitops::discover::{Discovery, Overlay};
use crate::gitops::effective::{BuiltKustomization, DeployedImage, VersionSource};
use crate::gitops::kustomization::{Kustomization, KustomizationTarget};
use crate::gitops::path;
use crate::gitops::repository::Repository;
use ucp_core::model::image::{ImageReference, ImageVersion};

/// Entry that sets a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPlacement {
    /// `name` of the entry.
    pub entry: String,
    /// Index in the list; `None` for a new entry, if the version came from a base or component so far.
    pub position: Option<usize>,
}

/// Reason why no entry of an overlay can set a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlacementError {
    /// The entry is a pattern, which may match other images as well.
    Pattern {
        /// Name of the entry.
        name: String,
        /// Index in the list.
        position: usize,
    },
    /// The entry appends a suffix to the tag.
    Suffixed {
        /// Name of the entry.
        name: String,
        /// Index in the list.
        position: usize,
    },
    /// A patch of the overlay sets the version in several places.
    InPatches {
        /// File of the patch, relative to the overlay.
        file: String,
    },
    /// Several entries apply to the image.
    SeveralEntries,
    /// The image has several names in the overlay.
    SeveralNames(Vec<String>),
}

impl fmt::Display for PlacementError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern { name, .. } => write!(formatter, "the entry {name:?} is a pattern"),
            Self::Suffixed { name, .. } => {
                write!(formatter, "the entry {name:?} appends a tagSuffix, which a tag would disable")
            }
            Self::InPatches { file } => write!(formatter, "{file} sets it, at more than one place"),
            Self::SeveralEntries => formatter.write_str("more than one entry of the overlay applies to it"),
            Self::SeveralNames(names) => write!(formatter, "it has several names here: {}", names.join(", ")),
        }
    }
}

/// Groups the images of an overlay by their names in the manifests.
pub fn by_origin(built: &BuiltKustomization) -> BTreeMap<&str, Vec<&DeployedImage>> {
    let mut images: BTreeMap<&str, Vec<&DeployedImage>> = BTreeMap::new();
    for image in &built.images {
        images.entry(&image.origin).or_default().push(image);
    }
    images
}

/// Returns the deployed versions of images: one, unless manifests differ.
pub fn versions(images: &[&DeployedImage]) -> BTreeSet<ImageVersion> {
    images.iter().map(|image| image.reference.version.clone()).collect()
}

/// Finds the entry of an overlay that sets the version of these images, which have one origin.
///
/// # Errors
/// Fails when no entry can set the version, with the reason and a solution.
pub fn find_entry(
    overlay: &Kustomization,
    built: &BuiltKustomization,
    images: &[&DeployedImage],
) -> Result<EntryPlacement, PlacementError> {
    let index = &built.entries;
    let mut places = BTreeSet::new();
    for image in images {
        let mut reference = image.incoming.clone();
        let mut hits = Vec::new();
        let mut next = index.next(&overlay.images, &reference, 0);
        while let Some(position) = next {
            let entry = &overlay.images[position];
            if entry.sets_version() || entry.new_name.is_some() {
                if entry.is_pattern_for(&reference) {
                    return Err(PlacementError::Pattern { name: entry.name.clone(), position: entry.position });
                }
                reference = entry.apply(&reference);
                hits.push(entry);
            }
            next = index.next(&overlay.images, &reference, position + 1);
        }
        // An entry that only renames may precede the one that sets the version.
        let setting: Vec<_> = hits.iter().copied().filter(|entry| entry.sets_version()).collect();
        match if setting.is_empty() { hits.as_slice() } else { setting.as_slice() } {
            [] => {
                if let VersionSource::Patch { directory, file } = &image.set_by
                    && *directory == overlay.directory
                {
                    return Err(PlacementError::InPatches { file: path::relative(&overlay.directory, file) });
                }
                places.insert((image.incoming.name.as_str(), None));
            }
            [entry] if entry.version.is_empty() && entry.tag_suffix.is_some() => {
                return Err(PlacementError::Suffixed { name: entry.name.clone(), position: entry.position });
            }
            [entry] => {
                places.insert((entry.name.as_str(), Some(entry.position)));
            }
            _ => return Err(PlacementError::SeveralEntries),
        }
    }
    match places.into_iter().collect::<Vec<_>>().as_slice() {
        [(entry, position)] => Ok(EntryPlacement { entry: (*entry).to_owned(), position: *position }),
        several => Err(PlacementError::SeveralNames(several.iter().map(|(name, _)| (*name).to_owned()).collect())),
    }
}

/// Returns another image of the overlay to which an entry would apply as well.
pub fn also_reached<'a>(built: &'a BuiltKustomization, entry: &str, origin: &str) -> Option<&'a str> {
    let name = ImageReference::split(entry).name;
    let mut reached = built.with_incoming_name(&name).into_iter();
    reached.find(|image| image.origin != origin).map(|image| image.origin.as_str())
}

/// Dependents of bases, and the overlays that they belong to.
#[derive(Debug)]
pub struct Dependents<'a> {
    by_base: BTreeMap<&'a str, Vec<&'a str>>,
    overlays: HashMap<&'a str, Vec<&'a Overlay>>,
}

impl<'a> Dependents<'a> {
    /// Collects the dependents in a repository.
    pub fn new(repository: &'a Repository, discovery: &'a Discovery) -> Self {
        let mut by_base: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for kustomization in repository.kustomizations.values() {
            for target in kustomization.resources.iter().chain(&kustomization.components) {
                if let KustomizationTarget::Local(base) = target {
                    by_base.entry(base).or_default().push(&kustomization.directory);
                }
            }
        }
        let mut overlays: HashMap<&str, Vec<&Overlay>> = HashMap::new();
        for overlay in &discovery.overlays {
            overlays.entry(&overlay.directory).or_default().push(overlay);
        }
        Self { by_base, overlays }
    }

    /// Returns the first overlay of another environment that an edit of this one would also affect.
    pub fn in_another_environment(&self, overlay: &Overlay) -> Option<&'a Overlay> {
        let mut seen = BTreeSet::from([overlay.directory.as_str()]);
        let mut open = vec![overlay.directory.as_str()];
        while let Some(directory) = open.pop() {
            for dependent in self.by_base.get(directory).into_iter().flatten() {
                if seen.insert(dependent) {
                    open.push(dependent);
                }
            }
        }
        let reached = seen.into_iter().filter_map(|directory| self.overlays.get(directory)).flatten().copied();
        reached.filter(|other| other.environment != overlay.environment).min()
    }
}
