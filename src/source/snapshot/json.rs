//! A JSON document, and whether a key of it stands there twice, which JSON readers pass over in silence.

use std::cell::Cell;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A document.
pub(super) struct Document {
    /// As it is read: the last of duplicate keys counts.
    pub(super) value: Value,
    /// Whether any object in it has a key twice.
    pub(super) has_duplicates: bool,
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let has_duplicates = Cell::new(false);
        let value = Seed(&has_duplicates).deserialize(deserializer)?;
        Ok(Self { value, has_duplicates: has_duplicates.get() })
    }
}

#[derive(Clone, Copy)]
struct Seed<'seen>(&'seen Cell<bool>);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Value, S::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Value, M::Error> {
        let mut fields = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if fields.insert(key, map.next_value_seed(self)?).is_some() {
                self.0.set(true);
            }
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_serde_json_does_and_sees_what_stands_twice() {
        for (text, has_duplicates) in [
            (r#"{"a": [1, -2, 2.5, null, true, "x"], "b": {"c": {}}}"#, false),
            (r#"{"a": 1, "a": 2}"#, true),
            (r#"[{"b": {"c": 1, "d": 2, "c": 3}}]"#, true),
        ] {
            let document: Document = serde_json::from_str(text).unwrap();
            assert_eq!(document.value, serde_json::from_str::<Value>(text).unwrap());
            assert_eq!(document.has_duplicates, has_duplicates, "{text}");
        }
    }
}
