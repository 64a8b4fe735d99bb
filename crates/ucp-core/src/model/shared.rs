//! Sharing of values that repeat between objects: ten thousand objects have a few hundred distinct ones, each stored
//! once.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

/// Cache of previous values.
pub(super) struct SharedValues<T> {
    values: HashSet<T>,
    /// Maximum number of values. The cache is cleared when it is full, so that values that never repeat are not kept.
    most: usize,
}

impl<T: Eq + Hash + Clone> SharedValues<T> {
    pub(super) fn new(most: usize) -> Self {
        Self { values: HashSet::new(), most }
    }

    /// Returns the cached value, or creates it.
    pub(super) fn get_or_insert<Q: ?Sized + Eq + Hash>(&mut self, value: &Q, make: impl FnOnce() -> T) -> T
    where
        T: Borrow<Q>,
    {
        if let Some(known) = self.values.get(value) {
            return known.clone();
        }
        if self.values.len() >= self.most {
            self.values.clear();
        }
        let new = make();
        self.values.insert(new.clone());
        new
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }
}

impl<V: Eq + Hash> SharedValues<Arc<V>> {
    /// Returns the shared value that is equal.
    pub(super) fn share(&mut self, value: V) -> Arc<V> {
        match self.values.get(&value) {
            Some(known) => Arc::clone(known),
            None => {
                let value = Arc::new(value);
                self.get_or_insert::<Arc<V>>(&value, || Arc::clone(&value))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_shared_and_the_number_of_known_values_is_limited() {
        let mut known: SharedValues<Arc<String>> = SharedValues::new(3);
        let one = known.share("one".to_owned());
        assert!(Arc::ptr_eq(&one, &known.share("one".to_owned())));
        assert!(!Arc::ptr_eq(&one, &known.share("two".to_owned())));
        for number in 0..10 {
            assert_eq!(*known.share(number.to_string()), number.to_string());
            assert!(known.len() <= 3);
        }
        assert_eq!(*known.share("one".to_owned()), *one);
    }
}
