//! Estimates the result of a change that the server rejected.

use serde_json::Value;

/// Returns the live object overlaid with the manifest. List elements are matched by name.
pub fn overlay(live: &Value, manifest: &Value) -> Value {
    match (live, manifest) {
        (Value::Object(live), Value::Object(declared)) => {
            let mut fields = live.clone();
            for (name, value) in declared {
                let value = live.get(name).map_or_else(|| value.clone(), |live| overlay(live, value));
                fields.insert(name.clone(), value);
            }
            Value::Object(fields)
        }
        (Value::Array(live), Value::Array(declared)) => {
            let same_name = |value: &Value| {
                let name = value.get("name")?;
                live.iter().find(|known| known.get("name") == Some(name))
            };
            let merged = declared
                .iter()
                .map(|value| same_name(value).map_or_else(|| value.clone(), |live| overlay(live, value)));
            Value::Array(merged.collect())
        }
        (_, declared) => declared.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn defaults_are_kept_and_declared_fields_take_precedence() {
        let live = json!({"a": 1, "defaulted": true, "list": [{"name": "x", "image": "1", "policy": "Always"}, {"name": "y"}]});
        let manifest = json!({"a": 2, "list": [{"name": "x", "image": "2"}]});
        assert_eq!(
            overlay(&live, &manifest),
            json!({"a": 2, "defaulted": true, "list": [{"name": "x", "image": "2", "policy": "Always"}]})
        );
    }
}
