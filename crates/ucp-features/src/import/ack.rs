//! The fields by which ACK finds existing resources: `services.k8s.aws/adoption-fields`.

use serde_json::{Map, Value, json};

use super::address::last_part;
use crate::schema::SchemaNode;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::kind::ResourceKind;

/// The annotation with the fields by which an object adopts.
pub(super) const ADOPTION_FIELDS: &str = "services.k8s.aws/adoption-fields";

/// The annotation with an object's region, if it differs from the controller's.
pub(super) const REGION: &str = "services.k8s.aws/region";

/// Returns the field names that a kind may use for the name or ID of its resources, most likely first.
fn name_fields(kind: &ResourceKind) -> Vec<String> {
    let kind = kind.kind.to_ascii_lowercase();
    let endings = ["name", "id", "identifier", "url"];
    std::iter::once("name".to_owned()).chain(endings.iter().map(|ending| format!("{kind}{ending}"))).collect()
}

/// Returns the fields by which a resource is adopted. Controllers require the ARN, or a name or ID of the kind, and
/// ignore other fields; an ARN ends with that name.
///
/// # Errors
/// Fails when neither the ID nor the schema determines the fields.
pub(super) fn adoption_fields(kind: &ResourceKind, external: &str, schema: SchemaNode<'_>) -> Result<Value, Failure> {
    let sides = [schema.field("spec"), schema.field("status")];
    let fields: Vec<&str> = sides.into_iter().flatten().flat_map(SchemaNode::fields).map(|(name, _)| name).collect();
    let named = name_fields(kind);
    let field = named.iter().find_map(|candidate| fields.iter().find(|name| name.eq_ignore_ascii_case(candidate)));
    let is_arn = external.starts_with("arn:");
    match field {
        Some(field) if is_arn => Ok(json!({"arn": external, (*field): last_part(external)})),
        Some(field) => Ok(json!({ (*field): external })),
        None if is_arn => Ok(json!({"arn": external})),
        None => fail!("it is unknown by which field ACK finds a {}; pass its ARN", kind.kind),
    }
}

/// Returns true if an object represents the resource with this name, ID or ARN.
pub(super) fn has_external_name(kind: &ResourceKind, object: &Value, external: &str) -> bool {
    let adopted =
        object.get("metadata").and_then(|metadata| metadata.get("annotations")?.get(ADOPTION_FIELDS)?.as_str());
    let adopted: Map<String, Value> = adopted.and_then(|fields| serde_json::from_str(fields).ok()).unwrap_or_default();
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let arn = text("/status/ackResourceMetadata/arn").or_else(|| adopted.get("arn")?.as_str());
    let is_arn = external.starts_with("arn:");
    if let Some(arn) = arn.filter(|_| is_arn) {
        return arn == external;
    }
    let candidates = name_fields(kind);
    let sides = ["spec", "status"].into_iter().filter_map(|side| object.get(side)?.as_object()).flatten();
    let named = sides.filter(|(name, _)| candidates.iter().any(|candidate| name.eq_ignore_ascii_case(candidate)));
    let values = adopted.iter().chain(named).filter_map(|(_, value)| value.as_str());
    let mut names = values.chain(arn.map(last_part));
    let wanted = if is_arn { last_part(external) } else { external };
    names.any(|name| name == external || name == wanted)
}
