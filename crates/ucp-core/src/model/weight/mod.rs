//! What values take in memory. The memory of parsed JSON and YAML has little to do with the length of the text: a map
//! with one empty key has seven bytes there and 640 here. So the values are weighed while they are parsed, against a
//! limit for one object, and everything that is kept against a limit for the whole process.
//!
//! The weights are upper bounds of what was measured on 64-bit systems, with mimalloc.

mod aliases;
mod kept;
mod reading;
mod scale;

pub use aliases::{alias_limits, settle as settle_aliases};
pub use kept::KeptWeight;
pub use reading::Weighing;
pub use scale::Scale;

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde_json::Value;

/// Limit for the values of one object: an API server stores at most 1.5 MB of text, which take up to 40 MiB.
pub const HEAVIEST_OBJECT: usize = 64 << 20;
/// Limit for a document of several objects, and for an answer that is parsed at once.
pub const HEAVIEST_DOCUMENT: usize = 512 << 20;
/// Limit for everything that is kept at one time.
pub const HEAVIEST_RUN: usize = 4 << 30;
/// Memory of a long document per byte of its text. Ordinary objects take 5 to 15.
const PER_BYTE: usize = 32;

/// Memory of a node of a map, which is allocated for up to eleven entries, and of its share of the nodes above. A map
/// that is filled in order has at least six in each.
const MAP_NODE: usize = 704;
const ENTRIES_OF_NODE: usize = 6;
/// Memory of an element of a list, which may be twice as long as is used, and of the shortest list beyond its element.
const ELEMENT: usize = 64;
const SHORT_LIST: usize = 80;
/// Memory of a text beyond its length.
const TEXT: usize = 24;
/// Memory of a field of a struct, present or not.
const FIELD: usize = 40;

/// The limit that a value or a run exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overweight {
    /// That of one object or document.
    Object {
        /// The limit.
        mebibytes: usize,
    },
    /// That of the whole run.
    Run,
}

/// The beginning of the text of each limit, by which it is found in an error of a parser.
const OBJECT: &str = "it is too large: its values would take more than ";
const RUN: &str = "all that is kept would take more than ";

impl fmt::Display for Overweight {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object { mebibytes } => write!(formatter, "{OBJECT}{mebibytes} MiB of memory"),
            Self::Run => write!(formatter, "{RUN}{} MiB of memory, so this was not read further", HEAVIEST_RUN >> 20),
        }
    }
}

impl std::error::Error for Overweight {}

impl Overweight {
    /// Finds the limit in an error that a parser passed on.
    pub fn from_error(error: &impl fmt::Display) -> Option<Self> {
        let text = error.to_string();
        let number = |begin: usize| text[begin..].split(' ').next().and_then(|number| number.parse().ok());
        match text.find(OBJECT) {
            Some(at) => Some(Self::Object { mebibytes: number(at + OBJECT.len()).unwrap_or_default() }),
            None => text.contains(RUN).then_some(Self::Run),
        }
    }
}

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

fn refused<E: serde::de::Error>(overweight: Overweight) -> E {
    E::custom(overweight)
}

/// An error of a parser for what a run cannot keep.
pub fn json_error(overweight: Overweight) -> serde_json::Error {
    serde_json::Error::custom(overweight)
}

#[cfg(test)]
mod tests;
