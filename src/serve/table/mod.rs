//! Tables, as kubectl requests them from a server. The columns of built-in kinds are those of `pkg/printers` in Kubernetes
//! (v1.36), those of custom kinds are in their definitions.

mod autoscaler;
mod builtin;
mod cells;
mod column;
mod fields;
mod pod;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::objects::ServedKind;
use builtin::columns_of;
use column::Column;
use fields::age_of;

/// What a row has besides its cells: `includeObject`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowObject {
    None,
    Metadata,
    Whole,
}

impl RowObject {
    pub(super) fn from_query(value: Option<&str>) -> Self {
        match value {
            Some("None") => Self::None,
            Some("Object") => Self::Whole,
            _ => Self::Metadata,
        }
    }

    fn content(self, object: &Value) -> Value {
        match self {
            Self::None => Value::Null,
            Self::Metadata => metadata_only(object),
            Self::Whole => object.clone(),
        }
    }
}

/// Returns an object with nothing but its metadata.
pub(super) fn metadata_only(object: &Value) -> Value {
    json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": object.get("metadata")})
}

/// Returns the table of objects of a kind; `metadata` is that of the list.
pub(super) fn table(served: &ServedKind, objects: &[&Value], now: Timestamp, row: RowObject, metadata: Value) -> Value {
    let columns = TableColumns::for_kind(served);
    let mut objects = objects.to_vec();
    if served.kind.plural == "flowschemas" {
        // `printFlowSchemaList` sorts them.
        objects.sort_by_key(|object| fields::number(object, "/spec/matchingPrecedence"));
    }
    let rows: Vec<_> = objects
        .iter()
        .map(|object| json!({"cells": columns.cells(object, now), "object": row.content(object)}))
        .collect();
    json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": columns.definitions(),
        "rows": rows,
    })
}

/// Where the columns of a kind come from.
enum TableColumns<'a> {
    Builtin(&'static [Column]),
    Custom(&'a super::custom_table::CustomTable),
    /// Those of a custom kind without a definition.
    Age,
    /// Those of a built-in kind without columns of its own.
    Created,
}

impl<'a> TableColumns<'a> {
    fn for_kind(served: &'a ServedKind) -> Self {
        let kind = &served.kind;
        if let Some(columns) = columns_of(&kind.group, &kind.plural) {
            return Self::Builtin(columns);
        }
        match &served.custom {
            Some(custom) => Self::Custom(custom),
            None if kind.group.is_empty() || !kind.group.contains('.') || kind.group.ends_with(".k8s.io") => {
                Self::Created
            }
            None => Self::Age,
        }
    }

    fn definitions(&self) -> Vec<Value> {
        let plain = |name: &str, of: &str, priority: u8| {
            let format = if name == "Name" { "name" } else { "" };
            json!({"name": name, "type": of, "format": format, "description": "", "priority": priority})
        };
        let name = || plain("Name", "string", 0);
        match self {
            Self::Builtin(columns) => {
                columns.iter().map(|column| plain(column.name, column.data_type(), column.priority)).collect()
            }
            Self::Custom(custom) => std::iter::once(name()).chain(custom.definitions()).collect(),
            Self::Age => vec![name(), plain("Age", "date", 0)],
            Self::Created => vec![name(), plain("Created At", "date", 0)],
        }
    }

    fn cells(&self, object: &Value, now: Timestamp) -> Vec<Value> {
        let name = || object.pointer("/metadata/name").cloned().unwrap_or_default();
        match self {
            Self::Builtin(columns) => columns.iter().map(|column| column.cell(object, now)).collect(),
            Self::Custom(custom) => std::iter::once(name()).chain(custom.cells(object, now)).collect(),
            Self::Age => vec![name(), json!(age_of(object, "/metadata/creationTimestamp", now))],
            Self::Created => vec![name(), object.pointer("/metadata/creationTimestamp").cloned().unwrap_or_default()],
        }
    }
}
