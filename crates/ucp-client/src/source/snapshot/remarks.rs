//! What a snapshot says besides its objects.

use super::index::SnapshotIndex;
use ucp_core::model::state::Unreadable;

/// The content of files besides objects.
#[derive(Default)]
pub(super) struct Remarks {
    /// Files, or parts of them, that are not valid manifests.
    pub(super) unreadable: Vec<Unreadable>,
    /// Warnings about valid content that is probably a mistake.
    pub(super) notes: Vec<String>,
    /// `gitVersion` of the server, from a file of another program.
    pub(super) server_version: Option<String>,
    /// The index, if the snapshot is from kubectl ucp.
    pub(super) index: Option<SnapshotIndex>,
    /// The number of unreadable ones besides those above.
    more: usize,
}

/// The most files, or parts of them, that are reported each. Others are counted: a file of separators has millions.
const MOST_REMARKS: usize = 10_000;

impl Remarks {
    /// Adds a file, or a part of one, that is not a valid manifest.
    pub(super) fn refuse(&mut self, what: &str, reason: &str) {
        match self.unreadable.len() < MOST_REMARKS {
            true => self.unreadable.push(Unreadable { what: what.to_owned(), reason: reason.to_owned() }),
            false => self.more += 1,
        }
    }

    pub(super) fn note(&mut self, note: String) {
        if self.notes.len() < MOST_REMARKS {
            self.notes.push(note);
        }
    }

    /// Adds an entry for those that were only counted.
    pub(super) fn sum_up(&mut self) {
        if self.more > 0 {
            let what = format!("{} more files, or parts of them", self.more);
            self.unreadable.push(Unreadable { what, reason: "they are not valid manifests".to_owned() });
        }
    }
}
