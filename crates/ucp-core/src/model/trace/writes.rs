//! Writes of fields: `metadata.managedFields`, in the `FieldsV1` format of structured-merge-diff.

use std::cell::OnceCell;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::hidden::{hide, is_secret};
use super::request::{DeclarationKeeping, TraceRequest};
use crate::model::field_owner::is_element;
use crate::model::metadata::lenient_time;
use crate::model::path::{FieldPath, FieldPathStep};
use crate::model::weight::from_json;

/// The last write of one manager: which of its fields it changed then is only certain if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldWrite {
    /// Name of the field manager.
    pub manager: String,
    /// How it writes.
    pub operation: WriteOperation,
    /// Subresource that it wrote, such as `scale`; empty for the object itself.
    pub subresource: String,
    /// Time of the write.
    pub time: Timestamp,
    /// The first fields that it owns, without those of the status.
    pub fields: Vec<WrittenField>,
    /// Number of its other fields.
    pub more: usize,
}

/// How a manager writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum WriteOperation {
    /// Server-side apply.
    Apply,
    /// Create, update, or patch.
    #[serde(other)]
    Update,
}

/// A field that a manager owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenField {
    /// Path from the root of the object.
    pub path: Box<str>,
    /// Its present value, if it is short.
    pub value: Option<String>,
    /// The value that `kubectl apply` declared, if it differs.
    pub applied: Option<String>,
}

/// The highest number of fields that are listed: by name, and to compare them with another snapshot.
const MOST_FIELDS: usize = 3;
const MOST_COMPARED: usize = 12;
/// The highest number of keys of a write, and of elements of a list, that are looked at.
const MOST_KEYS: usize = 2_000;
const MOST_ELEMENTS: usize = 500;
/// The highest number of characters of a value.
const LONGEST_VALUE: usize = 120;
/// The annotation of `kubectl apply` with the declared object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WriteEntry {
    #[serde(default)]
    manager: String,
    operation: Option<WriteOperation>,
    #[serde(default)]
    subresource: String,
    #[serde(default, deserialize_with = "lenient_time")]
    time: Option<Timestamp>,
    #[serde(default)]
    fields_v1: Map<String, Value>,
}

/// Returns the writes of a period, without those of the status.
pub(super) fn writes(object: &Value, request: TraceRequest) -> Vec<FieldWrite> {
    let most = match request.declaration {
        DeclarationKeeping::Dropped => MOST_FIELDS,
        DeclarationKeeping::Kept => MOST_COMPARED,
    };
    let entries = object.pointer("/metadata/managedFields").and_then(Value::as_array);
    let entries = entries.into_iter().flatten().filter(|entry| {
        let time = entry.get("time").and_then(Value::as_str).and_then(|time| time.parse::<Timestamp>().ok());
        time.is_some_and(|time| time >= request.since)
            && entry.get("subresource").and_then(Value::as_str) != Some("status")
    });
    let values = WrittenValues { object, hidden: OnceCell::new() };
    let entries = entries.filter_map(|entry| WriteEntry::deserialize(entry).ok());
    entries.filter_map(|entry| values.write(entry, most)).collect()
}

/// The values of fields of an object.
struct WrittenValues<'a> {
    object: &'a Value,
    /// The object and the declaration of `kubectl apply`, with secrets hidden: copied only if a value is needed.
    hidden: OnceCell<(Value, Option<Value>)>,
}

impl WrittenValues<'_> {
    fn write(&self, entry: WriteEntry, most: usize) -> Option<FieldWrite> {
        let mut paths = Vec::new();
        collect_leaves(&entry.fields_v1, Some(self.object), &FieldPath::default(), &mut paths, &mut 0);
        paths.retain(|path| !path.starts_with(&["status"]));
        let time = entry.time?;
        // Of several fields, a value only matters if it differs from the declaration.
        let needs_values = paths.len() == 1 || self.applied_text().is_some_and(|_| paths.len() <= MOST_COMPARED);
        // A field that differs is listed first.
        let mut fields: Vec<WrittenField> =
            paths.iter().take(MOST_COMPARED).map(|path| self.field(path, needs_values)).collect();
        fields.sort_by_key(|field| field.applied.is_none());
        fields.truncate(most);
        let more = paths.len() - fields.len();
        let operation = entry.operation.unwrap_or(WriteOperation::Update);
        Some(FieldWrite { manager: entry.manager, operation, subresource: entry.subresource, time, fields, more })
    }

    fn applied_text(&self) -> Option<&str> {
        self.object.pointer("/metadata/annotations")?.get(LAST_APPLIED)?.as_str()
    }

    fn field(&self, path: &FieldPath, needs_values: bool) -> WrittenField {
        let text = path.to_string();
        if !needs_values || is_secret(self.object) || text.contains(LAST_APPLIED) {
            return WrittenField { path: text.into(), value: None, applied: None };
        }
        let (present, applied) = self.hidden.get_or_init(|| {
            let mut present = self.object.clone();
            let mut applied: Option<Value> = self.applied_text().and_then(|text| from_json(text.as_bytes()).ok());
            hide(&mut present);
            applied.iter_mut().for_each(hide);
            (present, applied)
        });
        let value = path.find(present).and_then(short_value);
        let applied = applied.as_ref().and_then(|applied| path.find(applied)).and_then(short_value);
        WrittenField { applied: applied.filter(|applied| Some(applied) != value.as_ref()), path: text.into(), value }
    }
}

