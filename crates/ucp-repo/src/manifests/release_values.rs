//! Values of a HelmRelease, merged from ConfigMaps, Secrets and inline values as helm-controller merges them
//! (`chartutil.ChartValuesFromReferences` of fluxcd/pkg).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use crate::manifests::merge::{MergeStep, merge_maps};
use crate::manifests::release_recipe::ValuesReference;
use ucp_client::source::snapshot::yaml;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::secrecy::register_secret_value;

/// Whether values are read from Secrets of a cluster. A chart can print a value in a form that is not recognized as secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretValues {
    /// They are used.
    Read,
    /// They are not read, and what depends on them is not rendered.
    Withheld,
}

/// The objects of `valuesFrom`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReferencedValues {
    /// The objects that were read; `None` for one that does not exist.
    pub objects: Vec<(ValuesReference, Option<Value>)>,
    /// The first Secret that was withheld.
    pub withheld: Option<String>,
}

/// Returns the merged values of ConfigMaps, Secrets, and inline values.
///
/// # Errors
/// Fails when a referenced value cannot be read or is not understood. The message never contains a value.
pub fn merge_values(references: &[(ValuesReference, Option<Value>)], inline: &Value) -> Result<Value, Failure> {
    let mut result = json!({});
    for (reference, object) in references {
        let name = format!("{} {}", reference.kind, reference.name);
        let key = reference.values_key.as_deref().unwrap_or("values.yaml");
        let Some(object) = object else {
            if reference.optional {
                continue;
            }
            return fail!("its values are in {name}, which was not found");
        };
        let text = match read_key(object, key) {
            Some(text) => text,
            None if reference.optional => continue,
            None => return fail!("its values are in key {key:?} of {name}, which has no such key"),
        };
        if let Some(path) = &reference.target_path {
            merge(&mut result, inline);
            if reference.kind == "Secret" {
                register_secret_value(path, text.as_bytes());
            }
            set_path(&mut result, path, &text, reference.literal)
                .map_err(|reason| format!("the value of {name} for {path} is not understood: {reason}"))?;
        } else {
            let values = yaml::parse_document(&name, text.as_bytes())?;
            if reference.kind == "Secret" {
                register_values("", &values);
            }
            merge(&mut result, &values);
        }
    }
    merge(&mut result, inline);
    Ok(result)
}

/// Returns the merge of several maps; later ones win.
pub fn merge_all(maps: &[Value]) -> Value {
    let mut result = json!({});
    maps.iter().for_each(|map| merge(&mut result, map));
    result
}

/// Returns the text of a key; of a Secret, decoded.
fn read_key(object: &Value, key: &str) -> Option<String> {
    let text = |place: &str| object.get(place)?.get(key)?.as_str().map(str::to_owned);
    if object.get("kind").and_then(Value::as_str) != Some("Secret") {
        return text("data");
    }
    let decoded = || BASE64.decode(text("data")?).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    text("stringData").or_else(decoded)
}

/// Hides every text of a Secret's values from now on.
fn register_values(name: &str, values: &Value) {
    match values {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| register_values(name, value)),
        Value::Array(items) => items.iter().for_each(|item| register_values(name, item)),
        Value::String(text) => register_secret_value(name, text.as_bytes()),
        Value::Number(number) => register_secret_value(name, number.to_string().as_bytes()),
        Value::Bool(_) | Value::Null => {}
    }
}

/// Merges maps; all other values are replaced.
fn merge(into: &mut Value, from: &Value) {
    merge_maps(into, from, |_, _| MergeStep::Set);
}

