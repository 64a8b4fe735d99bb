//! Limits the bytes of a document that are read before an object in it ends.

use std::cell::Cell;
use std::io::{self, Read};

/// Counts the bytes that were read since the last object ended.
pub(super) struct Meter {
    since_last: Cell<usize>,
    limit: usize,
}

impl Meter {
    pub(super) fn within(limit: usize) -> Self {
        Self { since_last: Cell::new(0), limit }
    }

    /// Resets the count after the end of an object.
    pub(super) fn restart(&self) {
        if !self.is_exceeded() {
            self.since_last.set(0);
        }
    }

    pub(super) fn is_exceeded(&self) -> bool {
        self.since_last.get() > self.limit
    }

    /// The reason why the document was not read further.
    pub(super) fn complaint(&self) -> Option<String> {
        self.is_exceeded().then(|| format!("an object in it is larger than {} MiB", self.limit >> 20))
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
        match self.meter.is_exceeded() {
            true => Err(io::Error::new(io::ErrorKind::InvalidData, "an object is too large")),
            false => Ok(read),
        }
    }
}
