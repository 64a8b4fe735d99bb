//! Streams documents: the items of a list are passed on one by one, before the list has ended. Detects duplicate keys,
//! which JSON parsers ignore.

use std::cell::Cell;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use ucp_core::model::weight::{KeptWeight, Scale, Weighing, weight_of};

/// The kind and `apiVersion` of list items that have none themselves.
#[derive(Debug, Clone, Default)]
pub(super) struct ListHead {
    pub(super) kind: Option<Value>,
    pub(super) version: Option<Value>,
}

impl ListHead {
    /// Reads them from the fields of a list.
    pub(super) fn from_list(list: &Map<String, Value>) -> Self {
        let kind = list.get("kind").and_then(Value::as_str).and_then(|kind| kind.strip_suffix("List"));
        Self { kind: kind.map(Value::from), version: list.get("apiVersion").cloned() }
    }

    /// Adds the missing `apiVersion` and kind to an item of a typed list.
    pub(super) fn complete(&self, item: &mut Value) {
        if let (Value::Object(fields), Some(kind), Some(version)) = (item, &self.kind, &self.version) {
            fields.entry("kind").or_insert_with(|| kind.clone());
            fields.entry("apiVersion").or_insert_with(|| version.clone());
        }
    }
}

/// Returns true if a list has only a part of the objects: a server returns the rest for its token.
pub(super) fn has_more(list: &Map<String, Value>) -> bool {
    let token = list.get("metadata").and_then(|metadata| metadata.get("continue")?.as_str());
    token.is_some_and(|token| !token.is_empty())
}

/// What was seen in a document besides its objects.
#[derive(Debug, Default)]
pub(super) struct DocumentRemarks {
    /// True if any object in it has a duplicate key.
    pub(super) has_duplicates: Cell<bool>,
    /// True if it is a list with only a part of the objects.
    pub(super) has_more: Cell<bool>,
}

/// Callback for each item.
pub(super) type TakeItem<'a> = &'a mut dyn FnMut(Value);

/// Reads a document: passes the items of a list or the elements of an array to `take`, and returns any other value.
pub(super) struct DocumentSeed<'a> {
    pub(super) take: TakeItem<'a>,
    pub(super) remarks: &'a DocumentRemarks,
    /// Weighs each item of its own, and any other value as one.
    pub(super) scale: &'a Scale,
}

impl<'de> DeserializeSeed<'de> for DocumentSeed<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<Value>, D::Error> {
        let scale = self.scale;
        Weighing::new(deserializer, scale).deserialize_any(self)
    }
}

/// Visitor methods for scalars, which are never lists.
macro_rules! scalars {
    ($wrap:expr) => {
        fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
            Ok($wrap(Value::Bool(value)))
        }

        fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
            Ok($wrap(value.into()))
        }

        fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
            Ok($wrap(value.into()))
        }

        fn visit_i128<E: de::Error>(self, value: i128) -> Result<Self::Value, E> {
            Ok($wrap(Number::from_i128(value).ok_or_else(|| E::custom("number out of range"))?.into()))
        }

        fn visit_u128<E: de::Error>(self, value: u128) -> Result<Self::Value, E> {
            Ok($wrap(Number::from_u128(value).ok_or_else(|| E::custom("number out of range"))?.into()))
        }

        fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
            Ok($wrap(Number::from_f64(value).map_or(Value::Null, Value::Number)))
        }

        fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
            Ok($wrap(value.into()))
        }

        fn visit_string<E>(self, value: String) -> Result<Self::Value, E> {
            Ok($wrap(value.into()))
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($wrap(Value::Null))
        }

        fn visit_none<E>(self) -> Result<Self::Value, E> {
            Ok($wrap(Value::Null))
        }

        fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
            self.deserialize(deserializer)
        }
    };
}

