//! Nodes of an OpenAPI schema.

use std::collections::BTreeSet;

use serde_json::Value;

use ucp_core::failure::Failure;
use ucp_core::model::path::{FieldPath, FieldPathStep};

pub(super) static NOTHING: Value = Value::Null;

/// A node of an OpenAPI schema.
#[derive(Debug, Clone, Copy)]
pub struct SchemaNode<'a>(pub(super) &'a Value);

impl<'a> SchemaNode<'a> {
    /// The schema of a value about which nothing is known.
    pub const ANY: SchemaNode<'static> = SchemaNode(&NOTHING);

    /// Creates the root node from `openAPIV3Schema`.
    pub fn new(schema: &'a Value) -> Self {
        Self(schema)
    }

    /// Returns the schema of a field.
    pub fn field(self, name: &str) -> Option<Self> {
        self.declared_field(name).or_else(|| self.map_values())
    }

    /// Returns the schema of a field that is declared by name.
    pub(super) fn declared_field(self, name: &str) -> Option<Self> {
        self.0.get("properties")?.get(name).map(Self)
    }

    /// Returns the schema at a path of fields.
    pub fn field_at(self, way: &[&str]) -> Option<Self> {
        way.iter().try_fold(self, |schema, name| schema.field(name))
    }

    /// Returns true if an object may have a field at this path.
    pub fn declares(self, path: &FieldPath) -> bool {
        let mut node = self;
        for (depth, step) in path.0.iter().enumerate() {
            let next = match step {
                // The server knows its fields.
                FieldPathStep::Field(name) if depth == 0 && name == "metadata" => return true,
                FieldPathStep::Field(name) => node.field(name),
                FieldPathStep::Element(_) => node.items(),
            };
            match next {
                Some(next) => node = next,
                None => return node.is_open() && node.0.get("items").is_none(),
            }
        }
        true
    }

    /// Returns all declared fields.
    pub fn fields(self) -> impl Iterator<Item = (&'a str, Self)> {
        let fields = self.0.get("properties").and_then(Value::as_object);
        fields.into_iter().flatten().map(|(name, schema)| (name.as_str(), Self(schema)))
    }

    /// Returns the fields that the server requires in every object.
    pub fn required(self) -> BTreeSet<&'a str> {
        let names = self.0.get("required").and_then(Value::as_array);
        names.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Returns the schema of a list's elements.
    pub fn items(self) -> Option<Self> {
        self.0.get("items").map(Self)
    }

    /// Returns true if its fields are not declared: any field is allowed.
    pub fn is_open(self) -> bool {
        self.keeps_unknown_fields()
            || self.0.get("additionalProperties").is_some()
            || self.0.get("properties").is_none()
    }

    pub(super) fn is_marked(self, extension: &str) -> bool {
        self.0.get(extension) == Some(&Value::Bool(true))
    }

    /// Returns true if undeclared fields are kept.
    pub(super) fn keeps_unknown_fields(self) -> bool {
        self.is_marked("x-kubernetes-preserve-unknown-fields")
    }

    /// Returns the schema of the values of a map, if its keys are free and its values have a schema.
    pub(super) fn map_values(self) -> Option<Self> {
        self.0.get("additionalProperties").filter(|values| values.is_object()).map(Self)
    }

    /// Returns true if the value may be null.
    pub(super) fn is_nullable(self) -> bool {
        self.is_marked("nullable")
    }

    /// Returns true if nothing is known about the value.
    pub fn is_any(self) -> bool {
        self.0.is_null()
    }

    /// Returns true if the value is a complete Kubernetes object.
    pub fn is_embedded_object(self) -> bool {
        self.is_marked("x-kubernetes-embedded-resource")
    }

    /// Returns the `type`.
    pub fn type_name(self) -> &'a str {
        self.0.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the default that the server fills in.
    pub fn default_value(self) -> Option<&'a Value> {
        self.0.get("default")
    }

    /// Returns true if a value equals the default: the schema's, or the one in the description, which upjet copies from
    /// Terraform's documentation.
    pub fn is_default(self, value: &Value) -> bool {
        if self.default_value() == Some(value) {
            return true;
        }
        match (self.described_default(), value) {
            (Some(stated), Value::String(text)) => stated == *text,
            (Some(stated), Value::Bool(_) | Value::Number(_)) => {
                let text = value.to_string();
                stated == text
            }
            _ => false,
        }
    }

    /// Returns true if a value is zero and no other default is known.
    pub fn is_unset(self, value: &Value) -> bool {
        value.as_f64() == Some(0.0) && self.default_value().is_none() && self.described_default().is_none()
    }

    fn described_default(self) -> Option<String> {
        self.0.get("description").and_then(Value::as_str).and_then(stated_default)
    }

    /// Parses a text as the schema's type.
    ///
    /// # Errors
    /// Fails when the text is not of the type. The error never contains the text, which may be a secret.
    pub fn parse_value(self, text: &str) -> Result<Value, Failure> {
        let kind = self.type_name();
        if matches!(kind, "string" | "") {
            return Ok(Value::String(text.to_owned()));
        }
        let is_right = |value: &Value| match kind {
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => true,
        };
        let value = serde_json::from_str::<Value>(text).ok().filter(is_right);
        value.ok_or_else(|| format!("its value is not of type {kind}").into())
    }
}

/// Returns the value in "Defaults to `x`", "Default is x", "Default: x" or "(default x)", if it is one word.
pub(super) fn stated_default(description: &str) -> Option<String> {
    let lower = description.to_ascii_lowercase();
    let begins = ["defaults to ", "default value is ", "default is ", "default: ", "default value: "];
    let mut places = begins.iter().filter_map(|begin| lower.find(begin).map(|at| at + begin.len()));
    let rest = description[places.next()?..].trim_start();
    let (word, rest) = match rest.chars().next()? {
        quote @ ('`' | '"' | '\'') => rest[1..].split_once(quote)?,
        _ => rest.split_at(rest.find(|c: char| c.is_whitespace() || c == ',' || c == ')').unwrap_or(rest.len())),
    };
    let word = word.trim_end_matches(['.', ';', ':']);
    // "Defaults to true if…" depends on a condition that cannot be checked here.
    let conditional = rest.trim_start().to_ascii_lowercase();
    let is_conditional = ["if ", "when ", "for ", "unless ", "or ", "in ", "on ", "of ", "the "];
    let is_plain = !word.is_empty() && !is_conditional.iter().any(|begin| conditional.starts_with(begin));
    is_plain.then(|| word.to_owned())
}
