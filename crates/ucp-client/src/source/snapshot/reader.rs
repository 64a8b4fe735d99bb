//! Reads the files of a snapshot, one after another.

use super::entry::SnapshotEntry;
use super::index::{APP_CLUSTERS, SnapshotIndex};
use super::layout::{FileContent, SnapshotLayout};
use super::located::LocatedObject;
use super::manifest::{LARGE, ManifestFile, TakeLocatedObject};
use super::remarks::Remarks;
use ucp_core::model::state::Unreadable;

/// Reads file after file, and passes on their objects.
#[derive(Default)]
pub(super) struct SnapshotReader {
    pub(super) remarks: Remarks,
    layout: SnapshotLayout,
    /// Files without objects, with the range of their errors.
    broken: Vec<(String, std::ops::Range<usize>)>,
    /// The error of the first file that could not be read to its end.
    pub(super) failure: Option<Unreadable>,
}

impl SnapshotReader {
    pub(super) fn read(&mut self, entry: SnapshotEntry<'_>, take: TakeLocatedObject<'_>) {
        let SnapshotEntry { name, path, content } = entry;
        let place = self.layout.place(&path);
        if place == FileContent::Elsewhere {
            return;
        }
        let (mut objects, complaints) = (0, self.remarks.unreadable.len());
        let mut count = |document: LocatedObject, index: Option<&SnapshotIndex>| {
            objects += 1;
            take(document, index);
        };
        let result = match content {
            Ok(content) => {
                ManifestFile { name: &name, place: &place, remarks: &mut self.remarks, take: &mut count, large: LARGE }
                    .read(content)
            }
            Err(error) => Err(Unreadable { what: name, reason: error.to_string() }),
        };
        if let Err(entry) = result {
            self.failure.get_or_insert_with(|| entry.clone());
            self.remarks.refuse(&entry.what, &entry.reason);
        }
        let is_new = self.remarks.unreadable.len() > complaints;
        if is_new && objects == 0 {
            self.broken.push((path, complaints..self.remarks.unreadable.len()));
        }
    }

    /// Drops the errors of files that programs collect beside objects, and returns the remarks.
    pub(super) fn done(self) -> Remarks {
        let Self { mut remarks, layout, broken, .. } = self;
        for (_, range) in broken.into_iter().rev().filter(|(path, _)| layout.is_beside(path)) {
            remarks.unreadable.drain(range);
        }
        remarks.sum_up();
        // The directory may also have this name by chance.
        if layout.has_app_clusters && remarks.index.is_none() {
            remarks
                .notes
                .push(format!("files in directories called {APP_CLUSTERS} are of other clusters, and not of this one"));
        }
        remarks
    }
}
