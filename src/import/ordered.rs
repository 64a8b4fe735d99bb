//! A manifest whose fields keep the order in which a person would write them.

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::Value;

/// A value, and the order of its fields.
#[derive(Debug, Clone, PartialEq)]
pub enum Ordered {
    /// Fields, in this order.
    Fields(Vec<(String, Ordered)>),
    /// A list.
    Items(Vec<Ordered>),
    /// Anything else.
    Scalar(Value),
}

impl Ordered {
    /// Fields in the order in which they are given.
    pub fn of<const N: usize>(fields: [(&str, Self); N]) -> Self {
        Self::Fields(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Scalar(Value::String(text.into()))
    }

    /// A field.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Fields(fields) => fields.iter().find(|(known, _)| known == name).map(|(_, value)| value),
            Self::Items(_) | Self::Scalar(_) => None,
        }
    }

    /// Puts a field in the place of one of its name, or behind all others.
    pub fn put(&mut self, name: &str, value: Self) {
        if let Self::Fields(fields) = self {
            match fields.iter_mut().find(|(known, _)| known == name) {
                Some((_, old)) => *old = value,
                None => fields.push((name.to_owned(), value)),
            }
        }
    }

    /// Moves fields before all others.
    pub fn lead_with(&mut self, leads: impl Fn(&str) -> bool) {
        if let Self::Fields(fields) = self {
            fields.sort_by_key(|(name, _)| !leads(name));
        }
    }

    /// The same, without an order.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Fields(fields) => fields.iter().map(|(name, value)| (name.clone(), value.to_value())).collect(),
            Self::Items(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Self::Scalar(value) => value.clone(),
        }
    }
}

impl From<Value> for Ordered {
    /// In the order of the fields' names, as JSON has none.
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

impl Serialize for Ordered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fields(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
            Self::Items(items) => items.serialize(serializer),
            Self::Scalar(value) => value.serialize(serializer),
        }
    }
}
