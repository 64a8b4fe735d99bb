//! The weight of everything that the process keeps.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::limit::{HEAVIEST_RUN, Overweight};

static KEPT: AtomicUsize = AtomicUsize::new(0);

/// The weight of something that is kept, until it is dropped.
#[derive(Debug, Default)]
pub struct KeptWeight(usize);

impl KeptWeight {
    /// Adds a weight to that of the process.
    ///
    /// # Errors
    /// Fails when everything together would be heavier than the limit.
    pub fn reserve(weight: usize) -> Result<Self, Overweight> {
        let mut kept = Self::default();
        kept.grow(weight)?;
        Ok(kept)
    }

    /// Adds to the weight.
    ///
    /// # Errors
    /// Fails when everything together would be heavier than the limit. Then the weight is as before.
    pub fn grow(&mut self, weight: usize) -> Result<(), Overweight> {
        let within = |sum: usize| sum.checked_add(weight).filter(|sum| *sum <= HEAVIEST_RUN);
        let added = KEPT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, within);
        added.map_err(|_| Overweight::Run)?;
        self.0 += weight;
        Ok(())
    }

    /// Takes over the weight of another part of the same thing.
    pub fn join(&mut self, mut other: Self) {
        self.0 += std::mem::take(&mut other.0);
    }

    /// The weight itself.
    pub fn get(&self) -> usize {
        self.0
    }
}

impl Clone for KeptWeight {
    /// A copy takes as much memory again, but copies of what was read are not refused.
    fn clone(&self) -> Self {
        KEPT.fetch_add(self.0, Ordering::Relaxed);
        Self(self.0)
    }
}

impl Drop for KeptWeight {
    fn drop(&mut self) {
        KEPT.fetch_sub(self.0, Ordering::Relaxed);
    }
}
