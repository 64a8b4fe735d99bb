//! Values that repeat from object to object: ten thousand objects hold a few hundred of them, each once.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

/// Values that came before.
pub(super) struct Known<T> {
    values: HashSet<T>,
    /// So many are remembered; then it begins anew, since what never repeats must not stay for ever.
    most: usize,
}

impl<T: Eq + Hash + Clone> Known<T> {
    pub(super) fn new(most: usize) -> Self {
        Self { values: HashSet::new(), most }
    }

    /// The value that came before, or this one, made now.
    pub(super) fn get_or<Q: ?Sized + Eq + Hash>(&mut self, value: &Q, make: impl FnOnce() -> T) -> T
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

impl<V: Eq + Hash> Known<Arc<V>> {
    /// The same value, shared with whoever had it before.
    pub(super) fn share(&mut self, value: V) -> Arc<V> {
        match self.values.get(&value) {
            Some(known) => Arc::clone(known),
            None => {
                let value = Arc::new(value);
                self.get_or::<Arc<V>>(&value, || Arc::clone(&value))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_value_is_there_once_and_what_never_repeats_does_not_stay() {
        let mut known: Known<Arc<String>> = Known::new(3);
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