impl<'de> Visitor<'de> for DocumentSeed<'_> {
    type Value = Option<Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any document")
    }

    scalars!(Some);

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Self::Value, S::Error> {
        while let Some(item) = items.next_element_seed(ValueSeed(&self.remarks.has_duplicates))? {
            self.scale.restart();
            (self.take)(item);
        }
        Ok(None)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let Self { take, remarks, scale } = self;
        let has_duplicates = &remarks.has_duplicates;
        let (mut fields, mut waiting, mut is_list) = (Map::new(), Vec::new(), false);
        let (mut held, mut overweight) = (KeptWeight::default(), None);
        while let Some(key) = map.next_key::<String>()? {
            if key == "items" {
                if is_list {
                    has_duplicates.set(true);
                }
                let head = ListHead::from_list(&fields);
                // If keys are sorted, the kind follows after the items.
                let is_told = fields.contains_key("kind") && fields.contains_key("apiVersion");
                let mut item = |mut item: Value| {
                    head.complete(&mut item);
                    match is_told || item.get("kind").is_some() && item.get("apiVersion").is_some() {
                        true => take(item),
                        false => match held.grow(weight_of(&item)) {
                            Ok(()) => waiting.push(item),
                            Err(error) => overweight = Some(error),
                        },
                    }
                };
                match map.next_value_seed(ListItemsSeed { take: &mut item, remarks, scale })? {
                    Some(other) => drop(fields.insert(key, other)),
                    None => is_list = true,
                }
                if let Some(overweight) = overweight {
                    return Err(de::Error::custom(overweight));
                }
            } else if fields.insert(key, map.next_value_seed(ValueSeed(has_duplicates))?).is_some() {
                has_duplicates.set(true);
            }
        }
        if !is_list {
            return Ok(Some(Value::Object(fields)));
        }
        if has_more(&fields) {
            remarks.has_more.set(true);
        }
        let head = ListHead::from_list(&fields);
        for mut item in waiting {
            head.complete(&mut item);
            take(item);
        }
        Ok(None)
    }
}

/// Reads the items of a list; returns any other value.
struct ListItemsSeed<'a> {
    take: TakeItem<'a>,
    remarks: &'a DocumentRemarks,
    scale: &'a Scale,
}

impl<'de> DeserializeSeed<'de> for ListItemsSeed<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<Value>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ListItemsSeed<'_> {
    type Value = Option<Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the items of a list")
    }

    scalars!(Some);

    fn visit_seq<S: SeqAccess<'de>>(self, items: S) -> Result<Self::Value, S::Error> {
        DocumentSeed { take: self.take, remarks: self.remarks, scale: self.scale }.visit_seq(items)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
        ValueSeed(&self.remarks.has_duplicates).visit_map(map).map(Some)
    }
}

/// Reads a value completely; the last of duplicate keys is used.
#[derive(Clone, Copy)]
struct ValueSeed<'seen>(&'seen Cell<bool>);

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON")
    }

    scalars!(std::convert::identity);

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
    use serde_json::json;

    fn read(text: &str) -> (Vec<Value>, Option<Value>, bool) {
        let (mut items, remarks, scale) = (Vec::new(), DocumentRemarks::default(), Scale::of_object());
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let top = DocumentSeed { take: &mut |item| items.push(item), remarks: &remarks, scale: &scale };
        let rest = top.deserialize(&mut deserializer).unwrap();
        (items, rest, remarks.has_duplicates.get())
    }

    #[test]
    fn json_is_read_as_by_serde_json_and_duplicate_keys_are_found() {
        for (text, has_duplicates) in [
            (r#"{"a": [1, -2, 2.5, null, true, "x"], "b": {"c": {}}}"#, false),
            (r#"{"a": 1, "a": 2}"#, true),
            (r#"{"a": [{"b": {"c": 1, "d": 2, "c": 3}}]}"#, true),
            (r#"{"items": {"a": 1}}"#, false),
            (r#"{"kind": "XList", "items": null}"#, false),
        ] {
            let value = serde_json::from_str::<Value>(text).unwrap();
            assert_eq!(read(text), (Vec::new(), Some(value), has_duplicates), "{text}");
        }
    }

    #[test]
    fn items_get_the_kind_of_their_list_regardless_of_its_position() {
        let expected = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}});
        for text in [
            r#"{"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "a"}}]}"#,
            r#"{"apiVersion": "v1", "items": [{"metadata": {"name": "a"}}], "kind": "PodList"}"#,
            r#"{"items": [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}], "kind": "List"}"#,
            r#"[{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}]"#,
        ] {
            assert_eq!(read(text), (vec![expected.clone()], None, false), "{text}");
        }
    }

    #[test]
    fn duplicate_lists_of_items_are_both_read() {
        let text = r#"{"apiVersion": "v1", "kind": "PodList", "items": [{"a": 1}], "items": [{"a": 2}]}"#;
        let pod = |number: usize| json!({"apiVersion": "v1", "kind": "Pod", "a": number});
        assert_eq!(read(text), (vec![pod(1), pod(2)], None, true));
    }
}
