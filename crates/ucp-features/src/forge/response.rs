//! Fields of the responses of forges.

use jiff::Timestamp;
use serde_json::Value;

/// Returns a text at a JSON pointer.
pub(super) fn text_at(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().map(str::to_owned)
}

/// Returns a time at a JSON pointer.
pub(super) fn time_at(value: &Value, pointer: &str) -> Option<Timestamp> {
    value.pointer(pointer)?.as_str()?.parse().ok()
}

/// Returns the elements of a list at a JSON pointer; `None` if there is no list.
pub(super) fn list_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v Vec<Value>> {
    value.pointer(pointer)?.as_array()
}

/// Returns the texts of one field of the elements of a list.
pub(super) fn texts_of(list: Option<&Value>, field: &str) -> Vec<String> {
    let items = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|item| item.get(field)?.as_str().map(str::to_owned)).collect()
}
