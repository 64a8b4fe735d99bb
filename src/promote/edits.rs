//! The edits of a plan's files, before they are written.

use std::collections::HashMap;

use crate::report::promotion::VersionUpdate;
use ucp_core::failure::{Failure, fail};
use ucp_repo::slot::artifact::ArtifactKind;
use ucp_repo::slot::{FileSlot, ScalarLocation, SlotEdit, VersionFile};

/// A file with its slots.
#[derive(Debug)]
pub(crate) struct OpenedFile {
    pub(crate) file: VersionFile,
    slots: Vec<FileSlot>,
    /// Indices of the slots in a kustomization's `images`, by the name of the entry.
    entries: HashMap<String, Vec<usize>>,
}

/// The edits of one file, and the rows of the plan that describe them.
#[derive(Debug, Default)]
pub(crate) struct FileEdits {
    all: Vec<SlotEdit>,
    /// The new version of each changed target.
    versions: HashMap<EditTarget, String>,
    /// The rows, with the entry of `images` if the version is in one.
    pub(crate) rows: Vec<(VersionUpdate, Option<String>)>,
}

/// The target of an edit.
#[derive(Debug, PartialEq, Eq, Hash)]
enum EditTarget {
    Entry(String),
    At(ScalarLocation),
}

impl OpenedFile {
    /// Parses a file.
    pub(crate) fn read(name: &str, text: &str) -> Result<Self, Failure> {
        let file = VersionFile::read(name, text).map_err(|error| format!("{name}: {error}"))?;
        let file = file.ok_or_else(|| format!("the format of {name} is not supported"))?;
        let slots = file.slots();
        let mut entries: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, slot) in slots.iter().enumerate().filter(|(_, slot)| slot.entry.is_some()) {
            entries.entry(slot.artifact.clone().unwrap_or_default()).or_default().push(index);
        }
        Ok(Self { file, slots, entries })
    }

    /// Returns the slots of an entry of `images`.
    pub(crate) fn entry(&self, name: &str) -> impl Iterator<Item = &FileSlot> {
        self.entries.get(name).into_iter().flatten().map(|index| &self.slots[*index])
    }

    /// Returns the slots of Git references.
    pub(crate) fn references(&self) -> impl Iterator<Item = &FileSlot> {
        self.slots.iter().filter(|slot| slot.what == ArtifactKind::Git)
    }
}

impl FileEdits {
    /// Adds an edit, and returns true if it is new.
    ///
    /// # Errors
    /// Fails when the same target would get two versions.
    pub(crate) fn add(&mut self, edit: SlotEdit) -> Result<bool, Failure> {
        let (changed, version) = match &edit {
            SlotEdit::Version(slot, version) => (EditTarget::At(slot.place.clone()), version.clone()),
            SlotEdit::EntryOf(slot, version) => (EditTarget::At(slot.mapping()), version.to_string()),
            SlotEdit::Entry { name, version } => (EditTarget::Entry(name.clone()), version.to_string()),
        };
        match self.versions.get(&changed) {
            Some(other) if *other == version => return Ok(false),
            Some(other) => {
                let name = match &edit {
                    SlotEdit::Entry { name, .. } => format!("the entry {name:?}"),
                    SlotEdit::Version(slot, _) | SlotEdit::EntryOf(slot, _) => format!(".{}", slot.path),
                };
                return fail!("{name} would need two versions, {other} and {version}");
            }
            None => {}
        }
        self.versions.insert(changed, version);
        self.all.push(edit);
        Ok(true)
    }

    /// Returns all edits.
    pub(crate) fn all(&self) -> &[SlotEdit] {
        &self.all
    }
}
