//! What a CustomResourceDefinition says about requests for its kinds: columns, selectable fields, and the schema.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::render::jsonpath::JsonPath;
use ucp_core::model::time::age;

/// The table of a custom kind.
pub(super) struct CustomTable {
    columns: Vec<CustomTableColumn>,
    /// Dotted paths, without the dot at their beginning.
    pub(super) selectable: Vec<String>,
    /// The OpenAPI schema, if it is in the definition.
    pub(super) schema: Option<Value>,
}

struct CustomTableColumn {
    definition: Value,
    path: Option<JsonPath>,
}

impl CustomTable {
    /// Returns the tables of a definition by the path of their kind, one for each version.
    pub(super) fn from_definition(definition: &Value) -> Vec<((String, String, String), Self)> {
        let text = |pointer| definition.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (group, plural) = (text("/spec/group"), text("/spec/names/plural"));
        let versions = definition.pointer("/spec/versions").and_then(Value::as_array);
        versions
            .into_iter()
            .flatten()
            .map(|version| {
                let name = version.get("name").and_then(Value::as_str).unwrap_or_default();
                ((group.clone(), name.to_owned(), plural.clone()), Self::from_version(version))
            })
            .collect()
    }

    fn from_version(version: &Value) -> Self {
        let list = |field: &str| version.get(field).and_then(Value::as_array).cloned().unwrap_or_default();
        let mut columns = list("additionalPrinterColumns");
        if columns.is_empty() {
            // As the API server does.
            columns.push(json!({"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}));
        }
        let path_of = |field: &Value| {
            let path = field.get("jsonPath").and_then(Value::as_str)?;
            Some(path.trim_start_matches('.').to_owned())
        };
        Self {
            columns: columns.into_iter().map(CustomTableColumn::from_definition).collect(),
            selectable: list("selectableFields").iter().filter_map(path_of).collect(),
            schema: version.pointer("/schema/openAPIV3Schema").cloned(),
        }
    }

    /// Returns the definitions of the columns after the name.
    pub(super) fn definitions(&self) -> impl Iterator<Item = Value> {
        self.columns.iter().map(|column| column.definition.clone())
    }

    /// Returns the cells of an object after its name.
    pub(super) fn cells(&self, object: &Value, now: Timestamp) -> impl Iterator<Item = Value> {
        self.columns.iter().map(move |column| column.cell(object, now))
    }
}

impl CustomTableColumn {
    fn from_definition(column: Value) -> Self {
        let path = column.get("jsonPath").and_then(Value::as_str);
        let of = |field: &str| column.get(field).cloned().unwrap_or_else(|| json!(""));
        let definition = json!({
            "name": of("name"),
            "type": of("type"),
            "format": of("format"),
            "description": of("description"),
            "priority": column.get("priority").cloned().unwrap_or_else(|| json!(0)),
        });
        Self { definition, path: path.and_then(|path| JsonPath::parse(path).ok()) }
    }

    /// Returns a cell as `cellForJSONValue` of apiextensions-apiserver does.
    fn cell(&self, object: &Value, now: Timestamp) -> Value {
        let found = self.path.as_ref().and_then(|path| path.find(object).ok()?.into_iter().next());
        let Some(value) = found.map(std::borrow::Cow::into_owned) else { return Value::Null };
        match self.definition["type"].as_str().unwrap_or_default() {
            "string" => match value {
                Value::String(_) => value,
                Value::Null => Value::Null,
                other => Value::from(other.to_string()),
            },
            "integer" => value.as_i64().or_else(|| value.as_f64().map(|number| number as i64)).into(),
            "number" => value.as_f64().into(),
            "boolean" => value.as_bool().into(),
            "date" => match value.as_str() {
                Some(text) => text.parse().map_or(json!("<invalid>"), |then| json!(age(then, now))),
                None => Value::Null,
            },
            _ => Value::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_follow_the_types_of_the_columns() {
        let column = |name: &str, of: &str, path: &str| json!({"name": name, "type": of, "jsonPath": path});
        let definition = json!({"spec": {"group": "x.io", "names": {"plural": "things"}, "versions": [{
            "name": "v1",
            "additionalPrinterColumns": [
                column("READY", "string", ".status.conditions[?(@.type=='Ready')].status"),
                column("SIZE", "integer", ".spec.size"),
                column("LABELS", "string", ".spec.labels"),
                column("WRONG", "integer", ".spec.labels"),
                column("AGE", "date", ".metadata.creationTimestamp"),
                column("NEVER", "date", ".spec.never"),
            ],
        }]}});
        let object = json!({
            "metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"size": 3, "labels": {"b": "1", "a": "2"}},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        });
        let (path, table) = CustomTable::from_definition(&definition).remove(0);
        assert_eq!(path, ("x.io".to_owned(), "v1".to_owned(), "things".to_owned()));
        let now = "2026-01-01T00:05:00Z".parse().unwrap();
        let cells: Vec<_> = table.cells(&object, now).collect();
        assert_eq!(json!(cells), json!(["True", 3, "{\"a\":\"2\",\"b\":\"1\"}", null, "5m", null]));
    }
}
