//! Schemas of the fields of a CRD's objects, and the server's rules for them: defaults, pruning, and validation. Source
//! of the rules: `apiextensions-apiserver/pkg/apiserver/schema` of Kubernetes 1.36.

mod bounds;
mod defaults;
mod node;
mod pruning;
mod rules;
mod validity;
mod walk;

use serde_json::Value;

pub use defaults::FilledInDefaults;
pub use node::SchemaNode;
pub use validity::ValidationReport;

/// Returns the schema of a version in its CRD.
pub fn schema_in<'crd>(crd: &'crd Value, version: &str) -> Option<&'crd Value> {
    let mut versions = crd.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten();
    let is_version = |found: &&Value| found.get("name").and_then(Value::as_str) == Some(version);
    versions.find(is_version)?.pointer("/schema/openAPIV3Schema")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn descriptions_state_defaults() {
        for (description, default) in [
            ("Whether it is. Defaults to `true`.", Some("true")),
            ("The days. Default is 7.", Some("7")),
            ("The class. Defaults to \"STANDARD\". Valid values are…", Some("STANDARD")),
            ("Defaults to true if the engine is aurora.", None),
            ("Defaults to the provider region.", None),
            ("The name.", None),
        ] {
            let stated = node::stated_default(description).filter(|word| word != "the");
            assert_eq!(stated.as_deref(), default, "{description}");
        }
        let schema = json!({"type": "boolean", "description": "Defaults to `true`."});
        assert!(
            SchemaNode::new(&schema).is_default(&json!(true)) && !SchemaNode::new(&schema).is_default(&json!(false))
        );
    }

    #[test]
    fn texts_are_parsed_as_the_type_of_their_field() {
        let of = |kind: &str, text: &str| SchemaNode::new(&json!({"type": kind})).parse_value(text);
        assert_eq!(of("string", "7"), Ok(json!("7")));
        assert_eq!(of("integer", "7"), Ok(json!(7)));
        assert_eq!(of("boolean", "true"), Ok(json!(true)));
        assert_eq!(of("array", "[\"a\"]"), Ok(json!(["a"])));
        assert!(of("integer", "7.5").is_err() && of("boolean", "yes").is_err());
    }
}
