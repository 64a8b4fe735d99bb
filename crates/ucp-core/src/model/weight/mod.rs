//! What values take in memory. The memory of parsed JSON and YAML has little to do with the length of the text: a map
//! with one empty key has seven bytes there and 640 here. So the values are weighed while they are parsed, against a
//! limit for one object, and everything that is kept against a limit for the whole process.
//!
//! The weights are upper bounds of what was measured on 64-bit systems, with mimalloc.

mod aliases;
mod kept;
mod limit;
mod node_memory;
mod reading;
mod scale;

pub use aliases::{alias_limits, settle as settle_aliases};
pub use kept::KeptWeight;
pub use limit::Overweight;
pub use reading::Weighing;
pub use scale::Scale;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};
use serde_json::Value;

/// Parses JSON of any length that was read completely, such as an answer of a server.
///
/// # Errors
/// Fails when it is invalid, or takes too much memory.
pub fn from_json<T: DeserializeOwned>(text: &[u8]) -> serde_json::Result<T> {
    let scale = Scale::of_document(text.len());
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = T::deserialize(Weighing::new(&mut deserializer, &scale))?;
    deserializer.end()?;
    Ok(value)
}

/// Parses a YAML document of any origin. Its aliases are limited for the whole run.
///
/// # Errors
/// Fails when it is invalid, or takes too much memory.
pub fn from_yaml<T: DeserializeOwned>(text: &str) -> Result<T, serde_saphyr::Error> {
    from_yaml_with_options(text, yaml_options(text.len()))
}

/// Parses a YAML document with other options than those of [`yaml_options`].
///
/// # Errors
/// Fails when it is invalid, or takes too much memory.
pub fn from_yaml_with_options<T: DeserializeOwned>(
    text: &str,
    options: serde_saphyr::Options,
) -> Result<T, serde_saphyr::Error> {
    let scale = Scale::of_document(text.len());
    let value = serde_saphyr::with_deserializer_from_str_with_options(text, options, |deserializer| {
        T::deserialize(Weighing::new(deserializer, &scale))
    });
    aliases::settle(scale.nodes(), text.len());
    value
}

/// Parses all documents of a YAML text.
///
/// # Errors
/// Fails when one of them is invalid, or takes too much memory.
pub fn from_yaml_documents(text: &str, options: serde_saphyr::Options) -> Result<Vec<Value>, serde_saphyr::Error> {
    let values = serde_saphyr::from_multiple_with_options::<WeighedValue>(text, options);
    // An invalid text is not worth a second look at what it was about to become.
    let nodes = values
        .as_ref()
        .map_or(aliases::EVENTS_OF_DOCUMENT, |values| values.iter().map(|value| nodes_of(&value.0)).sum());
    if text.contains('*') {
        aliases::settle(nodes, text.len());
    }
    values.map(|values| values.into_iter().map(|WeighedValue(value)| value).collect())
}

/// A value that was weighed as one object.
struct WeighedValue(Value);

impl<'de> Deserialize<'de> for WeighedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(Weighing::new(deserializer, &Scale::of_object())).map(Self)
    }
}

/// The options for a document of this length: without snippets in errors, and with limits for its aliases.
pub fn yaml_options(length: usize) -> serde_saphyr::Options {
    serde_saphyr::options! {
        with_snippet: false,
        alias_limits: alias_limits(length),
    }
}

fn nodes_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(nodes_of).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(|value| 1 + nodes_of(value)).sum::<usize>(),
        _ => 1,
    }
}

/// Returns the weight of a value.
pub fn weight_of(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => weight_of_text(text),
        Value::Array(items) => {
            let list = if items.is_empty() { 0 } else { SHORT_LIST };
            list + items.iter().map(|item| ELEMENT + weight_of(item)).sum::<usize>()
        }
        Value::Object(fields) => {
            let nodes = fields.len().div_ceil(ENTRIES_OF_NODE) * MAP_NODE;
            nodes + fields.iter().map(|(key, value)| weight_of_text(key) + weight_of(value)).sum::<usize>()
        }
    }
}

/// Returns the weight of a text.
pub fn weight_of_text(text: &str) -> usize {
    if text.is_empty() { 0 } else { text.len() + TEXT }
}

#[cfg(test)]
mod tests;

use node_memory::{ELEMENT, ENTRIES_OF_NODE, MAP_NODE, SHORT_LIST, TEXT};
