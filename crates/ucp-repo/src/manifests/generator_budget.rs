//! Limits of the generators of one ApplicationSet. A few lines with nested generators can multiply to more parameter sets
//! than any memory holds, and Argo CD itself has no limit.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::manifests::reach::RenderError;

/// Maximum nesting of generators: Argo CD's own limit is one generator in a matrix or merge in a matrix or merge.
pub(super) const DEEPEST: usize = 3;
/// Maximum number of parameter sets, including those that are combined to others.
const MOST_SETS: usize = 50_000;
/// Maximum size of all parameter sets and Applications together, in bytes.
const MOST_BYTES: usize = 128 << 20;
/// Time limit, in multiples of that of one renderer: a generator may run several.
const RENDERERS: u32 = 10;

/// Counts what the generators of one ApplicationSet produce.
#[derive(Debug)]
pub struct GeneratorBudget {
    sets: AtomicUsize,
    bytes: AtomicUsize,
    begin: Instant,
    limit: Duration,
}

impl GeneratorBudget {
    /// Creates a budget. `timeout` is the time limit for one renderer.
    pub(super) fn new(timeout: Duration) -> Self {
        Self {
            sets: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            begin: Instant::now(),
            limit: timeout.saturating_mul(RENDERERS),
        }
    }

    /// Adds a parameter set.
    ///
    /// # Errors
    /// Fails when there are too many, or when their size or their time exceeds its limit.
    pub(super) fn add_set(&self, set: &Value) -> Result<(), RenderError> {
        if self.sets.fetch_add(1, Ordering::Relaxed) >= MOST_SETS {
            return Err(exceeded(&format!("more than {MOST_SETS} parameter sets")));
        }
        self.add_bytes(size(set))
    }

    /// Adds the size of something that is about to be made, in bytes.
    ///
    /// # Errors
    /// Fails when the sum or the time exceeds its limit.
    pub(super) fn add_bytes(&self, bytes: usize) -> Result<(), RenderError> {
        let before = self.bytes.fetch_add(bytes.min(MOST_BYTES), Ordering::Relaxed);
        if before.saturating_add(bytes) > MOST_BYTES {
            return Err(exceeded(&format!("more than {} MiB", MOST_BYTES >> 20)));
        }
        self.check_time()
    }

    /// Fails when the time is over.
    ///
    /// # Errors
    /// Fails when it is.
    pub(super) fn check_time(&self) -> Result<(), RenderError> {
        match self.begin.elapsed() > self.limit {
            true => Err(exceeded(&format!("Applications for longer than {}s", self.limit.as_secs()))),
            false => Ok(()),
        }
    }
}

fn exceeded(what: &str) -> RenderError {
    RenderError::Unsupported(format!("its generators produce {what}"))
}

/// Returns the approximate size of a value in memory.
pub(super) fn size(value: &Value) -> usize {
    let own = size_of::<Value>();
    own + match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(fields) => fields.iter().map(|(key, value)| own + key.len() + size(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}
