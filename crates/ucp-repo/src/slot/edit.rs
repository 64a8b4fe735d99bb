//! Edits of a file: the version in a slot, or of an entry whose keys may be added or removed.

use crate::slot::layer::ScalarLocation;
use crate::slot::slots::FileSlot;
use ucp_core::model::image::ImageVersion;

/// Change of one version in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlotEdit {
    /// Sets the version in a slot.
    Version(Box<FileSlot>, String),
    /// Sets the version of the entry that contains the slot, adding and removing keys as needed.
    EntryOf(Box<FileSlot>, ImageVersion),
    /// Sets the version of an image in the `images` of a kustomization: in the entry of this name, which is added if it
    /// does not exist.
    Entry {
        /// `name` of the entry, as written.
        name: String,
        /// The new version.
        version: ImageVersion,
    },
}

impl SlotEdit {
    /// Creates the edit that sets a version in a slot. A tag and a digest that form one version are set together.
    pub fn set_version(slot: &FileSlot, version: &str) -> Self {
        match &slot.entry {
            Some(_) => Self::EntryOf(Box::new(slot.clone()), ImageVersion::parse(version)),
            None => Self::Version(Box::new(slot.clone()), version.to_owned()),
        }
    }

    /// Creates the edit that sets a single value, unless the version cannot be under its key: a digest in place of a
    /// tag.
    pub fn set_value(slot: &FileSlot, version: &str) -> Self {
        let one_value = slot.version.contains('@');
        let other_key = match slot.path.key() {
            Some("newTag") => version.contains("sha256:"),
            Some("digest") => !version.starts_with("sha256:"),
            _ => false,
        };
        match slot.entry.is_some() && other_key && !one_value {
            true => Self::set_version(slot, version),
            false => Self::Version(Box::new(slot.clone()), version.to_owned()),
        }
    }
}

impl FileSlot {
    /// Returns the full version: with the digest beside a tag, if the two form one version.
    pub fn full_version(&self) -> String {
        let entry = self.entry.as_ref().map(ImageVersion::to_string);
        entry.map_or_else(|| self.version.clone(), |text| text.trim_start_matches('@').to_owned())
    }

    /// Returns the mapping that directly contains the slot.
    pub fn mapping(&self) -> ScalarLocation {
        let route = &self.place.route;
        ScalarLocation { route: route[..route.len().saturating_sub(1)].to_vec(), ..self.place.clone() }
    }
}
