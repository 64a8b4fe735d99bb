//! The `continue` tokens of one list, to detect a list that never ends.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use super::api::ReadError;

/// With pages of 500 objects: ten million objects of one kind.
const MOST_PAGES: usize = 20_000;

/// The tokens of the pages that were read.
#[derive(Default)]
pub struct Continuation {
    hasher: RandomState,
    followed: HashSet<u64>,
}

impl Continuation {
    /// Records a token before its page is read.
    ///
    /// # Errors
    /// Fails when the token was used before, or there are too many pages.
    pub fn follow(&mut self, token: &str) -> Result<(), ReadError> {
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
