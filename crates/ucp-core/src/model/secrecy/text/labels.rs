//! Values that the fields next to them name, or declare to be secret: `{name: DB_PASSWORD, value: X}`.

use serde_json::{Map, Value};

use super::super::names::{SECURE_STRING, is_generic_secret_name, is_secret_name, is_value_label};
use super::doubtful::{holds_issued, is_doubtful_name};
use super::file::names_file;
use super::roles::{FieldRole, is_switch, names_value, role};

/// Returns the fields whose values the fields next to them name: `value` in `{name: DB_PASSWORD, value: …}`, as in
/// containers, Helm, and Terraform, and `fieldValue` in `{fieldName: password, fieldValue: …}`.
pub(super) fn labelled_values(fields: &Map<String, Value>) -> Vec<String> {
    let names = |field: &str, is_label: &dyn Fn(&str) -> bool| match &fields[field] {
        Value::String(text) => is_label(text),
        // The last step of a path.
        Value::Array(steps) => steps.last().and_then(Value::as_str).is_some_and(is_label),
        _ => false,
    };
    let labels = |is_label: &dyn Fn(&str) -> bool| -> Vec<_> {
        fields.keys().filter_map(|field| role(field).filter(|_| names(field, is_label))).collect()
    };
    let (labels, doubtful) = (labels(&|text| is_value_label(text) || names_file(text)), labels(&is_doubtful_name));
    let is_secure =
        |field: &&String| is_switch(field) && fields[*field] == true || is_type_of_value(field, &fields[*field]);
    let is_secure = fields.keys().any(|field| is_secure(&field));
    // `{key: token, operator: In, values: […]}` selects labels, and `{op: move, from: …, path: …}` refers to a field.
    let is_value_only = fields.contains_key("operator") || fields.contains_key("op");
    // An object of the API has a state itself.
    let is_object = fields.contains_key("kind") || fields.contains_key("namespace");
    let is_named = |(name, value): &(&String, &Value)| {
        let of_value = role(name).filter(|(role, _)| *role != FieldRole::State || value.is_string() && !is_object);
        let is_value = name.eq_ignore_ascii_case("value");
        let has_label = |labels: &[(FieldRole, &str)]| {
            of_value.is_some_and(|of_value| labels.iter().any(|label| names_value(*label, of_value)))
        };
        let is_labelled = || has_label(&labels) || has_label(&doubtful) && holds_issued(value);
        is_value && is_secure || (is_value || !is_value_only) && is_labelled()
    };
    fields.iter().filter(is_named).map(|(name, _)| name.clone()).collect()
}

/// Returns true if a field says that the `value` next to it is a secret: `type: SecureString`, `type: password`.
fn is_type_of_value(field: &str, value: &Value) -> bool {
    let is_type = field.eq_ignore_ascii_case("type") || field.eq_ignore_ascii_case("kind");
    let is_secret_type = |text: &str| text == SECURE_STRING || is_pair_name(text) && is_value_label(text);
    is_type && value.as_str().is_some_and(is_secret_type)
}

/// Returns true if a text in a list can be the name of the next one. `Secret` is a kind.
pub(super) fn is_pair_name(text: &str) -> bool {
    is_secret_name(text) && !is_generic_secret_name(text)
}
