//! Traces that changes left in an object: the writers of its fields, and the records that its controller keeps.
//!
//! Whole objects would take several times the memory. Only the traces since a given time are kept.

mod cache;
mod hidden;
mod object_trace;
mod record;
mod references;
mod request;
mod writes;

pub use cache::TraceCache;
pub use object_trace::{ObjectTrace, is_revision};
pub use request::{DeclarationKeeping, TraceRequest};
pub use writes::short_value;
pub use writes::{FieldWrite, WriteOperation, WrittenField};

use serde_json::Value;

use crate::model::weight::from_json;

/// Returns a declaration after a function has hidden its secrets.
pub fn declared_value(declaration: &str, hide: impl FnOnce(&mut Value)) -> Value {
    let mut value = from_json(declaration.as_bytes()).unwrap_or_default();
    hide(&mut value);
    value
}
