//! Merges of maps, as the controllers of Argo CD and Flux do them.

use serde_json::Value;

/// What a merge does with one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MergeStep {
    /// The known value stays.
    Keep,
    /// The new value is set.
    Set,
    /// The known value is removed.
    Remove,
}

/// Merges a map into another one: maps in both are merged, and `step` decides on everything else, from the known value and
/// the new one. A value that is not a map stays as it is.
pub(super) fn merge_maps(into: &mut Value, from: &Value, step: fn(Option<&Value>, &Value) -> MergeStep) {
    let (Value::Object(into), Value::Object(from)) = (into, from) else { return };
    for (key, value) in from {
        match (into.get_mut(key), value) {
            (Some(known @ Value::Object(_)), Value::Object(_)) => merge_maps(known, value, step),
            (known, _) => match step(known.as_deref(), value) {
                MergeStep::Keep => {}
                MergeStep::Set => drop(into.insert(key.clone(), value.clone())),
                MergeStep::Remove => drop(into.remove(key)),
            },
        }
    }
}

/// Returns true for the zero values of Go.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_that_are_not_maps_are_never_indexed() {
        for odd in [json!("text"), json!([1]), json!(3), Value::Null] {
            let mut into = odd.clone();
            merge_maps(&mut into, &json!({"a": 1}), |_, _| MergeStep::Set);
            assert_eq!(into, odd);
            let mut into = json!({"a": odd});
            merge_maps(&mut into, &json!({"a": {"b": 1}}), |_, _| MergeStep::Set);
            assert_eq!(into, json!({"a": {"b": 1}}));
        }
    }
}
