//! The `continue` tokens of one list: a list that never ends is an error.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use super::api::ReadError;

/// Pages of 500 objects: ten million objects of one kind.
const MOST_PAGES: usize = 20_000;

/// The tokens that were followed so far.
#[derive(Default)]
pub(crate) struct Continuation {
    hasher: RandomState,
    followed: HashSet<u64>,
}

impl Continuation {
    /// Notes that a token is followed.
    ///
    /// # Errors
    /// When it was followed before, or there are more pages than any list has.
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
