//! Conversion between JSON and protobuf's `Struct`, whose numbers are all doubles.

use prost_types::value::Kind;
use prost_types::{ListValue, Struct};
use serde_json::{Number, Value};

/// 2^53, from which on a double does not represent all whole numbers.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Converts an object for a function; empty if the value is not an object.
pub fn to_struct(value: &Value) -> Struct {
    let fields = value.as_object().into_iter().flatten();
    Struct { fields: fields.map(|(name, value)| (name.clone(), to_protobuf(value))).collect() }
}

/// Converts an object of a function.
pub fn from_struct(object: &Struct) -> Value {
    Value::Object(object.fields.iter().map(|(name, value)| (name.clone(), from_protobuf(value))).collect())
}

fn to_protobuf(value: &Value) -> prost_types::Value {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(value) => Kind::BoolValue(*value),
        Value::Number(value) => Kind::NumberValue(value.as_f64().unwrap_or_default()),
        Value::String(value) => Kind::StringValue(value.clone()),
        Value::Array(values) => Kind::ListValue(ListValue { values: values.iter().map(to_protobuf).collect() }),
        Value::Object(_) => Kind::StructValue(to_struct(value)),
    };
    prost_types::Value { kind: Some(kind) }
}

/// Whole numbers are converted to integers: an API server rejects `1.0` as a port.
fn from_protobuf(value: &prost_types::Value) -> Value {
    match &value.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(value)) => Value::Bool(*value),
        Some(Kind::NumberValue(value)) => number(*value).map_or(Value::Null, Value::Number),
        Some(Kind::StringValue(value)) => Value::String(value.clone()),
        Some(Kind::ListValue(list)) => Value::Array(list.values.iter().map(from_protobuf).collect()),
        Some(Kind::StructValue(fields)) => from_struct(fields),
    }
}

fn number(value: f64) -> Option<Number> {
    if value.fract() == 0.0 && value.abs() < WHOLE {
        // Exact, because it is whole and small enough.
        #[allow(clippy::cast_possible_truncation, reason = "whole, and below 2^53")]
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-9_007_199_254_740_991_i64..9_007_199_254_740_991).prop_map(Value::from),
            (-1000_i32..1000).prop_map(|number| json!(f64::from(number) + 0.5)),
            "\\PC{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z./]{1,8}", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_survive_the_round_trip(value in values()) {
            let object = json!({"value": value});
            prop_assert_eq!(from_struct(&to_struct(&object)), object);
        }
    }

    #[test]
    fn a_nan_becomes_null() {
        assert_eq!(from_protobuf(&prost_types::Value { kind: Some(Kind::NumberValue(f64::NAN)) }), Value::Null);
        assert_eq!(from_protobuf(&prost_types::Value { kind: Some(Kind::NumberValue(3.0)) }), json!(3));
        assert_eq!(from_protobuf(&prost_types::Value { kind: Some(Kind::NumberValue(1e300)) }), json!(1e300));
    }
}
