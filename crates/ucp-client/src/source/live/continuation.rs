//! The pages of one list, to detect a list that never ends, or is larger than any real one.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use super::read_error::ReadError;

/// With pages of 500 objects: as many as [`MOST_OBJECTS`].
const MOST_PAGES: usize = 2_000;
/// Limit for consecutive pages without objects: a server fills its pages, apart from the last ones.
const MOST_EMPTY_PAGES: usize = 50;
/// Limit for the objects of one kind.
const MOST_OBJECTS: usize = 1_000_000;

/// The size limit of all pages of a list together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListTotal {
    /// Whole objects: 512 MiB.
    Whole,
    /// A list of which only some fields are kept: 2 GiB.
    Streamed,
}

impl ListTotal {
    const fn mebibytes(self) -> usize {
        match self {
            Self::Whole => 512,
            Self::Streamed => 2048,
        }
    }
}

/// The size of a page, as received.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PageSize {
    pub(crate) objects: usize,
    pub(crate) bytes: usize,
}

/// The pages of a list that were read.
pub(crate) struct Continuation {
    hasher: RandomState,
    followed: HashSet<u64>,
    empty_pages: usize,
    objects: usize,
    bytes: usize,
    total: ListTotal,
}

impl Continuation {
    /// Begins a list.
    pub(crate) fn new(total: ListTotal) -> Self {
        Self { hasher: RandomState::new(), followed: HashSet::new(), empty_pages: 0, objects: 0, bytes: 0, total }
    }

    /// Records the size of a page.
    ///
    /// # Errors
    /// Fails when the pages so far are larger than a list may be.
    pub(crate) fn add(&mut self, page: PageSize) -> Result<(), ReadError> {
        self.empty_pages = if page.objects == 0 { self.empty_pages + 1 } else { 0 };
        if self.empty_pages > MOST_EMPTY_PAGES {
            let reason = format!("the list does not end: {MOST_EMPTY_PAGES} pages in succession have no objects");
            return Err(ReadError::Malformed(reason));
        }
        self.objects = self.objects.saturating_add(page.objects);
        self.bytes = self.bytes.saturating_add(page.bytes);
        if self.objects > MOST_OBJECTS {
            return Err(ReadError::Malformed(format!("the list has more than {MOST_OBJECTS} objects")));
        }
        if self.bytes >> 20 >= self.total.mebibytes() {
            let reason = format!("the list is larger than {} MiB, and was not read further", self.total.mebibytes());
            return Err(ReadError::Malformed(reason));
        }
        Ok(())
    }

    /// Records a token before its page is read.
    ///
    /// # Errors
    /// Fails when the token was used before, or there are too many pages.
    pub(crate) fn follow(&mut self, token: &str) -> Result<(), ReadError> {
        if !self.followed.insert(self.hasher.hash_one(token)) {
            return Err(ReadError::Malformed(
                "the list does not end: the server sent the same continue token twice".to_owned(),
            ));
        }
        if self.followed.len() >= MOST_PAGES {
            return Err(ReadError::Malformed(format!("the list has more than {MOST_PAGES} pages")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads pages of a size until the list is refused; returns their number and the reason.
    fn read(total: ListTotal, page: PageSize) -> (usize, String) {
        let mut list = Continuation::new(total);
        let refused = (1..).find_map(|number| {
            let next = list.add(page).and_then(|()| list.follow(&format!("token {number}")));
            next.err().map(|error| (number, error.to_string()))
        });
        refused.unwrap()
    }

    #[test]
    fn an_endless_list_is_limited() {
        let (pages, reason) = read(ListTotal::Whole, PageSize { objects: 1, bytes: 100 << 20 });
        assert!(pages == 6 && reason.contains("larger than 512 MiB"), "{pages} {reason}");
        let (pages, reason) = read(ListTotal::Streamed, PageSize { objects: 1, bytes: 1 << 30 });
        assert!(pages == 2 && reason.contains("larger than 2048 MiB"), "{pages} {reason}");
        let (pages, reason) = read(ListTotal::Streamed, PageSize { objects: 250_000, bytes: 1 });
        assert!(pages == 5 && reason.contains("more than 1000000 objects"), "{pages} {reason}");
        let (pages, reason) = read(ListTotal::Streamed, PageSize { objects: 0, bytes: 1 });
        assert!(pages == 51 && reason.contains("have no objects"), "{pages} {reason}");
        let (pages, reason) = read(ListTotal::Streamed, PageSize { objects: 1, bytes: 1 });
        assert!(pages == 2000 && reason.contains("pages"), "{pages} {reason}");
    }
}
