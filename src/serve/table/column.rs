//! Columns of tables, and how their cells are found.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::fields::{self, age_of, count, joined, list, number, or};

/// A column: its header, and how its cells are found.
pub(super) struct Column {
    pub(super) name: &'static str,
    /// Columns with 1 are shown by `-o wide` only.
    pub(super) priority: u8,
    source: CellSource,
}

/// How a cell is found.
pub(super) enum CellSource {
    Age,
    /// The text at a pointer, or another text if there is none.
    Text(&'static str, &'static str),
    /// The number at a pointer.
    Number(&'static str),
    /// The number of elements or fields at a pointer.
    Count(&'static str),
    /// The truth at a pointer, or a default.
    Truth(&'static str, bool),
    Computed(fn(&Value) -> String),
    Timed(fn(&Value, Timestamp) -> String),
    Sum(fn(&Value) -> i64),
}

impl Column {
    pub(super) const fn wide(mut self) -> Self {
        self.priority = 1;
        self
    }

    pub(super) fn data_type(&self) -> &'static str {
        match self.source {
            CellSource::Number(_) | CellSource::Count(_) | CellSource::Sum(_) => "integer",
            CellSource::Truth(..) => "boolean",
            _ => "string",
        }
    }

    pub(super) fn cell(&self, object: &Value, now: Timestamp) -> Value {
        match self.source {
            CellSource::Age => json!(age_of(object, "/metadata/creationTimestamp", now)),
            CellSource::Text(pointer, otherwise) => match object.pointer(pointer) {
                Some(Value::String(text)) => json!(or(text, otherwise)),
                Some(Value::Null) | None => json!(otherwise),
                Some(other) => json!(other.to_string()),
            },
            CellSource::Number(pointer) => json!(number(object, pointer)),
            CellSource::Count(pointer) => json!(count(object, pointer)),
            CellSource::Truth(pointer, otherwise) => {
                json!(object.pointer(pointer).and_then(Value::as_bool).unwrap_or(otherwise))
            }
            CellSource::Computed(compute) => json!(compute(object)),
            CellSource::Timed(compute) => json!(compute(object, now)),
            CellSource::Sum(compute) => json!(compute(object)),
        }
    }
}

/// Group, plural, and columns of a kind.
pub(super) type ColumnsOfKind = (&'static str, &'static str, &'static [Column]);

/// A column from any source.
pub(super) const fn column(name: &'static str, source: CellSource) -> Column {
    Column { name, priority: 0, source }
}

/// A column with the text at a pointer.
pub(super) const fn words(name: &'static str, pointer: &'static str, otherwise: &'static str) -> Column {
    column(name, CellSource::Text(pointer, otherwise))
}

/// A column with the number at a pointer.
pub(super) const fn integer(name: &'static str, pointer: &'static str) -> Column {
    column(name, CellSource::Number(pointer))
}

/// A column with the number of elements at a pointer.
pub(super) const fn amount(name: &'static str, pointer: &'static str) -> Column {
    column(name, CellSource::Count(pointer))
}

/// A column with the truth at a pointer.
pub(super) const fn truth(name: &'static str, pointer: &'static str, otherwise: bool) -> Column {
    column(name, CellSource::Truth(pointer, otherwise))
}

/// A column with a text that is computed from the object.
pub(super) const fn computed(name: &'static str, compute: fn(&Value) -> String) -> Column {
    column(name, CellSource::Computed(compute))
}

/// A column with a text that depends on the time.
pub(super) const fn timed(name: &'static str, compute: fn(&Value, Timestamp) -> String) -> Column {
    column(name, CellSource::Timed(compute))
}

pub(super) const NAME: Column = words("Name", "/metadata/name", "");
pub(super) const READY: Column = computed("Ready", |object| {
    format!("{}/{}", number(object, "/status/readyReplicas"), number(object, "/spec/replicas"))
});
pub(super) const AGE: Column = column("Age", CellSource::Age);
pub(super) const CONTAINERS: Column =
    computed("Containers", |object| joined(list(object, "/spec/template/spec/containers"), "/name")).wide();
pub(super) const IMAGES: Column =
    computed("Images", |object| joined(list(object, "/spec/template/spec/containers"), "/image")).wide();
pub(super) const SELECTOR: Column =
    computed("Selector", |object| fields::formatted_selector(object, "/spec/selector")).wide();
