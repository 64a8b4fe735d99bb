//! The traces of one object.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::hidden::{hide, is_secret};
use super::request::{DeclarationKeeping, TraceRequest};
use super::writes::{FieldWrite, WrittenField};
use super::{record, writes};
use crate::model::weight::{weight_of, weight_of_text};

/// Traces that changes left in one object. Secrets in them are hidden.
#[derive(Debug, Default)]
pub struct ObjectTrace {
    /// Writes of fields, as recorded in `metadata.managedFields`.
    pub writes: Vec<FieldWrite>,
    /// The part of the object with records of the past, in the object's own structure; null if there is none.
    pub record: Value,
    /// Everything but metadata and status as JSON, with secrets: pass it to [`super::declared_value`]. Revisions always have it, because
    /// the difference between two of them is what changed.
    pub declaration: Option<Box<str>>,
    /// True if the object has a record of its writers. `kubectl get` leaves it out.
    pub has_writers: bool,
    is_used: AtomicBool,
}

impl ObjectTrace {
    /// Reads the traces of an object. Returns `None` if there are none.
    pub fn from_object(object: &Value, request: TraceRequest) -> Option<Self> {
        let mut record = record::recorded_part(object);
        hide(&mut record);
        let trace = Self {
            writes: writes::writes(object, request),
            record,
            declaration: match request.declaration {
                DeclarationKeeping::Kept => declaration(object),
                DeclarationKeeping::Dropped => declaration_of_revision(object),
            },
            has_writers: has_writers(object),
            is_used: AtomicBool::new(false),
        };
        let is_empty =
            !trace.has_writers && trace.writes.is_empty() && trace.record.is_null() && trace.declaration.is_none();
        (!is_empty).then_some(trace)
    }

    /// Returns true at the first call: the same object of several snapshots shares its trace.
    pub fn is_first_use(&self) -> bool {
        !self.is_used.swap(true, Ordering::Relaxed)
    }

    /// What it takes in memory.
    pub fn weight(&self) -> usize {
        let of_field = |field: &WrittenField| {
            let values = field.value.iter().chain(&field.applied);
            weight_of_text(&field.path)
                + values.map(|value| weight_of_text(value)).sum::<usize>()
                + size_of::<WrittenField>()
        };
        let of_write = |write: &FieldWrite| {
            let names = weight_of_text(&write.manager) + weight_of_text(&write.subresource);
            names + write.fields.iter().map(of_field).sum::<usize>() + size_of::<FieldWrite>()
        };
        let writes: usize = self.writes.iter().map(of_write).sum();
        writes + weight_of(&self.record) + self.declaration.as_deref().map_or(0, weight_of_text)
    }
}

/// Returns the declaration of an object as JSON, with its kind, which decides about its secrets. Values of Secrets are
/// never kept.
fn declaration(object: &Value) -> Option<Box<str>> {
    let fields = object.as_object()?;
    if is_secret(object) {
        return None;
    }
    let kept = fields.iter().filter(|(key, _)| !matches!(key.as_str(), "metadata" | "status" | "apiVersion"));
    let kept: serde_json::Map<String, Value> = kept.map(|(key, value)| (key.clone(), value.clone())).collect();
    serde_json::to_string(&kept).ok().map(String::into_boxed_str)
}

/// Returns the declaration of a revision, unless it is too large to keep those of all revisions.
fn declaration_of_revision(object: &Value) -> Option<Box<str>> {
    let is_package = object.get("apiVersion")?.as_str()?.starts_with("pkg.");
    // The images of a package are enough.
    if !is_revision(object.get("kind")?.as_str()?) || is_package {
        return None;
    }
    declaration(object).filter(|text| text.len() <= LARGEST_REVISION)
}

/// The largest declaration of a revision that is kept.
const LARGEST_REVISION: usize = 32 << 10;

/// Returns true for the name of a kind whose objects are the revisions of others.
pub fn is_revision(kind: &str) -> bool {
    kind == "ReplicaSet" || (kind.len() > "Revision".len() && kind.ends_with("Revision"))
}

pub(super) fn has_writers(object: &Value) -> bool {
    object.pointer("/metadata/managedFields").and_then(Value::as_array).is_some_and(|all| !all.is_empty())
}
