//! Keys and values of a mapping, with an index for large mappings.

use std::ops::Deref;
use std::sync::OnceLock;

/// From this size on, lookups use an index.
const LARGE: usize = 16;

/// A node that can be a key.
pub trait Keyed {
    /// Returns the text of the node as a key, `null` and numbers included.
    fn key(&self) -> Option<&str>;
}

/// Keys and values in document order; keys may be repeated.
#[derive(Debug, Clone)]
pub struct KeyValuePairs<N> {
    pairs: Vec<(N, N)>,
    /// Positions ordered by key text; equal keys are in document order. Built on first use.
    by_key: OnceLock<Box<[usize]>>,
}

impl<N: Keyed> KeyValuePairs<N> {
    /// Appends a pair.
    pub(crate) fn push(&mut self, pair: (N, N)) {
        self.by_key.take();
        self.pairs.push(pair);
    }

    /// Returns the positions of the keys with this text, the last one first.
    pub fn positions<'p>(&'p self, key: &'p str) -> impl Iterator<Item = usize> + 'p {
        let at = |position: usize| {
            #[cfg(test)]
            steps::record_comparison();
            self.key(position)
        };
        let large = (self.pairs.len() >= LARGE).then(|| {
            let order = self.by_key.get_or_init(|| {
                let mut order: Box<[usize]> = (0..self.pairs.len()).collect();
                // The sort is stable: equal keys remain in document order.
                order.sort_by_key(|position| self.key(*position));
                order
            });
            let end = order.partition_point(|position| at(*position) <= Some(key));
            order[..end].iter().rev().copied().take_while(move |position| at(*position) == Some(key))
        });
        let small = (self.pairs.len() < LARGE)
            .then(|| (0..self.pairs.len()).rev().filter(move |position| at(*position) == Some(key)));
        large.into_iter().flatten().chain(small.into_iter().flatten())
    }

    fn key(&self, position: usize) -> Option<&str> {
        self.pairs[position].0.key()
    }
}

impl<N> Deref for KeyValuePairs<N> {
    type Target = [(N, N)];

    fn deref(&self) -> &[(N, N)] {
        &self.pairs
    }
}

impl<N> Default for KeyValuePairs<N> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<N> From<Vec<(N, N)>> for KeyValuePairs<N> {
    fn from(pairs: Vec<(N, N)>) -> Self {
        Self { pairs, by_key: OnceLock::new() }
    }
}

impl<N: PartialEq> PartialEq for KeyValuePairs<N> {
    fn eq(&self, other: &Self) -> bool {
        self.pairs == other.pairs
    }
}

impl<N: Eq> Eq for KeyValuePairs<N> {}

/// Number of key comparisons of this thread: tests of complexity count them instead of measuring time.
#[cfg(test)]
pub(crate) mod steps {
    use std::cell::Cell;

    thread_local! { static STEPS: Cell<usize> = const { Cell::new(0) } }

    pub(super) fn record_comparison() {
        STEPS.with(|steps| steps.set(steps.get() + 1));
    }

    /// Returns the number of comparisons of a call.
    pub(crate) fn count_comparisons(act: impl FnOnce()) -> usize {
        STEPS.with(|steps| steps.set(0));
        act();
        STEPS.with(Cell::get)
    }
}
