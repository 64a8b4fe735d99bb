//! The schema of a kind as far as its objects show it: their fields, and the types of the values.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::render::words::count;

/// Fields whose keys are data and not names of fields.
const MAPS: [&str; 14] = [
    "annotations",
    "binaryData",
    "capacity",
    "allocatable",
    "data",
    "labels",
    "limits",
    "matchLabels",
    "nodeSelector",
    "patternProperties",
    "properties",
    "requests",
    "selector",
    "stringData",
];

/// The values at one place of several objects.
#[derive(Default)]
pub(super) struct ObservedValues {
    count: usize,
    types: BTreeSet<&'static str>,
    fields: BTreeMap<String, ObservedValues>,
    /// The elements of all lists.
    elements: Option<Box<ObservedValues>>,
    /// True if the keys are data, as those of labels are.
    is_map: bool,
}

impl ObservedValues {
    /// Collects what objects of one kind have.
    pub(super) fn from_objects<'a>(objects: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut observed = Self::default();
        objects.into_iter().for_each(|object| observed.add(object));
        observed
    }

    fn add(&mut self, value: &Value) {
        let type_name = match value {
            // A field without a value has no type.
            Value::Null => return,
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        self.count += 1;
        self.types.insert(type_name);
        match value {
            Value::Array(elements) => {
                let observed = self.elements.get_or_insert_default();
                elements.iter().for_each(|element| observed.add(element));
            }
            Value::Object(fields) => {
                for (name, field) in fields {
                    self.is_map |= !is_field_name(name);
                    let observed = self.fields.entry(name.clone()).or_default();
                    observed.is_map |= MAPS.contains(&name.as_str());
                    observed.add(field);
                }
            }
            _ => {}
        }
    }

    /// Takes the values at another place as values at this one.
    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.types.extend(&other.types);
        self.is_map |= other.is_map;
        for (name, field) in &other.fields {
            self.fields.entry(name.clone()).or_default().merge(field);
        }
        if let Some(elements) = &other.elements {
            self.elements.get_or_insert_default().merge(elements);
        }
    }

    /// Returns the OpenAPI schema.
    pub(super) fn schema(&self) -> Value {
        let mut schema = Map::new();
        match self.types.iter().copied().collect::<Vec<_>>().as_slice() {
            [] => {}
            [only] => _ = schema.insert("type".to_owned(), json!(only)),
            ["integer", "number"] => _ = schema.insert("type".to_owned(), json!("number")),
            ["integer", "string"] => _ = schema.insert("x-kubernetes-int-or-string".to_owned(), json!(true)),
            _ => _ = schema.insert("x-kubernetes-preserve-unknown-fields".to_owned(), json!(true)),
        }
        if let Some(elements) = &self.elements {
            schema.insert("items".to_owned(), elements.schema());
        }
        if self.is_map {
            let mut values = Self::default();
            self.fields.values().for_each(|field| values.merge(field));
            schema.insert("additionalProperties".to_owned(), values.schema());
        } else if !self.fields.is_empty() {
            let field = |(name, field): (&String, &Self)| {
                let mut schema = field.schema();
                schema["description"] =
                    json!(format!("Set in {} of {} in the snapshot.", field.count, count(self.count, "places")));
                (name.clone(), schema)
            };
            schema.insert("properties".to_owned(), self.fields.iter().map(field).collect::<Map<_, _>>().into());
        }
        schema.into()
    }
}

/// Returns true if a definition may give a field this name. Other keys are data.
fn is_field_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_all_objects_are_merged_into_a_schema() {
        let observed = ObservedValues::from_objects(&[
            json!({"spec": {"size": 3, "zone": "a", "ports": [{"port": 80}]}, "metadata": {"labels": {"team": "x"}}}),
            json!({"spec": {"size": 1.5, "port": "http", "ports": [], "gone": null}}),
            json!({"spec": {"port": 80, "ports": [{"name": "web"}], "hosts": {"a.example.org": {"weight": 1}}}}),
        ]);
        let set = |of: &str, count: usize, all: usize| json!({"type": of, "description": format!("Set in {count} of {all} places in the snapshot.")});
        let schema = observed.schema();
        let spec = &schema["properties"]["spec"];
        assert_eq!(spec["description"], "Set in 3 of 3 places in the snapshot.");
        assert_eq!(spec["properties"]["size"], set("number", 2, 3));
        assert_eq!(spec["properties"]["zone"], set("string", 1, 3));
        assert_eq!(spec["properties"]["port"]["x-kubernetes-int-or-string"], true);
        assert_eq!(spec["properties"]["gone"].get("type"), None);
        let element = &spec["properties"]["ports"]["items"];
        assert_eq!(element["properties"], json!({"name": set("string", 1, 2), "port": set("integer", 1, 2)}));
        let hosts = &spec["properties"]["hosts"];
        let weight = &hosts["additionalProperties"]["properties"]["weight"];
        assert_eq!(*weight, json!({"type": "integer", "description": "Set in 1 of 1 place in the snapshot."}));
        let labels = &schema["properties"]["metadata"]["properties"]["labels"];
        assert_eq!(labels["additionalProperties"], json!({"type": "string"}));
        assert!(labels.get("properties").is_none() && hosts.get("properties").is_none(), "keys are data");
    }
}