/// Sets one value as `helm --set` does, for the part of its syntax that sets exactly one.
fn set_path(values: &mut Value, path: &str, text: &str, is_literal: bool) -> Result<(), Failure> {
    if path.contains(['[', ']', ',', '=', '{', '}']) {
        return fail!("its path has an index or a list");
    }
    let quoted = |quote: char| text.len() > 1 && text.starts_with(quote) && text.ends_with(quote);
    let value = if is_literal {
        Value::String(text.to_owned())
    } else if text.contains([',', '\\', '[', '{']) {
        return fail!("it has characters with a meaning for 'helm --set'; set 'literal: true'");
    } else if quoted('\'') || quoted('"') {
        Value::String(text.trim_matches(['\'', '"']).to_owned())
    } else {
        typed(text)
    };
    let mut place = values;
    for part in split_path(path) {
        if !place.is_object() {
            *place = json!({});
        }
        place = &mut place[part];
    }
    *place = value;
    Ok(())
}

/// Splits a path at dots that are not escaped.
fn split_path(path: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = path.chars();
    while let Some(letter) = letters.next() {
        let last = parts.len() - 1;
        match letter {
            '\\' => parts[last].extend(letters.next()),
            '.' => parts.push(String::new()),
            letter => parts[last].push(letter),
        }
    }
    parts
}

/// Returns the value of a text as `strvals` types it.
fn typed(text: &str) -> Value {
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "null" => Value::Null,
        "0" => json!(0),
        text if text.starts_with('0') => Value::String(text.to_owned()),
        text => text.parse::<i64>().map_or_else(|_| Value::String(text.to_owned()), Value::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(kind: &str, target: Option<&str>) -> ValuesReference {
        ValuesReference {
            kind: kind.to_owned(),
            name: "x".to_owned(),
            target_path: target.map(str::to_owned),
            ..ValuesReference::default()
        }
    }

    fn config_map(text: &str) -> Option<Value> {
        Some(json!({"kind": "ConfigMap", "data": {"values.yaml": text}}))
    }

    #[test]
    fn later_values_take_precedence_and_maps_are_merged() {
        let references = [
            (reference("ConfigMap", None), config_map("a: {b: 1, c: 2}\nlist: [1, 2]\n")),
            (reference("ConfigMap", None), config_map("a: {c: 3}\nlist: [3]\n")),
        ];
        let merged = merge_values(&references, &json!({"a": {"b": null, "d": "x"}})).unwrap();
        assert_eq!(merged, json!({"a": {"b": null, "c": 3, "d": "x"}, "list": [3]}));
    }

    #[test]
    fn single_values_are_typed_and_inline_values_take_precedence() {
        let set = |path: &str, text: &str| {
            merge_values(&[(reference("ConfigMap", Some(path)), config_map(text))], &json!({"a": {"kept": 1}}))
        };
        assert_eq!(set("a.b", "12").unwrap(), json!({"a": {"kept": 1, "b": 12}}));
        assert_eq!(set("a.b", "'12'").unwrap(), json!({"a": {"kept": 1, "b": "12"}}));
        assert_eq!(set(r"x\.y", "007").unwrap(), json!({"a": {"kept": 1}, "x.y": "007"}));
        assert_eq!(set("a.kept", "2").unwrap(), json!({"a": {"kept": 1}}));
        assert!(set("a.list[0]", "1").is_err() && set("a.b", "1,c=2").is_err());
    }

    #[test]
    fn missing_values_are_an_error_unless_they_are_optional() {
        let missing = merge_values(&[(reference("Secret", None), None)], &json!({})).unwrap_err().to_string();
        assert!(missing.contains("Secret x") && missing.contains("not found"), "{missing}");
        let optional = ValuesReference { optional: true, ..reference("Secret", None) };
        assert_eq!(merge_values(&[(optional, None)], &json!({"a": 1})).unwrap(), json!({"a": 1}));
    }

    #[test]
    fn values_of_a_secret_are_decoded() {
        let secret = json!({"kind": "Secret", "data": {"values.yaml": BASE64.encode("password: canary-12345\n")}});
        let merged = merge_values(&[(reference("Secret", None), Some(secret))], &Value::Null).unwrap();
        assert_eq!(merged, json!({"password": "canary-12345"}));
    }
}
