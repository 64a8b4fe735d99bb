//! What changes in a file: the version in a slot, or that of an entry whose keys may come and go with it.

use crate::model::image::Version;
use crate::slot::layer::Place;
use crate::slot::slots::FileSlot;

/// A change of one version in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Another version in a slot.
    Version(Box<FileSlot>, String),
    /// Another version for the entry that a slot is a part of, under the keys that it takes.
    EntryOf(Box<FileSlot>, Version),
    /// The version of an image in the `images` of a kustomization: of the entry of this name, which is added where there is
    /// none.
    Entry {
        /// The entry's `name`, as written.
        name: String,
        /// The version that it shall declare.
        version: Version,
    },
}

/// What becomes of values that follow a changed one by an alias (`*`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aliases {
    /// They change with it.
    Follow,
    /// The change is refused.
    Refuse,
}

impl Edit {
    /// What sets a version where a slot stands. A tag and a digest that make up one version go together.
    pub fn of(slot: &FileSlot, version: &str) -> Self {
        match &slot.entry {
            Some(_) => Self::EntryOf(Box::new(slot.clone()), Version::parse(version)),
            None => Self::Version(Box::new(slot.clone()), version.to_owned()),
        }
    }

    /// What sets one value and nothing beside it, unless the version cannot stand under its key: a digest in the place
    /// of a tag.
    pub fn of_value(slot: &FileSlot, version: &str) -> Self {
        let one_value = slot.version.contains('@');
        let other_key = match slot.path.key() {
            Some("newTag") => version.contains("sha256:"),
            Some("digest") => !version.starts_with("sha256:"),
            _ => false,
        };
        match slot.entry.is_some() && other_key && !one_value {
            true => Self::of(slot, version),
            false => Self::Version(Box::new(slot.clone()), version.to_owned()),
        }
    }
}

impl FileSlot {
    /// The whole version: with the digest that stands beside a tag, where the two make up one.
    pub fn full_version(&self) -> String {
        let entry = self.entry.as_ref().map(Version::to_string);
        entry.map_or_else(|| self.version.clone(), |text| text.trim_start_matches('@').to_owned())
    }

    /// The mapping that the slot is directly in.
    pub(crate) fn mapping(&self) -> Place {
        let route = &self.place.route;
        Place { route: route[..route.len().saturating_sub(1)].to_vec(), ..self.place.clone() }
    }
}
