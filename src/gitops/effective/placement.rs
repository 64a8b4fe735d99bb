//! Where in an overlay a version is written: in which entry, or in a new one, or nowhere and why.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use crate::gitops::discover::{Discovery, Overlay};
use crate::gitops::effective::{Built, Deployed, SetBy};
use crate::gitops::kustomization::{Kustomization, Target};
use crate::gitops::path;
use crate::gitops::repository::Repository;
use crate::model::image::{Reference, Version};

/// The entry that takes a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The `name` of the entry.
    pub entry: String,
    /// Its position in the list; none where it is added: the version came from a base or component so far.
    pub position: Option<usize>,
}

/// Why no entry of an overlay can take a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unplaced {
    /// The entry is a pattern, which may be for other images too.
    Pattern {
        /// Its name.
        name: String,
        /// Its position in the list.
        position: usize,
    },
    /// The entry appends a suffix to the tag.
    Suffixed {
        /// Its name.
        name: String,
        /// Its position in the list.
        position: usize,
    },
    /// A patch of the overlay sets it at more than one place.
    InPatches {
        /// The file of the patch, seen from the overlay.
        file: String,
    },
    /// More than one entry applies to it.
    SeveralEntries,
    /// It goes by several names in the overlay.
    SeveralNames(Vec<String>),
}

impl fmt::Display for Unplaced {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern { name, .. } => write!(formatter, "the entry {name:?} is a pattern"),
            Self::Suffixed { name, .. } => {
                write!(formatter, "the entry {name:?} appends a tagSuffix, which a tag would switch off")
            }
            Self::InPatches { file } => write!(formatter, "{file} sets it, at more than one place"),
            Self::SeveralEntries => formatter.write_str("more than one entry of the overlay applies to it"),
            Self::SeveralNames(names) => write!(formatter, "it goes by several names here: {}", names.join(", ")),
        }
    }
}

/// Images of an overlay by the name in their manifests.
pub fn by_origin(built: &Built) -> BTreeMap<&str, Vec<&Deployed>> {
    let mut images: BTreeMap<&str, Vec<&Deployed>> = BTreeMap::new();
    for image in &built.images {
        images.entry(&image.origin).or_default().push(image);
    }
    images
}

/// The versions that images are deployed in: one, unless manifests disagree.
pub fn versions(images: &[&Deployed]) -> BTreeSet<Version> {
    images.iter().map(|image| image.reference.version.clone()).collect()
}

/// Finds the entry of an overlay that decides about these images, which have one origin.
///
/// # Errors
/// Why no entry can: the reason, and the way forward.
pub fn place(overlay: &Kustomization, built: &Built, images: &[&Deployed]) -> Result<Place, Unplaced> {
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
                    return Err(Unplaced::Pattern { name: entry.name.clone(), position: entry.position });
                }
                reference = entry.apply(&reference);
                hits.push(entry);
            }
            next = index.next(&overlay.images, &reference, position + 1);
        }
        // An entry that only renames may stand before the one that sets the version.
        let setting: Vec<_> = hits.iter().copied().filter(|entry| entry.sets_version()).collect();
        match if setting.is_empty() { hits.as_slice() } else { setting.as_slice() } {
            [] => {
                if let SetBy::Patch { directory, file } = &image.set_by
                    && *directory == overlay.directory
                {
                    return Err(Unplaced::InPatches { file: path::relative(&overlay.directory, file) });
                }
                places.insert((image.incoming.name.as_str(), None));
            }
            [entry] if entry.version.is_empty() && entry.tag_suffix.is_some() => {
                return Err(Unplaced::Suffixed { name: entry.name.clone(), position: entry.position });
            }
            [entry] => {
                places.insert((entry.name.as_str(), Some(entry.position)));
            }
            _ => return Err(Unplaced::SeveralEntries),
        }
    }
    match places.into_iter().collect::<Vec<_>>().as_slice() {
        [(entry, position)] => Ok(Place { entry: (*entry).to_owned(), position: *position }),
        several => Err(Unplaced::SeveralNames(several.iter().map(|(name, _)| (*name).to_owned()).collect())),
    }
}

/// Other images of the overlay that an entry would reach, which are not meant.
pub fn also_reached<'a>(built: &'a Built, entry: &str, origin: &str) -> Option<&'a str> {
    let name = Reference::split(entry).name;
    let mut reached = built.incoming_as(&name).into_iter();
    reached.find(|image| image.origin != origin).map(|image| image.origin.as_str())
}

/// Which kustomizations build on which, and what they are overlays of.
#[derive(Debug)]
pub struct Dependents<'a> {
    by_base: BTreeMap<&'a str, Vec<&'a str>>,
    overlays: HashMap<&'a str, Vec<&'a Overlay>>,
}

impl<'a> Dependents<'a> {
    /// Of a repository.
    pub fn of(repository: &'a Repository, discovery: &'a Discovery) -> Self {
        let mut by_base: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for kustomization in repository.kustomizations.values() {
            for target in kustomization.resources.iter().chain(&kustomization.components) {
                if let Target::Local(base) = target {
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

    /// The first overlay of another environment that an edit of this one would reach too.
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
