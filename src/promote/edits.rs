//! What changes in the files of a plan, before it is written.

use std::collections::HashMap;

use crate::report::promotion::Change;
use crate::slot::artifact::What;
use crate::slot::{Edit, File, FileSlot, Place};

/// A file with its slots.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) file: File,
    slots: Vec<FileSlot>,
    /// Slots of the entries of a kustomization's `images`, by the name of the entry.
    entries: HashMap<String, Vec<usize>>,
}

/// What changes in one file, and the rows of the plan that stand for it.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    all: Vec<Edit>,
    /// By what they change: the version that it gets.
    versions: HashMap<Changed, String>,
    /// The rows, each with its entry where it is one.
    pub(crate) rows: Vec<(Change, Option<String>)>,
}

/// What an edit changes.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Changed {
    Entry(String),
    At(Place),
}

impl Opened {
    /// Reads a file.
    pub(crate) fn read(name: &str, text: &str) -> Result<Self, String> {
        let file = File::read(name, text).map_err(|error| format!("{name}: {error}"))?;
        let file = file.ok_or_else(|| format!("the format of {name} is not supported"))?;
        let slots = file.slots();
        let mut entries: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, slot) in slots.iter().enumerate().filter(|(_, slot)| slot.entry.is_some()) {
            entries.entry(slot.artifact.clone().unwrap_or_default()).or_default().push(index);
        }
        Ok(Self { file, slots, entries })
    }

    /// The slots of an entry of `images`.
    pub(crate) fn entry(&self, name: &str) -> impl Iterator<Item = &FileSlot> {
        self.entries.get(name).into_iter().flatten().map(|index| &self.slots[*index])
    }

    /// What is pinned of Git repositories.
    pub(crate) fn references(&self) -> impl Iterator<Item = &FileSlot> {
        self.slots.iter().filter(|slot| slot.what == What::Git)
    }
}

impl Edits {
    /// Adds an edit, and answers whether it is one that was not there yet.
    ///
    /// # Errors
    /// Where the same place would get two versions.
    pub(crate) fn add(&mut self, edit: Edit) -> Result<bool, String> {
        let (changed, version) = match &edit {
            Edit::Version(slot, version) => (Changed::At(slot.place.clone()), version.clone()),
            Edit::EntryOf(slot, version) => (Changed::At(slot.mapping()), version.to_string()),
            Edit::Entry { name, version } => (Changed::Entry(name.clone()), version.to_string()),
        };
        match self.versions.get(&changed) {
            Some(other) if *other == version => return Ok(false),
            Some(other) => {
                let name = match &edit {
                    Edit::Entry { name, .. } => format!("the entry {name:?}"),
                    Edit::Version(slot, _) | Edit::EntryOf(slot, _) => format!(".{}", slot.path),
                };
                return Err(format!("{name} would have to hold two versions, {other} and {version}"));
            }
            None => {}
        }
        self.versions.insert(changed, version);
        self.all.push(edit);
        Ok(true)
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[Edit] {
        &self.all
    }
}
