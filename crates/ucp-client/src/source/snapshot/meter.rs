//! Limits the bytes of a document that are read before an object in it ends, and what the object takes in memory.

use std::cell::Cell;
use std::io::{self, Read};

use ucp_core::model::weight::Scale;

/// Counts the bytes that were read since the last object ended.
pub(super) struct Meter {
    since_last: Cell<usize>,
    total: Cell<usize>,
    limit: usize,
    scale: Scale,
}

impl Meter {
    pub(super) fn within(limit: usize) -> Self {
        Self { since_last: Cell::new(0), total: Cell::new(0), limit, scale: Scale::of_object() }
    }

    /// Resets the count after the end of an object.
    pub(super) fn restart(&self) {
        if !self.is_exceeded() {
            self.since_last.set(0);
            self.scale.restart();
        }
    }

    /// The scale for the present object.
    pub(super) fn scale(&self) -> &Scale {
        &self.scale
    }

    /// The bytes that were read from the whole document.
    pub(super) fn bytes(&self) -> usize {
        self.total.get()
    }

    pub(super) fn is_exceeded(&self) -> bool {
        self.since_last.get() > self.limit
    }

    /// The reason why the document was not read further.
    pub(super) fn complaint(&self) -> Option<String> {
        let by_bytes = self.is_exceeded().then(|| format!("an object in it is larger than {} MiB", self.limit >> 20));
        by_bytes.or_else(|| self.scale.overweight().map(|overweight| format!("an object in it: {overweight}")))
    }

    pub(super) fn read<R: Read>(&self, reader: R) -> Metered<'_, R> {
        Metered { reader, meter: self }
    }
}

/// A reader that fails if an object is too large.
pub(super) struct Metered<'a, R> {
    reader: R,
    meter: &'a Meter,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.meter.since_last.set(self.meter.since_last.get().saturating_add(read));
        self.meter.total.set(self.meter.total.get().saturating_add(read));
        match self.meter.is_exceeded() {
            true => Err(io::Error::new(io::ErrorKind::InvalidData, "an object is too large")),
            false => Ok(read),
        }
    }
}
