//! Weighs one value while it is parsed.

use std::cell::Cell;

use super::limit::{HEAVIEST_DOCUMENT, HEAVIEST_OBJECT, Overweight};
use super::node_memory::PER_BYTE;

/// The weight of a value so far, and its limit.
#[derive(Debug)]
pub struct Scale {
    weight: Cell<usize>,
    nodes: Cell<usize>,
    limit: usize,
    overweight: Cell<Option<Overweight>>,
}

impl Scale {
    /// A scale for one object.
    pub fn of_object() -> Self {
        Self::within(HEAVIEST_OBJECT)
    }

    /// A scale for a document of this length with any number of objects.
    pub fn of_document(length: usize) -> Self {
        Self::within(length.saturating_mul(PER_BYTE).clamp(HEAVIEST_OBJECT, HEAVIEST_DOCUMENT))
    }

    pub(super) fn within(limit: usize) -> Self {
        Self { weight: Cell::new(0), nodes: Cell::new(0), limit, overweight: Cell::new(None) }
    }

    /// Adds to the weight.
    ///
    /// # Errors
    /// Fails when the value is heavier than its limit.
    pub fn add(&self, weight: usize) -> Result<(), Overweight> {
        let sum = self.weight.get().saturating_add(weight);
        self.weight.set(sum);
        if sum > self.limit {
            let overweight = Overweight::Object { mebibytes: self.limit >> 20 };
            self.overweight.set(Some(overweight));
            return Err(overweight);
        }
        Ok(())
    }

    pub(super) fn count_node(&self) {
        self.nodes.set(self.nodes.get().saturating_add(1));
    }

    /// The weight of the value.
    pub fn weight(&self) -> usize {
        self.weight.get()
    }

    /// The number of values in it that were read, over all restarts.
    pub fn nodes(&self) -> usize {
        self.nodes.get()
    }

    /// The limit that was exceeded, if any.
    pub fn overweight(&self) -> Option<Overweight> {
        self.overweight.get()
    }

    /// Begins with the next value.
    pub fn restart(&self) {
        self.weight.set(0);
    }
}
