//! Roles of fields: which ones name the value next to them, or make it a secret.

use super::super::names::without_ending;

/// Fields that name the `value` next to them. Longer ones end with `name` or `key`.
pub(super) const LABELS: [&str; 25] = [
    "name",
    "key",
    "k",
    "path",
    "id",
    "field",
    "label",
    "variable",
    "parameter",
    "param",
    "property",
    "option",
    "header",
    "env",
    "attribute",
    "attr",
    "setting",
    "argument",
    "arg",
    "column",
    "flag",
    "prop",
    "identifier",
    "purpose",
    "target",
];
/// Fields that are the value of the name next to them or above them, as in the parameters of plugins. Longer ones end with
/// `value`.
pub(super) const VALUES: [&str; 16] = [
    "value",
    "values",
    "val",
    "v",
    "text",
    "plain",
    "plaintext",
    "raw",
    "pem",
    "content",
    "contents",
    "string",
    "literal",
    "array",
    "map",
    "default",
];
/// Fields with a text that are the value of the name next to them at some time.
pub(super) const STATES: [&str; 22] = [
    "before", "after", "old", "new", "from", "to", "current", "previous", "prior", "desired", "actual", "expected",
    "planned", "was", "now", "got", "want", "left", "right", "lhs", "rhs", "data",
];
/// Switches that make the `value` next to them a secret, as in the outputs of Terraform and the variables of pipelines.
const SWITCHES: [&str; 8] =
    ["sensitive", "issensitive", "secret", "issecret", "secure", "issecure", "masked", "encrypted"];

/// What a field is for the fields next to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum FieldRole {
    /// Its text names them.
    Label,
    /// Its content is a value.
    Value,
    /// Its text is the value at some time.
    State,
}

/// Returns what a field is, and what is before the word for it in its name: `Parameter` in `ParameterKey`.
pub(in super::super) fn role(field: &str) -> Option<(FieldRole, &str)> {
    let is_one_of_words = |text: &str, words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    let is_one_of = |words: &[&str]| is_one_of_words(field, words);
    match () {
        () if is_one_of(&LABELS) => Some((FieldRole::Label, "")),
        () if is_one_of(&VALUES) => Some((FieldRole::Value, "")),
        () if is_one_of(&STATES) => Some((FieldRole::State, "")),
        () => {
            let label = without_ending(field, "name").or_else(|| without_ending(field, "key"));
            let value = || {
                // `newValue`, `stringValue`
                let is_kind = |prefix: &&str| is_one_of_words(prefix, &STATES) || is_one_of_words(prefix, &VALUES);
                without_ending(field, "value").map(|prefix| if is_kind(&prefix) { "" } else { prefix })
            };
            label.map(|prefix| (FieldRole::Label, prefix)).or_else(|| Some((FieldRole::Value, value()?)))
        }
    }
}

/// Returns true if one field names the value of another: `name` of `value` or `newValue`, `ParameterKey` of
/// `ParameterValue` or `value`.
pub(in super::super) fn names_value(label: (FieldRole, &str), value: (FieldRole, &str)) -> bool {
    let are_alike = label.1.is_empty() || value.1.eq_ignore_ascii_case(label.1);
    label.0 == FieldRole::Label && value.0 != FieldRole::Label && (are_alike || value == (FieldRole::Value, ""))
}

/// Returns true for a field that is a switch for secrecy.
pub(in super::super) fn is_switch(field: &str) -> bool {
    SWITCHES.iter().any(|switch| field.trim_matches('_').eq_ignore_ascii_case(switch))
}