/// Returns a value as text, if it is short.
pub fn short_value(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => return None,
        value => value.to_string(),
    };
    (text.chars().count() <= LONGEST_VALUE).then_some(text)
}

/// Collects the paths of a set of fields. The key of a list element becomes its index in the present value; an element
/// that is gone gets the path of its list.
///
/// Only the first keys and elements are looked at, so that a list of a stranger does not take the square of its length.
fn collect_leaves(
    set: &Map<String, Value>,
    value: Option<&Value>,
    path: &FieldPath,
    found: &mut Vec<FieldPath>,
    seen: &mut usize,
) {
    for (key, below) in set.iter().filter(|(key, _)| *key != ".") {
        *seen += 1;
        if *seen > MOST_KEYS {
            return;
        }
        let (path, value) = match key.strip_prefix("f:") {
            Some(name) => {
                (path.with_step(FieldPathStep::Field(name.to_owned())), value.and_then(|value| value.get(name)))
            }
            None => {
                let elements = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                let place = elements
                    .iter()
                    .take(MOST_ELEMENTS)
                    .enumerate()
                    .position(|(index, element)| is_element(key, index, element));
                match place {
                    Some(index) => (path.with_step(FieldPathStep::Element(index)), elements.get(index)),
                    None => (path.clone(), None),
                }
            }
        };
        match below.as_object().filter(|below| below.keys().any(|key| key != ".")) {
            Some(below) => collect_leaves(below, value, &path, found, seen),
            None if !found.contains(&path) => found.push(path),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn writes_today(object: &Value) -> Vec<FieldWrite> {
        let since = "2026-11-20T00:00:00Z".parse().unwrap();
        writes(object, TraceRequest { since, declaration: DeclarationKeeping::Kept })
    }

    #[test]
    fn a_write_has_the_present_and_the_applied_value() {
        let applied = json!({"spec": {"replicas": 3, "password": "canary"}}).to_string();
        let object = json!({
            "kind": "Deployment",
            "metadata": {"annotations": {LAST_APPLIED: applied}, "managedFields": [
                {"manager": "kubectl-edit", "operation": "Update", "time": "2026-11-20T03:00:00Z", "fieldsV1": {
                    "f:spec": {"f:replicas": {}, "f:password": {}, "f:list": {"k:{\"name\":\"b\"}": {".": {}, "f:image": {}}}},
                }},
                {"manager": "old", "operation": "Apply", "time": "2026-11-19T03:00:00Z", "fieldsV1": {"f:spec": {}}},
                {"manager": "controller", "operation": "Update", "subresource": "status", "time": "2026-11-20T04:00:00Z",
                 "fieldsV1": {"f:status": {"f:x": {}}}},
            ]},
            "spec": {"replicas": 0, "password": "canary2", "list": [{"name": "a"}, {"name": "b", "image": "x:2"}]},
        });
        let found = writes_today(&object);
        assert_eq!(found.len(), 1, "{found:?}");
        let field = |path: &str| found[0].fields.iter().find(|field| *field.path == *path).unwrap();
        assert_eq!(field("spec.replicas").value.as_deref(), Some("0"));
        assert_eq!(field("spec.replicas").applied.as_deref(), Some("3"));
        assert_eq!(field("spec.list[1].image").value.as_deref(), Some("x:2"));
        assert!(!format!("{found:?}").contains("canary"), "{found:?}");
    }

    #[test]
    fn values_of_secrets_are_never_part_of_a_write() {
        let object = json!({
            "kind": "Secret", "data": {"password": "Y2FuYXJ5"},
            "metadata": {"managedFields": [{"manager": "kubectl-edit", "operation": "Update",
                "time": "2026-11-20T03:00:00Z", "fieldsV1": {"f:data": {"f:password": {}}}}]},
        });
        let found = writes_today(&object);
        assert_eq!(&*found[0].fields[0].path, "data.password");
        assert_eq!(found[0].fields[0].value, None);
    }

    #[test]
    fn a_long_set_of_fields_is_not_compared_with_itself() {
        let fields: Map<String, Value> = (0..100_000).map(|number| (format!("f:{number}"), json!({}))).collect();
        let keys: Map<String, Value> =
            (0..100_000).map(|number| (format!("k:{{\"a\":{number}}}"), json!({}))).collect();
        let list: Vec<Value> = (0..100_000).map(|number| json!({"b": number})).collect();
        let entry = |fields: Value| json!({"manager": "m", "time": "2026-11-20T03:00:00Z", "fieldsV1": fields});
        for fields in [json!({"f:spec": fields}), json!({"f:list": keys})] {
            let found = writes_today(&json!({"metadata": {"managedFields": [entry(fields)]}, "list": list}));
            assert!(found[0].fields.len() <= MOST_COMPARED && found[0].more <= MOST_KEYS);
        }
    }

    #[test]
    fn malformed_entries_are_skipped() {
        for fields in [json!(null), json!([]), json!({"f:a": 7}), json!({"k:{": {}}), json!("x")] {
            let entry = json!({"manager": "m", "time": "2026-11-20T03:00:00Z", "fieldsV1": fields});
            writes_today(&json!({"metadata": {"managedFields": [entry, 7, null]}}));
        }
        assert!(writes_today(&json!({"metadata": {"managedFields": {"a": 1}}})).is_empty());
    }
}
