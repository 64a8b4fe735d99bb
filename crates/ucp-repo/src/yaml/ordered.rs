//! Documents that keep the order of their fields. Written text is parsed again and compared.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Number, Value};
use serde_saphyr::DoubleQuoted;

use crate::yaml::YamlError;
use ucp_core::model::text::{escape, is_unsafe};

/// A value with ordered fields.
#[derive(Debug, Clone, PartialEq)]
pub enum OrderedValue {
    /// Fields, in this order.
    Fields(Vec<(String, OrderedValue)>),
    /// A list.
    Items(Vec<OrderedValue>),
    /// Anything else.
    Scalar(Value),
}

impl OrderedValue {
    /// Creates fields in the given order.
    pub fn from_fields<const N: usize>(fields: [(&str, Self); N]) -> Self {
        Self::Fields(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Creates a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Scalar(Value::String(text.into()))
    }

    /// Replaces the field of this name, or appends it.
    pub fn put(&mut self, name: &str, value: Self) {
        if let Self::Fields(fields) = self {
            match fields.iter_mut().find(|(known, _)| known == name) {
                Some((_, old)) => *old = value,
                None => fields.push((name.to_owned(), value)),
            }
        }
    }

    /// Returns a mutable reference to a field.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Self> {
        match self {
            Self::Fields(fields) => fields.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value),
            Self::Items(_) | Self::Scalar(_) => None,
        }
    }

    /// Removes a field.
    pub fn remove(&mut self, name: &str) {
        if let Self::Fields(fields) = self {
            fields.retain(|(known, _)| known != name);
        }
    }

    /// Moves the fields of these names to the front, in this order.
    pub fn order_by(&mut self, names: &[&str]) {
        if let Self::Fields(fields) = self {
            fields.sort_by_key(|(name, _)| names.iter().position(|known| known == name).unwrap_or(names.len()));
        }
    }

    /// Converts to a JSON value, without an order.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Fields(fields) => fields.iter().map(|(name, value)| (name.clone(), value.to_value())).collect(),
            Self::Items(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Self::Scalar(value) => value.clone(),
        }
    }
}

impl From<Value> for OrderedValue {
    /// Orders fields by name, since JSON values have no order.
    fn from(value: Value) -> Self {
        match value {
            Value::Object(fields) => {
                Self::Fields(fields.into_iter().map(|(name, value)| (name, value.into())).collect())
            }
            Value::Array(items) => Self::Items(items.into_iter().map(Self::from).collect()),
            scalar => Self::Scalar(scalar),
        }
    }
}

impl Serialize for OrderedValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fields(fields) => serializer.collect_map(fields.iter().map(|(name, value)| (name, value))),
            Self::Items(items) => items.serialize(serializer),
            Self::Scalar(value) => value.serialize(serializer),
        }
    }
}

/// A document in its YAML form.
struct AsYaml<'a>(&'a OrderedValue);

impl Serialize for AsYaml<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            OrderedValue::Fields(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    match needs_quotes(name) {
                        true => map.serialize_entry(&format!("{QUOTED}{name}"), &AsYaml(value))?,
                        false => map.serialize_entry(name, &AsYaml(value))?,
                    }
                }
                map.end()
            }
            OrderedValue::Items(items) => serializer.collect_seq(items.iter().map(AsYaml)),
            OrderedValue::Scalar(Value::String(text)) if needs_quotes(text) => DoubleQuoted(text).serialize(serializer),
            OrderedValue::Scalar(value) => value.serialize(serializer),
        }
    }
}

/// Prefix that marks a key to be quoted, since the serializer has no option for it; removed from the output.
const QUOTED: &str = "\u{7}\u{b}\u{7}";

/// Returns true if a text must be in double quotes: characters that a terminal interprets are written as escapes, which
/// are literal text elsewhere, and a block scalar would absorb empty lines that follow its trailing ones.
fn needs_quotes(text: &str) -> bool {
    text == "\n" || text.ends_with("\n\n") || text.chars().any(|character| character != '\n' && is_unsafe(character))
}

impl<'de> Deserialize<'de> for OrderedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OrderedValueVisitor)
    }
}

struct OrderedValueVisitor;

impl<'de> Visitor<'de> for OrderedValueVisitor {
    type Value = OrderedValue;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<OrderedValue, E> {
        Ok(OrderedValue::Scalar(Value::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<OrderedValue, E> {
        Ok(OrderedValue::Scalar(Value::Bool(value)))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<OrderedValue, E> {
        Ok(OrderedValue::Scalar(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<OrderedValue, E> {
        Ok(OrderedValue::Scalar(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<OrderedValue, E> {
        Ok(OrderedValue::Scalar(Number::from_f64(value).map_or(Value::Null, Value::Number)))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<OrderedValue, E> {
        Ok(OrderedValue::text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<OrderedValue, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(OrderedValue::Items(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OrderedValue, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(OrderedValue::Fields(fields))
    }
}

/// Writes a document as YAML without terminal control characters, and verifies that it is read back unchanged.
///
/// # Errors
/// Fails when the document has no YAML form, or would be read back as something else.
pub fn write(document: &OrderedValue) -> Result<String, YamlError> {
    let text = serde_saphyr::to_string(&AsYaml(document)).map_err(|error| YamlError::new(0, error.to_string()))?;
    let text = escape(&text.replace("\"\\a\\v\\a", "\""));
    match serde_saphyr::from_str::<Value>(&text) {
        Ok(read) if read == document.to_value() => Ok(text),
        _ => Err(YamlError::new(0, "it cannot be written as equivalent YAML")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn text_with_control_characters_is_escaped_without_changing_its_value() {
        for text in [
            "a\n\tb\n",
            "a\u{200d}\nb",
            "\u{200b}",
            "x\u{200e}y: z",
            "a\u{1b}[31m\n",
            "a\n\n",
            "\n",
            "a\r\nb\n",
            "\u{85}",
        ] {
            let document = json!({"text": text, "list": [text, {"in": text}], "plain": "1.10"});
            let written = write(&document.clone().into()).unwrap();
            assert!(!written.chars().any(|character| character != '\n' && is_unsafe(character)), "{written:?}");
            assert_eq!(serde_saphyr::from_str::<Value>(&written).unwrap(), document, "{written:?}");
        }
        let key = json!({"a\u{200d}b": 1, "\t": {"c\nd": 2}});
        assert_eq!(serde_saphyr::from_str::<Value>(&write(&key.clone().into()).unwrap()).unwrap(), key);
    }

    #[test]
    fn the_order_of_keys_is_kept_from_json() {
        let text = r#"{"b":1,"a":[true,null,1.5,"x",{"d":{},"c":-1}]}"#;
        let document: OrderedValue = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&document).unwrap(), text);
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9_f64).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[ \\t\\n\\r#:|>a'\"\u{200b}\u{200d}\u{200e}\u{feff}\u{2028}-]{0,12}".prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                proptest::collection::btree_map("\\PC{1,6}|[a\\t\\n\u{200d}]{1,3}", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn written_yaml_is_read_back_unchanged(value in value()) {
            // `write` verifies its own output, and fails if it differs.
            if let Ok(text) = write(&value.clone().into()) {
                prop_assert_eq!(serde_saphyr::from_str::<Value>(&text).unwrap(), value);
            } else {
                prop_assert!(false, "{:?} cannot be written", value);
            }
        }
    }
}
