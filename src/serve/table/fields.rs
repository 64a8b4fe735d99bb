//! Fields of objects, as cells show them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::Value;

use ucp_core::model::time::age;

pub(super) const NONE: &str = "<none>";
pub(super) const UNSET: &str = "<unset>";

/// Returns the text at a pointer; empty if there is none.
pub(super) fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the number at a pointer, or 0.
pub(super) fn number(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}

/// Returns the elements at a pointer.
pub(super) fn list<'a>(object: &'a Value, pointer: &str) -> &'a [Value] {
    object.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Returns the number of elements or fields at a pointer.
pub(super) fn count(object: &Value, pointer: &str) -> usize {
    match object.pointer(pointer) {
        Some(Value::Array(elements)) => elements.len(),
        Some(Value::Object(fields)) => fields.len(),
        _ => 0,
    }
}

/// Returns the texts at a pointer in each element, joined by a comma.
pub(super) fn joined(elements: &[Value], pointer: &str) -> String {
    elements.iter().map(|element| text(element, pointer)).collect::<Vec<_>>().join(",")
}

/// Returns the text, or another one if it is empty.
pub(super) fn or<'a>(text: &'a str, other: &'a str) -> &'a str {
    if text.is_empty() { other } else { text }
}

pub(super) fn time(object: &Value, pointer: &str) -> Option<Timestamp> {
    text(object, pointer).parse().ok()
}

/// Returns the age of the time at a pointer.
pub(super) fn age_of(object: &Value, pointer: &str, now: Timestamp) -> String {
    time(object, pointer).map_or_else(|| "<unknown>".to_owned(), |then| age(then, now))
}

/// Returns the status of a condition; `None` if there is no such condition.
pub(super) fn condition<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    let found = list(object, "/status/conditions").iter().find(|condition| text(condition, "/type") == name)?;
    Some(text(found, "/status"))
}

/// Formats labels as `labels.FormatLabels` does.
pub(super) fn labels(object: &Value, pointer: &str) -> String {
    let pairs = label_pairs(object.pointer(pointer));
    or(&pairs.join(","), NONE).to_owned()
}

fn label_pairs(labels: Option<&Value>) -> Vec<String> {
    let labels: BTreeMap<_, _> = labels.and_then(Value::as_object).into_iter().flatten().collect();
    labels.into_iter().map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect()
}

/// Formats a label selector as `labels.Selector.String` does; `None` if there is none.
pub(super) fn selector(object: &Value, pointer: &str) -> Option<String> {
    let selector = object.pointer(pointer).filter(|selector| selector.is_object())?;
    let pairs = label_pairs(selector.get("matchLabels"));
    let mut requirements: Vec<(String, String)> =
        pairs.into_iter().map(|pair| (pair.split('=').next().unwrap_or_default().to_owned(), pair)).collect();
    for expression in list(selector, "/matchExpressions") {
        let key = text(expression, "/key");
        let values: BTreeSet<_> = list(expression, "/values").iter().filter_map(Value::as_str).collect();
        let values = values.into_iter().collect::<Vec<_>>().join(",");
        let requirement = match text(expression, "/operator") {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        };
        requirements.push((key.to_owned(), requirement));
    }
    requirements.sort_by(|one, other| one.0.cmp(&other.0));
    Some(requirements.into_iter().map(|(_, requirement)| requirement).collect::<Vec<_>>().join(","))
}

/// Formats a label selector as `metav1.FormatLabelSelector` does.
pub(super) fn formatted_selector(object: &Value, pointer: &str) -> String {
    or(&selector(object, pointer).unwrap_or_default(), NONE).to_owned()
}

pub(super) fn deletion(object: &Value) -> bool {
    object.pointer("/metadata/deletionTimestamp").is_some()
}

pub(super) fn bool_word(value: Option<&Value>) -> &'static str {
    match value.and_then(Value::as_bool) {
        Some(true) => "True",
        Some(false) => "False",
        None => UNSET,
    }
}
