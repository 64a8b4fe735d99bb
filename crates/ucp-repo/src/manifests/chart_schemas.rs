//! Schemas of a chart's values. helm loads what they refer to: files of this machine, and URLs.

use std::io::{self, Read};
use std::path::Path;

use serde_json::Value;

use crate::manifests::chart_content::visit_files;

/// Name of a schema in a chart.
const SCHEMA: &str = "values.schema.json";
/// Size limit: larger schemas are not checked.
const LARGEST: u64 = 4 << 20;
/// Keywords that name another schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Returns the first reference of a chart's schemas, or of those of the charts in it, that leads out of its schema; `None` if
/// there is none.
///
/// # Errors
/// Fails when the chart or a schema cannot be read.
pub(super) fn foreign_reference(chart: &Path) -> io::Result<Option<String>> {
    let mut found = None;
    visit_files(chart, &mut |name, content| {
        if found.is_none() && name.rsplit(['/', '\\']).next() == Some(SCHEMA) {
            let mut text = Vec::new();
            content.take(LARGEST + 1).read_to_end(&mut text)?;
            let schema =
                parse(&text).ok_or_else(|| io::Error::other(format!("{name} is no schema that can be checked")))?;
            found = reference_in(&schema);
        }
        Ok(())
    })?;
    Ok(found)
}

fn parse(text: &[u8]) -> Option<Value> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    if text.len() as u64 > LARGEST { None } else { serde_json::from_slice(text).ok() }
}

fn reference_in(schema: &Value) -> Option<String> {
    match schema {
        Value::Object(fields) => fields.iter().find_map(|(name, value)| match value {
            Value::String(target) if REFERENCES.contains(&name.as_str()) && !target.starts_with('#') => {
                Some(target.clone())
            }
            Value::String(draft) if name == "$schema" && !is_published(draft) => Some(draft.clone()),
            value => reference_in(value),
        }),
        Value::Array(items) => items.iter().find_map(reference_in),
        _ => None,
    }
}

/// Returns true for the drafts of JSON Schema, which helm has built in.
fn is_published(draft: &str) -> bool {
    let place = draft.strip_prefix("https://").or_else(|| draft.strip_prefix("http://")).unwrap_or_default();
    let place = place.trim_end_matches('#');
    let versions = ["draft-04", "draft-06", "draft-07", "draft/2019-09", "draft/2020-12"];
    place == "json-schema.org/schema"
        || versions.iter().any(|version| place == format!("json-schema.org/{version}/schema"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifests::chart_content::tests::archive;
    use serde_json::json;

    fn reference(schema: &Value) -> Option<String> {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(SCHEMA), schema.to_string()).unwrap();
        foreign_reference(directory.path()).unwrap()
    }

    #[test]
    fn references_within_a_schema_are_not_foreign() {
        for schema in [
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/a"}),
            json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://h/x", "$dynamicRef": "#a"}),
            json!({"properties": {"$ref": {"type": "string"}, "$schema": {"$ref": "#/$defs/x"}}}),
            json!(true),
        ] {
            assert_eq!(reference(&schema), None, "{schema}");
        }
    }

    #[test]
    fn references_to_files_and_servers_are_found() {
        for target in ["file:///etc/shadow", "http://127.0.0.1:9000/x", "other.json#/a", "", "HTTPS://h/x"] {
            for schema in [
                json!({ "$ref": target }),
                json!({"properties": {"a": {"anyOf": [true, {"$dynamicRef": target}]}}}),
                json!({"items": [[{"$recursiveRef": target}]]}),
                json!({"$defs": {"a": {"$schema": target}}}),
            ] {
                assert_eq!(reference(&schema).as_deref(), Some(target), "{schema}");
            }
        }
        assert!(reference(&json!({"$schema": "http://json-schema.org@127.0.0.1/draft-07/schema#"})).is_some());
    }

    #[test]
    fn schemas_are_found_in_every_chart_of_a_chart() {
        let (directory, hostile) = (tempfile::tempdir().unwrap(), json!({"$ref": "file:///x"}).to_string());
        let inner = archive(r"sub/a\values.schema.json", hostile.as_bytes());
        let outer = archive("web/charts/sub-1.0.0.tgz", &inner);
        std::fs::create_dir(directory.path().join("charts")).unwrap();
        std::fs::write(directory.path().join("charts/web.tgz"), &outer).unwrap();
        assert_eq!(foreign_reference(directory.path()).unwrap().as_deref(), Some("file:///x"));
        assert_eq!(foreign_reference(&directory.path().join("charts/web.tgz")).unwrap().as_deref(), Some("file:///x"));
    }

    #[test]
    fn an_invalid_schema_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let deep = "[".repeat(1000) + &"]".repeat(1000);
        for text in ["{", "{\"a\": \"\\ud800\"}", &deep, &" ".repeat(5 << 20)] {
            std::fs::write(directory.path().join(SCHEMA), text).unwrap();
            assert!(foreign_reference(directory.path()).is_err());
        }
        std::fs::write(directory.path().join(SCHEMA), "\u{feff}{\"$ref\": \"x\"}").unwrap();
        assert!(foreign_reference(directory.path()).unwrap().is_some());
    }
}
