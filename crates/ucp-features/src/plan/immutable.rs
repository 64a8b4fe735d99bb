//! Detects fields that appear to be immutable, by the schema of the CRD.

use serde::Serialize;
use serde_json::Value;

use ucp_client::source::live::api::RejectedField;
use ucp_core::model::path::{FieldPath, FieldPathStep};

/// Phrases of field descriptions that mark a field as immutable. upjet copies them from Terraform's documentation.
const TELLING: [&str; 10] = [
    "immutable",
    "forces a new resource",
    "forces new resource",
    "forces replacement",
    "changing this forces",
    "changing this creates",
    "cannot be changed",
    "cannot be updated",
    "cannot be modified",
    "can not be changed",
];

/// The reason why a field appears to be immutable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImmutableReason {
    /// Source of the reason.
    pub by: ImmutableSource,
    /// The text in that source.
    pub text: String,
}

/// Source of an immutability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ImmutableSource {
    /// A transition rule of the CRD: `x-kubernetes-validations`.
    Validation,
    /// The field's description.
    Description,
    /// The server's response to the dry run.
    Server,
}

/// Returns the reason in a version's schema why a field is immutable.
pub fn by_schema(schema: &Value, path: &FieldPath) -> Option<ImmutableReason> {
    let mut node = schema;
    let mut described = None;
    for (depth, step) in path.0.iter().enumerate() {
        if let Some(text) = immutability_rule(node, &path.0[depth..]) {
            return Some(ImmutableReason { by: ImmutableSource::Validation, text });
        }
        let Some(next) = child_schema(node, step) else { break };
        node = next;
        // The descriptions of `spec` and of `forProvider` are about the whole object.
        if depth >= 2 {
            described = described.or_else(|| immutability_sentence(node.get("description")?.as_str()?));
        }
    }
    let by_rule = immutability_rule(node, &[]).map(|text| ImmutableReason { by: ImmutableSource::Validation, text });
    by_rule.or_else(|| described.map(|text| ImmutableReason { by: ImmutableSource::Description, text }))
}

/// Returns the reason in the server's rejection why a field is immutable.
pub fn by_server(rejected: &[RejectedField], path: &FieldPath) -> Option<ImmutableReason> {
    let path = path.to_string();
    let said = rejected.iter().find(|field| {
        let text = field.message.to_lowercase();
        let is_it = path == field.field || path.starts_with(&format!("{}.", field.field));
        is_it && (text.contains("immutable") || text.contains("may not be changed") || text.contains("forbidden"))
    })?;
    Some(ImmutableReason { by: ImmutableSource::Server, text: said.message.clone() })
}

fn child_schema<'schema>(node: &'schema Value, step: &FieldPathStep) -> Option<&'schema Value> {
    match step {
        FieldPathStep::Field(name) => {
            node.get("properties").and_then(|fields| fields.get(name)).or(node.get("additionalProperties"))
        }
        FieldPathStep::Element(_) => node.get("items"),
    }
}

/// Returns a transition rule of a node that makes a field below it immutable: `self.a.b == oldSelf.a.b`, or the whole
/// node.
fn immutability_rule(node: &Value, rest: &[FieldPathStep]) -> Option<String> {
    let fields: Option<String> = rest
        .iter()
        .map(|step| match step {
            FieldPathStep::Field(name) => Some(format!(".{name}")),
            FieldPathStep::Element(_) => None,
        })
        .collect();
    let suffixes: Vec<String> = match fields {
        // A rule about a prefix of the path applies to everything below it.
        Some(fields) => std::iter::once(String::new())
            .chain(fields.match_indices('.').skip(1).map(|(end, _)| fields[..end].to_owned()))
            .chain(Some(fields.clone()).filter(|fields| !fields.is_empty()))
            .collect(),
        None => vec![String::new()],
    };
    node.get("x-kubernetes-validations")?.as_array()?.iter().find_map(|validation| {
        let rule = validation.get("rule")?.as_str()?;
        let plain: String = rule.chars().filter(|character| !character.is_whitespace()).collect();
        let holds_still = |suffix: &String| {
            [format!("self{suffix}==oldSelf{suffix}"), format!("oldSelf{suffix}==self{suffix}")]
                .iter()
                .any(|comparison| contains_whole(&plain, comparison))
        };
        let message = validation.get("message").and_then(Value::as_str).unwrap_or(rule);
        suffixes.iter().any(holds_still).then(|| message.to_owned())
    })
}

/// Returns true if a rule contains the complete comparison: `self == oldSelf`, but not `self == oldSelf.size()`.
fn contains_whole(rule: &str, comparison: &str) -> bool {
    let goes_on = |character: char| character.is_alphanumeric() || matches!(character, '.' | '_' | '[' | '(');
    rule.match_indices(comparison).any(|(start, found)| {
        let before = rule[..start].chars().next_back();
        let after = rule[start + found.len()..].chars().next();
        !before.is_some_and(goes_on) && !after.is_some_and(goes_on)
    })
}

fn immutability_sentence(description: &str) -> Option<String> {
    let sentences = description.split(['.', '\n']).map(str::trim);
    sentences
        .into_iter()
        .find(|sentence| {
            let lower = sentence.to_lowercase();
            TELLING.iter().any(|word| lower.contains(word)) && !lower.contains("not immutable")
        })
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({"properties": {"spec": {"properties": {"forProvider": {
            "description": "Everything here is immutable, they say.",
            "x-kubernetes-validations": [
                {"rule": "self.engine == oldSelf.engine", "message": "engine stays"},
                {"rule": "self.size == oldSelf.size()"},
            ],
            "properties": {
                "region": {"type": "string", "x-kubernetes-validations": [{"rule": "oldSelf==self"}]},
                "engine": {"properties": {"version": {"type": "string"}}},
                "size": {"type": "integer"},
                "zone": {"description": "The zone. Changing this forces a new resource to be created. Really."},
                "nodes": {"items": {"properties": {"image": {"description": "Immutable. The image"}}}},
                "label": {"description": "Any text"},
            },
        }}}}})
    }

    #[test]
    fn validation_rules_and_descriptions_declare_immutable_fields() {
        let of = |fields: &[&str]| {
            let path = FieldPath::from_fields(&[&["spec", "forProvider"], fields].concat());
            by_schema(&schema(), &path).map(|immutable| (immutable.by, immutable.text))
        };
        assert_eq!(of(&["region"]), Some((ImmutableSource::Validation, "oldSelf==self".into())));
        assert_eq!(of(&["engine", "version"]), Some((ImmutableSource::Validation, "engine stays".into())));
        let words = "Changing this forces a new resource to be created";
        assert_eq!(of(&["zone"]), Some((ImmutableSource::Description, words.into())));
        for mutable in ["size", "label"] {
            assert_eq!(of(&[mutable]), None, "{mutable}");
        }
        let mut image = FieldPath::from_fields(&["spec", "forProvider", "nodes"]);
        image.0.extend([FieldPathStep::Element(0), FieldPathStep::Field("image".into())]);
        assert_eq!(by_schema(&schema(), &image).map(|immutable| immutable.text), Some("Immutable".into()));
    }

    #[test]
    fn a_refusal_of_the_server_declares_an_immutable_field() {
        let rejected = [RejectedField { field: "spec.selector".into(), message: "field is immutable".into() }];
        assert!(by_server(&rejected, &FieldPath::from_fields(&["spec", "selector", "app"])).is_some());
        assert!(by_server(&rejected, &FieldPath::from_fields(&["spec", "selectors"])).is_none());
    }
}
