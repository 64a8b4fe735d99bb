//! One file of a snapshot, as the readers of all forms pass it on.

use std::io::{self, Read};

/// The form of a snapshot, by its number of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SnapshotForm {
    /// One file, which the user named.
    One,
    /// Any number of files, collected by a user or a program.
    Many,
}

/// A file: its name in messages, its path below the top, and its content.
pub(super) struct SnapshotEntry<'a> {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) content: io::Result<&'a mut dyn Read>,
}

/// Callback for each file.
pub(super) type TakeFile<'a> = &'a mut dyn FnMut(SnapshotEntry<'_>);
